// Texture references, which CUDA 12 has taken out: texture<float, 2> image; ... cudaBindTextureToArray(image,
// array); ... tex2D(image, x, y). A reference becomes a variable of the device that holds a texture object.
#pragma once

#include <cuda_runtime.h>

// The host writes what it knows of a reference into its own copy: filterMode, addressMode, ...
#pragma nv_diag_suppress 20092

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2

// A setting of a reference. Launches looked at it, so one that is changed behind the binding counts as well.
static inline void warplens_changed(const void* setting);
template <typename T>
struct WarplensSetting {
  T value;
  constexpr __host__ __device__ WarplensSetting(T from) : value(from) {}
  constexpr __host__ __device__ WarplensSetting(const WarplensSetting& from) : value(from.value) {}
  constexpr __host__ __device__ operator T() const { return value; }
  WarplensSetting& operator=(T to) {
    value = to;
    warplens_changed(this);
    return *this;
  }
  WarplensSetting& operator=(const WarplensSetting& from) { return *this = from.value; }
};

struct textureReference {
  cudaTextureObject_t warplens_object;
  cudaTextureReadMode warplens_read;
  int warplens_axes;
  WarplensSetting<int> normalized;
  WarplensSetting<cudaTextureFilterMode> filterMode;
  WarplensSetting<cudaTextureAddressMode> addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int sRGB;
  unsigned int maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};

template <typename T, int kDimensions = 1, cudaTextureReadMode kRead = cudaReadModeElementType>
struct WarplensTexture : textureReference {
  // What the reference says when nobody has: it is a variable of the device, which no constructor fills.
  constexpr __host__ __device__ WarplensTexture(int normal = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
                                                cudaTextureAddressMode address = cudaAddressModeClamp)
      : textureReference{0,
                         kRead,
                         kDimensions == cudaTextureTypeCubemap ? 3 : kDimensions & 3,
                         normal,
                         filter,
                         {address, address, address},
                         {8 * static_cast<int>(sizeof(T)), 0, 0, 0, cudaChannelFormatKindFloat},
                         0,
                         0,
                         cudaFilterModePoint,
                         0,
                         0,
                         0} {}
  constexpr __host__ __device__ WarplensTexture(int normal, cudaTextureFilterMode filter,
                                                cudaTextureAddressMode address, cudaChannelFormatDesc)
      : WarplensTexture(normal, filter, address) {}
};
#define texture __device__ WarplensTexture

// What a read of such a texture gives.
template <typename T, cudaTextureReadMode kRead>
struct WarplensTextureRead {
  using type = T;
};
#define WARPLENS_NORMALIZED(from, to)                                   \
  template <>                                                           \
  struct WarplensTextureRead<from, cudaReadModeNormalizedFloat> {       \
    using type = to;                                                    \
  }
WARPLENS_NORMALIZED(char, float);
WARPLENS_NORMALIZED(signed char, float);
WARPLENS_NORMALIZED(unsigned char, float);
WARPLENS_NORMALIZED(short, float);
WARPLENS_NORMALIZED(unsigned short, float);
WARPLENS_NORMALIZED(char1, float1);
WARPLENS_NORMALIZED(uchar1, float1);
WARPLENS_NORMALIZED(char2, float2);
WARPLENS_NORMALIZED(uchar2, float2);
WARPLENS_NORMALIZED(char4, float4);
WARPLENS_NORMALIZED(uchar4, float4);
WARPLENS_NORMALIZED(short1, float1);
WARPLENS_NORMALIZED(ushort1, float1);
WARPLENS_NORMALIZED(short2, float2);
WARPLENS_NORMALIZED(ushort2, float2);
WARPLENS_NORMALIZED(short4, float4);
WARPLENS_NORMALIZED(ushort4, float4);
#undef WARPLENS_NORMALIZED
template <typename T, cudaTextureReadMode kRead>
using WarplensTextureValue = typename WarplensTextureRead<T, kRead>::type;

