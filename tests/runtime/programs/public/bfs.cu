// Breadth-first search, a level a launch, until a flag on the host says that nothing is left.
#include <queue>
#include <vector>

#include "../check.h"

struct Node {
  int first, count;
};

__constant__ int c_nodes;
__device__ int d_levels;

__global__ void visit(const Node* nodes, const int* edges, bool* frontier, bool* updating, const bool* seen,
                      int* cost) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= c_nodes || !frontier[i]) return;
  frontier[i] = false;
  for (int e = nodes[i].first; e < nodes[i].first + nodes[i].count; ++e) {
    const int to = edges[e];
    if (!seen[to]) {
      cost[to] = cost[i] + 1;
      updating[to] = true;
    }
  }
}

__global__ void update(bool* frontier, bool* updating, bool* seen, bool* more) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) ++d_levels;
  if (i >= c_nodes || !updating[i]) return;
  frontier[i] = seen[i] = true;
  *more = true;
  updating[i] = false;
}

template <typename T>
T* upload(const std::vector<T>& from) {
  T* to = nullptr;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&to), from.size() * sizeof(T)));
  CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  return to;
}

int main() {
  const int n = 4096, degree = 6;
  std::vector<Node> nodes(n);
  std::vector<int> edges, cost(n, -1), expected(n, -1);
  unsigned seed = 7;
  for (int i = 0; i < n; ++i) {
    nodes[i] = {static_cast<int>(edges.size()), static_cast<int>((seed = seed * 1664525u + 1013904223u) >> 28) % degree + 1};
    for (int e = 0; e < nodes[i].count; ++e) edges.push_back((seed = seed * 1664525u + 1013904223u) >> 20);
  }
  expected[0] = cost[0] = 0;
  std::queue<int> open({0});
  for (; !open.empty(); open.pop())
    for (int e = 0; e < nodes[open.front()].count; ++e)
      if (const int to = edges[nodes[open.front()].first + e]; expected[to] < 0)
        expected[to] = expected[open.front()] + 1, open.push(to);
  std::vector<unsigned char> none(n, 0), start(n, 0);
  start[0] = 1;
  auto* d_nodes = upload(nodes);
  auto* d_edges = upload(edges);
  auto* d_cost = upload(cost);
  auto* frontier = reinterpret_cast<bool*>(upload(start));
  auto* updating = reinterpret_cast<bool*>(upload(none));
  auto* seen = reinterpret_cast<bool*>(upload(start));
  bool *d_more, more = true;
  CHECK(cudaMalloc(&d_more, sizeof(bool)));
  CHECK(cudaMemcpyToSymbol(c_nodes, &n, sizeof n));
  int levels = 0;
  for (; more; ++levels) {
    more = false;
    CHECK(cudaMemcpy(d_more, &more, sizeof more, cudaMemcpyHostToDevice));
    visit<<<(n + 255) / 256, 256>>>(d_nodes, d_edges, frontier, updating, seen, d_cost);
    update<<<(n + 255) / 256, 256>>>(frontier, updating, seen, d_more);
    CHECK(cudaMemcpy(&more, d_more, sizeof more, cudaMemcpyDeviceToHost));
  }
  int counted = 0;
  CHECK(cudaMemcpyFromSymbol(&counted, d_levels, sizeof counted));
  EXPECT(counted == levels);
  CHECK(cudaMemcpy(cost.data(), d_cost, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(cost[i] == expected[i]);
  std::printf("PASSED: %d levels\n", levels);
}
