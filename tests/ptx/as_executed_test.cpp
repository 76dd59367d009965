// What ptxas joins. Every case was first seen in ptxas 13.0's output for sm_90; where a ptxas is installed
// the expectations are held against it again.
#include "engine/ptx/rules/as_executed.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "engine/ptx/facts/shared_layout.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/ptx/cubin.h"

namespace warplens::ptx {
namespace {

struct Case {
  const char* name;
  std::string declarations, body;
  const char* expected;  // executed accesses, in the order of their leaders
};

// a is one 4 KiB array, %r4 its address + 16 * thread, %r2 the distance, %r3 the array, %r90 anything.
const std::string kArray = ".shared .align 4 .b8 a[4096];";
const std::string kSetUp =
    "shl.b32 %r2,%r1,4; mov.u32 %r3,a; add.s32 %r4,%r3,%r2; st.shared.u32 [%r3],%r90; bar.sync 0;";

std::string loads(std::initializer_list<int> offsets, const std::string& base = "%r4", int first = 1,
                  const std::string& space = "shared") {
  std::string text;
  for (const int offset : offsets) {
    text += "ld." + space + ".f32 %f" + std::to_string(first++) + ",[" + base + "+" + std::to_string(offset) +
            "];";
  }
  return text;
}

std::string keep(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "st.global.f32 [%rd1+" + std::to_string(4 * i) + "],%f" + std::to_string(i + 1) + ";";
  }
  return text;
}

std::string stores(std::initializer_list<int> offsets) {
  std::string text = "shl.b32 %r2,%r1,4; mov.u32 %r3,a; add.s32 %r4,%r3,%r2;";
  int i = 20;
  for (const int offset : offsets) {
    text += "add.s32 %r" + std::to_string(i) + ",%r90," + std::to_string(i) + ";st.shared.u32 [%r4+" +
            std::to_string(offset) + "],%r" + std::to_string(i) + ";";
    ++i;
  }
  return text + "bar.sync 0; ld.shared.f32 %f1,[%r3+8];" + keep(1);
}

Case load_case(const char* name, std::initializer_list<int> offsets, const char* expected) {
  return {name, kArray, kSetUp + loads(offsets) + keep(static_cast<int>(offsets.size())), expected};
}

// Two loads, something, two more.
Case between(const char* name, const std::string& middle, const char* expected) {
  return {name, kArray,
          kSetUp + "add.s32 %r5,%r3,%r90; ld.global.f32 %f40,[%rd1+400];" + loads({0, 4}) + middle +
              loads({8, 12}, "%r4", 3) + keep(4) +
              "st.global.f32 [%rd1+100],%f42;st.global.u32 [%rd1+200],%r31;",
          expected};
}

Case store_between(const char* name, const std::string& middle, const char* expected) {
  return {name, kArray,
          kSetUp + "add.s32 %r5,%r3,%r90; add.s32 %r40,%r90,3; st.shared.u32 [%r4],%r1;" + middle +
              "st.shared.u32 [%r4+4],%r40; bar.sync 0; ld.shared.f32 %f1,[%r3+8];" + keep(1),
          expected};
}

// Four loads at an address that `calculation` puts into %r4.
Case aligned(const char* name, const std::string& calculation, const char* expected) {
  return {
      name, kArray,
      "mov.u32 %r3,a; st.shared.u32 [%r3],%r90; bar.sync 0;" + calculation + loads({0, 4, 8, 12}) + keep(4),
      expected};
}

std::vector<Case> load_cases() {
  return {
      load_case("four", {0, 4, 8, 12}, "STS LDS.128"),
      load_case("backwards", {12, 8, 4, 0}, "STS LDS.128"),
      load_case("three of four", {0, 4, 8}, "STS LDS.128"),
      load_case("three with a gap", {0, 4, 12}, "STS LDS.128"),
      load_case("lower pair", {0, 4}, "STS LDS.64"),
      load_case("upper pair", {8, 12}, "STS LDS.64"),
      load_case("pair across", {4, 8}, "STS LDS LDS"),
      load_case("far pair", {0, 12}, "STS LDS LDS"),
      load_case("five", {0, 4, 8, 12, 16}, "STS LDS.128 LDS"),
      load_case("two and three", {0, 4, 20, 24, 28}, "STS LDS.64 LDS.128"),
      load_case("interleaved", {0, 16, 4, 20, 8, 24, 12, 28}, "STS LDS.128 LDS.128"),
      load_case("again", {0, 0, 4}, "STS LDS.64"),
      {"double words", kArray,
       kSetUp + "ld.shared.f64 %fd1,[%r4]; ld.shared.f64 %fd2,[%r4+8]; st.global.f64 [%rd1],%fd1; "
                "st.global.f64 [%rd1+8],%fd2;",
       "STS LDS.128"},
      {"vectors", kArray,
       kSetUp + "ld.shared.v2.f32 {%f1,%f2},[%r4]; ld.shared.v2.f32 {%f3,%f4},[%r4+8];" + keep(4),
       "STS LDS.128"},
      {"vector and a word", kArray,
       kSetUp + "ld.shared.v2.f32 {%f1,%f2},[%r4]; ld.shared.f32 %f3,[%r4+12];" + keep(3), "STS LDS.128"},
      {"words and a double word", kArray,
       kSetUp + loads({0, 4}) + "ld.shared.f64 %fd1,[%r4+8]; st.global.f64 [%rd1+8],%fd1;" + keep(2),
       "STS LDS.64 LDS.64"},
      {"halves", kArray,
       kSetUp + "ld.shared.u16 %r11,[%r4]; ld.shared.u16 %r12,[%r4+2]; st.global.u32 [%rd1],%r11; "
                "st.global.u32 [%rd1+4],%r12;",
       "STS LDS.U16 LDS.U16"},
      {"volatile", kArray,
       kSetUp + "ld.volatile.shared.f32 %f1,[%r4]; ld.volatile.shared.f32 %f2,[%r4+4];" + keep(2),
       "STS LDS LDS"},
      {"guarded", kArray,
       kSetUp +
           "setp.lt.s32 %p1,%r1,%r90; mov.f32 %f1,0f00000000; mov.f32 %f2,0f00000000;"
           "@%p1 ld.shared.f32 %f1,[%r4]; @%p1 ld.shared.f32 %f2,[%r4+4];" +
           keep(2),
       "STS LDS LDS"},
      {"constant addresses", kArray,
       "st.shared.u32 [a],%r90; bar.sync 0; ld.shared.f32 %f1,[a+16]; ld.shared.f32 %f2,[a+20];" + keep(2),
       "STS LDS.64"},
  };
}

std::vector<Case> order_cases() {
  return {
      between("store elsewhere", "st.shared.u32 [%r5],%r90;", "STS LDS.64 STS LDS.64"),
      between("store beside", "st.shared.u32 [%r4+32],%r90;", "STS LDS.64 STS LDS.64"),
      between("barrier", "bar.sync 0;", "STS LDS.64 LDS.64"),
      between("warp barrier", "bar.warp.sync -1;", "STS LDS.64 LDS.64"),
      between("fence", "membar.cta;", "STS LDS.64 LDS.64"),
      between("shared atomic", "atom.shared.add.u32 %r31,[%r5],1;", "STS LDS.64 LDS.64"),
      between("generic store", "cvta.global.u64 %rd7,%rd1; st.u32 [%rd7+64],%r90;", "STS LDS.64 LDS.64"),
      between("exact division", "div.rn.f32 %f42,%f40,%f40;", "STS LDS.64 LDS.64"),
      between("exact root", "sqrt.rn.f32 %f42,%f40;", "STS LDS.64 LDS.64"),
      between("fast division", "div.full.f32 %f42,%f40,%f40;", "STS LDS.128"),
      between("shuffle", "shfl.sync.down.b32 %r31,%r90,1,31,-1;", "STS LDS.128"),
      between("global store", "st.global.u32 [%rd1+500],%r90;", "STS LDS.128"),
      between("global atomic", "atom.global.add.u32 %r31,[%rd1+200],1;", "STS LDS.128"),
      {"behind an early return", kArray,
       kSetUp + loads({0, 4}) + keep(2) + "setp.lt.s32 %p1,%r1,%r90; @!%p1 ret;" + loads({8, 12}, "%r4", 3) +
           keep(4),
       "STS LDS.128"},
  };
}

std::vector<Case> store_cases() {
  return {
      {"four", kArray, stores({0, 4, 8, 12}), "STS.128 LDS"},
      {"any order", kArray, stores({4, 8, 0, 12}), "STS.128 LDS"},
      {"three", kArray, stores({0, 4, 8}), "STS.64 STS LDS"},
      {"pairs", kArray, stores({0, 4, 16, 20}), "STS.64 STS.64 LDS"},
      {"pair across", kArray, stores({4, 8}), "STS STS LDS"},
      {"interleaved", kArray, stores({0, 16, 4, 20}), "STS STS STS STS LDS"},
      store_between("nothing between", "", "STS STS.64 LDS"),
      store_between("global store", "st.global.u32 [%rd1+300],%r90;", "STS STS.64 LDS"),
      store_between("load", "ld.shared.u32 %r31,[%r5]; st.global.u32 [%rd1+300],%r31;",
                    "STS STS LDS STS LDS"),
      store_between("other store", "st.shared.u32 [%r4+64],%r90;", "STS STS STS STS LDS"),
      store_between("warp barrier", "bar.warp.sync -1;", "STS STS STS LDS"),
  };
}

std::vector<Case> alignment_cases() {
  const std::string add = "add.s32 %r4,%r3,%r2;";
  return {
      aligned("times 8", "shl.b32 %r2,%r1,3;" + add, "STS LDS.64 LDS.64"),
      aligned("times 4", "shl.b32 %r2,%r1,2;" + add, "STS LDS LDS LDS LDS"),
      aligned("times 48", "mad.lo.s32 %r4,%r1,48,%r3;", "STS LDS.128"),
      aligned("times 12", "mad.lo.s32 %r4,%r1,12,%r3;", "STS LDS LDS LDS LDS"),
      aligned("mask", "and.b32 %r2,%r1,-16;" + add, "STS LDS.128"),
      aligned("mask, then shift", "and.b32 %r2,%r1,1020; shl.b32 %r2,%r2,2;" + add, "STS LDS.128"),
      aligned("sum", "shl.b32 %r2,%r1,2; shl.b32 %r5,%r90,4; add.s32 %r2,%r2,%r5;" + add,
              "STS LDS LDS LDS LDS"),
      aligned("flip bit 4", "shl.b32 %r2,%r1,4; xor.b32 %r2,%r2,16;" + add, "STS LDS.128"),
      aligned("flip bit 2", "shl.b32 %r2,%r1,4; xor.b32 %r2,%r2,4;" + add, "STS LDS LDS LDS LDS"),
      aligned("choice", "setp.lt.s32 %p1,%r1,%r90; selp.b32 %r2,64,8,%p1;" + add, "STS LDS.64 LDS.64"),
      aligned("smaller of two", "shl.b32 %r2,%r1,4; shl.b32 %r5,%r90,4; min.s32 %r2,%r2,%r5;" + add,
              "STS LDS LDS LDS LDS"),
      aligned("a constant in the register", "shl.b32 %r2,%r1,4; or.b32 %r2,%r2,4;" + add, "STS LDS.128 LDS"),
      {"the same sum twice", kArray,
       kSetUp + "add.s32 %r5,%r3,%r2; ld.shared.f32 %f1,[%r4]; ld.shared.f32 %f2,[%r5+4];" + keep(2),
       "STS LDS.64"},
      {"a constant on the way", kArray,
       kSetUp + "add.s32 %r5,%r2,4; add.s32 %r6,%r3,%r5; ld.shared.f32 %f1,[%r4]; ld.shared.f32 %f2,[%r6];" +
           keep(2),
       "STS LDS.64"},
      {"behind an odd array", ".shared .align 4 .b8 b[4100];" + kArray,
       "st.shared.u32 [b],%r90;" + kSetUp + loads({0, 4, 8, 12}) + keep(4), "STS STS LDS LDS LDS LDS"},
  };
}

std::vector<Case> local_cases() {
  const auto local = [](int alignment) {
    return ".local .align " + std::to_string(alignment) + " .b8 l[256];";
  };
  const std::string set_up =
      "and.b32 %r2,%r90,12; shl.b32 %r8,%r2,2; mov.u32 %r3,l; add.s32 %r4,%r3,%r2; add.s32 %r9,%r3,%r8;"
      "st.local.u32 [%r4],%r1; st.local.u32 [%r4+64],%r90;";
  return {
      {"aligned to 16", local(16), set_up + loads({0, 4, 8, 12}, "%r9", 1, "local") + keep(4),
       "STL STL LDL.128"},
      {"at least to 8", local(4), set_up + loads({0, 4, 8, 12}, "%r9", 1, "local") + keep(4),
       "STL STL LDL.64 LDL.64"},
      {"three of four", local(16), set_up + loads({0, 4, 8}, "%r9", 1, "local") + keep(3),
       "STL STL LDL.64 LDL"},
      {"shared store between", local(16) + kArray,
       set_up + loads({0, 4}, "%r9", 1, "local") + "st.shared.u32 [a],%r1;" +
           loads({8, 12}, "%r9", 3, "local") + "ld.shared.f32 %f9,[a+4]; st.global.f32 [%rd1+900],%f9;" +
           keep(4),
       "STL STL LDL.128 STS LDS"},
  };
}

std::string text_of_case(const Case& test) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n) "
         "{\n" +
         test.declarations +
         "\n.reg .pred %p<10>; .reg .b32 %r<100>; .reg .b64 %rd<20>; .reg .f32 %f<50>; .reg .f64 %fd<10>;\n"
         "ld.param.u64 %rd1,[p]; cvta.to.global.u64 %rd1,%rd1; ld.param.u32 %r90,[n]; mov.u32 %r1,%tid.x;\n" +
         test.body + "\nret; }\n";
}

