// Long PTX is read, decoded and listed in time that grows with its length, whatever it is made of.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <functional>

#include "engine/ptx/syntax/parser.h"
#include "engine/simt/emulator.h"

namespace warplens::simt {
namespace {

std::string kernel(const std::string& name, const std::string& body, int registers = 64) {
  return fmt::format(
      ".visible .entry {0}(.param .u64 {0}_param_0, .param .u32 {0}_param_1)\n{{\n"
      ".reg .pred %p<64>;\n.reg .f32 %f<64>;\n.reg .b32 %r<{1}>;\n.reg .b64 %rd<8>;\n"
      "ld.param.u64 %rd1, [{0}_param_0];\nld.param.u32 %r1, [{0}_param_1];\ncvta.to.global.u64 %rd2, %rd1;\n"
      "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd2, %rd3;\nmov.u32 %r3, 0;\n"
      "{2}ret;\n}}\n",
      name, registers, body);
}

std::string repeated(int lines, int lines_each, const std::function<std::string(int)>& part) {
  std::string text;
  for (int i = 0; i < lines / lines_each; ++i) text += part(i);
  return text;
}

struct Text {
  const char* name;
  std::function<std::string(int lines)> make;
};

const Text kTexts[] = {
    {"arithmetic",
     [](int n) {
       return kernel("k", repeated(n, 1, [](int i) {
                       return fmt::format("add.s32 %r{}, %r{}, {};\n", 5 + i % 50, 5 + i * 7 % 50, i);
                     }));
     }},
    {"registers",
     [](int n) {
       return kernel(
           "k",
           repeated(
               n, 1,
               [](int i) { return fmt::format("add.s32 %r{}, %r{}, %r1;\n", 6 + i, std::max(5, i - 1000)); }),
           n + 10);
     }},
    {"loads of shared memory",
     [](int n) {
       return kernel("k", repeated(n, 1, [](int i) {
                       return fmt::format("ld.shared.f32 %f{}, [%r3+{}];\n", 5 + i % 50, i * 4 % 40000);
                     }));
     }},
    {"loads and stores",
     [](int n) {
       return kernel("k", repeated(n, 2, [](int i) {
                       return fmt::format("ld.shared.f32 %f{}, [%r3+{}];\nst.global.f32 [%rd4+{}], %f7;\n",
                                          5 + i % 50, i * 4 % 40000, i * 4 % 400);
                     }));
     }},
    {"branches",
     [](int n) {
       return kernel(
           "k", repeated(n, 4, [](int i) {
             return fmt::format(
                 "setp.gt.s32 %p1, %r1, {0};\n@%p1 bra L{0};\nld.global.f32 %f5, [%rd4+{1}];\nL{0}:\n", i,
                 i * 4 % 400);
           }));
     }},
    {"loops",
     [](int n) {
       return kernel(
           "k", repeated(n, 5, [](int i) {
             return fmt::format(
                 "mov.u32 %r6, 0;\nB{0}:\nadd.s32 %r6, %r6, 1;\nsetp.lt.s32 %p1, %r6, 2;\n@%p1 bra B{0};\n",
                 i);
           }));
     }},
    {"kernels",
     [](int n) {
       std::string text;
       for (int i = 0; i < n / 16; ++i) text += kernel(fmt::format("k{}", i), "add.s32 %r5, %r1, %r1;\n");
       return text;
     }},
};

// Processor seconds to read the text and to look at every kernel of it, as `warplens inspect` does.
double seconds_for(const Text& text, int lines) {
  const std::string ptx = ".version 8.0\n.target sm_80\n.address_size 64\n" + text.make(lines);
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    const std::clock_t begin = std::clock();
    const auto module = ptx::parse(ptx);
    EXPECT_TRUE(module) << text.name;
    if (!module) return 0;
    for (const ptx::Function& function : module->functions)
      EXPECT_TRUE(Kernel::unsupported(*module, function).empty()) << text.name;
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return best;
}

// Eight times the lines may take eight times the time, and five times that for caches and a busy machine;
// quadratic work takes 64 times.
TEST(LongPtx, TimeGrowsWithLength) {
  for (const Text& text : kTexts) {
    constexpr int kLines = 4000;
    const double few = seconds_for(text, kLines), many = seconds_for(text, 8 * kLines);
    EXPECT_LT(many, 40 * few) << text.name << ": " << few << " s, then " << many << " s";
  }
}

}  // namespace
}  // namespace warplens::simt
