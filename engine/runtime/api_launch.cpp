// What nvcc's host code calls: registration of kernels and variables, and launches.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "engine/runtime/stream.h"
#include "engine/simt/load/program.h"

using namespace warplens;
using namespace warplens::runtime;

namespace warplens::runtime {

cudaError_t start_launch(Context& all, const KernelLaunch& asked, cudaStream_t handle) {
  if (const cudaError_t refused = check_launch(all, asked); refused != cudaSuccess) return refused;
  CUstream_st* const stream = stream_of(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t refused = refused_in_legacy_stream(handle); refused != cudaSuccess) return refused;
  if (!stream->capture) return run_launch(all, asked, stream->id);
  if (const cudaError_t broken = broken_capture(*stream); broken != cudaSuccess) return broken;
  CUgraphNode_st* const node = captured_node(*stream, cudaGraphNodeTypeKernel);
  node->launch = asked;
  return cudaSuccess;
}

cudaError_t get_attributes(Context& all, Function& function, cudaFuncAttributes& attributes) {
  const auto loaded = function.load();
  if (!loaded) {
    all.note(function.shown_name() + ": " + loaded.error().text());
    return runtime::error_of(loaded.error());
  }
  attributes = {};
  const ptx::Function& entry = (*loaded)->kernel.entry();
  int most = entry.max_threads.empty() ? 1024 : 1;
  for (const std::uint32_t n : entry.max_threads) most *= static_cast<int>(n);
  const int registers = function.registers();
  if (registers > 0) most = std::min(most, 65536 / ((registers + 7) / 8 * 8) / 32 * 32);
  attributes.sharedSizeBytes = (*loaded)->kernel.static_shared_bytes();
  attributes.constSizeBytes = function.module->constants().size();
  attributes.maxThreadsPerBlock = most;
  attributes.numRegs = registers;
  attributes.ptxVersion = attributes.binaryVersion = 90;
  attributes.maxDynamicSharedSizeBytes =
      function.shared_limit - static_cast<int>(std::min<std::size_t>(attributes.sharedSizeBytes, 48 << 10));
  attributes.preferredShmemCarveout = function.carveout;
  return cudaSuccess;
}

}  // namespace warplens::runtime

namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  void* called_from = nullptr;
};
thread_local std::vector<Configuration> configurations;
thread_local void* launched_from = nullptr;  // of the configuration that was fetched last

cudaError_t launch(Context& all, const void* function, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared, cudaStream_t stream, bool cooperative = false,
                   Dim3 cluster = {0, 0, 0}) {
  KernelLaunch asked{
      all.modules.function(function), to_dim3(grid), to_dim3(block), cluster, shared, cooperative, {}};
  asked.called_from = reinterpret_cast<std::uint64_t>(std::exchange(launched_from, nullptr));
  if (asked.function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (const cudaError_t error = pack_arguments(all, *asked.function, arguments, asked.parameters);
      error != cudaSuccess)
    return error;
  return start_launch(all, asked, stream);
}

// What an attribute of a launch asks for: false when we have nothing like it.
bool apply(const cudaLaunchAttribute& attribute, bool& cooperative, Dim3& cluster) {
  switch (attribute.id) {
    case cudaLaunchAttributeCooperative:
      cooperative = attribute.val.cooperative != 0;
      return true;
    case cudaLaunchAttributeClusterDimension:
      cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
      return true;
    case cudaLaunchAttributeProgrammaticEvent:
    case cudaLaunchAttributeLaunchCompletionEvent:
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
      return false;
    default:  // wishes about speed, priority and caches change no result
      return true;
  }
}

// A cluster lies in one GPC. How the 132 SMs of an H200 are spread over eight of them differs from one to the
// next; this is one way.
int clusters_that_fit(Context& all, Function& function, const cudaLaunchConfig_t& config, int blocks) {
  const dim3 b = config.blockDim;
  const int on_sm =
      occupancy_of(all, function, static_cast<int>(b.x * b.y * b.z), config.dynamicSmemBytes).blocks_per_sm;
  int fit = 0;
  for (const int sms : {18, 18, 16, 16, 16, 16, 16, 16}) fit += sms * on_sm / blocks;
  return fit;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  Context& all = context();
  const std::lock_guard lock(all.mutex);
  auto images = read_fat_binary_wrapper(wrapper);
  if (!images) all.note(images.error().text());
  return reinterpret_cast<void**>(all.modules.add(images ? std::move(*images) : std::vector<Image>{}));
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void**) {}

// Before the first use of a managed variable.
char __cudaInitModule(void** handle) {
  Context& all = context();
  const std::lock_guard lock(all.mutex);
  if (Module* const module = all.modules.module_of(handle))
    if (const Status status = all.modules.place_managed(module); !status) all.note(status.error().text());
  return 1;
}

void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  Context& all = context();
  const std::lock_guard lock(all.mutex);
  if (Module* const module = all.modules.module_of(handle)) all.modules.add_function(module, host, name);
}

void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes,
                       int constant, int) {
  Context& all = context();
  const std::lock_guard lock(all.mutex);
  if (Module* const module = all.modules.module_of(handle))
    all.modules.add_variable(host, {module, name, bytes, constant != 0, nullptr});
}

