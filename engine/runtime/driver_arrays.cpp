// Arrays, textures, surfaces and copies between them of the driver API: the runtime's, described otherwise.
#include <cstring>

#include "engine/runtime/array.h"
#include "engine/runtime/driver.h"

using namespace warplens;
using namespace warplens::runtime;

namespace {

cudaArray_t array_of(CUarray handle) {
  return reinterpret_cast<cudaArray_t>(handle);
}

// None for a format that the runtime has not.
std::optional<cudaChannelFormatDesc> format_of(CUarray_format format, unsigned channels) {
  int bits = 0;
  cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      bits = 8;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      bits = 16;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      bits = 32;
      break;
    default:
      return std::nullopt;
  }
  if (format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT) kind = cudaChannelFormatKindFloat;
  if (format >= CU_AD_FORMAT_SIGNED_INT8 && format <= CU_AD_FORMAT_SIGNED_INT32)
    kind = cudaChannelFormatKindSigned;
  const auto channel = [&](unsigned i) { return channels > i ? bits : 0; };
  return cudaChannelFormatDesc{channel(0), channel(1), channel(2), channel(3), kind};
}

CUresult make(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR& d) {
  const auto format = format_of(d.Format, d.NumChannels);
  if (!format) return of(context().not_supported("cuArrayCreate of such a format"));
  return of(cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(array), &*format, {d.Width, d.Height, d.Depth},
                              d.Flags));
}

struct Side {
  CUmemorytype type;
  void* host;
  CUdeviceptr device;
  CUarray array;
  std::size_t pitch, height, x, y, z;
};

std::optional<Region> region_of(const Side& side, const Size& size) {
  if (side.type == CU_MEMORYTYPE_ARRAY) {
    if (side.array == nullptr) return std::nullopt;
    return runtime::region_of(*array_of(side.array), side.x, side.y, side.z, size);
  }
  auto* const begin =
      static_cast<std::uint8_t*>(side.type == CU_MEMORYTYPE_HOST ? side.host : pointer(side.device));
  const std::size_t pitch = side.pitch == 0 ? size.width : side.pitch;
  const std::size_t plane = pitch * (side.height == 0 ? size.height : side.height);
  return Region{begin + side.z * plane + side.y * pitch + side.x, pitch, plane};
}

CUresult copy(const CUDA_MEMCPY3D& p, CUstream stream) {
  return driver([&](Context& all) -> cudaError_t {
    const Size size{p.WidthInBytes, p.Height, p.Depth};
    const auto to = region_of({p.dstMemoryType, p.dstHost, p.dstDevice, p.dstArray, p.dstPitch, p.dstHeight,
                               p.dstXInBytes, p.dstY, p.dstZ},
                              size);
    const auto from = region_of({p.srcMemoryType, const_cast<void*>(p.srcHost), p.srcDevice, p.srcArray,
                                 p.srcPitch, p.srcHeight, p.srcXInBytes, p.srcY, p.srcZ},
                                size);
    if (!to || !from) return cudaErrorInvalidValue;
    return copy_in(all, stream, *to, *from, size, cudaMemcpyDefault);
  });
}

CUDA_MEMCPY3D flat(const CUDA_MEMCPY2D& p) {
  CUDA_MEMCPY3D out{};
  out.srcXInBytes = p.srcXInBytes;
  out.srcY = p.srcY;
  out.srcMemoryType = p.srcMemoryType;
  out.srcHost = p.srcHost;
  out.srcDevice = p.srcDevice;
  out.srcArray = p.srcArray;
  out.srcPitch = p.srcPitch;
  out.dstXInBytes = p.dstXInBytes;
  out.dstY = p.dstY;
  out.dstMemoryType = p.dstMemoryType;
  out.dstHost = p.dstHost;
  out.dstDevice = p.dstDevice;
  out.dstArray = p.dstArray;
  out.dstPitch = p.dstPitch;
  out.WidthInBytes = p.WidthInBytes;
  out.Height = p.Height;
  out.Depth = 1;
  return out;
}

