// Memory nodes of graphs: an address that is known when the node is made, memory there between the node that
// allocates it and the node, or the call, that frees it.
#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

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
  std::shared_ptr<GraphMemory> within;  // whose addresses it has: of memory that is freed before
  GraphMemory(std::uint64_t at, std::uint64_t size, std::shared_ptr<GraphMemory> of = nullptr)
      : address(at), bytes(size), within(std::move(of)) {}
  ~GraphMemory() {
    if (!within) context().arena.give_up(address);
  }
  std::uint64_t end() const { return address + bytes; }
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
};

namespace {

using Nodes = std::unordered_set<const CUgraphNode_st*>;

// The nodes that have run when this one does.
Nodes before(const CUgraphNode_st& node) {
  Nodes seen;
  std::vector<const CUgraphNode_st*> left(node.after.begin(), node.after.end());
  while (!left.empty()) {
    const CUgraphNode_st* const one = left.back();
    left.pop_back();
    if (seen.insert(one).second) left.insert(left.end(), one->after.begin(), one->after.end());
  }
  return seen;
}

// The addresses of memory that is freed before the node runs serve again, where nobody else has them by then:
// an H100 (driver 580.159.04, CUDA 13.0, 2026-11-26) takes the first that are large enough.
std::shared_ptr<GraphMemory> taken_over(const CUgraphNode_st& node, std::uint64_t bytes) {
  Nodes freed;
  for (const CUgraphNode_st* one : before(node)) {
    if (one->frees != nullptr) freed.insert(one->frees);
  }
  if (freed.empty()) return nullptr;
  for (const auto& earlier : node.graph->nodes) {
    const std::shared_ptr<GraphMemory>& there = earlier->memory;
    if (!there || !freed.contains(earlier.get())) continue;
    std::uint64_t at = there->address;
    for (bool moved = true; moved && at + bytes <= there->end();) {
      moved = false;
      for (const auto& other : node.graph->nodes) {
        if (!other->memory || freed.contains(other.get())) continue;
        if (other->memory->end() <= at || other->memory->address >= at + bytes) continue;
        at = (other->memory->end() + kAlignment - 1) / kAlignment * kAlignment;
        moved = true;
      }
    }
    if (at + bytes <= there->end())
      return std::make_shared<GraphMemory>(at, bytes, there->within ? there->within : there);
  }
  return nullptr;
}

}  // namespace

namespace warplens::runtime {

cudaError_t set_allocation(Context& all, CUgraphNode_st& node, cudaMemAllocNodeParams& p) {
  if (p.bytesize == 0) return cudaErrorInvalidValue;
  if (p.poolProps.handleTypes != cudaMemHandleTypeNone)
    return all.not_supported("memory nodes of graphs for other processes");
  std::shared_ptr<GraphMemory> memory = taken_over(node, p.bytesize);
  if (!memory) {
    const std::uint64_t at = all.arena.reserve(p.bytesize, kAlignment);
    if (at == 0) return cudaErrorMemoryAllocation;
    memory = std::make_shared<GraphMemory>(at, p.bytesize);
  }
  p.dptr = reinterpret_cast<void*>(memory->address);
  node.allocation = p;
  node.memory = std::move(memory);
  return cudaSuccess;
}

cudaError_t set_free(Context&, CUgraphNode_st& node, void* pointer) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  node.freed = pointer;
  // Of several that have the address one after the other it is the last.
  const Nodes done = before(node);
  for (const auto& one : node.graph->nodes) {
    if (one->memory && one->allocation.dptr == pointer && done.contains(one.get())) node.frees = one.get();
  }
  node.run = [pointer](Context&) { return cudaFree(pointer); };
  return cudaSuccess;
}

// Launching a graph again whose memory is still allocated is a fault of the program, unless it has asked that
// such memory is freed.
cudaError_t allocate_in_graph(Context& all, const CUgraphNode_st& node) {
  const auto [at, bytes] = std::pair{node.memory->address, node.memory->bytes};
  while (const Allocation* const there = all.arena.overlapping(at, at + bytes)) {
    if (!node.free_before) return cudaErrorInvalidValue;
    all.arena.release(there->address);
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
  if (const cudaError_t broken = broken_capture(stream); broken != cudaSuccess) return broken;
  CUgraphNode_st made;
  made.graph = stream.capture->graph;
  made.after = stream.tail;
  if (const cudaError_t error = set_allocation(all, made, p); error != cudaSuccess) return error;
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
