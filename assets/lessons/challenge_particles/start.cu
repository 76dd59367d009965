// A particle is eight floats in a row: place x, y, z, charge, then velocity x, y, z, and mass.
struct Particle {
  float x, y, z, charge;
  float vx, vy, vz, mass;
};

__global__ void energy(const Particle* particles, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Particle p = particles[i];
    out[i] = 0.5f * p.mass * (p.vx * p.vx + p.vy * p.vy + p.vz * p.vz);
  }
}
