// Which local arrays ptxas keeps in registers: twenty kernels that people could have written, with what
// ptxas 13.0 did to them for sm_90, and the limits of the rule on generated ones.
#include "engine/ptx/rules/register_arrays.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "engine/ptx/rules/as_executed.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/ptx/cubin.h"
#include "tests/support/places.h"

namespace warplens::ptx {
namespace {

std::filesystem::path data_file() {
  return std::filesystem::path(tests::source_dir()) / "tests/ptx/data/local_arrays.ptx";
}

bool declares_local(const Function& function) {
  for (const Variable& variable : function.locals) {
    if (variable.space == StateSpace::Local) return true;
  }
  return false;
}

std::set<std::string> kernels_in_registers(const Module& module) {
  std::set<std::string> names;
  for (const Function& function : module.functions) {
    if (local_arrays_in_registers(module, function)) names.insert(function.name);
  }
  return names;
}

TEST(RegisterArrays, OfKernelsAsPeopleWriteThem) {
  const Result<std::string> text = read_text(data_file());
  ASSERT_TRUE(text);
  const Result<Module> module = parse(*text);
  ASSERT_TRUE(module) << module.error().text();
  const std::set<std::string> expected{"_Z2l1PKiPii",  "_Z2l2PKiPii", "_Z2l3PKiPii",  "_Z2l6PKiPii",
                                       "_Z2l8PKiPii",  "_Z2l9PKiPii", "_Z3l11PKfPfi", "_Z3l12PKfPfi",
                                       "_Z3l17PKiPii", "_Z3l19PKiPii"};
  EXPECT_EQ(kernels_in_registers(*module), expected);
}

TEST(RegisterArrays, PtxasAgrees) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "ptxas is not installed";
  const std::string cubin =
      std::filesystem::temp_directory_path() / ("warplens_arrays_" + std::to_string(::getpid()) + ".cubin");
  ASSERT_EQ(std::system(("ptxas -arch=sm_90 '" + data_file().string() + "' -o '" + cubin + "'").c_str()), 0);
  const Result<std::string> text = read_text(data_file());
  const Result<Module> module = parse(*text);
  ASSERT_TRUE(module);
  std::set<std::string> without_access;
  for (const auto& [name, counts] : cubin_accesses(cubin)) {
    const Function* function = module->find_function(name);
    if (function != nullptr && declares_local(*function) && counts.empty()) without_access.insert(name);
  }
  EXPECT_EQ(kernels_in_registers(*module), without_access);
  std::filesystem::remove(cubin);
}

// `elements` words, `stored` of them filled at known places, then `loads` dynamic loads.
Module table(int elements, int stored, int loads, const std::string& more = "") {
  std::string body;
  for (int i = 0; i < stored; ++i) body += "st.local.u32 [%rd3+" + std::to_string(4 * i) + "],%r9;\n";
  for (int i = 0; i < loads; ++i) {
    body += "ld.global.u32 %r1,[%rd1+" + std::to_string(4 * i) +
            "]; mul.wide.u32 %rd4,%r1,4; add.s64 %rd5,%rd3,%rd4;" +
            "ld.local.u32 %r2,[%rd5]; st.global.u32 [%rd1+" + std::to_string(4000 + 4 * i) + "],%r2;\n";
  }
  Result<Module> module = parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) { .local .align 16 .b8 l[" +
      std::to_string(4 * elements) +
      "];\n.reg .b32 %r<10>; .reg .b64 %rd<10>;\nld.param.u64 %rd1,[p]; mov.u64 %rd3,l; "
      "ld.global.u32 %r9,[%rd1];\n" +
      body + more + "ret; }");
  EXPECT_TRUE(module) << module.error().text();
  return *std::move(module);
}

bool kept(const Module& module) {
  return local_arrays_in_registers(module, module.functions[0]);
}

// The most dynamic loads that ptxas still turned into choices.
TEST(RegisterArrays, LimitsByLength) {
  const std::pair<int, int> limits[] = {{10, 13}, {12, 9}, {14, 8}, {16, 7}, {20, 6},
                                        {24, 5},  {32, 5}, {48, 4}, {64, 4}};
  for (const auto& [elements, loads] : limits) {
    EXPECT_TRUE(kept(table(elements, elements, loads))) << elements;
    EXPECT_FALSE(kept(table(elements, elements, loads + 1))) << elements;
  }
  EXPECT_TRUE(kept(table(95, 95, 1)));
  EXPECT_FALSE(kept(table(96, 96, 1)));
  EXPECT_FALSE(kept(table(8, 0, 1)));  // never filled
}

TEST(RegisterArrays, WhatKeepsThemInMemory) {
  EXPECT_TRUE(kept(table(8, 8, 1)));
  EXPECT_FALSE(kept(table(8, 8, 1, "ld.local.u16 %r3,[%rd3];")));           // two element sizes
  EXPECT_FALSE(kept(table(8, 8, 1, "ld.volatile.local.u32 %r3,[%rd3];")));  // wanted in memory
  EXPECT_FALSE(kept(table(8, 8, 1, "cvta.local.u64 %rd6,%rd3; ld.u32 %r3,[%rd6];")));
  EXPECT_FALSE(kept(table(8, 8, 1, "ld.param.u64 %rd7,[p]; ld.local.u32 %r3,[%rd7];")));  // anywhere
}

TEST(RegisterArrays, AreNotExecuted) {
  const Module module = table(8, 8, 1);
  for (const ExecutedAs& executed : as_executed(module, module.functions[0])) {
    EXPECT_TRUE(!executed.in_registers || executed.bytes == 0);
  }
  const auto all = as_executed(module, module.functions[0]);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const ExecutedAs& e) { return e.in_registers; }), 9);
}

}  // namespace
}  // namespace warplens::ptx
