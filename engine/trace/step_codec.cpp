#include "engine/trace/step_codec.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "engine/trace/pattern.h"

namespace warplens::trace {
namespace {

// Of an access's detail: 3 bits space, 2 bits mode, 3 bits width.
constexpr unsigned kModeShift = 3, kWidthShift = 5;

unsigned width_code(int bytes) {
  // 0 bytes is a width too (accesses without one); odd widths round up.
  if (bytes <= 0) return 7;
  return std::min(6u, static_cast<unsigned>(std::bit_width(static_cast<unsigned>(bytes - 1))));
}

int bytes_of(const StepForm& form) {
  const unsigned code = form.detail >> kWidthShift;
  return code == 7 ? 0 : 1 << code;
}

AddressMode mode_of(const StepForm& form) {
  return static_cast<AddressMode>(form.detail >> kModeShift & 3u);
}

void set_mode(StepForm& form, AddressMode mode) {
  form.detail = static_cast<std::uint8_t>((form.detail & ~(3u << kModeShift)) | static_cast<unsigned>(mode)
                                                                                    << kModeShift);
}

bool has_mode(const StepForm& form, AddressMode mode) {
  return form.kind == StepKind::Access && mode_of(form) == mode;
}

// Words in the pool that are this step's alone.
bool owns_words(const StepForm& form) {
  return has_mode(form, AddressMode::Own) || has_mode(form, AddressMode::Gather);
}
constexpr std::size_t kOwnWordsOfGather = 2;

// What a form has in aux changes from step to step: with the lanes it goes into the pool.
bool keeps_aux(const StepForm& form) {
  return form.kind == StepKind::Mask || has_mode(form, AddressMode::Pattern);
}

Gather gather_at(const StepStore& store, std::size_t at) {
  return Gather::from(std::span(store.pool).subspan(at).first<Gather::kWords>()).value_or(Gather{});
}

std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}

std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

std::uint64_t join(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}

std::uint64_t extend(std::uint32_t distance) {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(distance)});
}

bool fits(std::uint64_t difference) {
  return extend(low(difference)) == difference;
}

// Distances of the active lanes from the first of them; false when one needs more than 32 bits.
bool distances(LaneMask active, const std::uint64_t* addresses, std::uint32_t* out) {
  const std::uint64_t base = addresses[std::countr_zero(active)];
  bool all_fit = true;
  for (LaneMask left = active; left != 0; left &= left - 1) {
    const std::uint64_t distance = addresses[std::countr_zero(left)] - base;
    all_fit = all_fit && fits(distance);
    *out++ = low(distance);
  }
  return all_fit;
}

// Whether one stride leads from lane to lane. Two lanes always have one; it says nothing about the next
// access.
bool find_stride(LaneMask active, const std::uint64_t* addresses, std::int64_t& stride) {
  const int first = std::countr_zero(active), count = active_lanes(active);
  stride = 0;
  if (count == 1) return true;
  const LaneMask rest = active & (active - 1);
  const int second = std::countr_zero(rest);
  const auto distance = static_cast<std::int64_t>(addresses[second] - addresses[first]);
  if (count == 2 || distance % (second - first) != 0) return false;
  stride = distance / (second - first);
  for (LaneMask left = rest; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto away = static_cast<std::uint64_t>(lane - first);
    if (addresses[lane] != addresses[first] + static_cast<std::uint64_t>(stride) * away) return false;
  }
  return fits(static_cast<std::uint64_t>(stride));
}

std::uint64_t hash_of(std::span<const std::uint32_t> words, std::uint64_t start) {
  // Four chains side by side: one would wait for each multiplication in turn.
  std::array<std::uint64_t, 4> hash{0xcbf29ce484222325u + words.size(), start, 2, 3};
  for (std::size_t i = 0; i < words.size(); ++i) hash[i % 4] = (hash[i % 4] ^ words[i]) * 0x9e3779b97f4a7c15u;
  const std::uint64_t all =
      hash[0] ^ std::rotl(hash[1], 16) ^ std::rotl(hash[2], 32) ^ std::rotl(hash[3], 48);
  return all ^ (all >> 29);
}

// Random gathers never repeat; past this many the tables would only cost memory.
constexpr std::size_t kMostRemembered = 1u << 15;

// A form costs 28 bytes. One with these lanes saves at least 8 a step, one with the value too saves 4.
constexpr int kMeetingsOfLanes = 2, kMeetingsOfValue = 4;

// Of so many lanes a pattern costs no more than a gather.
constexpr std::size_t kFewLanes = 3;

// Of what the value is likely to be the same again. Addresses of global memory are not.
bool may_fix_value(const StepForm& form) {
  return form.kind != StepKind::Access || space_of(form) != Space::Global;
}

}  // namespace

