// The machine code that ptxas writes, read back: right lines, widths, guards and targets, and never a byte
// outside of the file, whatever it holds.
#include "engine/source/cubin.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "engine/base/assets.h"
#include "engine/source/compile.h"
#include "engine/source/private_folder.h"
#include "engine/source/toolchain.h"
#include "engine/source/workroom.h"

namespace warplens::source {
namespace {

using ptx::MachineInstruction;
using ptx::MachineOp;
using ptx::StateSpace;

constexpr const char* kPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 n)
{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<8>;
  .shared .align 16 .b8 tile[512];
  ld.param.u64 %rd1, [a];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra END;
  mul.wide.u32 %rd2, %r2, 16;
  add.s64 %rd3, %rd1, %rd2;
LOOP:
  ld.volatile.global.u16 %r3, [%rd3];
  st.volatile.shared.u32 [tile], %r3;
  bar.sync 0;
  setp.ne.u32 %p2, %r3, 7;
  @%p2 bra LOOP;
  st.global.v4.u32 [%rd3], {%r1, %r1, %r2, %r2};
END:
  ret;
}
)";

std::vector<std::uint8_t> cubin_of(const std::string& ptx, const std::string& target = "sm_90") {
  const Toolchain tools = find_toolchain(SearchPlaces::from_environment());
  const auto room = Workroom::open();
  EXPECT_TRUE(write_text((*room)->folder() / "k.ptx", ptx));
  const auto done =
      (*room)->run({tools.ptxas.path, "-lineinfo", "-arch=" + target, "k.ptx", "-o", "k.cubin"}, {});
  EXPECT_TRUE(done && done->status == 0);
  const auto bytes = read_text((*room)->folder() / "k.cubin");
  EXPECT_TRUE(bytes);
  return {bytes->begin(), bytes->end()};
}

class Cubin : public testing::Test {
 protected:
  void SetUp() override {
    if (find_toolchain(SearchPlaces::from_environment()).ptxas.path.empty())
      GTEST_SKIP() << "ptxas is not installed";
    bytes_ = cubin_of(kPtx);
  }
  std::vector<std::uint8_t> bytes_;
};

// kPtx for a target of its own; the lines are the same.
std::string ptx_for(const std::string& target) {
  std::string out = kPtx;
  out.replace(out.find("sm_90"), 5, target);
  out.replace(out.find("8.0"), 3, "8.8");
  return out;
}

// What the listing of kPtx says, whatever target it is for.
void expect_known_code(const std::vector<MachineInstruction>& code) {
  const auto at = [&](int line, MachineOp op) {
    std::vector<MachineInstruction> found;
    for (const MachineInstruction& i : code)
      if (i.line == line && i.op == op) found.push_back(i);
    return found;
  };
  ASSERT_EQ(at(12, MachineOp::Exit).size(), 1u);
  EXPECT_TRUE(at(12, MachineOp::Exit)[0].guarded);
  ASSERT_EQ(at(16, MachineOp::Load).size(), 1u);
  EXPECT_EQ(at(16, MachineOp::Load)[0].space, StateSpace::Global);
  EXPECT_EQ(at(16, MachineOp::Load)[0].bytes, 2);
  ASSERT_EQ(at(17, MachineOp::Store).size(), 1u);
  EXPECT_EQ(at(17, MachineOp::Store)[0].space, StateSpace::Shared);
  EXPECT_EQ(at(17, MachineOp::Store)[0].bytes, 4);
  EXPECT_EQ(at(18, MachineOp::Barrier).size(), 1u);
  ASSERT_EQ(at(21, MachineOp::Store).size(), 1u);
  EXPECT_EQ(at(21, MachineOp::Store)[0].bytes, 16);
  // Back to the loop's first instruction, in front of the load.
  const auto branches = at(20, MachineOp::Branch);
  ASSERT_EQ(branches.size(), 1u);
  EXPECT_TRUE(branches[0].guarded);
  std::size_t load = 0;
  while (code[load].line != 16 || code[load].op != MachineOp::Load) ++load;
  EXPECT_LE(branches[0].target, load);
  EXPECT_GT(branches[0].target + 6, load);
}

TEST_F(Cubin, SaysWhatEachLineBecame) {
  const auto listing = read_cubin(bytes_);
  ASSERT_TRUE(listing) << listing.error().text();
  ASSERT_EQ(listing->functions.size(), 1u);
  EXPECT_EQ(listing->functions[0].name, "k");
  const auto& code = listing->functions[0].instructions;
  expect_known_code(code);
  // Every kernel loads the top of its stack first, from where the block's shape stands; parameters begin at
  // byte 0x210.
  EXPECT_EQ(code[0].parameter, ptx::ParameterRead::Loaded);
  EXPECT_EQ(code[0].constant_line, 0);
  EXPECT_TRUE(std::ranges::any_of(code, [](const MachineInstruction& i) {
    return i.parameter == ptx::ParameterRead::Immediate && i.constant_line == 8;
  }));
  // What is stored in shared memory waits for the scoreboard that the load in front of it holds.
  const auto of = [&](MachineOp op, int line) {
    return std::ranges::find_if(code,
                                [&](const MachineInstruction& i) { return i.op == op && i.line == line; });
  };
  const auto load = of(MachineOp::Load, 16), store = of(MachineOp::Store, 17);
  ASSERT_TRUE(load != code.end() && store != code.end());
  ASSERT_LT(load->schedule.holds, ptx::MachineSchedule::kScoreboards);
  const auto waits = std::ranges::find_if(load + 1, code.end(), [&](const MachineInstruction& i) {
    return (i.schedule.waits >> load->schedule.holds & 1) != 0;
  });
  EXPECT_LE(waits, store);
  EXPECT_TRUE(std::ranges::all_of(code, [](const MachineInstruction& i) { return i.schedule.known(); }));
}

