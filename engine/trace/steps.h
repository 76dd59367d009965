// How the steps of a trace are kept: 4 or 8 bytes each, and what repeats from step to step once.
//
// A step is a head, its warp and its form, and mostly one 32-bit value. The form holds what many steps share:
// the instruction, the active lanes, the stride or the pattern of the addresses, and where even that repeats
// (the branch of a loop, a barrier, an access to shared memory) the value. Every step is reached by its
// number at once, whatever came before.
//
// kind       form holds                                     value
// Affine     stride (aux), high half of the first address   low half of it
// Pattern    where it lies in the pool (aux), high half     low half of the lowest address
//            of the lowest address, lowest shared address
// Own        high half of the lowest address                where the pattern lies in the pool
// Gather     where it lies in the pool (aux), high half     where the first element and the low half of
//            of the base                                    the base lie in the pool
// branch                                                    taken lanes
// barrier    phase (detail)                                 barrier id
// mask       instruction (site), exited lanes (aux), high   low half of the warp instruction
//            half of the warp instruction
//
// Lanes that a form meets for the first time do not make a new one: they stand in the pool, the value says
// where, and behind them the value itself, a mask's exited lanes, where a pattern lies, or an access's own
// words. What pattern.h packs is stored once: the first access with it is its owner, later ones point to it.
// So is what gather.h says of a site's accesses.
//
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/lanes.h"
#include "engine/trace/site.h"

namespace warplens::trace {

enum class StepKind : std::uint8_t { Access, Branch, Barrier, Mask };
enum class AddressMode : std::uint8_t { Affine, Pattern, Own, Gather };

// A step as its readers see it.
struct Step {
  SiteId site = kNoSite;  // Mask: the instruction
  LaneMask active = 0;
  std::uint32_t warp = 0;
  StepKind kind = StepKind::Access;
  Space space = Space::None;  // Access
};

struct StepForm {
  SiteId site = kNoSite;
  LaneMask active = 0;
  std::uint32_t aux = 0, high = 0, shared = 0;
  std::uint32_t value = 0;  // of every step, when fixed
  StepKind kind = StepKind::Access;
  std::uint8_t fixed = 0;
  std::uint8_t lanes_in_pool = 0;
  std::uint8_t detail = 0;  // access: space, mode, width (step_codec.cpp); barrier: phase
  bool operator==(const StepForm&) const = default;
};
static_assert(sizeof(StepForm) == 28);

constexpr Space space_of(const StepForm& form) {
  return static_cast<Space>(form.detail & 7u);
}

class StepStore {
 public:
  static constexpr unsigned kWarpBits = 5;  // a block has at most 32 warps
  std::vector<StepForm> forms;
  std::vector<std::uint32_t> pool;

  std::size_t size() const { return heads_.size(); }
  const std::vector<std::uint32_t>& heads() const { return heads_; }
  const std::vector<std::uint32_t>& values() const { return values_; }
  std::uint32_t form_number(std::size_t i) const { return heads_[i] >> kWarpBits; }
  const StepForm& form_of(std::size_t i) const { return forms[form_number(i)]; }
  std::uint32_t warp_of(std::size_t i) const { return heads_[i] & ((1u << kWarpBits) - 1); }
  std::uint32_t value_of(std::size_t i) const {
    const StepForm& form = form_of(i);
    if (form.fixed != 0) return form.value;
    const std::uint64_t before = valued_[i / kGroup] & ((std::uint64_t{1} << i % kGroup) - 1);
    return values_[first_value_[i / kGroup] + static_cast<std::uint32_t>(std::popcount(before))];
  }
  LaneMask active_of(std::size_t i) const {
    const StepForm& form = form_of(i);
    return form.lanes_in_pool != 0 ? pool[value_of(i)] : form.active;
  }
  Step at(std::size_t i) const {
    const StepForm& form = form_of(i);
    return {form.site, active_of(i), warp_of(i), form.kind, space_of(form)};
  }
  // `value` is kept unless the form has it.
  void push(std::uint32_t form, std::uint32_t warp, std::uint32_t value);
  void pop();
  // All steps at once, as a file has them; false when heads and values do not fit each other.
  bool assign(std::vector<std::uint32_t> heads, std::vector<std::uint32_t> values);
  std::size_t bytes() const;
  void shrink();

 private:
  static constexpr std::size_t kGroup = 64;
  void note(std::size_t step, bool valued);

  std::vector<std::uint32_t> heads_, values_;
  // Where a step's value is: which steps of a group have one, and how many came before the group.
  std::vector<std::uint64_t> valued_;
  std::vector<std::uint32_t> first_value_;
};

// The steps of a trace as a list of Step; refers to the trace's own.
class StepList {
 public:
  explicit StepList(const StepStore& store) : store_(&store) {}
  std::size_t size() const { return store_->size(); }
  Step operator[](std::size_t i) const { return store_->at(i); }

 private:
  const StepStore* store_;
};

}  // namespace warplens::trace
