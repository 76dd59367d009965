#include "engine/trace/gather.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace warplens::trace {
namespace {

constexpr std::uint64_t kMostIndexes = std::uint64_t{1} << 32;

bool has_formula(Init init) {
  return init == Init::Iota || init == Init::Hash || init == Init::Modulo || init == Init::Permutation;
}

std::int64_t cut(ElementType type, std::uint64_t value) {
  switch (type) {
    case ElementType::I8:
      return static_cast<std::int8_t>(value);
    case ElementType::U8:
      return static_cast<std::uint8_t>(value);
    case ElementType::I16:
      return static_cast<std::int16_t>(value);
    case ElementType::U16:
      return static_cast<std::uint16_t>(value);
    case ElementType::I32:
      return static_cast<std::int32_t>(value);
    case ElementType::U32:
      return static_cast<std::uint32_t>(value);
    default:
      return static_cast<std::int64_t>(value);
  }
}

std::uint64_t bits_of(std::int64_t element, unsigned shift, unsigned width) {
  const auto value = static_cast<std::uint64_t>(element);
  return width == 64 ? value : value >> shift & ((std::uint64_t{1} << width) - 1);
}

bool fits_word(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

// Elements and addresses of the active lanes, one behind the other.
struct Lanes {
  unsigned count = 0;
  std::array<std::int64_t, kWarpSize> element;
  std::array<std::uint64_t, kWarpSize> address;
};

// base + scale * element for all lanes: two lanes with different elements say which scale.
bool solve_product(const Lanes& lanes, Gather& gather) {
  for (unsigned l = 1; l < lanes.count; ++l) {
    if (lanes.element[l] == lanes.element[0]) continue;
    const auto apart = static_cast<std::int64_t>(static_cast<std::uint64_t>(lanes.element[l]) -
                                                 static_cast<std::uint64_t>(lanes.element[0]));
    const auto bytes = static_cast<std::int64_t>(lanes.address[l] - lanes.address[0]);
    if (bytes == 0 || bytes == std::numeric_limits<std::int64_t>::min()) return false;
    if (bytes % apart != 0 || !fits_word(bytes / apart)) return false;
    gather.scale = static_cast<std::int32_t>(bytes / apart);
    gather.shift = 0;
    gather.width = 64;
    return true;
  }
  return false;
}

// base + scale * (some bits of the element): scale is the largest power of two that divides all distances,
// and there are about as many bits as the distances need.
bool solve_bits(const Lanes& lanes, Gather& gather) {
  std::uint64_t any = 0;
  std::int64_t least = 0, most = 0;
  for (unsigned l = 1; l < lanes.count; ++l) {
    const auto distance = static_cast<std::int64_t>(lanes.address[l] - lanes.address[0]);
    any |= static_cast<std::uint64_t>(distance);
    least = std::min(least, distance);
    most = std::max(most, distance);
  }
  if (any == 0) return false;
  const auto unit = static_cast<unsigned>(std::countr_zero(any));
  const auto span = (static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least)) >> unit;
  const auto needed = static_cast<unsigned>(std::bit_width(span));
  constexpr unsigned kElementBits = 32, kSpare = 2;
  if (unit > 30) return false;
  for (unsigned width = needed; width <= std::min(needed + kSpare, kElementBits); ++width) {
    for (unsigned shift = 0; shift + width <= kElementBits; ++shift) {
      const auto fits = [&](unsigned l) {
        const std::uint64_t here = bits_of(lanes.element[l], shift, width),
                            there = bits_of(lanes.element[0], shift, width);
        return (here - there) << unit == lanes.address[l] - lanes.address[0];
      };
      unsigned l = 1;
      while (l < lanes.count && fits(l)) ++l;
      if (l < lanes.count) continue;
      gather.shift = shift;
      gather.width = width;
      gather.scale = std::int32_t{1} << unit;
      return true;
    }
  }
  return false;
}

}  // namespace

