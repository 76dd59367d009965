// Launches that find what an earlier one found: the same kernel, sizes and arguments, and the same bytes in
// all memory of the device. Programs that measure launch the same a hundred times; what such a launch does is
// known, so its results are put where the earlier one left them and its counts are that one's.
//
//   if (const SameLaunch* same = repeats.take(arena, launch)) ...   // memory is as after it
//   else { run it; repeats.took(launch, seconds);
//          if (repeats.looked()) repeats.learn(arena, launch, {index, outcome, totals}); }
//
// Memory is compared by marks of 64 bits a piece. Where looking at all of it costs more than a quarter of the
// launch nobody looks, and ever more rarely where memory was another each time. Kernels that read
// clocks, or on which SM they run, are always executed. A kernel whose result depends on the order of its
// atomics has one of its possible results again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/analysis/totals.h"
#include "engine/runtime/arena.h"
#include "engine/simt/emulator.h"
#include "engine/trace/touched.h"

namespace warplens::runtime {

struct KernelLaunch;
struct Function;

struct SameLaunch {
  std::uint64_t index = 0;
  simt::Outcome outcome;  // without what is counted by instruction
  std::optional<analysis::Totals> totals;
  trace::Touched touched;  // where the order of streams is followed
};

class Repeats {
 public:
  // The launch that did it; nullptr: none is known, or it is not worth looking. Stays valid until the next
  // call.
  const SameLaunch* take(Arena& arena, const KernelLaunch& launch);
  // Behind a take() that found nothing, when the launch has completed without a fault: how long it took, and
  // where take() has looked at memory, what it did.
  void took(const KernelLaunch& launch, double seconds);
  bool looked() const { return before_.has_value(); }
  void learn(Arena& arena, const KernelLaunch& launch, SameLaunch done);

 private:
  // All that a launch can find, in pieces.
  struct State {
    std::vector<std::uint64_t> marks;
    bool operator==(const State&) const = default;
  };
  struct Piece {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;
  };
  struct Known {
    double seconds = 0;  // that it took when it ran last
    std::optional<SameLaunch> launch;
    State before;
    std::vector<Piece> left;  // what it changed, as it left it
    unsigned in_vain = 0;     // looks that found other memory
    std::uint64_t waits = 0;  // launches that go by without a look
  };
  using Key = std::pair<const Function*, std::vector<std::uint8_t>>;

  static Key key_of(const KernelLaunch& launch);
  bool is_steady(Function& function);
  State look(Arena& arena);
  void keep_changes(Arena& arena, const State& after, Known& known);
  void forget(Known& known);

  std::map<Key, Known> known_;
  std::map<const Function*, bool> steady_;
  std::optional<State> before_;  // of the launch between take() and learn()
  double bytes_a_second_ = 4e9;  // of a look
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace warplens::runtime
