// One picture a view as readable text. To renew after a change that was meant:
//   WARPLENS_UPDATE_GOLDEN=1 ./test_visual --gtest_filter='*Golden*' && git diff tests/visual/golden
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "engine/base/assets.h"
#include "tests/support/places.h"
#include "tests/visual/fixtures.h"
#include "visual/export.h"
#include "visual/twin.h"

namespace warplens::visual {
namespace {

// Widths that do not depend on which fonts are installed.
struct FixedMeasure : TextMeasure {
  Size measure(std::string_view text, Face, float size) const override {
    float units = 0;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      units += byte < 0x80 ? 0.56f : byte >= 0xe0 ? 1.0f : byte >= 0xc0 ? 0.56f : 0.0f;
    }
    return {units * size, size * 1.25f};
  }
};

// The sentences of the analyses have tests of their own; here they would only make noise.
std::string without_sentences(const std::string& text) {
  std::istringstream in(text);
  std::string out, line;
  while (std::getline(in, line))
    if (!line.starts_with("transcript ") && !line.starts_with("text    why.")) out += line + "\n";
  return out;
}

struct Case {
  const char* view;
  Fixture (*fixture)();
};

class Golden : public testing::TestWithParam<Case> {};

TEST_P(Golden, TextIsAsBefore) {
  const Fixture f = GetParam().fixture();
  const Catalogue catalogue = Catalogue::load("en").value();
  const FixedMeasure measure;
  const Scene scene = find_view(GetParam().view)->layout({{640, 360}, catalogue, measure}, f.input());
  const std::string text = without_sentences(to_text(scene));
  const auto file = std::filesystem::path(tests::source_dir()) / "tests/visual/golden" /
                    (std::string(GetParam().view) + ".txt");
  if (std::getenv("WARPLENS_UPDATE_GOLDEN")) {
    ASSERT_TRUE(write_text(file, text));
    GTEST_SKIP() << "renewed " << file;
  }
  const Result<std::string> wanted = read_text(file);
  ASSERT_TRUE(wanted) << wanted.error().text();
  EXPECT_EQ(text, *wanted);
}

Fixture stride_two() {
  return strided_copy(2);
}
Fixture constants_five() {
  return constant_words(5);
}
Fixture banks_two() {
  return bank_stride(2);
}

INSTANTIATE_TEST_SUITE_P(Views, Golden,
                         testing::Values(Case{"address-map", stride_two}, Case{"bank-view", banks_two},
                                         Case{"active-lanes", divergent}, Case{"occupancy", stride_two},
                                         Case{"grid-overview", stride_two}, Case{"source", stride_two},
                                         Case{"timing", stride_two}, Case{"roofline", stride_two},
                                         Case{"hierarchy", stride_two}, Case{"streams", stride_two},
                                         Case{"counters", stride_two}, Case{"stalls", stride_two},
                                         Case{"transfers", stride_two}, Case{"sm-in-motion", partial_warp},
                                         Case{"time-parts", stride_two}, Case{"constants", constants_five},
                                         Case{"exchanges", sum_of_a_warp}),
                         [](const auto& test) {
                           std::string name(test.param.view);
                           std::erase(name, '-');
                           return name;
                         });

TEST(Twin, NamesOfCommonWordsAreThatInASentence) {
  const Catalogue english = Catalogue::load("en").value();
  const auto named = [&](const std::string& key) {
    return SideName(english.text(key), english.text(key + "_within"));
  };
  const SideName mine = named("lesson.own_name"), reference = named("lesson.reference_name");
  const Difference passes{"view.twin.passes", 30, 10};
  EXPECT_EQ(difference_words(passes, reference, mine, english),
            "The reference has 3× the shared-memory passes of your code.");
  EXPECT_EQ(difference_words(passes, mine, reference, english),
            "Your code has 3× the shared-memory passes of the reference.");
}

TEST(Twin, SaysWhatDiffersAndKeepsEverythingInside) {
  const Fixture a = strided_copy(2), b = strided_copy(1);
  for (const char* language : {"en", "zh"}) {
    const Catalogue catalogue = Catalogue::load(language).value();
    for (const Size size : {Size{1280, 720}, Size{2560, 1440}, Size{800, 900}}) {
      const Scene scene = twin(*find_view("address-map"), {size, catalogue, cairo_text_measure()},
                               {"stride 2", a.input()}, {"stride 1", b.input()});
      EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()), testing::IsEmpty());
      EXPECT_NE(scene.answer.find("8"), std::string::npos);
      if (std::string(language) == "en") {
        EXPECT_EQ(scene.answer, "8 sectors → 4 sectors");
        EXPECT_THAT(scene.transcript,
                    testing::HasSubstr("stride 2 has 2× the sectors a request of stride 1."));
      }
    }
  }
}

TEST(Twin, EqualRunsHaveNoDifferences) {
  const Fixture a = strided_copy(2);
  EXPECT_TRUE(differences(a.report, a.report).empty());
  const auto found = differences(a.report, bank_stride(32).report);
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                          [](const Difference& d) { return d.key == "view.twin.conflicts"; }));
}

}  // namespace
}  // namespace warplens::visual
