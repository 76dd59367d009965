// A loop of many rounds takes the time of all of them, although a model looks at the first ones only.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "app/model/study/modelled.h"
#include "engine/base/assets.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLoop = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{{
  .reg .f32 %f<3>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  mov.f32 %f1, 0f3F800000;
  mov.u32 %r2, 0;
AGAIN:
  fma.rn.f32 %f1, %f1, %f1, %f1;
  {}
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra AGAIN;
  st.global.f32 [%rd1], %f1;
  ret;
}}
)";

double modelled_us(const fs::path& file, std::int64_t rounds, int warps) {
  ProgramRequest asked;
  asked.file = file.string();
  const auto program = load_program(asked);
  const auto devices = analysis::DeviceCatalogue::load();
  if (!program || !devices) return 0;
  RunRequest request;
  request.program = *program;
  request.launch.kernel = "k";
  request.launch.block = {static_cast<std::uint32_t>(32 * warps), 1, 1};
  for (const std::string& text : {std::string("buf:f32:32:zero"), fmt::format("u32:{}", rounds)})
    request.launch.arguments.push_back(*trace::parse_argument(text));
  const auto run = execute(request);
  if (!run) return 0;
  const auto m = model_run(**run, **devices->device("H200 SXM"), **devices->capability("9.0"));
  return m && m->time ? m->time->us : 0;
}

TEST(LongLoop, TakesTheTimeOfAllItsRounds) {
  const fs::path file = fs::temp_directory_path() / fmt::format("warplens_long_loop_{}.ptx", ::getpid());
  // Arithmetic alone, and a load in every round.
  for (const char* more : {"", "ld.global.f32 %f2, [%rd1]; add.f32 %f1, %f1, %f2;"}) {
    ASSERT_TRUE(write_text(file, fmt::format(kLoop, more)));
    for (const int warps : {1, 4}) {
      const double few = modelled_us(file, 2'000, warps), many = modelled_us(file, 100'000, warps);
      EXPECT_GT(many, 100'000 * 4 / 1980.0) << "four cycles of an H200 for each product" << more << warps;
      EXPECT_GT(many, 20 * few) << more << warps;
      EXPECT_LT(many, 60 * few) << more << warps;
    }
  }
  fs::remove(file);
}

}  // namespace
}  // namespace warplens::model
