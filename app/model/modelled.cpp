#include "app/model/modelled.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/model/heard.h"
#include "app/model/kept_launch.h"
#include "engine/analysis/caches.h"
#include "engine/simt/emulator.h"

namespace warplens::model {
namespace {

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

double buffer_bytes(const trace::Launch& launch) {
  double sum = 0;
  for (const trace::Argument& argument : launch.arguments)
    if (argument.is_buffer) sum += static_cast<double>(argument.bytes());
  return sum;
}

// What was modelled to the whole launch: loads by the counted loads, and so on. Data that several blocks
// share comes from DRAM once, so its bytes grow no further than all buffers where L2 holds them.
analysis::ModelledCaches whole_launch(const analysis::CacheReport& c, const analysis::Report& report) {
  const analysis::Totals& t = report.totals;
  const double blocks =
      ratio(static_cast<double>(report.blocks_total), static_cast<double>(report.blocks_run));
  const auto grown = [&](double counted, double modelled) {
    return modelled > 0 && c.blocks_modelled < report.blocks_run ? blocks * counted / modelled : blocks;
  };
  const double loads = grown(static_cast<double>(t.global_load.sectors + t.local_load.sectors),
                             static_cast<double>(c.l1.reads + c.local.reads));
  const double stores = grown(static_cast<double>(t.global_store.sectors + t.local_store.sectors),
                              static_cast<double>(c.l1.writes));
  const double atomics = grown(static_cast<double>(t.global_atomic.sectors + t.global_reduction.sectors),
                               static_cast<double>(c.l2_atomic_sectors));
  analysis::ModelledCaches out;
  if (c.l1.reads > 0) out.l1_hit_rate = c.l1.hit_rate();
  out.l2_read_sectors = loads * static_cast<double>(c.l2.reads);
  out.l2_read_sectors_most = loads * static_cast<double>(c.l2_reads_alone);
  out.l2_write_sectors = stores * static_cast<double>(c.l2.writes);
  // Registers that are saved around calls, and spills, are counted but not accessed by the PTX.
  const auto kept_aside = static_cast<std::int64_t>(t.global_store.sectors + t.local_store.sectors) -
                          static_cast<std::int64_t>(c.l1.writes);
  if (stores == blocks && kept_aside > 0) out.l2_write_sectors += blocks * static_cast<double>(kept_aside);
  out.l2_atomic_sectors = atomics * static_cast<double>(c.l2_atomic_sectors);
  out.dram_read_bytes = 32 * loads * static_cast<double>(c.dram_read_sectors);
  out.dram_write_bytes = 32 * stores * static_cast<double>(c.dram_write_sectors);
  out.blocks_modelled = c.blocks_modelled;
  out.warm = c.sizes.warm;
  const double buffers = buffer_bytes(report.launch);
  const bool grew = loads > 1 && t.local_load.sectors == 0;
  if (grew && buffers > 0 && buffers <= static_cast<double>(c.sizes.l2_bytes)) {
    out.dram_read_bytes = std::min(out.dram_read_bytes, buffers);
    out.dram_write_bytes = 0;
  }
  const double asked = out.l2_read_sectors + out.l2_write_sectors;
  out.l2_hit_rate = asked > 0 ? 1 - std::min(1.0, out.dram_read_bytes / 32 / asked) : 0;
  if (grew == false) out.l2_hit_rate = c.l2_hit_rate();
  return out;
}

analysis::LaunchFacts facts_of(const analysis::Report& report, const analysis::Occupancy& occupancy,
                               const analysis::CacheReport& caches, const analysis::Modelled& modelled) {
  const analysis::Totals& t = report.totals;
  const double blocks =
      ratio(static_cast<double>(report.blocks_total), static_cast<double>(report.blocks_run));
  analysis::LaunchFacts out;
  out.blocks = report.blocks_total;
  out.blocks_per_sm = occupancy.blocks_per_sm;
  out.instructions = blocks * (report.execution.machine_warp_instructions > 0
                                   ? report.execution.machine_warp_instructions
                                   : static_cast<double>(report.execution.warp_instructions));
  out.lsu_cycles =
      blocks *
      static_cast<double>(t.global_load.lines + t.global_store.lines + t.global_atomic.lines +
                          t.global_reduction.lines + t.local_load.lines + t.local_store.lines +
                          t.shared_load.wavefronts + t.shared_store.wavefronts + t.shared_atomic.wavefronts);
  if (modelled.caches) {
    const analysis::ModelledCaches& c = *modelled.caches;
    out.l2_bytes = 32 * (c.l2_read_sectors + c.l2_write_sectors + c.l2_atomic_sectors);
    out.dram_bytes = c.dram_read_bytes + c.dram_write_bytes;
    out.atomic_sectors = c.l2_atomic_sectors;
    out.hottest_address = caches.l2_atomic_sectors == 0
                              ? 0
                              : static_cast<double>(caches.hottest_line) * c.l2_atomic_sectors /
                                    static_cast<double>(caches.l2_atomic_sectors);
  }
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
  auto code = std::make_shared<analysis::SmCode>(
      analysis::sm_code(*run.program->module, **entry, sample, caches, device));
  if (!code->blocks.empty()) out.code = std::move(code);
}

void add_time(const Run& run, const analysis::Occupancy& occupancy, const analysis::CacheReport& caches,
              const analysis::Device& device, const analysis::ModelConstants& constants, std::size_t record,
              const Progress* progress, analysis::Modelled& out) {
  if (!out.code) return;
  analysis::LaunchFacts facts = facts_of(run.report, occupancy, caches, out);
  if (!out.code->cut)  // else the count, which knows less of what ptxas unrolled
    facts.instructions = static_cast<double>(facts.blocks) * out.code->issued_a_block();
  out.sm = analysis::sm_setup(facts, device, constants);
  out.time = analysis::time_model(*out.code, facts, device, constants, record);
  if (record == 0 || (progress != nullptr && progress->cancelled())) return;
  out.time->without = analysis::without_each(*out.time, *out.code, facts, device, constants);
  analysis::SmSetup alone = out.sm;
  alone.hide_latency = false;
  out.utilisation_unhidden = analysis::simulate_sm(*out.code, alone).utilisation();
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
  const analysis::CacheReport caches =
      told ? analysis::model_caches(told->accesses, report.sites.size(), sizes, progress)
           : analysis::model_caches(run.trace, sizes, progress);
  if (!caches.textures && caches.blocks_modelled > 0) out->caches = whole_launch(caches, report);
  if (told && options.time) add_code(run, told->sample, caches, device, *out);
  // Instructions and parameters come from DRAM as well.
  if (out->caches && !options.warm) {
    out->caches->dram_code_bytes = constants->code_bytes + (out->code ? out->code->machine_bytes : 0);
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
