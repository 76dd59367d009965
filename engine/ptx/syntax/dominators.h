// Immediate dominators of a directed graph, in O(edges * log nodes) and without recursion.
//
//   Graph graph{{{1, 2}, {3}, {3}, {}}};   // 0 -> 1, 2;  1 -> 3;  2 -> 3
//   immediate_dominators(graph, 0);        // {0, 0, 0, 0}
#pragma once

#include <cstdint>
#include <vector>

namespace warplens::ptx {

using Graph = std::vector<std::vector<std::uint32_t>>;  // node -> nodes that it leads to

// The root is its own; 0xffffffff for nodes that the root does not reach.
std::vector<std::uint32_t> immediate_dominators(const Graph& successors, std::uint32_t root);

Graph reversed(const Graph& graph);

}  // namespace warplens::ptx
