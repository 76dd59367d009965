// Conditional nodes of graphs: bodies that are launched once, again and again, or not at all, as a kernel
// before them has said by cudaGraphSetConditional.
#include <algorithm>
#include <cstring>

#include "engine/runtime/graph_nodes.h"

using namespace warplens;
using namespace warplens::runtime;

struct GraphCondition {
  std::uint64_t address = 0;
  unsigned initial = 0;
  bool assign = false;  // at each launch of the whole graph
  GraphCondition(std::uint64_t at, unsigned value, bool at_launch)
      : address(at), initial(value), assign(at_launch) {}
  GraphCondition(const GraphCondition&) = delete;
  GraphCondition& operator=(const GraphCondition&) = delete;
  ~GraphCondition() { context().arena.release(address); }
};

namespace warplens::runtime {
namespace {

unsigned value_at(std::uint64_t address) {
  unsigned value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

void put(const GraphCondition& condition) {
  std::memcpy(reinterpret_cast<void*>(condition.address), &condition.initial, sizeof condition.initial);
}

}  // namespace

cudaError_t set_conditional(Context& all, CUgraphNode_st& node, cudaConditionalNodeParams& p) {
  const unsigned most = p.type == cudaGraphCondTypeIf ? 2 : p.type == cudaGraphCondTypeWhile ? 1 : ~0u;
  if (p.size == 0 || p.size > most || all.arena.find(p.handle) == nullptr) return cudaErrorInvalidValue;
  node.bodies.clear();
  node.body_handles.clear();
  for (unsigned i = 0; i < p.size; ++i)
    node.body_handles.push_back(node.bodies.emplace_back(std::make_shared<CUgraph_st>()).get());
  p.phGraph_out = node.body_handles.data();
  node.conditional = p;
  return cudaSuccess;
}

cudaError_t launch_bodies(Context& all, const CUgraphNode_st& node, std::uint64_t stream) {
  const auto value = [&] { return value_at(node.conditional.handle); };
  if (node.conditional.type == cudaGraphCondTypeWhile) {
    cudaError_t error = cudaSuccess;
    // Only a kernel sets a condition: a body in which none has run leaves it as it is. Of --every N all but
    // one of N launches are left out.
    for (std::uint64_t idle = 0; error == cudaSuccess && all.fault == cudaSuccess && value() != 0;) {
      const std::uint64_t before = all.thread_instructions;
      error = launch_graph(all, *node.bodies[0], stream);
      idle = all.thread_instructions == before ? idle + 1 : 0;
      if (idle < std::max<std::uint64_t>(all.settings.every, 1)) continue;
      all.note(all.texts().text(Message{"run.endless_while", {{"value", value_of(value())}}}));
      all.fault = cudaErrorLaunchTimeout;
    }
    return error;
  }
  // Of an if the second is the else.
  const unsigned chosen = node.conditional.type == cudaGraphCondTypeIf ? (value() != 0 ? 0 : 1) : value();
  return chosen < node.bodies.size() ? launch_graph(all, *node.bodies[chosen], stream) : cudaSuccess;
}

void assign_defaults(const CUgraph_st& graph) {
  for (const auto& [handle, condition] : graph.conditions)
    if (condition->assign) put(*condition);
  for (const auto& node : graph.nodes) {
    if (node->child) assign_defaults(*node->child);
    for (const auto& body : node->bodies) assign_defaults(*body);
  }
}

}  // namespace warplens::runtime

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned initial, unsigned flags) {
  return call([&](Context& all) {
    if (handle == nullptr || graph == nullptr || (flags & ~unsigned{cudaGraphCondAssignDefault}) != 0)
      return cudaErrorInvalidValue;
    const std::uint64_t at = all.arena.allocate(sizeof initial, Kind::Variable, "a condition of a graph");
    if (at == 0) return cudaErrorMemoryAllocation;
    const auto made =
        std::make_shared<GraphCondition>(at, initial, (flags & cudaGraphCondAssignDefault) != 0);
    put(*made);
    graph->conditions[at] = made;
    *handle = at;
    return cudaSuccess;
  });
}

}  // extern "C"
#pragma GCC visibility pop
