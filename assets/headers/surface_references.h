// Surface references, which CUDA 12 has taken out: surface<void, 2> image; ... cudaBindSurfaceToArray(image,
// array); ... surf2Dwrite(value, image, x * sizeof value, y). A reference becomes a variable of the device that
// holds a surface object.
#pragma once

#include <cuda_runtime.h>

// The host writes what it knows of a reference into its own copy.
#pragma nv_diag_suppress 20092

#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceTypeCubemap 0x0C
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2

struct surfaceReference {
  cudaSurfaceObject_t warplens_object;
  cudaChannelFormatDesc channelDesc;
};

template <typename T, int kDimensions = 1>
struct WarplensSurface : surfaceReference {
  constexpr __host__ __device__ WarplensSurface() : surfaceReference{0, {}} {}
};
#define surface __device__ WarplensSurface

// ---- Reads, into a variable or as a value, and writes.
#define WARPLENS_SURFACE(name, dimensions, places, values)                                                   \
  template <typename T, typename Of>                                                                         \
  static __device__ __forceinline__ T name##read(const WarplensSurface<Of, dimensions>& from, places,        \
                                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {      \
    return name##read<T>(from.warplens_object, values, mode);                                                \
  }                                                                                                          \
  template <typename T, typename Of>                                                                         \
  static __device__ __forceinline__ void name##read(T* to, const WarplensSurface<Of, dimensions>& from, places, \
                                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {   \
    *to = name##read<T>(from.warplens_object, values, mode);                                                 \
  }                                                                                                          \
  template <typename T, typename Of>                                                                         \
  static __device__ __forceinline__ void name##write(T value, const WarplensSurface<Of, dimensions>& to, places, \
                                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
    name##write(value, to.warplens_object, values, mode);                                                    \
  }
#define WARPLENS_COMMA ,
WARPLENS_SURFACE(surf1D, cudaSurfaceType1D, int x, x)
WARPLENS_SURFACE(surf2D, cudaSurfaceType2D, int x WARPLENS_COMMA int y, x WARPLENS_COMMA y)
WARPLENS_SURFACE(surf3D, cudaSurfaceType3D, int x WARPLENS_COMMA int y WARPLENS_COMMA int z,
                 x WARPLENS_COMMA y WARPLENS_COMMA z)
WARPLENS_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, int x WARPLENS_COMMA int layer, x WARPLENS_COMMA layer)
WARPLENS_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, int x WARPLENS_COMMA int y WARPLENS_COMMA int layer,
                 x WARPLENS_COMMA y WARPLENS_COMMA layer)
#undef WARPLENS_SURFACE
#undef WARPLENS_COMMA

// ---- Binding: C names a reference by its address, C++ by itself.
static inline cudaError_t cudaBindSurfaceToArray(const surfaceReference* to, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc* = nullptr) {
  auto& reference = const_cast<surfaceReference&>(*to);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = const_cast<cudaArray_t>(array);
  if (reference.warplens_object != 0) cudaDestroySurfaceObject(reference.warplens_object);
  reference.warplens_object = 0;
  const cudaError_t made = cudaCreateSurfaceObject(&reference.warplens_object, &resource);
  if (made != cudaSuccess) return made;
  // Only what kernels ask, which comes first: the rest is the host's.
  return cudaMemcpyToSymbol(static_cast<const void*>(to), &reference.warplens_object,
                            sizeof reference.warplens_object);
}
template <typename T, int kDimensions>
static cudaError_t cudaBindSurfaceToArray(const WarplensSurface<T, kDimensions>& to, cudaArray_const_t array) {
  return cudaBindSurfaceToArray(&to, array);
}
template <typename T, int kDimensions>
static cudaError_t cudaBindSurfaceToArray(const WarplensSurface<T, kDimensions>& to, cudaArray_const_t array,
                                          const cudaChannelFormatDesc&) {
  return cudaBindSurfaceToArray(&to, array);
}
static inline cudaError_t cudaGetSurfaceReference(const surfaceReference** to, const void* symbol) {
  *to = static_cast<const surfaceReference*>(symbol);
  return cudaSuccess;
}
