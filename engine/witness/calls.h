// The driver's functions that are watched, by CUPTI's numbers, and what their parameters say.
#pragma once

#include <cupti_callbacks.h>

#include <optional>
#include <vector>

#include "engine/witness/memory.h"

namespace warplens::witness {

enum class Role : std::uint8_t { Launch, Allocate, Free, Stream, Wait, Copy };

struct Watched {
  CUpti_CallbackId id;
  Role role;
};
const std::vector<Watched>& watched_calls();
// nullptr: it is not watched.
const Watched* watched(CUpti_CallbackId id);

// `parameters`: of a call whose role is that.
std::optional<Launch> launch_of(CUpti_CallbackId id, const void* parameters);
// When it has succeeded.
void note_allocation(CUpti_CallbackId id, const void* parameters);
void note_free(CUpti_CallbackId id, const void* parameters);
CUstream created_stream(CUpti_CallbackId id, const void* parameters);

}  // namespace warplens::witness