// ---- Reads.
#define WARPLENS_READ(name, dimensions, places, values)                                              \
  template <typename T, cudaTextureReadMode kRead>                                                   \
  static __device__ __forceinline__ WarplensTextureValue<T, kRead> name(                             \
      const WarplensTexture<T, dimensions, kRead>& from, places) {                                   \
    return name<WarplensTextureValue<T, kRead>>(from.warplens_object, values);                       \
  }
#define WARPLENS_COMMA ,
WARPLENS_READ(tex1Dfetch, 1, int x, x)
WARPLENS_READ(tex1D, 1, float x, x)
WARPLENS_READ(tex2D, 2, float x WARPLENS_COMMA float y, x WARPLENS_COMMA y)
WARPLENS_READ(tex3D, 3, float x WARPLENS_COMMA float y WARPLENS_COMMA float z, x WARPLENS_COMMA y WARPLENS_COMMA z)
WARPLENS_READ(tex1DLayered, cudaTextureType1DLayered, float x WARPLENS_COMMA int layer, x WARPLENS_COMMA layer)
WARPLENS_READ(tex2DLayered, cudaTextureType2DLayered,
              float x WARPLENS_COMMA float y WARPLENS_COMMA int layer, x WARPLENS_COMMA y WARPLENS_COMMA layer)
WARPLENS_READ(texCubemap, cudaTextureTypeCubemap, float x WARPLENS_COMMA float y WARPLENS_COMMA float z,
              x WARPLENS_COMMA y WARPLENS_COMMA z)
#undef WARPLENS_READ
#undef WARPLENS_COMMA

// ---- Binding: C names a reference by its address, C++ by itself.
struct WarplensBound {
  textureReference* reference;
  WarplensBound* next;
};
static WarplensBound* warplens_bound = nullptr;  // all that ever were

static cudaError_t warplens_bind(const textureReference* to, const cudaResourceDesc& resource) {
  auto& reference = const_cast<textureReference&>(*to);
  cudaTextureDesc how{};
  const int axes = reference.warplens_axes;
  for (int i = 0; i < 3; ++i) how.addressMode[i] = reference.addressMode[i < axes ? i : axes - 1];
  how.filterMode = reference.filterMode;
  how.readMode = reference.warplens_read;
  how.normalizedCoords = reference.normalized;
  how.sRGB = reference.sRGB;
  how.maxAnisotropy = reference.maxAnisotropy;
  how.mipmapFilterMode = reference.mipmapFilterMode;
  how.mipmapLevelBias = reference.mipmapLevelBias;
  how.minMipmapLevelClamp = reference.minMipmapLevelClamp;
  how.maxMipmapLevelClamp = reference.maxMipmapLevelClamp;
  cudaTextureObject_t object = 0;
  const cudaError_t made = cudaCreateTextureObject(&object, &resource, &how, nullptr);
  if (made != cudaSuccess) return made;
  if (reference.warplens_object != 0) cudaDestroyTextureObject(reference.warplens_object);
  reference.warplens_object = object;
  const WarplensBound* known = warplens_bound;
  while (known != nullptr && known->reference != &reference) known = known->next;
  if (known == nullptr) warplens_bound = new WarplensBound{&reference, warplens_bound};
  // Only what kernels read, which comes first: the rest is the host's.
  return cudaMemcpyToSymbol(static_cast<const void*>(to), &reference.warplens_object,
                            sizeof reference.warplens_object);
}

static inline void warplens_changed(const void* setting) {
  const WarplensBound* found = warplens_bound;
  while (found != nullptr && !(setting >= found->reference && setting < found->reference + 1)) found = found->next;
  if (found == nullptr || found->reference->warplens_object == 0) return;
  cudaResourceDesc resource;
  // One that does not go with the others yet may be followed by the one that makes it fit.
  if (cudaGetTextureObjectResourceDesc(&resource, found->reference->warplens_object) != cudaSuccess ||
      warplens_bind(found->reference, resource) != cudaSuccess)
    cudaGetLastError();
}

