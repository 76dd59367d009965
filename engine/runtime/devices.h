// Several devices that are one (`warplens run --devices N`): a program finds N of them, each host thread has
// a current one, and they are each other's peers. Memory lies side by side; each device has its own variables
// of a module, but for managed ones.
#pragma once

#include <optional>

#include "engine/runtime/context.h"

namespace warplens::runtime {

// The device that this host thread has chosen.
int& current_device();
bool is_device(const Context& all, int device);

// By their numbers in CUDA; nothing: unknown here.
std::optional<int> device_attribute(Context& all, int attribute);
std::optional<std::size_t> device_limit(int limit);

}  // namespace warplens::runtime
