#include "app/model/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "app/model/modelled.h"
#include "app/model/slider_values.h"
#include "engine/base/time_text.h"

namespace warplens::model {
namespace {

constexpr double kLeastGain = 0.9;  // of the time now
constexpr std::size_t kModelWords = std::size_t{1} << 18;
// Sums in another order round differently.
constexpr double kRounding = 1e-5;

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
        !close(a.buffers[i].checksum, b.buffers[i].checksum, kRounding))
      return false;
  const double flop = a.flop ? a.flop->total() : 0, other = b.flop ? b.flop->total() : 0;
  return flop > 0 ? close(flop, other, 0.02) : close(bytes_asked(a.totals), bytes_asked(b.totals), 0.02);
}

struct Count {
  const char* name;
  double value;
};

std::array<Count, 3> counts_of(const analysis::Report& r) {
  const analysis::Totals& t = r.totals;
  const auto rate = [](std::uint64_t of, std::uint64_t requests) {
    return requests > 0 ? static_cast<double>(of) / static_cast<double>(requests) : 0;
  };
  return {{{"passes", rate(t.shared_load.wavefronts + t.shared_store.wavefronts + t.shared_atomic.wavefronts,
                           t.shared_load.requests + t.shared_store.requests + t.shared_atomic.requests)},
           {"sectors", rate(t.global_load.sectors + t.global_store.sectors,
                            t.global_load.requests + t.global_store.requests)},
           {"instructions", static_cast<double>(r.execution.warp_instructions)}}};
}

// The count that fell most, by a tenth at least.
void explain(const analysis::Report& now, const analysis::Report& then, WhatIf& out) {
  double least = kLeastGain;
  const auto before = counts_of(now), after = counts_of(then);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!(before[i].value > 0) || after[i].value / before[i].value >= least) continue;
    least = after[i].value / before[i].value;
    out.counted = before[i].name;
    out.now_count = before[i].value;
    out.then_count = after[i].value;
  }
}

std::string count_text(double n) {
  return n >= 100 ? fmt::format("{:.0f}", n) : fmt::format("{:.3g}", n);
}

class Search {
 public:
  Search(const GalleryKernel& kernel, const SliderValues& values, const analysis::Device& device,
         const analysis::ComputeCapability& capability, const LoadProgram& load, Progress* progress)
      : kernel_(kernel),
        values_(values),
        device_(device),
        capability_(capability),
        load_(load),
        progress_(progress) {}

  std::shared_ptr<const Run> run_at(const SliderValues& values) const {
    const auto bound = launch_of(kernel_, values);
    if (!bound) return nullptr;
    const auto program = load_(program_request(kernel_, *bound), progress_);
    if (!program) return nullptr;
    RunRequest request;
    request.program = *program;
    request.launch = bound->launch;
    request.device = device_.name;
    request.recorder.blocks = 0;
    request.options.checks = simt::Checks::Memory;
    request.options.block_seconds = 1;
    request.model_words = kModelWords;
    const auto run = execute(request, progress_);
    return run ? *run : nullptr;
  }

  // µs, 0 where nothing can be said.
  double time_of(const Run& run) const {
    const auto m = model_run(run, device_, capability_, {}, progress_);
    return m && m->time ? m->time->us : 0;
  }

  bool cancelled() const { return progress_ != nullptr && progress_->cancelled(); }

 private:
  const GalleryKernel& kernel_;
  const SliderValues& values_;
  const analysis::Device& device_;
  const analysis::ComputeCapability& capability_;
  const LoadProgram& load_;
  Progress* progress_;
};

}  // namespace

std::optional<WhatIf> what_if(const GalleryKernel& kernel, const Run& run, const SliderValues& values,
                              const analysis::Device& device, const analysis::ComputeCapability& capability,
                              const LoadProgram& load, const WhatIfOptions& options, Progress* progress) {
  const analysis::Report& now = run.report;
  if (!kernel.kind.empty() || now.ending != analysis::Ending::Completed || now.faults_total > 0 ||
      now.blocks_run != now.blocks_total || now.execution.thread_instructions > options.thread_instructions)
    return std::nullopt;
  const auto begun = std::chrono::steady_clock::now();
  const auto late = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() > options.seconds;
  };
  const Search search(kernel, values, device, capability, load, progress);
  const double now_us = search.time_of(run);
  if (!(now_us > 0)) return std::nullopt;
  std::optional<WhatIf> best;
  for (const Slider& slider : kernel.sliders) {
    const auto at = values.find(slider.name);
    if (at == values.end()) continue;
    bool same_before = true;
    for (const std::int64_t value :
         slider_steps(slider, options.values_a_slider, Steps::Notable, at->second)) {
      // What changes the result at one value does so at the others.
      if (value == at->second || !same_before) continue;
      if (late()) return best;
      SliderValues other = values;
      other[slider.name] = value;
      const auto then = search.run_at(other);
      if (search.cancelled()) return std::nullopt;
      if (!then) continue;  // no launch: too large a block
      same_before = computes_the_same(now, then->report);
      if (!same_before) continue;
      const double us = search.time_of(*then);
      if (!(us > 0) || us > kLeastGain * now_us || (best && us >= best->then_us)) continue;
      best = WhatIf{slider.name, value, now_us, us, {}, 0, 0};
      explain(now, then->report, *best);
    }
  }
  return best;
}

Message what_if_message(const WhatIf& found, const GalleryKernel& kernel, const std::string& language) {
  std::string title = found.slider, value = fmt::format("{}", found.value);
  for (const Slider& s : kernel.sliders) {
    if (s.name != found.slider) continue;
    const auto own = s.title.find(language), english = s.title.find("en");
    title = own != s.title.end() ? own->second : english != s.title.end() ? english->second : s.name;
    value = value_name(s, found.value, language);
  }
  std::vector<Message> counted;
  if (!found.counted.empty())
    counted.push_back(
        {"modelled.what_if.counted_" + found.counted,
         {{"now", value_of(count_text(found.now_count))}, {"then", value_of(count_text(found.then_count))}}});
  return {"modelled.what_if.line",
          {{"slider", value_of(title)},
           {"value", value_of(value)},
           {"counted", MessageValue(counted)},
           {"then", value_of(microseconds_text(found.then_us))},
           {"now", value_of(microseconds_text(found.now_us))}}};
}

}  // namespace warplens::model
