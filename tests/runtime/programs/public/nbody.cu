// Bodies that attract each other, in managed memory, tiles of them in shared memory.
#include <cmath>

#include "../check.h"

struct Bodies {
  float4* place;
  float4* speed;
  int count;
};

template <int kThreads, bool kFast>
__global__ void __launch_bounds__(kThreads) move(Bodies bodies, float dt) {
  __shared__ float4 tile[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float4 me = bodies.place[i];
  float3 a = make_float3(0, 0, 0);
  for (int first = 0; first < bodies.count; first += kThreads) {
    tile[threadIdx.x] = bodies.place[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < kThreads; ++j) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float d = dx * dx + dy * dy + dz * dz + 0.01f;
      const float inverse = kFast ? rsqrtf(d) : 1.0f / sqrtf(d);
      const float s = tile[j].w * inverse * inverse * inverse;
      a.x += dx * s, a.y += dy * s, a.z += dz * s;
    }
    __syncthreads();
  }
  float4 v = bodies.speed[i];
  v.x += a.x * dt, v.y += a.y * dt, v.z += a.z * dt;
  bodies.speed[i] = v;
}

__global__ void drift(Bodies bodies, float dt) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bodies.count; i += gridDim.x * blockDim.x) {
    float4 p = bodies.place[i];
    const float4 v = bodies.speed[i];
    bodies.place[i] = make_float4(p.x + v.x * dt, p.y + v.y * dt, p.z + v.z * dt, p.w);
  }
}

int main() {
  Bodies bodies{nullptr, nullptr, 512};
  CHECK(cudaMallocManaged(&bodies.place, bodies.count * sizeof(float4)));
  CHECK(cudaMallocManaged(&bodies.speed, bodies.count * sizeof(float4)));
  for (int i = 0; i < bodies.count; ++i) {
    bodies.place[i] = make_float4(std::cos(0.1f * i), std::sin(0.1f * i), 0.01f * i, 1.0f);
    bodies.speed[i] = make_float4(0, 0, 0, 0);
  }
  for (int step = 0; step < 3; ++step) {
    if (step % 2)
      move<128, false><<<bodies.count / 128, 128>>>(bodies, 0.001f);
    else
      move<128, true><<<bodies.count / 128, 128>>>(bodies, 0.001f);
    drift<<<2, 64>>>(bodies, 0.001f);
    CHECK(cudaDeviceSynchronize());
  }
  double momentum = 0, moved = 0;
  for (int i = 0; i < bodies.count; ++i)
    momentum += bodies.speed[i].x + bodies.speed[i].y + bodies.speed[i].z, moved += std::fabs(bodies.speed[i].x);
  EXPECT(std::fabs(momentum) < 1e-2 && moved > 1);
  cudaFree(bodies.place), cudaFree(bodies.speed);
  std::puts("PASSED: momentum kept");
}
