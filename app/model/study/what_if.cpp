#include "app/model/study/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "app/model/gallery/slider_values.h"
#include "engine/analysis/access_costs.h"
#include "engine/base/time_text.h"

namespace warplens::model {
namespace {

constexpr double kLeastGain = 0.9;  // of the time now
// Sums in another order round differently.
constexpr double kSameRounding = 1e-5;

bool close(double a, double b, double within) {
  return std::fabs(a - b) <= within * std::max(std::fabs(a), std::fabs(b));
}

double bytes_asked(const analysis::Totals& t) {
  return static_cast<double>(t.global_load.bytes_requested + t.global_store.bytes_requested +
                             t.global_atomic.bytes_requested + t.global_reduction.bytes_requested);
}

// The same work with the same result: all buffers hold the same at the end, and as many operations were made
// for it, or, where there are none, as many bytes asked for. A launch that repeats itself less often is no
// advice.
bool computes_the_same(const analysis::Report& a, const analysis::Report& b) {
  if (b.ending != analysis::Ending::Completed || b.faults_total > 0 || a.buffers.size() != b.buffers.size())
    return false;
  for (std::size_t i = 0; i < a.buffers.size(); ++i)
    if (a.buffers[i].count != b.buffers[i].count ||
        !close(a.buffers[i].checksum, b.buffers[i].checksum, kSameRounding))
      return false;
  const double flop = a.flop ? a.flop->total() : 0, other = b.flop ? b.flop->total() : 0;
  return flop > 0 ? close(flop, other, 0.02) : close(bytes_asked(a.totals), bytes_asked(b.totals), 0.02);
}

struct NamedCount {
  const char* name;
  double value;
};

// Of a kernel that is about one access, what that one costs. Else loads and stores apart: the average of a
// strided load and a coalesced store is nobody's cost.
std::vector<NamedCount> counts_of(const analysis::Report& r, const std::vector<analysis::About>& about) {
  const analysis::Totals& t = r.totals;
  const auto rate = [](std::uint64_t of, std::uint64_t requests) {
    return requests > 0 ? static_cast<double>(of) / static_cast<double>(requests) : 0;
  };
  const NamedCount instructions{"instructions",
                                static_cast<double>(r.execution.warp_instructions) *
                                    static_cast<double>(r.blocks_total) /
                                    static_cast<double>(std::max<std::uint64_t>(1, r.blocks_run))};
  if (!about.empty()) {
    const auto costs = analysis::access_costs(r);
    const analysis::AccessCost* one = analysis::named_access(costs, about);
    const auto in = [&](analysis::Memory memory) {
      return one && one->memory == memory ? one->per_request() : 0;
    };
    return {{"passes", in(analysis::Memory::Shared)},
            {"sectors", in(analysis::Memory::Global)},
            {"addresses", in(analysis::Memory::Constant)},
            instructions};
  }
  return {{"passes", rate(t.shared_load.wavefronts, t.shared_load.requests)},
          {"passes", rate(t.shared_store.wavefronts, t.shared_store.requests)},
          {"passes", rate(t.shared_atomic.wavefronts, t.shared_atomic.requests)},
          {"sectors", rate(t.global_load.sectors, t.global_load.requests)},
          {"sectors", rate(t.global_store.sectors, t.global_store.requests)},
          {"addresses", rate(t.constant.addresses, t.constant.requests)},
          instructions};
}

// The count that fell most, by a tenth at least.
void explain(const analysis::Report& now, const analysis::Report& then,
             const std::vector<analysis::About>& about, WhatIf& out) {
  double least = kLeastGain;
  const auto before = counts_of(now, about), after = counts_of(then, about);
  for (std::size_t i = 0; i < before.size(); ++i) {
    // What is not asked for any more has no cost a request.
    if (!(before[i].value > 0) || !(after[i].value > 0) || after[i].value / before[i].value >= least)
      continue;
    least = after[i].value / before[i].value;
    out.counted = before[i].name;
    out.now_count = before[i].value;
    out.then_count = after[i].value;
    out.estimated = now.blocks_run < now.blocks_total || then.blocks_run < then.blocks_total;
  }
}

std::string count_text(double n) {
  if (n >= 1e9) return fmt::format("{:.3g}G", n / 1e9);
  if (n >= 1e6) return fmt::format("{:.3g}M", n / 1e6);
  return n >= 100 ? fmt::format("{:.0f}", n) : fmt::format("{:.3g}", n);
}

// The plain name of a kernel: "tiled" of "app::tiled<float>(float const*)".
std::string function_of(const Run& run) {
  const auto entry = run.program->module->find_entry(run.report.launch.kernel);
  std::string name = entry ? (*entry)->demangled : run.report.launch.kernel;
  name = name.substr(0, name.find_first_of("<("));
  const std::size_t colons = name.rfind("::"), space = name.rfind(' ');
  if (colons != std::string::npos)
    name = name.substr(colons + 2);
  else if (space != std::string::npos)
    name = name.substr(space + 1);  // "void f" of a template
  return name;
}

bool has_conflicts(const analysis::Report& report) {
  const analysis::Totals& t = report.totals;
  return t.shared_load.bank_conflicts + t.shared_store.bank_conflicts + t.shared_atomic.bank_conflicts > 0;
}

// Something to be tried, and what is to be said if it is worth it.
struct Candidate {
  SliderValues values;  // at the shown size
  std::string slider;
  std::int64_t value = 0;
  std::optional<Padding> padding = {};
  std::optional<std::string> text = {};
};

class Search {
 public:
  Search(const GalleryKernel& kernel, const Run& run, const SliderValues& values,
         const WhatIfOptions& options, const Trials& trials)
      : kernel_(kernel), run_(run), values_(values), options_(options), trials_(trials) {}

