// Findings about a whole launch: those of the access that the kernel names, then the most costly. The cost
// that orders them counts what would vanish if the finding did: sectors beyond the ideal, bank conflicts,
// lane slots that idle.

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "engine/analysis/access_costs.h"
#include "engine/analysis/executed.h"
#include "engine/analysis/explain_parts.h"
#include "engine/analysis/explanations.h"
#include "engine/analysis/known_counts.h"
#include "engine/analysis/ratio.h"
#include "engine/base/typography.h"

namespace warplens::analysis {
namespace {

using trace::Site;
using trace::SiteKind;
using trace::Space;

constexpr std::size_t kMostFindings = 6;

struct Finding {
  std::uint64_t cost = 0;
  std::vector<Message> messages;
  bool of_focus = false;  // of the access that the kernel names
};

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// In whole numbers, but what is rare is not "0 %", nor is what is nearly always "100 %".
double round_percent(double value) {
  constexpr double kTenths = 10;
  const bool whole = (value >= 1 && value <= 99) || value == 0 || value == 100;
  const double tenths = std::round(value * kTenths) / kTenths;
  return whole ? std::round(value) : std::clamp(tenths, 1 / kTenths, 100 - 1 / kTenths);
}

// "line 12", or the PTX line where the source is unknown.
Message at_line(const char* key, const Site& site, MessageValues values) {
  values.emplace_back("line", value_of(site.line != 0 ? site.line : site.ptx_line));
  values.emplace_back("op", value_of(site.op));
  return explanation(key, std::move(values));
}

class LaunchExplainer {
 public:
  LaunchExplainer(const Report& report, const trace::Trace* trace, const std::vector<About>& about)
      : r_(report), trace_(trace) {
    about_lanes_ = std::ranges::any_of(about, [](const About& a) { return a.op == "branch"; });
    if (!about_lanes_ && !about.empty()) focus_ = focus_of(access_costs(r_), about);
  }

  std::vector<Message> explain() {
    find_examples();
    for (const auto& [site_index, totals] : merged_sites()) {
      const std::size_t before = findings_.size();
      site(r_.sites[site_index], totals);
      for (std::size_t i = before; i < findings_.size(); ++i)
        findings_[i].of_focus = is_focus(r_.sites[site_index]);
    }
    about_lanes_ ? no_parting() : good_focus();
    spills();
    block_size();
    std::stable_sort(findings_.begin(), findings_.end(), [](const Finding& a, const Finding& b) {
      return std::pair(a.of_focus, a.cost) > std::pair(b.of_focus, b.cost);
    });
    std::vector<Message> out;
    // A reason that was given for one line is not given again for the next.
    for (std::size_t i = 0; i < findings_.size() && i < kMostFindings; ++i)
      for (Message& message : findings_[i].messages)
        if (std::find(out.begin(), out.end(), message) == out.end()) out.push_back(std::move(message));
    if (out.empty() && accesses() != 0) out.push_back(explanation("launch.clean"));
    efficiency(out);
    occupancy(out);
    if (const auto sentence = known_sentence(r_)) out.push_back(*sentence);
    return out;
  }

 private:
  struct Example {
    std::size_t step = 0;
    int tries = 0;
    std::uint64_t trouble = 0;
    bool shows_trouble() const { return trouble > 0; }
  };

