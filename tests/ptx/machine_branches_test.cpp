// Which branches the machine executes, told by small listings of machine code. How well the suite's kernels
// agree with an H200 is counted in tests/conformance.
#include "engine/ptx/machine/machine_branches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "engine/ptx/facts/machine_blocks.h"
#include "engine/ptx/lowering/lowering.h"
#include "engine/ptx/machine/machine_weights.h"
#include "engine/ptx/syntax/parser.h"

namespace warplens::ptx {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A kernel k whose body begins in line 10, with the machine code of `listing`.
Module listed_kernel(const std::string& body, const std::string& listing) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func routine ();\n.func own () { ret; }\n"
      ".visible .entry k()\n{\n.reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .f32 %f<40>;\n\n" +
      body + "ret;\n}\n";
  auto module = parse(text);
  EXPECT_TRUE(module) << module.error().text();
  const auto parsed = parse_listing(listing);
  EXPECT_TRUE(parsed) << parsed.error().text();
  attach(*parsed, *module);
  return std::move(*module);
}

const Function& k_of(const Module& module) {
  return *module.find_function("k");
}

// Of the PTX line: B branches, E exit, - none.
char form_of(const Module& module, int line) {
  const ExecutedBranches found = lower(module, k_of(module)).branches;
  for (std::size_t i = 0; i < found.forms.size(); ++i)
    if (k_of(module).instructions[i].line == line)
      return found.forms[i] == BranchForm::Branches ? 'B' : found.forms[i] == BranchForm::Leaves ? 'E' : '-';
  return '?';
}

// PTX lines that are executed as often as a branch that no PTX has.
std::vector<int> added_lines(const Module& module) {
  std::vector<int> lines;
  const ExecutedBranches found = lower(module, k_of(module)).branches;
  for (const std::uint32_t i : found.jump_after) lines.push_back(k_of(module).instructions[i].line);
  return lines;
}

const std::string kSkip = R"(setp.lt.s32 %p1, %r1, 1;
@%p1 bra L;
st.global.u32 [%rd1], %r1;
L:
st.global.u32 [%rd1+4], %r1;
)";

TEST(MachineBranches, ABranchIsOneWhereTheMachineHasOne) {
  EXPECT_EQ(form_of(listed_kernel(kSkip, "k 10 11B@>3 12SG4 14SG4 15E"), 11), 'B');
  EXPECT_EQ(form_of(listed_kernel(kSkip, "k 10 12SG4@ 14SG4 15E"), 11), '-');
  EXPECT_EQ(form_of(listed_kernel(kSkip, "k 10 11E@ 12SG4 14SG4 15E"), 11), 'E');
}

TEST(MachineBranches, OneMadeOfTheComparisonIsTheBranchOfIt) {
  const Module module = listed_kernel(kSkip, "k 10 10B@>3 12SG4 14SG4 15E");
  EXPECT_EQ(form_of(module, 11), 'B');
  EXPECT_THAT(added_lines(module), IsEmpty());
}

TEST(MachineBranches, AJumpBehindABranchCanBeTheBranchTurnedRound) {
  const Module module = listed_kernel(R"(setp.lt.s32 %p1, %r1, 1;
@%p1 bra A;
bra.uni B;
A:
st.global.u32 [%rd1], %r1;
B:
st.global.u32 [%rd1+4], %r1;
)",
                                      "k 10 12B@>3 14SG4 16SG4 17E");
  EXPECT_EQ(form_of(module, 11), 'B');
  EXPECT_EQ(form_of(module, 12), '-');
}

// Whichever of its questions ptxas names for a table, the first is the branch, and the others lead on.
TEST(MachineBranches, ATableIsTheBranchOfItsFirstQuestion) {
  const std::string questions = R"(setp.eq.s32 %p1, %r1, 1;
@%p1 bra ONE;
setp.eq.s32 %p2, %r1, 2;
@%p2 bra TWO;
red.global.add.u32 [%rd1], 5;
bra.uni END;
ONE:
red.global.add.u32 [%rd1], 3;
bra.uni END;
TWO:
red.global.add.u32 [%rd1], 4;
END:
st.global.u32 [%rd1], %r1;
)";
  const Module table = listed_kernel(questions, "k 10 12T 14RG4 15B>6 17RG4 18B>6 20RG4 22SG4 23E");
  EXPECT_EQ(form_of(table, 11), 'B');
  EXPECT_EQ(form_of(table, 13), '-');
  EXPECT_THAT(lower(table, k_of(table)).branches.further_questions, ElementsAre(3));
  const Module two = listed_kernel(questions, "k 10 11B@>5 13B@>7 14RG4 15B>8 17RG4 18B>8 20RG4 22SG4 23E");
  EXPECT_EQ(form_of(two, 13), 'B');
  EXPECT_THAT(lower(two, k_of(two)).branches.further_questions, IsEmpty());
}

// The test and the way back from the routine are made of the same instruction; the latter is not executed.
TEST(MachineBranches, ADivisionsTestCountsAndItsSlowPathDoesNot) {
  const Module module = listed_kernel("sqrt.rn.f32 %f1, %f2;\nst.global.f32 [%rd1], %f1;\n",
                                      "k 10 10B@>4 10F 10B>5 10 11SG4 12E");
  EXPECT_THAT(added_lines(module), ElementsAre(10));
}

TEST(MachineBranches, AJumpOfTheLayoutRunsAsOftenAsItsBlock) {
  const Module module = listed_kernel(R"(setp.lt.s32 %p1, %r1, 1;
@%p1 bra A;
st.global.u32 [%rd1], %r1;
bra.uni M;
A:
st.global.u32 [%rd1+4], %r1;
M:
add.s32 %r2, %r1, 5;
st.global.u32 [%rd1+8], %r2;
)",
                                      "k 10 11B@>4 12SG4 17B>5 15SG4 18SG4 19E");
  EXPECT_THAT(added_lines(module), ElementsAre(12));
  EXPECT_EQ(form_of(module, 13), '-');
}

