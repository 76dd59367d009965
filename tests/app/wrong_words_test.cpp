// The sentences of CLI11 that its versions write differently, told alike.
#include "app/cli/wrong_words.h"

#include <gmock/gmock.h>

#include "engine/base/result.h"

namespace warplens::cli {
namespace {

TEST(WrongWords, ARangeIsReadHoweverItsVersionWritesIt) {
  const CLI::App app;
  for (const char* range : {"1 to 1024", "[1 - 1024]"}) {
    const CLI::ValidationError error("--block", std::string("Value 5000 not in range ") + range);
    EXPECT_THAT(told(ErrorKind::Usage, what_is_wrong(app, error)).message,
                testing::HasSubstr("--block takes 1 to 1024, not 5000"))
        << range;
  }
  const CLI::ValidationError below("--shift", "Value -9 not in range [-4 - 4]");
  EXPECT_THAT(told(ErrorKind::Usage, what_is_wrong(app, below)).message,
              testing::HasSubstr("--shift takes -4 to 4, not -9"));
}

}  // namespace
}  // namespace warplens::cli
