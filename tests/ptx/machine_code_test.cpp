// The machine code as data: its printed form, where it is put, and that every rule asks it first. The
// listings here are small; the suite's (tests/conformance/machine) are those of ptxas 13.0.
#include "engine/ptx/syntax/machine_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/base/assets.h"
#include "engine/ptx/facts/unrolled_loops.h"
#include "engine/ptx/lowering/lowering.h"
#include "engine/ptx/rules/spills.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/support/places.h"

namespace warplens::ptx {
namespace {

using testing::HasSubstr;

// A kernel k whose body begins in line 10.
Module kernel_at_ten(const std::string& body, const std::string& before = "") {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n" + before +
                     "\n.visible .entry k()\n{\n" +
                     ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .f32 %f<40>;\n" +
                     ".local .align 16 .b8 depot[64];\n\n" + body + "ret;\n}\n";
  auto module = parse(text);
  EXPECT_TRUE(module) << module.error().text();
  return std::move(*module);
}

void follow(const std::string& listing, Module& module) {
  const auto parsed = parse_listing(listing);
  ASSERT_TRUE(parsed) << parsed.error().text();
  attach(*parsed, module);
}

TEST(MachineCode, ThePrintedFormReadsBackAsTheSame) {
  MachineListing listing;
  listing.functions.push_back({"k", {}});
  auto& code = listing.functions.back().instructions;
  for (int op = 0; op <= static_cast<int>(MachineOp::Vote); ++op) {
    MachineInstruction instruction;
    instruction.op = static_cast<MachineOp>(op);
    instruction.line = 10 + op;
    instruction.guarded = op % 2 == 1;
    if (instruction.op >= MachineOp::Load && instruction.op <= MachineOp::UniformConstant) {
      instruction.space = op % 2 == 0 ? StateSpace::Shared : StateSpace::Global;
      instruction.bytes = static_cast<std::uint8_t>(1 << (op % 5));
    }
    if (instruction.op == MachineOp::Branch) instruction.target = 3;
    if (op % 3 == 1)
      instruction.schedule = MachineSchedule::of(1 + op % 15, op % 64, op % 8, (op + 1) % 8, op % 2 == 0);
    code.push_back(instruction);
  }
  MachineInstruction loads;
  loads.parameter = ParameterRead::Loaded;
  loads.line = 40;
  code.push_back(loads);
  MachineInstruction reads;
  reads.guarded = true;
  reads.parameter = ParameterRead::Immediate;
  reads.constant_line = 12;
  reads.line = 41;
  code.push_back(reads);
  for (int pipe = 0; pipe <= static_cast<int>(MachinePipe::Sync); ++pipe) {
    MachineInstruction instruction;
    instruction.line = 50 + pipe;
    instruction.pipe = static_cast<MachinePipe>(pipe);
    instruction.guarded = pipe % 2 == 1;
    code.push_back(instruction);
  }
  listing.functions.front().others = 90;
  listing.functions.push_back({"empty", {}});
  const auto back = parse_listing(print(listing));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(*back, listing);
}

TEST(MachineCode, TextThatIsNoListingIsRefusedWithItsLine) {
  for (const char* bad :
       {"k 12 x",    "k 12LQ4",   "k 12L",     "k 12B>",  "k 12LG4 13LG444", "k -",      "k 12B>7",
        "k 12/z+4",  "k 12LG4/a", "k 12+0",    "k 12+16", "k 12y",           "k 12+4yy", "k 12+4m1y",
        "k 12+4m64", "k 12+4h6",  "k 12p1024", "k #",     "k #9x",           "k 12 #9"})
    EXPECT_FALSE(parse_listing(bad)) << bad;
  const auto second = parse_listing("k 1 2\nf 3 huh\n");
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("line 2"));
  EXPECT_THAT(second.error().message, HasSubstr("huh"));
}

TEST(MachineCode, SaysHowEachInstructionWaits) {
  const auto listing = parse_listing("k 12LG4+2h3 13/i+15ym8r0 14");
  ASSERT_TRUE(listing) << listing.error().text();
  const auto& code = listing->functions.front().instructions;
  ASSERT_EQ(code.size(), 3u);
  EXPECT_EQ(code[0].schedule, MachineSchedule::of(2, 0, 3, MachineSchedule::kNone));
  EXPECT_EQ(code[0].pipe, MachinePipe::Unknown);
  EXPECT_EQ(code[1].schedule, MachineSchedule::of(15, 1 << 3, MachineSchedule::kNone, 0, true));
  EXPECT_EQ(code[1].pipe, MachinePipe::FmaHeavy);
  EXPECT_FALSE(code[2].schedule.known());
}

TEST(MachineCode, EveryListingOfTheSuiteFitsItsModule) {
  const auto suite = std::filesystem::path(tests::source_dir()) / "tests/conformance";
  int functions = 0;
  for (const auto& entry : std::filesystem::directory_iterator(suite / "machine")) {
    const auto listing = read_text(entry.path());
    ASSERT_TRUE(listing);
    const auto ptx = read_text(suite / "ptx" / entry.path().filename().replace_extension(".ptx"));
    ASSERT_TRUE(ptx) << entry.path();
    auto module = parse(*ptx);
    ASSERT_TRUE(module);
    follow(*listing, *module);
    for (const Function& function : module->functions) {
      if (!function.is_entry) continue;
      ++functions;
      EXPECT_FALSE(function.machine.empty()) << function.name;
      // Each access that the machine makes bears the line of an instruction of this module.
      for (const MachineInstruction& machine : function.machine)
        EXPECT_TRUE(machine.space == StateSpace::None || machine.line != 0) << function.name;
    }
  }
  EXPECT_GT(functions, 800);
}

TEST(MachineCode, TellsWhichAccessesAreJoined) {
  const std::string body =
      "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd1+4];\nld.global.f32 %f3, [%rd1+8];\n";
  Module module = kernel_at_ten(body);
  const int line = module.functions[0].instructions[0].line;
  // The wide load bears the second line; the third stays alone.
  follow("k " + std::to_string(line + 1) + "LG8 " + std::to_string(line + 2) + "LG4", module);
  const auto executed = lower(module, module.functions[0]).accesses;
  EXPECT_EQ(executed[0].leader, 1u);
  EXPECT_EQ(executed[1].leader, 1u);
  EXPECT_EQ(executed[1].bytes, 8);
  EXPECT_EQ(executed[1].offset, -4);
  EXPECT_EQ(executed[2].leader, 2u);
  EXPECT_EQ(executed[2].bytes, 4);
}

TEST(MachineCode, TellsThatAnArrayLivesInRegisters) {
  const std::string body =
      "st.local.u32 [depot], %r1;\nst.local.u32 [depot+4], %r1;\nld.local.u32 %r2, [%rd1];\n";
  Module module = kernel_at_ten(body);
  const int line = module.functions[0].instructions[0].line;
  follow("k " + std::to_string(line) + "SL4 " + std::to_string(line + 2), module);
  const auto executed = lower(module, module.functions[0]).accesses;
  EXPECT_FALSE(executed[0].dropped);
  EXPECT_TRUE(executed[1].dropped);
  EXPECT_TRUE(executed[2].dropped);
}

TEST(MachineCode, TellsWhichPartOfAVectorIsLoaded) {
  Module module =
      kernel_at_ten("ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];\nst.shared.v2.f32 [%r1], {%f3,%f4};\n");
  const int line = module.functions[0].instructions[0].line;
  follow("k " + std::to_string(line) + "LG8 " + std::to_string(line + 1) + "SS8", module);
  const auto executed = lower(module, module.functions[0]).accesses;
  EXPECT_EQ(executed[0].bytes, 8);
  EXPECT_EQ(executed[0].offset, 8);
}

// A double that is spilled beside the load of a float makes no wide load of it.
TEST(MachineCode, ASpillIsNoAccessOfItsNeighbour) {
  Module module = kernel_at_ten("ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd2], %f1;\n");
  const std::string line = std::to_string(module.functions[0].instructions[0].line);
  follow("k " + line + "LG4 " + line + "LL8", module);
  EXPECT_EQ(lower(module, module.functions[0]).accesses[0].bytes, 4);
}

// Elsewhere than in local memory ptxas may have put two accesses into one that bears the other's line.
TEST(MachineCode, AnAccessThatItDoesNotHoldFollowsTheRules) {
  Module module = kernel_at_ten("st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd2], %r1;\n");
  const int line = module.functions[0].instructions[0].line;
  follow("k " + std::to_string(line) + "SG4", module);
  const auto executed = lower(module, module.functions[0]).accesses;
  EXPECT_EQ(executed[1].leader, 1u);
  EXPECT_EQ(executed[1].bytes, 4);
  EXPECT_FALSE(executed[1].dropped);
}

TEST(MachineCode, SevenCopiesAreAnUnrolledLoop) {
  const std::string body =
      "LOOP:\nld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\nadd.s32 %r1, %r1, -1;\n"
      "setp.ne.s32 %p1, %r1, 0;\n@%p1 bra LOOP;\n";
  const Module bare = kernel_at_ten(body);
  const std::string load = std::to_string(bare.functions[0].instructions[0].line) + "LG4";
  const auto loops = [&](int copies) {
    Module module = bare;
    std::string listing = "k";
    for (int i = 0; i < copies; ++i) listing += " " + load;
    follow(listing, module);
    return unrolled_loops(module, module.functions[0]).size();
  };
  EXPECT_EQ(unrolled_loops(bare, bare.functions[0]).size(), 1u) << "what the rule says";
  EXPECT_EQ(loops(1), 0u);
  EXPECT_EQ(loops(7), 1u);
}

// An if inside of the loop: the rules know loops of one block alone.
TEST(MachineCode, LoopsOfSeveralBlocksAreUnrolledToo) {
  const std::string body =
      "LOOP:\nld.global.u32 %r2, [%rd1];\nsetp.eq.s32 %p2, %r2, %r3;\n@%p2 bra NEXT;\nadd.s32 %r4, %r4, "
      "%r2;\n"
      "NEXT:\nadd.s32 %r1, %r1, -1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra LOOP;\n";
  Module module = kernel_at_ten(body);
  EXPECT_TRUE(unrolled_loops(module, module.functions[0]).empty());
  std::string listing = "k";
  for (int i = 0; i < 7; ++i)
    listing += " " + std::to_string(module.functions[0].instructions[0].line) + "LG4";
  follow(listing, module);
  const auto loops = unrolled_loops(module, module.functions[0]);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].first, 0u);
  EXPECT_TRUE(loops[0].ends_by_equality);
}

