//= square grid 8 1 1 | block 32 1 1 | shared 0 | 1024B
//= cube grid 8 1 1 | block 32 1 1 | shared 0 | 1024B
__global__ void square(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= x[threadIdx.x]; }
__global__ void cube(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] += 1; }
typedef void (*Kernel)(float*);
void time_it(Kernel kernel, float* x) {
  kernel<<<8, 32>>>(x);
}
int main() {
  float* x;
  cudaMalloc(&x, 256 * 4);
  time_it(square, x);
  time_it(&cube, x);
}
