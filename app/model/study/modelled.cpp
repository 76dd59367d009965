#include "app/model/study/modelled.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/model/run/heard.h"
#include "app/model/run/kept_launch.h"
#include "app/model/study/level_traffic.h"
#include "engine/analysis/sm_accesses.h"
#include "engine/analysis/whole_launch.h"
#include "engine/simt/emulator.h"

namespace warplens::model {
namespace {

analysis::CountedLaunch counted(const analysis::Report& report, const analysis::Occupancy& occupancy) {
  const auto& e = report.execution;
  analysis::CountedLaunch out{report.totals};
  out.warp_instructions =
      e.of_machine() ? e.machine_warp_instructions : static_cast<double>(e.warp_instructions);
  out.ptx_instructions = static_cast<double>(e.warp_instructions);
  out.blocks_run = report.blocks_run;
  out.blocks_total = report.blocks_total;
  out.blocks_per_sm = occupancy.blocks_per_sm;
  out.buffer_bytes = buffer_bytes(report.launch);
  out.by_block = e.by_block;
  return out;
}

// Blocks that are run for the models: all, or the first ones where the launch is long. Blocks that wait for
// each other end only together, so of a cluster or a grid that synchronises all are run.
std::vector<std::uint64_t> blocks_to_run(const analysis::Report& report, std::uint64_t budget) {
  const std::uint64_t each =
      report.execution.thread_instructions / std::max<std::uint64_t>(1, report.blocks_run);
  // No more than were counted: of a grid that no memory holds a list, the count has a sample as well.
  const std::uint64_t wanted = std::clamp<std::uint64_t>(budget / std::max<std::uint64_t>(1, each), 1,
                                                         std::max<std::uint64_t>(1, report.blocks_run));
  std::vector<std::uint64_t> out;
  if (wanted >= report.blocks_total || report.cluster.volume() > 1) return out;
  for (std::uint64_t block = 0; block < wanted; ++block) out.push_back(block);
  return out;
}

// What was heard while the launch ran; else it is run once more for it.
std::shared_ptr<const Heard> heard(const Run& run, const ModelOptions& options, Progress* progress) {
  if (run.heard) return run.heard;
  const analysis::Report& report = run.report;
  if (!run.program || !run.program->module || report.ending != analysis::Ending::Completed) return nullptr;
  const auto kernel = run.program->kernel(report.launch.kernel);
  if (!kernel) return nullptr;
  simt::Options how;
  how.checks = simt::Checks::None;
  how.keep_buffers = false;
  how.only_blocks = blocks_to_run(report, options.thread_instructions);
  how.progress = progress;
  how.budget = 4 * std::max(options.thread_instructions, report.execution.thread_instructions);
  ModelListeners ears(report.sites, how.only_blocks, report.blocks_total, options.words);
  std::vector<trace::Listener*> listeners;
  ears.add_to(listeners);
  const auto outcome = emulate(*run.program, *kernel, report.launch, how, listeners);
  return outcome ? ears.take(*outcome, report) : nullptr;
}

void add_code(const Run& run, const trace::Trace& sample, const analysis::CacheReport& caches,
              const analysis::Device& device, analysis::Modelled& out) {
  const auto entry = run.program->module->find_entry(run.report.launch.kernel);
  if (!entry || sample.size() == 0) return;
  auto code = std::make_shared<analysis::SmCode>(analysis::sm_code(
      *run.program->module, **entry, sample, caches, device, run.report.execution.by_block.get()));
  if (!code->blocks.empty()) out.code = std::move(code);
}

void add_time(const Run& run, const analysis::Occupancy& occupancy, const analysis::CacheReport& caches,
              const analysis::Device& device, const analysis::ModelConstants& constants, std::size_t record,
              const Progress* progress, analysis::Modelled& out) {
  if (!out.code) return;
  analysis::LaunchFacts facts = analysis::launch_facts(counted(run.report, occupancy), caches, out.caches);
  facts.storing = out.code->share_that_stores();
  if (!out.code->cut) {  // else the count, which knows less of what ptxas unrolled
    const double blocks = static_cast<double>(facts.blocks) / analysis::over_average(*out.code, facts);
    facts.instructions = blocks * out.code->slots_a_block();
    out.machine_instructions = blocks * out.code->instructions_a_block();
  }
  out.sm = analysis::profiled_sm(facts, device, constants);
  out.time = analysis::time_model(*out.code, facts, device, constants, record);
  if (record == 0 || (progress != nullptr && progress->cancelled())) return;
  out.time->without = analysis::without_each(*out.time, *out.code, facts, device, constants);
  analysis::SmSetup alone = out.sm;
  alone.hide_latency = false;
  out.utilisation_unhidden = analysis::simulate_sm(*out.code, alone).utilisation();
}

bool compares_and_swaps(const trace::Trace& sample) {
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto& step = sample.steps()[i];
    if (step.kind == trace::StepKind::Access && step.site < sample.sites.size() &&
        sample.sites[step.site].kind == trace::SiteKind::CompareAndSwap)
      return true;
  }
  return false;
}

// On any device: `occupancy` is how the launch fits its SMs.
std::shared_ptr<analysis::Modelled> model_on(const Run& run, const std::shared_ptr<const Heard>& told,
                                             const analysis::Device& device,
                                             const analysis::ComputeCapability& capability,
                                             const analysis::Occupancy& occupancy,
                                             const ModelOptions& options, Progress* progress) {
  const analysis::Report& report = run.report;
  const auto constants = analysis::ModelConstants::load(device.cc);
  if (!constants) return nullptr;
  auto out = std::make_shared<analysis::Modelled>();
  out->device = device.name;
  out->constants_measured = constants->measured;
  out->constants_of = constants->capability;
  analysis::CacheSizes sizes = analysis::cache_sizes(device, capability, occupancy, *constants);
  sizes.warm = options.warm;
  const analysis::CountedLaunch launch = counted(report, occupancy);
  if (told && !told->accesses.whole()) sizes.launch_bytes = launch.buffer_bytes;
  sizes.instructions_a_block = launch.instructions_a_block();
  std::vector<std::uint64_t> wanted;
  if (told && options.time) wanted = analysis::blocks_to_ask(told->accesses, told->sample.blocks());
  const analysis::CacheReport caches =
      told ? analysis::model_caches(told->accesses, report.sites.size(), sizes, progress, wanted)
           : analysis::model_caches(run.trace, sizes, progress);
  if (!caches.textures && caches.blocks_modelled > 0) out->caches = analysis::whole_launch(caches, launch);
  if (told && options.time) add_code(run, told->sample, caches, device, *out);
  out->contended = told && compares_and_swaps(told->sample);
  // Instructions and parameters come from DRAM as well.
  if (out->caches && !options.warm) {
    out->caches->dram_code_bytes = constants->code_bytes + (out->code ? out->code->fetched_bytes : 0);
    out->caches->dram_read_bytes += out->caches->dram_code_bytes;
  }
  add_time(run, occupancy, caches, device, *constants, options.record, progress, *out);
  if (options.record > 0 && out->time && !options.warm && (progress == nullptr || !progress->cancelled())) {
    ModelOptions again = options;
    again.warm = true;
    again.record = 0;
    const auto warm = model_on(run, told, device, capability, occupancy, again, progress);
    if (warm && warm->time) out->warm_us = warm->time->us;
  }
  return out;
}

}  // namespace

