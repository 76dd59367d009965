// What an SM's pipes take and what warps wait for meanwhile; how long a register stays held until an access has read it;
// what the beginning of a launch of small blocks waits for. One launch each; read with
//   nvcc -arch=sm_90 -std=c++17 -O3 -o pipes tools/golden/pipes.cu
//   ncu --clock-control none --cache-control all --csv --page raw --metrics COUNTERS ./pipes
// where COUNTERS are smsp__cycles_active.avg, smsp__inst_issued.sum, sm__inst_executed_pipe_*.sum and
// smsp__average_warps_issue_stalled_*_per_issue_active.ratio; tests/models/golden/pipes_h100.txt has a line a launch.
#include <cstdio>
#include <cuda_runtime.h>
__constant__ unsigned table[1024];
enum Op { RCP, I2F, F2I, POPC, FLO, BREV, LDC, S2R, IMAD, IMADWIDE, IMADHI, IADD, LOP, FFMA, DADD, SHFL, LDS, LDS128, REDUX, MODU, DIVU, ATOMS, STS, HFMA, F2F, SIN, ISETPBRA };
__device__ __forceinline__ unsigned one(int op, unsigned a, unsigned b, unsigned at) {
  unsigned r = a; float f; unsigned long long w;
  switch (op) {
    case RCP: asm volatile("rcp.approx.ftz.f32 %0,%1;" : "=f"(f) : "f"(__uint_as_float(a))); return __float_as_uint(f);
    case SIN: asm volatile("sin.approx.ftz.f32 %0,%1;" : "=f"(f) : "f"(__uint_as_float(a))); return __float_as_uint(f);
    case I2F: asm volatile("cvt.rp.f32.u32 %0,%1;" : "=f"(f) : "r"(a)); return __float_as_uint(f);
    case F2I: asm volatile("cvt.rzi.u32.f32 %0,%1;" : "=r"(r) : "f"(__uint_as_float(a))); return r;
    case F2F: { double d; asm volatile("cvt.f64.f32 %0,%1;" : "=d"(d) : "f"(__uint_as_float(a))); return (unsigned)__double2hiint(d); }
    case POPC: asm volatile("popc.b32 %0,%1;" : "=r"(r) : "r"(a)); return r;
    case FLO: asm volatile("bfind.u32 %0,%1;" : "=r"(r) : "r"(a)); return r;
    case BREV: asm volatile("brev.b32 %0,%1;" : "=r"(r) : "r"(a)); return r;
    case LDC: return table[a & 1023];
    case S2R: asm volatile("mov.u32 %0,%%tid.y;" : "=r"(r)); return r + a;
    case IMAD: asm volatile("mad.lo.u32 %0,%1,%2,%1;" : "=r"(r) : "r"(a), "r"(b)); return r;
    case IMADWIDE: asm volatile("mul.wide.u32 %0,%1,%2;" : "=l"(w) : "r"(a), "r"(b)); return (unsigned)w;
    case IMADHI: asm volatile("mul.hi.u32 %0,%1,%2;" : "=r"(r) : "r"(a), "r"(b)); return r;
    case IADD: asm volatile("add.u32 %0,%1,%2;" : "=r"(r) : "r"(a), "r"(b)); return r;
    case LOP: asm volatile("xor.b32 %0,%1,%2;" : "=r"(r) : "r"(a), "r"(b)); return r;
    case FFMA: asm volatile("fma.rn.f32 %0,%1,%2,%1;" : "=f"(f) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b))); return __float_as_uint(f);
    case HFMA: asm volatile("fma.rn.f16x2 %0,%1,%2,%1;" : "=r"(r) : "r"(a), "r"(b)); return r;
    case DADD: { double d = __hiloint2double(a, b), e; asm volatile("add.rn.f64 %0,%1,%1;" : "=d"(e) : "d"(d)); return (unsigned)__double2hiint(e); }
    case SHFL: asm volatile("shfl.sync.bfly.b32 %0,%1,1,31,-1;" : "=r"(r) : "r"(a)); return r;
    case LDS: asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(r) : "r"(at + (a & 0))); return r;
    case LDS128: { unsigned x, y, z; asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(r), "=r"(x), "=r"(y), "=r"(z) : "r"((at & 511) * 4)); return r + x + y + z; }
    case REDUX: asm volatile("redux.sync.add.u32 %0,%1,-1;" : "=r"(r) : "r"(a)); return r;
    case MODU: return a % (b | 1);
    case DIVU: return a / (b | 1);
    case ATOMS: asm volatile("red.shared.add.u32 [%0],1;" ::"r"(at) : "memory"); return a;
    case STS: asm volatile("st.volatile.shared.u32 [%0],%1;" ::"r"(at), "r"(a) : "memory"); return a;
    case ISETPBRA: return a;
  }
  return r;
}
template <int OP, int ILP> __global__ void __launch_bounds__(1024) work(unsigned* out, unsigned b, int turns) {
  __shared__ unsigned shared[4096];
  const unsigned at = (unsigned)__cvta_generic_to_shared(shared) + (threadIdx.x % 1024) * 4;
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) shared[i] = i;
  __syncthreads();
  unsigned acc[ILP];
  for (int k = 0; k < ILP; ++k) acc[k] = b + k;  // the same in all lanes
