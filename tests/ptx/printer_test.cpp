// What the printer writes: the parser reads it back as the same module, and ptxas accepts it.
#include "engine/ptx/syntax/printer.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/base/assets.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/ptx/describe.h"
#include "tests/support/places.h"

namespace warplens::ptx {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::filesystem::path source_dir() {
  return tests::source_dir();
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  if (!std::filesystem::exists(folder)) return found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ptx") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

Module module_of(const std::string& text, const std::string& file = "<ptx>") {
  Result<Module> module = parse(text, {.file = file});
  EXPECT_TRUE(module) << module.error().text();
  return module ? *std::move(module) : Module{};
}

Module parsed_file(const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file);
  EXPECT_TRUE(text);
  return text ? module_of(*text, file.string()) : Module{};
}

PrintOptions options(bool source_lines, bool lowest_version) {
  PrintOptions made;
  made.source_lines = source_lines;
  made.lowest_version = lowest_version;
  return made;
}

void expect_round_trip(const Module& module, const std::string& what) {
  const std::string printed = print(module);
  const Module again = module_of(printed, what);
  EXPECT_EQ(first_difference(describe(module), describe(again)), "") << what;
  EXPECT_EQ(first_difference(printed, print(again)), "") << what;
}

TEST(Printer, RoundTripOfCompilersOutput) {
  const auto files = files_in(source_dir() / "tests/ptx/data");
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) expect_round_trip(parsed_file(file), file.filename().string());
  for (const auto& file : files_in(source_dir() / "tests/conformance/ptx")) {
    expect_round_trip(parsed_file(file), file.filename().string());
  }
}

TEST(Printer, RoundTripOfRareForms) {
  expect_round_trip(
      module_of(
          ".version 8.3\n.target sm_90a, debug\n.address_size 64\n"
          ".extern .shared .align 16 .b8 dynamic[];\n"
          ".global .align 8 .b8 split[12] = {1, 2, 3, 4, 0xFF(b), 0xFF00(b), 0xFF0000(b), 0xFF000000(b), "
          "0xFF00000000(b), 0xFF0000000000(b), 0xFF000000000000(b), 0xFF00000000000000(b)};\n"
          ".global .u32 b = 7;\n.global .align 8 .u64 p[3] = {generic(b)+4, 5, b-8};\n"
          ".const .v2 .f32 pairs[2] = {{1.0, 2.0}, {3.0, 4.0}};\n.global .f64 d = -1.5;\n"
          ".weak .global .attribute(.managed) .f32 m;\n.global .texref t;\n.global .surfref s;\n"
          ".visible .func g();\n"
          ".func (.reg .u32 out) old(.reg .u32 in) { mov.u32 out, in; ret; }\n"
          ".visible .entry k(.param .u64 .ptr .global .align 4 a, .param .u64 .ptr .align 1 c, .param .b8 "
          "x[3])\n"
          ".maxntid 128, 1, 1\n.explicitcluster\n{ .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred p, q; "
          ".reg .f32 %f<5>;\n"
          ".pragma \"nounroll\";\nts: .branchtargets A, B;\nbrx.idx.uni %r1, ts;\n"
          "A: @!p setp.lt.and.s32 p|q, %r1, -2147483649, !q;\n"
          "B: vadd.s32.u32.s32 %r1, %r2.b0, %r3.h1;\nmov.u64 %rd1, 0x8000000000000000;\n"
          "mov.u32 %r4, %reserved_smem_offset_begin; mov.u32 %r4, %envreg3; mov.u64 %rd2, split+4;\n"
          "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, {%f1,%f2}];\n"
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, "
          "{%r2,%r3}], [%r4];\n"
          "call.uni (%r5), old, (%r6);\n"
          "{ .reg .b32 p; mov.b32 p, -1; L: bra L; }\n{ L: bra L; }\n ld.global.u32 _, [%rd1+-8]; st.b32 "
          "[dynamic], 1;\n"
          "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
          "cts: .calltargets old, g;\n call (%r1), %rd1, (%r2), cts; call g; }\n"
          ".visible .func g() { ret; }\n"),
      "rare forms");
}

TEST(Printer, OneInstruction) {
  const Module module = module_of(
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .f32 %f<5>; .reg .b64 %rd<3>; .reg "
      ".pred %p<2>;\n"
      "@!%p1 ld.global.nc.v4.f32 {%f1,%f2,_,%f4},[%rd1+16]; }");
  const Function& function = module.functions[0];
  EXPECT_EQ(print(module, function, function.instructions[0]),
            "@!%p1 ld.global.nc.v4.f32 {%f1, %f2, _, %f4}, [%rd1+16];");
}

