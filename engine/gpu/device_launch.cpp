#include "engine/gpu/device_launch.h"

#include <algorithm>
#include <utility>

#include "engine/base/message.h"

namespace warplens::gpu {

Result<DeviceBuffer> DeviceBuffer::make(const Driver& driver, std::size_t bytes) {
  DevicePointer pointer = 0;
  if (const CudaResult code = driver.mem_alloc(&pointer, std::max<std::size_t>(bytes, 1)); code != 0)
    return driver.error(code, Message{"gpu.doing.reserve", {{"bytes", value_of(bytes)}}});
  return DeviceBuffer(driver, pointer, bytes);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : driver_(other.driver_), pointer_(std::exchange(other.pointer_, 0)), bytes_(other.bytes_) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(pointer_, other.pointer_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

DeviceBuffer::~DeviceBuffer() {
  if (pointer_ != 0) driver_->mem_free(pointer_);
}

namespace {

// The driver says "invalid argument" to all of these.
Status check_size(const Dim3& grid, const Dim3& block) {
  const auto refuse = [](const char* why, const Dim3& size) {
    return told(ErrorKind::Usage,
                {why, {{"x", value_of(size.x)}, {"y", value_of(size.y)}, {"z", value_of(size.z)}}});
  };
  if (block.volume() == 0 || grid.volume() == 0) return told(ErrorKind::Usage, {"launch.nothing", {}});
  if (block.volume() > 1024 || block.z > 64) return refuse("launch.block_too_large", block);
  if (grid.x > 2147483647u || grid.y > 65535 || grid.z > 65535) return refuse("launch.grid_too_large", grid);
  return Done{};
}

}  // namespace

Result<DeviceLaunch> DeviceLaunch::prepare(const Driver& driver, ModuleHandle module,
                                           const trace::Launch& launch, bool cooperative,
                                           InitialBuffers& initial) {
  if (const Status possible = check_size(launch.grid, launch.block); !possible) return possible.error();
  FunctionHandle function = nullptr;
  if (const CudaResult code = driver.module_function(&function, module, launch.kernel.c_str()); code != 0)
    return driver.error(code, "find_kernel");
  DeviceLaunch out(driver, function, launch);
  out.cooperative_ = cooperative;
  if (launch.dynamic_shared_bytes > 48 * 1024) {
    const int bytes = static_cast<int>(launch.dynamic_shared_bytes);
    if (const CudaResult code = driver.function_set_attribute(function, kFunctionMaxDynamicShared, bytes);
        code != 0)
      return driver.error(code, Message{"gpu.doing.reserve_shared", {{"bytes", value_of(bytes)}}});
  }
  for (const trace::Argument& argument : launch.arguments) {
    if (argument.texture) {
      auto texture = DeviceTexture::make(driver, argument);
      if (!texture) return texture.error();
      out.values_.push_back(texture->handle());
      out.textures_.push_back(std::move(*texture));
      continue;
    }
    if (!argument.is_buffer) {
      out.values_.push_back(argument.bits);
      continue;
    }
    auto pristine = initial.of(argument);
    if (!pristine) return pristine.error();
    auto buffer = DeviceBuffer::make(driver, argument.bytes());
    if (!buffer) return buffer.error();
    if (argument.bytes() != 0)
      if (const CudaResult code =
              driver.copy_on_device(buffer->pointer(), (*pristine)->pointer(), argument.bytes());
          code != 0)
        return driver.error(code, "copy_to_gpu");
    out.pristine_.push_back(std::move(*pristine));
    out.buffers_.push_back(std::move(*buffer));
    out.values_.push_back(out.buffers_.back().pointer());
  }
  return out;
}

Status DeviceLaunch::reset() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].bytes() == 0) continue;
    const CudaResult code =
        driver_->copy_on_device(buffers_[i].pointer(), pristine_[i]->pointer(), buffers_[i].bytes());
    if (code != 0) return driver_->error(code, "restore_buffer");
  }
  for (DeviceTexture& texture : textures_)
    if (const Status status = texture.reset(); !status) return status.error();
  return Done{};
}

Result<std::vector<DeviceBuffer>> DeviceLaunch::copies() const {
  std::vector<DeviceBuffer> out;
  for (const DeviceBuffer& buffer : buffers_) {
    auto copy = DeviceBuffer::make(*driver_, buffer.bytes());
    if (!copy) return copy.error();
    if (buffer.bytes() != 0)
      if (const CudaResult code = driver_->copy_on_device(copy->pointer(), buffer.pointer(), buffer.bytes());
          code != 0)
        return driver_->error(code, "copy_on_gpu");
    out.push_back(std::move(*copy));
  }
  return out;
}

bool DeviceLaunch::writes_surfaces() const {
  return std::ranges::any_of(launch_.arguments,
                             [](const trace::Argument& a) { return a.texture && a.texture->surface; });
}

Status DeviceLaunch::enqueue(StreamHandle stream) {
  std::vector<void*> pointers;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    std::vector<std::uint8_t>& structure = launch_.arguments[i].structure;
    pointers.push_back(structure.empty() ? static_cast<void*>(&values_[i]) : structure.data());
  }
  const Dim3 &grid = launch_.grid, &block = launch_.block;
  const CudaResult code =
      cooperative_ ? driver_->launch_cooperative(function_, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                 launch_.dynamic_shared_bytes, stream, pointers.data())
                   : driver_->launch(function_, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                     launch_.dynamic_shared_bytes, stream, pointers.data(), nullptr);
  if (code != 0)
    return driver_->error(code, Message{"gpu.doing.launch",
                                        {{"blocks", value_of(launch_.grid.volume())},
                                         {"threads", value_of(launch_.block.volume())}}});
  return Done{};
}

Status DeviceLaunch::wait() {
  if (const CudaResult code = driver_->synchronize(); code != 0) return driver_->error(code, "finish_kernel");
  return Done{};
}

Result<std::vector<std::vector<std::uint8_t>>> DeviceLaunch::read_buffers() const {
  std::vector<std::vector<std::uint8_t>> out;
  std::size_t next = 0, next_texture = 0;
  for (const trace::Argument& argument : launch_.arguments) {
    out.emplace_back();
    if (argument.texture) {
      const DeviceTexture& texture = textures_[next_texture++];
      if (!argument.texture->surface) continue;
      auto texels = texture.read();
      if (!texels) return texels.error();
      out.back() = std::move(*texels);
    }
    if (!argument.is_buffer) continue;
    const DeviceBuffer& buffer = buffers_[next++];
    out.back().resize(buffer.bytes());
    if (buffer.bytes() == 0) continue;
    if (const CudaResult code = driver_->copy_to_host(out.back().data(), buffer.pointer(), buffer.bytes());
        code != 0)
      return driver_->error(code, "copy_from_gpu");
  }
  return out;
}

std::size_t DeviceLaunch::buffer_bytes() const {
  std::size_t bytes = 0;
  for (const DeviceBuffer& buffer : buffers_) bytes += buffer.bytes();
  return bytes;
}

std::vector<DevicePointer> DeviceLaunch::addresses() const {
  std::vector<DevicePointer> out;
  for (std::size_t i = 0; i < launch_.arguments.size(); ++i)
    out.push_back(launch_.arguments[i].is_buffer ? values_[i] : 0);
  return out;
}

int DeviceLaunch::attribute(int which) const {
  int value = 0;
  return driver_->function_attribute(&value, which, function_) == 0 ? value : 0;
}

}  // namespace warplens::gpu
