// CUDA arrays, texture objects and surface objects.
#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <map>

#include "engine/runtime/array.h"
#include "engine/runtime/stream.h"
#include "engine/simt/buffers/texture.h"

using namespace warplens;
using namespace warplens::runtime;

namespace {

struct Object {
  cudaResourceDesc resource{};
  cudaTextureDesc texture{};
};
std::map<std::uint64_t, Object> objects;  // handle -> what it was made of

std::size_t texel_bytes(const simt::LastingTexture& texture) {
  return texture.format.channels * static_cast<std::size_t>(trace::size_of(texture.type));
}

// The elements that a channel format means; false: there are none such here.
bool elements_of(const cudaChannelFormatDesc& format, simt::LastingTexture& out) {
  using trace::ElementType;
  out.format.channels =
      static_cast<unsigned>((format.x > 0) + (format.y > 0) + (format.z > 0) + (format.w > 0));
  const bool same = (format.y == 0 || format.y == format.x) && (format.z == 0 || format.z == format.x) &&
                    (format.w == 0 || format.w == format.x);
  if (!same || out.format.channels == 0 || out.format.channels == 3) return false;
  const bool fraction = format.f == cudaChannelFormatKindFloat,
             sign = format.f == cudaChannelFormatKindSigned;
  if (!fraction && !sign && format.f != cudaChannelFormatKindUnsigned) return false;
  switch (format.x) {
    case 8:
      out.type = sign ? ElementType::I8 : ElementType::U8;
      return !fraction;
    case 16:
      out.type = fraction ? ElementType::F16 : sign ? ElementType::I16 : ElementType::U16;
      return true;
    case 32:
      out.type = fraction ? ElementType::F32 : sign ? ElementType::I32 : ElementType::U32;
      return true;
    default:
      return false;
  }
}

void describe_array(const cudaArray& array, simt::LastingTexture& out) {
  out.format.width = array.extent.width;
  out.format.height = array.extent.height;
  out.format.depth = array.extent.depth;
  out.format.layered = (array.flags & cudaArrayLayered) != 0;
  out.format.cube = (array.flags & cudaArrayCubemap) != 0;
  if (out.format.cube) {  // the depth counts faces
    const std::uint64_t cubes = array.extent.depth / 6;
    out.format.depth = out.format.layered ? cubes : 0;
  } else if (out.format.layered && array.extent.height == 0) {  // 1-D layers lie along the second size
    out.format.height = array.extent.depth;
    out.format.depth = 0;
  }
  out.texels = reinterpret_cast<std::uint8_t*>(array.address);
}

// Fills in the texels; the text says what of the description is not there.
std::string describe_resource(const cudaResourceDesc& resource, simt::LastingTexture& out) {
  const char* const kFormat = "a channel format other than 1, 2 or 4 channels of 8, 16 or 32 bits";
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const cudaArray* const array = resource.res.array.array;
      if (array == nullptr) return "no array";
      if (!elements_of(array->format, out)) return kFormat;
      describe_array(*array, out);
      return {};
    }
    case cudaResourceTypeLinear:
      if (!elements_of(resource.res.linear.desc, out)) return kFormat;
      out.format.linear_memory = true;
      out.format.width = resource.res.linear.sizeInBytes / std::max<std::size_t>(texel_bytes(out), 1);
      out.texels = static_cast<std::uint8_t*>(resource.res.linear.devPtr);
      return {};
    case cudaResourceTypePitch2D:
      if (!elements_of(resource.res.pitch2D.desc, out)) return kFormat;
      out.format.width = resource.res.pitch2D.width;
      out.format.height = resource.res.pitch2D.height;
      out.row_bytes = resource.res.pitch2D.pitchInBytes;
      out.texels = static_cast<std::uint8_t*>(resource.res.pitch2D.devPtr);
      return {};
    default:
      return "a mipmapped array";
  }
}

std::string describe_sampling(const cudaTextureDesc& texture, simt::LastingTexture& out) {
  using Edge = trace::Texture::Edge;
  constexpr Edge kEdges[] = {Edge::Wrap, Edge::Clamp, Edge::Mirror, Edge::Border};
  const int dimensions = out.format.dimensions();
  for (int axis = 1; axis < dimensions; ++axis)
    if (texture.addressMode[axis] != texture.addressMode[0]) return "address modes that differ between axes";
  if (texture.sRGB != 0) return "sRGB";
  if (texture.maxAnisotropy > 1) return "anisotropic filtering";
  for (const float component : texture.borderColor)
    if (component != 0 && texture.addressMode[0] == cudaAddressModeBorder) return "a border colour";
  out.format.edge = kEdges[static_cast<std::size_t>(texture.addressMode[0]) & 3];
  out.format.normalised = texture.normalizedCoords != 0;
  out.format.filter = texture.filterMode == cudaFilterModeLinear ? trace::Texture::Filter::Linear
                                                                 : trace::Texture::Filter::Point;
  out.format.unit = texture.readMode == cudaReadModeNormalizedFloat && trace::size_of(out.type) < 4;
  return {};
}

std::uint64_t keep(Context& all, simt::LastingTexture&& made, Object&& object) {
  auto& textures = all.arena.places().textures;
  std::size_t slot = 0;
  while (slot < textures.size() && textures[slot].texels != nullptr) ++slot;
  if (slot == textures.size()) textures.emplace_back();
  textures[slot] = std::move(made);
  const std::uint64_t handle = simt::texture_handle(slot);
  objects[handle] = std::move(object);
  return handle;
}

