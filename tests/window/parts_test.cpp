// The window's parts that are pure functions.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "app/model/gallery/slider_values.h"
#include "app/window/jobs/sweep.h"
#include "app/window/session/arrangement.h"
#include "app/window/session/highlight.h"
#include "app/window/session/scrub_bench.h"
#include "app/window/session/settings.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "tests/window/fake_engine.h"

namespace warplens::window {
namespace {

TEST(Settings, SurviveARoundTrip) {
  Settings s;
  s.theme = "light";
  s.language = "zh";
  s.kernel = "copy \"quoted\"";
  s.views = {"address-map", "occupancy"};
  s.two_views = false;
  s.reduce_motion = true;
  s.runs_on = "recording";
  s.zoom = 1.25;
  s.bench_width = 512;
  s.code_height = 240;
  s.upper_view = 0.3;
  EXPECT_EQ(parse_settings(to_toml(s)), s);
}

TEST(Settings, DamagedFilesGiveWhatCanBeSaved) {
  EXPECT_EQ(parse_settings("theme = "), Settings{});
  EXPECT_EQ(parse_settings(std::string(100, '\0')), Settings{});
  const Settings s =
      parse_settings("theme = 7\nlanguage = \"zh\"\nwidth = -3\nviews = [1, 2, 3]\nzoom = \"x\"\n");
  EXPECT_EQ(s.theme, "dark");
  EXPECT_EQ(s.language, "zh");
  EXPECT_EQ(s.width, Settings{}.width);
}

TEST(Settings, AFileThatCannotBeReadIsSetAsideAndSaid) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("warplens_settings_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / "settings.toml", aside = folder / "settings.toml.bad";
  std::optional<Message> trouble;
  EXPECT_EQ(load_settings(file, trouble), Settings{});
  EXPECT_FALSE(trouble);  // the first start of all

  std::string deep = "x";
  for (int i = 0; i < 50000; ++i) deep += ".x";
  for (const std::string& text : {std::string("theme = "), deep + " = 1\n"}) {
    ASSERT_TRUE(write_text(file, text));
    trouble.reset();
    EXPECT_EQ(load_settings(file, trouble), Settings{});
    ASSERT_TRUE(trouble);
    EXPECT_EQ(trouble->key, "window.settings.set_aside");
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_EQ(*read_text(aside), text);
  }
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  trouble.reset();
  EXPECT_EQ(load_settings(file, trouble), Settings{});
  EXPECT_TRUE(trouble);
  EXPECT_TRUE(save_settings(Settings{}, file));  // the pipe is out of the way
  std::filesystem::remove_all(folder);
}

TEST(ScrubBench, ALongRunHoldsWhatWasAskedForAndIsTheSameEveryTime) {
  const auto run = long_run(10'240);
  EXPECT_EQ(run->trace.size(), 10'240u);
  EXPECT_EQ(run->trace.blocks().size(), 10u);
  EXPECT_FALSE(run->trace.truncated());
  EXPECT_GT(run->report.totals.global_load.sectors, 0u);
  EXPECT_GT(run->report.totals.shared_load.wavefronts, 0u);
  EXPECT_EQ(long_run(10'240)->trace.access(777).addresses, run->trace.access(777).addresses);
  EXPECT_DOUBLE_EQ(percentile_of({5, 1, 4, 2, 3}, 0.5), 3);
  EXPECT_DOUBLE_EQ(percentile_of({5, 1, 4, 2, 3}, 1), 5);
}

Arrangement at(float width, float height, bool presenting = false) {
  ArrangementInput in;
  in.size = {width, height};
  in.presenting = presenting;
  return arrange(in);
}

TEST(Arrangement, FoldsInTheStatedOrder) {
  const Arrangement large = at(1600, 900), low = at(1600, 720), small = at(1280, 720), tiny = at(900, 600);
  EXPECT_EQ(large.view_count, 2);
  EXPECT_FALSE(large.shelf_folded);
  EXPECT_EQ(low.view_count, 1);
  EXPECT_FALSE(low.shelf_folded);
  EXPECT_TRUE(small.shelf_folded);
  EXPECT_TRUE(small.bench_shown);
  EXPECT_FALSE(tiny.bench_shown);
}

TEST(Arrangement, PartsFillTheWindowWithoutOverlap) {
  for (const float width : {640.0f, 960.0f, 1280.0f, 1600.0f, 2560.0f}) {
    for (const float height : {400.0f, 720.0f, 900.0f, 1440.0f}) {
      for (const bool presenting : {false, true}) {
        const Arrangement a = at(width, height, presenting);
        std::vector<visual::Rect> parts = {a.top, a.shelf, a.transport, a.views[0], a.sliders};
        if (a.bench_shown || a.speaker) parts.push_back(a.bench);
        if (a.view_count == 2) parts.push_back(a.views[1]);
        float area = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
          area += parts[i].width * parts[i].height;
          for (std::size_t j = 0; j < i; ++j) {
            visual::Rect inner = parts[i];
            inner.x += 0.5f, inner.y += 0.5f, inner.width -= 1, inner.height -= 1;
            EXPECT_FALSE(inner.overlaps(parts[j]))
                << width << "x" << height << " parts " << i << " and " << j;
          }
        }
        EXPECT_NEAR(area, width * height, 2.0f);
      }
    }
  }
}

TEST(Arrangement, TwoViewsShareTheStageAsTheyWereDragged) {
  ArrangementInput in;
  in.size = {1600, 1000};
  const Arrangement even = arrange(in);
  in.upper_view = 0.4f;
  const Arrangement dragged = arrange(in);
  const float all = even.views[0].height + even.views[1].height;
  EXPECT_FLOAT_EQ(even.views[0].height, all / 2);
  EXPECT_FLOAT_EQ(dragged.views[0].height, all * 0.4f);
  EXPECT_FLOAT_EQ(dragged.views[1].y, dragged.views[0].bottom());
  EXPECT_FLOAT_EQ(dragged.views[1].height, all * 0.6f);
  in.upper_view = 0.01f;
  EXPECT_FLOAT_EQ(arrange(in).views[0].height, kLeastView) << "what is left can be read";
  in.upper_view = 0.99f;
  EXPECT_FLOAT_EQ(arrange(in).views[1].height, kLeastView);
}

// Before a class the icons make room for the page and the picture.
TEST(Arrangement, ALessonIsPresentedWithoutTheRail) {
  ArrangementInput in;
  in.size = {960, 540};
  in.presenting = in.bench_wanted = true;
  const Arrangement a = arrange(in);
  EXPECT_FALSE(a.speaker);
  EXPECT_EQ(a.bench.x, 0);
  EXPECT_EQ(a.transport.width, 960);
  EXPECT_GT(a.views[0].width, 480);
}

// A projector of 1280 by 720 is 960 by 540 in presenter mode.
TEST(Arrangement, ASpeakerHasTheLinesBesideThePictureAndTheSlidersUnderBoth) {
  ArrangementInput in;
  in.size = {960, 540};
  in.presenting = true;
  const Arrangement a = arrange(in);
  ASSERT_TRUE(a.speaker);
  EXPECT_FALSE(a.bench_shown);
  EXPECT_GT(a.views[0].width, 1.4f * a.bench.width) << "the picture is the larger part";
  EXPECT_GT(a.views[0].height, 0.7f * in.size.height);
  EXPECT_FLOAT_EQ(a.views[0].height, a.bench.height);
  EXPECT_FLOAT_EQ(a.sliders.width, in.size.width);
  // One view alone, the bench and two sides take the column's place; so does a window that is too narrow.
  for (int which = 0; which < 4; ++which) {
    ArrangementInput other = in;
    if (which == 0) other.full_view = 0;
    if (which == 1) other.bench_wanted = true;
    if (which == 2) other.comparing = true;
    if (which == 3) other.size.width = 700;
    EXPECT_FALSE(arrange(other).speaker) << which;
  }
}

std::string inks(std::string_view text) {
  constexpr std::string_view kNames[] = {"plain",  "keyword", "type",    "cuda",
                                         "number", "string",  "comment", "directive"};
  std::string out;
  for (const TextLine& line : highlight_cuda(text)) {
    for (const Piece& p : line.pieces) {
      const std::string_view piece = text.substr(line.begin + p.begin, p.end - p.begin);
      if (p.ink != Ink::Plain)
        out += std::string(kNames[static_cast<int>(p.ink)]) + "(" + std::string(piece) + ")";
    }
    out += "|";
  }
  return out;
}

TEST(Highlight, NamesThePiecesOfACudaLine) {
  EXPECT_EQ(inks("int i = threadIdx.x; // index"), "type(int)cuda(threadIdx)comment(// index)|");
  EXPECT_EQ(inks("#define N 4\nreturn 1.5e-3f;"),
            "directive(#define N )number(4)|keyword(return)number(1.5e-3f)|");
  EXPECT_EQ(inks("/* a\nb */ if \"x\\\"y\""), "comment(/* a)|comment(b */)keyword(if)string(\"x\\\"y\")|");
}

TEST(Highlight, CoversEveryByteOfAnyText) {
  for (const std::string_view text : {"\"open", "/*", "'", "\\", "a\r\n\tb", "", "\xff\xfe", "1'000'0"}) {
    for (const auto& lines : {highlight_cuda(text), highlight_ptx(text)}) {
      for (const TextLine& line : lines) {
        std::uint32_t at = 0;
        for (const Piece& p : line.pieces) {
          EXPECT_EQ(p.begin, at);
          at = p.end;
        }
        EXPECT_EQ(at, line.end - line.begin);
      }
    }
  }
}

TEST(Notches, ListsPowersAndRanges) {
  model::Slider s;
  s.min = 8;
  s.max = 100;
  s.powers_of_two = true;
  EXPECT_THAT(model::notches_of(s), ::testing::ElementsAre(8, 16, 32, 64));
  EXPECT_EQ(model::nearest_allowed(s, 1000), 64);
  s.powers_of_two = false;
  EXPECT_TRUE(model::notches_of(s).empty());
  EXPECT_EQ(model::nearest_allowed(s, 1000), 100);
  s.choices = {"a", "b"};
  EXPECT_THAT(model::notches_of(s), ::testing::ElementsAre(0, 1));
}

TEST(Sweep, GoesThroughEveryValueOfASmallRange) {
  const model::Slider banks = testing::slider("stride", 0, 33, 1);
  const std::vector<std::int64_t> values = model::curve_steps(banks, 7);
  ASSERT_EQ(values.size(), 34u);
  for (std::int64_t v = 0; v <= 33; ++v) EXPECT_EQ(values[static_cast<std::size_t>(v)], v);
  EXPECT_EQ(model::curve_steps(testing::slider("n", 1, 64, 1), 1).size(), 64u);
  EXPECT_EQ(model::curve_steps(testing::slider("n", -32, 32, 0), 0).size(), 65u);
}

TEST(Sweep, OfAWideRangeHasEndsPowersOfTwoAndThePresentValue) {
  const model::Slider wide = testing::slider("n", 0, 1000, 10);
  const std::vector<std::int64_t> values = model::curve_steps(wide, 777);
  EXPECT_LE(values.size(), 35u);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  for (const std::int64_t v : {0, 1, 2, 4, 8, 10, 16, 32, 64, 128, 256, 512, 777, 1000})
    EXPECT_THAT(values, ::testing::Contains(v));
  std::int64_t gap = 0;
  for (std::size_t i = 1; i < values.size(); ++i) gap = std::max(gap, values[i] - values[i - 1]);
  EXPECT_LE(gap, 120) << "what lies between is not forgotten";
  const std::vector<std::int64_t> huge =
      model::curve_steps(testing::slider("n", 1, std::int64_t{1} << 62, 1), 5);
  EXPECT_LE(huge.size(), 36u);
  EXPECT_EQ(huge.back(), std::int64_t{1} << 62);
  EXPECT_THAT(huge, ::testing::Contains(5));
}

// Seen: of 2^20 elements the curve had eight points between 1 and 65,536, crowded on the left edge.
TEST(Sweep, OverDecadesItGoesByPowersOfTwo) {
  const std::vector<std::int64_t> values =
      model::curve_steps(testing::slider("n", 1, 1048576, 262144), 300000);
  ASSERT_EQ(values.size(), 22u);
  for (std::int64_t v = 1; v <= 1048576; v *= 2) EXPECT_THAT(values, ::testing::Contains(v));
  EXPECT_THAT(values, ::testing::Contains(300000));
}

TEST(Messages, TheWindowSaysTheSameThingsInBothLanguages) {
  const auto en = Catalogue::load("en"), zh = Catalogue::load("zh");
  ASSERT_TRUE(en && zh);
  for (const std::string& key : en->keys()) {
    if (!key.starts_with("window.")) continue;
    EXPECT_NE(zh->text(key), key);
    EXPECT_TRUE(zh->has(key)) << key;
  }
}

}  // namespace
}  // namespace warplens::window
