#include "engine/gpu/instrument.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "engine/base/assets.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/support/places.h"

namespace warplens::gpu {
namespace {

namespace fs = std::filesystem;

ptx::Module parsed(const std::string& text) {
  auto module = ptx::parse(text);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().text());
  return module ? std::move(*module) : ptx::Module{};
}

constexpr const char* kGuarded = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .pred %p1;
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 5;
  @!%p1 st.global.u32 [%rd1+8], %r1;
  @%p1 bra DONE;
  bar.sync 0;
DONE:
  ret;
}
)";

TEST(Instrument, RecordsGuardBranchAndBarrier) {
  const auto out = instrument(parsed(kGuarded), "k");
  ASSERT_TRUE(out.has_value());
  EXPECT_THAT(out->ptx, testing::HasSubstr(kControlVariable));
  EXPECT_THAT(out->ptx, testing::HasSubstr("vote.sync.ballot.b32"));
  EXPECT_THAT(out->ptx, testing::HasSubstr("@%p1 bra"));  // lanes whose guard !%p1 is false record nothing
}

TEST(Instrument, UnknownKernelIsAnError) {
  EXPECT_FALSE(instrument(parsed(kGuarded), "nobody").has_value());
}

TEST(Instrument, TotalsCallTheRecorderAndShareNeighboursExecutions) {
  const auto out = instrument(parsed(kGuarded), "k", {.records = false, .totals = true});
  ASSERT_TRUE(out.has_value());
  EXPECT_THAT(out->ptx, testing::HasSubstr("warplens_count_global, (wl_slot"));
  EXPECT_THAT(out->ptx, testing::Not(testing::HasSubstr("%wl_control,")));
  // The barrier stands alone in its block with nothing else to count: it takes the block's executions.
  ASSERT_EQ(out->layout.same.size(), 1u);
  EXPECT_EQ(out->sites[out->layout.same[0].site].op, "bar.sync");
}

TEST(Instrument, ReadTotalsAddsTheCopies) {
  TotalsLayout layout;
  layout.slots = {{0, CounterFamily::Global}, {trace::kNoSite, CounterFamily::Lanes}};
  layout.blocks = {{1, 7}};
  std::vector<std::uint64_t> counters(layout.bytes() / 8);
  for (std::size_t copy = 0; copy < kCounterCopies; ++copy) {
    counters[copy * 16 + 3] = copy;
    counters[copy * 16 + 8] = 1;
    counters[copy * 16 + 9] = 32;
  }
  const CountedTotals totals =
      read_totals(layout, {reinterpret_cast<const std::uint8_t*>(counters.data()), layout.bytes()});
  ASSERT_EQ(totals.slots.size(), 1u);
  EXPECT_EQ(totals.slots[0].counts[3], kCounterCopies * (kCounterCopies - 1) / 2);
  EXPECT_EQ(totals.warp_instructions, 7 * kCounterCopies);
  EXPECT_EQ(totals.thread_instructions, 7 * 32 * kCounterCopies);
}

class Assembled : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("ptxas --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "ptxas is not installed";
    folder_ = fs::temp_directory_path() / ("warplens_instrument_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  void assemble(const std::string& ptx, const std::string& arch, const std::string& what) {
    ASSERT_TRUE(write_text(folder_ / "a.ptx", ptx).has_value());
    const std::string command =
        "cd " + folder_.string() + " && ptxas -O1 -arch=" + arch + " a.ptx -o a.cubin > log 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << what << "\n" << *read_text(folder_ / "log");
  }
  fs::path folder_;
};

fs::path conformance_ptx() {
  return fs::path(tests::source_dir()) / "tests/conformance/ptx";
}

// A file's other kernels would only take the driver's compiler time; a kernel that a table names stays.
TEST(Instrument, LeavesOutKernelsThatNothingNames) {
  const std::string body = "(.param .u64 p)\n{\n ret;\n}\n";
  const ptx::Module module = parsed(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry first" +
                                    body + ".visible .entry other" + body + ".visible .entry launched" +
                                    body + ".visible .global .align 8 .u64 table[1] = {launched};\n");
  const auto out = instrument(module, "first", {.records = true});
  ASSERT_TRUE(out.has_value());
  EXPECT_THAT(out->ptx, testing::HasSubstr(".entry first"));
  EXPECT_THAT(out->ptx, testing::HasSubstr(".entry launched"));
  EXPECT_THAT(out->ptx, testing::Not(testing::HasSubstr(".entry other")));
}

