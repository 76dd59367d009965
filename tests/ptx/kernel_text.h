// A kernel around a body that may use %tid.x in %r1, n in %r2, an address in %rd1, 512 bytes of shared memory
// in `s`, and registers and predicates.
#pragma once

#include <string>

namespace warplens::ptx {

inline constexpr const char* kModuleHead = ".version 8.0\n.target sm_90\n.address_size 64\n";

inline std::string entry_text(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + R"((.param .u64 p, .param .u32 n)
{
  .reg .pred %p<9>;
  .reg .b32 %r<99>;
  .reg .f32 %f<99>;
  .reg .b64 %rd<9>;
  .shared .align 4 .b8 s[512];
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r2, [n];
  mov.u32 %r1, %tid.x;
)" + body +
         "\n}\n";
}

inline std::string kernel_text(const std::string& body) {
  return kModuleHead + entry_text("k", body);
}

}  // namespace warplens::ptx
