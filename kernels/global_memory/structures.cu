// Particles three ways: an array of structures, a structure of arrays, and blocks of 32 of each.
//
// When a kernel needs only some fields of a particle, the array of structures fetches the others as well,
// because they lie in the same sectors. The structure of arrays reads exactly what it asks for. Blocks of 32
// (an array of structures of arrays) do too, and keep one particle's data close together.
#ifndef FIELDS
#define FIELDS 8
#endif

struct Particle {
  float field[FIELDS];
};

__global__ void array_of_structures(const Particle* particles, float* out, int n, int used) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int f = 0; f < used; ++f) {
    sum += particles[i].field[f];
  }
  out[i] = sum;
}

// One array for each field: the first n floats are field 0 of all particles.
__global__ void structure_of_arrays(const float* fields, float* out, int n, int used) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int f = 0; f < used; ++f) {
    sum += fields[f * n + i];
  }
  out[i] = sum;
}

struct ParticleBlock {
  float field[FIELDS][32];
};

__global__ void blocks_of_32(const ParticleBlock* blocks, float* out, int n, int used) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int f = 0; f < used; ++f) {
    sum += blocks[i / 32].field[f][i % 32];
  }
  out[i] = sum;
}
