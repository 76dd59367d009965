//= apply grid 2 1 1 | block 64 1 1 | shared 0 | 512B | struct:f32:0.5,i32:128
struct Params { float gain; int n; };
__global__ void apply(float* p, Params params) { int i = blockIdx.x * 64 + threadIdx.x; if (i < params.n) p[i] *= params.gain; }
int main() {
  Params params;
  params.gain = 0.5f;
  params.n = 128;
  float* p;
  cudaMalloc(&p, params.n * sizeof(float));
  apply<<<params.n / 64, 64>>>(p, params);
}
