#include "engine/gpu/instrument.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/base/assets.h"
#include "engine/ptx/parser.h"

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

// The rewrite of conformance kernels is PTX that the vendor's assembler accepts.
TEST(Instrument, PtxasAcceptsTheRewrite) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "ptxas is not installed";
  const fs::path folder = fs::temp_directory_path() / ("warplens_instrument_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  int assembled = 0;
  for (const auto& file : fs::directory_iterator(fs::path(WARPLENS_SOURCE_DIR) / "tests/conformance/ptx")) {
    if (file.path().extension() != ".ptx") continue;
    if (++assembled % 8 != 1) continue;  // a sample: ptxas takes its time
    const ptx::Module module = parsed(*read_text(file.path()));
    for (const ptx::Function& function : module.functions) {
      if (!function.is_entry) continue;
      const auto out = instrument(module, function.name);
      ASSERT_TRUE(out.has_value()) << file.path();
      ASSERT_TRUE(write_text(folder / "a.ptx", out->ptx).has_value());
      const std::string command =
          "cd " + folder.string() + " && ptxas -O1 -arch=sm_90 a.ptx -o a.cubin > log 2>&1";
      EXPECT_EQ(std::system(command.c_str()), 0) << file.path() << "\n" << *read_text(folder / "log");
    }
  }
  EXPECT_GT(assembled, 0);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace warplens::gpu
