// What the program has allocated that its kernels can reach, and launches that are kept with a copy of it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/runtime/settings.h"
#include "engine/witness/driver.h"

namespace warplens::witness {

enum class Kind : std::uint8_t { Device, Managed, Host };

void allocated(std::uint64_t address, std::uint64_t bytes, Kind kind);
void freed(std::uint64_t address);
// From now on there is memory whose contents cannot be kept; `what` asked for it.
void allocated_elsewhere(const char* what);

// A launch that is about to start.
struct Launch {
  CUfunction function = nullptr;
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {0, 0, 0};
  std::uint32_t shared_bytes = 0;
  CUstream stream = nullptr;
  void** arguments = nullptr;
  void** packed = nullptr;  // CU_LAUNCH_PARAM_BUFFER_POINTER and its kind
};

// Copies what it finds, when all that was asked for before it is done, and writes it to the log as `id`; or
// why it could not.
void keep(const Launch& launch, std::uint32_t id, const runtime::Settings& settings);

}  // namespace warplens::witness
