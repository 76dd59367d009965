// Sentences about the one access that the time cursor stands on.

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/executed.h"
#include "engine/analysis/explain_parts.h"
#include "engine/analysis/explanations.h"
#include "engine/analysis/known_counts.h"
#include "engine/analysis/patterns.h"
#include "engine/analysis/shared_banks.h"
#include "engine/base/typography.h"
#include "engine/trace/executed_as.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;
using trace::Space;

// Collects the sentences about one access.
class AccessExplainer {
 public:
  AccessExplainer(const trace::Trace& trace, const Executed& executed)
      : trace_(trace), a_(executed.access), lanes_(active_lanes(a_.active)) {
    if (a_.site < trace.sites.size()) site_ = trace.sites[a_.site];
  }

  std::vector<Message> explain(bool widened) {
    if (widened)
      say(a_.bytes > site_.bytes ? "widened" : "narrowed",
          {{"written", value_of(site_.bytes)}, {"bytes", value_of(a_.bytes)}});
    switch (a_.space) {
      case Space::Global:
        if (is_atomic(a_.kind))
          global_atomic();
        else
          global();
        if (a_.kind == SiteKind::AsyncCopy) shared(SiteKind::AsyncCopy, a_.shared_addresses.data());
        break;
      case Space::Shared:
        shared(a_.kind, a_.addresses.data());
        break;
      case Space::Local:
        local();
        break;
      case Space::Constant:
      case Space::Parameter:
        constant();
        break;
      default:
        break;
    }
    if (lanes_ < kWarpSize && a_.space != Space::Parameter)
      say("partial", {{"lanes", value_of(lanes_)}, {"which", value_of(lanes_text(a_.active))}});
    return std::move(out_);
  }

 private:
  void say(const char* key, MessageValues values = {}) {
    out_.push_back(explanation(key, std::move(values)));
  }
  int first_lane() const { return std::countr_zero(a_.active); }
  MessageValue place(int lane) const {
    return trace_.describe(a_.space, a_.addresses[static_cast<std::size_t>(lane)]);
  }
  MessageValue unsigned_value(std::uint64_t v) const { return static_cast<std::int64_t>(v); }

  void global() {
    const CoalescingDetail detail = explain_global(a_.kind, a_.bytes, a_.active, a_.addresses.data());
    const GlobalCounts& c = detail.counts;
    const Form form = form_of(a_.bytes, a_.active, a_.addresses.data());
    const MessageValues numbers{{"lanes", value_of(lanes_)},
                                {"bytes", unsigned_value(c.bytes_requested)},
                                {"sectors", unsigned_value(c.sectors)},
                                {"ideal", unsigned_value(c.sectors_ideal)},
                                {"lines", unsigned_value(c.lines)},
                                {"used", unsigned_value(c.bytes_unique)},
                                {"fetched", unsigned_value(32 * c.sectors)},
                                {"place", place(first_lane())}};
    const auto with = [&](MessageValues more) {
      more.insert(more.end(), numbers.begin(), numbers.end());
      return more;
    };
    switch (form.shape) {
      case Shape::Uniform:
        return say(a_.kind == SiteKind::Store ? "global.uniform_store" : "global.uniform", numbers);
      case Shape::Contiguous:
      case Shape::Reversed:
        return contiguous(form, c, with({}));
      case Shape::Strided:
        return strided(form, c, with({}));
      case Shape::Groups:
        return groups(form, c, with({}));
      case Shape::Scattered:
        return say("global.scattered", numbers);
    }
  }

  void groups(const Form& form, const GlobalCounts& c, MessageValues numbers) {
    numbers.emplace_back("groups", value_of(lanes_ / form.lanes_per_group));
    numbers.emplace_back("per_group", value_of(form.lanes_per_group));
    numbers.emplace_back("step", value_of(std::abs(form.stride)));
    numbers.emplace_back("group_stride", value_of(std::abs(form.group_stride)));
    if (form.stride == 0) return say("global.groups_uniform", std::move(numbers));
    if (form.group_stride == 0) return say("global.groups_repeated", std::move(numbers));
    const bool rows = std::abs(form.stride) == a_.bytes;
    // Rows that fill their sectors cost what they must; of such as overlap less would do.
    say(!rows                                   ? "global.groups"
        : c.sectors > c.sectors_ideal           ? "global.rows"
        : c.bytes_unique + 32 <= 32 * c.sectors ? "global.rows_shared"
                                                : "global.rows_fit",
        std::move(numbers));
  }

