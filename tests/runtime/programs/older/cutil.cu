// As the samples of CUDA 2 were written, with ranges for a profiler, and threads on the host besides.
#include <cutil.h>
#include <nvToolsExt.h>
#include <omp.h>

__global__ void square(float* values) { values[threadIdx.x] *= values[threadIdx.x]; }

int main(int argc, char** argv) {
  CUT_DEVICE_INIT(argc, argv);
  unsigned int timer = 0;
  CUT_SAFE_CALL(cutCreateTimer(&timer));
  CUT_SAFE_CALL(cutStartTimer(timer));
  float host[64], wanted[64], *device;
  for (int i = 0; i < 64; ++i) host[i] = static_cast<float>(i);
#pragma omp parallel for
  for (int i = 0; i < 64; ++i) wanted[i] = static_cast<float>(i * i);
  CUDA_SAFE_CALL(cudaMalloc((void**)&device, sizeof host));
  CUDA_SAFE_CALL(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  nvtxRangePushA("square");
  square<<<1, 64>>>(device);
  CUT_CHECK_ERROR("square failed");
  nvtxRangePop();
  CUDA_SAFE_CALL(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  CUT_SAFE_CALL(cutStopTimer(timer));
  const bool fine = cutComparefe(wanted, host, 64, 1e-6f) == CUTTrue && cutGetTimerValue(timer) > 0;
  CUT_SAFE_CALL(cutDeleteTimer(timer));
  std::printf("Test %s with %d threads or more\n", fine ? "PASSED" : "FAILED", omp_get_max_threads() > 0 ? 1 : 0);
  CUT_EXIT(argc, argv);
}
