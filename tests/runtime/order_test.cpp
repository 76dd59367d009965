// In which order threads and launches go on, where a program relies on what CUDA does not promise.
#include "tests/runtime/whole_program.h"

namespace warplens {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(WholeProgram, WarpsGoOnTogetherBehindABarrier) {
  expect_passes("handed_out.cu", "all was handed out");
  // With every check the missing barrier is what counts.
  const Answer checked = ask({"run", "--checks", "all", program("handed_out.cu")});
  EXPECT_THAT(checked.err, HasSubstr("with nothing between to order them"));
}

TEST_F(WholeProgram, AWaitForALaterLaunchIsToldAndEnded) {
  const Answer english = ask({"run", program("waits_for_later.cu")});
  EXPECT_EQ(english.out, "cudaErrorLaunchTimeout\n") << english.err;
  EXPECT_THAT(english.err, HasSubstr("in global memory, which stays 0"));
  EXPECT_THAT(english.err, HasSubstr("launches run one after the other here"));
  EXPECT_THAT(english.err, Not(HasSubstr("independent thread scheduling")));
  const Answer chinese = ask({"run", "--language", "zh", program("waits_for_later.cu")});
  EXPECT_THAT(chinese.err, HasSubstr("这里各次启动依次执行"));
}

}  // namespace
}  // namespace warplens
