// Nodes of graphs of the rarer kinds, and what may be asked of a graph as a whole.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "engine/runtime/graph_nodes.h"

using namespace warplens;
using namespace warplens::runtime;

namespace warplens::runtime {

void set_record(CUgraphNode_st& node, cudaEvent_t event) {
  node.event = event;
  node.run = [event](Context&) { return cudaEventRecord(event, nullptr); };
}

// All that was recorded before is done.
void set_wait(CUgraphNode_st& node, cudaEvent_t event) {
  node.event = event;
  node.run = [event](Context& all) {
    if (all.follows_order() && all.graph_in) all.order->wait(*all.graph_in, event->after);
    return cudaSuccess;
  };
}

void set_child(CUgraphNode_st& node, const CUgraph_st& child) {
  std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*> became;
  node.child = child.clone(became);
}

}  // namespace warplens::runtime

namespace {

cudaError_t set_kernel_v2(Context& all, CUgraphNode_st& node, const cudaKernelNodeParamsV2& p) {
  cudaKernelNodeParams plain{};
  plain.func = p.func;
  plain.gridDim = p.gridDim;
  plain.blockDim = p.blockDim;
  plain.sharedMemBytes = p.sharedMemBytes;
  plain.kernelParams = p.kernelParams;
  plain.extra = p.extra;
  return set_kernel(all, node, plain);
}

// What cudaGraphAddNode describes, in a node of that type.
cudaError_t set_node(Context& all, CUgraphNode_st& node, cudaGraphNodeParams& p) {
  switch (p.type) {
    case cudaGraphNodeTypeKernel:
      return set_kernel_v2(all, node, p.kernel);
    case cudaGraphNodeTypeMemcpy:
      return set_copy(node, p.memcpy.copyParams), cudaSuccess;
    case cudaGraphNodeTypeMemset:
      return set_fill(node, {p.memset.dst, p.memset.pitch, p.memset.value, p.memset.elementSize,
                             p.memset.width, p.memset.height});
    case cudaGraphNodeTypeHost:
      return set_host(node, {p.host.fn, p.host.userData}), cudaSuccess;
    case cudaGraphNodeTypeGraph:
      return set_child(node, *p.graph.graph), cudaSuccess;
    case cudaGraphNodeTypeEmpty:
      return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
      return set_wait(node, p.eventWait.event), cudaSuccess;
    case cudaGraphNodeTypeEventRecord:
      return set_record(node, p.eventRecord.event), cudaSuccess;
    case cudaGraphNodeTypeMemAlloc: {
      cudaMemAllocNodeParams plain{p.alloc.poolProps, p.alloc.accessDescs, p.alloc.accessDescCount,
                                   p.alloc.bytesize, nullptr};
      const cudaError_t error = set_allocation(all, node, plain);
      p.alloc.dptr = plain.dptr;
      return error;
    }
    case cudaGraphNodeTypeMemFree:
      return set_free(all, node, p.free.dptr);
    case cudaGraphNodeTypeConditional:
      return set_conditional(all, node, p.conditional);
    default:
      return all.not_supported(fmt::format("cudaGraphAddNode of type {}", static_cast<int>(p.type)));
  }
}

const char* type_name(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "kernel";
    case cudaGraphNodeTypeMemcpy:
      return "memcpy";
    case cudaGraphNodeTypeMemset:
      return "memset";
    case cudaGraphNodeTypeHost:
      return "host";
    case cudaGraphNodeTypeGraph:
      return "graph";
    case cudaGraphNodeTypeWaitEvent:
      return "event wait";
    case cudaGraphNodeTypeEventRecord:
      return "event record";
    case cudaGraphNodeTypeMemAlloc:
      return "allocation";
    case cudaGraphNodeTypeMemFree:
      return "free";
    case cudaGraphNodeTypeConditional:
      return "conditional";
    default:
      return "empty";
  }
}

std::size_t number_of(const CUgraph_st& graph, const CUgraphNode_st* node) {
  const auto found = std::ranges::find(graph.nodes, node, [](const auto& one) { return one.get(); });
  return static_cast<std::size_t>(found - graph.nodes.begin());
}

