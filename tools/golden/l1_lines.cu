// Which lines L1 holds, read with one warp by the clock: what has to leave, what stores and other accesses leave behind.
//   nvcc -arch=sm_90 -std=c++17 -O3 -o l1_lines tools/golden/l1_lines.cu && ./l1_lines > tests/models/golden/l1_lines_h200.txt
// Steps are in constant memory and answers in shared memory until the end, so that L1 has nothing but what is asked for.
// `in a row`: so many lines one after the other, again and again; of each time but the first how many L1 had. `anywhere`:
// the same of lines by chance. `leaves`: a line, how many others throw it out, those, and others of 12000 that do what the
// last of them does. `by chance`: of loads that come so many tenths of what L1 holds (in lines that were brought since)
// after the last one of their line, percent that were there: behind one that brought it, behind one that found it. What
// follows is accesses with the byte of the line that they are to: cycles of each.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <cuda_runtime.h>

constexpr int kMost = 16000;
constexpr unsigned kHit = 150;  // cycles: what L1 has comes in some 100, what L2 has in 300 and more
__constant__ unsigned steps[kMost];

__global__ void walk(const char* memory, unsigned char* there, int n, int zero) {
  __shared__ unsigned bits[kMost / 32];
  if (threadIdx.x >= 32) return;
  __shared__ unsigned value_of_last;
  const unsigned come = (unsigned)__cvta_generic_to_shared(&value_of_last);
  unsigned carry = 0, word = 0;
  for (int i = 0; i < n; ++i) {
    const char* at = memory + (size_t)steps[i + (carry & zero)] * 128;
    unsigned value, begin, end;
    asm volatile("mov.u32 %0,%%clock;" : "=r"(begin) : "l"(at) : "memory");
    asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(value) : "l"(at) : "memory");  // all lanes the same word
    asm volatile("st.shared.u32 [%0],%1;" ::"r"(come), "r"(value) : "memory");  // not before it has come
    asm volatile("mov.u32 %0,%%clock;" : "=r"(end)::"memory");
    carry = value;
    if (end - begin < kHit) word |= 1u << (i & 31);
    if ((i & 31) == 31 || i == n - 1) bits[i >> 5] = word, word = 0;
  }
  __syncwarp();
  for (int i = threadIdx.x; i < n; i += 32) there[i] = bits[i >> 5] >> (i & 31) & 1;
}

char* memory;
unsigned char* there;
std::mt19937 chance(1);

std::vector<unsigned char> run(const std::vector<unsigned>& lines) {
  if (lines.size() > kMost) std::exit(1);
  cudaMemcpyToSymbol(steps, lines.data(), lines.size() * 4);
  walk<<<1, 1024>>>(memory, there, (int)lines.size(), 0);
  std::vector<unsigned char> out(lines.size());
  cudaMemcpy(out.data(), there, out.size(), cudaMemcpyDeviceToHost);
  return out;
}
std::vector<unsigned> row(unsigned n) {
  std::vector<unsigned> out(n);
  for (unsigned i = 0; i < n; ++i) out[i] = i;
  return out;
}
std::vector<unsigned> anywhere(unsigned n) {
  std::vector<unsigned> out(n);
  for (unsigned& line : out) line = chance() & 0x7fffff;
  return out;
}
// Of each time but the first, how many were there.
std::vector<long> passes(const std::vector<unsigned>& order) {
  std::vector<unsigned> all;
  const std::size_t times = std::min<std::size_t>(8, kMost / order.size());
  for (std::size_t t = 0; t < times; ++t) all.insert(all.end(), order.begin(), order.end());
  const auto found = run(all);
  std::vector<long> out;
  for (std::size_t t = 1; t < times; ++t)
    out.push_back(std::count(found.begin() + t * order.size(), found.begin() + (t + 1) * order.size(), 1));
  return out;
}
void say(const char* how, std::size_t lines, const std::vector<long>& found) {
  std::printf("%s, %zu lines:", how, lines);
  for (long n : found) std::printf(" %ld", n);
  std::printf("\n");
}

