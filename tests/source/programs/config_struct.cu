//= stencil grid 128 1 1 | block 128 1 1 | shared 544 | 65536B | 65536B | 16384
struct Config { int n = 16384; int threads = 128; int radius = 4; bool verbose = false; };
__global__ void stencil(const float* in, float* out, int n) { extern __shared__ float tile[]; int i = blockIdx.x * blockDim.x + threadIdx.x; tile[threadIdx.x] = in[i]; if (i < n) out[i] = tile[threadIdx.x]; }
Config parse(int argc, char** argv) {
  Config c;
  for (int i = 1; i < argc; ++i) if (argv[i][0] == '-') c.verbose = true;
  return c;
}
int main(int argc, char** argv) {
  Config config = parse(argc, argv);
  float *in, *out;
  cudaMalloc(&in, config.n * sizeof(float));
  cudaMalloc(&out, config.n * sizeof(float));
  size_t shared = (config.threads + 2 * config.radius) * sizeof(float);
  stencil<<<config.n / config.threads, config.threads, shared>>>(in, out, config.n);
}
