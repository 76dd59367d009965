// What cannot be opened is refused before any window is, in the user's language, with what to write instead.
#include <gmock/gmock.h>

#include "app/model/text/text_options.h"
#include "app/window/window.h"
#include "engine/base/message.h"

namespace warplens::window {
namespace {

using ::testing::HasSubstr;

TEST(Refusals, NameTheViewsThatThereAreAndTakeNoViewForAFile) {
  AppOptions options;
  options.forget = true;
  const auto refusal = [&] {
    const auto opened = open(options);
    return opened ? std::string("opened") : opened.error().message;
  };
  options.views = {"banks"};
  options.language = "en";
  EXPECT_THAT(refusal(), HasSubstr("There is no view 'banks'. There are: address-map, "));
  options.language = "zh";
  EXPECT_THAT(refusal(), HasSubstr("“banks”"));
  EXPECT_THAT(refusal(), HasSubstr("bank-view"));
  options.views = {"address-map"};
  options.file = "bank-view";
  EXPECT_THAT(refusal(), HasSubstr("--view bank-view --view bank-view"));
  options.language = "en";
  EXPECT_THAT(refusal(), HasSubstr("is a view and no file"));
  options.file = "nowhere.cu";
  EXPECT_THAT(refusal(), HasSubstr("There is no file 'nowhere.cu'"));
  options.file.clear();
  options.kernel = "scale";
  EXPECT_THAT(refusal(), HasSubstr("warplens app FILE --kernel NAME"));
}

// On a display or without: each error of the way there is told in the language of the window.
TEST(Refusals, AreToldInTheLanguageOfTheWindow) {
  AppOptions options;
  options.forget = true;
  options.language = "zh";
  EXPECT_EQ(language_of(options), "zh");
  const auto said = [](const Error& error) {
    const auto text = Catalogue::load("zh");
    return text ? text->text(error) : std::string();
  };
  EXPECT_THAT(said(model::parse_size("800").error()), HasSubstr("应写成 宽x高"));
  EXPECT_THAT(model::parse_size("800").error().message, HasSubstr("--size 800: expected WIDTHxHEIGHT"));
  EXPECT_THAT(said(model::parse_slider("stride").error()), HasSubstr("滑块=整数"));
}

}  // namespace
}  // namespace warplens::window
