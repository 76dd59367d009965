// Four questions that the lanes of a warp answer together. Every lane brings a value and every lane gets the
// answer: no shared memory, no barrier, one instruction each.
//
// any     is there a lane whose value reaches the limit?
// all     do all of them?
// ballot  which ones? A bit for each lane; here they are counted
// match   which lanes have the same value as I? A bit for each of them, a lane's own always among them
//
// The mask names the lanes that take part, and all of them must come here: so nobody returns before.

__global__ void ask_any(const int* in, int* out, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : -1;
  int answer = __any_sync(0xffffffff, value >= limit);
  if (i < n) out[i] = answer != 0;
}

__global__ void ask_all(const int* in, int* out, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : -1;
  int answer = __all_sync(0xffffffff, value >= limit);
  if (i < n) out[i] = answer != 0;
}

__global__ void ask_ballot(const int* in, int* out, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : -1;
  unsigned int lanes = __ballot_sync(0xffffffff, value >= limit);
  if (i < n) out[i] = __popc(lanes);
}

__global__ void ask_match(const int* in, int* out, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : -1;
  unsigned int lanes = __match_any_sync(0xffffffff, value);
  if (i < n) out[i] = __popc(lanes);
}