  // What an unrolled loop or a structure made of one access is one finding: sites of equal line and
  // instruction that cost about the same an execution are added up.
  std::vector<std::pair<std::size_t, SiteTotals>> merged_sites() {
    std::vector<std::pair<std::size_t, SiteTotals>> out;
    std::map<std::tuple<std::string, int, std::string>, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < r_.sites.size() && i < r_.totals.sites.size(); ++i) {
      const Site& s = r_.sites[i];
      const SiteTotals& t = r_.totals.sites[i];
      if (t.executions == 0) continue;
      std::vector<std::size_t>& alike = places[{s.file, s.line, s.op}];
      const auto found = std::find_if(alike.begin(), alike.end(),
                                      [&](std::size_t k) { return cost_alike(out[k].second, t); });
      if (found == alike.end() || s.line == 0) {
        alike.push_back(out.size());
        out.emplace_back(i, t);
        continue;
      }
      // The group is known by the one of them that shows best what is wrong.
      if (trouble_of(i) > trouble_of(out[*found].first)) out[*found].first = i;
      SiteTotals& sum = out[*found].second;
      sum.executions += t.executions;
      sum.global += t.global;
      sum.shared += t.shared;
      sum.constant += t.constant;
      sum.divergent += t.divergent;
    }
    return out;
  }

  bool is_focus(const Site& s) const {
    if (about_lanes_) return s.kind == SiteKind::Branch;
    const AccessCost* focus = focus_.first();
    return focus && s.line != 0 && s.line == focus->line && s.op == focus->op;
  }

  // Where no branch parts a warp and that is what is spoken of.
  void no_parting() {
    const auto told = [](const Finding& f) { return f.of_focus; };
    if (std::any_of(findings_.begin(), findings_.end(), told)) return;
    findings_.push_back(
        {0, {all_lanes_work() ? explanation("launch.good_lanes") : active_lanes_message()}, true});
  }

  bool all_lanes_work() const {
    return r_.execution.warp_instructions == 0 || r_.execution.efficiency() > 0.999;
  }
  Message active_lanes_message() const {
    return explanation("launch.active_lanes", {{"lanes", r_.execution.average_active_lanes()},
                                               {"percent", 100 * r_.execution.efficiency()}});
  }

  // Where nothing is wrong with the access that the kernel names, that comes before what is with others.
  void good_focus() {
    const AccessCost* focus = focus_.first();
    const auto told = [](const Finding& f) { return f.of_focus; };
    if (!focus || focus->waste() > 0 || focus->local || focus->kind == AccessCost::Kind::Atomic ||
        findings_.empty() || std::any_of(findings_.begin(), findings_.end(), told))
      return;
    const auto site = std::find_if(r_.sites.begin(), r_.sites.end(), [&](const Site& s) {
      return s.line != 0 && is_focus(s) && focus->holds(s);
    });
    if (site == r_.sites.end()) return;
    Finding f{0, {}, true};
    f.messages.push_back(at_line(focus->memory == Memory::Shared     ? "launch.good_shared"
                                 : focus->memory == Memory::Constant ? "launch.good_constant"
                                                                     : "launch.good_global",
                                 *site, {{"per_request", focus->per_request()}}));
    const auto example = examples_.find(site->index);
    if (focus->memory == Memory::Shared && example != examples_.end()) say_example(example->second, f);
    findings_.push_back(std::move(f));
  }

  std::uint64_t trouble_of(std::size_t site_index) const {
    const auto example = examples_.find(r_.sites[site_index].index);
    return example == examples_.end() ? 0 : example->second.trouble;
  }

  // Within a factor of two of each other an execution, as AccessCost has it: the sentence and the number over
  // it are of the same copies.
  static bool cost_alike(const SiteTotals& a, const SiteTotals& b) {
    const auto near = [&](std::uint64_t x, std::uint64_t y) {
      const double of_a = ratio(x, a.executions), of_b = ratio(y, b.executions);
      return of_a == of_b || std::max(of_a, of_b) < 2 * std::min(of_a, of_b);
    };
    return near(a.global.sectors, b.global.sectors) && near(a.shared.wavefronts, b.shared.wavefronts) &&
           near(a.constant.addresses, b.constant.addresses);
  }

  void site(const Site& s, const SiteTotals& t) {
    if (t.executions == 0) return;
    if (s.kind == SiteKind::Branch) return branch(s, t);
    // A generic address shows in the counts which memory it meant.
    const bool local = s.space == Space::Local;
    if (t.global.requests != 0 && !local) is_atomic(s.kind) ? atomic(s, t) : global(s, t);
    if (t.shared.bank_conflicts != 0) shared(s, t);
    if (t.global.requests != 0 && local) local_access(s, t);
    if (t.constant.addresses > t.constant.requests) constant(s, t);
  }