TEST(MachineCode, AConstantIsARequestWhereALdcReadsIt) {
  const std::string body =
      "ld.const.f32 %f1, [c];\nld.const.f32 %f2, [c+4];\nld.const.f32 %f3, [c+8];\nadd.f32 %f4, %f3, %f5;\n";
  Module module = kernel_at_ten(body, ".const .align 4 .b8 c[64];");
  const Function& function = module.functions[0];
  const int line = function.instructions[0].line;
  // The first by itself, the third with the line of the sum that needs it.
  follow("k " + std::to_string(line) + "CC4 " + std::to_string(line + 3) + "CC4", module);
  const auto accesses = lower(module, function).accesses;
  EXPECT_FALSE(accesses[0].dropped);
  EXPECT_TRUE(accesses[1].dropped);
  EXPECT_FALSE(accesses[2].dropped);
}

TEST(MachineCode, WhatAFunctionSavesIsWhatItStoresOfItsOwn) {
  const std::string callee =
      ".func (.param .b32 result) f(.param .b32 a)\n{\n.reg .b32 %r<9>;\n.local .align 4 .b8 own[8];\n"
      "ld.param.u32 %r1, [a];\nst.local.u32 [own], %r1;\nst.param.b32 [result], %r1;\nret;\n}\n";
  Module module = kernel_at_ten("mov.u32 %r1, 1;\n", callee);
  const Function* const f = module.find_function("f");
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(lower(module, *f).saved_words, 0) << "what the rule says: it does not call itself";
  const std::string brace = std::to_string(f->line + 1), own = std::to_string(f->instructions[1].line);
  follow("f " + brace + "SL8 " + brace + "SL4 " + own + "SL4 " + brace + "LL8", module);
  EXPECT_EQ(lower(module, *f).saved_words, 3);
}

// A block of the machine that ends with the kernel runs as often as its store; unrolled, the block of four
// turns runs once for four executions, and what is left over counts no more.
TEST(MachineCode, WhatAKernelSpillsIsCountedByTheBlockItStandsIn) {
  Module module = kernel_at_ten(
      "ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f1, %f1;\nst.local.f32 [depot], %f2;\n"
      "st.global.f32 [%rd2], %f2;\n");
  const Function& function = module.functions[0];
  const int line = function.instructions[0].line;
  EXPECT_TRUE(spills(module, function).empty());
  const auto at = [&](int i) { return std::to_string(line + i); };
  // Three words stored, two of them a double; one loaded; the array's own store is none.
  follow("k " + at(0) + "LG4 " + at(1) + "SL4 " + at(1) + "SL8 " + at(1) + "LL4 " + at(2) + "SL4 " + at(3) +
             "SG4 " + at(4) + "E",
         module);
  const auto found = spills(module, function);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].stored, 3u);
  EXPECT_EQ(found[0].loaded, 1u);
  EXPECT_EQ(found[0].copies, 1u);
}

}  // namespace
}  // namespace warplens::ptx