bool leaves(unsigned line, const std::vector<unsigned>& others) {
  std::vector<unsigned> all{line};
  for (int round = 0; round < 2; ++round) all.insert(all.end(), others.begin(), others.end());
  all.push_back(line);
  return run(all).back() == 0 && run(all).back() == 0;
}
void say_who_throws_out(unsigned line) {
  std::vector<unsigned> others = anywhere(6000);
  for (std::size_t chunk = others.size() / 4; chunk > 0; chunk /= 2)
    for (std::size_t at = 0; at < others.size();) {
      std::vector<unsigned> less(others.begin(), others.begin() + at);
      less.insert(less.end(), others.begin() + std::min(others.size(), at + chunk), others.end());
      if (!less.empty() && leaves(line, less))
        others = less;
      else
        at += chunk;
    }
  std::printf("leaves: %u by %zu:", line, others.size());
  if (others.size() > 8) return (void)std::printf(" too many to tell\n");
  for (unsigned other : others) std::printf(" %u", other);
  std::printf(" as the last:");
  others.pop_back();
  for (unsigned other : anywhere(12000)) {
    others.push_back(other);
    if (leaves(line, others)) std::printf(" %u", other);
    others.pop_back();
  }
  std::printf("\n");
}

void say_by_chance(unsigned pool, unsigned holds) {
  std::vector<unsigned> all(kMost);
  for (unsigned& line : all) line = chance() % pool;
  const auto found = run(all);
  std::map<unsigned, std::pair<unsigned, int>> last;  // of a line: lines brought until then, whether it was found
  unsigned brought = 0, tried[2][20] = {}, had[2][20] = {};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (const auto known = last.find(all[i]); known != last.end() && i > 4000) {
      const unsigned tenth = std::min(19u, (brought - known->second.first) * 10 / holds);
      ++tried[known->second.second][tenth], had[known->second.second][tenth] += found[i];
    }
    brought += found[i] == 0;
    last[all[i]] = {brought, found[i]};
  }
  for (int behind : {0, 1}) {
    std::printf("by chance, %u of %u lines, behind one that %s:", holds, pool, behind == 0 ? "brought it" : "found it");
    for (int t = 0; t < 20; ++t) std::printf(" %u", tried[behind][t] == 0 ? 0 : (100 * had[behind][t] + tried[behind][t] / 2) / tried[behind][t]);
    std::printf("\n");
  }
}

