#include "engine/gpu/device_texture.h"

#include <algorithm>
#include <utility>

namespace warplens::gpu {

// Layouts of CUDA_ARRAY3D_DESCRIPTOR_v2, CUDA_MEMCPY3D_v2, CUDA_RESOURCE_DESC_v1 and CUDA_TEXTURE_DESC_v1 as
// cuda.h of CUDA 13 has them.
struct ArrayShape {
  std::size_t width, height, depth;  // 0: fewer dimensions
  int format;
  unsigned channels, flags;
};

struct ArrayCopySide {
  std::size_t x_bytes = 0, y = 0, z = 0, level = 0;
  int memory = 0;
  const void* host = nullptr;
  DevicePointer device = 0;
  ArrayHandle array = nullptr;
  void* reserved = nullptr;
  std::size_t pitch = 0, height = 0;
};
struct ArrayCopy {
  ArrayCopySide from, to;
  std::size_t width_bytes = 0, height = 1, depth = 1;
};

struct ResourceShape {
  int kind;
  union {
    ArrayHandle array;
    struct {
      DevicePointer pointer;
      int format;
      unsigned channels;
      std::size_t bytes;
    } linear;
    int reserved[32];
  };
  unsigned flags;
};

struct TextureShape {
  int edge[3];
  int filter;
  unsigned flags, anisotropy;
  int level_filter;
  float level_bias, level_least, level_most;
  float border[4];
  int reserved[12];
};

static_assert(sizeof(ArrayShape) == 40 && sizeof(ArrayCopy) == 200);
static_assert(sizeof(ResourceShape) == 144 && sizeof(TextureShape) == 104);

namespace {

constexpr int kMemoryHost = 1, kMemoryArray = 3;
constexpr int kResourceArray = 0, kResourceLinear = 2;
constexpr unsigned kArrayForSurfaces = 2, kArrayForGather = 8, kArrayOfLayers = 1, kArrayOfFaces = 4;
constexpr std::uint64_t kMostToGather = 32768;  // texels along a side
constexpr unsigned kReadAsInteger = 1, kNormalisedCoordinates = 2;

int format_of(trace::ElementType type) {
  using trace::ElementType;
  switch (type) {
    case ElementType::U8:
      return 0x01;
    case ElementType::U16:
      return 0x02;
    case ElementType::U32:
      return 0x03;
    case ElementType::I8:
      return 0x08;
    case ElementType::I16:
      return 0x09;
    case ElementType::I32:
      return 0x0a;
    case ElementType::F16:
      return 0x10;
    default:
      return 0x20;
  }
}

int edge_of(trace::Texture::Edge edge) {
  using Edge = trace::Texture::Edge;
  switch (edge) {
    case Edge::Wrap:
      return 0;
    case Edge::Clamp:
      return 1;
    case Edge::Mirror:
      return 2;
    case Edge::Border:
      return 3;
  }
  return 1;
}

bool is_integer(trace::ElementType type) {
  return type != trace::ElementType::F16 && type != trace::ElementType::F32;
}

}  // namespace

Status DeviceTexture::make_array() {
  const bool lines = format_.layered && format_.depth == 0;
  ArrayShape shape{format_.width, format_.height, format_.depth, format_of(type_), format_.channels, 0};
  if (lines) std::swap(shape.height, shape.depth);
  if (format_.cube) shape.depth = std::max<std::size_t>(shape.depth, 1) * 6;
  shape.flags = (format_.surface ? kArrayForSurfaces : 0) | (format_.layered ? kArrayOfLayers : 0) |
                (format_.cube ? kArrayOfFaces : 0);
  if (const CudaResult code = driver_->array_create(&array_, &shape); code != 0)
    return driver_->error(code, "reserve_texture");
  return copy(texels_.data(), true);
}

Status DeviceTexture::make_object() {
  ResourceShape resource{};
  if (linear_) {
    resource.kind = kResourceLinear;
    resource.linear.pointer = linear_->pointer();
    resource.linear.format = format_of(type_);
    resource.linear.channels = format_.channels;
    resource.linear.bytes = linear_->bytes();
  } else {
    resource.kind = kResourceArray;
    resource.array = array_;
  }
  if (format_.surface) {
    const CudaResult code = driver_->surface_create(&handle_, &resource);
    return code == 0 ? Status(Done{}) : driver_->error(code, "make_surface");
  }
  TextureShape shape{};
  std::fill(std::begin(shape.edge), std::end(shape.edge), edge_of(format_.edge));
  shape.filter = format_.filter == trace::Texture::Filter::Linear ? 1 : 0;
  shape.flags = (is_integer(type_) && !format_.unit ? kReadAsInteger : 0) |
                (format_.normalised ? kNormalisedCoordinates : 0);
  const CudaResult code = driver_->texture_create(&handle_, &resource, &shape, nullptr);
  return code == 0 ? Status(Done{}) : driver_->error(code, "make_texture");
}

Status DeviceTexture::copy(void* host, bool to_device) const {
  ArrayCopy copy;
  copy.width_bytes = format_.width * format_.channels * static_cast<std::size_t>(trace::size_of(type_));
  const bool lines = format_.layered && format_.depth == 0;
  copy.height = lines ? 1 : std::max<std::size_t>(format_.height, 1);
  copy.depth = std::max<std::size_t>(lines ? format_.height : format_.depth, 1) * (format_.cube ? 6 : 1);
  ArrayCopySide& memory = to_device ? copy.from : copy.to;
  ArrayCopySide& array = to_device ? copy.to : copy.from;
  memory.memory = kMemoryHost;
  memory.host = host;
  memory.pitch = copy.width_bytes;
  memory.height = copy.height;
  array.memory = kMemoryArray;
  array.array = array_;
  const CudaResult code = driver_->array_copy(&copy);
  return code == 0 ? Status(Done{}) : driver_->error(code, "copy_texels");
}

Result<DeviceTexture> DeviceTexture::make(const Driver& driver, const trace::Argument& argument) {
  DeviceTexture out(driver, argument);
  auto texels = trace::initial_bytes(argument);
  if (!texels) return texels.error();
  out.texels_ = std::move(*texels);
  if (out.format_.linear_memory) {
    auto buffer = DeviceBuffer::make(driver, out.texels_.size());
    if (!buffer) return buffer.error();
    if (const CudaResult code =
            driver.copy_to_device(buffer->pointer(), out.texels_.data(), out.texels_.size());
        code != 0)
      return driver.error(code, "copy_texels");
    out.linear_.emplace(std::move(*buffer));
  } else if (const Status status = out.make_array(); !status) {
    return status.error();
  }
  if (const Status status = out.make_object(); !status) return status.error();
  return out;
}

DeviceTexture::DeviceTexture(DeviceTexture&& other) noexcept
    : driver_(other.driver_),
      format_(other.format_),
      type_(other.type_),
      texels_(std::move(other.texels_)),
      array_(std::exchange(other.array_, nullptr)),
      linear_(std::move(other.linear_)),
      handle_(std::exchange(other.handle_, 0)) {}

DeviceTexture& DeviceTexture::operator=(DeviceTexture&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(format_, other.format_);
  std::swap(type_, other.type_);
  std::swap(texels_, other.texels_);
  std::swap(array_, other.array_);
  std::swap(linear_, other.linear_);
  std::swap(handle_, other.handle_);
  return *this;
}

DeviceTexture::~DeviceTexture() {
  if (handle_ != 0) (format_.surface ? driver_->surface_destroy : driver_->texture_destroy)(handle_);
  if (array_ != nullptr) driver_->array_destroy(array_);
}

Status DeviceTexture::reset() {
  return format_.surface ? copy(texels_.data(), true) : Status(Done{});
}

Result<std::vector<std::uint8_t>> DeviceTexture::read() const {
  std::vector<std::uint8_t> out(texels_.size());
  if (const Status status = copy(out.data(), false); !status) return status.error();
  return out;
}

}  // namespace warplens::gpu
