#include "engine/analysis/access_costs.h"

#include <algorithm>
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
  found->known = weaker(found->known, cost.known);
}

bool is_about(const AccessCost& cost, const About& about) {
  if (about.memory == "shared" ? !cost.in_shared : about.memory == "global" && cost.in_shared) return false;
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
    AccessCost cost{kind_of(site), false,     site.space == trace::Space::Local,
                    site.op,       site.text, site.line,
                    t.executions,  {},        {},
                    site.known};
    if (t.global.requests > 0) {
      cost.global = t.global;
      add(out, cost);
      cost.global = {};
    }
    // A copy counts where it reads; what it writes is neither load nor store.
    const bool copy = site.kind == trace::SiteKind::AsyncCopy || site.kind == trace::SiteKind::BulkCopy;
    if (t.shared.requests == 0 || copy) continue;
    cost.in_shared = true;
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
  const auto of = [&](bool shared) {
    if (named && named->in_shared == shared) return named;
    return worst(costs, [&](const AccessCost& c) { return c.in_shared == shared; });
  };
  Focus focus;
  const AccessCost *global = of(false), *shared = of(true);
  if (global) focus.global = *global;
  if (shared) focus.shared = *shared;
  focus.shared_first = named ? named->in_shared : shared && (!global || worse(*shared, *global));
  return focus;
}

Focus focus_of(const Report& report) {
  return focus_of(access_costs(report), report.about);
}

}  // namespace warplens::analysis
