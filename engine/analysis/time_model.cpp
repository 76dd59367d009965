#include "engine/analysis/time_model.h"

#include <algorithm>
#include <cmath>

#include "engine/analysis/uneven_blocks.h"

namespace warplens::analysis {
namespace {

constexpr double kBytesASector = 32;
constexpr int kSchedulers = 4;

double clock_mhz(const Device& device) {
  return std::max(1.0, device.boost_mhz);  // cycles a microsecond
}

// Bytes a cycle of all SMs together. Of an L2 that nobody measured: what the SMs can take of one that was.
double l2_bytes_a_cycle(const Device& device, const ModelConstants& constants) {
  const double published = device.l2_gbps > 0 ? device.l2_gbps * 1e3 / clock_mhz(device) : 38.0 * device.sms;
  return published * constants.l2_share;
}

// Of changed lines that leave L2 for what is read: a launch behind a flush finds L2 full of them. As many as
// the launch changes itself stay there in their place when it ends, and these are counted as they are stored.
double dirty_bytes(const LaunchFacts& facts, const Device& device, const ModelConstants& constants) {
  if (facts.warm) return 0;
  return std::min(constants.dirty_share * facts.dram_read_bytes,
                  std::max(0.0, constants.dirty_l2 * device.l2_mb * 1048576.0 - facts.dram_changed_bytes));
}

// Busy cycles of the unit that is wanted most, of one block: a scheduler's arithmetic, or the SM's constants.
double unit_cycles(const SmCode& code) {
  if (code.blocks.empty()) return 0;
  std::array<double, 16> busy{};
  double constants = 0;
  for (std::size_t b = 0; b < code.blocks.size(); ++b)
    for (const auto& warp : code.blocks[b])
      for (const SmStep& step : warp) {
        const SmInstruction& i = code.instructions[step.instruction];
        const double taken = code.share_of(b) * (i.aside && step.access < code.accesses.size()
                                                     ? code.accesses[step.access].cycles
                                                     : static_cast<double>(i.busy));
        if (i.aside)
          constants += taken;
        else if (i.unit == SmUnit::Fp64 || i.unit == SmUnit::Special || i.unit == SmUnit::Tensor ||
                 i.unit == SmUnit::Alu || i.unit == SmUnit::Fma || i.unit == SmUnit::FmaHeavy)
          busy[static_cast<std::size_t>(i.unit)] += taken;
      }
  double &either = busy[static_cast<std::size_t>(SmUnit::Fma)],
         heavy = busy[static_cast<std::size_t>(SmUnit::FmaHeavy)];
  either = (either + heavy) / 2;
  return std::max(constants, *std::ranges::max_element(busy) / kSchedulers);
}

// The same of L1's data array, which serves what goes to memory and to shared memory, of one block and the
// SM.
double lsu_cycles(const SmCode& code) {
  double busy = 0;
  for (std::size_t b = 0; b < code.blocks.size(); ++b)
    for (const auto& warp : code.blocks[b])
      for (const SmStep& step : warp) {
        const SmInstruction& i = code.instructions[step.instruction];
        if ((i.unit != SmUnit::Global && i.unit != SmUnit::Shared) || i.aside) continue;
        const bool plain = i.unit == SmUnit::Shared && step.access != SmStep::kPredicatedOff;
        busy += code.share_of(b) * (step.access < code.accesses.size() ? code.accesses[step.access].cycles
                                    : plain                            ? static_cast<double>(i.busy)
                                                                       : 1);
      }
  return busy;
}

// A block of the code, and nothing else.
SmCode one_block(const SmCode& code, std::size_t block) {
  SmCode one;
  one.instructions = code.instructions;
  one.registers = code.registers;
  one.register_count = code.register_count;
  one.accesses = code.accesses;
  one.line_count = code.line_count;
  one.other_lines = code.other_lines;
  one.table_lines = code.table_lines;
  one.machine_bytes = code.machine_bytes;
  one.blocks = {code.blocks[block]};
  return one;
}

double cycles_of(const SmRun& run) {
  return static_cast<double>(run.settled) / run.done;
}

// How much of its blocks the code has: of warps that execute a great deal only the beginning is kept, and
// stands for the rest. `walked`: instructions of the blocks in question.
double share_kept(const SmCode& code, const LaunchFacts& facts, double walked) {
  return code.cut && walked > 0 && facts.ptx_a_block > walked ? walked / facts.ptx_a_block : 1;
}
double share_kept(const SmCode& code, const LaunchFacts& facts) {
  return share_kept(code, facts, code.walked_a_block);
}

// On the average of the blocks that an SM runs which is given so many.
double walked_by_sm(const SmCode& code, std::uint64_t blocks) {
  const std::size_t apart = code.first_alone ? 1 : 0, others = code.blocks.size() - apart;
  if (code.walked.size() != code.blocks.size() || (blocks >= others && code.order.empty()))
    return code.walked_a_block;
  double sum = 0;
  for (std::uint64_t b = 0; b < blocks; ++b) sum += code.walked[code.stands_for(b, blocks)];
  return sum / static_cast<double>(std::max<std::uint64_t>(1, blocks));
}

double times_average(const SmCode& code, const LaunchFacts& facts, double walked) {
  constexpr double kMost = 20;  // beyond that something else is wrong
  if (walked <= 0 || facts.ptx_a_block <= 0) return 1;
  const double over = walked / facts.ptx_a_block;
  return std::clamp(over, code.cut ? 1 : 1 / kMost, kMost);
}

SmRun run_of(const SmCode& code, const SmSetup& setup, double share) {
  SmRun run = simulate_sm(code, setup);
  run.done *= share;
  run.finished = run.finished && share == 1;
  return run;
}

// One warp alone, with memory that is never busy: what it waits for is latency.
double lonely_cycles(const SmCode& code, SmSetup setup, double share) {
  SmCode one = one_block(code, 0);
  auto& warps = one.blocks.front();
  const auto longest = std::ranges::max_element(warps, {}, [](const auto& warp) { return warp.size(); });
  if (longest == warps.end()) return 0;
  warps = {std::vector<SmStep>(*longest)};
  setup.blocks = 1;
  setup.resident_blocks = 1;
  setup.l2_sectors_a_cycle = setup.dram_sectors_a_cycle = 1e6;
  setup.stored_a_cycle = 0;
  setup.atomic_turn = 0;
  setup.record = 0;
  return cycles_of(run_of(one, setup, share));
}

// With so many blocks, all of them at once.
SmSetup of_blocks(SmSetup setup, int blocks) {
  setup.blocks = static_cast<std::uint64_t>(blocks);
  setup.resident_blocks = blocks;
  setup.record = 0;
  return setup;
}

// Cycles of a block alone: of each instruction, and besides, told in instructions. The stored blocks say how
// much of their time goes with what they execute.
struct BlockCost {
  double each = 0, besides = 0;
  double longest = 0;  // of the stored block that takes longest
};
BlockCost cost_of_block(const SmCode& code, const SmSetup& setup) {
  const SmSetup alone = of_blocks(setup, 1);
  double n = 0, w = 0, t = 0, ww = 0, wt = 0, longest = 0;
  SmCode one = one_block(code, 0);
  for (std::size_t b = 0; b < code.blocks.size() && b < code.walked.size(); ++b) {
    one.blocks.front() = code.blocks[b];
    const double walked = code.walked[b], cycles = cycles_of(simulate_sm(one, alone));
    longest = std::max(longest, cycles);
    n += 1, w += walked, t += cycles, ww += walked * walked, wt += walked * cycles;
  }
  const double spread = n * ww - w * w;
  if (n == 0 || w == 0) return {};
  constexpr double kAlike = 0.02;
  double each = spread > kAlike * w * w ? (n * wt - w * t) / spread : 0;  // cycles an instruction
  const double most = t / w, least = 1e-3 * most;
  // Blocks that are alike do not say: until the first instructions run some thousand cycles pass.
  constexpr double kStart = 1000;
  if (each == 0) each = (t - std::min(n * kStart, t / 2)) / w;
  each = std::clamp(each, least, most);
  return {each, (t / n - each * w / n) / each, longest};
}

// How many of the stored block that executes most take no longer on an SM than one alone, told by what they
// execute: so much of its time and no more do others feel.
double at_once(const SmCode& code, const SmSetup& setup, const BlockCost& cost) {
  const auto longest = std::ranges::max_element(code.walked) - code.walked.begin();
  const SmCode of_longest = one_block(code, static_cast<std::size_t>(longest));
  const double all = cycles_of(simulate_sm(of_longest, of_blocks(setup, setup.resident_blocks)));
  const double executing = code.walked[static_cast<std::size_t>(longest)] * cost.each;
  const auto resident = static_cast<double>(setup.resident_blocks);
  const double alone = std::min(1.0, executing / std::max(1.0, cost.longest));  // no less than itself
  return std::clamp(resident * executing / std::max(1.0, all), alone, resident);
}

// Until the launch's blocks are done.
double sm_cycles(const SmCode& code, const LaunchFacts& facts, const SmSetup& setup, const Device& device) {
  BlockPlaces places{std::max(1, device.sms), setup.resident_blocks};
  if (!facts.by_block || code.walked.empty() || !is_uneven(*facts.by_block, places))
    return cycles_of(run_of(code, setup, share_kept(code, facts))) / over_average(code, facts);
  const BlockCost cost = cost_of_block(code, setup);
  const double walked = walked_by_sm(code, setup.blocks);
  places.besides = cost.besides;
  if (setup.resident_blocks > 1) places.at_once = at_once(code, setup, cost);
  const double run = cycles_of(run_of(code, setup, share_kept(code, facts, walked)));
  const double even = code.cut
                          ? run / times_average(code, facts, walked)
                          : run * (facts.ptx_a_block + cost.besides) / std::max(1.0, walked + cost.besides);
  const LaunchLength length = launch_length(*facts.by_block, places);
  const double told = cost.each * std::max(length.even, 1e-9);
  return std::max(
      {even, code.cut ? 0 : cost.longest, cost.each * length.as_they_are * std::min(1.0, even / told)});
}

// The same in microseconds; where the launch's first block stands for itself, no less than it takes alone.
double sm_us(const SmCode& code, const LaunchFacts& facts, const SmSetup& setup, const Device& device) {
  double cycles = sm_cycles(code, facts, setup, device);
  if (code.first_alone) {
    double share = share_kept(code, facts);
    if (code.cut && facts.by_block && facts.by_block->each() == 1 && !code.walked.empty())
      share = std::clamp(code.walked.front() / static_cast<double>(std::max<std::uint64_t>(
                                                   1, facts.by_block->instructions()[0])),
                         1e-9, 1.0);
    SmSetup alone = of_blocks(setup, 1);
    alone.stored_a_cycle = 0;  // what L2's slices take of it is not what they take of all SMs
    cycles = std::max(cycles, cycles_of(run_of(one_block(code, 0), alone, share)));
  }
  return cycles / clock_mhz(device);
}

// L2's part, of what is read and of what is stored alone. They take different ways to L2 and meet there:
// neither waits for all of the other.
struct L2Part {
  double read = 0, stored = 0;  // µs
  double both(double sharpness) const {
    const double n = std::max(1.0, sharpness);
    return std::pow(std::pow(read, n) + std::pow(stored, n), 1 / n);
  }
};

L2Part l2_part(const LaunchFacts& facts, const SmSetup& setup, double active, double mhz) {
  const double bytes_a_us = setup.l2_sectors_a_cycle * kBytesASector * active * mhz;
  return {std::max(0.0, facts.l2_bytes - facts.l2_stored_bytes) / bytes_a_us,
          facts.l2_stored_bytes / (bytes_a_us * setup.l2_store_share)};
}

// The SM model knows its share of DRAM, of the way to L2 and of L2's atomics and waits for them, so these and
// what is stored alone are no more than a floor. It knows of no other SM: what they ask together of L2's
// slices comes on top.
double together(double body, const std::array<double, kTimeParts>& parts, double l2_read,
                const ModelConstants& constants) {
  const auto part = [&](TimePart p) { return parts[static_cast<std::size_t>(p)]; };
  const double n = std::max(1.0, constants.sharpness);
  const double floor = std::max({body, part(TimePart::Dram), part(TimePart::L2), part(TimePart::Atomics)});
  return std::pow(std::pow(floor, n) + std::pow(l2_read, n), 1 / n);
}

// False where the SM has no such part.
bool take_away(TimePart part, SmSetup& setup) {
  constexpr double kNoLimit = 1e6;
  switch (part) {
    case TimePart::Issue:
      setup.free.issue = true;
      return true;
    case TimePart::Lsu:
      setup.free.lsu = true;
      return true;
    case TimePart::L2:
      setup.l2_sectors_a_cycle = kNoLimit;
      setup.stored_a_cycle = 0;
      return true;
    case TimePart::Dram:
      setup.dram_sectors_a_cycle = kNoLimit;
      return true;
    case TimePart::Atomics:
      setup.atomic_turn = 0;
      return true;
    case TimePart::Latency:
      setup.free.results = true;
      return true;
    case TimePart::Units:
      setup.free.units = true;
      return true;
    default:
      return false;
  }
}

Verdict verdict_of(const TimeModel& t, const LaunchFacts& facts, const Device& device,
                   const ModelConstants& constants) {
  // An empty kernel would take half of the time. Until its first instruction runs every kernel waits besides.
  if (constants.launch_us >= 0.5 * t.us) return Verdict::Launch;
  TimePart most = TimePart::Issue;
  for (const TimePart p :
       {TimePart::Lsu, TimePart::L2, TimePart::Dram, TimePart::Latency, TimePart::Atomics, TimePart::Units})
    if (t.part(p) > t.part(most)) most = p;
  switch (most) {
    case TimePart::Lsu:
      return Verdict::Lsu;
    case TimePart::L2:
      return Verdict::L2;
    case TimePart::Dram:
      return Verdict::Dram;
    case TimePart::Atomics:
      return Verdict::Atomics;
    case TimePart::Units:
      return Verdict::Unit;
    case TimePart::Latency:
      return facts.blocks < static_cast<std::uint64_t>(std::max(1, device.sms)) ? Verdict::TooFewBlocks
                                                                                : Verdict::Latency;
    default:
      return Verdict::Issue;
  }
}

// For each sector that is changed, so many of those that are read are DRAM's time: it is given `written` of
// them, and what it brings for sectors that were stored in part comes with them.
double changed_share(const LaunchFacts& facts, double written) {
  if (facts.dram_changed_bytes <= 0) return written;
  return written * facts.dram_changed_cost / facts.dram_read_cost +
         facts.dram_fills * facts.dram_read_bytes / facts.dram_changed_bytes;
}

}  // namespace

std::string_view name(TimePart part) {
  static constexpr std::array<std::string_view, kTimeParts> kNames{
      "launch", "issue", "lsu", "l2", "dram", "latency", "atomics", "units", "tail"};
  return kNames[static_cast<std::size_t>(part)];
}

std::string_view name(Verdict verdict) {
  static constexpr std::array<std::string_view, 9> kNames{
      "launch", "too_few_blocks", "latency", "lsu", "l2", "dram", "issue", "unit", "atomics"};
  return kNames[static_cast<std::size_t>(verdict)];
}

double over_average(const SmCode& code, const LaunchFacts& facts) {
  return code.cut ? 1 : times_average(code, facts, code.walked_a_block);
}

SmSetup sm_setup(const LaunchFacts& facts, const Device& device, const ModelConstants& constants) {
  SmSetup out;
  const auto sms = static_cast<std::uint64_t>(std::max(1, device.sms));
  out.schedulers = kSchedulers;
  out.blocks = (facts.blocks + sms - 1) / sms;
  out.resident_blocks = static_cast<int>(
      std::clamp<std::uint64_t>(out.blocks, 1, static_cast<std::uint64_t>(std::max(1, facts.blocks_per_sm))));
  const auto active = static_cast<double>(std::min(facts.blocks, sms));
  const auto sectors = [&](double bytes_a_cycle) {
    return std::min(constants.l2_bytes_a_clock, bytes_a_cycle / active) / kBytesASector;
  };
  out.l2_sectors_a_cycle = sectors(l2_bytes_a_cycle(device, constants));
  out.dram_sectors_a_cycle = sectors(device.dram_gbps * 1e3 / clock_mhz(device) * constants.dram_share);
  // What its rows make longer, and what it brings though nobody asked, is felt by who asks.
  const double asked = facts.dram_read_bytes * (1 - facts.dram_fills);
  out.dram_sectors_a_cycle /= facts.dram_read_cost;
  if (asked > 0) out.dram_dirty = dirty_bytes(facts, device, constants) / asked / facts.dram_read_cost;
  out.dram_changed = changed_share(facts, 1);
  out.dram_spare = constants.dram_spare;
  out.dram_read_wait = constants.dram_read_wait;
  out.dram_write_wait = constants.dram_write_wait;
  out.block_cycles = static_cast<int>(constants.block_cycles);
  out.warp_cycles = static_cast<int>(constants.warp_cycles);
  out.fill_cycles = static_cast<int>(constants.fill_cycles);
  out.turnover_cycles = static_cast<int>(constants.turnover_cycles);
  out.branch_cycles = static_cast<int>(constants.branch_cycles);
  out.result_cycles = static_cast<int>(constants.result_cycles);
  out.l2_store_share = std::max(0.01, constants.l2_store_share);
  out.request_cycles = constants.request_cycles;
  out.queue_entries = static_cast<int>(constants.queue_entries);
  out.special_entries = static_cast<int>(constants.special_entries);
  out.aside_entries = static_cast<int>(constants.aside_entries);
  out.special_hold = static_cast<int>(constants.special_hold);
  out.load_entries = static_cast<int>(constants.load_entries);
  out.pair_drain_each = constants.pair_drain_each;
  out.pair_drain_most = static_cast<int>(constants.pair_drain_most);
  out.load_queue = static_cast<int>(constants.load_queue);
  out.store_queue = static_cast<int>(constants.store_queue);
  out.store_buffer = static_cast<int>(constants.store_buffer);
  out.store_entries = constants.store_entries;
  if (facts.store_cycles > 0)
    out.stored_a_cycle =
        facts.l2_stored_bytes / kBytesASector / (active * facts.storing) / facts.store_cycles;
  if (facts.atomic_sectors > 0) out.atomic_turn = facts.atomic_cycles * active / facts.atomic_sectors;
  out.fence_cycles = static_cast<int>(constants.fence_cycles);
  out.fence_turn = static_cast<int>(constants.fence_turn);
  out.guard_cycles = static_cast<int>(constants.guard_cycles);
  out.far_cycles = constants.far_cycles;
  out.cold_cycles = static_cast<int>(constants.cold_cycles);
  out.cold_nearest = static_cast<int>(constants.full_cycles - constants.cold_nearest);
  out.instruction_miss = static_cast<int>(constants.instruction_miss);
  out.instruction_filling = constants.instruction_filling;
  // What one SM has fetched comes sooner to the others.
  constexpr double kShared = 16;  // SMs
  out.instruction_second = static_cast<int>(constants.instruction_second +
                                            constants.instruction_alone / (1 + (active - 1) / kShared));
  out.instruction_jump = static_cast<int>(constants.instruction_jump);
  out.instruction_kept_bytes = constants.instruction_kept_bytes;
  out.instruction_cache_bytes = constants.instruction_cache_bytes;
  out.instruction_near = static_cast<int>(constants.instruction_near);
  out.instruction_far = static_cast<int>(constants.instruction_far);
  out.instruction_cold =
      static_cast<int>(facts.warm ? constants.instruction_far : constants.instruction_cold);
  // All SMs ask for the same lines at once.
  out.constant_miss = static_cast<int>(constants.constant_miss);
  out.constant_queue = static_cast<int>(constants.constant_turn * active);
  out.parameter_queue = static_cast<int>(constants.parameter_wait + constants.parameter_turn * active);
  out.constant_load_miss = static_cast<int>(constants.constant_load_miss);
  out.table_line = static_cast<int>(constants.table_line);
  out.table_far = static_cast<int>(facts.warm ? constants.table_l2 : constants.table_dram);
  out.named_far = facts.warm ? 0 : static_cast<int>(constants.named_dram);
  out.queued_pause = static_cast<int>(constants.queued_pause);
  out.first_latency = static_cast<int>(facts.warm ? device.l2_latency : device.dram_latency);
  if (facts.warm) {  // the launch before has left its text and its parameters at the SMs
    out.instruction_miss = out.instruction_second = out.instruction_jump = out.instruction_near;
    out.instruction_filling = 0;
    out.constant_miss = out.constant_load_miss = out.constant_queue = out.parameter_queue = 0;
  }
  return out;
}

SmSetup profiled_sm(const LaunchFacts& facts, const Device& device, const ModelConstants& constants) {
  SmSetup out = sm_setup(facts, device, constants);
  if (facts.warm) return out;
  const double room = constants.l2_usable * device.l2_mb * 1048576.0;
  out.dram_dirty = 0;
  out.cold_nearest = -static_cast<int>(constants.cold_nearest);
  out.table_far =
      static_cast<int>(constants.table_l2);  // it has not emptied L2 of what the driver puts there
  out.dram_changed =
      changed_share(facts, facts.dram_changed_bytes > room ? 1 - room / facts.dram_changed_bytes : 0);
  return out;
}

TimeModel time_model(const SmCode& code, const LaunchFacts& facts, const Device& device,
                     const ModelConstants& constants, std::size_t record) {
  TimeModel out;
  const double mhz = clock_mhz(device);
  const auto sms = static_cast<double>(std::max(1, device.sms));
  const auto part = [&](TimePart p) -> double& { return out.parts[static_cast<std::size_t>(p)]; };
  SmSetup setup = sm_setup(facts, device, constants);
  out.waves = static_cast<double>(facts.blocks) / (sms * std::max(1, facts.blocks_per_sm));
  const double active = std::min(static_cast<double>(facts.blocks), sms);
  // What a launch between two events costs in any case was read one launch after the other.
  const double start = facts.warm ? 0 : constants.start_cycles;
  part(TimePart::Launch) = constants.launch_us + start / mhz * active / (active + constants.start_sms);
  part(TimePart::Issue) = facts.instructions / (kSchedulers * active * mhz);
  const L2Part l2 = l2_part(facts, setup, active, mhz);
  part(TimePart::L2) = std::max(l2.both(constants.sharpness), facts.store_cycles / mhz);
  part(TimePart::Dram) =
      (facts.dram_read_bytes * facts.dram_read_cost + dirty_bytes(facts, device, constants) +
       facts.dram_changed_bytes * facts.dram_changed_cost) /
      std::min(device.dram_gbps * 1e3 * constants.dram_share, constants.l2_bytes_a_clock * active * mhz);
  if (facts.dram_fills > 0) part(TimePart::Dram) += facts.merge_cycles / mhz;
  part(TimePart::Atomics) = facts.atomic_cycles / mhz;
  double body = 0;
  if (!code.blocks.empty()) {
    const double share = share_kept(code, facts);
    const double rounds = std::ceil(static_cast<double>(setup.blocks) / setup.resident_blocks);
    const double whole = share * over_average(code, facts);
    part(TimePart::Units) = unit_cycles(code) / whole * static_cast<double>(setup.blocks) / mhz;
    part(TimePart::Lsu) = lsu_cycles(code) / whole * static_cast<double>(facts.blocks) / active / mhz;
    part(TimePart::Latency) = lonely_cycles(code, setup, share) * rounds / mhz;
    body = out.sm_us = sm_us(code, facts, setup, device);
    SmSetup profiled = profiled_sm(facts, device, constants);
    profiled.record = record;
    out.sm = run_of(code, profiled, share);
  }
  body = together(body, out.parts, l2.read, constants);
  if (out.waves > 1) part(TimePart::Tail) = body * (std::ceil(out.waves) - out.waves) / std::ceil(out.waves);
  out.us = part(TimePart::Launch) + body;
  out.rules = static_cast<TimePart>(std::ranges::max_element(out.parts) - out.parts.begin());
  out.verdict = verdict_of(out, facts, device, constants);
  return out;
}

std::vector<double> without_each(const TimeModel& model, const SmCode& code, const LaunchFacts& facts,
                                 const Device& device, const ModelConstants& constants) {
  std::vector<double> out(kTimeParts, model.us);
  const double active =
      std::min(static_cast<double>(facts.blocks), static_cast<double>(std::max(1, device.sms)));
  const double l2_read = l2_part(facts, sm_setup(facts, device, constants), active, clock_mhz(device)).read;
  for (std::size_t i = 0; i < kTimeParts; ++i) {
    const auto part = static_cast<TimePart>(i);
    double& us = out[i];
    if (part == TimePart::Launch || part == TimePart::Tail) {
      us -= model.parts[i];
      continue;
    }
    SmSetup setup = sm_setup(facts, device, constants);
    const bool in_the_sm = take_away(part, setup);
    auto parts = model.parts;
    parts[i] = 0;
    double body = model.sm_us;
    if (in_the_sm && !code.blocks.empty()) body = std::min(body, sm_us(code, facts, setup, device));
    us = std::min(us, model.part(TimePart::Launch) +
                          together(body, parts, part == TimePart::L2 ? 0 : l2_read, constants));
  }
  return out;
}

}  // namespace warplens::analysis