  void global(const Site& s, const SiteTotals& t) {
    if (t.global.sectors <= t.global.sectors_ideal) return;
    const std::uint64_t excess = t.global.sectors - t.global.sectors_ideal;
    Finding f{excess, {}};
    f.messages.push_back(at_line(s.kind == SiteKind::Store ? "launch.global_store" : "launch.global_load", s,
                                 {{"sectors", value_of(t.global.sectors)},
                                  {"ideal", value_of(t.global.sectors_ideal)},
                                  {"per_request", ratio(t.global.sectors, t.global.requests)},
                                  {"ideal_per_request", ratio(t.global.sectors_ideal, t.global.requests)}}));
    add_example(s, f);
    findings_.push_back(std::move(f));
  }

  void atomic(const Site& s, const SiteTotals& t) {
    if (t.global.sectors <= t.global.sectors_ideal) return;
    Finding f{t.global.sectors - t.global.sectors_ideal, {}};
    f.messages.push_back(at_line("launch.atomic", s,
                                 {{"sectors", value_of(t.global.sectors)},
                                  {"ideal", value_of(t.global.sectors_ideal)},
                                  {"requests", value_of(t.global.requests)}}));
    add_example(s, f);
    findings_.push_back(std::move(f));
  }

  void shared(const Site& s, const SiteTotals& t) {
    Finding f{t.shared.bank_conflicts, {}};
    f.messages.push_back(at_line("launch.shared", s,
                                 {{"wavefronts", value_of(t.shared.wavefronts)},
                                  {"conflicts", value_of(t.shared.bank_conflicts)},
                                  {"requests", value_of(t.shared.requests)},
                                  {"per_request", ratio(t.shared.wavefronts, t.shared.requests)}}));
    add_example(s, f);
    findings_.push_back(std::move(f));
  }

  void local_access(const Site& s, const SiteTotals& t) {
    Finding f{t.global.sectors, {}};
    f.messages.push_back(
        at_line("launch.local", s,
                {{"requests", value_of(t.global.requests)}, {"sectors", value_of(t.global.sectors)}}));
    findings_.push_back(std::move(f));
  }

  void constant(const Site& s, const SiteTotals& t) {
    Finding f{t.constant.addresses - t.constant.requests, {}};
    f.messages.push_back(at_line("launch.constant", s,
                                 {{"requests", value_of(t.constant.requests)},
                                  {"distinct", value_of(t.constant.addresses)},
                                  {"per_request", ratio(t.constant.addresses, t.constant.requests)}}));
    findings_.push_back(std::move(f));
  }

  void branch(const Site& s, const SiteTotals& t) {
    if (t.divergent == 0) return;
    Finding f{std::max(t.divergent, idle_turns(t.divergent)), {}};
    // What ptxas made of it stands in the same sentence: alone the count would contradict the counters.
    f.messages.push_back(at_line(s.leaves ? "launch.predicated" : "launch.divergence", s,
                                 {{"divergent", value_of(t.divergent)},
                                  {"executions", value_of(t.executions)},
                                  {"percent", round_percent(percent(t.divergent, t.executions))}}));
    if (const Message* pattern = branch_pattern(s)) f.messages.push_back(*pattern);
    findings_.push_back(std::move(f));
  }

  // Warp instructions' worth of lane slots that idle behind a branch: its share of all that do, by how often
  // it parts a warp.
  std::uint64_t idle_turns(std::uint64_t divergent) const {
    std::uint64_t all = 0;
    for (const SiteTotals& t : r_.totals.sites) all += t.divergent;
    const double turns =
        static_cast<double>(r_.execution.warp_instructions) * (1 - r_.execution.efficiency());
    return static_cast<std::uint64_t>(std::max(0.0, turns) * ratio(divergent, all));
  }

