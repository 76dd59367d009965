// An error on its way from the worker process to the program, with the Message that it carries: what failed
// on the GPU is told in the reader's language, and its driver's code is read as a number.
#pragma once

#include "engine/base/message.h"
#include "engine/gpu/channel.h"

namespace warplens::gpu {

Frame error_frame(const Error& error);
bool is_error(const Frame& frame);
// Throws nlohmann::json::exception on a head that error_frame() did not make.
Error error_from(const Frame& frame);

// The driver's code of an error that Driver::error() made; 0 of every other.
int driver_code(const Error& error);

}  // namespace warplens::gpu