// "LDS.64" and the like, of the leaders in their order.
std::vector<std::string> executed_accesses(const Module& module, const Function& function) {
  std::vector<std::string> names;
  const std::vector<ExecutedAs> executed = as_executed(module, function);
  for (std::uint32_t i = 0; i < executed.size(); ++i) {
    const Form& form = module.form(function.instructions[i]);
    const bool local = form.space == StateSpace::Local;
    if ((form.opcode != Opcode::Ld && form.opcode != Opcode::St) ||
        (form.space != StateSpace::Shared && !local))
      continue;
    EXPECT_LE(executed[i].leader, i);
    if (executed[i].leader != i) continue;
    std::string name = std::string(form.opcode == Opcode::Ld ? "LD" : "ST") + (local ? "L" : "S");
    const bool sign = is_signed(form.type());
    if (executed[i].bytes == 16) name += ".128";
    if (executed[i].bytes == 8) name += ".64";
    if (executed[i].bytes == 2) name += sign ? ".S16" : ".U16";
    if (executed[i].bytes == 1) name += sign ? ".S8" : ".U8";
    names.push_back(name);
  }
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void expect_cases(const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    const Result<Module> module = parse(text_of_case(test));
    ASSERT_TRUE(module) << test.name << ": " << module.error().text();
    EXPECT_EQ(joined(executed_accesses(*module, module->functions[0])), test.expected) << test.name;
  }
}