static inline cudaError_t cudaBindTexture(size_t* offset, const textureReference* to, const void* memory,
                                          const cudaChannelFormatDesc* format, size_t bytes = 0xffffffff) {
  if (offset != nullptr) *offset = 0;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<void*>(memory);
  resource.res.linear.desc = *format;
  // Nobody has said how much: up to the end of what was allocated there.
  if (bytes == 0xffffffff) {
    CUdeviceptr base = 0;
    size_t all = 0;
    const auto at = reinterpret_cast<CUdeviceptr>(memory);
    if (cuMemGetAddressRange(&base, &all, at) == CUDA_SUCCESS) bytes = all - static_cast<size_t>(at - base);
  }
  resource.res.linear.sizeInBytes = bytes;
  return warplens_bind(to, resource);
}
template <typename T, int kDimensions, cudaTextureReadMode kRead>
static cudaError_t cudaBindTexture(size_t* offset, const WarplensTexture<T, kDimensions, kRead>& to,
                                   const void* memory, const cudaChannelFormatDesc& format,
                                   size_t bytes = 0xffffffff) {
  return cudaBindTexture(offset, &to, memory, &format, bytes);
}
template <typename T, int kDimensions, cudaTextureReadMode kRead>
static cudaError_t cudaBindTexture(size_t* offset, const WarplensTexture<T, kDimensions, kRead>& to,
                                   const void* memory, size_t bytes = 0xffffffff) {
  return cudaBindTexture(offset, to, memory, cudaCreateChannelDesc<T>(), bytes);
}
static inline cudaError_t cudaBindTexture2D(size_t* offset, const textureReference* to, const void* memory,
                                            const cudaChannelFormatDesc* format, size_t width, size_t height,
                                            size_t pitch) {
  if (offset != nullptr) *offset = 0;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = const_cast<void*>(memory);
  resource.res.pitch2D.desc = *format;
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  return warplens_bind(to, resource);
}
template <typename T, int kDimensions, cudaTextureReadMode kRead>
static cudaError_t cudaBindTexture2D(size_t* offset, const WarplensTexture<T, kDimensions, kRead>& to,
                                     const void* memory, const cudaChannelFormatDesc& format, size_t width,
                                     size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, &to, memory, &format, width, height, pitch);
}
template <typename T, int kDimensions, cudaTextureReadMode kRead>
static cudaError_t cudaBindTexture2D(size_t* offset, const WarplensTexture<T, kDimensions, kRead>& to,
                                     const void* memory, size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, to, memory, cudaCreateChannelDesc<T>(), width, height, pitch);
}
static inline cudaError_t cudaBindTextureToArray(const textureReference* to, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc* = nullptr) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  return warplens_bind(to, resource);
}
template <typename T, int kDimensions, cudaTextureReadMode kRead>
static cudaError_t cudaBindTextureToArray(const WarplensTexture<T, kDimensions, kRead>& to, cudaArray_const_t array) {
  return cudaBindTextureToArray(&to, array);
}
template <typename T, int kDimensions, cudaTextureReadMode kRead>
static cudaError_t cudaBindTextureToArray(const WarplensTexture<T, kDimensions, kRead>& to, cudaArray_const_t array,
                                          const cudaChannelFormatDesc&) {
  return cudaBindTextureToArray(&to, array);
}
static inline cudaError_t cudaUnbindTexture(const textureReference* from) {
  auto& reference = const_cast<textureReference&>(*from);
  if (reference.warplens_object == 0) return cudaSuccess;
  const cudaError_t result = cudaDestroyTextureObject(reference.warplens_object);
  reference.warplens_object = 0;
  return result;
}
template <typename T, int kDimensions, cudaTextureReadMode kRead>
static cudaError_t cudaUnbindTexture(const WarplensTexture<T, kDimensions, kRead>& from) {
  return cudaUnbindTexture(&from);
}
static inline cudaError_t cudaGetTextureReference(const textureReference** to, const void* symbol) {
  *to = static_cast<const textureReference*>(symbol);
  return cudaSuccess;
}