  // How the lanes part, from the first divergent execution in the stored trace.
  const Message* branch_pattern(const Site& s) {
    const auto example = examples_.find(s.index);
    if (example == examples_.end() || !example->second.shows_trouble()) return nullptr;
    const trace::BranchView b = trace_->branch(example->second.step);
    pattern_ = describe_split(b.taken, b.active & ~b.taken);
    return &pattern_;
  }

  static Message describe_split(LaneMask taken, LaneMask stay) {
    const MessageValues values{{"taken", value_of(active_lanes(taken))},
                               {"taken_lanes", value_of(lanes_text(taken))},
                               {"stay", value_of(active_lanes(stay))},
                               {"stay_lanes", value_of(lanes_text(stay))}};
    constexpr LaneMask kEven = 0x55555555u, kOdd = 0xaaaaaaaau;
    const bool parity =
        ((taken & kOdd) == 0 && (stay & kEven) == 0) || ((taken & kEven) == 0 && (stay & kOdd) == 0);
    if (parity && active_lanes(taken) > 1) return explanation("divergence.parity", values);
    const bool ordered = 31 - std::countl_zero(taken) < std::countr_zero(stay) ||
                         31 - std::countl_zero(stay) < std::countr_zero(taken);
    return explanation(ordered ? "divergence.border" : "divergence.scattered", values);
  }

  void spills() {
    if (r_.spilled.requests == 0) return;
    Finding f{r_.spilled.sectors, {}};
    f.messages.push_back(explanation("launch.spills", {{"requests", value_of(r_.spilled.requests)},
                                                       {"sectors", value_of(r_.spilled.sectors)},
                                                       {"registers", value_of(r_.registers_per_thread)}}));
    findings_.push_back(std::move(f));
  }

  void block_size() {
    const std::uint64_t threads = r_.launch.block.volume(), last = threads % kWarpSize;
    if (last == 0 || threads == 0) return;
    const std::uint64_t warps = (threads + kWarpSize - 1) / kWarpSize;
    const std::uint64_t idle_in_1000 = (kWarpSize - last) * 1000 / (warps * kWarpSize);
    Finding f{idle_in_1000 * r_.execution.warp_instructions / 1000, {}};
    f.messages.push_back(
        explanation("launch.partial_warp",
                    {{"threads", value_of(threads)}, {"warps", value_of(warps)}, {"lanes", value_of(last)}}));
    findings_.push_back(std::move(f));
  }

  // One access of the site that shows the trouble, in the words of explain_access.
  void add_example(const Site& s, Finding& f) {
    const auto example = examples_.find(s.index);
    // What is stored of a launch may all be well while other blocks pay: then there is no reason to show.
    if (example == examples_.end() || !example->second.shows_trouble()) return;
    say_example(example->second, f);
  }

  void say_example(const Example& example, Finding& f) const {
    auto sentences = explain_access(*trace_, trace_->access(example.step));
    std::erase_if(sentences, [](const Message& m) { return m.key == "explain.partial"; });
    std::move(sentences.begin(), sentences.end(), std::back_inserter(f.messages));
  }

  // One look over the beginning of the trace: for each site the step that shows best what a finding about it
  // is about, the worst access or the first branch that parts, or else its first step.
  void find_examples() {
    constexpr std::size_t kMostSteps = std::size_t{1} << 18;
    constexpr int kMostTries = 64, kMostOfTroubled = 256;  // of a site
    if (trace_ == nullptr) return;
    for (std::size_t i = 0; i < std::min(trace_->size(), kMostSteps); ++i) {
      const trace::Step& step = trace_->steps()[i];
      const bool access = step.kind == trace::StepKind::Access;
      if (step.active == 0 || (!access && step.kind != trace::StepKind::Branch)) continue;
      Example& example = examples_.try_emplace(step.site, Example{i}).first->second;
      if (!access && example.shows_trouble()) continue;
      if (++example.tries > (example.shows_trouble() ? kMostOfTroubled : kMostTries)) continue;
      const std::uint64_t trouble =
          access ? excess(trace_->access(i)) : std::uint64_t{is_divergent(trace_->branch(i))};
      if (trouble <= example.trouble) continue;
      example.step = i;
      example.trouble = trouble;
    }
  }

