//= mac grid 64 1 1 | block 64 1 1 | shared 0 | 16384B | 4096
#ifdef USE_DOUBLE
typedef double real;
#else
typedef float real;
#endif
#if !defined(BLOCK)
#define BLOCK 64
#endif
__global__ void mac(real* p,
#ifdef WITH_SCALE
                    real scale,
#endif
                    int n) { int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) p[i] += 1; }
int main() {
  int n = 4096;
  real* p;
  cudaMalloc(&p, n * sizeof(real));
#ifdef WITH_SCALE
  mac<<<n / BLOCK, BLOCK>>>(p, 2, n);
#else
  mac<<<n / BLOCK, BLOCK>>>(p, n);
#endif
}
