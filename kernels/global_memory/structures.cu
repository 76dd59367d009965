// Particles three ways: an array of structures, a structure of arrays, and blocks of 32 of each.
//
// FIELDS floats make one particle. When a kernel needs only some of them, the array of structures fetches
// the others as well, because they lie in the same sectors. The structure of arrays reads exactly what it
// asks for. Blocks of 32 (an array of structures of arrays) do too, and keep one particle's data close
// together.
#ifndef FIELDS
#define FIELDS 4
#endif

__global__ void array_of_structures(const float* in, float* out, int n, int used) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int field = 0; field < used; ++field) {
    sum += in[i * FIELDS + field];
  }
  out[i] = sum;
}

__global__ void structure_of_arrays(const float* in, float* out, int n, int used) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int field = 0; field < used; ++field) {
    sum += in[field * n + i];
  }
  out[i] = sum;
}

__global__ void blocks_of_32(const float* in, float* out, int n, int used) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int field = 0; field < used; ++field) {
    sum += in[(i / 32) * 32 * FIELDS + field * 32 + i % 32];
  }
  out[i] = sum;
}
