#include "app/model/study/occupancy_lab.h"

#include <algorithm>
#include <cctype>

#include "app/model/gallery/slider_values.h"
#include "app/model/recording/measured_on.h"
#include "app/model/run/resources.h"
#include "app/model/study/relatives.h"
#include "engine/analysis/occupancy.h"
#include "engine/base/message.h"
#include "engine/base/text.h"
#include "engine/source/register_bounds.h"
#include "engine/source/toolchain.h"

namespace warplens::model {
namespace {

constexpr std::size_t kMostSizes = 9;
// Of our time: each block size is run by so many thread instructions.
constexpr std::uint64_t kEach = std::uint64_t{1} << 24;
// ptxas is asked for no more bounds than these of each kind.
constexpr std::size_t kMostBounds = 10;

bool names(const std::string& expression, const std::string& slider) {
  for (std::size_t at = expression.find(slider); at != std::string::npos;
       at = expression.find(slider, at + 1)) {
    const std::size_t end = at + slider.size();
    if ((at == 0 || !is_name_character(expression[at - 1])) &&
        (end == expression.size() || !is_name_character(expression[end])))
      return true;
  }
  return false;
}

std::uint64_t threads_at(const GalleryKernel& kernel, const SliderValues& values) {
  const auto bound = launch_of(kernel, values);
  return bound ? bound->launch.block.volume() : 0;
}

// The most registers a thread may have for so many blocks to fit, each of them once, the largest first; only
// those that are fewer than it takes by itself.
struct Step {
  int blocks = 0, registers = 0;
};
std::vector<Step> steps_below(int registers, const Dim3& block,
                              const analysis::ComputeCapability& capability) {
  analysis::KernelResources kernel;
  kernel.threads_per_block = static_cast<int>(std::min<std::uint64_t>(block.volume(), 1u << 20));
  std::vector<Step> out;
  int least = 0;
  for (int n = registers; n >= 16; --n) {
    kernel.registers_per_thread = n;
    const analysis::Occupancy then = analysis::occupancy(capability, kernel);
    if (then.blocks_per_sm > least && n < registers) out.push_back({then.blocks_per_sm, n});
    least = std::max(least, then.blocks_per_sm);
  }
  if (out.size() > kMostBounds) out.resize(kMostBounds);
  return out;
}

class Bounds {
 public:
  Bounds(const Program& program, const ptx::Function& entry, const analysis::ComputeCapability& capability,
         Progress* progress)
      : program_(program), entry_(entry), capability_(capability), progress_(progress) {}

  Result<std::vector<visual::CompiledBound>> run(const Dim3& block) {
    using Kind = visual::CompiledBound::Kind;
    const std::string& ptx = program_.ptx.text;
    if (auto asked = ask(Kind::AsWritten, 0, ptx, 0); !asked) return asked.error();
    // What it would take if nothing were said of it.
    const std::string free = source::with_launch_bounds(ptx, entry_.name, 0, 0);
    const auto unbound = registers_under(free, 0);
    if (!unbound) return unbound.error();
    const int threads = static_cast<int>(block.volume());
    for (const Step& step : steps_below(unbound->registers, block, capability_)) {
      if (auto asked = ask(Kind::LaunchBounds, step.blocks,
                           source::with_launch_bounds(ptx, entry_.name, threads, step.blocks), 0);
          !asked)
        return asked.error();
      if (auto asked = ask(Kind::MostRegisters, step.registers, free, step.registers); !asked)
        return asked.error();
    }
    return std::move(out_);
  }

 private:
  Result<source::PtxasInfo> registers_under(const std::string& ptx, int most) const {
    auto found = source::assemble_under(ptx, program_.arch, most, program_.limits, progress_);
    if (!found) return found.error();
    for (const source::PtxasInfo& info : *found)
      if (info.kernel == entry_.name) return info;
    return told(ErrorKind::System, {"compile.ptxas_silent", {{"kernel", value_of(entry_.name)}}});
  }

  Status ask(visual::CompiledBound::Kind kind, int bound, const std::string& ptx, int most) {
    const auto info = registers_under(ptx, most);
    if (!info) return info.error();
    out_.push_back({kind, bound, given_registers(*program_.module, entry_, info->registers),
                    info->spill_stores, info->spill_loads});
    return Done{};
  }