TEST(AsExecuted, WhichLoadsJoin) {
  expect_cases(load_cases());
}
TEST(AsExecuted, WhatKeepsLoadsApart) {
  expect_cases(order_cases());
}
TEST(AsExecuted, WhichStoresJoin) {
  expect_cases(store_cases());
}
TEST(AsExecuted, KnownAlignment) {
  expect_cases(alignment_cases());
}
TEST(AsExecuted, LocalMemory) {
  expect_cases(local_cases());
}

TEST(AsExecuted, WhereTheWideAccessStarts) {
  const Result<Module> module = parse(text_of_case(load_case("", {12, 4, 8}, "")));
  ASSERT_TRUE(module);
  const std::vector<ExecutedAs> executed = as_executed(*module, module->functions[0]);
  const auto first =
      std::find_if(executed.begin(), executed.end(), [](const ExecutedAs& e) { return e.bytes == 16; });
  ASSERT_NE(first, executed.end());
  EXPECT_EQ(first->offset, -12);
}

// A loop whose pointer moves on by 16 stays aligned; one that moves by 8 does not. (ptxas unrolls such loops,
// so that only the widths can be compared with it.)
TEST(AsExecuted, LoopCounters) {
  const auto loop = [](int step) {
    return Case{"", kArray,
                "mov.u32 %r4,a; mov.u32 %r50,0; L:" + loads({0, 4, 8, 12}) + keep(4) + "add.s32 %r4,%r4," +
                    std::to_string(step) + "; add.s32 %r50,%r50,1; setp.lt.s32 %p2,%r50,%r90; @%p2 bra L;",
                step == 16 ? "LDS.128" : "LDS.64 LDS.64"};
  };
  expect_cases({loop(16), loop(8)});
}

