//= step grid 40 1 1 | block 256 1 1 | shared 0 | 320000B | 10000 | 0.01
//= energy grid 40 1 1 | block 256 1 1 | shared 1024 | 320000B | 160B | 10000
struct Vec3 { float x, y, z; };
struct Particle { Vec3 position; Vec3 velocity; float mass; int id; };
__global__ void step(Particle* p, int n, float dt) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i].position.x += dt * p[i].velocity.x; }
__global__ void energy(const Particle* p, float* out, int n) { extern __shared__ float s[]; s[threadIdx.x] = p[0].mass; out[blockIdx.x] = s[0] + n; }
int main() {
  const int n = 10000, threads = 256;
  Particle* p;
  cudaMalloc(&p, n * sizeof(Particle));
  int blocks = (n + threads - 1) / threads;
  float* out;
  cudaMalloc(&out, blocks * sizeof(float));
  for (int t = 0; t < 100; ++t) step<<<blocks, threads>>>(p, n, 0.01f);
  energy<<<blocks, threads, threads * sizeof(float)>>>(p, out, n);
}