std::size_t StepWriter::Hash::operator()(const StepForm& form) const {
  const std::array<std::uint32_t, 7> words{form.site,
                                           form.active,
                                           form.aux,
                                           form.high,
                                           form.shared,
                                           form.value,
                                           static_cast<std::uint32_t>(form.kind) | form.lanes_in_pool << 8u |
                                               form.fixed << 9u | form.detail << 16u};
  return hash_of(words, 1);
}

std::uint32_t StepWriter::number_of(const StepForm& form) {
  const auto [at, fresh] = numbers_.try_emplace(form, low(store.forms.size()));
  if (fresh) store.forms.push_back(form);
  return at->second;
}

bool StepWriter::settle(const StepForm& form, Latest& latest, int meetings, std::uint32_t& number) {
  std::uint32_t& last = latest[(form.site * 4 + static_cast<std::uint32_t>(form.kind)) % latest.size()];
  if (last >= store.forms.size() || !(store.forms[last] == form)) {
    const auto known = numbers_.find(form);
    if (known != numbers_.end()) {
      last = known->second;
    } else {
      if (meetings > 1) {
        const std::uint64_t hash = Hash()(form);
        const auto met = met_.find(hash);
        if (met == met_.end() && met_.size() < kMostRemembered) met_.emplace(hash, 1);
        if (met == met_.end() || ++met->second < meetings) return false;
      }
      last = number_of(form);
    }
  }
  number = last;
  return true;
}

void StepWriter::put(StepForm form, std::uint32_t warp, LaneMask active, std::uint32_t value) {
  form.active = active;
  std::uint32_t number = 0;
  if (may_fix_value(form)) {
    StepForm fixed = form;
    fixed.fixed = 1;
    fixed.value = value;
    if (settle(fixed, latest_fixed_, kMeetingsOfValue, number)) return store.push(number, warp, 0);
  }
  // Most patterns come back once or twice, most lanes many times.
  const bool usual_lanes = (active == kFullMask || active == 0) && !has_mode(form, AddressMode::Pattern);
  if (settle(form, latest_, usual_lanes ? 1 : kMeetingsOfLanes, number))
    return store.push(number, warp, value);
  const std::uint32_t at = low(store.pool.size());
  store.pool.push_back(active);
  store.pool.push_back(value);
  if (keeps_aux(form)) store.pool.push_back(std::exchange(form.aux, 0));
  form.active = 0;
  form.lanes_in_pool = 1;
  store.push(number_of(form), warp, at);
}

std::uint32_t StepWriter::put_pattern(StepForm form, std::uint32_t warp, LaneMask active,
                                      std::span<const std::uint32_t> pattern) {
  const std::size_t begin = distances_at(pattern[0]);
  const auto tail = pattern.subspan(begin);
  const auto is_at = [&](std::size_t at) {
    return at < store.pool.size() && store.pool.size() - at >= pattern.size() &&
           store.pool[at] == pattern[0] &&
           std::equal(tail.begin(), tail.end(), store.pool.begin() + static_cast<std::ptrdiff_t>(at + begin));
  };
  const std::uint64_t hash = hash_of(tail, pattern[0]);
  const auto known = patterns_.find(hash);
  if (known != patterns_.end() && is_at(known->second)) {
    set_mode(form, AddressMode::Pattern);
    form.aux = known->second;
    if (is_copy(pattern[0])) form.shared = pattern[2];
    put(form, warp, active, pattern[1]);
    return known->second;
  }
  set_mode(form, AddressMode::Own);
  const std::uint32_t value = low(store.pool.size());
  const std::uint32_t number = number_with_words(form, active);
  const std::uint32_t at = low(store.pool.size());
  store.pool.insert(store.pool.end(), pattern.begin(), pattern.end());
  if (known == patterns_.end() && patterns_.size() < kMostRemembered) patterns_.emplace(hash, at);
  store.push(number, warp, value);
  return at;
}

std::uint32_t StepWriter::number_with_words(StepForm form, LaneMask active) {
  form.active = active;
  std::uint32_t number = 0;
  if (settle(form, latest_, active == kFullMask ? 1 : kMeetingsOfLanes, number)) return number;
  store.pool.push_back(active);
  form.active = 0;
  form.lanes_in_pool = 1;
  return number_of(form);
}

