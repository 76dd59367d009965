#include "engine/gpu/initial_buffers.h"

#include <algorithm>

namespace warplens::gpu {
namespace {

// Of the device's memory, which is also needed for the launch itself.
constexpr std::size_t kMostKeptBytes = std::size_t{1} << 30;

// Element i is a function of i alone, so that a longer buffer holds a shorter one.
bool is_prefix_of_longer(const trace::Argument& argument) {
  return argument.init != trace::Init::Permutation && argument.init != trace::Init::File;
}

bool same_content(const trace::Argument& a, const trace::Argument& b) {
  return a.type == b.type && a.init == b.init && a.parameter == b.parameter && a.integer == b.integer &&
         a.path == b.path;
}

}  // namespace

Result<std::shared_ptr<const DeviceBuffer>> InitialBuffers::of(const trace::Argument& argument) {
  if (argument.init == trace::Init::File) return fill(argument);
  const bool prefix = is_prefix_of_longer(argument);
  const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return same_content(kept.argument, argument) && (prefix || kept.argument.count == argument.count);
  });
  trace::Argument wanted = argument;
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    if (kept_.front().argument.count >= argument.count) return kept_.front().buffer;
    // It grows with a slider: with room to spare it need not be filled at each step.
    wanted.count = std::max(argument.count, std::min(2 * kept_.front().argument.count, 2 * argument.count));
    kept_.pop_front();
  }
  make_room(wanted.bytes());
  auto filled = fill(wanted);
  if (!filled && wanted.count > argument.count) {
    wanted = argument;
    filled = fill(wanted);
  }
  if (filled && wanted.bytes() <= kMostKeptBytes) kept_.push_front({wanted, *filled});
  return filled;
}

void InitialBuffers::make_room(std::size_t bytes) {
  std::size_t sum = bytes;
  for (const Kept& kept : kept_) sum += kept.buffer->bytes();
  while (sum > kMostKeptBytes && !kept_.empty()) {
    sum -= kept_.back().buffer->bytes();
    kept_.pop_back();
  }
}

Result<std::shared_ptr<const DeviceBuffer>> InitialBuffers::fill(const trace::Argument& argument) {
  const auto bytes = trace::initial_bytes(argument);
  if (!bytes) return bytes.error();
  auto buffer = DeviceBuffer::make(*driver_, bytes->size());
  if (!buffer && !kept_.empty()) {
    kept_.clear();
    buffer = DeviceBuffer::make(*driver_, bytes->size());
  }
  if (!buffer) return buffer.error();
  if (!bytes->empty())
    if (const CudaResult code = driver_->copy_to_device(buffer->pointer(), bytes->data(), bytes->size());
        code != 0)
      return driver_->error(code, "copy_to_gpu");
  return std::make_shared<const DeviceBuffer>(std::move(*buffer));
}

}  // namespace warplens::gpu
