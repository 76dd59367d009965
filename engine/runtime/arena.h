// The memory of the emulated device: one range of addresses of this process, from simt::kGlobalBase on, so
// that device pointers are host pointers. Pages cost memory once they are touched.
//
//   Arena arena;                                  // maps the range
//   std::uint64_t a = arena.allocate(4096, Kind::Device);   0: there is no room
//   arena.find(a + 100)->bytes                    // 4096
//
// Between allocations lie at least 256 bytes that belong to nobody. Modulo 64 KiB addresses are those that
// cudaMalloc would give: how many passes an atomic takes depends on them.
#pragma once

#include <cstdint>
#include <map>

#include "engine/simt/lasting_memory.h"

namespace warplens::runtime {

enum class Kind : std::uint8_t { Device, Pinned, Managed, Array, Variable, Registered };

struct Allocation {
  std::uint64_t address = 0, bytes = 0;
  Kind kind = Kind::Device;
  std::uint64_t number = 0;  // of those that the program asked for, from 1; 0: it did not
  unsigned flags = 0;        // as it asked
  int pool = 0;              // of cudaMallocAsync: which; 0: none
  int device = 0;            // the one that was current
  bool written = false;      // all of it, as far as anybody watches
  std::uint64_t end() const { return address + bytes; }
};

class Arena {
 public:
  static constexpr std::uint64_t kReach = std::uint64_t{64} << 30;

  Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  bool mapped() const { return mapped_; }  // false: the addresses are taken, nothing can be allocated
  // From now on it is known which bytes of what cudaMalloc and its like give out nobody has written; those
  // who write to the device's memory say so. All else counts as written.
  void watch_writes();
  void wrote(const void* at, std::uint64_t bytes);
  void copied(const void* to, const void* from, std::uint64_t bytes);
  // Somebody who does not say where has written.
  void wrote_anywhere();
  // What kernels may touch of it, but for arrays.
  simt::LastingMemory& places() { return places_; }

  // `name`: of a variable. 0 when there is no room.
  std::uint64_t allocate(std::uint64_t bytes, Kind kind, const std::string& name = {});
  // Memory of the program's own, which kernels may touch from now on, where it is.
  bool enter(std::uint64_t address, std::uint64_t bytes, unsigned flags);
  bool release(std::uint64_t address);
  // Addresses without memory, as those of memory nodes of graphs and of cuMemAddressReserve: kept until
  // give_up() and the last release() in them. Memory is put there and taken away as often as one likes.
  std::uint64_t reserve(std::uint64_t bytes, std::uint64_t alignment);
  bool put(std::uint64_t address, std::uint64_t bytes, Kind kind);  // false: it is not reserved, or not empty
  bool give_up(std::uint64_t address);
  bool is_reserved(const void* pointer) {
    return reservation_of(reinterpret_cast<std::uint64_t>(pointer)) != reserved_.end();
  }
  // What holds this address; nullptr: nothing.
  Allocation* find(std::uint64_t address);
  // One that has some of these addresses; nullptr: none.
  Allocation* overlapping(std::uint64_t begin, std::uint64_t end);
  Allocation* find(const void* pointer) { return find(reinterpret_cast<std::uint64_t>(pointer)); }
  // What the program had there and has freed; nullptr: nothing, or it is not remembered.
  const Allocation* freed(std::uint64_t address) const;
  static bool covers(const void* pointer);  // is it an address of the device's range?

  std::uint64_t total() const { return total_; }
  std::uint64_t used() const { return used_; }
  std::uint64_t newest() const { return number_; }  // the highest Allocation::number so far
  const std::map<std::uint64_t, Allocation>& all() const { return allocations_; }

 private:
  struct Reservation {
    std::uint64_t end = 0;
    bool wanted = true;
  };
  std::map<std::uint64_t, Reservation>::iterator reservation_of(std::uint64_t address);
  void begin_marks(Allocation& made);
  void take(std::uint64_t hole, std::uint64_t at, std::uint64_t bytes);
  std::uint64_t place(std::uint64_t bytes);
  void give_back(std::uint64_t begin, std::uint64_t end);

  bool mapped_ = false;
  std::uint64_t total_ = 0, used_ = 0, number_ = 0;
  std::uint64_t in_chunk_ = 0;  // where in its chunk of 2 MiB cudaMalloc would put the next small one
  void remember(const Allocation& gone);
  void forget(std::uint64_t begin, std::uint64_t end);

  std::map<std::uint64_t, Allocation> allocations_;
  std::map<std::uint64_t, Allocation> freed_;     // none overlaps another; new memory forgets what was there
  std::map<std::uint64_t, std::uint64_t> holes_;  // begin -> end
  std::map<std::uint64_t, Reservation> reserved_;
  simt::LastingMemory places_;
};

}  // namespace warplens::runtime