void StepWriter::put_gather(StepForm form, std::uint32_t warp, LaneMask active, const Gather::Words& gather,
                            std::uint32_t first, std::uint64_t base) {
  set_mode(form, AddressMode::Gather);
  form.high = high(base);
  std::uint32_t& at = gathers_.try_emplace(hash_of(gather, 2), low(store.pool.size())).first->second;
  if (at + gather.size() > store.pool.size() ||
      !std::equal(gather.begin(), gather.end(), store.pool.begin() + at)) {
    at = low(store.pool.size());
    store.pool.insert(store.pool.end(), gather.begin(), gather.end());
  }
  form.aux = at;
  const std::uint32_t value = low(store.pool.size());
  const std::uint32_t number = number_with_words(form, active);
  store.pool.push_back(first);
  store.pool.push_back(low(base));
  store.push(number, warp, value);
}

void StepWriter::take_back(std::size_t forms, std::size_t pool) {
  store.pop();
  store.forms.resize(forms);
  store.pool.resize(pool);
}

void StepEncoder::add(const Access& access) {
  StepForm form;
  form.site = access.site;
  form.detail = static_cast<std::uint8_t>(static_cast<unsigned>(access.space) | width_code(access.bytes)
                                                                                    << kWidthShift);
  const std::uint32_t warp = access.warp.warp;
  if (access.active == 0) return writer_.put(form, warp, 0, 0);
  std::int64_t stride = access.stride;
  const bool regular = access.affine && fits(static_cast<std::uint64_t>(stride));
  if (!regular || access.shared_addresses != nullptr) return add_irregular(access, form);
  if (active_lanes(access.active) == 1) stride = 0;
  const std::uint64_t base = access.addresses[std::countr_zero(access.active)];
  form.aux = low(static_cast<std::uint64_t>(stride));
  form.high = high(base);
  writer_.put(form, warp, access.active, low(base));
  gathers_.note(access);
}

void StepEncoder::add_irregular(const Access& access, StepForm form) {
  const int first = std::countr_zero(access.active);
  const std::uint64_t base = access.addresses[first];
  const bool copy = access.shared_addresses != nullptr;
  const std::uint64_t base_shared = copy ? access.shared_addresses[first] : 0;
  const auto lanes = static_cast<std::size_t>(active_lanes(access.active));
  Last now;
  now.site = access.site;
  now.count = copy ? 2 * lanes : lanes;
  bool near = distances(access.active, access.addresses, now.distances.data());
  if (copy)
    near = distances(access.active, access.shared_addresses, now.distances.data() + lanes) && near &&
           high(base_shared) == 0;
  Last& last = last_[access.site % last_.size()];
  if (near && last.site == access.site && last.count == now.count &&
      std::equal(now.distances.begin(), now.distances.begin() + static_cast<std::ptrdiff_t>(now.count),
                 last.distances.begin())) {
    const std::uint64_t lowest = base + extend(last.lowest);
    set_mode(form, AddressMode::Pattern);
    form.aux = last.pattern;
    form.high = high(lowest);
    if (copy) form.shared = low(base_shared + extend(last.lowest_shared));
    return writer_.put(form, access.warp.warp, access.active, low(lowest));
  }
  std::int64_t stride = 0;
  if (!copy && find_stride(access.active, access.addresses, stride)) {
    form.aux = low(static_cast<std::uint64_t>(stride));
    form.high = high(base);
    return writer_.put(form, access.warp.warp, access.active, low(base));
  }
  if (!copy && lanes > kFewLanes) {
    if (const auto found = gathers_.find(access))
      return writer_.put_gather(form, access.warp.warp, access.active, found->gather.words(), found->first,
                                found->base);
  }
  const Pattern pattern(access.active, access.addresses, access.shared_addresses);
  form.high = high(pattern.lowest());
  now.pattern = writer_.put_pattern(form, access.warp.warp, access.active, pattern.words());
  if (!near) return;
  now.lowest = low(pattern.lowest() - base);
  if (copy) now.lowest_shared = low(pattern.words()[2] - base_shared);
  last = now;
}

void StepEncoder::add(const Branch& branch) {
  StepForm form;
  form.site = branch.site;
  form.kind = StepKind::Branch;
  writer_.put(form, branch.warp.warp, branch.active, branch.taken);
}

void StepEncoder::add(const Barrier& barrier) {
  StepForm form;
  form.site = barrier.site;
  form.kind = StepKind::Barrier;
  form.detail = static_cast<std::uint8_t>(barrier.phase);
  writer_.put(form, barrier.warp.warp, barrier.lanes, barrier.id);
}

void StepEncoder::add(const MaskChange& change) {
  StepForm form;
  form.site = change.instruction;
  form.kind = StepKind::Mask;
  form.aux = change.exited;
  form.high = high(change.warp_instruction);
  writer_.put(form, change.warp.warp, change.active, low(change.warp_instruction));
}

StepStore StepEncoder::take() {
  StepStore out = std::move(writer_.store);
  writer_ = {};
  gathers_.reset();
  for (Last& last : last_) last.site = kNoSite;
  return out;
}

