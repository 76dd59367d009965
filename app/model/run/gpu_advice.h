// What to tell a person whose kernel the emulator cannot run.
#pragma once

#include <optional>

#include "engine/base/message.h"
#include "engine/base/result.h"
#include "engine/gpu/device.h"

namespace warplens::model {

// A key of messages/gpu.toml for an error of kind Unsupported: with a GPU, which commands run the kernel on
// it; without one, why there is none. Nothing for other errors.
std::optional<Message> gpu_advice(const Error& error, const gpu::Discovery& found);

}  // namespace warplens::model
