// Graphs: built node by node or captured from streams, and launched again and again.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/runtime/graph_nodes.h"

using namespace warplens;
using namespace warplens::runtime;

namespace warplens::runtime {

CUgraphNode_st* add_node(cudaGraph_t graph, cudaGraphNodeType type, const cudaGraphNode_t* after,
                         std::size_t count) {
  CUgraphNode_st* const node = graph->add(type);
  node->after.assign(after, after + count);
  return node;
}

cudaError_t set_kernel(Context& all, CUgraphNode_st& node, const cudaKernelNodeParams& p) {
  KernelLaunch launch;
  launch.function = all.modules.function(p.func);
  launch.grid = to_dim3(p.gridDim);
  launch.block = to_dim3(p.blockDim);
  launch.shared_bytes = p.sharedMemBytes;
  if (launch.function == nullptr) return cudaErrorInvalidDeviceFunction;
  if (p.extra != nullptr) return all.not_supported("kernel nodes with packed arguments (extra)");
  if (const cudaError_t e = pack_arguments(all, *launch.function, p.kernelParams, launch.parameters);
      e != cudaSuccess)
    return e;
  if (const cudaError_t e = check_launch(all, launch); e != cudaSuccess) return e;
  node.launch = std::move(launch);
  node.kernel = p;
  return cudaSuccess;
}

cudaError_t get_kernel(CUgraphNode_st& node, cudaKernelNodeParams& out) {
  const auto loaded = node.launch.function->load(node.launch.cluster);
  if (!loaded) return runtime::error_of(loaded.error());
  node.argument_pointers.clear();
  for (const auto& [offset, bytes] : (*loaded)->parameters)
    node.argument_pointers.push_back(node.launch.parameters.data() + offset);
  const Dim3 g = node.launch.grid, b = node.launch.block;
  out = {};
  out.func = node.kernel.func != nullptr ? node.kernel.func : node.launch.function;
  out.gridDim = {g.x, g.y, g.z};
  out.blockDim = {b.x, b.y, b.z};
  out.sharedMemBytes = static_cast<unsigned>(node.launch.shared_bytes);
  out.kernelParams = node.argument_pointers.data();
  return cudaSuccess;
}

void set_copy(CUgraphNode_st& node, const cudaMemcpy3DParms& p) {
  node.copy = p;
  node.run = [p](Context&) { return cudaMemcpy3D(&p); };
}

void set_copy(CUgraphNode_st& node, void* to, const void* from, std::size_t count, cudaMemcpyKind kind) {
  node.run = [=](Context&) { return cudaMemcpy(to, from, count, kind); };
}

cudaError_t set_fill(CUgraphNode_st& node, const cudaMemsetParams& p) {
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4) return cudaErrorInvalidValue;
  node.fill = p;
  node.run = [p](Context& all) {
    const std::uint64_t bytes = (p.height - 1) * p.pitch + p.width * p.elementSize;
    const Allocation* const found = all.arena.find(p.dst);
    if (found == nullptr || bytes > found->end() - reinterpret_cast<std::uint64_t>(p.dst))
      return cudaErrorInvalidValue;
    for (std::size_t y = 0; y < p.height; ++y)
      for (std::size_t x = 0; x < p.width; ++x)
        std::memcpy(static_cast<char*>(p.dst) + y * p.pitch + x * p.elementSize, &p.value, p.elementSize);
    for (std::size_t y = 0; y < p.height; ++y)
      all.arena.wrote(static_cast<char*>(p.dst) + y * p.pitch, p.width * p.elementSize);
    return cudaSuccess;
  };
  return cudaSuccess;
}

void set_host(CUgraphNode_st& node, const cudaHostNodeParams& p) {
  node.host = p;
  node.run = [p](Context&) {
    p.fn(p.userData);
    return cudaSuccess;
  };
}

CUgraphNode_st* executable_node(cudaGraphExec_t exec, cudaGraphNode_t node) {
  const auto found = exec->became.find(node);
  return found == exec->became.end() ? nullptr : found->second;
}

