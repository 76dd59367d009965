// Errors of the worker process reach the program whole: their kind, notes and Message.
#include "engine/gpu/error_frame.h"

#include <gmock/gmock.h>

#include "engine/gpu/counters.h"

namespace warplens::gpu {
namespace {

Error sent(const Error& error) {
  const Frame frame = error_frame(error);
  EXPECT_TRUE(is_error(frame));
  // As it goes over the socket: text.
  return error_from({nlohmann::json::parse(frame.head.dump()), {}});
}

TEST(ErrorFrame, KeepsTheMessageWithEveryKindOfValue) {
  const Error error = told(ErrorKind::Fault, {"gpu.fault.both",
                                              {{"error", value_of("text")},
                                               {"count", value_of(std::int64_t{1} << 40)},
                                               {"seconds", value_of(2.5)},
                                               {"word", value_of(Key{"gpu.fault.nothing"})},
                                               {"found", value_of(Message{"gpu.fault.nothing", {}})}}});
  const Error got = sent(error);
  EXPECT_EQ(got.kind, ErrorKind::Fault);
  EXPECT_EQ(got.message, error.message);
  ASSERT_NE(got.said, nullptr);
  EXPECT_EQ(*got.said, *error.said);
}

TEST(ErrorFrame, KeepsKindAndNotesOfAnErrorWithoutAMessage) {
  for (const ErrorKind kind : {ErrorKind::Usage, ErrorKind::Compile, ErrorKind::Unsupported, ErrorKind::Fault,
                               ErrorKind::Cancelled, ErrorKind::System}) {
    const Error got = sent({kind, "what happened", {}, {"first", "second"}});
    EXPECT_EQ(got.kind, kind);
    EXPECT_EQ(got.message, "what happened");
    EXPECT_THAT(got.notes, testing::ElementsAre("first", "second"));
    EXPECT_EQ(got.said, nullptr);
  }
}

TEST(ErrorFrame, TheDriversCodeIsReadAsANumber) {
  const Error error = told(ErrorKind::System, {"gpu.driver.failed",
                                               {{"doing", value_of(Key{"gpu.doing.load_ptx"})},
                                                {"text", value_of("unsupported toolchain")},
                                                {"code", value_of(222)}}});
  EXPECT_EQ(driver_code(sent(error)), 222);
  EXPECT_EQ(driver_code({ErrorKind::System, "(CUDA error 222)", {}, {}}), 0) << "text is not searched";
}

TEST(ErrorFrame, AnErrorIsToldInTheReadersLanguage) {
  const Result<Catalogue> chinese = Catalogue::load("zh");
  ASSERT_TRUE(chinese);
  const Error refused = sent(counters_error(35, "start_counters"));
  EXPECT_THAT(refused.message, testing::HasSubstr("ERR_NVGPUCTRPERM"));
  EXPECT_THAT(chinese->text(refused), testing::HasSubstr("当前用户不能读取"));
  EXPECT_EQ(chinese->text({ErrorKind::System, "no message", {}, {}}), "no message");
}

}  // namespace
}  // namespace warplens::gpu