TEST(AsExecuted, BranchesAndUnknownCodeDoNotBreakIt) {
  expect_cases({
      {"one side only", kArray,
       kSetUp + "setp.eq.s32 %p1,%r1,7; @%p1 bra X;" + loads({0}) + "bra Y; X:" + loads({4}, "%r4", 2) +
           "Y:" + keep(2),
       "STS LDS LDS"},
      {"in a loop and in front of it", kArray,
       kSetUp + loads({0}) + "mov.u32 %r50,0; L:" + loads({4}, "%r4", 2) + keep(2) +
           "add.s32 %r50,%r50,1; setp.lt.s32 %p2,%r50,%r90; @%p2 bra L;",
       "STS LDS LDS"},
      {"unknown instruction", kArray,
       kSetUp + loads({0, 4}) + "frobnicate.sync;" + loads({8, 12}, "%r4", 3) + keep(4), "STS LDS.64 LDS.64"},
  });
}

TEST(SharedLayout, OwnFirstThenTheModulesThenTheExternArray) {
  const Result<Module> module = parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 4 .b8 x[];.shared .align 4 .b8 "
      "c[20];"
      ".shared .align 4 .b8 unused[64];.shared .align 4 .b8 d[36];\n.func f() { st.shared.u32 [d], 1; ret; "
      "}\n"
      ".entry k() { .shared .align 4 .b8 a[100]; .shared .align 16 .b8 b[60];\n"
      "st.shared.u32 [b],1; st.shared.u32 [a],1; st.shared.u32 [c],1; st.shared.u32 [x],1; call f; ret; }\n");
  ASSERT_TRUE(module) << module.error().text();
  const SharedLayout layout = shared_layout(*module, *module->find_function("k"));
  EXPECT_EQ(layout.address.at("a"), 0u);
  EXPECT_EQ(layout.address.at("b"), 112u);
  EXPECT_EQ(layout.address.at("c"), 172u);
  EXPECT_EQ(layout.address.at("d"), 192u);
  EXPECT_EQ(layout.static_bytes, 240u);  // 228, and up to where the extern array begins
  EXPECT_EQ(layout.dynamic_address, 240u);
  EXPECT_EQ(layout.address.at("x"), 240u);
  EXPECT_FALSE(layout.address.contains("unused"));
}