std::int64_t ElementFormula::element(std::uint64_t index) const {
  switch (init) {
    case Init::Hash:
      return cut(type, fmix32(static_cast<std::uint32_t>(index)));
    case Init::Modulo: {
      const std::uint32_t hash = fmix32(static_cast<std::uint32_t>(index));
      const auto modulus = static_cast<std::uint64_t>(parameter);  // beyond 32 bits it changes nothing
      return cut(type, modulus >> 32 != 0 ? hash : hash % static_cast<std::uint32_t>(modulus));
    }
    case Init::Permutation:
      return cut(type, index % count * (static_cast<std::uint64_t>(parameter) % count) % count);
    default:
      return cut(type, index);
  }
}

std::optional<ElementFormula> formula_of(const Argument& argument) {
  if (!argument.is_buffer || !has_formula(argument.init)) return std::nullopt;
  if (argument.count == 0 || argument.count > kMostIndexes) return std::nullopt;
  const bool fraction = argument.type == ElementType::F16 || argument.type == ElementType::F32 ||
                        argument.type == ElementType::F64;
  if (fraction && argument.init == Init::Hash) return std::nullopt;
  if (argument.init == Init::Modulo && argument.integer <= 0) return std::nullopt;
  // What is the same for every launch with such a buffer: the parameter only where it counts.
  const bool has_parameter = argument.init == Init::Modulo || argument.init == Init::Permutation;
  return ElementFormula{argument.init, argument.type, has_parameter ? argument.integer : 0, argument.count};
}

std::uint64_t Gather::offset(std::uint64_t first, int lane_distance) const {
  const std::uint64_t index =
      first + static_cast<std::uint64_t>(std::int64_t{stride}) * static_cast<std::uint64_t>(lane_distance);
  return bits_of(formula.element(index), shift, width) * static_cast<std::uint64_t>(std::int64_t{scale});
}

Gather::Words Gather::words() const {
  const auto parameter = static_cast<std::uint64_t>(formula.parameter), last = formula.count - 1;
  return {static_cast<std::uint32_t>(formula.init) | static_cast<std::uint32_t>(formula.type) << 8 |
              shift << 16 | width << 24,
          static_cast<std::uint32_t>(parameter),
          static_cast<std::uint32_t>(parameter >> 32),
          static_cast<std::uint32_t>(last),
          static_cast<std::uint32_t>(stride),
          static_cast<std::uint32_t>(scale)};
}

std::optional<Gather> Gather::from(std::span<const std::uint32_t, kWords> words) {
  Gather out;
  const std::uint32_t init = words[0] & 255u, type = words[0] >> 8 & 255u;
  if (init > static_cast<std::uint32_t>(Init::File) || !has_formula(static_cast<Init>(init)))
    return std::nullopt;
  if (type > static_cast<std::uint32_t>(ElementType::F64)) return std::nullopt;
  out.formula.init = static_cast<Init>(init);
  out.formula.type = static_cast<ElementType>(type);
  out.formula.parameter = static_cast<std::int64_t>(words[1] | std::uint64_t{words[2]} << 32);
  out.formula.count = std::uint64_t{words[3]} + 1;
  out.stride = static_cast<std::int32_t>(words[4]);
  out.scale = static_cast<std::int32_t>(words[5]);
  out.shift = words[0] >> 16 & 255u;
  out.width = words[0] >> 24;
  if (out.width > 64 || out.shift > 63 || (out.formula.init == Init::Modulo && out.formula.parameter <= 0))
    return std::nullopt;
  return out;
}

std::vector<GatherSource> gather_sources(const Launch& launch, std::span<const std::uint64_t> bases) {
  std::vector<GatherSource> out;
  for (std::size_t i = 0; i < std::min(launch.arguments.size(), bases.size()); ++i) {
    const Argument& argument = launch.arguments[i];
    if (const auto formula = formula_of(argument))
      out.push_back(
          {bases[i], argument.bytes(), static_cast<std::uint64_t>(trace::size_of(argument.type)), *formula});
  }
  return out;
}

void GatherFinder::reset() {
  warps_.clear();
  habits_ = {};
}

