#include "engine/ptx/facts/function_facts.h"

#include "engine/ptx/facts/derived.h"
#include "engine/ptx/syntax/dominators.h"

namespace warplens::ptx {

const std::vector<Uses>& FunctionFacts::uses() const {
  return uses_.get([&] {
    std::vector<Uses> uses;
    uses.reserve(function_.instructions.size());
    for (const Instruction& instruction : function_.instructions)
      uses.push_back(uses_of(module_, function_, instruction));
    return uses;
  });
}

const std::vector<std::uint32_t>& FunctionFacts::dominators() const {
  return dominators_.get([&] {
    Graph graph(function_.blocks.size());
    for (std::size_t b = 0; b < graph.size(); ++b) graph[b] = function_.blocks[b].successors;
    return immediate_dominators(graph, 0);
  });
}

const Liveness& FunctionFacts::liveness() const {
  return liveness_.get([&] { return Liveness::compute(module_, function_); });
}

const Uniformity& FunctionFacts::uniformity() const {
  return uniformity_.get([&] { return Uniformity::compute(module_, function_); });
}

const std::vector<bool>& FunctionFacts::parted() const {
  return parted_.get([&] { return parted_blocks(module_, function_); });
}

const ReachedCode& FunctionFacts::reached() const {
  return reached_.get([&] { return reached_code(module_, function_); });
}

const SharedLayout& FunctionFacts::shared() const {
  return shared_.get([&] { return shared_layout(module_, function_); });
}

const MachineBlocks& FunctionFacts::machine_blocks() const {
  return machine_blocks_.get([&] { return ptx::machine_blocks(module_, function_); });
}

const std::vector<UnrolledLoop>& FunctionFacts::loops() const {
  return loops_.get([&] { return unrolled_loops(module_, function_); });
}

const SteeredLoops& FunctionFacts::steered() const {
  return steered_.get([&] { return steered_loops(module_, function_); });
}

const DataDependence& FunctionFacts::dependence() const {
  return dependence_.get([&] { return data_dependence(module_, function_); });
}

}  // namespace warplens::ptx
