//= mul grid 64 1 1 | block 64 1 1 | shared 0 | 65536B | 65536B | 4096
typedef double real;
using real2 = double2;
__global__ void mul(real2* a, const real2* b, unsigned n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i].x *= b[i].x; }
int main() {
  const unsigned n = 4096u;
  real2 *a, *b;
  cudaMalloc(&a, n * sizeof(real2));
  cudaMalloc(&b, n * 2 * sizeof(real));
  mul<<<n / 64, 64>>>(a, b, n);
}
