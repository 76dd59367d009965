// What programs use of the header of this name, which the toolkit's samples had until CUDA 5.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "helper_cuda.h"
#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"

enum CUTBoolean { CUTFalse = 0, CUTTrue = 1 };

#define CUDA_SAFE_CALL_NO_SYNC(call) checkCudaErrors(call)
#define CUDA_SAFE_CALL(call) checkCudaErrors(call)
#define CUT_SAFE_CALL(call)                                                              \
  do {                                                                                   \
    if (CUTTrue != (call)) {                                                             \
      std::fprintf(stderr, "Cut error in file '%s' in line %i.\n", __FILE__, __LINE__);  \
      std::exit(EXIT_FAILURE);                                                           \
    }                                                                                    \
  } while (0)
#define CUT_CHECK_ERROR(what)                \
  do {                                       \
    getLastCudaError(what);                  \
    checkCudaErrors(cudaDeviceSynchronize()); \
  } while (0)
#define CUT_DEVICE_INIT(argc, argv) (void)findCudaDevice(argc, (const char**)(argv))
#define CUT_EXIT(argc, argv) std::exit(EXIT_SUCCESS)
#define CUT_BANK_CHECKER(array, index) array[index]
#define cutilSafeCall(call) checkCudaErrors(call)
#define cutilSafeCallNoSync(call) checkCudaErrors(call)
#define cutilSafeThreadSync() checkCudaErrors(cudaDeviceSynchronize())
#define cutilCheckError(call) CUT_SAFE_CALL((call) ? CUTTrue : CUTFalse)
#define cutilCheckMsg(what) getLastCudaError(what)
#define cutilExit(argc, argv) std::exit(EXIT_SUCCESS)
#define cutilDeviceInit(argc, argv) CUT_DEVICE_INIT(argc, argv)
#define cutilChooseCudaDevice(argc, argv) findCudaDevice(argc, (const char**)(argv))
#define cutGetMaxGflopsDeviceId() gpuGetMaxGflopsDeviceId()
static inline cudaError_t cutilDeviceSynchronize() { return cudaDeviceSynchronize(); }

// ---- Timers have numbers.
static inline std::vector<StopWatchInterface*>& warplens_timers() {
  static std::vector<StopWatchInterface*> timers;
  return timers;
}
static inline StopWatchInterface* warplens_timer(unsigned int number) {
  return number >= 1 && number <= warplens_timers().size() ? warplens_timers()[number - 1] : nullptr;
}
static inline CUTBoolean cutCreateTimer(unsigned int* number) {
  warplens_timers().push_back(new StopWatchLinux);
  *number = static_cast<unsigned int>(warplens_timers().size());
  return CUTTrue;
}
static inline CUTBoolean warplens_done(bool fine) { return fine ? CUTTrue : CUTFalse; }
static inline CUTBoolean cutStartTimer(unsigned int number) {
  StopWatchInterface* watch = warplens_timer(number);
  return warplens_done(sdkStartTimer(&watch));
}
static inline CUTBoolean cutStopTimer(unsigned int number) {
  StopWatchInterface* watch = warplens_timer(number);
  return warplens_done(sdkStopTimer(&watch));
}
static inline CUTBoolean cutResetTimer(unsigned int number) {
  StopWatchInterface* watch = warplens_timer(number);
  return warplens_done(sdkResetTimer(&watch));
}
static inline CUTBoolean cutDeleteTimer(unsigned int number) { return warplens_done(warplens_timer(number) != nullptr); }
static inline float cutGetTimerValue(unsigned int number) {
  StopWatchInterface* watch = warplens_timer(number);
  return sdkGetTimerValue(&watch);
}
static inline float cutGetAverageTimerValue(unsigned int number) {
  StopWatchInterface* watch = warplens_timer(number);
  return sdkGetAverageTimerValue(&watch);
}

// ---- Options, files and comparisons.
static inline CUTBoolean cutCheckCmdLineFlag(int argc, const char** argv, const char* name) {
  return warplens_done(checkCmdLineFlag(argc, argv, name));
}
static inline CUTBoolean cutGetCmdLineArgumenti(int argc, const char** argv, const char* name, int* to) {
  return warplens_done(getCmdLineArgumentValue(argc, argv, name, to));
}
static inline CUTBoolean cutGetCmdLineArgumentf(int argc, const char** argv, const char* name, float* to) {
  return warplens_done(getCmdLineArgumentValue(argc, argv, name, to));
}
static inline CUTBoolean cutGetCmdLineArgumentstr(int argc, const char** argv, const char* name, char** to) {
  return warplens_done(getCmdLineArgumentString(argc, argv, name, to));
}
static inline char* cutFindFilePath(const char* name, const char* program) { return sdkFindFilePath(name, program); }
static inline CUTBoolean cutComparefe(const float* reference, const float* data, unsigned int count, float epsilon) {
  return warplens_done(compareData(reference, data, count, epsilon, 0.0f));
}
static inline CUTBoolean cutComparef(const float* reference, const float* data, unsigned int count) {
  return cutComparefe(reference, data, count, 0.0f);
}
static inline CUTBoolean cutComparei(const int* reference, const int* data, unsigned int count) {
  return warplens_done(compareData(reference, data, count, 0, 0.0f));
}
static inline CUTBoolean cutCompareL2fe(const float* reference, const float* data, unsigned int count, float epsilon) {
  return warplens_done(sdkCompareL2fe(reference, data, count, epsilon));
}
static inline CUTBoolean cutLoadPGMub(const char* name, unsigned char** data, unsigned int* width, unsigned int* height) {
  return warplens_done(sdkLoadPGM(name, data, width, height));
}
static inline CUTBoolean cutLoadPGMf(const char* name, float** data, unsigned int* width, unsigned int* height) {
  return warplens_done(sdkLoadPGM(name, data, width, height));
}
static inline CUTBoolean cutSavePGMub(const char* name, unsigned char* data, unsigned int width, unsigned int height) {
  return warplens_done(sdkSavePGM(name, data, width, height));
}
static inline CUTBoolean cutSavePGMf(const char* name, float* data, unsigned int width, unsigned int height) {
  return warplens_done(sdkSavePGM(name, data, width, height));
}
static inline void cutFree(void* memory) { std::free(memory); }
