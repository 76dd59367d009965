// Jumps that are taken, that are not, and back: eight a turn under a flag, over 16 instructions that ptxas does not
// predicate; or a turn that has nothing but its jump back. Read by waits.py.
#define SITE                                                                                             \
  asm volatile(                                                                                          \
      "{\n .reg .pred p;\n setp.ne.s32 p, %1, 0;\n @p bra L%=;\n"                                        \
      " xor.b32 %0, %0, 1;\n mul.lo.s32 %0, %0, 3;\n xor.b32 %0, %0, 5;\n mul.lo.s32 %0, %0, 7;\n"       \
      " xor.b32 %0, %0, 9;\n mul.lo.s32 %0, %0, 11;\n xor.b32 %0, %0, 13;\n mul.lo.s32 %0, %0, 3;\n"     \
      " xor.b32 %0, %0, 15;\n mul.lo.s32 %0, %0, 5;\n xor.b32 %0, %0, 17;\n mul.lo.s32 %0, %0, 7;\n"     \
      " xor.b32 %0, %0, 25;\n mul.lo.s32 %0, %0, 5;\n xor.b32 %0, %0, 27;\n mul.lo.s32 %0, %0, 7;\n"     \
      "L%=:\n xor.b32 %0, %0, 3;\n}"                                                                     \
      : "+r"(x)                                                                                          \
      : "r"(flag));

__global__ void ahead(int* out, int turns, int flag) {
  int x = threadIdx.x;
#pragma unroll 1
  for (int t = 0; t < turns; ++t) {
    SITE SITE SITE SITE SITE SITE SITE SITE
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void back(int* out, int turns, int) {
  int x = threadIdx.x;
#pragma unroll 1
  for (int t = 0; t < turns; ++t) asm volatile("xor.b32 %0, %0, 3;" : "+r"(x));
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