  void contiguous(const Form& form, const GlobalCounts& c, MessageValues numbers) {
    if (lanes_ == 1) return say("global.one_lane", std::move(numbers));
    if (!is_run(a_.active))
      return say(c.sectors > c.sectors_ideal ? "global.gaps" : "global.gaps_fit", std::move(numbers));
    const std::uint64_t lowest = a_.addresses[static_cast<std::size_t>(
        form.shape == Shape::Reversed ? 31 - std::countl_zero(a_.active) : first_lane())];
    if (c.sectors > c.sectors_ideal && lowest % 32 != 0) {
      numbers.emplace_back("offset", unsigned_value(lowest % 32));
      return say("global.misaligned", std::move(numbers));
    }
    if (form.shape == Shape::Reversed) return say("global.reversed", std::move(numbers));
    say(c.bytes_unique < 32 * c.sectors ? "global.contiguous_part" : "global.contiguous", std::move(numbers));
  }

  void strided(const Form& form, const GlobalCounts& c, MessageValues numbers) {
    const std::int64_t step = std::abs(form.stride);
    numbers.emplace_back("step", value_of(step));
    numbers.emplace_back("width", value_of(a_.bytes));
    const int spread = 31 - std::countl_zero(a_.active) - first_lane();
    numbers.emplace_back("span", value_of(step * spread + a_.bytes));
    if (c.sectors == c.sectors_ideal) return say("global.strided_fit", std::move(numbers));
    // "p[i].x": the stride is the size of a structure.
    if (site_.text.find("].") != std::string::npos || site_.text.find("->") != std::string::npos)
      return say("global.structures", std::move(numbers));
    if (step % a_.bytes != 0) return say("global.strided_bytes", std::move(numbers));
    numbers.emplace_back("stride", value_of(step / a_.bytes));
    say(step < 32 ? "global.strided" : "global.strided_apart", std::move(numbers));
  }

  void global_atomic() {
    const CoalescingDetail detail = explain_global(a_.kind, a_.bytes, a_.active, a_.addresses.data());
    std::unordered_map<std::uint64_t, LaneMask> users;
    for (int lane = 0; lane < kWarpSize; ++lane)
      if ((a_.active >> lane & 1u) != 0)
        users[a_.addresses[static_cast<std::size_t>(lane)]] |= LaneMask{1} << lane;
    LaneMask most = 0;
    for (const auto& [address, lanes] : users)
      if (active_lanes(lanes) > active_lanes(most) ||
          (active_lanes(lanes) == active_lanes(most) && std::countr_zero(lanes) < std::countr_zero(most)))
        most = lanes;
    const MessageValues numbers{{"lanes", value_of(lanes_)},
                                {"addresses", value_of(users.size())},
                                {"meeting", value_of(active_lanes(most))},
                                {"which", value_of(lanes_text(most))},
                                {"place", place(std::countr_zero(most))},
                                {"sectors", unsigned_value(detail.counts.sectors)},
                                {"distinct", value_of(detail.sectors.size())}};
    say(active_lanes(most) > 1        ? "atomic.serialised"
        : active_lanes(a_.active) > 1 ? "atomic.spread"
                                      : "atomic.alone",
        numbers);
    if (site_.reduction || a_.kind == SiteKind::Reduction) say("atomic.reduction");
  }

  void shared(SiteKind kind, const std::uint64_t* offsets) {
    // Lanes that count into one word are served together, as stores are.
    if (site_.atomic_form == ptx::AtomicForm::CountLanes) {
      kind = SiteKind::Store;
      say("shared.counted");
    }
    const BankDetail d = explain_shared(kind, a_.bytes, a_.active, offsets, site_.floating_shared_atomic);
    if (site_.floating_shared_atomic)
      return say("shared.loop", {{"rounds", unsigned_value(d.counts.requests)}});
    const MessageValues numbers{{"lanes", value_of(lanes_)},
                                {"wavefronts", unsigned_value(d.counts.wavefronts)},
                                {"conflicts", unsigned_value(d.counts.bank_conflicts)},
                                {"free", unsigned_value(d.counts.wavefronts - d.counts.bank_conflicts)},
                                {"degree", value_of(d.degree)},
                                {"phases", value_of(d.phases.size())},
                                {"bytes", value_of(a_.bytes)}};
    const Form form = form_of(a_.bytes, a_.active, offsets);
    if (d.counts.bank_conflicts == 0) {
      const bool broadcast = form.shape == Shape::Uniform && lanes_ > 1;
      say(broadcast             ? "shared.broadcast"
          : d.phases.size() > 1 ? "shared.phases"
          : lanes_ == 1         ? "shared.free_one"
                                : "shared.free",
          numbers);
    } else {
      conflict(d, numbers);
      advice(d, form, kind);
    }
    if (d.pair_merged) say("shared.pair_merged", {{"phases", value_of(d.phases.size())}});
    if (kind == SiteKind::CompareAndSwap) say("shared.compare_and_swap");
  }