  static bool is_divergent(const trace::BranchView& b) { return b.taken != 0 && b.taken != b.active; }

  // What an access costs over what it must.
  std::uint64_t excess(const trace::AccessView& view) const {
    const Executed as = executed(*trace_, view);
    const trace::AccessView& a = as.access;
    if (as.merged_away || a.bytes <= 0) return 0;
    if (a.space == Space::Shared)
      return count_shared(a.kind, a.bytes, a.active, a.addresses.data()).bank_conflicts;
    if (a.space != Space::Global) return 0;
    const GlobalCounts c = count_global(a.kind, a.bytes, a.active, a.addresses.data());
    return c.sectors > c.sectors_ideal ? c.sectors - c.sectors_ideal : 0;
  }

  std::uint64_t accesses() const {
    const Totals& t = r_.totals;
    return t.global_load.requests + t.global_store.requests + t.global_atomic.requests +
           t.global_reduction.requests + t.shared_load.requests + t.shared_store.requests +
           t.shared_atomic.requests;
  }

  void efficiency(std::vector<Message>& out) const {
    const auto one = [&](const char* key, const GlobalCounts& c) {
      if (c.sectors == 0) return;
      out.push_back(explanation(key, {{"percent", percent(c.bytes_unique, 32 * c.sectors)},
                                      {"per_request", ratio(c.sectors, c.requests)}}));
    };
    one("launch.load_efficiency", r_.totals.global_load);
    one("launch.store_efficiency", r_.totals.global_store);
    if (all_lanes_work()) return;
    Message lanes = active_lanes_message();
    if (std::find(out.begin(), out.end(), lanes) == out.end()) out.push_back(std::move(lanes));
  }

  void occupancy(std::vector<Message>& out) const {
    const Occupancy& o = r_.occupancy;
    if (o.limiters.empty()) return;
    const Key limiter{"report.limiters." + std::string(name(o.limiters.front()))};
    const MessageValues values{{"percent", 100 * o.theoretical},
                               {"blocks", value_of(o.blocks_per_sm)},
                               {"warps", value_of(o.warps_per_sm)},
                               {"limiter", value_of(limiter)}};
    if (o.blocks_per_sm == 0) return out.push_back(explanation("launch.cannot_run", values));
    out.push_back(explanation(o.theoretical < 1 ? "launch.occupancy" : "launch.occupancy_full", values));
  }

  const Report& r_;
  const trace::Trace* trace_;
  std::unordered_map<trace::SiteId, Example> examples_;
  std::vector<Finding> findings_;
  Focus focus_;
  bool about_lanes_ = false;
  Message pattern_;
};

// "Any access of shared memory" is the one that the kernel names, if it is one of these.
bool kernel_names_one(const Report& report, const std::vector<About>& about) {
  if (about.size() != 1 || !about[0].text.empty() || !about[0].op.empty()) return false;
  const auto costs = access_costs(report);
  const AccessCost* named = named_access(costs, report.about);
  return named && name(named->memory) == about[0].memory;
}

}  // namespace

std::vector<Message> explain_launch(const Report& report, const trace::Trace* trace) {
  return LaunchExplainer(report, trace, report.about).explain();
}

std::vector<Message> explain_launch(const Report& report, const trace::Trace* trace,
                                    const std::vector<About>& about) {
  return LaunchExplainer(report, trace, kernel_names_one(report, about) ? report.about : about).explain();
}

}  // namespace warplens::analysis