std::optional<cudaResourceDesc> resource_of(const CUDA_RESOURCE_DESC& r) {
  cudaResourceDesc out{};
  std::optional<cudaChannelFormatDesc> format{cudaChannelFormatDesc{}};
  switch (r.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      out.resType = cudaResourceTypeArray;
      out.res.array.array = array_of(r.res.array.hArray);
      break;
    case CU_RESOURCE_TYPE_LINEAR:
      out.resType = cudaResourceTypeLinear;
      format = format_of(r.res.linear.format, r.res.linear.numChannels);
      out.res.linear.devPtr = pointer(r.res.linear.devPtr);
      out.res.linear.sizeInBytes = r.res.linear.sizeInBytes;
      if (format) out.res.linear.desc = *format;
      break;
    case CU_RESOURCE_TYPE_PITCH2D:
      out.resType = cudaResourceTypePitch2D;
      format = format_of(r.res.pitch2D.format, r.res.pitch2D.numChannels);
      out.res.pitch2D.devPtr = pointer(r.res.pitch2D.devPtr);
      out.res.pitch2D.width = r.res.pitch2D.width;
      out.res.pitch2D.height = r.res.pitch2D.height;
      out.res.pitch2D.pitchInBytes = r.res.pitch2D.pitchInBytes;
      if (format) out.res.pitch2D.desc = *format;
      break;
    default:
      return std::nullopt;
  }
  return format ? std::optional(out) : std::nullopt;
}

bool holds_fractions(const cudaResourceDesc& r) {
  const cudaChannelFormatDesc& format = r.resType == cudaResourceTypeArray    ? r.res.array.array->format
                                        : r.resType == cudaResourceTypeLinear ? r.res.linear.desc
                                                                              : r.res.pitch2D.desc;
  return format.f == cudaChannelFormatKindFloat;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* d) {
  if (array == nullptr || d == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return make(array, {d->Width, d->Height, 0, d->Format, d->NumChannels, 0});
}
CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* d) {
  return array == nullptr || d == nullptr ? CUDA_ERROR_INVALID_VALUE : make(array, *d);
}
CUresult cuArrayDestroy(CUarray array) {
  return of(cudaFreeArray(array_of(array)));
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D* p) {
  return p == nullptr ? CUDA_ERROR_INVALID_VALUE : copy(*p, nullptr);
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* p, CUstream stream) {
  return p == nullptr ? CUDA_ERROR_INVALID_VALUE : copy(*p, stream);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D* p) {
  return p == nullptr ? CUDA_ERROR_INVALID_VALUE : copy(flat(*p), nullptr);
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* p) {
  return cuMemcpy2D(p);
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* p, CUstream stream) {
  return p == nullptr ? CUDA_ERROR_INVALID_VALUE : copy(flat(*p), stream);
}

CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view) {
  if (object == nullptr || resource == nullptr || texture == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto texels = resource_of(*resource);
  if (!texels || (view != nullptr && view->format != CU_RES_VIEW_FORMAT_NONE))
    return of(context().not_supported("cuTexObjectCreate of such a resource"));
  cudaTextureDesc as{};
  for (int axis = 0; axis < 3; ++axis)
    as.addressMode[axis] = static_cast<cudaTextureAddressMode>(texture->addressMode[axis]);
  as.filterMode = static_cast<cudaTextureFilterMode>(texture->filterMode);
  as.normalizedCoords = (texture->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0 ? 1 : 0;
  as.sRGB = (texture->flags & CU_TRSF_SRGB) != 0 ? 1 : 0;
  as.maxAnisotropy = texture->maxAnisotropy;
  std::memcpy(as.borderColor, texture->borderColor, sizeof as.borderColor);
  const bool as_they_are = (texture->flags & CU_TRSF_READ_AS_INTEGER) != 0 || holds_fractions(*texels);
  as.readMode = as_they_are ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
  return of(cudaCreateTextureObject(object, &*texels, &as, nullptr));
}
CUresult cuTexObjectDestroy(CUtexObject object) {
  return of(cudaDestroyTextureObject(object));
}
CUresult cuSurfObjectCreate(CUsurfObject* object, const CUDA_RESOURCE_DESC* resource) {
  const auto texels = resource == nullptr ? std::nullopt : resource_of(*resource);
  return texels ? of(cudaCreateSurfaceObject(object, &*texels)) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return of(cudaDestroySurfaceObject(object));
}

}  // extern "C"
#pragma GCC visibility pop
