// Executes the rows of tests/analysis/data/h200_copies.txt one after the other, a launch of one warp each, for
// ncu to count: its head says how.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

struct Row {
  int from[32], to[32];  // bytes; -1: the lane is off
};

template <int kBytes, bool kPastL1>
__global__ void copy(const char* data, const __grid_constant__ Row row) {
  extern __shared__ __align__(1024) char shared[];
  const int from = row.from[threadIdx.x], to = row.to[threadIdx.x];
  const unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + to;
  if (from >= 0) {
    if constexpr (kPastL1)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(data + from));
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(data + from), "n"(kBytes));
  }
  asm volatile("cp.async.commit_group;\ncp.async.wait_all;" ::: "memory");
}

static void read_lanes(std::istringstream& text, int (&lanes)[32]) {
  std::string word;
  text >> word;  // '|'
  for (int& lane : lanes) {
    text >> word;
    lane = word == "-" ? -1 : std::atoi(word.c_str());
  }
}

int main(int, char** arguments) {
  constexpr int kSharedBytes = 32768, kGlobalBytes = 1 << 20;
  char* data = nullptr;
  cudaMalloc(&data, kGlobalBytes);
  cudaMemset(data, 0, kGlobalBytes);
  std::ifstream in(arguments[1]);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream text(line);
    std::string id, instruction;
    int bytes = 0;
    Row row;
    text >> id >> instruction >> bytes;
    read_lanes(text, row.from);
    read_lanes(text, row.to);
    const auto kernel = instruction == "cp.async.cg" ? copy<16, true>
                        : bytes == 16                ? copy<16, false>
                        : bytes == 8                 ? copy<8, false>
                                                     : copy<4, false>;
    kernel<<<1, 32, kSharedBytes>>>(data, row);
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
