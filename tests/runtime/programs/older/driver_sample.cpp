// A sample of the driver API whose kernel is compiled while it runs, by the headers of the toolkit's samples.
#include <cuda_runtime.h>
#include <nvrtc_helper.h>

#include <vector>

int main(int argc, char** argv) {
  char* const file = argv[1];
  std::ofstream(file) << "extern \"C\" __global__ void twice(int* v) { v[threadIdx.x] *= 2; }\n";
  char* cubin = nullptr;
  size_t bytes = 0;
  compileFileToCUBIN(file, argc, argv, &cubin, &bytes, 0);
  CUmodule module = loadCUBIN(cubin, argc, argv);
  CUfunction twice;
  checkCudaErrors(cuModuleGetFunction(&twice, module, "twice"));
  std::vector<int> values{1, 2, 3, 4};
  CUdeviceptr there;
  checkCudaErrors(cuMemAlloc(&there, 4 * sizeof(int)));
  checkCudaErrors(cuMemcpyHtoD(there, values.data(), 4 * sizeof(int)));
  void* arguments[] = {&there};
  checkCudaErrors(cuLaunchKernel(twice, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  checkCudaErrors(cuMemcpyDtoH(values.data(), there, 4 * sizeof(int)));
  checkCudaErrors(cuMemFree(there));
  std::ostringstream content;
  std::string path;
  const bool found = findFatbinPath(file, path, argv, content) && content.str().size() > 20;
  for (int i = 0; i < 4; ++i)
    if (values[i] != 2 * (i + 1) || !found) return 1;
  int over_devices = 1;
  getCudaAttribute(&over_devices, CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH, 0);
  if (_ConvertSMVer2CoresDRV(9, 0) != 128 || over_devices != 0) return 2;
  std::printf("doubled\n");
}