  std::optional<WhatIf> run() {
    const double now_us = trials_.us(run_);
    if (!(now_us > 0)) return std::nullopt;
    std::vector<Candidate> same;  // compute the same
    std::optional<WhatIf> best = over_sliders(now_us, same);
    over_paddings(now_us, best, same);
    if (trials_.cancelled()) return std::nullopt;
    const std::optional<WhatIf> there = at_clock(same);
    return there ? there : best;
  }

 private:
  // Sliders, paddings and the size for a clock each have their part of our time.
  bool late(double share) const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count() >
           options_.seconds * share;
  }

  std::optional<WhatIf> over_sliders(double now_us, std::vector<Candidate>& same) const {
    std::optional<WhatIf> best;
    for (const Slider& slider : kernel_.sliders) {
      const auto at = values_.find(slider.name);
      if (at == values_.end()) continue;
      bool same_before = true;
      for (const std::int64_t value :
           slider_steps(slider, options_.values_a_slider, Steps::Notable, at->second)) {
        // What changes the result at one value does so at the others; not so of choices, each a code of its
        // own.
        if (value == at->second || (!same_before && slider.choices.empty())) continue;
        if (late(0.5) || trials_.cancelled()) return best;
        Candidate other{values_, slider.name, value};
        other.values[slider.name] = value;
        const auto then = trials_.run(other.values);
        if (!then) continue;  // no launch: too large a block
        same_before = judge(other, *then, now_us, best, same);
      }
    }
    return best;
  }

  void over_paddings(double now_us, std::optional<WhatIf>& best, std::vector<Candidate>& same) const {
    if (!run_.program || run_.program->is_ptx || !has_conflicts(run_.report)) return;
    const std::string& text = run_.program->text;
    for (Padding& padding : paddings(text, run_.program->defines, function_of(run_))) {
      if (late(0.7) || trials_.cancelled()) return;
      Candidate other{values_, {}, 0, padding, with_padding(text, run_.program->defines, padding)};
      if (!other.text) continue;
      const auto then = trials_.run(other.values, other.text);
      if (then) judge(other, *then, now_us, best, same);
    }
  }

  // Whether it computes the same.
  bool judge(Candidate& other, const Run& then, double now_us, std::optional<WhatIf>& best,
             std::vector<Candidate>& same) const {
    if (!computes_the_same(run_.report, then.report)) return false;
    const double us = trials_.us(then);
    if (us > 0 && us <= kLeastGain * now_us) {
      WhatIf found{other.slider, other.value, now_us, us, {}, 0, 0, false, other.padding};
      explain(run_.report, then.report, kernel_.about, found);
      keep_better(std::move(found), best);
    }
    same.push_back(std::move(other));
    return true;
  }

