// One lane of a warp asks for as many places as its warp needs.
__global__ void keep(const int* in, int* out, unsigned int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  bool mine = i < n && in[i] == 1;
  unsigned int kept = __ballot_sync(0xffffffff, mine), first = 0;
  if (lane == 0) first = atomicAdd(count, __popc(kept));
  first = __shfl_sync(0xffffffff, first, 0);
  if (mine) out[first + __popc(kept & ((1u << lane) - 1))] = in[i];
}
