// Streams, events and graphs. An operation that is asked for in a stream is done at once; in a stream that is
// being captured it becomes a node of a graph instead, and is done whenever the graph is launched.
//
//   return enqueue(c, stream, cudaGraphNodeTypeMemset, [=](Context&) { std::memset(p, v, n); return
//   cudaSuccess; });
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine/runtime/launcher.h"

// The addresses that a graph's memory node hands out, the same at every launch; a graph's copies share them.
struct GraphMemory;
// What a condition of a graph is set to, in the device's memory: its address is the handle.
struct GraphCondition;

struct CUgraphNode_st {
  using Operation = std::function<cudaError_t(warplens::runtime::Context&)>;
  cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
  Operation run;
  std::vector<CUgraphNode_st*> after;  // what must be done before
  CUgraph_st* graph = nullptr;
  bool enabled = true;
  // What made it, for those who ask or change it.
  warplens::runtime::KernelLaunch launch;
  std::vector<void*> argument_pointers;
  cudaKernelNodeParams kernel{};
  cudaMemcpy3DParms copy{};
  cudaMemsetParams fill{};
  cudaHostNodeParams host{};
  cudaEvent_t event = nullptr;
  std::shared_ptr<CUgraph_st> child;
  cudaConditionalNodeParams conditional{};
  std::vector<std::shared_ptr<CUgraph_st>> bodies;  // of a conditional node, and as the program gets them
  std::vector<cudaGraph_t> body_handles;
  cudaMemAllocNodeParams allocation{};
  std::shared_ptr<GraphMemory> memory;
  bool free_before = false;  // what an earlier launch has left allocated
  void* freed = nullptr;
  const CUgraphNode_st* frees = nullptr;  // of its graph
  const CUgraphNode_st* copied_from = nullptr;
};

struct CUgraph_st {
  CUgraph_st() = default;
  CUgraph_st(const CUgraph_st&) = delete;
  CUgraph_st& operator=(const CUgraph_st&) = delete;
  ~CUgraph_st();
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::map<CUuserObject_st*, std::uint64_t> objects;  // of the program's, and how often it keeps each
  std::map<cudaGraphConditionalHandle, std::shared_ptr<GraphCondition>> conditions;
  void keep_objects_of(const CUgraph_st& other);
  CUgraphNode_st* add(cudaGraphNodeType type);
  // In an order that every node's dependencies allow.
  std::vector<CUgraphNode_st*> in_order() const;
  // A copy of it and of the graphs in its nodes, and of each node which one it became.
  std::unique_ptr<CUgraph_st> clone(std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*>& became) const;
};

struct CUgraphExec_st {
  std::unique_ptr<CUgraph_st> graph;
  std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*> became;
  unsigned long long flags = 0;
};

namespace warplens::runtime {

struct Capture {
  CUgraph_st* graph = nullptr;  // nullptr: it is over
  CUstream_st* origin = nullptr;
  std::uint64_t id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;    // that has begun it
  bool with_legacy = false;  // one of its streams waits for the legacy stream, and that one for it
  bool broken = false;       // by a call that no graph can hold; its end says so and gives no graph
};

}  // namespace warplens::runtime

struct CUstream_st {
  std::uint64_t id = 0;
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  std::shared_ptr<warplens::runtime::Capture> capture;  // set while it is being captured
  std::vector<CUgraphNode_st*> tail;                    // what the next node comes after
  std::map<int, cudaLaunchAttributeValue> attributes;   // wishes, for those who ask
};

struct CUevent_st {
  unsigned flags = cudaEventDefault;
  bool recorded = false;
  double at_us = 0;                                     // of the device's clock
  warplens::runtime::Moment after;                      // that it was recorded behind
  std::shared_ptr<warplens::runtime::Capture> capture;  // of the stream in which it was recorded last
  std::vector<CUgraphNode_st*> tail;
};

namespace warplens::runtime {

// nullptr: the handle is none.
CUstream_st* stream_of(cudaStream_t handle);

// The default stream of the process, not that of the thread.
bool is_legacy(cudaStream_t handle);
// What work is answered with that is asked for in a stream whose capture has broken; cudaSuccess: it has not.
inline cudaError_t broken_capture(const CUstream_st& stream) {
  return stream.capture && stream.capture->broken ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
}
// Captures that are under way, whose graphs cannot hold what a call asks for, break, and the call does
// nothing and answers an error; cudaSuccess: none minds. An H100 (driver 580.159.04, CUDA 13.0) answers the
// same. Work for the legacy stream, or waiting for it, while a stream that waits for it is captured.
cudaError_t refused_in_legacy_stream(cudaStream_t handle);
// Memory, and waiting for the device: unless the capture, or the thread, has asked for the relaxed mode.
cudaError_t refused_while_capturing();
template <typename Body>
cudaError_t call_outside_of_captures(Body&& body) {
  return call([&](Context& all) {
    const cudaError_t refused = refused_while_capturing();
    return refused != cudaSuccess ? refused : body(all);
  });
}
// Waiting for everything: in every mode.
cudaError_t refused_while_any_captures();
cudaStreamCaptureMode& capture_mode_of_thread();
void begin(const std::shared_ptr<Capture>& capture);
// Makes the node that an operation becomes in a stream that is being captured.
CUgraphNode_st* captured_node(CUstream_st& stream, cudaGraphNodeType type);
// Launches, or captures it.
cudaError_t start_launch(Context& all, const KernelLaunch& asked, cudaStream_t handle);
cudaError_t launch_graph(Context& all, CUgraph_st& graph, std::uint64_t stream);
// A conditional node: those of its bodies that its condition asks for.
cudaError_t launch_bodies(Context& all, const CUgraphNode_st& node, std::uint64_t stream);
// What the launch of a whole graph sets its conditions to.
void assign_defaults(const CUgraph_st& graph);
// Memory of a graph: allocated by a node that is launched, or what a captured stream asks for.
cudaError_t allocate_in_graph(Context& all, const CUgraphNode_st& node);
cudaError_t capture_allocation(Context& all, CUstream_st& stream, void** pointer, std::size_t bytes);
cudaError_t capture_free(Context& all, CUstream_st& stream, void* pointer);

template <typename Operation>
cudaError_t enqueue(Context& all, cudaStream_t handle, cudaGraphNodeType type, Operation operation,
                    CUgraphNode_st** made = nullptr) {
  CUstream_st* const stream = stream_of(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (const cudaError_t refused = refused_in_legacy_stream(handle); refused != cudaSuccess) return refused;
  if (!stream->capture) return operation(all);
  if (const cudaError_t broken = broken_capture(*stream); broken != cudaSuccess) return broken;
  CUgraphNode_st* const node = captured_node(*stream, type);
  node->run = operation;
  if (made != nullptr) *made = node;
  return cudaSuccess;
}

}  // namespace warplens::runtime
