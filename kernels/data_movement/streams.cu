// Copy, compute, copy back, piece by piece: with several streams one piece is computed while others travel.
//
// The GPU copies in, copies out and computes with different hardware. One stream uses them one after another.
// Pieces in different streams do not wait for each other, so all three can be busy at once.
__global__ void square_root_of_two(float* piece, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = piece[i];
  for (int round = 0; round < rounds; ++round) {
    x = 0.5f * (x + 2.0f / x);  // Newton's step
  }
  piece[i] = x;
}

#include <cuda_runtime.h>

// `host` is pinned (cudaMallocHost): copies from pageable memory would not overlap with anything.
void in_pieces(float* host, float* device, int n, int chunks, cudaStream_t* streams, int count) {
  int piece = n / chunks;
  for (int c = 0; c < chunks; ++c) {
    cudaStream_t stream = streams[c % count];
    float *from = host + c * piece, *on_gpu = device + c * piece;
    cudaMemcpyAsync(on_gpu, from, piece * sizeof(float), cudaMemcpyHostToDevice, stream);
    square_root_of_two<<<(piece + 255) / 256, 256, 0, stream>>>(on_gpu, piece, 64);
    cudaMemcpyAsync(from, on_gpu, piece * sizeof(float), cudaMemcpyDeviceToHost, stream);
  }
}
