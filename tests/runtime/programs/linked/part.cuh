#pragma once
extern __device__ int calls;
extern __constant__ float factor;
__device__ float scaled(float x);
template <typename T>
__device__ T twice(T x) {
  return x + x;
}
