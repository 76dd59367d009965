#include "engine/trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/told_name.h"
#include "engine/trace/step_codec.h"

namespace warplens::trace {

AccessView Trace::access(std::size_t step) const {
  AccessView out;
  if (!is(StepKind::Access, step)) return out;
  out.site = store_.form_of(step).site;
  out.warp = store_.warp_of(step);
  if (out.site < sites.size()) out.kind = sites[out.site].kind;
  decode(store_, step, out);
  return out;
}

BranchView Trace::branch(std::size_t step) const {
  if (!is(StepKind::Branch, step)) return {};
  const StepValues values = values_of(store_, step);
  return {store_.form_of(step).site, store_.warp_of(step), values.active, values.value};
}

BarrierView Trace::barrier(std::size_t step) const {
  if (!is(StepKind::Barrier, step)) return {};
  const StepForm& form = store_.form_of(step);
  return {form.site, store_.warp_of(step), store_.active_of(step), static_cast<Barrier::Phase>(form.detail)};
}

MaskView Trace::mask(std::size_t step) const {
  if (!is(StepKind::Mask, step)) return {};
  const StepForm& form = store_.form_of(step);
  const StepValues values = values_of(store_, step);
  return {store_.warp_of(step), values.active, values.aux, form.site,
          std::uint64_t{form.high} << 32 | values.value};
}

bool Trace::is(StepKind kind, std::size_t step) const {
  return step < size() && store_.form_of(step).kind == kind;
}

std::uint64_t Trace::block_of(std::size_t step) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), step,
                                      [](std::size_t s, const BlockSteps& block) { return s < block.first; });
  return after == blocks_.begin() ? 0 : std::prev(after)->block;
}

std::size_t Trace::memory_bytes() const {
  return store_.bytes() + blocks_.size() * sizeof(BlockSteps);
}

MessageValue Trace::describe(Space space, std::uint64_t address) const {
  if (space == Space::Global)
    for (const BufferPlacement& buffer : buffers) {
      if (address < buffer.base || address - buffer.base >= buffer.bytes) continue;
      const auto size = static_cast<std::uint64_t>(size_of(buffer.type));
      const std::uint64_t index = (address - buffer.base) / size, byte = (address - buffer.base) % size;
      const MessageValue name = told_name(buffer.name);
      const auto* const given = std::get_if<std::string>(&name);
      const MessageValue element =
          given != nullptr ? value_of(fmt::format("{}[{}]", *given, index))
                           : value_of(Message{"place.element",
                                              {{"name", name}, {"index", value_of(std::to_string(index))}}});
      if (byte == 0) return element;
      return value_of(Message{"place.byte_of", {{"byte", value_of(byte)}, {"element", element}}});
    }
  return fmt::format("0x{:x}", address);
}

// Steps of one block as recorded; take() joins them.
struct BlockRecord {
  std::uint64_t block = 0;
  StepStore steps;
  bool truncated = false;
};

// A block that has begun and not ended. Blocks of a cluster and those that wait for each other take turns.
struct OpenBlock {
  BlockRecord record;
  StepEncoder encoder;
};

struct Recorder::State {
  RecorderOptions options;  // `chosen` sorted
  std::shared_ptr<const std::vector<GatherSource>> sources = std::make_shared<std::vector<GatherSource>>();
  std::vector<BlockRecord> blocks;
  std::vector<std::unique_ptr<OpenBlock>> open;
  std::vector<std::unique_ptr<OpenBlock>> spare;  // ended; their encoders are used again
  OpenBlock* current = nullptr;   // whose events came last; null: none, or a block that is not open
  std::size_t bytes_waiting = 0;  // of the open blocks but the current one
  std::size_t bytes_closed = 0;   // of the blocks that are complete
  bool skipped = false;           // a chosen block was not recorded because the cap was reached

  // Where the next event of a block goes; null when it is not open or there is no room.
  StepEncoder* encoder(std::uint64_t block) {
    if (current == nullptr || current->record.block != block) turn_to(block);
    if (current == nullptr) return nullptr;
    if (current->encoder.bytes() + bytes_waiting < options.max_bytes) return &current->encoder;
    current->record.truncated = true;
    return nullptr;
  }

  void turn_to(std::uint64_t block) {
    current = nullptr;
    bytes_waiting = 0;
    for (const auto& candidate : open) {
      if (candidate->record.block == block)
        current = candidate.get();
      else
        bytes_waiting += candidate->encoder.bytes();
    }
  }

