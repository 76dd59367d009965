// A launch, from what the program passes to what it did.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/runtime/context.h"

namespace warplens::runtime {

struct KernelLaunch {
  Function* function = nullptr;
  Dim3 grid, block;
  Dim3 cluster{0, 0, 0};  // 0: the kernel's own
  std::uint64_t shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::uint8_t> parameters;  // as the kernel finds them
  // Of one that a kernel has launched: the index of that launch, and how deep it lies.
  std::optional<std::uint64_t> launched_by = {};
  int depth = 0;
  // Where the program's code goes on behind its <<<>>>; 0: it calls the runtime itself, or nobody knows.
  std::uint64_t called_from = 0;
};

// Blocks of a cluster that every device with clusters takes, and that a program has to ask for.
inline constexpr int kPortableCluster = 8, kLargestCluster = 16;

inline Dim3 to_dim3(const dim3& d) {
  return {d.x, d.y, d.z};
}

// Copies the arguments that `arguments` points to, one for each parameter.
cudaError_t pack_arguments(Context& all, Function& function, void* const* arguments,
                           std::vector<std::uint8_t>& out);
// What a launch is refused for before it starts.
cudaError_t check_launch(Context& all, const KernelLaunch& launch);
// Runs it. A fault is told on standard error and answered by later calls.
cudaError_t run_launch(Context& all, const KernelLaunch& launch, std::uint64_t stream);

cudaError_t get_attributes(Context& all, Function& function, cudaFuncAttributes& attributes);
// Answers what threads of a kernel of this module ask of the device.
int answer(Context& all, Module& module, const simt::DeviceQuestion& question,
           std::vector<std::uint8_t>& out);

// Occupancy of a multiprocessor of the emulated device.
analysis::Occupancy occupancy_of(Context& all, Function& function, int block, std::uint64_t shared_bytes);

}  // namespace warplens::runtime
