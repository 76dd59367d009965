// How events become the steps of a StepStore (steps.h) and back.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/trace/event.h"
#include "engine/trace/gather.h"
#include "engine/trace/steps.h"
#include "engine/trace/trace.h"

namespace warplens::trace {

// Appends steps to a store and keeps its forms and patterns single.
class StepWriter {
 public:
  // Steps whose form is complete but for the lanes.
  void put(StepForm form, std::uint32_t warp, LaneMask active, std::uint32_t value);
  // An access with this pattern of words, whose form lacks mode and lanes. Returns where the pattern lies.
  std::uint32_t put_pattern(StepForm form, std::uint32_t warp, LaneMask active,
                            std::span<const std::uint32_t> pattern);
  // An access that a gather yields, whose form lacks mode and lanes.
  void put_gather(StepForm form, std::uint32_t warp, LaneMask active, const Gather::Words& gather,
                  std::uint32_t first, std::uint64_t base);
  // Takes back the last step, before which there were so many forms and words; ends the writing.
  void take_back(std::size_t forms, std::size_t pool);

  StepStore store;

 private:
  struct Hash {
    std::size_t operator()(const StepForm& form) const;
  };
  using Latest = std::array<std::uint32_t, 64>;  // a site's last form, sites 64 apart share
  std::uint32_t number_of(const StepForm& form);
  // The number of a form that is there, or is made because it was met so often that it pays.
  bool settle(const StepForm& form, Latest& latest, int meetings, std::uint32_t& number);
  // The number of the form of an access whose value is the place of its own words in the pool, which follow.
  // Lanes that are met for the first time are put there before them.
  std::uint32_t number_with_words(StepForm form, LaneMask active);

  Latest latest_{}, latest_fixed_{};
  std::unordered_map<StepForm, std::uint32_t, Hash> numbers_;
  std::unordered_map<std::uint64_t, int> met_;                 // hashes of forms that are not made yet
  std::unordered_map<std::uint64_t, std::uint32_t> patterns_;  // hash of a pattern -> where it is
  std::unordered_map<std::uint64_t, std::uint32_t> gathers_;   // the same of gathers
};

// The steps of one block while they are being recorded.
class StepEncoder {
 public:
  void add(const Access& access);
  void add(const Branch& branch);
  void add(const Barrier& barrier);
  void add(const MaskChange& change);
  std::size_t bytes() const { return writer_.store.bytes(); }
  StepStore take();  // and begins the next block
  void set_sources(std::span<const GatherSource> sources) { gathers_.set_sources(sources); }

 private:
  // A site's last irregular access, to know the next one with the same pattern without packing it.
  struct Last {
    SiteId site = kNoSite;
    std::uint32_t pattern = 0;
    std::size_t count = 0;
    std::uint32_t lowest = 0, lowest_shared = 0;  // distances of the lowest from the first lane's
    std::array<std::uint32_t, 2 * kWarpSize> distances;
  };
  void add_irregular(const Access& access, StepForm form);

  StepWriter writer_;
  GatherFinder gathers_;
  std::array<Last, 16> last_;
};

// Joins the stores of blocks to one.
class StepMerger {
 public:
  // Stops before the store would exceed max_bytes: false.
  bool append(const StepStore& block, std::size_t max_bytes);
  const StepStore& store() const { return writer_.store; }
  StepStore take();

 private:
  StepWriter writer_;
};

// What a step's pool words add to its form.
struct StepValues {
  LaneMask active = 0;
  std::uint32_t value = 0;  // Own, Gather: where the access's own words lie
  std::uint32_t aux = 0;
};
StepValues values_of(const StepStore& store, std::size_t step);
// Nothing the step refers to lies outside the store. Everything else here relies on it.
bool is_sound(const StepStore& store, std::size_t step);
// Fills space, bytes, active and addresses of an access.
void decode(const StepStore& store, std::size_t step, AccessView& out);

}  // namespace warplens::trace
