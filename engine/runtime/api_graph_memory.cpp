// Memory nodes of graphs: an address that is known when the node is made, memory there between the node that
// allocates it and the node, or the call, that frees it.
#include <algorithm>
#include <map>

#include "engine/runtime/devices.h"
#include "engine/runtime/graph_nodes.h"

using namespace warplens;
using namespace warplens::runtime;

namespace {

constexpr int kGraphPool = -1;  // Allocation::pool of memory that a graph has allocated
constexpr std::uint64_t kAlignment = 512;

// The device backs graphs with blocks of this size, takes as many as the launch needs that needs most, and
// keeps them until somebody trims: as an H200 (driver 580, CUDA 13.0) answers, where memory that is used is
// counted by blocks too.
constexpr std::uint64_t kBlock = std::uint64_t{32} << 20;

std::uint64_t backed_now = 0, backed_high = 0, used_high = 0;

struct Held {
  const CUgraph_st* by = nullptr;
  std::uint64_t bytes = 0;
};
std::map<std::uint64_t, Held> held;  // by address; also what was freed since

// What graphs have allocated and nobody has freed, each graph in blocks of its own.
std::uint64_t blocks_held(Context& all) {
  std::map<const CUgraph_st*, std::uint64_t> graphs;
  for (auto one = held.begin(); one != held.end();) {
    const Allocation* const there = all.arena.find(one->first);
    if (there == nullptr || there->pool != kGraphPool) {
      one = held.erase(one);
      continue;
    }
    graphs[one->second.by] += one->second.bytes;
    ++one;
  }
  std::uint64_t bytes = 0;
  for (const auto& [graph, sum] : graphs) bytes += (sum + kBlock - 1) / kBlock * kBlock;
  return bytes;
}

}  // namespace

// What is still allocated when the last graph is gone stays until it is freed.
struct GraphMemory {
  std::uint64_t address, bytes;
  GraphMemory(std::uint64_t at, std::uint64_t size) : address(at), bytes(size) {}
  ~GraphMemory() { context().arena.give_up(address); }
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
};

namespace warplens::runtime {

cudaError_t set_allocation(Context& all, CUgraphNode_st& node, cudaMemAllocNodeParams& p) {
  if (p.bytesize == 0) return cudaErrorInvalidValue;
  if (p.poolProps.handleTypes != cudaMemHandleTypeNone)
    return all.not_supported("memory nodes of graphs for other processes");
  const std::uint64_t at = all.arena.reserve(p.bytesize, kAlignment);
  if (at == 0) return cudaErrorMemoryAllocation;
  p.dptr = reinterpret_cast<void*>(at);
  node.allocation = p;
  node.memory = std::make_shared<GraphMemory>(at, p.bytesize);
  return cudaSuccess;
}

cudaError_t set_free(Context&, CUgraphNode_st& node, void* pointer) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  node.freed = pointer;
  node.run = [pointer](Context&) { return cudaFree(pointer); };
  return cudaSuccess;
}

// Launching a graph again whose memory is still allocated is a fault of the program, unless it has asked that
// such memory is freed.
cudaError_t allocate_in_graph(Context& all, const CUgraphNode_st& node) {
  const auto [at, bytes] = std::pair{node.memory->address, node.memory->bytes};
  if (all.arena.find(at) != nullptr) {
    if (!node.free_before) return cudaErrorInvalidValue;
    all.arena.release(at);
  }
  if (!all.arena.put(at, bytes, Kind::Device)) return cudaErrorMemoryAllocation;
  all.arena.find(at)->pool = kGraphPool;
  held[at] = {node.graph, bytes};
  backed_now = std::max(backed_now, blocks_held(all));
  backed_high = std::max(backed_high, backed_now);
  used_high = std::max(used_high, backed_now);
  return cudaSuccess;
}

cudaError_t capture_allocation(Context& all, CUstream_st& stream, void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  cudaMemAllocNodeParams p{};
  p.bytesize = bytes;
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  CUgraphNode_st made;
  if (const cudaError_t error = set_allocation(all, made, p); error != cudaSuccess) return error;
  if (const cudaError_t broken = broken_capture(stream); broken != cudaSuccess) return broken;
  CUgraphNode_st* const node = captured_node(stream, cudaGraphNodeTypeMemAlloc);
  node->allocation = made.allocation;
  node->memory = made.memory;
  *pointer = p.dptr;
  return cudaSuccess;
}

cudaError_t capture_free(Context& all, CUstream_st& stream, void* pointer) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t broken = broken_capture(stream); broken != cudaSuccess) return broken;
  return set_free(all, *captured_node(stream, cudaGraphNodeTypeMemFree), pointer);
}

}  // namespace warplens::runtime

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, cudaMemAllocNodeParams* parameters) {
  return call([&](Context& all) {
    if (node == nullptr || graph == nullptr || parameters == nullptr) return cudaErrorInvalidValue;
    *node = add_node(graph, cudaGraphNodeTypeMemAlloc, after, count);
    const cudaError_t error = set_allocation(all, **node, *parameters);
    if (error != cudaSuccess) graph->nodes.pop_back();
    return error;
  });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* parameters) {
  return call([&](Context&) {
    if (node == nullptr || !node->memory) return cudaErrorInvalidValue;
    *parameters = node->allocation;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    std::size_t count, void* pointer) {
  return call([&](Context& all) {
    if (node == nullptr || graph == nullptr || pointer == nullptr) return cudaErrorInvalidValue;
    *node = add_node(graph, cudaGraphNodeTypeMemFree, after, count);
    return set_free(all, **node, pointer);
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return call([&](Context&) {
    if (node == nullptr || node->freed == nullptr) return cudaErrorInvalidValue;
    *static_cast<void**>(pointer) = node->freed;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return call([&](Context& all) {
    if (!is_device(all, device)) return cudaErrorInvalidDevice;
    auto& out = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaGraphMemAttrUsedMemCurrent:
        return out = backed_now, cudaSuccess;
      case cudaGraphMemAttrUsedMemHigh:
        return out = used_high, cudaSuccess;
      case cudaGraphMemAttrReservedMemCurrent:
        return out = backed_now, cudaSuccess;
      case cudaGraphMemAttrReservedMemHigh:
        return out = backed_high, cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void*) {
  return call([&](Context& all) {
    if (!is_device(all, device)) return cudaErrorInvalidDevice;
    if (attribute == cudaGraphMemAttrUsedMemHigh) return used_high = 0, cudaSuccess;
    if (attribute == cudaGraphMemAttrReservedMemHigh) return backed_high = 0, cudaSuccess;
    return cudaErrorInvalidValue;
  });
}

// Blocks in which nothing is allocated are given back.
cudaError_t cudaDeviceGraphMemTrim(int device) {
  return call([&](Context& all) {
    if (!is_device(all, device)) return cudaErrorInvalidDevice;
    backed_now = std::min(backed_now, blocks_held(all));
    return cudaSuccess;
  });
}

}  // extern "C"
#pragma GCC visibility pop
