#include "engine/simt/checks/written_marks.h"

#include <atomic>
#include <bit>
#include <cstring>

#include "engine/simt/lasting_memory.h"

namespace warplens::simt {
namespace {

// Workers write marks beside each other. An access lies at a multiple of its width, and so do its marks.
template <typename Word>
constexpr Word kWritten = static_cast<Word>(0x0101010101010101u);
template <typename Word>
Word load_marks(std::uint8_t* at) {
  return std::atomic_ref(*reinterpret_cast<Word*>(at)).load(std::memory_order_relaxed);
}
template <typename Word>
void store_marks(std::uint8_t* at) {
  std::atomic_ref(*reinterpret_cast<Word*>(at)).store(kWritten<Word>, std::memory_order_relaxed);
}

// visit(word-sized piece of marks) for the marks of each lane.
template <typename Word, typename Visit>
void for_lanes(std::uint8_t* marks, const std::uint64_t* addresses, LaneMask lanes, unsigned words,
               Visit visit) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint8_t* const at = marks + addresses[lane];
    for (unsigned w = 0; w < words; ++w) visit(lane, at + w * sizeof(Word));
  }
}

template <typename Visit>
void for_widths(unsigned width, Visit visit) {
  switch (width) {
    case 1:
      return visit(std::uint8_t{}, 1u);
    case 2:
      return visit(std::uint16_t{}, 1u);
    case 4:
      return visit(std::uint32_t{}, 1u);
    default:
      return visit(std::uint64_t{}, width / 8);
  }
}

// Of address 0, so that an address is the index.
std::uint8_t* marks_of(const LastingMemory& memory) {
  return memory.written - memory.origin();
}

}  // namespace

LaneMask find_unwritten(const LastingMemory& memory, const std::uint64_t* addresses, LaneMask lanes,
                        unsigned width) {
  LaneMask found = 0;
  if (memory.written == nullptr) return found;
  for_widths(width, [&]<typename Word>(Word, unsigned words) {
    for_lanes<Word>(marks_of(memory), addresses, lanes, words, [&](unsigned lane, std::uint8_t* at) {
      if (load_marks<Word>(at) != kWritten<Word>) found |= LaneMask{1} << lane;
    });
  });
  return found;
}

void mark_written(const LastingMemory& memory, const std::uint64_t* addresses, LaneMask lanes,
                  unsigned width) {
  if (memory.written == nullptr) return;
  for_widths(width, [&]<typename Word>(Word, unsigned words) {
    for_lanes<Word>(marks_of(memory), addresses, lanes, words,
                    [&](unsigned, std::uint8_t* at) { store_marks<Word>(at); });
  });
}

void mark_written(const LastingMemory& memory, std::uint64_t address, std::uint64_t bytes) {
  if (memory.written != nullptr) std::memset(marks_of(memory) + address, 1, bytes);
}

}  // namespace warplens::simt
