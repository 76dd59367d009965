// Which bytes of global memory an operation of a stream reads and writes, byte by byte: copies and fills say
// it of themselves, of launches a listener finds it out.
//
//   TouchLog log(kernel.sites(), begin_of_memory, its_bytes);
//   simt::run(kernel, launch, options, memory, {&log});
//   const Touched touched = log.take();
//   overlap(touched.writes, other.reads)     // nothing, or the first bytes that both have
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/trace/event.h"

namespace warplens::trace {

struct ByteRange {
  std::uint64_t begin = 0, end = 0;
  bool operator==(const ByteRange&) const = default;
};
using ByteRanges = std::vector<ByteRange>;  // ascending, with gaps between them

struct Touched {
  ByteRanges reads, writes;  // by plain loads and stores, copies and fills
  // By atomics and by accesses that are volatile or have an order of memory, with which operations that run
  // at the same time may talk to each other: what they looked at, and what they changed.
  ByteRanges looks, signals;
  bool operator==(const Touched&) const = default;
};

std::optional<ByteRange> overlap(const ByteRanges& a, const ByteRanges& b);
// visit(bytes that both have), in ascending order, until it answers false.
template <typename Visit>
void for_overlaps(const ByteRanges& a, const ByteRanges& b, Visit visit) {
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    const ByteRange both{std::max(x->begin, y->begin), std::min(x->end, y->end)};
    if (both.begin < both.end && !visit(both)) return;
    (x->end < y->end ? x : y)++;
  }
}

// Not of textures and bulk copies, whose bytes no event tells. A launch that touches more than kMostPages or
// in more than kMostRanges pieces is taken as one that touches nothing.
class TouchLog : public Listener {
 public:
  // Most of what is touched lies from `begin` on in `reach` bytes; the rest may be anywhere.
  TouchLog(const std::vector<Site>& sites, std::uint64_t begin, std::uint64_t reach);
  std::unique_ptr<Listener> fork() const override;
  void join(Listener& other) override;
  Wants wants() const override { return {.accesses = true}; }
  void on_launch(const Launch&, std::span<const std::uint64_t>) override;
  void on_access(const Access& access) override;
  Touched take();

 private:
  static constexpr std::size_t kMostPages = std::size_t{1} << 14;  // 1 GB
  static constexpr std::size_t kMostRanges = std::size_t{1} << 20;
  static constexpr unsigned kPageBits = 16, kWords = (1u << kPageBits) / 64;
  enum Way : unsigned { Reads, Writes, Looks, Signals, kWays };
  enum class Order : std::uint8_t { Plain, Strong, Result };  // Result: an atomic whose result is used
  using Bits = std::array<std::uint64_t, kWords>;
  struct Page {
    std::array<std::unique_ptr<Bits>, kWays> bits;
  };
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  using Table = std::unique_ptr<Bits*[], Free>;  // by page of the reach; memory once a page is touched

  TouchLog(std::shared_ptr<const std::vector<Order>> orders, std::uint64_t first, std::uint64_t pages)
      : orders_(std::move(orders)), first_page_(first), table_pages_(pages) {}
  void mark(Way way, std::uint64_t begin, std::uint64_t bytes);
  void mark(Way way, const Access& access);
  Bits* bits_of(Way way, std::uint64_t page);
  void clear();
  ByteRanges ranges(Way way, const std::vector<std::uint64_t>& pages);

  std::shared_ptr<const std::vector<Order>> orders_;  // by site
  std::unordered_map<std::uint64_t, Page> pages_;     // by address >> kPageBits
  std::uint64_t first_page_ = 0, table_pages_ = 0;
  std::array<Table, kWays> tables_;
  bool too_much_ = false;
};

}  // namespace warplens::trace