#pragma unroll 1
  for (int t = 0; t < turns; ++t)
#pragma unroll
    for (int u = 0; u < 16 / ILP; ++u)
#pragma unroll
      for (int k = 0; k < ILP; ++k) acc[k] = one(OP, acc[k], b, at);
  unsigned s = 0;
  for (int k = 0; k < ILP; ++k) s += acc[k];
  if (s == 0x12345678) out[threadIdx.x] = s;
}
// A register that an access has to read is written at once: the read scoreboard.
template <int KIND> __global__ void __launch_bounds__(1024) reused(unsigned* out, unsigned b, int turns) {
  __shared__ unsigned shared[8192];
  unsigned at = (unsigned)__cvta_generic_to_shared(shared) + (threadIdx.x % 1024) * 4;
  char* p = (char*)(out + (blockIdx.x * blockDim.x + threadIdx.x));
  unsigned v = b, r = 0, q = 0;
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      if (KIND == 0) { asm volatile("st.volatile.global.u32 [%0],%1;" ::"l"(p), "r"(v) : "memory"); asm volatile("add.u32 %0,%0,%1;" : "+r"(v) : "r"(b)); }
      if (KIND == 1) { asm volatile("red.global.add.u32 [%0],%1;" ::"l"(p), "r"(v) : "memory"); asm volatile("add.u32 %0,%0,%1;" : "+r"(v) : "r"(b)); }
      if (KIND == 2) { asm volatile("st.volatile.shared.u32 [%0],%1;" ::"r"(at), "r"(v) : "memory"); asm volatile("add.u32 %0,%0,%1;" : "+r"(v) : "r"(b)); }
      if (KIND == 3) { asm volatile("red.shared.add.u32 [%0],%1;" ::"r"(at), "r"(v) : "memory"); asm volatile("add.u32 %0,%0,%1;" : "+r"(v) : "r"(b)); }
      if (KIND == 4) { asm volatile("ld.volatile.global.u32 %0,[%1];" : "=r"(r) : "l"(p) : "memory"); asm volatile("add.u64 %0,%0,4;" : "+l"(p)); q |= r; }
      if (KIND == 5) { asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(r) : "r"(at) : "memory"); asm volatile("add.u32 %0,%0,4;" : "+r"(at)); q |= r; }
      if (KIND == 6) { asm volatile("st.volatile.global.v4.u32 [%0],{%1,%1,%1,%1};" ::"l"(out), "r"(v) : "memory"); asm volatile("add.u32 %0,%0,%1;" : "+r"(v) : "r"(b)); }
      if (KIND == 7) { asm volatile("st.volatile.local.u32 [%0],%1;" ::"r"(0), "r"(v) : "memory"); asm volatile("add.u32 %0,%0,%1;" : "+r"(v) : "r"(b)); }
    }
  }
  if (q == 0x12345678 && v == 3) out[0] = q;
}
// Tiny blocks: what the beginning of a launch waits for. LINES of 64 bytes of parameters are read.
struct Many { unsigned v[256]; };
template <int LINES> __global__ void tiny(unsigned* out, const __grid_constant__ Many m, unsigned n) {
  unsigned s = threadIdx.x;
#pragma unroll
  for (int k = 0; k < LINES; ++k) s += m.v[16 * k];
  if (blockIdx.x * blockDim.x + threadIdx.x < n) out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void empty() {}
template <int OP> void ops(unsigned* out) {
  for (int warps : {4, 16, 32}) {
    const int threads = warps > 32 ? 1024 : warps * 32, blocks = 132 * (warps > 32 ? 2 : 1);
    std::printf("op %d ilp 8 warps %d\n", OP, warps);
    work<OP, 8><<<blocks, threads>>>(out, 3, 64);
  }
  for (int warps : {4, 32}) {
    std::printf("op %d ilp 1 warps %d\n", OP, warps);
    work<OP, 1><<<132, warps * 32>>>(out, 3, 64);
  }
}
template <int K> void war(unsigned* out) {
  for (int warps : {4, 8, 16, 32}) { std::printf("war %d warps %d\n", K, warps); reused<K><<<132, warps * 32>>>(out, 3, 16); }
}
template <int L> void tinies(unsigned* out) {
  Many m{};
  for (int threads : {32, 64, 128, 256})
    for (int blocks : {132, 264, 1056, 4224}) { std::printf("tiny %d threads %d blocks %d\n", L, threads, blocks); tiny<L><<<blocks, threads>>>(out, m, 1 << 30); }
}
template <int N> void all(unsigned* out) { if constexpr (N > 0) all<N - 1>(out); ops<N>(out); }
int main() {
  unsigned* out; cudaMalloc(&out, 64 << 20); cudaMemset(out, 0, 64 << 20);
  unsigned h[1024]; for (int i = 0; i < 1024; ++i) h[i] = i; cudaMemcpyToSymbol(table, h, sizeof h);
  all<F2F>(out);
  war<0>(out); war<1>(out); war<2>(out); war<3>(out); war<4>(out); war<5>(out); war<6>(out);
  tinies<0>(out); tinies<1>(out); tinies<4>(out); tinies<16>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