bool StepMerger::append(const StepStore& block, std::size_t max_bytes) {
  // Where the patterns of the block lie in the joined store. An owner comes before those that point to it.
  std::unordered_map<std::uint32_t, std::uint32_t> moved;
  for (std::size_t step = 0; step < block.size(); ++step) {
    const StepStore& out = writer_.store;
    const std::size_t forms = out.forms.size(), pool = out.pool.size();
    StepForm form = block.form_of(step);
    const std::uint32_t warp = block.warp_of(step);
    const StepValues values = values_of(block, step);
    form.aux = values.aux;
    form.value = form.fixed = form.lanes_in_pool = 0;
    if (has_mode(form, AddressMode::Gather)) {
      const std::uint32_t* own = block.pool.data() + values.value;
      writer_.put_gather(form, warp, values.active, gather_at(block, form.aux).words(), own[0],
                         join(form.high, own[1]));
    } else if (has_mode(form, AddressMode::Own)) {
      const std::size_t words = pattern_words(block.pool[values.value], active_lanes(values.active));
      moved[values.value] =
          writer_.put_pattern(form, warp, values.active, std::span(block.pool).subspan(values.value, words));
    } else {
      if (has_mode(form, AddressMode::Pattern)) form.aux = moved[form.aux];
      writer_.put(form, warp, values.active, values.value);
    }
    if (out.bytes() <= max_bytes) continue;
    writer_.take_back(forms, pool);
    return false;
  }
  return true;
}

StepStore StepMerger::take() {
  StepStore out = std::move(writer_.store);
  out.shrink();
  writer_ = {};
  return out;
}

StepValues values_of(const StepStore& store, std::size_t step) {
  const StepForm& form = store.form_of(step);
  const std::uint32_t value = store.value_of(step);
  if (form.lanes_in_pool == 0) return {form.active, value, form.aux};
  const std::uint32_t* words = store.pool.data() + value;
  if (owns_words(form)) return {words[0], value + 1, form.aux};
  return {words[0], words[1], keeps_aux(form) ? words[2] : form.aux};
}

bool is_sound(const StepStore& store, std::size_t step) {
  const StepForm& form = store.form_of(step);
  const auto has = [&](std::uint64_t first, std::uint64_t count) {
    return count <= store.pool.size() && first <= store.pool.size() - count;
  };
  // The lanes and what stands behind them.
  const unsigned apart = keeps_aux(form) ? 3 : owns_words(form) ? 1 : 2;
  if (form.lanes_in_pool != 0 && !has(store.value_of(step), apart)) return false;
  if (form.kind != StepKind::Access) return true;
  const AddressMode mode = mode_of(form);
  const StepValues values = values_of(store, step);
  if (mode == AddressMode::Affine || values.active == 0) return true;
  if (mode == AddressMode::Gather) {
    return has(values.value, kOwnWordsOfGather) && has(values.aux, Gather::kWords) &&
           Gather::from(std::span(store.pool).subspan(values.aux).first<Gather::kWords>());
  }
  const std::uint64_t at = mode == AddressMode::Own ? values.value : values.aux;
  if (!has(at, 1)) return false;
  const std::size_t words = pattern_words(store.pool[at], active_lanes(values.active));
  return words != 0 && has(at, words);
}

void decode(const StepStore& store, std::size_t step, AccessView& out) {
  const StepForm& form = store.form_of(step);
  const StepValues values = values_of(store, step);
  out.space = space_of(form);
  out.bytes = bytes_of(form);
  out.active = values.active;
  if (out.active == 0) return;
  const AddressMode mode = mode_of(form);
  if (mode == AddressMode::Affine) {
    const int first = std::countr_zero(out.active);
    for (LaneMask left = out.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      out.addresses[static_cast<std::size_t>(lane)] =
          join(form.high, values.value) + extend(values.aux) * static_cast<std::uint64_t>(lane - first);
    }
    return;
  }
  if (mode == AddressMode::Gather) {
    const Gather gather = gather_at(store, values.aux);
    const std::uint32_t* own = store.pool.data() + values.value;
    const int first = std::countr_zero(out.active);
    for (LaneMask left = out.active; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      out.addresses[static_cast<std::size_t>(lane)] =
          join(form.high, own[1]) + gather.offset(own[0], lane - first);
    }
    return;
  }
  const bool own = mode == AddressMode::Own;
  const std::size_t at = own ? values.value : values.aux;
  const auto words = std::span(store.pool).subspan(at);
  const std::uint32_t shared = own && is_copy(words[0]) ? words[2] : form.shared;
  unpack(words, out.active, join(form.high, own ? words[1] : values.value), shared, out.addresses.data(),
         out.shared_addresses.data());
}

}  // namespace warplens::trace
