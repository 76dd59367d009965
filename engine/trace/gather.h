// Addresses that follow from what the warp loaded before: x[index[i]], bins[value[i] & 63].
//
// A buffer that a formula fills (mod:M, perm:A, hash, iota) need not be remembered to know its elements. When
// a load of the warp fetched elements first, first + stride, ... of such a buffer and an access behind it
// goes to base + scale * f(element), the access is stored as that: a Gather, which its site has in common,
// and two words of its own, where 32 random addresses out of a million take 80 bytes.
//
//   i = index[t];      element t of mod:1000000          Gather {mod 1000000, stride 1, scale 4}
//   y = x[i];          base + 4 * (fmix32(t) mod 10^6)   own words: t of the first lane, base
//
// Nothing is taken for granted: a Gather is used where it yields all addresses of the access, whatever the
// kernel did; where it does not (the buffer was written before, the values come from a file), the access is
// stored by its addresses (pattern.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/trace/event.h"
#include "engine/trace/launch.h"

namespace warplens::trace {

// An integer element of a buffer as its initialiser makes it (launch.h), cut to the element's type.
struct ElementFormula {
  Init init = Init::Iota;
  ElementType type = ElementType::I32;
  std::int64_t parameter = 0;
  std::uint64_t count = 1;
  std::int64_t element(std::uint64_t index) const;
  bool operator==(const ElementFormula&) const = default;
};
// None for buffers of equal elements, of fractions, from a file, or of more than 2^32 elements.
std::optional<ElementFormula> formula_of(const Argument& argument);

struct Gather {
  ElementFormula formula;
  std::int32_t stride = 0;         // elements from one lane of the load to the next
  std::int32_t scale = 0;          // bytes
  unsigned shift = 0, width = 64;  // of the element, these bits; 64: all of it
  std::uint64_t offset(std::uint64_t first, int lane_distance) const;  // from the base
  bool operator==(const Gather&) const = default;

  // As a trace keeps it.
  static constexpr std::size_t kWords = 6;
  using Words = std::array<std::uint32_t, kWords>;
  Words words() const;
  // Nothing when no Gather has these words.
  static std::optional<Gather> from(std::span<const std::uint32_t, kWords> words);
};

// The buffers of a launch that have a formula, and where they lie.
struct GatherSource {
  std::uint64_t base = 0, bytes = 0, element_bytes = 4;
  ElementFormula formula;
};
std::vector<GatherSource> gather_sources(const Launch& launch, std::span<const std::uint64_t> bases);

// Looks for the load that an access follows from. Of one block.
class GatherFinder {
 public:
  void set_sources(std::span<const GatherSource> sources) { sources_ = sources; }
  void reset();  // another block
  // Every access whose addresses have a stride.
  void note(const Access& access);

  struct Found {
    Gather gather;
    std::uint32_t first = 0;  // element of the first active lane
    std::uint64_t base = 0;
  };
  std::optional<Found> find(const Access& access);

 private:
  static constexpr std::size_t kRemembered = 4;  // loads a warp, one a site
  struct Load {
    SiteId site = kNoSite;
    std::uint32_t source = 0;
    std::int64_t first = 0;  // the element that lane 0 has, or would have
    std::int64_t stride = 0;
    std::uint32_t elements = 1;  // a lane
  };
  struct Warp {
    std::array<Load, kRemembered> loads;
    std::size_t next = 0;
  };
  // What held for the last access of a site.
  struct Habit {
    SiteId site = kNoSite, load = kNoSite;
    std::uint32_t element = 0;
    Gather gather;
    int failures = 0;
  };
  bool fit(const Load& load, std::uint32_t element, const Access& access, const Gather& gather, Found& out);
  bool solve(const Load& load, std::uint32_t element, const Access& access, Gather& gather);

  std::span<const GatherSource> sources_;
  std::vector<Warp> warps_;
  std::array<Habit, 16> habits_;
};

}  // namespace warplens::trace
