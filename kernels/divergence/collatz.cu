// The data decides how long a lane is busy: nobody can tell beforehand.
//
// Halve an even number, turn an odd n into 3n + 1, until 1 is reached. Neighbouring starts need very
// different numbers of steps, so most lanes of a warp wait for a few.
__global__ void collatz(const unsigned int* start, int* steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned int v = start[i] + 1;
  int count = 0;
  while (v != 1) {
    v = v % 2 == 0 ? v / 2 : 3 * v + 1;
    ++count;
  }
  steps[i] = count;
}