std::shared_ptr<const analysis::Modelled> model_run(const Run& run, const analysis::Device& device,
                                                    const analysis::ComputeCapability& capability,
                                                    const ModelOptions& options, Progress* progress) {
  if (run.report.blocks_run == 0) return nullptr;
  return model_on(run, heard(run, options, progress), device, capability, run.report.occupancy, options,
                  progress);
}

std::shared_ptr<const analysis::Modelled> with_shelf(
    const Run& run, const std::shared_ptr<const analysis::Modelled>& modelled, Progress* progress) {
  const auto catalogue = analysis::DeviceCatalogue::load();
  if (!catalogue || !modelled || !modelled->time || run.report.blocks_run == 0) return nullptr;
  const std::shared_ptr<const Heard> told = heard(run, {}, progress);
  auto out = std::make_shared<analysis::Modelled>(*modelled);
  out->shelf.clear();
  for (const analysis::Device& device : catalogue->devices()) {
    const auto capability = catalogue->capability(device.cc);
    if (!capability) continue;
    // The registers are those of the code at hand: another architecture's compiler may take others.
    analysis::KernelResources kernel;
    kernel.threads_per_block = static_cast<int>(run.report.launch.block.volume());
    kernel.registers_per_thread = run.report.registers_per_thread;
    kernel.dynamic_shared = run.report.launch.dynamic_shared_bytes;
    kernel.static_shared =
        static_cast<std::int64_t>(run.report.shared_bytes) - static_cast<std::int64_t>(kernel.dynamic_shared);
    kernel.barriers = run.report.barriers_per_block;
    const analysis::Occupancy occupancy = analysis::occupancy(**capability, kernel);
    analysis::ShelfEntry entry;
    entry.device = device.name;
    entry.blocks_per_sm = occupancy.blocks_per_sm;
    if (occupancy.blocks_per_sm > 0) {  // else the launch would be refused there
      const auto m = model_on(run, told, device, **capability, occupancy, {}, progress);
      if (progress != nullptr && progress->cancelled()) return nullptr;
      if (!m || !m->time) continue;
      entry.constants_measured = m->constants_measured;
      entry.us = m->time->us;
      entry.rules = m->time->rules;
      entry.part_us = m->time->part(m->time->rules);
      entry.waves = m->time->waves;
    }
    out->shelf.push_back(std::move(entry));
  }
  return out;
}

}  // namespace warplens::model
