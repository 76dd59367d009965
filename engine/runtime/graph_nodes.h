// What the functions that make, change and ask about nodes of graphs have in common.
#pragma once

#include "engine/runtime/stream.h"

namespace warplens::runtime {

CUgraphNode_st* add_node(cudaGraph_t graph, cudaGraphNodeType type, const cudaGraphNode_t* after,
                         std::size_t count);

// Each gives a node what it does, and keeps it for whoever asks.
cudaError_t set_kernel(Context& all, CUgraphNode_st& node, const cudaKernelNodeParams& p);
void set_copy(CUgraphNode_st& node, const cudaMemcpy3DParms& p);
void set_copy(CUgraphNode_st& node, void* to, const void* from, std::size_t count, cudaMemcpyKind kind);
cudaError_t set_fill(CUgraphNode_st& node, const cudaMemsetParams& p);
void set_host(CUgraphNode_st& node, const cudaHostNodeParams& p);
void set_record(CUgraphNode_st& node, cudaEvent_t event);
void set_wait(CUgraphNode_st& node, cudaEvent_t event);
void set_child(CUgraphNode_st& node, const CUgraph_st& child);
// Makes the bodies of a conditional node, which are in `p` then.
cudaError_t set_conditional(Context& all, CUgraphNode_st& node, cudaConditionalNodeParams& p);
// Reserves the addresses that the node's memory will have; they are in `p` then.
cudaError_t set_allocation(Context& all, CUgraphNode_st& node, cudaMemAllocNodeParams& p);
cudaError_t set_free(Context& all, CUgraphNode_st& node, void* pointer);

// As the node's launch is now, also of one that was captured.
cudaError_t get_kernel(CUgraphNode_st& node, cudaKernelNodeParams& out);

// What a node of the graph has become in its executable; nullptr: nothing.
CUgraphNode_st* executable_node(cudaGraphExec_t exec, cudaGraphNode_t node);

template <typename Set>
cudaError_t set_executable(cudaGraphExec_t exec, cudaGraphNode_t node, Set set) {
  return call([&](Context& all) {
    CUgraphNode_st* const inside = executable_node(exec, node);
    return inside == nullptr ? cudaErrorInvalidValue : set(all, *inside);
  });
}

// The common way of all functions that list nodes: without a place for them, how many there are.
cudaError_t list(const std::vector<CUgraphNode_st*>& from, cudaGraphNode_t* to, std::size_t* count);

}  // namespace warplens::runtime
