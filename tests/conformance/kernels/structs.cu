// Arrays of structs against structs of arrays.

struct Particle {
  float x, y, z;
  float vx, vy, vz;
  float mass;
  int kind;
};

struct Pixel {
  unsigned char r, g, b;
};

struct __align__(16) Body {
  float x, y, z, m;
};

__global__ void move_aos(Particle* p, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i].x += p[i].vx * dt;
  p[i].y += p[i].vy * dt;
  p[i].z += p[i].vz * dt;
}

__global__ void mass_only(const Particle* p, float* mass, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mass[i] = p[i].mass;
}

__global__ void move_soa(float* x, float* y, float* z, const float* vx, const float* vy, const float* vz, int n,
                         float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  x[i] += vx[i] * dt;
  y[i] += vy[i] * dt;
  z[i] += vz[i] * dt;
}

__global__ void rgb_to_grey(const Pixel* in, unsigned char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Pixel p = in[i];
  out[i] = static_cast<unsigned char>((77 * p.r + 150 * p.g + 29 * p.b) >> 8);
}

__global__ void rgba_to_grey(const uchar4* in, unsigned char* out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uchar4 p = in[y * width + x];
  out[y * width + x] = static_cast<unsigned char>(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}

__global__ void centre_of_mass(const Body* bodies, float4* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Body b = bodies[i];
  out[i] = make_float4(b.x * b.m, b.y * b.m, b.z * b.m, b.m);
}
