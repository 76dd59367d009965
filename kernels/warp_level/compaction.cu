// Keeping the elements above a limit, packed together: one atomic a thread, or one a warp.
//
// __ballot_sync tells every lane which lanes keep their element. Counting the ones below its own bit gives
// a lane its place, so that a single lane can reserve room for all of them.
__global__ void compact_atomic_each(const int* in, int* out, int* count, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] >= limit) {
    out[atomicAdd(count, 1)] = in[i];
  }
}

__global__ void compact_atomic_a_warp(const int* in, int* out, int* count, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  bool keep = i < n && in[i] >= limit;
  unsigned int kept = __ballot_sync(0xffffffff, keep);
  int first = 0;
  if (lane == 0) first = atomicAdd(count, __popc(kept));
  first = __shfl_sync(0xffffffff, first, 0);
  if (keep) {
    unsigned int below = kept & ((1u << lane) - 1);
    out[first + __popc(below)] = in[i];
  }
}
