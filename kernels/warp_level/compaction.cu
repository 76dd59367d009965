// Keeping the elements above a limit, packed together: an atomic for each of them, or one for many.
//
// __ballot_sync tells every lane which lanes keep their element. Counting the ones below its own bit gives
// a lane its place, so that a single lane can reserve room for all of them. A block can do the same with a
// counter in shared memory. Where the order in the result does not matter, nothing else is needed.

// atomicInc starts again at 0 behind n. More than n are never kept, but the compiler does not know that, and
// lets every lane ask by itself.
__global__ void compact_each(const int* in, int* out, unsigned int* count, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] >= limit) {
    out[atomicInc(count, n)] = in[i];
  }
}

// Adding 1 to one address is so common that the compiler does by itself what compact_a_warp does by hand.
__global__ void compact_by_compiler(const int* in, int* out, unsigned int* count, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] >= limit) {
    out[atomicAdd(count, 1u)] = in[i];
  }
}

__global__ void compact_a_warp(const int* in, int* out, unsigned int* count, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  bool keep = i < n && in[i] >= limit;
  unsigned int kept = __ballot_sync(0xffffffff, keep);
  unsigned int first = 0;
  if (lane == 0) first = atomicAdd(count, __popc(kept));
  first = __shfl_sync(0xffffffff, first, 0);
  if (keep) {
    unsigned int below = kept & ((1u << lane) - 1);
    out[first + __popc(below)] = in[i];
  }
}

__global__ void compact_a_block(const int* in, int* out, unsigned int* count, int n, int limit) {
  __shared__ unsigned int kept_here, first;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) kept_here = 0;
  __syncthreads();
  bool keep = i < n && in[i] >= limit;
  unsigned int place = 0;
  if (keep) place = atomicAdd(&kept_here, 1u);
  __syncthreads();
  if (threadIdx.x == 0) first = atomicAdd(count, kept_here);
  __syncthreads();
  if (keep) out[first + place] = in[i];
}
