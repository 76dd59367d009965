// How an operation reaches memory: addresses of a warp are classified once, checked against the buffers,
// reported to listeners and to the shadow memories, and then moved by a loop that fits their pattern.
//
//   a[i], 32 neighbouring floats:  pattern Contiguous, one range check, two copies of 64 bytes
//   a[0] for every lane:           Uniform, one load
//   anything else:                 General, a range check over the lowest and highest, then lane by lane
// Uniform and Contiguous are judged for each half of the warp: a 16 x 16 tile is read by halves.
#pragma once

#include <cstdint>
#include <cstring>

#include "engine/simt/memory/memory_places.h"
#include "engine/simt/ops/op.h"
#include "engine/trace/event.h"

namespace warplens::simt {

// What Op::flags of a memory operation hold above the common bits.
namespace memory_flags {
inline constexpr std::uint32_t kWeakVolatile = 1u << 5;  // ld.volatile and st.volatile, of those kVolatile
inline constexpr std::uint32_t kBlockScope = 1u << 6;  // of those kVolatile, seen as such by their block only
inline constexpr unsigned kSpaceShift = 8;             // 4 bits: trace::Space
inline constexpr std::uint32_t kWideAddress = 1u << 12;  // address row holds u64, else u32
inline constexpr unsigned kVectorShift = 13;             // 3 bits: elements, as a power of two
inline constexpr unsigned kBytesShift = 16;              // 8 bits: bytes a lane
inline constexpr unsigned kKindShift = 24;               // 4 bits: trace::SiteKind
inline constexpr std::uint32_t kVolatile = 1u << 28;     // volatile, relaxed, acquire, release
inline constexpr std::uint32_t kFrame = 1u << 29;        // address is relative to the call frame
inline constexpr std::uint32_t kNoCount = 1u << 30;      // not an access of its own for listeners
inline constexpr std::uint32_t kOrders = 1u << 31;       // acquire or release
}  // namespace memory_flags

constexpr trace::Space space_of(const Op& op) {
  return static_cast<trace::Space>((op.flags >> memory_flags::kSpaceShift) & 15);
}
constexpr unsigned vector_of(const Op& op) {
  return 1u << ((op.flags >> memory_flags::kVectorShift) & 7);
}
constexpr unsigned bytes_of(const Op& op) {
  return (op.flags >> memory_flags::kBytesShift) & 255;
}
constexpr trace::SiteKind kind_of(const Op& op) {
  return static_cast<trace::SiteKind>((op.flags >> memory_flags::kKindShift) & 15);
}

enum class Pattern : std::uint8_t { Uniform, Contiguous, General };

// A warp access ready to be moved: lane l of `mask` is at host address base + address(l).
struct Prepared {
  std::uintptr_t base = 0;
  LaneMask served = 0;   // lanes this call was about (generic accesses: those of one space)
  LaneMask mask = 0;     // of them, the lanes that may touch memory
  LaneMask nowhere = 0;  // of them, those that a GPU lets pass where we have no memory: they read zeros
  Pattern pattern = Pattern::General;
  trace::Space space = trace::Space::Global;
  unsigned first = 0;    // lowest lane of the mask
  Cta* block = nullptr;  // Shared: whose memory it is, when it is another block of the cluster
  // Uniform and Contiguous (full mask): addresses of lanes 0 and 16.
  std::uint64_t half[2] = {0, 0};
  // General: the addresses are those of the register row plus `addend`, or those in `offset`.
  const u32* narrow = nullptr;
  const u64* wide = nullptr;
  std::uint64_t addend = 0;
  alignas(64) std::uint64_t offset[kWarpSize];

  std::uint64_t address(unsigned l) const {
    return narrow != nullptr ? narrow[l] + addend : wide[l] + addend;
  }
  // All addresses in `offset`, whatever the pattern.
  void spell_out();
};

// One value in emulated memory, aligned to its size. Workers may touch it at the same time, where the
// emulated kernel lets two blocks do so: a relaxed atomic is the same move, and says so.
template <typename T>
inline T peek_aligned(std::uintptr_t at) {
  T value;
  __atomic_load(reinterpret_cast<const T*>(at), &value, __ATOMIC_RELAXED);
  return value;
}
template <typename T>
inline void poke_aligned(std::uintptr_t at, T value) {
  __atomic_store(reinterpret_cast<T*>(at), &value, __ATOMIC_RELAXED);
}
// The same anywhere: without checks a kernel's misaligned accesses are let through.
template <typename T>
inline T peek(std::uintptr_t at) {
  if (at % sizeof(T) == 0) return peek_aligned<T>(at);
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof(T));
  return value;
}
template <typename T>
inline void poke(std::uintptr_t at, T value) {
  if (at % sizeof(T) == 0) return poke_aligned<T>(at, value);
  std::memcpy(reinterpret_cast<void*>(at), &value, sizeof(T));
}

// Classifies, checks, reports. Op: a = address row (kNoRow: absolute), imm = byte offset, flags as above.
// Generic accesses whose lanes lie in different spaces come back one space at a time: call again with the
// lanes that are left until all were served.
void prepare(const Op& op, Warp& warp, LaneMask mask, Prepared& out);

// Fills in affine and stride where the addresses of these lanes have one.
void find_stride(const std::uint64_t* addresses, LaneMask mask, trace::Access& access);

// Decoding shared by the families: fills a, imm and the flags for an address operand. The kind of access is
// that of the instruction's site (trace::site_kind).
bool decode_address(DecodeContext& context, const ptx::Form& form, const ptx::Operand& operand, Op& op,
                    unsigned element_bytes, unsigned elements);
// The same of an operand that is something else than what the site is of: the mbarrier of a copy.
bool decode_address(DecodeContext& context, const ptx::Form& form, const ptx::Operand& operand, Op& op,
                    trace::SiteKind kind, unsigned element_bytes, unsigned elements);

// An atomic update that a form names (add.u32, max.s64, ...) for those who are no atom or red: kNoRow when
// there is none. apply_update replaces the value at a host address by its combination with the operand.
std::uint32_t find_update(const ptx::Form& form);
void apply_update(std::uint32_t which, std::uintptr_t at, const void* operand, bool concurrent);

// Tells the listeners that these lanes have come to a barrier of a warp or to an mbarrier.
void tell_barrier(const Op& op, Warp& warp, LaneMask mask, trace::Barrier::Phase phase);

// `bytes` that the mbarrier at this address of shared memory waits for have landed.
void complete_transfer(const Op& op, Warp& warp, unsigned lane, std::uint64_t address, std::uint64_t bytes);

// The rest of a group of cp.async lands (cp_async of memory_async.cpp).
void land_copies(Warp& warp, LaneMask lanes, std::uint32_t groups_left);

}  // namespace warplens::simt
