// The stored trace of chosen blocks: immutable once built, ids instead of pointers, 4 or 8 bytes a step and
// what irregular addresses take (steps.h); those that follow from what was loaded before take little
// (gather.h).
//
// A Step is what the time cursor stands on. Steps of a block are in the order in which they happened.
//
//   Recorder recorder({.blocks = 4});
//   simt::run(kernel, launch, {}, {&recorder});
//   Trace trace = recorder.take();          // then fill in launch, sites, buffers
//   trace.access(17).addresses[5];          // where lane 5 went in the 18th step
//   trace.describe(Space::Global, address)  // "in[214]"
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "engine/base/message.h"
#include "engine/base/progress.h"
#include "engine/trace/event.h"
#include "engine/trace/launch.h"
#include "engine/trace/steps.h"

namespace warplens::trace {

struct AccessView {  // a Step unpacked
  SiteId site = kNoSite;
  std::uint32_t warp = 0;
  SiteKind kind = SiteKind::Load;
  Space space = Space::Global;
  int bytes = 4;
  LaneMask active = 0;
  std::array<std::uint64_t, 32> addresses{};
  std::array<std::uint64_t, 32> shared_addresses{};  // AsyncCopy
};
struct BranchView {
  SiteId site = kNoSite;
  std::uint32_t warp = 0;
  LaneMask active = 0, taken = 0;
};
struct BarrierView {
  SiteId site = kNoSite;
  std::uint32_t warp = 0;
  LaneMask lanes = 0;
  Barrier::Phase phase = Barrier::Phase::Arrive;
};
struct MaskView {
  std::uint32_t warp = 0;
  LaneMask active = 0, exited = 0;
  std::uint32_t instruction = 0;
  std::uint64_t warp_instruction = 0;
};

// Where a global buffer was placed, so that an address can be named: "in[214]".
struct BufferPlacement {
  std::uint32_t argument = 0;  // index into Launch::arguments
  std::string name;            // parameter name in the source when known, else "argument 0"
  std::uint64_t base = 0, bytes = 0;
  ElementType type = ElementType::F32;
};

struct BlockSteps {
  std::uint64_t block = 0;
  std::size_t first = 0, last = 0;  // half-open range of steps
};

class Trace {
 public:
  // Facts about the launch.
  Launch launch;
  Backend backend = Backend::Emulator;
  std::vector<Site> sites;
  std::vector<BufferPlacement> buffers;
  std::uint64_t blocks_total = 0;

  const std::vector<BlockSteps>& blocks() const { return blocks_; }
  StepList steps() const { return StepList(store_); }
  std::size_t size() const { return store_.size(); }
  AccessView access(std::size_t step) const;
  BranchView branch(std::size_t step) const;
  BarrierView barrier(std::size_t step) const;
  MaskView mask(std::size_t step) const;
  std::uint64_t block_of(std::size_t step) const;
  std::size_t memory_bytes() const;
  bool truncated() const {
    return truncated_;
  }  // the cap was reached: later steps of the chosen blocks are missing

  // "in[214]" and "byte 3 of out[7]" for addresses inside a buffer, "0x..." elsewhere.
  MessageValue describe(Space space, std::uint64_t address) const;

  // File format: versioned header, little-endian. Loading validates every index and can be cancelled.
  Status save(const std::filesystem::path& file) const;
  static Result<Trace> load(const std::filesystem::path& file, Progress* progress = nullptr);
  // The same from a stream that holds `bytes` more bytes; `name` is what an error calls it.
  static Result<Trace> load(std::istream& in, std::uint64_t bytes, const std::string& name,
                            Progress* progress = nullptr);

 private:
  friend class Recorder;
  bool is(StepKind kind, std::size_t step) const;

  std::vector<BlockSteps> blocks_;
  StepStore store_;
  bool truncated_ = false;
};

// The listener that stores. Blocks to keep: the first `blocks` of the launch, or an explicit list.
struct RecorderOptions {
  std::uint64_t blocks = 1;
  std::vector<std::uint64_t> chosen = {};  // used instead when not empty
  // Of the whole trace. What is over the cap is cut off at the end of the last blocks, the same for any
  // number of threads; while recording, each thread may hold this much. At most 2 GiB.
  std::size_t max_bytes = std::size_t{256} << 20;
  bool constants = false;   // also loads from constant space
  bool parameters = false;  // also these and parameter loads
};

class Recorder : public Listener {
 public:
  explicit Recorder(RecorderOptions options);
  ~Recorder() override;
  std::unique_ptr<Listener> fork() const override;
  void join(Listener& other) override;
  Wants wants() const override;
  void on_launch(const Launch& launch, std::span<const std::uint64_t> bases) override;
  bool wants_block(std::uint64_t block) override;
  void on_block_begin(std::uint64_t block) override;
  void on_access(const Access& access) override;
  void on_branch(const Branch& branch) override;
  void on_barrier(const Barrier& barrier) override;
  void on_mask(const MaskChange& change) override;
  void on_block_end(std::uint64_t block) override;
  // Blocks of which every step was recorded, ascending, as far as the cap goes.
  std::vector<std::uint64_t> whole() const;
  // Keeps no more of what was recorded than these blocks, ascending.
  void keep(const std::vector<std::uint64_t>& blocks);
  // Moves what was recorded out, blocks in ascending order. The caller fills in the facts about the launch.
  Trace take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warplens::trace
