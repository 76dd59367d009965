// What a program says of managed memory, and asks again. Managed memory is where it is: both sides see it at
// once, so that advice and prefetching change no result.
#include <map>

#include "engine/runtime/stream.h"

using namespace warplens;
using namespace warplens::runtime;

namespace {

struct Advice {
  std::uint64_t end = 0;
  bool read_mostly = false;
  std::optional<cudaMemLocation> preferred, accessed_by, prefetched;
};

// By the first address. Advice for a part of an earlier range cuts that range.
std::map<std::uint64_t, Advice>& all_advice() {
  static auto* const all = new std::map<std::uint64_t, Advice>;
  return *all;
}

// The parts of [begin, end) after cutting, each with what was said of it.
template <typename Change>
void change(std::uint64_t begin, std::uint64_t end, Change apply) {
  auto& all = all_advice();
  const auto cut = [&](std::uint64_t at) {
    auto after = all.upper_bound(at);
    if (after == all.begin()) return;
    --after;
    if (after->first == at || after->second.end <= at) return;
    all[at] = after->second;
    after->second.end = at;
  };
  cut(begin);
  cut(end);
  std::uint64_t at = begin;
  for (auto one = all.lower_bound(begin); at < end; one = all.lower_bound(at)) {
    const std::uint64_t next = one == all.end() ? end : std::min(one->first, end);
    if (next > at) all[at] = Advice{next, false, {}, {}, {}};
    Advice& here = all[at];
    apply(here);
    at = here.end;
  }
}

// What holds for all of the range; none where its parts differ.
template <typename Read>
auto common(std::uint64_t begin, std::uint64_t end, Read read) {
  const auto& all = all_advice();
  static const Advice kNothing;
  auto found = all.upper_bound(begin);
  const bool covered = found != all.begin() && std::prev(found)->second.end >= end;
  return read(covered ? std::prev(found)->second : kNothing);
}

bool same(const cudaMemLocation& a, const cudaMemLocation& b) {
  return a.type == b.type && a.id == b.id;
}

cudaError_t managed(Context& all, const void* pointer, std::size_t bytes) {
  const Allocation* const found = all.arena.find(pointer);
  const auto first = reinterpret_cast<std::uint64_t>(pointer);
  return found == nullptr || bytes > found->end() - first ? cudaErrorInvalidValue : cudaSuccess;
}

int id_of(const std::optional<cudaMemLocation>& place) {
  if (!place) return cudaInvalidDeviceId;
  return place->type == cudaMemLocationTypeDevice ? place->id : cudaCpuDeviceId;
}

cudaError_t answer(void* data, std::size_t room, cudaMemRangeAttribute attribute, const void* pointer,
                   std::size_t bytes) {
  if (data == nullptr || room < sizeof(int)) return cudaErrorInvalidValue;
  const auto begin = reinterpret_cast<std::uint64_t>(pointer);
  return common(begin, begin + bytes, [&](const Advice& advice) {
    int& out = *static_cast<int*>(data);
    switch (attribute) {
      case cudaMemRangeAttributeReadMostly:
        return out = advice.read_mostly ? 1 : 0, cudaSuccess;
      case cudaMemRangeAttributePreferredLocation:
        return out = id_of(advice.preferred), cudaSuccess;
      case cudaMemRangeAttributeAccessedBy:
        for (std::size_t i = 0; i < room / sizeof(int); ++i) (&out)[i] = cudaInvalidDeviceId;
        return out = id_of(advice.accessed_by), cudaSuccess;
      case cudaMemRangeAttributeLastPrefetchLocation:
        return out = id_of(advice.prefetched), cudaSuccess;
      default:
        return context().not_supported("cudaMemRangeGetAttribute of attribute " +
                                       std::to_string(static_cast<int>(attribute)));
    }
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation place, unsigned,
                                 cudaStream_t) {
  return call([&](Context& all) {
    if (const cudaError_t error = managed(all, pointer, bytes); error != cudaSuccess) return error;
    const auto begin = reinterpret_cast<std::uint64_t>(pointer);
    change(begin, begin + bytes, [&](Advice& advice) { advice.prefetched = place; });
    return cudaSuccess;
  });
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise what,
                          cudaMemLocation place) {
  return call([&](Context& all) {
    if (const cudaError_t error = managed(all, pointer, bytes); error != cudaSuccess) return error;
    const auto begin = reinterpret_cast<std::uint64_t>(pointer);
    change(begin, begin + bytes, [&](Advice& advice) {
      if (what == cudaMemAdviseSetReadMostly || what == cudaMemAdviseUnsetReadMostly)
        advice.read_mostly = what == cudaMemAdviseSetReadMostly;
      if (what == cudaMemAdviseSetPreferredLocation) advice.preferred = place;
      if (what == cudaMemAdviseUnsetPreferredLocation) advice.preferred.reset();
      if (what == cudaMemAdviseSetAccessedBy) advice.accessed_by = place;
      if (what == cudaMemAdviseUnsetAccessedBy && advice.accessed_by && same(*advice.accessed_by, place))
        advice.accessed_by.reset();
    });
    return cudaSuccess;
  });
}

cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t room, cudaMemRangeAttribute attribute,
                                     const void* pointer, std::size_t bytes) {
  return call([&](Context& all) {
    if (const cudaError_t error = managed(all, pointer, bytes); error != cudaSuccess) return error;
    return answer(data, room, attribute, pointer, bytes);
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* rooms, cudaMemRangeAttribute* attributes,
                                      std::size_t count, const void* pointer, std::size_t bytes) {
  return call([&](Context& all) {
    cudaError_t error = managed(all, pointer, bytes);
    for (std::size_t i = 0; i < count && error == cudaSuccess; ++i)
      error = answer(data[i], rooms[i], attributes[i], pointer, bytes);
    return error;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* pointer, std::size_t, unsigned) {
  return call([&](Context& all) { return managed(all, pointer, 0); });
}

}  // extern "C"
#pragma GCC visibility pop