// Branches and relocations are written otherwise before 9.0.
TEST_F(Cubin, OlderTargetsAreReadAsWell) {
  for (const std::string target : {"sm_80", "sm_86", "sm_89"}) {
    SCOPED_TRACE(target);
    const auto listing = read_cubin(cubin_of(ptx_for(target), target));
    ASSERT_TRUE(listing) << listing.error().text();
    ASSERT_EQ(listing->functions.size(), 1u);
    expect_known_code(listing->functions[0].instructions);
  }
}

// Which branch of the PTX is meant cannot be told there.
TEST_F(Cubin, OtherTargetsAreLeftToTheRules) {
  for (const std::string target : {"sm_75", "sm_100"}) {
    const auto listing = read_cubin(cubin_of(ptx_for(target), target));
    ASSERT_TRUE(listing) << listing.error().text();
    EXPECT_TRUE(listing->functions.empty()) << target;
  }
}

TEST_F(Cubin, AFileCutShortIsAnErrorOrLess) {
  for (std::size_t size = 0; size < bytes_.size(); size += 1 + size / 64)
    (void)read_cubin(std::span(bytes_).first(size));
  EXPECT_FALSE(read_cubin({}));
  EXPECT_FALSE(read_cubin(std::span(bytes_).first(63)));
  EXPECT_FALSE(read_cubin(std::span(bytes_).first(bytes_.size() / 2)));
}

TEST_F(Cubin, ChangedBytesNeverLeadOutside) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    auto changed = bytes_;
    for (int i = 0; i < 1 + round % 8; ++i) {
      // Half of them where the headers are.
      const std::size_t from = i % 2 == 0 ? 0 : changed.size() - changed.size() / 4;
      changed[from + random() % (changed.size() - from)] = static_cast<std::uint8_t>(random());
    }
    const auto listing = read_cubin(changed);
    if (!listing) continue;
    for (const ptx::MachineFunction& function : listing->functions)
      for (const MachineInstruction& instruction : function.instructions)
        ASSERT_TRUE(instruction.target == MachineInstruction::kNowhere ||
                    instruction.target < function.instructions.size());
  }
}

// A function that two kernels call stands in both; one copy is enough. ptxas's own routines are left out.
TEST_F(Cubin, FunctionsAreListedOnce) {
  const std::string ptx =
      R"(.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 out) f(.param .b32 in)
{
  .reg .f32 %f<4>;
  ld.param.f32 %f1, [in];
  div.rn.f32 %f2, %f1, 0f40490FDB;
  sqrt.rn.f32 %f3, %f2;
  st.param.f32 [out], %f3;
  ret;
}
)" + std::string(".visible .entry a(.param .u64 p)\n") +
      "{\n.reg .f32 %f<4>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\nld.global.f32 %f1, "
      "[%rd1];\n{ .param .b32 x; .param .b32 y;\nst.param.f32 [x], %f1;\ncall.uni (y), f, "
      "(x);\nld.param.f32 %f2, [y]; }\nst.global.f32 [%rd1], %f2;\nret;\n}\n";
  std::string two = ptx;
  two += ptx.substr(ptx.find(".visible"));
  two.replace(two.rfind("entry a"), 7, "entry b");
  const auto listing = read_cubin(cubin_of(two));
  ASSERT_TRUE(listing) << listing.error().text();
  std::vector<std::string> names;
  for (const auto& function : listing->functions) {
    names.push_back(function.name);
    // Beside a kernel stand the function and the slow paths of a division and a root, each of some 30 to 100
    // instructions; beside a function nothing is said to stand.
    if (function.name == "f")
      EXPECT_EQ(function.others, 0u);
    else
      EXPECT_GT(function.others, 100u) << function.name;
  }
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "f"}));
}

// What is kept in the cache gives the same as the first time.
TEST_F(Cubin, AssembleGivesTheSameFromItsCache) {
  const auto folder = PrivateFolder::make();
  ASSERT_TRUE(folder);
  const char* const before = std::getenv("WARPLENS_CACHE");
  const std::string restore = before == nullptr ? "" : before;
  ::setenv("WARPLENS_CACHE", folder->path().c_str(), 1);
  const auto first = assemble(kPtx, "sm_90"), second = assemble(kPtx, "sm_90");
  before == nullptr ? ::unsetenv("WARPLENS_CACHE") : ::setenv("WARPLENS_CACHE", restore.c_str(), 1);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->machine.functions.empty());
  EXPECT_EQ(first->machine, second->machine);
  ASSERT_EQ(first->kernels.size(), 1u);
  EXPECT_EQ(first->kernels[0].registers, second->kernels.at(0).registers);
  // Another architecture's code is not what the counts follow.
  const auto other = assemble(kPtx, "sm_100");
  EXPECT_TRUE(!other || other->machine.functions.empty());
}

}  // namespace
}  // namespace warplens::source