void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int, std::size_t bytes,
                              int constant, int) {
  Context& all = context();
  const std::lock_guard lock(all.mutex);
  if (Module* const module = all.modules.module_of(handle))
    all.modules.add_variable(pointer, {module, name, bytes, constant != 0, pointer});
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, cudaStream_t stream) {
  configurations.push_back({grid, block, shared, stream, __builtin_return_address(0)});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const Configuration last = configurations.back();
  configurations.pop_back();
  launched_from = last.called_from;
  *grid = last.grid;
  *block = last.block;
  *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  Context& all = context();
  const std::lock_guard lock(all.mutex);
  *kernel = reinterpret_cast<cudaKernel_t>(all.modules.function(function));
  return *kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return call([&](Context& all) { return launch(all, kernel, grid, block, arguments, shared, stream); });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return call([&](Context&) { return __cudaGetKernel(kernel, function); });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return call([&](Context& all) {
    *function = reinterpret_cast<cudaFunction_t>(all.modules.function(symbol));
    return *function == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
  });
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  return call([&](Context& all) { return launch(all, function, grid, block, arguments, shared, stream); });
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  return call(
      [&](Context& all) { return launch(all, function, grid, block, arguments, shared, stream, true); });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  return call([&](Context& all) {
    bool cooperative = false;
    Dim3 cluster{0, 0, 0};
    for (unsigned i = 0; i < config->numAttrs; ++i)
      if (!apply(config->attrs[i], cooperative, cluster))
        return all.not_supported(fmt::format("launch attribute {}", static_cast<int>(config->attrs[i].id)));
    return launch(all, function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                  config->stream, cooperative, cluster);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call([&](Context& all) {
    CUgraphNode_st* node = nullptr;
    const cudaError_t error = enqueue(
        all, stream, cudaGraphNodeTypeHost,
        [=](Context& now) {
          function(data);
          if (now.order) now.order->host_waits_for_all();  // which may have told the host of it
          return cudaSuccess;
        },
        &node);
    if (node != nullptr) node->host = {function, data};
    return error;
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* pointer) {
  return call([&](Context& all) {
    Function* const function = all.modules.function(pointer);
    return function == nullptr ? cudaErrorInvalidDeviceFunction : get_attributes(all, *function, *attributes);
  });
}

cudaError_t cudaFuncSetAttribute(const void* pointer, cudaFuncAttribute attribute, int value) {
  return call([&](Context& all) {
    Function* const function = all.modules.function(pointer);
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || value > all.capability().shared_per_block_optin) return cudaErrorInvalidValue;
        function->shared_limit = std::max(value, 48 << 10);
        return cudaSuccess;
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return cudaErrorInvalidValue;
        function->carveout = value;
        return cudaSuccess;
      case cudaFuncAttributeNonPortableClusterSizeAllowed:
        function->large_clusters = value != 0;
        return cudaSuccess;
      case cudaFuncAttributeClusterSchedulingPolicyPreference:
        return cudaSuccess;
      default:
        return all.not_supported(
            fmt::format("cudaFuncSetAttribute with attribute {}", static_cast<int>(attribute)));
    }
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* pointer, cudaFuncCache) {
  return call([&](Context& all) {
    return all.modules.function(pointer) == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess;
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* pointer, cudaSharedMemConfig) {
  return cudaFuncSetCacheConfig(pointer, cudaFuncCachePreferNone);
}

cudaError_t cudaFuncGetName(const char** name, const void* pointer) {
  return call([&](Context& all) {
    Function* const function = all.modules.function(pointer);
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    *name = function->name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* pointer,
                                                                   int block, std::size_t shared, unsigned) {
  return call([&](Context& all) {
    Function* const function = all.modules.function(pointer);
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    if (block <= 0 || block > 1024) return cudaErrorInvalidValue;
    *blocks = occupancy_of(all, *function, block, shared).blocks_per_sm;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* pointer, int block,
                                                          std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, pointer, block, shared, 0);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* pointer,
                                                 const cudaLaunchConfig_t* config) {
  return call([&](Context& all) {
    Function* const function = all.modules.function(pointer);
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    if (size == nullptr || config == nullptr) return cudaErrorInvalidValue;
    const int most = function->large_clusters ? kLargestCluster : kPortableCluster;
    for (*size = most; *size > 0; *size /= 2)
      if (clusters_that_fit(all, *function, *config, *size) > 0) break;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* count, const void* pointer,
                                           const cudaLaunchConfig_t* config) {
  return call([&](Context& all) {
    Function* const function = all.modules.function(pointer);
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    if (count == nullptr || config == nullptr) return cudaErrorInvalidValue;
    const auto loaded = function->load();
    if (!loaded) return runtime::error_of(loaded.error());
    Dim3 cluster = (*loaded)->kernel.program().cluster;
    bool cooperative = false;
    for (unsigned i = 0; i < config->numAttrs; ++i) apply(config->attrs[i], cooperative, cluster);
    const int blocks = static_cast<int>(std::max<std::uint64_t>(cluster.volume(), 1));
    const int most = function->large_clusters ? kLargestCluster : kPortableCluster;
    if (blocks > most) return cudaErrorInvalidClusterSize;
    *count = clusters_that_fit(all, *function, *config, blocks);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* shared, const void* pointer, int blocks,
                                                      int block) {
  return call([&](Context& all) {
    Function* const function = all.modules.function(pointer);
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    if (blocks <= 0 || block <= 0) return cudaErrorInvalidValue;
    std::size_t fits = 0;
    for (std::size_t bytes = 0; bytes <= static_cast<std::size_t>(all.capability().shared_per_block_optin);
         bytes += 128)
      if (occupancy_of(all, *function, block, bytes).blocks_per_sm >= blocks) fits = bytes;
    *shared = fits;
    return cudaSuccess;
  });
}

}  // extern "C"
#pragma GCC visibility pop
