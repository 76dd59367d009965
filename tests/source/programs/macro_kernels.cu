//= add_float grid 4 1 1 | block 256 1 1 | shared 0 | 4096B | 1024
//= add_int grid 4 1 1 | block 256 1 1 | shared 0 | 4096B | 1024
#define DEFINE_ADD(T) \
  __global__ void add_##T(T* data, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) data[i] += 1; }
DEFINE_ADD(float)
DEFINE_ADD(int)
#define LAUNCH(kernel, n, ...) kernel<<<((n) + 255) / 256, 256>>>(__VA_ARGS__)
int main() {
  float* f; int* i;
  cudaMalloc(&f, 1024 * sizeof(float));
  cudaMalloc(&i, 1024 * sizeof(int));
  LAUNCH(add_float, 1024, f, 1024);
  LAUNCH(add_int, 1024, i, 1024);
}