  // What is worth something beside the launch itself shows at the size that a clock needs.
  std::optional<WhatIf> at_clock(const std::vector<Candidate>& same) const {
    const SliderValues there = measured_values(kernel_, values_);
    if (there == values_ || same.empty()) return std::nullopt;
    const auto now = trials_.part(there, options_.part);
    if (!now || !ended(*now)) return std::nullopt;
    const double now_us = trials_.us(*now);
    std::optional<WhatIf> best;
    for (const Candidate& c : same) {
      if (late(1) || trials_.cancelled()) break;
      // A slider that the clock sets anyway says nothing there.
      SliderValues values = there;
      if (!c.slider.empty()) {
        if (kernel_.measure.contains(c.slider)) continue;
        values[c.slider] = c.value;
      }
      const auto then = trials_.part(values, options_.part, c.text, now.get());
      if (!then || !ended(*then)) continue;
      const double us = trials_.us(*then);
      if (!(us > 0) || us > kLeastGain * now_us) continue;
      WhatIf found{c.slider, c.value, now_us, us, {}, 0, 0, false, c.padding, there};
      explain(now->report, then->report, kernel_.about, found);
      keep_better(std::move(found), best);
    }
    return best;
  }

  // Of two that a model cannot tell apart, the one that moves less.
  static void keep_better(WhatIf found, std::optional<WhatIf>& best) {
    constexpr double kAlike = 0.95;
    const bool alike =
        best && found.then_us > kAlike * best->then_us && best->then_us > kAlike * found.then_us;
    const bool better = !best                                     ? true
                        : alike && found.counted == best->counted ? found.then_count < best->then_count
                                                                  : found.then_us < best->then_us;
    if (better) best = std::move(found);
  }

  static bool ended(const Run& run) {
    return run.report.ending == analysis::Ending::Completed && run.report.faults_total == 0;
  }

  const GalleryKernel& kernel_;
  const Run& run_;
  const SliderValues& values_;
  const WhatIfOptions& options_;
  const Trials& trials_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace

std::optional<WhatIf> what_if(const GalleryKernel& kernel, const Run& run, const SliderValues& values,
                              const analysis::Device& device, const analysis::ComputeCapability& capability,
                              const LoadProgram& load, const WhatIfOptions& options, Progress* progress) {
  const analysis::Report& now = run.report;
  if (!kernel.kind.empty() || now.ending != analysis::Ending::Completed || now.faults_total > 0 ||
      now.blocks_run != now.blocks_total || now.execution.thread_instructions > options.thread_instructions)
    return std::nullopt;
  const Trials trials(kernel, device, capability, load, progress);
  return Search(kernel, run, values, options, trials).run();
}

namespace {

std::string title_of_slider(const GalleryKernel& kernel, const std::string& slider,
                            const std::string& language) {
  const Slider* s = kernel.slider(slider);
  return s != nullptr ? title_of(*s, language) : slider;
}

std::string value_of_slider(const GalleryKernel& kernel, const std::string& slider, std::int64_t value,
                            const std::string& language) {
  const Slider* s = kernel.slider(slider);
  return s != nullptr ? value_name(*s, value, language) : fmt::format("{}", value);
}

}  // namespace

Message what_if_message(const WhatIf& found, const GalleryKernel& kernel, const std::string& language,
                        Wording wording) {
  std::vector<Message> counted;
  const auto count = [&](double n) { return value_of((found.estimated ? "≈ " : "") + count_text(n)); };
  if (!found.counted.empty())
    counted.push_back({"modelled.what_if.counted_" + found.counted,
                       {{"now", count(found.now_count)}, {"then", count(found.then_count)}}});
  std::vector<Message> there;
  if (found.at)
    for (const auto& [slider, value] : kernel.measure)
      there.push_back({"modelled.what_if.at",
                       {{"slider", value_of(title_of_slider(kernel, slider, language))},
                        {"value", value_of(value_of_slider(kernel, slider, value, language))}}});
  std::vector<std::pair<std::string, MessageValue>> values{
      {"at", MessageValue(there)},
      {"counted", MessageValue(counted)},
      {"then", value_of(microseconds_text(found.then_us))},
      {"now", value_of(microseconds_text(found.now_us))}};
  values.emplace_back("times", value_of(fmt::format("{:.2g}", found.now_us / found.then_us)));
  std::vector<Message> when;
  if (found.at) when.push_back({"modelled.what_if.when_larger", {}});
  values.emplace_back("when", std::move(when));
  const std::string suffix = wording == Wording::Short ? "_short" : "";
  if (found.padding) {
    values.emplace_back("becomes", value_of(found.padding->becomes));
    return {"modelled.what_if.padded" + suffix, std::move(values)};
  }
  values.emplace_back("slider", value_of(title_of_slider(kernel, found.slider, language)));
  values.emplace_back("value", value_of(value_of_slider(kernel, found.slider, found.value, language)));
  return {"modelled.what_if.line" + suffix, std::move(values)};
}

}  // namespace warplens::model
