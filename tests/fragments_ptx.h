// The frame of kernels about tensor-core registers: %r2 to %r39, %f1 to %f9, the buffer `out` in %rd1 and the
// thread's number in %r1 stand ready.
#pragma once

#include <string>

namespace warplens {

inline std::string fragments_kernel(const std::string& body) {
  return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry product(.param .u64 out) {
  .reg .b32 %r<40>;
  .reg .f32 %f<10>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
)" + body +
         "  ret;\n}\n";
}

}  // namespace warplens
