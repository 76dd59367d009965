// With every check: two operations that touch the same bytes in streams between which nothing makes an order.
// The emulator does what a stream is asked for at once, so such a program is right here; on a GPU either may
// come first.
//
//   order.made(stream, waits_for_legacy);           // cudaStreamCreate
//   const auto begun = order.begin(stream, writes); // then it is carried out
//   order.end(begun, {what it is, touched});        // tells of those before it that it is not ordered with
//   event.after = order.moment(stream);             // cudaEventRecord
//   order.wait(stream, event.after);                // cudaStreamWaitEvent
//   order.host_waits(order.moment(stream));         // cudaStreamSynchronize
//
// An order is supposed wherever there may be one: all threads of the host are one, nodes of a graph come one
// after the other, a call that may wait for the device does, and two launches that look at what the other one
// signals (atomics, volatile accesses) are taken to wait for each other. As long as all of a program's
// streams have an order nothing is kept. Under the Context's mutex.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/base/message.h"
#include "engine/trace/touched.h"

namespace warplens::runtime {

class Context;

using trace::ByteRange;
using trace::ByteRanges;
using trace::Touched;

// Of each stream how many of its operations lie before: a moment of a stream, of an event or of the host.
using Moment = std::map<std::uint64_t, std::uint64_t>;

class StreamOrder {
 public:
  explicit StreamOrder(Context& all) : all_(all) {}

  static constexpr std::uint64_t kLegacy = 0;
  void made(std::uint64_t stream, bool waits_for_legacy);
  bool watches() const { return with_legacy_.size() > 1 || !alone_.empty(); }

  Moment moment(std::uint64_t stream);
  void wait(std::uint64_t stream, const Moment& moment);
  void host_waits(const Moment& moment);
  void host_waits_for_all();

  struct Operation {
    std::string kind;  // by which a pair of operations is told once: the kernel, "copy", "fill"
    bool kernel = false;
    Message what;  // "launch 3 (scale)", "a copy of 4,096 bytes"
    Touched touched;
    std::string place;  // calling_place()
  };
  // Of an operation that is carried out now.
  struct Begun {
    std::uint64_t stream = 0, number = 0;
    Moment after;
    // What earlier operations without an order have written and it may write, as it is before it.
    struct Before {
      ByteRange range;
      std::vector<std::uint8_t> bytes;
    };
    std::vector<Before> before;
  };
  // `writes`: all that it will write, where that is known.
  Begun begin(std::uint64_t stream, const ByteRanges* writes = nullptr);
  void end(const Begun& begun, Operation operation);

 private:
  struct Done {
    std::uint64_t stream = 0, number = 0;
    std::uint64_t newest = 0;  // of the allocations that there were
    Operation operation;
  };
  enum class Conflict : std::uint8_t { Read, Overwritten, BothChange, BothWrite };

  bool is_before(const Done& done, const Moment& moment) const;
  void look(const Done& first, const Begun& begun, const Operation& second);
  bool is_told(const Done& first, const Begun& begun, const Operation& second, Conflict conflict,
               ByteRange bytes);
  void keep(const Begun& begun, Operation operation);
  void drop_ordered();
  static std::size_t size_of(const Operation& operation);

  Context& all_;
  std::set<std::uint64_t> with_legacy_, alone_;  // streams that wait for the legacy stream, and that do not
  std::map<std::uint64_t, Moment> moments_;      // of streams
  std::map<std::uint64_t, std::uint64_t> numbers_;
  Moment host_;
  std::vector<Done> done_;  // that later operations may not be ordered with, the oldest first
  std::set<std::string> told_;
};

}  // namespace warplens::runtime
