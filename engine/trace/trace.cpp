#include "engine/trace/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/trace/step_codec.h"

namespace warplens::trace {

AccessView Trace::access(std::size_t step) const {
  AccessView out;
  if (step >= steps_.size() || steps_[step].kind != StepKind::Access) return out;
  const Step& s = steps_[step];
  out.site = s.site;
  out.warp = s.warp;
  if (s.site < sites.size()) out.kind = sites[s.site].kind;
  decode(s, pool_, out);
  return out;
}

BranchView Trace::branch(std::size_t step) const {
  if (step >= steps_.size() || steps_[step].kind != StepKind::Branch) return {};
  const Step& s = steps_[step];
  return {s.site, s.warp, s.active, s.aux};
}

BarrierView Trace::barrier(std::size_t step) const {
  if (step >= steps_.size() || steps_[step].kind != StepKind::Barrier) return {};
  const Step& s = steps_[step];
  return {s.site, s.warp, s.active, static_cast<Barrier::Phase>(s.detail)};
}

MaskView Trace::mask(std::size_t step) const {
  if (step >= steps_.size() || steps_[step].kind != StepKind::Mask) return {};
  const Step& s = steps_[step];
  return {s.warp, s.active, s.aux, s.site, s.payload};
}

std::uint64_t Trace::block_of(std::size_t step) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), step,
                                      [](std::size_t s, const BlockSteps& block) { return s < block.first; });
  return after == blocks_.begin() ? 0 : std::prev(after)->block;
}

std::size_t Trace::memory_bytes() const {
  return steps_.size() * sizeof(Step) + pool_.size() * sizeof(pool_[0]) + blocks_.size() * sizeof(BlockSteps);
}

std::string Trace::describe(Space space, std::uint64_t address) const {
  if (space == Space::Global)
    for (const BufferPlacement& buffer : buffers) {
      if (address < buffer.base || address - buffer.base >= buffer.bytes) continue;
      const auto size = static_cast<std::uint64_t>(size_of(buffer.type));
      const std::uint64_t index = (address - buffer.base) / size, byte = (address - buffer.base) % size;
      return byte == 0 ? fmt::format("{}[{}]", buffer.name, index)
                       : fmt::format("byte {} of {}[{}]", byte, buffer.name, index);
    }
  return fmt::format("0x{:x}", address);
}

// Steps of one block as recorded; joined into the trace's flat arrays by take().
struct BlockRecord {
  std::uint64_t block = 0;
  StepEncoder steps;
  bool truncated = false;
};

struct Recorder::State {
  RecorderOptions options;  // `chosen` sorted
  std::vector<BlockRecord> blocks;
  bool open = false;             // a block is being recorded: the last of `blocks`
  std::size_t bytes_closed = 0;  // of the blocks that are complete
  bool skipped = false;          // a chosen block was not recorded because the cap was reached

  bool room() {
    if (!open) return false;
    BlockRecord& record = blocks.back();
    if (record.steps.bytes() < options.max_bytes) return true;
    record.truncated = true;
    return false;
  }
};

Recorder::Recorder(RecorderOptions options) : state_(std::make_unique<State>()) {
  // Pool indexes have 32 bits.
  constexpr std::size_t kMostBytes = std::size_t{16} << 30;
  options.max_bytes = std::min(options.max_bytes, kMostBytes);
  std::sort(options.chosen.begin(), options.chosen.end());
  state_->options = std::move(options);
}

Recorder::~Recorder() = default;

std::unique_ptr<Listener> Recorder::fork() const {
  return std::make_unique<Recorder>(state_->options);
}

void Recorder::join(Listener& other) {
  State& more = *static_cast<Recorder&>(other).state_;
  std::move(more.blocks.begin(), more.blocks.end(), std::back_inserter(state_->blocks));
  state_->skipped = state_->skipped || more.skipped;
  more.blocks.clear();
}