TEST(Printer, LowestVersion) {
  const auto version_of = [](const std::string& target, const std::string& body,
                             const std::string& own = "9.0") {
    const Module module = module_of(
        ".version " + own + "\n.target " + target +
        "\n.address_size 64\n.entry k() { .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred p;\n" + body + "\n}");
    const std::string text = print(module, options(true, true));
    return text.substr(9, text.find('\n') - 9);
  };
  EXPECT_EQ(version_of("sm_70", "add.s32 %r1,%r1,1;"), "6.0");
  EXPECT_EQ(version_of("sm_80", "add.s32 %r1,%r1,1;"), "7.0");
  EXPECT_EQ(version_of("sm_90", "add.s32 %r1,%r1,1;"), "7.8");
  EXPECT_EQ(version_of("sm_90", "wgmma.fence.sync.aligned;"), "8.0");
  EXPECT_EQ(version_of("sm_70", "mov.u32 %r1, %cluster_ctarank;"), "7.8");
  EXPECT_EQ(version_of("sm_90", "mbarrier.try_wait.parity.shared::cta.b64 p, [%r1], 0;"), "7.8");
  EXPECT_EQ(version_of("sm_90", "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%r1], 0;"),
            "8.0");
  EXPECT_EQ(version_of("sm_70", "ld.global.L2::128B.u32 %r1, [%rd1];"), "7.4");
  EXPECT_EQ(version_of("sm_80", "frobnicate %r1;"), "9.0");  // unknown: as it was
  EXPECT_EQ(version_of("sm_90", "add.s32 %r1,%r1,1;", "7.5"), "7.5");
}

TEST(Printer, WithoutSourceLines) {
  const Module module = parsed_file(source_dir() / "tests/ptx/data/calls_nvcc_sm90.ptx");
  const std::string text = print(module, options(false, false));
  EXPECT_THAT(text, Not(HasSubstr(".loc ")));
  EXPECT_THAT(text, Not(HasSubstr(".file ")));
  EXPECT_THAT(text, Not(HasSubstr(".debug_str")));
}

TEST(Printer, InsertsLinesInFrontOfInstructions) {
  const Module module = module_of(
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { .reg .b32 %r<5>;\nL: add.s32 %r1,%r1,1; "
      "bra L; }");
  PrintOptions hooks;
  hooks.prologue = [](const Function& function) { return "// top of " + function.name + "\n"; };
  hooks.before = [](const Function&, std::uint32_t i) { return i == 0 ? "// first\n" : ""; };
  EXPECT_THAT(print(module, hooks),
              HasSubstr("// top of k\nL:\n// first\n\tadd.s32 %r1, %r1, 1;\n\tbra L;\n"));
}

bool has_ptxas() {
  return std::system("ptxas --version > /dev/null 2>&1") == 0;
}

bool ptxas_accepts(const std::filesystem::path& file, const std::string& target) {
  const std::string command =
      "ptxas -arch=" + target + " '" + file.string() + "' -o /dev/null > '" + file.string() + ".log' 2>&1";
  const bool good = std::system(command.c_str()) == 0;
  if (!good) {
    const Result<std::string> log = read_text(file.string() + ".log");
    ADD_FAILURE() << file << ": " << (log ? log->substr(0, 600) : "");
  }
  return good;
}

TEST(Printer, PtxasAcceptsIt) {
  if (!has_ptxas()) GTEST_SKIP() << "ptxas is not installed";
  const auto folder =
      std::filesystem::temp_directory_path() / ("warplens_printer_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const auto& file : files_in(source_dir() / "tests/ptx/data")) {
    const Module module = parsed_file(file);
    for (const bool lowest : {false, true}) {
      const auto copy = folder / ((lowest ? "lowest_" : "own_") + file.filename().string());
      ASSERT_TRUE(write_text(copy, print(module, options(true, lowest))));
      EXPECT_TRUE(ptxas_accepts(copy, module.target));
    }
  }
  // Clusters, barriers and narrow numbers, each by the oldest name that has them.
  for (const char* more : {"tests/simt/samples/ptx", "tests/app/compare/ptx"}) {
    for (const auto& file : files_in(source_dir() / more)) {
      const Module module = parsed_file(file);
      const auto copy = folder / ("lowest_" + file.filename().string());
      ASSERT_TRUE(write_text(copy, print(module, options(false, true))));
      EXPECT_TRUE(ptxas_accepts(copy, module.target));
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace warplens::ptx