TEST(AsExecuted, OfAFunctionPointerHalfIsLoaded) {
  const auto bytes = [](const std::string& use) {
    const Result<Module> module = parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) { .reg .b64 %rd<4>;\n"
        "P: .callprototype _ ();\n"
        "ld.param.u64 %rd1, [p]; ld.global.u64 %rd2, [%rd1];\n" +
        use + "ret; }\n");
    EXPECT_TRUE(module) << module.error().text();
    return as_executed(*module, module->functions.front())[1].bytes;
  };
  EXPECT_EQ(bytes("call %rd2, P;\n"), 4);
  EXPECT_EQ(bytes("st.global.u64 [%rd1+8], %rd2; call %rd2, P;\n"), 8);
  EXPECT_EQ(bytes("st.global.u64 [%rd1+8], %rd2;\n"), 8);
}

TEST(AsExecuted, PtxasAgrees) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "ptxas is not installed";
  const auto folder =
      std::filesystem::temp_directory_path() / ("warplens_executed_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  std::vector<std::pair<std::string, const char*>> expected;
  for (const auto& group : {load_cases(), order_cases(), store_cases(), alignment_cases(), local_cases()}) {
    for (const Case& test : group) {
      std::string one = text_of_case(test);
      const std::string name = "k" + std::to_string(expected.size());
      one = one.substr(one.find(".visible"));
      one.replace(one.find("entry k"), 7, "entry " + name);
      text += one;
      expected.emplace_back(test.name, test.expected);
    }
  }
  const std::string ptx = folder / "all.ptx", cubin = folder / "all.cubin";
  ASSERT_TRUE(write_text(ptx, text));
  ASSERT_EQ(std::system(("ptxas -arch=sm_90 '" + ptx + "' -o '" + cubin + "'").c_str()), 0);
  std::map<std::string, AccessCounts> found = cubin_accesses(cubin);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    AccessCounts wanted;
    std::istringstream words(expected[i].second);
    for (std::string word; words >> word;) ++wanted[word];
    EXPECT_EQ(found["k" + std::to_string(i)], wanted) << expected[i].first;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace warplens::ptx