Listener::Wants Recorder::wants() const {
  return {.accesses = true,
          .branches = true,
          .barriers = true,
          .masks = true,
          .constants = state_->options.parameters};
}

bool Recorder::wants_block(std::uint64_t block) {
  const RecorderOptions& options = state_->options;
  // A worker sees its blocks in ascending order: once it alone has filled the cap, whatever follows would be
  // cut off by take().
  const bool chosen = options.chosen.empty()
                          ? block < options.blocks
                          : std::binary_search(options.chosen.begin(), options.chosen.end(), block);
  const bool full = state_->bytes_closed >= options.max_bytes;
  state_->skipped = state_->skipped || (chosen && full);
  return chosen && !full;
}

void Recorder::on_block_begin(std::uint64_t block) {
  state_->blocks.emplace_back().block = block;
  state_->open = true;
}

void Recorder::on_access(const Access& access) {
  if (access.space == Space::Parameter && !state_->options.parameters) return;
  if (state_->room()) state_->blocks.back().steps.add(access);
}

void Recorder::on_branch(const Branch& branch) {
  if (state_->room()) state_->blocks.back().steps.add(branch);
}

void Recorder::on_barrier(const Barrier& barrier) {
  if (state_->room()) state_->blocks.back().steps.add(barrier);
}

void Recorder::on_mask(const MaskChange& change) {
  if (state_->room()) state_->blocks.back().steps.add(change);
}

void Recorder::on_block_end(std::uint64_t) {
  if (!state_->open) return;
  state_->open = false;
  state_->blocks.back().steps.forget_patterns();
  state_->bytes_closed += state_->blocks.back().steps.bytes();
}

namespace {

// Cuts a block to its beginning so that steps and the patterns they use fit into `room` bytes.
// Patterns are appended as steps need them, so the first steps use the front of the pool.
void cut(std::vector<Step>& steps, std::vector<std::uint32_t>& pool, std::size_t room) {
  std::size_t keep = 0, words = 0;
  for (; keep < steps.size(); ++keep) {
    const PoolRange range = pool_range(steps[keep], pool);
    const std::size_t needed = std::max<std::size_t>(words, range.first + range.count);
    if ((keep + 1) * sizeof(Step) + needed * sizeof(std::uint32_t) > room) break;
    words = range.count != 0 ? needed : words;
  }
  steps.resize(keep);
  pool.resize(words);
}

}  // namespace

Trace Recorder::take() {
  Trace trace;
  auto& records = state_->blocks;
  std::sort(records.begin(), records.end(),
            [](const BlockRecord& a, const BlockRecord& b) { return a.block < b.block; });
  trace.truncated_ = state_->skipped;
  for (BlockRecord& record : records) {
    const std::size_t first = trace.steps_.size(), pool_first = trace.pool_.size();
    std::vector<Step> steps = record.steps.take_steps();
    std::vector<std::uint32_t> pool = record.steps.take_pool();
    const std::size_t used = first * sizeof(Step) + pool_first * sizeof(std::uint32_t);
    const std::size_t size = steps.size() * sizeof(Step) + pool.size() * sizeof(std::uint32_t);
    const bool too_long = record.truncated || used + size > state_->options.max_bytes;
    if (too_long) cut(steps, pool, state_->options.max_bytes - std::min(state_->options.max_bytes, used));
    for (Step& step : steps) rebase(step, pool_first);
    trace.blocks_.push_back({record.block, first, first + steps.size()});
    if (trace.steps_.empty())
      trace.steps_ = std::move(steps);
    else
      trace.steps_.insert(trace.steps_.end(), steps.begin(), steps.end());
    trace.pool_.insert(trace.pool_.end(), pool.begin(), pool.end());
    if (too_long) {
      trace.truncated_ = true;
      break;
    }
  }
  records.clear();
  state_->bytes_closed = 0;
  state_->skipped = false;
  return trace;
}

}  // namespace warplens::trace
