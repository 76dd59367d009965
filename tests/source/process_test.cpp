#include "engine/source/process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace warplens::source {
namespace {

TEST(Process, CapturesBothStreamsAndTheStatus) {
  const auto result = run_process({"/bin/sh", "-c", "echo out; echo err >&2; exit 3"}, {});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\n");
  EXPECT_EQ(result->status, 3);
}

TEST(Process, ReadsMoreThanAPipeHolds) {
  const auto result = run_process({"/bin/sh", "-c", "head -c 1000000 /dev/zero"}, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->out.size(), 1000000u);
}

TEST(Process, AMissingProgramIsAnError) {
  const auto result = run_process({"/no/such/program"}, {});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("/no/such/program"), std::string::npos);
}

TEST(Process, StopsWithItsChildrenAtTheTimeLimit) {
  const auto start = std::chrono::steady_clock::now();
  const auto result = run_process({"/bin/sh", "-c", "sleep 60 & sleep 60"}, {.limits = {.seconds = 0.2}});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Compile);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Process, StopsWhenTheUserCancels) {
  Progress progress;
  std::thread user([&progress] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    progress.cancel();
  });
  const auto result = run_process({"/bin/sh", "-c", "sleep 60"}, {.limits = {}, .progress = &progress});
  user.join();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::Cancelled);
}

}  // namespace
}  // namespace warplens::source