// Of a variable: where it is, offset and all.
cudaError_t place_of(const void* symbol, std::size_t bytes, std::size_t offset, void*& at) {
  std::size_t size = 0;
  if (const cudaError_t error = cudaGetSymbolSize(&size, symbol); error != cudaSuccess) return error;
  if (const cudaError_t error = cudaGetSymbolAddress(&at, symbol); error != cudaSuccess) return error;
  if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
  at = static_cast<char*>(at) + offset;
  return cudaSuccess;
}

cudaError_t set_copy_to(CUgraphNode_st& node, const void* symbol, const void* from, std::size_t bytes,
                        std::size_t offset, cudaMemcpyKind kind) {
  void* at = nullptr;
  const cudaError_t error = place_of(symbol, bytes, offset, at);
  if (error == cudaSuccess) set_copy(node, at, from, bytes, kind);
  return error;
}

cudaError_t set_copy_from(CUgraphNode_st& node, void* to, const void* symbol, std::size_t bytes,
                          std::size_t offset, cudaMemcpyKind kind) {
  void* at = nullptr;
  const cudaError_t error = place_of(symbol, bytes, offset, at);
  if (error == cudaSuccess) set_copy(node, to, at, bytes, kind);
  return error;
}

// Adds a node that `set` fills; without success there is none.
template <typename Set>
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, cudaGraphNodeType type,
                const cudaGraphNode_t* after, std::size_t count, Set set) {
  return call([&](Context& all) {
    if (node == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    *node = add_node(graph, type, after, count);
    const cudaError_t error = set(all, **node);
    if (error != cudaSuccess) graph->nodes.pop_back();
    return error;
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, std::size_t count, cudaGraphNodeParams* parameters) {
  if (parameters == nullptr) return call([](Context&) { return cudaErrorInvalidValue; });
  return add(node, graph, parameters->type, after, count,
             [&](Context& all, CUgraphNode_st& made) { return set_node(all, made, *parameters); });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters) {
  return call([&](Context& all) {
    if (node->type != parameters->type) return cudaErrorInvalidValue;
    return set_node(all, *node, *parameters);
  });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters) {
  return set_executable(exec, node, [&](Context& all, CUgraphNode_st& inside) {
    return inside.type == parameters->type ? set_node(all, inside, *parameters) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, std::size_t count, cudaEvent_t event) {
  return add(node, graph, cudaGraphNodeTypeEventRecord, after, count,
             [&](Context&, CUgraphNode_st& made) { return set_record(made, event), cudaSuccess; });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      std::size_t count, cudaEvent_t event) {
  return add(node, graph, cudaGraphNodeTypeWaitEvent, after, count,
             [&](Context&, CUgraphNode_st& made) { return set_wait(made, event), cudaSuccess; });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return call([&](Context&) { return *event = node->event, cudaSuccess; });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return cudaGraphEventRecordNodeGetEvent(node, event);
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return call([&](Context&) { return set_record(*node, event), cudaSuccess; });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return call([&](Context&) { return set_wait(*node, event), cudaSuccess; });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return set_executable(
      exec, node, [&](Context&, CUgraphNode_st& inside) { return set_record(inside, event), cudaSuccess; });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return set_executable(
      exec, node, [&](Context&, CUgraphNode_st& inside) { return set_wait(inside, event), cudaSuccess; });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, std::size_t count,
                                           const void* symbol, const void* from, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind) {
  return add(node, graph, cudaGraphNodeTypeMemcpy, after, count, [&](Context&, CUgraphNode_st& made) {
    return set_copy_to(made, symbol, from, bytes, offset, kind);
  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, std::size_t count, void* to,
                                             const void* symbol, std::size_t bytes, std::size_t offset,
                                             cudaMemcpyKind kind) {
  return add(node, graph, cudaGraphNodeTypeMemcpy, after, count, [&](Context&, CUgraphNode_st& made) {
    return set_copy_from(made, to, symbol, bytes, offset, kind);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* from,
                                                 std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return call([&](Context&) { return set_copy_to(*node, symbol, from, bytes, offset, kind); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol,
                                                   std::size_t bytes, std::size_t offset,
                                                   cudaMemcpyKind kind) {
  return call([&](Context&) { return set_copy_from(*node, to, symbol, bytes, offset, kind); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void* symbol, const void* from, std::size_t bytes,
                                                     std::size_t offset, cudaMemcpyKind kind) {
  return set_executable(exec, node, [&](Context&, CUgraphNode_st& inside) {
    return set_copy_to(inside, symbol, from, bytes, offset, kind);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                                       const void* symbol, std::size_t bytes,
                                                       std::size_t offset, cudaMemcpyKind kind) {
  return set_executable(exec, node, [&](Context&, CUgraphNode_st& inside) {
    return set_copy_from(inside, to, symbol, bytes, offset, kind);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return call([&](Context&) { return set_copy(*node, to, from, bytes, kind), cudaSuccess; });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return set_executable(exec, node, [&](Context&, CUgraphNode_st& inside) {
    if (!inside.child || inside.child->nodes.size() != child->nodes.size()) return cudaErrorInvalidValue;
    return set_child(inside, *child), cudaSuccess;
  });
}

// Only what changes a result is kept: wishes about speed, priority and caches are not.
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue* value) {
  return call([&](Context& all) {
    if (node->type != cudaGraphNodeTypeKernel) return cudaErrorInvalidValue;
    KernelLaunch changed = node->launch;
    if (attribute == cudaLaunchAttributeCooperative) changed.cooperative = value->cooperative != 0;
    if (attribute == cudaLaunchAttributeClusterDimension)
      changed.cluster = {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
    const cudaError_t error = check_launch(all, changed);
    if (error == cudaSuccess) node->launch = std::move(changed);
    return error;
  });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue* value) {
  return call([&](Context& all) {
    if (node->type != cudaGraphNodeTypeKernel) return cudaErrorInvalidValue;
    *value = {};
    if (attribute == cudaLaunchAttributeCooperative) {
      value->cooperative = node->launch.cooperative ? 1 : 0;
    } else if (attribute == cudaLaunchAttributeClusterDimension) {
      const Dim3 c = node->launch.cluster;
      value->clusterDim = {c.x, c.y, c.z};
    } else {
      return all.not_supported(
          fmt::format("cudaGraphKernelNodeGetAttribute of attribute {}", static_cast<int>(attribute)));
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return call([&](Context&) {
    if (to->type != cudaGraphNodeTypeKernel || from->type != cudaGraphNodeTypeKernel)
      return cudaErrorInvalidValue;
    to->launch.cooperative = from->launch.cooperative;
    to->launch.cluster = from->launch.cluster;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, std::size_t* count) {
  return call([&](Context&) {
    std::size_t found = 0;
    for (const auto& node : graph->nodes)
      for (CUgraphNode_st* const before : node->after) {
        if (from != nullptr && to != nullptr && found < *count) {
          from[found] = before;
          to[found] = node.get();
          if (data != nullptr) data[found] = {};
        }
        ++found;
      }
    *count = from == nullptr || to == nullptr ? found : std::min(*count, found);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* data, std::size_t* count) {
  return call([&](Context&) {
    std::vector<CUgraphNode_st*> behind;
    for (const auto& other : node->graph->nodes)
      if (std::ranges::find(other->after, node) != other->after.end()) behind.push_back(other.get());
    if (nodes != nullptr && data != nullptr)
      std::fill_n(data, std::min(*count, behind.size()), cudaGraphEdgeData{});
    return list(behind, nodes, count);
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return call([&](Context&) {
    for (const auto& one : clone->nodes)
      if (one->copied_from == original) return *node = one.get(), cudaSuccess;
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return call([&](Context&) { return *flags = exec->flags, cudaSuccess; });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* file, unsigned) {
  return call([&](Context&) {
    std::ofstream out(file);
    out << "digraph graph_1 {\n";
    for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
      const CUgraphNode_st& node = *graph->nodes[i];
      std::string label = type_name(node.type);
      if (node.launch.function != nullptr) label += "\\n" + node.launch.function->shown_name();
      out << fmt::format("  node_{} [shape=box, label=\"{} {}\"];\n", i, i, label);
    }
    for (std::size_t i = 0; i < graph->nodes.size(); ++i)
      for (const CUgraphNode_st* before : graph->nodes[i]->after)
        out << fmt::format("  node_{} -> node_{};\n", number_of(*graph, before), i);
    out << "}\n";
    return out ? cudaSuccess : cudaErrorOperatingSystem;
  });
}

}  // extern "C"
#pragma GCC visibility pop
