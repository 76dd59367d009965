#include "engine/trace/step_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace warplens::trace {
namespace {

// Copy mode packs both bases into the payload: GPU addresses have 47 bits, shared offsets of 4-byte words 17.
constexpr int kGlobalBits = 47;
constexpr std::uint64_t kGlobalMask = (std::uint64_t{1} << kGlobalBits) - 1;
constexpr std::uint64_t kSharedWords = std::uint64_t{1} << (64 - kGlobalBits);

std::uint8_t width_code(int bytes) {
  // 0 bytes is a width too (accesses without one); odd widths round up.
  if (bytes <= 0) return 7;
  return static_cast<std::uint8_t>(
      std::min(6, static_cast<int>(std::bit_width(static_cast<unsigned>(bytes - 1)))));
}

std::uint8_t pack(Space space, AddressMode mode, int bytes) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(space) | static_cast<unsigned>(mode) << 3 |
                                   static_cast<unsigned>(width_code(bytes)) << 5);
}

bool fits(std::uint64_t difference) {
  const auto distance = static_cast<std::int64_t>(difference);
  return distance >= std::numeric_limits<std::int32_t>::min() &&
         distance <= std::numeric_limits<std::int32_t>::max();
}

// Distances of the active lanes from the first of them; false when one needs more than 32 bits.
bool distances(LaneMask active, const std::uint64_t* addresses, std::uint32_t* out) {
  const std::uint64_t base = addresses[std::countr_zero(active)];
  bool all_fit = true;
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const std::uint64_t distance = addresses[std::countr_zero(left)] - base;
    all_fit = all_fit && fits(distance);
    *out++ = static_cast<std::uint32_t>(distance);
  }
  return all_fit;
}

std::uint64_t extend(std::uint32_t distance) {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(distance)});
}

std::uint64_t hash_of(const std::uint32_t* words, std::size_t count) {
  // Four chains side by side: one would wait for each multiplication in turn.
  std::array<std::uint64_t, 4> hash{0xcbf29ce484222325u + count, 1, 2, 3};
  for (std::size_t i = 0; i < count; ++i) hash[i % 4] = (hash[i % 4] ^ words[i]) * 0x9e3779b97f4a7c15u;
  const std::uint64_t all =
      hash[0] ^ std::rotl(hash[1], 16) ^ std::rotl(hash[2], 32) ^ std::rotl(hash[3], 48);
  return all ^ (all >> 29);
}

// Random gathers never repeat; past this many the map would only cost memory.
constexpr std::size_t kMaxKnownPatterns = 1u << 15;

void put_pair(std::vector<std::uint32_t>& pool, std::uint64_t value) {
  pool.push_back(static_cast<std::uint32_t>(value));
  pool.push_back(static_cast<std::uint32_t>(value >> 32));
}

}  // namespace

std::uint32_t StepEncoder::pattern(SiteId site, const std::uint32_t* words, std::size_t count) {
  const auto is_at = [&](std::size_t index) {
    return index < pool_.size() && pool_.size() - index >= count &&
           std::equal(words, words + count, pool_.begin() + static_cast<std::ptrdiff_t>(index));
  };
  // The site's last pattern is the likeliest.
  std::uint32_t& last = last_[site % last_.size()];
  if (is_at(last)) return last;
  const std::uint64_t hash = hash_of(words, count);
  const auto found = known_.find(hash);
  if (found != known_.end() && is_at(found->second)) return last = found->second;
  last = static_cast<std::uint32_t>(pool_.size());
  pool_.insert(pool_.end(), words, words + count);
  if (found == known_.end() && known_.size() < kMaxKnownPatterns) known_.emplace(hash, last);
  return last;
}

void StepEncoder::add(const Access& access) {
  Step step;
  step.site = access.site;
  step.active = access.active;
  step.warp = static_cast<std::uint16_t>(access.warp.warp);
  step.kind = StepKind::Access;
  AddressMode mode = AddressMode::Affine;
  if (access.active != 0) {
    const std::uint64_t base = access.addresses[std::countr_zero(access.active)];
    const auto lanes = static_cast<std::size_t>(active_lanes(access.active));
    std::array<std::uint32_t, 2 * kWarpSize> words;
    step.payload = base;
    if (access.shared_addresses != nullptr) {
      const std::uint64_t shared = access.shared_addresses[std::countr_zero(access.active)];
      // Both, whatever the first says: each fills its half of the words.
      const bool near_global = distances(access.active, access.addresses, words.data());
      const bool near_shared = distances(access.active, access.shared_addresses, words.data() + lanes);
      mode = near_global && near_shared && base <= kGlobalMask && shared % 4 == 0 && shared / 4 < kSharedWords
                 ? AddressMode::Copy
                 : AddressMode::Verbose;
      step.payload = base | (shared / 4) << kGlobalBits;
      if (mode == AddressMode::Copy) step.aux = pattern(access.site, words.data(), 2 * lanes);
    } else if (access.affine && fits(static_cast<std::uint64_t>(access.stride))) {
      step.aux = static_cast<std::uint32_t>(access.stride);
    } else {
      mode = distances(access.active, access.addresses, words.data()) ? AddressMode::Pattern
                                                                      : AddressMode::Verbose;
      if (mode == AddressMode::Pattern) step.aux = pattern(access.site, words.data(), lanes);
    }
    if (mode == AddressMode::Verbose) {
      // The first word says whether shared addresses follow the global ones.
      step.payload = pool_.size();
      pool_.push_back(access.shared_addresses != nullptr ? 1 : 0);
      for (const std::uint64_t* list : {access.addresses, access.shared_addresses})
        for (LaneMask left = access.active; left != 0 && list != nullptr; left &= left - 1)
          put_pair(pool_, list[std::countr_zero(left)]);
    }
  }
  step.detail = pack(access.space, mode, access.bytes);
  steps_.push_back(step);
}