cudaError_t list(const std::vector<CUgraphNode_st*>& from, cudaGraphNode_t* to, std::size_t* count) {
  if (to != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) to[i] = i < from.size() ? from[i] : nullptr;
    *count = std::min(*count, from.size());
  } else {
    *count = from.size();
  }
  return cudaSuccess;
}

}  // namespace warplens::runtime

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  return call([&](Context&) {
    *graph = new CUgraph_st;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&](Context&) {
    delete graph;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  return call([&](Context&) {
    std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*> became;
    *clone = graph->clone(became).release();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return call([&](Context&) {
    if (exec == nullptr || graph == nullptr || graph->in_order().size() != graph->nodes.size())
      return cudaErrorInvalidValue;
    auto made = std::make_unique<CUgraphExec_st>();
    made->graph = graph->clone(made->became);
    made->flags = flags;
    for (const auto& node : made->graph->nodes)
      node->free_before = (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    *exec = made.release();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  return cudaGraphInstantiateWithFlags(exec, graph, parameters->flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return call([&](Context&) { return cudaSuccess; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  return call([&](Context& all) -> cudaError_t {
    CUstream_st* const stream = stream_of(handle);
    if (exec == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t refused = refused_in_legacy_stream(handle); refused != cudaSuccess) return refused;
    if (stream->capture) {  // an executable is no part of another graph
      stream->capture->broken = true;
      return cudaErrorStreamCaptureUnsupported;
    }
    assign_defaults(*exec->graph);
    return launch_graph(all, *exec->graph, stream->id);
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return call([&](Context&) {
    delete exec;
    return cudaSuccess;
  });
}

// The same shape with other parameters: anything else is a failure, as the program is told.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return call([&](Context&) {
    const auto& now = exec->graph->nodes;
    bool same = now.size() == graph->nodes.size();
    for (std::size_t i = 0; same && i < now.size(); ++i)
      same = now[i]->type == graph->nodes[i]->type && now[i]->after.size() == graph->nodes[i]->after.size();
    if (result != nullptr) {
      *result = {};
      result->result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    }
    if (!same) return cudaErrorGraphExecUpdateFailure;
    exec->became.clear();
    exec->graph = graph->clone(exec->became);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaKernelNodeParams* parameters) {
  return call([&](Context& all) {
    *node = add_node(graph, cudaGraphNodeTypeKernel, after, count);
    const cudaError_t error = set_kernel(all, **node, *parameters);
    if (error != cudaSuccess) graph->nodes.pop_back();
    return error;
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
  return call([&](Context&) {
    return node->type == cudaGraphNodeTypeKernel ? get_kernel(*node, *parameters) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
  return call([&](Context& all) { return set_kernel(all, *node, *parameters); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
  return set_executable(
      exec, node, [&](Context& all, CUgraphNode_st& inside) { return set_kernel(all, inside, *parameters); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemcpy3DParms* parameters) {
  return call([&](Context&) {
    *node = add_node(graph, cudaGraphNodeTypeMemcpy, after, count);
    set_copy(**node, *parameters);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     std::size_t count, void* to, const void* from, std::size_t bytes,
                                     cudaMemcpyKind kind) {
  return call([&](Context&) {
    *node = add_node(graph, cudaGraphNodeTypeMemcpy, after, count);
    set_copy(**node, to, from, bytes, kind);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
  return call([&](Context&) {
    *parameters = node->copy;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters) {
  return call([&](Context&) {
    set_copy(*node, *parameters);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
  return set_executable(exec, node, [&](Context&, CUgraphNode_st& inside) {
    set_copy(inside, *parameters);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return set_executable(exec, node, [&](Context&, CUgraphNode_st& inside) {
    set_copy(inside, to, from, bytes, kind);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                   std::size_t count, const cudaMemsetParams* parameters) {
  return call([&](Context&) {
    *node = add_node(graph, cudaGraphNodeTypeMemset, after, count);
    return set_fill(**node, *parameters);
  });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
  return call([&](Context&) {
    *parameters = node->fill;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
  return call([&](Context&) { return set_fill(*node, *parameters); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
  return set_executable(exec, node,
                        [&](Context&, CUgraphNode_st& inside) { return set_fill(inside, *parameters); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 std::size_t count, const cudaHostNodeParams* parameters) {
  return call([&](Context&) {
    *node = add_node(graph, cudaGraphNodeTypeHost, after, count);
    set_host(**node, *parameters);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
  return call([&](Context&) {
    *parameters = node->host;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
  return call([&](Context&) {
    set_host(*node, *parameters);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
  return set_executable(exec, node, [&](Context&, CUgraphNode_st& inside) {
    set_host(inside, *parameters);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  std::size_t count) {
  return call([&](Context&) {
    *node = add_node(graph, cudaGraphNodeTypeEmpty, after, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       std::size_t count, cudaGraph_t child) {
  return call([&](Context&) {
    *node = add_node(graph, cudaGraphNodeTypeGraph, after, count);
    set_child(**node, *child);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return call([&](Context&) {
    *graph = node->child.get();
    return *graph == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData*, std::size_t count) {
  return call([&](Context&) {
    for (std::size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        const cudaGraphEdgeData*, std::size_t count) {
  return call([&](Context&) {
    for (std::size_t i = 0; i < count; ++i) std::erase(to[i]->after, from[i]);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return call([&](Context&) {
    CUgraph_st& graph = *node->graph;
    for (const auto& other : graph.nodes) std::erase(other->after, node);
    std::erase_if(graph.nodes, [&](const auto& one) { return one.get() == node; });
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return call([&](Context&) {
    std::vector<CUgraphNode_st*> all;
    for (const auto& node : graph->nodes) all.push_back(node.get());
    return list(all, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count) {
  return call([&](Context&) {
    std::vector<CUgraphNode_st*> roots;
    for (const auto& node : graph->nodes)
      if (node->after.empty()) roots.push_back(node.get());
    return list(roots, nodes, count);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData*,
                                         std::size_t* count) {
  return call([&](Context&) { return list(node->after, nodes, count); });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call([&](Context&) {
    *type = node->type;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return set_executable(exec, node, [&](Context&, CUgraphNode_st& inside) {
    inside.enabled = enabled != 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return set_executable(exec, node, [&](Context&, CUgraphNode_st& inside) {
    *enabled = inside.enabled ? 1 : 0;
    return cudaSuccess;
  });
}

}  // extern "C"
#pragma GCC visibility pop