  void begin(std::uint64_t block) {
    if (spare.empty()) spare.push_back(std::make_unique<OpenBlock>());
    spare.back()->record = {block, {}, false};
    spare.back()->encoder.set_sources(*sources);
    open.push_back(std::move(spare.back()));
    spare.pop_back();
    turn_to(block);
  }

  void end(std::uint64_t block) {
    const auto found =
        std::find_if(open.begin(), open.end(), [&](const auto& o) { return o->record.block == block; });
    if (found == open.end()) return;
    OpenBlock& ended = **found;
    bytes_closed += ended.encoder.bytes();
    ended.record.steps = ended.encoder.take();
    blocks.push_back(std::move(ended.record));
    spare.push_back(std::move(*found));
    open.erase(found);
    current = nullptr;
  }
};

Recorder::Recorder(RecorderOptions options) : state_(std::make_unique<State>()) {
  // Numbers of forms have 27 bits.
  constexpr std::size_t kMostBytes = std::size_t{2} << 30;
  options.max_bytes = std::min(options.max_bytes, kMostBytes);
  std::sort(options.chosen.begin(), options.chosen.end());
  state_->options = std::move(options);
}

Recorder::~Recorder() = default;

std::unique_ptr<Listener> Recorder::fork() const {
  auto out = std::make_unique<Recorder>(state_->options);
  out->state_->sources = state_->sources;
  return out;
}

void Recorder::on_launch(const Launch& launch, std::span<const std::uint64_t> bases) {
  state_->sources = std::make_shared<const std::vector<GatherSource>>(gather_sources(launch, bases));
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
          .constants = state_->options.constants || state_->options.parameters};
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
  state_->begin(block);
}

void Recorder::on_access(const Access& access) {
  if (access.space == Space::Parameter && !state_->options.parameters) return;
  if (StepEncoder* encoder = state_->encoder(access.warp.block)) encoder->add(access);
}

void Recorder::on_branch(const Branch& branch) {
  if (StepEncoder* encoder = state_->encoder(branch.warp.block)) encoder->add(branch);
}

void Recorder::on_barrier(const Barrier& barrier) {
  if (StepEncoder* encoder = state_->encoder(barrier.warp.block)) encoder->add(barrier);
}

void Recorder::on_mask(const MaskChange& change) {
  if (StepEncoder* encoder = state_->encoder(change.warp.block)) encoder->add(change);
}

void Recorder::on_block_end(std::uint64_t block) {
  state_->end(block);
}

std::vector<std::uint64_t> Recorder::whole() const {
  std::vector<const BlockRecord*> records;
  for (const BlockRecord& record : state_->blocks) records.push_back(&record);
  std::ranges::sort(records, {}, &BlockRecord::block);
  std::vector<std::uint64_t> out;
  std::size_t recorded = 0;  // what other workers had room for is left out, as take() does
  for (const BlockRecord* record : records) {
    recorded += record->steps.bytes();
    if (recorded > state_->options.max_bytes) break;
    if (!record->truncated) out.push_back(record->block);
  }
  return out;
}

void Recorder::keep(const std::vector<std::uint64_t>& blocks) {
  std::erase_if(state_->blocks,
                [&](const BlockRecord& record) { return !std::ranges::binary_search(blocks, record.block); });
  state_->skipped = state_->blocks.size() < blocks.size();
}

Trace Recorder::take() {
  Trace trace;
  auto& records = state_->blocks;
  std::sort(records.begin(), records.end(),
            [](const BlockRecord& a, const BlockRecord& b) { return a.block < b.block; });
  trace.truncated_ = state_->skipped;
  StepMerger merger;
  std::size_t recorded = 0;  // as one worker would have counted it, which then had stopped at the cap
  for (BlockRecord& record : records) {
    const std::size_t first = merger.store().size();
    const bool room = recorded < state_->options.max_bytes;
    recorded += record.steps.bytes();
    const bool whole = room && merger.append(record.steps, state_->options.max_bytes) && !record.truncated;
    record.steps = {};
    if (room) trace.blocks_.push_back({record.block, first, merger.store().size()});
    if (whole) continue;
    trace.truncated_ = true;
    break;
  }
  trace.store_ = merger.take();
  records.clear();
  state_->bytes_closed = 0;
  state_->skipped = false;
  return trace;
}

}  // namespace warplens::trace
