#include "engine/ptx/syntax/dominators.h"

#include <utility>

#include "engine/base/work_limit.h"

namespace warplens::ptx {
namespace {

constexpr std::uint32_t kUnreached = 0xffffffffu;

// Lengauer and Tarjan with path compression. Nodes are renumbered in depth-first order, so that every array
// below is indexed by that number.
class Dominators {
 public:
  Dominators(const Graph& successors, std::uint32_t root) : number_(successors.size(), kUnreached) {
    number_nodes(successors, root);
  }
  std::vector<std::uint32_t> solve(const Graph& predecessors);

 private:
  void number_nodes(const Graph& successors, std::uint32_t root);
  std::uint32_t best(std::uint32_t v);  // with the smallest semidominator on the path above v

  std::vector<std::uint32_t> number_;  // node -> depth-first number
  std::vector<std::uint32_t> node_, parent_, semi_, label_, ancestor_, dominator_;
};

void Dominators::number_nodes(const Graph& successors, std::uint32_t root) {
  std::vector<std::pair<std::uint32_t, std::size_t>> stack;  // node, next successor
  const auto enter = [&](std::uint32_t node, std::uint32_t parent) {
    number_[node] = static_cast<std::uint32_t>(node_.size());
    node_.push_back(node);
    parent_.push_back(parent);
    stack.emplace_back(node, 0);
  };
  enter(root, 0);
  while (!stack.empty()) {
    work_step();
    auto& [node, next] = stack.back();
    if (next == successors[node].size()) {
      stack.pop_back();
      continue;
    }
    const std::uint32_t to = successors[node][next++];
    if (number_[to] == kUnreached) enter(to, number_[node]);
  }
}

std::uint32_t Dominators::best(std::uint32_t v) {
  if (ancestor_[v] == kUnreached) return label_[v];
  work_step();
  std::vector<std::uint32_t> path;
  for (std::uint32_t at = v; ancestor_[ancestor_[at]] != kUnreached; at = ancestor_[at]) path.push_back(at);
  for (std::size_t i = path.size(); i-- > 0;) {
    const std::uint32_t at = path[i];
    const std::uint32_t above = ancestor_[at];
    if (semi_[label_[above]] < semi_[label_[at]]) label_[at] = label_[above];
    ancestor_[at] = ancestor_[above];
  }
  return label_[v];
}

std::vector<std::uint32_t> Dominators::solve(const Graph& predecessors) {
  const std::size_t count = node_.size();
  semi_.resize(count);
  label_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) semi_[i] = label_[i] = i;
  ancestor_.assign(count, kUnreached);
  dominator_.assign(count, 0);
  Graph waiting(count);  // nodes whose semidominator is this one

  for (auto w = static_cast<std::uint32_t>(count); w-- > 1;) {
    for (const std::uint32_t from : predecessors[node_[w]]) {
      if (number_[from] == kUnreached) continue;
      const std::uint32_t u = best(number_[from]);
      if (semi_[u] < semi_[w]) semi_[w] = semi_[u];
    }
    waiting[semi_[w]].push_back(w);
    const std::uint32_t parent = parent_[w];
    ancestor_[w] = parent;
    for (const std::uint32_t v : waiting[parent]) {
      const std::uint32_t u = best(v);
      dominator_[v] = semi_[u] < semi_[v] ? u : parent;
    }
    waiting[parent].clear();
  }
  std::vector<std::uint32_t> result(number_.size(), kUnreached);
  if (count > 0) result[node_[0]] = node_[0];
  for (std::uint32_t w = 1; w < count; ++w) {
    if (dominator_[w] != semi_[w]) dominator_[w] = dominator_[dominator_[w]];
    result[node_[w]] = node_[dominator_[w]];
  }
  return result;
}

}  // namespace

std::vector<std::uint32_t> immediate_dominators(const Graph& successors, std::uint32_t root) {
  return Dominators(successors, root).solve(reversed(successors));
}

Graph reversed(const Graph& graph) {
  Graph result(graph.size());
  for (std::uint32_t from = 0; from < graph.size(); ++from) {
    for (const std::uint32_t to : graph[from]) result[to].push_back(from);
  }
  return result;
}

}  // namespace warplens::ptx