  const Program& program_;
  const ptx::Function& entry_;
  const analysis::ComputeCapability& capability_;
  Progress* progress_;
  std::vector<visual::CompiledBound> out_;
};

}  // namespace

std::string block_slider(const GalleryKernel& kernel, const SliderValues& values) {
  const std::uint64_t now = threads_at(kernel, values);
  for (const Slider& slider : kernel.sliders) {
    const bool stands = std::ranges::any_of(
        kernel.block, [&](const std::string& expression) { return names(expression, slider.name); });
    if (!stands || !values.contains(slider.name)) continue;
    SliderValues other = values;
    for (const std::int64_t value : slider_steps(slider, 3)) {
      other[slider.name] = value;
      const std::uint64_t then = threads_at(kernel, other);
      if (then != 0 && then != now) return slider.name;
    }
  }
  return {};
}

std::vector<visual::BlockSizeTime> by_threads(const GalleryKernel& kernel, const SliderValues& values,
                                              const std::string& slider,
                                              const std::vector<std::pair<std::int64_t, double>>& us) {
  std::vector<visual::BlockSizeTime> out;
  for (const auto& [value, time] : us) {
    SliderValues other = values;
    other[slider] = value;
    const std::uint64_t threads = threads_at(kernel, other);
    if (threads > 0 && time > 0) out.push_back({static_cast<int>(threads), time});
  }
  std::ranges::sort(out, {}, &visual::BlockSizeTime::threads);
  return out;
}

Result<std::vector<visual::CompiledBound>> register_bounds(const Program& program, const std::string& kernel,
                                                           const Dim3& block,
                                                           const analysis::ComputeCapability& capability,
                                                           Progress* progress) {
  const auto entry = program.module->find_entry(kernel);
  if (!entry) return entry.error();
  return Bounds(program, **entry, capability, progress).run(block);
}

OccupancyTrials occupancy_trials(const GalleryKernel& kernel, const Run& run, const SliderValues& values,
                                 const analysis::Device& device,
                                 const analysis::ComputeCapability& capability, const LoadProgram& load,
                                 Progress* progress) {
  OccupancyTrials out;
  const auto cancelled = [&] { return progress != nullptr && progress->cancelled(); };
  if (run.program && run.program->module) {
    auto compiled = register_bounds(*run.program, run.report.launch.kernel, run.report.launch.block,
                                    capability, progress);
    if (cancelled()) return out;
    if (compiled)
      out.compiled = std::move(*compiled);
    else if (source::find_toolchain(source::SearchPlaces::from_environment()).ptxas.path.empty())
      out.no_compiler = {"view.occupancy.no_ptxas", {}};
    else
      out.no_compiler = {"view.occupancy.ptxas_failed", {{"message", value_of(compiled.error())}}};
  }
  if (!kernel.kind.empty()) return out;
  out.slider = block_slider(kernel, values);
  const Slider* const slider = kernel.slider(out.slider);
  if (slider == nullptr) return out;
  out.at = measured_values(kernel, values, {out.slider});
  const Trials trials(kernel, device, capability, load, progress);
  std::vector<std::pair<std::int64_t, double>> us;
  for (const std::int64_t value : slider_steps(*slider, kMostSizes, Steps::Notable, values.at(out.slider))) {
    SliderValues other = out.at;
    other[out.slider] = value;
    const auto tried = trials.part(other, kEach);
    if (cancelled()) return {};
    if (tried && tried->report.ending == analysis::Ending::Completed && tried->report.faults_total == 0)
      us.emplace_back(value, trials.us(*tried));
  }
  out.modelled = by_threads(kernel, out.at, out.slider, us);
  return out;
}

visual::OccupancyLab lab_of(const OccupancyTrials& trials, const GalleryKernel& kernel,
                            const SliderValues& values, const Recording* recording, std::string_view text,
                            const Catalogue& catalogue) {
  visual::OccupancyLab out;
  out.compiled = trials.compiled;
  if (!trials.no_compiler.key.empty()) out.no_compiler = catalogue.text(trials.no_compiler);
  if (trials.slider.empty()) return out;
  const std::string where = where_else(kernel, values, trials.at, trials.slider, catalogue.language());
  if (trials.modelled.size() > 1) out.modelled = visual::BlockSizeTimes{trials.modelled, where, {}};
  if (recording == nullptr) return out;
  const auto series =
      recording->sweep(kernel, source_hash(kernel, text), trials.slider, trials.at, kernel.measure_flushed);
  if (!series) return out;
  std::vector<std::pair<std::int64_t, double>> us;
  for (const visual::SweepPoint& p : series->points)
    us.emplace_back(static_cast<std::int64_t>(p.x), p.y * 1e3);
  visual::BlockSizeTimes measured{by_threads(kernel, trials.at, trials.slider, us),
                                  catalogue.text(recording->evidence(kernel.id)),
                                  measured_on(recording->device)};
  if (!where.empty()) measured.note += " · " + where;
  if (measured.times.size() > 1) out.measured = std::move(measured);
  return out;
}

}  // namespace warplens::model
