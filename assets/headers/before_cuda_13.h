// What CUDA 13 and the toolkits before it have taken out of their headers and what programs still name: put back
// for a program that was written for an older toolkit. `warplens run` includes it before such a program, when
// nvcc has refused that; WARPLENS_TEXTURE_REFERENCES also puts back texture<...> and cudaBindTexture(),
// WARPLENS_SURFACE_REFERENCES surface<...> and cudaBindSurfaceToArray().
#pragma once
#ifdef __cplusplus

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <iterator>

#if CUDART_VERSION >= 13000

// ---- Properties that are attributes now.
struct WarplensDeviceProperties : cudaDeviceProp {
  int clockRate, memoryClockRate;  // kHz
  int deviceOverlap, kernelExecTimeoutEnabled, computeMode;
  int singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch, maxTexture1DLinear;
};
static inline cudaError_t cudaGetDeviceProperties(WarplensDeviceProperties* properties, int device) {
  const cudaError_t result = cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(properties), device);
  if (result != cudaSuccess) return result;
  const auto ask = [&](int& value, cudaDeviceAttr attribute) {
    if (cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess) return;
    value = 0;
    cudaGetLastError();
  };
  ask(properties->clockRate, cudaDevAttrClockRate);
  ask(properties->memoryClockRate, cudaDevAttrMemoryClockRate);
  ask(properties->deviceOverlap, cudaDevAttrGpuOverlap);
  ask(properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout);
  ask(properties->computeMode, cudaDevAttrComputeMode);
  ask(properties->singleToDoublePrecisionPerfRatio, cudaDevAttrSingleToDoublePrecisionPerfRatio);
  ask(properties->maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth);
  properties->cooperativeMultiDeviceLaunch = 0;
  return result;
}
#define cudaDeviceProp WarplensDeviceProperties

// ---- Where memory lies was the number of a device.
static inline cudaMemLocation warplens_location(int device) {
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}
static inline cudaError_t cudaMemPrefetchAsync(const void* memory, size_t bytes, int device,
                                               cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(memory, bytes, warplens_location(device), 0u, stream);
}
static inline cudaError_t cudaMemAdvise(const void* memory, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(memory, bytes, advice, warplens_location(device));
}

// ---- Names that were said to be old long before.
static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
static inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
static inline cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
static inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}
static inline cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) {
  return cudaDeviceGetCacheConfig(config);
}

// ---- Graphs whose edges had no data.
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                      const cudaGraphNode_t* to, size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                            size_t* count) {
  return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                       size_t* count) {
  return cudaGraphNodeGetDependencies(node, nodes, nullptr, count);
}
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                         size_t* count) {
  return cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count);
}
static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                           size_t count, cudaGraphNodeParams* parameters) {
  return cudaGraphAddNode(node, graph, after, nullptr, count, parameters);
}
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                   unsigned long long* id, cudaGraph_t* graph,
                                                   const cudaGraphNode_t** nodes, size_t* count) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}
static inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                              size_t count, unsigned int flags = 0) {
  return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}

// ---- The driver's functions under the numbers that its header gives them now.
static inline CUresult cuCtxCreate_v4(CUcontext* context, unsigned int flags, CUdevice device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}
static inline CUmemLocation warplens_driver_location(CUdevice device) {
  CUmemLocation location{};
  location.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device == CU_DEVICE_CPU ? 0 : device;
  return location;
}
static inline CUresult cuMemAdvise_v2(CUdeviceptr memory, size_t bytes, CUmem_advise advice, CUdevice device) {
  return cuMemAdvise_v2(memory, bytes, advice, warplens_driver_location(device));
}
static inline CUresult cuMemPrefetchAsync(CUdeviceptr memory, size_t bytes, CUdevice device, CUstream stream) {
  return cuMemPrefetchAsync(memory, bytes, warplens_driver_location(device), 0u, stream);
}

