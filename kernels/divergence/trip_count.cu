// A loop whose length differs from lane to lane: the warp stays for the longest.
//
// Lane k makes k % spread + 1 times as many turns as the shortest. Lanes that are done wait, switched off,
// until the last one leaves.
__global__ void trip_count(float* x, int n, int spread, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int turns = (threadIdx.x % spread + 1) * length;
  float v = x[i];
  for (int k = 0; k < turns; ++k) {
    v = v * 0.5f + 1.0f;
  }
  x[i] = v;
}