TEST(MachineBranches, AJumpToItselfBehindTheEndIsNone) {
  EXPECT_THAT(added_lines(listed_kernel(kSkip, "k 10 11B@>3 12SG4 14SG4 15E 10B>5")), IsEmpty());
}

TEST(MachineBranches, ATestOfPresenceRunsAsOftenAsItsShuffle) {
  const Module module = listed_kernel("shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\nst.global.u32 [%rd1], %r2;\n",
                                      "k 11D>4 10H 11SG4 12E 10H 10B>2");
  EXPECT_THAT(added_lines(module), ElementsAre(10));
}

TEST(AddedBranches, ACallIsTwoAndOneOfTheSystemOne) {
  const Module module = listed_kernel("call.uni own, ();\ncall.uni routine, ();\n", "");
  EXPECT_THAT(lower(module, k_of(module)).added_branches, ElementsAre(2, 1, 0));
}

// A block without stores is told by one that it always runs together with, but not by the body of its loop.
TEST(MachineBlocks, RunAsOftenAsWhatTheyRunTogetherWith) {
  const Module module = listed_kernel(R"(st.global.u32 [%rd1], %r1;
LOOP:
atom.global.add.u32 %r3, [%rd1], %r1;
setp.lt.s32 %p1, %r3, 1;
@%p1 bra LOOP;
add.s32 %r2, %r1, 5;
)",
                                      "k 10SG4 12AG4 13 14B@>1 15 15B@>7 15 15 16E");
  const MachineBlocks found = machine_blocks(module, k_of(module));
  std::vector<int> lines;
  for (const MachineBlock& block : found.blocks)
    lines.push_back(block.runs_as == kNone ? 0 : k_of(module).instructions[block.runs_as].line);
  EXPECT_THAT(lines, ElementsAre(10, 12, 10, 0, 10));
  EXPECT_THAT(found.blocks[1].successors, ElementsAre(1, 2));
}

// A predicated store runs with the lanes of the block that holds it, not with those of its own part.
TEST(MachineBlocks, APredicatedPartTellsNothing) {
  const Module module = listed_kernel(kSkip, "k 10 12SG4@ 14SG4 15E");
  EXPECT_EQ(k_of(module).instructions[machine_blocks(module, k_of(module)).blocks[0].runs_as].line, 14);
}

double weight_of(const Module& module, int line) {
  const std::vector<double> weights = machine_weights(module, k_of(module)).of_instruction;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (k_of(module).instructions[i].line == line) return weights[i];
  return -1;
}

TEST(MachineInstructions, BlocksWeighWhatTheyHold) {
  const Module module = listed_kernel(kSkip, "k 10 10 11B@>4 12SG4 14SG4 15E");
  EXPECT_EQ(weight_of(module, 11), 3);  // up to the branch
  EXPECT_EQ(weight_of(module, 12), 1);
  EXPECT_EQ(weight_of(module, 14), 2);  // with the EXIT
  EXPECT_EQ(weight_of(module, 10), 0);
}

TEST(MachineInstructions, CopiesShareTheirExecutions) {
  const Module module =
      listed_kernel("LOOP:\nst.global.u32 [%rd1], %r1;\nsetp.lt.s32 %p1, %r1, 1;\n@%p1 bra LOOP;\n",
                    "k 11SG4 11SG4 12 13B@>0 14E");
  EXPECT_EQ(weight_of(module, 11), 2);  // four instructions for two turns
}

// An atomic is made of a vote, a shuffle and itself: that is one copy.
TEST(MachineInstructions, PartsOfOneInstructionAreNoCopies) {
  const Module module = listed_kernel("atom.global.add.u32 %r2, [%rd1], %r1;\nst.global.u32 [%rd1], %r2;\n",
                                      "k 10V 10 10AG4@ 10H 11SG4 12E");
  EXPECT_EQ(weight_of(module, 11) + weight_of(module, 10), 6);
}

// What a predicated part was made of does not say how often its block runs.
TEST(MachineBlocks, AreMostlyWhatAllLanesExecute) {
  const Module module = listed_kernel(kSkip, "k 10 11B@>5 12@ 12@ 14 12@ 15E");
  const std::uint32_t mostly = machine_blocks(module, k_of(module)).blocks[1].mostly;
  EXPECT_EQ(k_of(module).instructions[mostly].line, 14);
}

// Each of the groups that parted executes the BSYNC.
TEST(MachineInstructions, LanesThatPartedMeetOneGroupAfterTheOther) {
  const Module module = listed_kernel(kSkip, "k 10 10P>5 11B@>4 12SG4 11Y 14SG4 15E");
  const MachineWeights weights = machine_weights(module, k_of(module));
  for (std::size_t i = 0; i < weights.of_parting.size(); ++i)
    EXPECT_EQ(weights.of_parting[i], k_of(module).instructions[i].line == 11 ? 1 : 0) << i;
}

TEST(MachineInstructions, SlowPathsWeighNothing) {
  const Module module =
      listed_kernel("sqrt.rn.f32 %f1, %f2;\nst.global.f32 [%rd1], %f1;\n", "k 10 10B@>4 10F 10B>4 11SG4 12E");
  const std::vector<double> weights = machine_weights(module, k_of(module)).of_instruction;
  EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0.0), 4);
}

TEST(MachineBlocks, AreNoneWithoutMachineCode) {
  const Module module = listed_kernel(kSkip, "");
  EXPECT_THAT(machine_blocks(module, k_of(module)).blocks, IsEmpty());
}

}  // namespace
}  // namespace warplens::ptx