#ifdef __CUDACC__
// ---- Functions of a warp without a mask of its lanes: those that are here.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
template <typename T>
static __device__ __forceinline__ T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(__activemask(), value, lane, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_up(T value, unsigned int by, int width = 32) {
  return __shfl_up_sync(__activemask(), value, by, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_down(T value, unsigned int by, int width = 32) {
  return __shfl_down_sync(__activemask(), value, by, width);
}
template <typename T>
static __device__ __forceinline__ T __shfl_xor(T value, int mask, int width = 32) {
  return __shfl_xor_sync(__activemask(), value, mask, width);
}
static __device__ __forceinline__ int warplens_any(int predicate) {
  return __any_sync(__activemask(), predicate);
}
static __device__ __forceinline__ int warplens_all(int predicate) {
  return __all_sync(__activemask(), predicate);
}
static __device__ __forceinline__ unsigned int warplens_ballot(int predicate) {
  return __ballot_sync(__activemask(), predicate);
}
// The toolkit's headers still declare these, for architectures that it no longer compiles for.
#define __any warplens_any
#define __all warplens_all
#define __ballot warplens_ballot
#endif

// ---- What Thrust and CUB have left to the standard library.
#ifndef THRUST_HOST_DEVICE
#define THRUST_HOST __host__
#define THRUST_DEVICE __device__
#define THRUST_HOST_DEVICE __host__ __device__
#endif
#ifndef CUB_MIN
#define CUB_MIN(a, b) (((b) < (a)) ? (b) : (a))
#define CUB_MAX(a, b) (((b) > (a)) ? (b) : (a))
#endif
namespace thrust {
template <typename Argument, typename Result>
struct unary_function {
  using argument_type = Argument;
  using result_type = Result;
};
template <typename First, typename Second, typename Result>
struct binary_function {
  using first_argument_type = First;
  using second_argument_type = Second;
  using result_type = Result;
};
template <typename Value = void>
struct identity {
  __host__ __device__ const Value& operator()(const Value& value) const { return value; }
};
template <>
struct identity<void> {
  template <typename Value>
  __host__ __device__ constexpr Value&& operator()(Value&& value) const {
    return static_cast<Value&&>(value);
  }
};
}  // namespace thrust
namespace cub {
struct Sum {
  template <typename T, typename U>
  __host__ __device__ __forceinline__ auto operator()(const T& a, const U& b) const -> decltype(a + b) {
    return a + b;
  }
};
struct Difference {
  template <typename T, typename U>
  __host__ __device__ __forceinline__ auto operator()(const T& a, const U& b) const -> decltype(a - b) {
    return a - b;
  }
};
struct Max {
  template <typename T>
  __host__ __device__ __forceinline__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <typename T>
  __host__ __device__ __forceinline__ T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct Equality {
  template <typename T, typename U>
  __host__ __device__ __forceinline__ bool operator()(const T& a, const U& b) const {
    return a == b;
  }
};
struct Inequality {
  template <typename T, typename U>
  __host__ __device__ __forceinline__ bool operator()(const T& a, const U& b) const {
    return !(a == b);
  }
};
// A value for each position; Self has a dereference() and an advance().
template <typename Self, typename Value, typename Offset>
struct WarplensIterator {
  using self_type = Self;
  using difference_type = Offset;
  using value_type = Value;
  using pointer = Value*;
  using reference = Value;
  using iterator_category = std::random_access_iterator_tag;
  __host__ __device__ Value operator*() const { return self().dereference(); }
  template <typename Distance>
  __host__ __device__ Value operator[](Distance n) const {
    return *(*this + n);
  }
  template <typename Distance>
  __host__ __device__ Self operator+(Distance n) const {
    Self out = self();
    out.advance(n);
    return out;
  }
  template <typename Distance>
  __host__ __device__ Self operator-(Distance n) const {
    return *this + -n;
  }
  __host__ __device__ difference_type operator-(const Self& other) const { return self().distance(other); }
  template <typename Distance>
  __host__ __device__ Self& operator+=(Distance n) {
    self().advance(n);
    return self();
  }
  __host__ __device__ Self& operator++() { return *this += 1; }
  __host__ __device__ Self operator++(int) {
    const Self old = self();
    *this += 1;
    return old;
  }
  __host__ __device__ bool operator==(const Self& other) const { return self().distance(other) == 0; }
  __host__ __device__ bool operator!=(const Self& other) const { return self().distance(other) != 0; }

 private:
  __host__ __device__ const Self& self() const { return static_cast<const Self&>(*this); }
  __host__ __device__ Self& self() { return static_cast<Self&>(*this); }
};
template <typename Value, typename Offset = ptrdiff_t>
struct CountingInputIterator : WarplensIterator<CountingInputIterator<Value, Offset>, Value, Offset> {
  Value value;
  __host__ __device__ CountingInputIterator(const Value& first) : value(first) {}
  __host__ __device__ Value dereference() const { return value; }
  template <typename Distance>
  __host__ __device__ void advance(Distance n) {
    value = static_cast<Value>(value + n);
  }
  __host__ __device__ Offset distance(const CountingInputIterator& other) const { return value - other.value; }
};
template <typename Value, typename Offset = ptrdiff_t>
struct ConstantInputIterator : WarplensIterator<ConstantInputIterator<Value, Offset>, Value, Offset> {
  Value value;
  Offset at;
  __host__ __device__ ConstantInputIterator(const Value& of, Offset first = 0) : value(of), at(first) {}
  __host__ __device__ Value dereference() const { return value; }
  template <typename Distance>
  __host__ __device__ void advance(Distance n) {
    at += n;
  }
  __host__ __device__ Offset distance(const ConstantInputIterator& other) const { return at - other.at; }
};
template <typename Value, typename Operation, typename Iterator, typename Offset = ptrdiff_t>
struct TransformInputIterator
    : WarplensIterator<TransformInputIterator<Value, Operation, Iterator, Offset>, Value, Offset> {
  Iterator from;
  Operation operation;
  __host__ __device__ TransformInputIterator(Iterator first, Operation with) : from(first), operation(with) {}
  __host__ __device__ Value dereference() const { return operation(*from); }
  template <typename Distance>
  __host__ __device__ void advance(Distance n) {
    from += n;
  }
  __host__ __device__ Offset distance(const TransformInputIterator& other) const { return from - other.from; }
};
}  // namespace cub

#ifdef WARPLENS_TEXTURE_REFERENCES
#include "texture_references.h"
#endif
#ifdef WARPLENS_SURFACE_REFERENCES
#include "surface_references.h"
#endif
#endif  // __CUDACC__

#endif  // CUDART_VERSION
#endif  // __cplusplus