void GatherFinder::note(const Access& access) {
  if (sources_.empty() || access.kind != SiteKind::Load || access.space != Space::Global) return;
  const int lane = std::countr_zero(access.active);
  const std::uint64_t address = access.addresses[lane];
  const auto source =
      std::ranges::find_if(sources_, [&](const GatherSource& s) { return address - s.base < s.bytes; });
  if (source == sources_.end()) return;
  const auto size = static_cast<std::int64_t>(source->element_bytes);
  const auto distance = static_cast<std::int64_t>(address - source->base);
  if (distance % size != 0 || access.stride % size != 0 || access.bytes % size != 0) return;
  if (warps_.size() <= access.warp.warp) warps_.resize(access.warp.warp + 1);
  Warp& warp = warps_[access.warp.warp];
  const auto known =
      std::ranges::find_if(warp.loads, [&](const Load& load) { return load.site == access.site; });
  Load& load = known != warp.loads.end() ? *known : warp.loads[warp.next++ % kRemembered];
  load.site = access.site;
  load.source = static_cast<std::uint32_t>(source - sources_.begin());
  load.stride = access.stride / size;
  load.first = distance / size - lane * load.stride;
  load.elements = static_cast<std::uint32_t>(access.bytes / size);
}

bool GatherFinder::fit(const Load& load, std::uint32_t element, const Access& access, const Gather& gather,
                       Found& out) {
  const int lane = std::countr_zero(access.active);
  const std::int64_t first = load.first + lane * load.stride + element;
  if (first < 0 || first > std::int64_t{std::numeric_limits<std::uint32_t>::max()}) return false;
  out = {gather, static_cast<std::uint32_t>(first), 0};
  out.gather.formula = sources_[load.source].formula;
  out.gather.stride = static_cast<std::int32_t>(load.stride);
  out.base = access.addresses[lane] - out.gather.offset(out.first, 0);
  for (LaneMask left = access.active; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    if (out.base + out.gather.offset(out.first, l - lane) != access.addresses[l]) return false;
  }
  return true;
}

bool GatherFinder::solve(const Load& load, std::uint32_t element, const Access& access, Gather& gather) {
  if (!fits_word(load.stride)) return false;
  Lanes lanes;
  for (LaneMask left = access.active; left != 0; left &= left - 1) {
    const int l = std::countr_zero(left);
    const auto index = static_cast<std::uint64_t>(load.first + l * load.stride + element);
    lanes.element[lanes.count] = sources_[load.source].formula.element(index);
    lanes.address[lanes.count++] = access.addresses[l];
  }
  Found ignored;
  return (solve_product(lanes, gather) && fit(load, element, access, gather, ignored)) ||
         (solve_bits(lanes, gather) && fit(load, element, access, gather, ignored));
}

std::optional<GatherFinder::Found> GatherFinder::find(const Access& access) {
  if (access.warp.warp >= warps_.size()) return std::nullopt;
  const Warp& warp = warps_[access.warp.warp];
  Habit& habit = habits_[access.site % habits_.size()];
  if (habit.site != access.site) habit = {access.site, kNoSite, 0, {}, 0};
  constexpr int kPatience = 8;  // addresses that no load explains so often are not asked about again
  if (habit.failures >= kPatience) return std::nullopt;
  Found found;
  if (habit.load != kNoSite) {
    for (const Load& load : warp.loads)
      if (load.site == habit.load && habit.element < load.elements && fits_word(load.stride) &&
          fit(load, habit.element, access, habit.gather, found))
        return found;
  }
  for (std::size_t i = 0; i < kRemembered; ++i) {
    const Load& load = warp.loads[(warp.next + 2 * kRemembered - 1 - i) % kRemembered];
    if (load.site == kNoSite) continue;
    for (std::uint32_t element = 0; element < load.elements; ++element) {
      Gather gather;
      if (!solve(load, element, access, gather) || !fit(load, element, access, gather, found)) continue;
      habit.load = load.site;
      habit.element = element;
      habit.gather = gather;
      habit.failures = 0;
      return found;
    }
  }
  ++habit.failures;
  return std::nullopt;
}

}  // namespace warplens::trace
