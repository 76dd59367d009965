#include "engine/simt/launch/collect.h"

#include <algorithm>
#include <bit>

namespace warplens::simt {

namespace {

// Counts by instruction from counts by segment.
void collect_counts(const Kernel::Program& program, const std::vector<std::unique_ptr<Worker>>& workers,
                    Outcome& outcome) {
  std::vector<SegmentCount> counts(program.segments.size());
  for (const std::unique_ptr<Worker>& worker : workers) {
    for (std::size_t s = 0; s < counts.size(); ++s) {
      counts[s].executions += worker->counts[s].executions;
      counts[s].lanes += worker->counts[s].lanes;
      counts[s].parts += worker->counts[s].parts;
    }
  }
  for (std::size_t s = 0; s < program.segments.size(); ++s) {
    const Segment& segment = program.segments[s];
    for (std::uint32_t i = 0; i < segment.instruction_count; ++i) {
      const InstructionInfo& info = program.instructions[segment.first_instruction + i];
      outcome.counts.push_back(
          {info.function, info.index, counts[s].executions, counts[s].lanes, counts[s].parts});
      outcome.warp_instructions += counts[s].executions;
      outcome.thread_instructions += counts[s].lanes;
    }
  }
}

void collect_calls(const Kernel::Program& program, const std::vector<std::unique_ptr<Worker>>& workers,
                   Outcome& outcome) {
  for (std::size_t r = 0; r < program.routines.size(); ++r) {
    CallCount sum{program.routines[r].function_index, {}, {}};
    for (const std::unique_ptr<Worker>& worker : workers) {
      sum.calls.add(worker->calls[r].calls);
      sum.returns.add(worker->calls[r].returns);
    }
    if (sum.calls.executions > 0) outcome.calls.push_back(sum);
  }
}

// A read before the write that a barrier should have ordered finds nothing written, in one order of threads,
// and is a race in the other: the race says what is wrong.
void leave_out_early_reads(std::vector<trace::Fault>& faults) {
  std::set<int> racing;
  for (const trace::Fault& fault : faults) {
    if (fault.kind == trace::FaultKind::Race) racing.insert({fault.line, fault.other_line});
  }
  std::erase_if(faults, [&](const trace::Fault& fault) {
    return fault.kind == trace::FaultKind::UninitialisedRead && racing.contains(fault.line);
  });
}

void collect_faults(std::vector<std::unique_ptr<Worker>>& workers, const LaunchState& state,
                    Outcome& outcome) {
  std::map<std::uint64_t, std::vector<trace::Fault>> faults;
  std::map<std::uint64_t, std::string> output;
  std::map<std::uint64_t, std::vector<DeviceLaunch>> launched;
  std::set<std::pair<std::string, int>> notes;
  const std::uint64_t stop = state.stop_before.load();
  for (std::unique_ptr<Worker>& worker : workers) {
    // What a block after the fatal one met depends on how far other workers were.
    for (const auto& [block, count] : worker->faults_in)
      if (state.budget_spent || block <= stop) outcome.faults_total += count;
    outcome.blocks_run += worker->blocks_run;
    notes.insert(worker->notes.begin(), worker->notes.end());
    outcome.waited_clocks += worker->clock;
    outcome.waited_ns += worker->skipped_ns;
    faults.merge(worker->faults);
    output.merge(worker->output);
    launched.merge(worker->launched);
  }
  // One fault a line and kind, of the lowest block; what later blocks than the fatal one said is left out.
  std::set<FaultKey> seen;
  for (auto& [block, found] : faults) {
    if (!state.budget_spent && block > stop) break;
    for (trace::Fault& fault : found) {
      if (outcome.faults.size() >= state.options->max_faults || !seen.insert(key_of(fault)).second) continue;
      outcome.faults.push_back(std::move(fault));
    }
  }
  leave_out_early_reads(outcome.faults);
  for (auto& [block, text] : output) outcome.output += text;
  // A wait that was ended as nobody else would end it says nothing of a GPU, where somebody does.
  if (!notes.contains({"note.clock_wait", 0}) || notes.contains({"note.clock_timeout", 0}))
    outcome.waited_clocks = outcome.waited_ns = 0;
  // Lanes that were let go without those they waited for, in vain: they did not wait for each other.
  if (!outcome.faults.empty() && outcome.faults.front().kind == trace::FaultKind::Deadlock)
    notes.erase({"note.independent_scheduling", 0});
  for (const auto& [key, line] : notes) {
    Message& note = outcome.notes.emplace_back(Message{key, {}});
    if (line != 0) note.values.emplace_back("line", value_of(line));
  }
  LastingMemory* const memory = state.memory->lasting();
  if (memory == nullptr) return;
  memory->launched.clear();
  for (auto& [block, launches] : launched)
    for (DeviceLaunch& launch : launches) memory->launched.push_back(std::move(launch));
}

}  // namespace

void CallCount::Side::add(std::uint32_t mask) {
  const auto active = static_cast<std::uint64_t>(std::popcount(mask));
  ++executions;
  lanes += active;
  least_parts += (active + 7) / 8;
  parts += eights_of(mask);
}

void CallCount::Side::add(const Side& other) {
  executions += other.executions;
  lanes += other.lanes;
  parts += other.parts;
  least_parts += other.least_parts;
}

void collect(const LaunchState& state, std::vector<std::unique_ptr<Worker>>& workers, Outcome& outcome) {
  collect_counts(*state.program, workers, outcome);
  collect_calls(*state.program, workers, outcome);
  const auto work = std::make_shared<trace::BlockWork>(state.launch->grid.volume());
  for (const std::unique_ptr<Worker>& worker : workers) work->add(worker->work);
  outcome.work = work;
  collect_faults(workers, state, outcome);
}

}  // namespace warplens::simt