// The rewrite of conformance kernels is PTX that the vendor's assembler accepts: each kernel of a sample of
// files, with records, totals, or both.
TEST_F(Assembled, EveryKernelOfASampleOfFiles) {
  int files = 0, kernels = 0;
  for (const auto& file : fs::directory_iterator(conformance_ptx())) {
    if (file.path().extension() != ".ptx") continue;
    if (++files % 10 != 1) continue;  // ptxas takes its time
    const ptx::Module module = parsed(*read_text(file.path()));
    for (const ptx::Function& function : module.functions) {
      if (!function.is_entry) continue;
      const int way = ++kernels % 3;
      const auto out =
          instrument(module, function.name, {.records = way != 1, .totals = way != 0, .block = {256, 1, 1}});
      ASSERT_TRUE(out.has_value()) << file.path();
      assemble(out->ptx, "sm_90", file.path().string() + " " + function.name);
    }
  }
  EXPECT_GT(kernels, 0);
}

TEST_F(Assembled, ForEveryArchitectureFromTuringOn) {
  for (const char* arch : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"}) {
    ptx::Module module = parsed(*read_text(conformance_ptx() / "transpose.ptx"));
    module.target = arch;
    std::string first;
    for (const ptx::Function& function : module.functions)
      if (function.is_entry && first.empty()) first = function.name;
    const auto out = instrument(module, first, {.records = true, .totals = true});
    ASSERT_TRUE(out.has_value());
    assemble(out->ptx, arch, arch);
  }
}

// Pointers into other blocks' shared memory: generic, and 32 bits of the cluster's window.
TEST_F(Assembled, KernelsOfClusters) {
  const ptx::Module module =
      parsed(*read_text(fs::path(tests::source_dir()) / "tests/simt/samples/ptx/clusters.ptx"));
  for (const char* kernel : {"rotate_in_cluster", "sums_of_clusters", "multicast"}) {
    const auto out = instrument(module, kernel, {.records = true, .totals = true});
    ASSERT_TRUE(out.has_value());
    // The bulk copies of the last one name no address that a lane would have to ask about.
    if (std::string_view(kernel) != "multicast") {
      EXPECT_THAT(out->ptx, testing::HasSubstr("getctarank"));
    }
    assemble(out->ptx, "sm_90", kernel);
  }
  constexpr const char* kWindow = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) .reqnctapercluster 2, 1, 1
{
  .reg .b32 %r<5>;
  .shared .align 4 .b8 mine[128];
  mov.u32 %r1, mine;
  mapa.shared::cluster.u32 %r2, %r1, 1;
  ld.shared::cluster.u32 %r3, [%r2];
  atom.shared::cluster.add.u32 %r4, [%r2+4], %r3;
  ret;
}
)";
  const auto out = instrument(parsed(kWindow), "k", {.records = true, .totals = true});
  ASSERT_TRUE(out.has_value());
  assemble(out->ptx, "sm_90", "window");
}

// A second kernel tells where the driver puts constants: names for the addresses of the records.
TEST_F(Assembled, AKernelThatTellsWhereConstantsLie) {
  constexpr const char* kConstants = R"(.version 7.0
.target sm_75
.address_size 64
.visible .const .align 4 .b8 weights[12];
.global .align 4 .b8 table[16];
.const .align 8 .b8 steps[40];
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r<2>;
  ld.const.u32 %r1, [steps+8];
  ret;
}
)";
  const auto recorded = instrument(parsed(kConstants), "k", {.records = true, .totals = true});
  ASSERT_TRUE(recorded.has_value());
  EXPECT_THAT(recorded->constants, testing::ElementsAre("weights", "steps"));
  assemble(recorded->ptx, "sm_90", "constants");
  // Who only counts names nothing.
  const auto counted = instrument(parsed(kConstants), "k", {.records = false, .totals = true});
  ASSERT_TRUE(counted.has_value());
  EXPECT_THAT(counted->constants, testing::IsEmpty());
  assemble(counted->ptx, "sm_90", "constants, counted");
}

}  // namespace
}  // namespace warplens::gpu
