#include "engine/simt/launch/worker.h"

#include <algorithm>

#include "engine/simt/memory/memory.h"

namespace warplens::simt {

namespace {

constexpr std::uint64_t kBudgetChunk = std::uint64_t{1} << 24;
// Host time after which a run ends as if its budget were spent, unless the caller set a budget: a single lane
// in an endless loop would take hours to spend the default one.
constexpr std::chrono::minutes kPatience{5};
constexpr double kSecondsToTell = 2;  // in one block

}  // namespace

std::unique_ptr<Worker> make_worker(LaunchState& state, std::span<trace::Listener* const> listeners) {
  auto worker = std::make_unique<Worker>();
  worker->state = &state;
  worker->program = state.program;
  worker->counts.resize(state.program->segments.size());
  worker->calls.resize(state.program->routines.size());
  worker->global_base = state.memory->shift();
  worker->work = trace::BlockWork(state.launch->grid.volume());
  worker->last_hit.resize(state.program->instructions.size());
  worker->last_place.resize(state.program->instructions.size());
  for (const Op& op : state.program->ops) {
    if (space_of(op) != trace::Space::Shared) continue;
    worker->last_hit[op.instruction] =
        room_of(*state.program, op.instruction, trace::Space::Shared, state.shared_bytes, 0);
  }
  if (state.races == Races::Screened) {
    worker->screen = std::make_unique<RaceScreen>(state.memory->origin(), state.memory->bytes(),
                                                  state.shared_bytes, state.warps_per_block,
                                                  RaceScreen::granules_of(*state.program), state.regions);
  }
  for (trace::Listener* listener : listeners) {
    worker->listeners.push_back(listener->fork());
    worker->wants.push_back(listener->wants());
  }
  return worker;
}

// Where it did not end is told with the launch, and while it runs to whoever has waited for long.
bool Worker::out_of_time(int line) {
  const Options& options = *state->options;
  const auto now = std::chrono::steady_clock::now();
  if (options.budget == Options{}.budget && now - state->begin > kPatience) return true;
  const std::uint64_t ended = state->blocks_ended.load(std::memory_order_relaxed);
  if (ended != ended_seen || ended_at == std::chrono::steady_clock::time_point{}) {
    ended_seen = ended;
    ended_at = now;
  }
  const double seconds = std::chrono::duration<double>(now - ended_at).count();
  if (options.progress != nullptr && line != 0)
    options.progress->stand_at(seconds > kSecondsToTell ? line : 0);
  return options.block_seconds > 0 && seconds > options.block_seconds;
}

void Worker::refill(int line) {
  const Progress* progress = state->options->progress;
  if (state->suspicious) throw StopBlock{StopBlock::Why::Suspicion};
  if (progress != nullptr && progress->cancelled()) throw StopBlock{StopBlock::Why::Cancelled};
  const auto out_of_budget = [&] {
    if (line != 0) notes.insert({"note.stood_in_loop", line});
    return StopBlock{StopBlock::Why::Budget};
  };
  if (out_of_time(line)) throw out_of_budget();
  const std::uint64_t wanted =
      std::min(kBudgetChunk, std::max<std::uint64_t>(state->options->budget / 64, 1));
  std::uint64_t left = state->budget_left.load();
  std::uint64_t taken = 0;
  do {
    taken = std::min(left, wanted);
    if (taken == 0) throw out_of_budget();
  } while (!state->budget_left.compare_exchange_weak(left, left - taken));
  instruction_limit = thread_instructions + taken;
}

}  // namespace warplens::simt