cudaError_t forget(Context& all, std::uint64_t handle) {
  if (objects.erase(handle) == 0) return handle == 0 ? cudaSuccess : cudaErrorInvalidValue;
  auto& textures = all.arena.places().textures;
  for (std::size_t slot = 0; slot < textures.size(); ++slot)
    if (simt::texture_handle(slot) == handle) textures[slot] = {};
  return cudaSuccess;
}

cudaError_t make_array(Context& all, cudaArray_t* array, const cudaChannelFormatDesc* format,
                       cudaExtent extent, unsigned flags) {
  if (array == nullptr || format == nullptr || extent.width == 0) return cudaErrorInvalidValue;
  if ((flags & (cudaArraySparse | cudaArrayDeferredMapping)) != 0)
    return all.not_supported("sparse CUDA arrays");
  simt::LastingTexture elements;
  if (format->f <= cudaChannelFormatKindNone && !elements_of(*format, elements))
    return cudaErrorInvalidChannelDescriptor;
  auto made = std::make_unique<cudaArray>(cudaArray{*format, extent, flags, 0});
  made->address = all.arena.allocate(made->row_bytes() * made->rows() * made->planes(), Kind::Array);
  if (made->address == 0) return cudaErrorMemoryAllocation;
  *array = made.release();
  return cudaSuccess;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width,
                            std::size_t height, unsigned flags) {
  return call_outside_of_captures([&](Context& all) {
    return make_array(all, array, format, {width, height, 0}, flags);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
  return call_outside_of_captures(
      [&](Context& all) { return make_array(all, array, format, extent, flags); });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return call([&](Context& all) {
    if (array == nullptr) return cudaSuccess;
    all.arena.release(array->address);
    delete array;
    return cudaSuccess;
  });
}

// Each level is an array: textures and surfaces may be made of one, not of all levels together.
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* format,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
  return call([&](Context& all) {
    if (array == nullptr || levels == 0) return cudaErrorInvalidValue;
    auto made = std::make_unique<cudaMipmappedArray>();
    const bool layers = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
    const auto half = [](std::size_t n) { return n == 0 ? n : std::max<std::size_t>(n / 2, 1); };
    const std::size_t longest = std::max({extent.width, extent.height, layers ? 0 : extent.depth});
    for (unsigned level = 0; level < levels && longest >> level != 0; ++level) {
      cudaArray_t one = nullptr;
      if (const cudaError_t error = make_array(all, &one, format, extent, flags); error != cudaSuccess) {
        for (const auto& earlier : made->levels) all.arena.release(earlier->address);
        return error;
      }
      made->levels.emplace_back(one);
      extent = {half(extent.width), half(extent.height), layers ? extent.depth : half(extent.depth)};
    }
    *array = made.release();
    return cudaSuccess;
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t of, unsigned level) {
  return call([&](Context&) {
    if (array == nullptr || of == nullptr || level >= of->levels.size()) return cudaErrorInvalidValue;
    *array = of->levels[level].get();
    return cudaSuccess;
  });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  return call([&](Context& all) {
    if (array == nullptr) return cudaSuccess;
    for (const auto& level : array->levels) all.arena.release(level->address);
    delete array;
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  return call([&](Context&) {
    if (array == nullptr) return cudaErrorInvalidResourceHandle;
    if (format != nullptr) *format = array->format;
    if (extent != nullptr) *extent = array->extent;
    if (flags != nullptr) *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  return call([&](Context&) {
    if (array == nullptr || format == nullptr) return cudaErrorInvalidValue;
    *format = array->format;
    return cudaSuccess;
  });
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* handle, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  return call([&](Context& all) {
    if (handle == nullptr || resource == nullptr || texture == nullptr) return cudaErrorInvalidValue;
    if (view != nullptr && view->format != cudaResViewFormatNone)
      return all.not_supported("cudaCreateTextureObject with a resource view");
    simt::LastingTexture made;
    std::string missing = describe_resource(*resource, made);
    if (missing.empty() && !made.format.linear_memory) missing = describe_sampling(*texture, made);
    if (!missing.empty()) return all.not_supported("cudaCreateTextureObject with " + missing);
    if (made.format.linear_memory)
      made.format.unit = texture->readMode == cudaReadModeNormalizedFloat && trace::size_of(made.type) < 4;
    *handle = keep(all, std::move(made), {*resource, *texture});
    return cudaSuccess;
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t handle) {
  return call([&](Context& all) { return forget(all, handle); });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* handle, const cudaResourceDesc* resource) {
  return call([&](Context& all) {
    if (handle == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
      return cudaErrorInvalidValue;
    simt::LastingTexture made;
    if (const std::string missing = describe_resource(*resource, made); !missing.empty())
      return all.not_supported("cudaCreateSurfaceObject with " + missing);
    made.format.surface = true;
    *handle = keep(all, std::move(made), {*resource, {}});
    return cudaSuccess;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t handle) {
  return call([&](Context& all) { return forget(all, handle); });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t handle) {
  return call([&](Context&) {
    const auto found = objects.find(handle);
    if (found == objects.end()) return cudaErrorInvalidValue;
    *resource = found->second.resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t handle) {
  return call([&](Context&) {
    const auto found = objects.find(handle);
    if (found == objects.end()) return cudaErrorInvalidValue;
    *texture = found->second.texture;
    return cudaSuccess;
  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t handle) {
  return cudaGetTextureObjectResourceDesc(resource, handle);
}

}  // extern "C"
#pragma GCC visibility pop
