#include "engine/analysis/access_costs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>

#include "engine/analysis/ratio.h"

namespace warplens::analysis {
namespace {

using Kind = AccessCost::Kind;

Kind kind_of(const trace::Site& site) {
  if (trace::is_atomic(site.kind)) return Kind::Atomic;
  return trace::is_store(site.kind) ? Kind::Store : Kind::Load;
}

bool cost_alike(const AccessCost& a, const AccessCost& b) {
  const double first = a.per_request(), second = b.per_request();
  return std::max(first, second) < 2 * std::min(first, second);
}

// Without its blanks, so that a text still matches after somebody has formatted the line.
std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (!std::isspace(static_cast<unsigned char>(c))) out += c;
  return out;
}

void add(std::vector<AccessCost>& all, AccessCost cost) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const AccessCost& other) {
    return other.line != 0 && other.same_place(cost) && cost_alike(other, cost);
  });
  if (found == all.end()) return all.push_back(std::move(cost));
  found->executions += cost.executions;
  found->global += cost.global;
  found->shared += cost.shared;
  found->constant += cost.constant;
  found->known = weaker(found->known, cost.known);
}

bool is_about(const AccessCost& cost, const About& about) {
  if (!about.memory.empty() && about.memory != name(cost.memory)) return false;
  const bool op = about.op.empty() || about.op == name(cost.kind) || cost.op.starts_with(about.op);
  return op && squeezed(cost.text).find(squeezed(about.text)) != std::string::npos;
}

// The worse of two: more waste, then more cost. Of equals the earlier stays.
bool worse(const AccessCost& a, const AccessCost& b) {
  return std::pair(a.waste(), a.cost()) > std::pair(b.waste(), b.cost());
}

template <typename Wanted>
const AccessCost* worst(const std::vector<AccessCost>& costs, Wanted wanted) {
  const AccessCost* out = nullptr;
  for (const AccessCost& cost : costs)
    if (wanted(cost) && (!out || worse(cost, *out))) out = &cost;
  return out;
}

}  // namespace

std::string_view name(Memory memory) {
  static constexpr std::array<std::string_view, 3> kNames{"global", "shared", "constant"};
  return kNames[static_cast<std::size_t>(memory)];
}

std::uint64_t AccessCost::requests() const {
  return memory == Memory::Global   ? global.requests
         : memory == Memory::Shared ? shared.requests
                                    : constant.requests;
}

std::uint64_t AccessCost::cost() const {
  return memory == Memory::Global   ? global.sectors
         : memory == Memory::Shared ? shared.wavefronts
                                    : constant.addresses;
}

std::uint64_t AccessCost::cost_ideal() const {
  return memory == Memory::Global   ? global.sectors_ideal
         : memory == Memory::Shared ? shared.wavefronts_ideal
                                    : constant.requests;
}

double AccessCost::per_request() const {
  return ratio(cost(), requests());
}

double AccessCost::ideal() const {
  return ratio(cost_ideal(), requests());
}

bool AccessCost::holds(const trace::Site& site) const {
  return line == site.line && op == site.op && kind == kind_of(site);
}

std::string_view name(AccessCost::Kind kind) {
  return kind == Kind::Load ? "load" : kind == Kind::Store ? "store" : "atomic";
}

std::vector<AccessCost> access_costs(const Report& report) {
  std::vector<AccessCost> out;
  for (std::size_t i = 0; i < report.sites.size() && i < report.totals.sites.size(); ++i) {
    const trace::Site& site = report.sites[i];
    const SiteTotals& t = report.totals.sites[i];
    if (site.kind == trace::SiteKind::Branch || site.kind == trace::SiteKind::Barrier) continue;
    AccessCost cost;
    cost.kind = kind_of(site);
    cost.local = site.space == trace::Space::Local;
    cost.op = site.op;
    cost.text = site.text;
    cost.line = site.line;
    cost.executions = t.executions;
    cost.known = site.known;
    if (t.global.requests > 0) {
      cost.global = t.global;
      add(out, cost);
      cost.global = {};
    }
    if (t.constant.requests > 0) {
      cost.memory = Memory::Constant;
      cost.constant = t.constant;
      add(out, cost);
      cost.constant = {};
    }
    // A copy counts where it reads; what it writes is neither load nor store.
    const bool copy = site.kind == trace::SiteKind::AsyncCopy || site.kind == trace::SiteKind::BulkCopy;
    if (t.shared.requests == 0 || copy) continue;
    cost.memory = Memory::Shared;
    cost.shared = t.shared;
    add(out, std::move(cost));
  }
  std::stable_sort(out.begin(), out.end(), [](const AccessCost& a, const AccessCost& b) {
    return std::pair(a.line, a.kind) < std::pair(b.line, b.kind);
  });
  return out;
}

const AccessCost* named_access(const std::vector<AccessCost>& costs, const std::vector<About>& about) {
  for (const About& one : about)
    if (const AccessCost* found = worst(costs, [&](const AccessCost& c) { return is_about(c, one); }))
      return found;
  return nullptr;
}

Focus focus_of(const std::vector<AccessCost>& costs, const std::vector<About>& about) {
  const AccessCost* named = named_access(costs, about);
  Focus focus;
  const auto choose = [&](Memory memory, std::optional<AccessCost>& out) {
    const AccessCost* const one = named && named->memory == memory
                                      ? named
                                      : worst(costs, [&](const AccessCost& c) { return c.memory == memory; });
    if (!one) return;
    out = *one;
    if (!named && (!focus.first() || worse(*one, *focus.first()))) focus.main = memory;
  };
  choose(Memory::Global, focus.global);
  choose(Memory::Shared, focus.shared);
  choose(Memory::Constant, focus.constant);
  if (named) focus.main = named->memory;
  return focus;
}

const std::optional<AccessCost>& Focus::of(Memory memory) const {
  return memory == Memory::Global ? global : memory == Memory::Shared ? shared : constant;
}

Focus focus_of(const Report& report) {
  return focus_of(access_costs(report), report.about);
}

}  // namespace warplens::analysis
