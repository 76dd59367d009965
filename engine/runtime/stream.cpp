#include "engine/runtime/stream.h"

#include <algorithm>
#include <set>

using namespace warplens::runtime;

CUgraphNode_st* CUgraph_st::add(cudaGraphNodeType type) {
  nodes.push_back(std::make_unique<CUgraphNode_st>());
  nodes.back()->type = type;
  nodes.back()->graph = this;
  return nodes.back().get();
}

std::vector<CUgraphNode_st*> CUgraph_st::in_order() const {
  std::vector<CUgraphNode_st*> order;
  std::set<const CUgraphNode_st*> done;
  // Each round takes what is ready, in the order of creation; a ring leaves some over.
  for (std::size_t before = 1; before != order.size() && order.size() < nodes.size();) {
    before = order.size();
    for (const auto& node : nodes) {
      if (done.contains(node.get())) continue;
      if (!std::ranges::all_of(node->after, [&](const CUgraphNode_st* a) { return done.contains(a); }))
        continue;
      done.insert(node.get());
      order.push_back(node.get());
    }
    if (before == 0 && order.empty()) break;
  }
  return order;
}

std::unique_ptr<CUgraph_st> CUgraph_st::clone(
    std::unordered_map<const CUgraphNode_st*, CUgraphNode_st*>& became) const {
  auto copy = std::make_unique<CUgraph_st>();
  copy->keep_objects_of(*this);
  copy->conditions = conditions;
  for (const auto& node : nodes) {
    copy->nodes.push_back(std::make_unique<CUgraphNode_st>(*node));
    copy->nodes.back()->graph = copy.get();
    copy->nodes.back()->copied_from = node.get();
    CUgraphNode_st& made = *copy->nodes.back();
    became[node.get()] = &made;
    if (node->child) made.child = node->child->clone(became);
    for (std::size_t i = 0; i < node->bodies.size(); ++i) {
      made.bodies[i] = node->bodies[i]->clone(became);
      made.body_handles[i] = made.bodies[i].get();
    }
  }
  for (const auto& node : copy->nodes)
    for (CUgraphNode_st*& after : node->after)
      if (const auto found = became.find(after); found != became.end()) after = found->second;
  return copy;
}

namespace warplens::runtime {

CUstream_st* stream_of(cudaStream_t handle) {
  static CUstream_st legacy, per_thread{1, cudaStreamNonBlocking, 0, nullptr, {}, {}};
  if (handle == nullptr || handle == cudaStreamLegacy) return &legacy;
  if (handle == cudaStreamPerThread) return &per_thread;
  if (handle->capture && handle->capture->graph == nullptr) {  // the stream that it had joined has ended it
    handle->capture.reset();
    handle->tail.clear();
  }
  return handle;
}

// Set by the calls of a program whose default stream is each thread's own (api_per_thread.cpp).
extern "C" {
__attribute__((visibility("hidden"))) bool warplens_default_stream_is_threads = false;
}

namespace {

std::vector<std::weak_ptr<Capture>>& captures() {
  static std::vector<std::weak_ptr<Capture>> all;
  return all;
}

// Breaks those that mind; how many.
template <typename Minds>
std::size_t break_captures(Minds minds) {
  if (context().graph_in) return 0;  // what a graph does is no call of the program
  return static_cast<std::size_t>(std::ranges::count_if(captures(), [&](const std::weak_ptr<Capture>& known) {
    const std::shared_ptr<Capture> capture = known.lock();
    if (!capture || capture->graph == nullptr || !minds(*capture)) return false;
    return capture->broken = true;
  }));
}

}  // namespace

void begin(const std::shared_ptr<Capture>& capture) {
  std::erase_if(captures(), [](const std::weak_ptr<Capture>& known) {
    const std::shared_ptr<Capture> one = known.lock();
    return !one || one->graph == nullptr;
  });
  captures().push_back(capture);
}

cudaStreamCaptureMode& capture_mode_of_thread() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

bool is_legacy(cudaStream_t handle) {
  return handle == cudaStreamLegacy || (handle == nullptr && !warplens_default_stream_is_threads);
}

cudaError_t refused_in_legacy_stream(cudaStream_t handle) {
  if (!is_legacy(handle) || break_captures([](const Capture& one) { return one.with_legacy; }) == 0)
    return cudaSuccess;
  return cudaErrorStreamCaptureImplicit;
}

cudaError_t refused_while_capturing() {
  const cudaStreamCaptureMode mode = capture_mode_of_thread();
  if (mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  const std::size_t broken = break_captures([&](const Capture& one) {
    if (one.mode == cudaStreamCaptureModeRelaxed) return false;
    const bool global = one.mode == cudaStreamCaptureModeGlobal && mode == cudaStreamCaptureModeGlobal;
    return global || one.thread == std::this_thread::get_id();
  });
  return broken == 0 ? cudaSuccess : cudaErrorStreamCaptureUnsupported;
}

cudaError_t refused_while_any_captures() {
  return break_captures([](const Capture&) { return true; }) == 0 ? cudaSuccess
                                                                  : cudaErrorStreamCaptureUnsupported;
}

CUgraphNode_st* captured_node(CUstream_st& stream, cudaGraphNodeType type) {
  CUgraphNode_st* const node = stream.capture->graph->add(type);
  node->after = stream.tail;
  stream.tail = {node};
  return node;
}

namespace {

cudaError_t launch_nodes(Context& all, CUgraph_st& graph, std::uint64_t stream) {
  for (CUgraphNode_st* node : graph.in_order()) {
    if (!node->enabled) continue;
    cudaError_t error = cudaSuccess;
    if (node->child)
      error = launch_graph(all, *node->child, stream);
    else if (!node->bodies.empty())
      error = launch_bodies(all, *node, stream);
    else if (node->type == cudaGraphNodeTypeKernel)
      error = run_launch(all, node->launch, stream);
    else if (node->memory)
      error = allocate_in_graph(all, *node);
    else if (node->run)
      error = node->run(all);
    if (error != cudaSuccess) return error;
    if (all.fault != cudaSuccess) return cudaSuccess;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t launch_graph(Context& all, CUgraph_st& graph, std::uint64_t stream) {
  const std::optional<std::uint64_t> before = std::exchange(all.graph_in, stream);
  const cudaError_t error = launch_nodes(all, graph, stream);
  all.graph_in = before;
  return error;
}

}  // namespace warplens::runtime