void StepEncoder::add(const Branch& branch) {
  Step step;
  step.site = branch.site;
  step.active = branch.active;
  step.warp = static_cast<std::uint16_t>(branch.warp.warp);
  step.kind = StepKind::Branch;
  step.aux = branch.taken;
  steps_.push_back(step);
}

void StepEncoder::add(const Barrier& barrier) {
  Step step;
  step.site = barrier.site;
  step.active = barrier.lanes;
  step.warp = static_cast<std::uint16_t>(barrier.warp.warp);
  step.kind = StepKind::Barrier;
  step.detail = static_cast<std::uint8_t>(barrier.phase);
  step.aux = barrier.id;
  steps_.push_back(step);
}

void StepEncoder::add(const MaskChange& change) {
  Step step;
  step.site = change.instruction;
  step.active = change.active;
  step.warp = static_cast<std::uint16_t>(change.warp.warp);
  step.kind = StepKind::Mask;
  step.aux = change.exited;
  step.payload = change.warp_instruction;
  steps_.push_back(step);
}

AddressMode address_mode(const Step& step) {
  return static_cast<AddressMode>(step.detail >> 3 & 3u);
}

Space space_of(const Step& step) {
  return static_cast<Space>(step.detail & 7u);
}

int bytes_of(const Step& step) {
  const int code = step.detail >> 5;
  return code == 7 ? 0 : 1 << code;
}

PoolRange pool_range(const Step& step, const std::vector<std::uint32_t>& pool) {
  const auto lanes = static_cast<std::uint64_t>(active_lanes(step.active));
  if (step.kind != StepKind::Access || lanes == 0) return {};
  switch (address_mode(step)) {
    case AddressMode::Affine:
      return {};
    case AddressMode::Pattern:
      return {step.aux, lanes};
    case AddressMode::Copy:
      return {step.aux, 2 * lanes};
    case AddressMode::Verbose: {
      const bool both = step.payload < pool.size() && pool[step.payload] != 0;
      return {step.payload, 1 + 2 * lanes * (both ? 2 : 1)};
    }
  }
  return {};
}

void rebase(Step& step, std::uint64_t offset) {
  if (step.kind != StepKind::Access || step.active == 0) return;
  const AddressMode mode = address_mode(step);
  if (mode == AddressMode::Verbose) step.payload += offset;
  if (mode == AddressMode::Pattern || mode == AddressMode::Copy)
    step.aux += static_cast<std::uint32_t>(offset);
}

void decode(const Step& step, const std::vector<std::uint32_t>& pool, AccessView& out) {
  out.space = space_of(step);
  out.bytes = bytes_of(step);
  out.active = step.active;
  if (step.active == 0) return;
  const int first = std::countr_zero(step.active);
  const AddressMode mode = address_mode(step);
  const bool copy = mode == AddressMode::Copy;
  const bool both = mode == AddressMode::Verbose && pool[step.payload] != 0;
  const auto lanes = static_cast<std::uint64_t>(active_lanes(step.active));
  const auto pair = [&](std::uint64_t at) {
    return pool[at] | static_cast<std::uint64_t>(pool[at + 1]) << 32;
  };
  std::uint64_t k = 0;  // how many active lanes came before
  for (LaneMask left = step.active; left != 0; left &= left - 1, ++k) {
    const int lane = std::countr_zero(left);
    std::uint64_t& address = out.addresses[static_cast<std::size_t>(lane)];
    std::uint64_t& shared = out.shared_addresses[static_cast<std::size_t>(lane)];
    if (mode == AddressMode::Affine)
      address = step.payload + extend(step.aux) * static_cast<std::uint64_t>(lane - first);
    else if (mode == AddressMode::Verbose)
      address = pair(step.payload + 1 + 2 * k);
    else
      address = (copy ? step.payload & kGlobalMask : step.payload) + extend(pool[step.aux + k]);
    if (copy) shared = (step.payload >> kGlobalBits) * 4 + extend(pool[step.aux + lanes + k]);
    if (both) shared = pair(step.payload + 1 + 2 * (lanes + k));
  }
}

}  // namespace warplens::trace