  // Two lanes that want one bank in one phase, as an example of the conflict.
  void conflict(const BankDetail& d, MessageValues numbers) {
    for (const BankPass& pass : d.passes) {
      if (pass.hits.empty() || &pass == &d.passes.front()) continue;
      const BankPass& before = *(&pass - 1);
      if (before.phase != pass.phase) continue;
      const BankHit& late = pass.hits.front();
      for (const BankHit& early : before.hits) {
        if (early.bank != late.bank) continue;
        numbers.emplace_back("early", value_of(std::min(early.lane, late.lane)));
        numbers.emplace_back("late", value_of(std::max(early.lane, late.lane)));
        numbers.emplace_back("bank", value_of(late.bank));
        return say(early.word == late.word ? "shared.same_word" : "shared.conflict", std::move(numbers));
      }
    }
    say("shared.conflicts", std::move(numbers));
  }

  void advice(const BankDetail& d, const Form& form, SiteKind kind) {
    const std::int64_t words = std::abs(form.stride) / 4;
    if (form.shape != Shape::Strided || form.stride % 4 != 0 || is_atomic(kind) || a_.bytes != 4) return;
    if (words % 32 == 0)
      return say("shared.pad_rows", {{"words", value_of(words)}, {"padded", value_of(words + 1)}});
    if (std::gcd(words, std::int64_t{32}) == d.degree)
      say("shared.stride", {{"words", value_of(words)}, {"degree", value_of(d.degree)}});
  }

  void local() {
    const GlobalCounts c = count_local(a_.bytes, a_.active, a_.addresses.data());
    const int indexes = distinct_addresses(a_.active, a_.addresses.data());
    const MessageValues numbers{{"lanes", value_of(lanes_)},
                                {"indexes", value_of(indexes)},
                                {"requests", unsigned_value(c.requests)},
                                {"sectors", unsigned_value(c.sectors)}};
    say(indexes == 1 ? "local.same_index" : "local.different_indexes", numbers);
  }

  void constant() {
    const int distinct = distinct_addresses(a_.active, a_.addresses.data());
    say(distinct == 1 ? "constant.uniform" : "constant.serialised", {{"distinct", value_of(distinct)}});
  }

  const trace::Trace& trace_;
  const trace::AccessView& a_;
  int lanes_;
  trace::Site site_;
  std::vector<Message> out_;
};

}  // namespace

namespace {

std::vector<Message> explain_what(const trace::Trace& trace, const trace::AccessView& access) {
  if (access.active == 0) return {explanation("no_lanes")};
  if (access.site < trace.sites.size() &&
      executed_as(trace.sites[access.site]) == trace::ExecutedAs::Register)
    return {explanation("in_registers")};
  const Executed as = executed(trace, access);
  if (as.merged_away) {
    const trace::Site& site = trace.sites[access.site];
    const int line = site.leader < trace.sites.size() ? trace.sites[site.leader].line : 0;
    return {explanation("merged", {{"line", value_of(line)}})};
  }
  if (as.access.bytes <= 0) return {};
  if (as.combined)
    return {explanation("atomic.combined", {{"lanes", value_of(active_lanes(access.active))}})};
  return AccessExplainer(trace, as).explain(as.widened);
}

}  // namespace

std::vector<Message> explain_access(const trace::Trace& trace, const trace::AccessView& access) {
  std::vector<Message> out = explain_what(trace, access);
  // Where a rule changed what is written, the sentences above rest on it.
  if (!out.empty() && access.site < trace.sites.size() && known_of(trace.sites, access.site) == Known::Rule)
    out.push_back(explanation("by_rule"));
  return out;
}

}  // namespace warplens::analysis
