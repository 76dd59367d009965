#include "engine/trace/pattern.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace warplens::trace {
namespace {

constexpr std::uint32_t kCopy = 1u << 31;

struct Packing {
  unsigned width = 0, shift = 0;
};

Packing packing_of(std::uint32_t head, bool shared) {
  const std::uint32_t part = shared ? head >> 13 : head;
  return {part & 127u, part >> 7 & 63u};
}

std::uint32_t part_of(Packing packing) {
  return packing.width | packing.shift << 7;
}

class BitWriter {
 public:
  explicit BitWriter(std::uint32_t* out) : out_(out) {}
  void put(std::uint64_t value, unsigned width) {
    if (width > 32) {
      put(value & 0xffffffffu, 32);
      value >>= 32;
      width -= 32;
    }
    pending_ |= value << filled_;
    filled_ += width;
    if (filled_ < 32) return;
    *out_++ = static_cast<std::uint32_t>(pending_);
    pending_ >>= 32;
    filled_ -= 32;
  }
  std::uint32_t* finish() {
    if (filled_ > 0) *out_++ = static_cast<std::uint32_t>(pending_);
    return out_;
  }

 private:
  std::uint32_t* out_;
  std::uint64_t pending_ = 0;
  unsigned filled_ = 0;  // below 32 between calls
};

std::uint64_t bits_at(std::span<const std::uint32_t> words, std::size_t bit, unsigned width) {
  if (width == 0) return 0;
  if (width > 32) return bits_at(words, bit, 32) | bits_at(words, bit + 32, width - 32) << 32;
  const std::size_t word = bit / 32, offset = bit % 32;
  std::uint64_t two = words[word];
  if (offset + width > 32) two |= std::uint64_t{words[word + 1]} << 32;
  return two >> offset & ((std::uint64_t{1} << width) - 1);
}

std::uint64_t lowest_of(LaneMask active, const std::uint64_t* addresses) {
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  for (LaneMask left = active; left != 0; left &= left - 1)
    lowest = std::min(lowest, addresses[std::countr_zero(left)]);
  return lowest;
}

Packing packing_for(LaneMask active, const std::uint64_t* addresses, std::uint64_t lowest) {
  std::uint64_t any = 0;  // its top bit is that of the largest, its low zeros are those all have
  for (LaneMask left = active; left != 0; left &= left - 1) any |= addresses[std::countr_zero(left)] - lowest;
  if (any == 0) return {};
  const auto shift = static_cast<unsigned>(std::countr_zero(any));
  return {static_cast<unsigned>(std::bit_width(any)) - shift, shift};
}

void put_distances(BitWriter& bits, LaneMask active, const std::uint64_t* addresses, std::uint64_t lowest,
                   Packing packing) {
  for (LaneMask left = active; left != 0; left &= left - 1)
    bits.put((addresses[std::countr_zero(left)] - lowest) >> packing.shift, packing.width);
}

}  // namespace

Pattern::Pattern(LaneMask active, const std::uint64_t* addresses, const std::uint64_t* shared)
    : lowest_(lowest_of(active, addresses)) {
  const Packing packing = packing_for(active, addresses, lowest_);
  words_[0] = part_of(packing);
  words_[1] = static_cast<std::uint32_t>(lowest_);
  std::uint64_t lowest_shared = 0;
  Packing shared_packing;
  if (shared != nullptr) {
    lowest_shared = lowest_of(active, shared);
    // One word is kept of it; what lies further out is all distance.
    if (lowest_shared > std::numeric_limits<std::uint32_t>::max()) lowest_shared = 0;
    shared_packing = packing_for(active, shared, lowest_shared);
    words_[0] |= kCopy | part_of(shared_packing) << 13;
    words_[2] = static_cast<std::uint32_t>(lowest_shared);
  }
  BitWriter bits(words_.data() + distances_at(words_[0]));
  put_distances(bits, active, addresses, lowest_, packing);
  if (shared != nullptr) put_distances(bits, active, shared, lowest_shared, shared_packing);
  count_ = static_cast<std::size_t>(bits.finish() - words_.data());
}

bool is_copy(std::uint32_t head) {
  return (head & kCopy) != 0;
}

std::size_t distances_at(std::uint32_t head) {
  return is_copy(head) ? 3 : 2;
}

std::size_t pattern_words(std::uint32_t head, int lanes) {
  const unsigned width = packing_of(head, false).width, shared = packing_of(head, true).width;
  if (width > 64 || shared > 64 || (!is_copy(head) && shared != 0)) return 0;
  return distances_at(head) + (std::size_t{width + shared} * static_cast<std::size_t>(lanes) + 31) / 32;
}

void unpack(std::span<const std::uint32_t> pattern, LaneMask active, std::uint64_t lowest,
            std::uint64_t lowest_shared, std::uint64_t* addresses, std::uint64_t* shared) {
  const auto words = pattern.subspan(distances_at(pattern[0]));
  std::size_t bit = 0;
  const auto read = [&](Packing packing, std::uint64_t base, std::uint64_t* out) {
    for (LaneMask left = active; left != 0; left &= left - 1, bit += packing.width)
      out[std::countr_zero(left)] = base + (bits_at(words, bit, packing.width) << packing.shift);
  };
  read(packing_of(pattern[0], false), lowest, addresses);
  if (is_copy(pattern[0])) read(packing_of(pattern[0], true), lowest_shared, shared);
}

}  // namespace warplens::trace