// One thread's accesses: operation and byte of each.
struct Access {
  int op, at;
};
const char* const kOps[] = {"ld", "st", "red", "cp.async.cg", "cp.async.ca", "ld.volatile", "ld.cg", "atom", "membar", "st.v4", "st.u8", "bar"};
__global__ void access(char* memory, const Access* todo, unsigned* cycles, int n) {
  __shared__ __align__(16) char copied[16];
  __shared__ Access mine[16];
  for (int i = 0; i < n; ++i) mine[i] = todo[i];
  const unsigned to = (unsigned)__cvta_generic_to_shared(copied);
  unsigned carry = 0;
  for (int i = 0; i < n; ++i) {
    char* at = memory + mine[i].at + carry;
    unsigned v = 0, begin, end;
    asm volatile("mov.u32 %0,%%clock;" : "=r"(begin)::"memory");
    switch (mine[i].op) {
      case 0: asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v) : "l"(at) : "memory"); break;
      case 1: asm volatile("st.global.u32 [%0],0;" ::"l"(at) : "memory"); break;
      case 2: asm volatile("red.global.add.u32 [%0],0;" ::"l"(at) : "memory"); break;
      case 3: asm volatile("cp.async.cg.shared.global [%0],[%1],16; cp.async.wait_all;" ::"r"(to), "l"(at) : "memory"); break;
      case 4: asm volatile("cp.async.ca.shared.global [%0],[%1],4; cp.async.wait_all;" ::"r"(to), "l"(at) : "memory"); break;
      case 5: asm volatile("ld.volatile.global.u32 %0,[%1];" : "=r"(v) : "l"(at) : "memory"); break;
      case 6: asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(at) : "memory"); break;
      case 7: asm volatile("atom.global.add.u32 %0,[%1],0;" : "=r"(v) : "l"(at) : "memory"); break;
      case 8: asm volatile("membar.gl;" ::: "memory"); break;
      case 9: asm volatile("st.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(at), "r"(0) : "memory"); break;
      case 10: asm volatile("st.global.u8 [%0],%1;" ::"l"(at), "r"(0) : "memory"); break;
      case 11: __syncthreads(); break;
    }
    carry = v & 0x80000000u;
    asm volatile("st.shared.u32 [%0],%1;" ::"r"(to), "r"(v) : "memory");
    asm volatile("mov.u32 %0,%%clock;" : "=r"(end)::"memory");
    cycles[i] = end - begin;
  }
}
void say_accesses(const std::vector<Access>& todo) {
  static Access* list = nullptr;
  static unsigned* cycles = nullptr;
  static int line = 0;
  if (list == nullptr) cudaMalloc(&list, 4096), cudaMalloc(&cycles, 4096);
  line += 128;
  for (int again = 0; again < 2; ++again) {  // the second time the code is there
    cudaMemcpy(list, todo.data(), todo.size() * sizeof(Access), cudaMemcpyHostToDevice);
    access<<<1, 1>>>(memory + line * 128, list, cycles, (int)todo.size());
  }
  std::vector<unsigned> out(todo.size());
  cudaMemcpy(out.data(), cycles, out.size() * 4, cudaMemcpyDeviceToHost);
  std::printf("accesses");
  for (const Access& one : todo) std::printf(" %s+%d", kOps[one.op], one.at);
  std::printf(":");
  for (unsigned c : out) std::printf(" %u", c);
  std::printf("\n");
}

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::size_t bytes = (std::size_t)1 << 30;
  cudaMalloc(&memory, bytes), cudaMemset(memory, 0, bytes), cudaMalloc(&there, kMost);
  std::printf("the first line's address: %p\n", (void*)memory);
  // The driver takes no less shared memory than asked for.
  for (int percent : {0, 7, 14, 28, 43, 57, 100}) {
    cudaFuncSetAttribute(walk, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
    unsigned whole = 32;
    while (whole < 4096 && passes(row(whole + 32)).back() == (long)whole + 32) whole += 32;
    std::printf("shared memory %d %%: whole up to %u lines\n", percent, whole);
    for (unsigned more : {32u, 64u, 96u, 128u, 192u, 224u, 288u}) say("in a row", whole + more, passes(row(whole + more)));
    for (unsigned n : {whole / 4, whole / 2, whole}) say("anywhere", n, passes(anywhere(n)));
    say_by_chance(whole * 5 / 3, whole);
    if (percent == 14)
      for (unsigned line : {0u, 12345u, 7654321u}) say_who_throws_out(line);
  }
  enum { ld, st, red, cp_cg, cp_ca, ld_volatile, ld_cg, atom, membar, st_v4, st_u8, bar };
  for (const auto& todo : std::vector<std::vector<Access>>{
           {{ld, 0}, {ld, 0}, {ld, 4}, {ld, 32}, {ld, 32}},
           {{st, 0}, {ld, 0}},
           {{st, 0}, {ld, 4}, {ld, 0}},
           {{st, 0}, {ld, 32}, {ld, 0}},
           {{ld, 0}, {st, 0}, {ld, 0}, {ld, 4}},
           {{ld, 0}, {st, 32}, {ld, 32}, {ld, 36}, {ld, 0}},
           {{ld, 0}, {st, 32}, {ld, 0}, {ld, 36}, {ld, 0}},
           {{st_v4, 0}, {ld, 12}, {ld, 16}, {ld, 0}},
           {{st_v4, 0}, {st_v4, 16}, {ld, 4}, {ld, 28}},
           {{st_u8, 0}, {ld, 0}, {ld, 0}},
           {{ld, 0}, {red, 0}, {ld, 0}, {ld, 0}},
           {{ld, 0}, {red, 64}, {ld, 0}, {ld, 0}},
           {{ld, 0}, {atom, 0}, {ld, 0}, {ld, 0}},
           {{ld, 0}, {ld_cg, 0}, {ld, 0}, {ld, 0}},
           {{ld, 0}, {ld_cg, 32}, {ld, 0}, {ld, 0}},
           {{ld_cg, 0}, {ld, 0}, {ld, 0}},
           {{ld, 0}, {ld_volatile, 0}, {ld, 0}, {ld, 0}},
           {{ld, 0}, {cp_cg, 0}, {ld, 0}, {ld, 0}},
           {{cp_ca, 0}, {ld, 0}},
           {{ld, 0}, {bar, 0}, {ld, 0}},
           {{ld, 0}, {membar, 0}, {ld, 0}, {ld, 0}}})
    say_accesses(todo);
  std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
