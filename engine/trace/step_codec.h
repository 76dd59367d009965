// How an event becomes a Step of 24 bytes and back.
//
//   regular access    detail: space, Affine, log2 bytes   aux: stride            payload: base
//   irregular         detail: space, Pattern, ...         aux: index into pool   payload: base
//   far apart         detail: space, Verbose, ...         -                      payload: index into pool
//   cp.async          detail: space, Copy, ...            aux: index into pool   payload: global base, and
//                                                                  shared base / 4 in the upper 17 bits
//   branch            -                                   aux: taken lanes       -
//   barrier           detail: phase                       aux: barrier id        -
//   mask              site: instruction                   aux: exited lanes      payload: warp instruction
//
// A pattern is the active lanes' signed 32-bit distances from the base, in lane order. Equal patterns of a
// block are stored once: a tile that moves through a matrix costs 24 bytes an access though no stride
// describes it.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/trace/event.h"
#include "engine/trace/trace.h"

namespace warplens::trace {

enum class AddressMode : std::uint8_t { Affine, Pattern, Verbose, Copy };

// The steps of one block while they are being recorded.
class StepEncoder {
 public:
  void add(const Access& access);
  void add(const Branch& branch);
  void add(const Barrier& barrier);
  void add(const MaskChange& change);

  const std::vector<Step>& steps() const { return steps_; }
  std::size_t bytes() const { return steps_.size() * sizeof(Step) + pool_.size() * sizeof(std::uint32_t); }
  // Both end the recording.
  std::vector<Step> take_steps() { return std::move(steps_); }
  std::vector<std::uint32_t> take_pool() { return std::move(pool_); }
  void forget_patterns() { known_.clear(); }

 private:
  std::uint32_t pattern(SiteId site, const std::uint32_t* words, std::size_t count);

  std::vector<Step> steps_;
  std::vector<std::uint32_t> pool_;
  std::array<std::uint32_t, 64> last_{};                    // a site's last pattern, sites 64 apart share
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // hash of a pattern -> where it is
};

AddressMode address_mode(const Step& step);
Space space_of(const Step& step);
int bytes_of(const Step& step);
// Pool words that an access step reads, and where they start (0 words: none).
struct PoolRange {
  std::uint64_t first = 0, count = 0;
};
PoolRange pool_range(const Step& step, const std::vector<std::uint32_t>& pool);
// Moves a step's pool index when its block's pool is appended to another.
void rebase(Step& step, std::uint64_t offset);
// Fills space, bytes, active and addresses; the pool must hold the step's range.
void decode(const Step& step, const std::vector<std::uint32_t>& pool, AccessView& out);

}  // namespace warplens::trace
