#include "engine/witness/calls.h"

#include <cupti.h>

#include <algorithm>

namespace warplens::witness {
namespace {

// CUPTI_DRIVER_TRACE_CBID_ is long.
#define WATCH(name) CUPTI_DRIVER_TRACE_CBID_##name

std::uint64_t number_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

template <typename Parameters>
const Parameters& as(const void* parameters) {
  return *static_cast<const Parameters*>(parameters);
}

// What a grid is asked for with is named alike in all of these.
template <typename From>
void read_sizes(const From& from, Launch& to) {
  to.grid[0] = from.gridDimX;
  to.grid[1] = from.gridDimY;
  to.grid[2] = from.gridDimZ;
  to.block[0] = from.blockDimX;
  to.block[1] = from.blockDimY;
  to.block[2] = from.blockDimZ;
  to.shared_bytes = from.sharedMemBytes;
  to.stream = from.hStream;
}

Launch extended_launch(const cuLaunchKernelEx_params& call) {
  Launch out;
  read_sizes(*call.config, out);
  out.function = call.f;
  out.arguments = call.kernelParams;
  out.packed = call.extra;
  for (unsigned i = 0; i < call.config->numAttrs; ++i) {
    const CUlaunchAttribute& attribute = call.config->attrs[i];
    if (attribute.id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    out.cluster[0] = attribute.value.clusterDim.x;
    out.cluster[1] = attribute.value.clusterDim.y;
    out.cluster[2] = attribute.value.clusterDim.z;
  }
  return out;
}

}  // namespace

const std::vector<Watched>& watched_calls() {
  static const std::vector<Watched> all{
      {WATCH(cuLaunchKernel), Role::Launch},
      {WATCH(cuLaunchKernel_ptsz), Role::Launch},
      {WATCH(cuLaunchKernelEx), Role::Launch},
      {WATCH(cuLaunchKernelEx_ptsz), Role::Launch},
      {WATCH(cuLaunchCooperativeKernel), Role::Launch},
      {WATCH(cuLaunchCooperativeKernel_ptsz), Role::Launch},
      {WATCH(cuMemAlloc_v2), Role::Allocate},
      {WATCH(cuMemAllocPitch_v2), Role::Allocate},
      {WATCH(cuMemAllocManaged), Role::Allocate},
      {WATCH(cuMemAllocHost_v2), Role::Allocate},
      {WATCH(cuMemHostAlloc), Role::Allocate},
      {WATCH(cuMemAllocAsync), Role::Allocate},
      {WATCH(cuMemAllocAsync_ptsz), Role::Allocate},
      {WATCH(cuMemAllocFromPoolAsync), Role::Allocate},
      {WATCH(cuMemAllocFromPoolAsync_ptsz), Role::Allocate},
      {WATCH(cuMemHostRegister_v2), Role::Allocate},
      {WATCH(cuMemMap), Role::Allocate},
      {WATCH(cuIpcOpenMemHandle), Role::Allocate},
      {WATCH(cuIpcOpenMemHandle_v2), Role::Allocate},
      {WATCH(cuMemPoolImportPointer), Role::Allocate},
      {WATCH(cuExternalMemoryGetMappedBuffer), Role::Allocate},
      {WATCH(cuGraphicsResourceGetMappedPointer_v2), Role::Allocate},
      {WATCH(cuGraphAddMemAllocNode), Role::Allocate},
      {WATCH(cuMemFree_v2), Role::Free},
      {WATCH(cuMemFreeHost), Role::Free},
      {WATCH(cuMemFreeAsync), Role::Free},
      {WATCH(cuMemFreeAsync_ptsz), Role::Free},
      {WATCH(cuStreamCreate), Role::Stream},
      {WATCH(cuStreamCreateWithPriority), Role::Stream},
      {WATCH(cuCtxSynchronize), Role::Wait},
      {WATCH(cuCtxSynchronize_v2), Role::Wait},
      {WATCH(cuStreamSynchronize), Role::Wait},
      {WATCH(cuStreamSynchronize_ptsz), Role::Wait},
      {WATCH(cuEventSynchronize), Role::Wait},
      {WATCH(cuMemcpyDtoH_v2), Role::Copy},
      {WATCH(cuMemcpyDtoH_v2_ptds), Role::Copy},
      {WATCH(cuMemcpyHtoD_v2), Role::Copy},
      {WATCH(cuMemcpyHtoD_v2_ptds), Role::Copy},
  };
  return all;
}

const Watched* watched(CUpti_CallbackId id) {
  for (const Watched& one : watched_calls())
    if (one.id == id) return &one;
  return nullptr;
}

std::optional<Launch> launch_of(CUpti_CallbackId id, const void* parameters) {
  if (parameters == nullptr) return std::nullopt;
  if (id == WATCH(cuLaunchKernelEx) || id == WATCH(cuLaunchKernelEx_ptsz))
    return extended_launch(as<cuLaunchKernelEx_params>(parameters));
  Launch out;
  if (id == WATCH(cuLaunchKernel) || id == WATCH(cuLaunchKernel_ptsz)) {
    const auto& call = as<cuLaunchKernel_params>(parameters);
    read_sizes(call, out);
    out.function = call.f;
    out.arguments = call.kernelParams;
    out.packed = call.extra;
    return out;
  }
  const auto& call = as<cuLaunchCooperativeKernel_params>(parameters);
  read_sizes(call, out);
  out.function = call.f;
  out.arguments = call.kernelParams;
  return out;
}

void note_allocation(CUpti_CallbackId id, const void* parameters) {
  switch (id) {
    case WATCH(cuMemAlloc_v2): {
      const auto& call = as<cuMemAlloc_v2_params>(parameters);
      return allocated(*call.dptr, call.bytesize, Kind::Device);
    }
    case WATCH(cuMemAllocPitch_v2): {
      const auto& call = as<cuMemAllocPitch_v2_params>(parameters);
      return allocated(*call.dptr, *call.pPitch * call.Height, Kind::Device);
    }
    case WATCH(cuMemAllocManaged): {
      const auto& call = as<cuMemAllocManaged_params>(parameters);
      return allocated(*call.dptr, call.bytesize, Kind::Managed);
    }
    case WATCH(cuMemAllocHost_v2): {
      const auto& call = as<cuMemAllocHost_v2_params>(parameters);
      return allocated(number_of(*call.pp), call.bytesize, Kind::Host);
    }
    case WATCH(cuMemHostAlloc): {
      const auto& call = as<cuMemHostAlloc_params>(parameters);
      return allocated(number_of(*call.pp), call.bytesize, Kind::Host);
    }
    case WATCH(cuMemAllocAsync):
    case WATCH(cuMemAllocAsync_ptsz): {
      const auto& call = as<cuMemAllocAsync_params>(parameters);
      return allocated(*call.dptr, call.bytesize, Kind::Device);
    }
    case WATCH(cuMemAllocFromPoolAsync):
    case WATCH(cuMemAllocFromPoolAsync_ptsz): {
      const auto& call = as<cuMemAllocFromPoolAsync_params>(parameters);
      return allocated(*call.dptr, call.bytesize, Kind::Device);
    }
    // What others own, or what only a graph that runs has: there is no telling from here what of it is when
    // there.
    case WATCH(cuMemHostRegister_v2):
      return allocated_elsewhere("cudaHostRegister");
    case WATCH(cuIpcOpenMemHandle):
    case WATCH(cuIpcOpenMemHandle_v2):
      return allocated_elsewhere("cudaIpcOpenMemHandle");
    case WATCH(cuMemPoolImportPointer):
      return allocated_elsewhere("cudaMemPoolImportPointer");
    case WATCH(cuExternalMemoryGetMappedBuffer):
      return allocated_elsewhere("cudaExternalMemoryGetMappedBuffer");
    case WATCH(cuGraphicsResourceGetMappedPointer_v2):
      return allocated_elsewhere("cudaGraphicsResourceGetMappedPointer");
    case WATCH(cuGraphAddMemAllocNode):
      return allocated_elsewhere("cudaGraphAddMemAllocNode");
    default:
      return allocated_elsewhere("cuMemMap");
  }
}

void note_free(CUpti_CallbackId id, const void* parameters) {
  if (id == WATCH(cuMemFree_v2))
    freed(as<cuMemFree_v2_params>(parameters).dptr);
  else if (id == WATCH(cuMemFreeHost))
    freed(number_of(as<cuMemFreeHost_params>(parameters).p));
  else
    freed(as<cuMemFreeAsync_params>(parameters).dptr);
}

CUstream created_stream(CUpti_CallbackId id, const void* parameters) {
  return id == WATCH(cuStreamCreate) ? *as<cuStreamCreate_params>(parameters).phStream
                                     : *as<cuStreamCreateWithPriority_params>(parameters).phStream;
}

#undef WATCH

}  // namespace warplens::witness
