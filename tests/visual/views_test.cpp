// Every view over every fixture: nothing overlaps, nothing is clipped, every character has a glyph,
// everything that moves is a function of its arguments.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "tests/visual/fixtures.h"
#include "visual/branch_tree.h"
#include "visual/export.h"

namespace warplens::visual {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::vector<Fixture>& fixtures() {
  static const std::vector<Fixture> all = all_fixtures();
  return all;
}

const Fixture& fixture(std::string_view name) {
  for (const Fixture& f : fixtures())
    if (f.name == name) return f;
  throw std::logic_error("no fixture " + std::string(name));
}

Scene lay_out(const View& view, const Fixture& f, Size size, const std::string& language = "en",
              float phase = 1) {
  const ViewContext context{size, catalogue(language), cairo_text_measure()};
  ViewInput input = f.input();
  input.cursor.phase = phase;
  return view.layout(context, input);
}

class EveryView : public testing::TestWithParam<View> {};

// Panes of a 1280 x 720 window with one and two views, exports, and a large screen.
constexpr std::array<Size, 7> kAllSizes{
    {{640, 360}, {720, 300}, {800, 640}, {960, 540}, {1280, 720}, {1600, 900}, {2560, 1440}}};

TEST_P(EveryView, HasNoOverlapsNoClippingAndNothingOutside) {
  for (const char* language : {"en", "zh"})
    for (const Fixture& f : fixtures())
      for (const Size size : kAllSizes) {
        const Scene scene = lay_out(GetParam(), f, size, language);
        EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()), IsEmpty())
            << GetParam().id << " over " << f.name << " at " << size.width << "x" << size.height << " in "
            << language;
      }
}

TEST_P(EveryView, KeepsItsOrderInTheMiddleOfAnAnimation) {
  for (const Fixture& f : fixtures())
    for (const float phase : {0.0f, 0.05f, 0.3f, 0.5f, 0.7f, 0.9f}) {
      const Scene scene = lay_out(GetParam(), f, {960, 540}, "en", phase);
      EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()), IsEmpty()) << f.name << " at " << phase;
    }
}

TEST_P(EveryView, SurvivesPanesThatAreMuchTooSmall) {
  for (const Fixture& f : fixtures())
    for (const Size size : {Size{40, 30}, Size{200, 120}, Size{320, 1200}, Size{1800, 140}}) {
      const Scene scene = lay_out(GetParam(), f, size);
      for (const Shape& s : scene.shapes) {
        EXPECT_GE(s.box.width, 0) << s.id << " of " << f.name;
        EXPECT_GE(s.box.height, 0) << s.id << " of " << f.name;
      }
    }
}

TEST_P(EveryView, UsesOnlyTheTypeScaleAndCharactersThatFontsHave) {
  const std::set<float> scale{11, 13, 14, 16, 22, 28};
  for (const char* language : {"en", "zh"})
    for (const Fixture& f : fixtures()) {
      const Scene scene = lay_out(GetParam(), f, {1280, 720}, language);
      for (const Shape& s : scene.shapes) {
        if (s.kind != ShapeKind::Text) continue;
        EXPECT_TRUE(scale.contains(s.font_size)) << s.id << " " << s.font_size;
        EXPECT_TRUE(missing_glyphs(s.text, s.face).empty()) << s.text;
        EXPECT_THAT(s.text, Not(HasSubstr("view."))) << "an untranslated key in " << s.id;
      }
    }
}

TEST_P(EveryView, HasATitleATranscriptAndABoundedNumberOfShapes) {
  for (const Fixture& f : fixtures()) {
    const Scene scene = lay_out(GetParam(), f, {2560, 1440});
    EXPECT_FALSE(scene.title.empty());
    EXPECT_FALSE(scene.transcript.empty()) << f.name;
    EXPECT_LT(scene.shapes.size(), 6000u) << f.name;
    EXPECT_TRUE(scene.answer.empty() || scene.evidence.has_value())
        << "a number without its evidence: " << f.name;
  }
}

TEST_P(EveryView, HasANameForItsTab) {
  for (const char* language : {"en", "zh"})
    EXPECT_TRUE(catalogue(language).has("window.view." + std::string(GetParam().id))) << language;
}

TEST_P(EveryView, IsAFunctionOfItsArguments) {
  const Fixture& f = fixture("huge");
  EXPECT_EQ(to_text(lay_out(GetParam(), f, {1280, 720})), to_text(lay_out(GetParam(), f, {1280, 720})));
}

TEST_P(EveryView, WithReducedMotionJumpsFromStopToStop) {
  for (const char* name : {"stride_2", "bank_2x4", "divergent"}) {
    std::set<std::string> pictures;
    for (int i = 0; i <= 60; ++i) {
      ViewContext context{{960, 540}, catalogue("en"), cairo_text_measure()};
      context.reduce_motion = true;
      ViewInput input = fixture(name).input();
      input.cursor.phase = static_cast<float>(i) / 60;
      pictures.insert(to_text(GetParam().layout(context, input)));
    }
    // The start, and what each stop or pass leaves behind.
    EXPECT_LE(pictures.size(), std::max<std::size_t>(GetParam().stops.size(), 2) + 1) << name;
  }
}

TEST_P(EveryView, TellsWhatToDoWhenThereIsNothingToShow) {
  const Scene scene = lay_out(GetParam(), fixture("nothing"), {960, 540});
  const bool has_advice = std::any_of(scene.shapes.begin(), scene.shapes.end(),
                                      [](const Shape& s) { return s.id == "empty.advice.0"; });
  EXPECT_TRUE(has_advice);
  EXPECT_TRUE(scene.answer.empty());
}

TEST_P(EveryView, IdsOfInteractiveShapesNameOneThing) {
  // The same id twice would make hover jump; only slices of one cell may share a lane.
  const Scene scene = lay_out(GetParam(), fixture("stride_2"), {1280, 720});
  std::set<std::string> seen;
  for (const Shape& s : scene.shapes)
    if (!s.tooltip.empty() || !s.target.empty()) {
      EXPECT_TRUE(seen.insert(s.id).second) << s.id;
    }
}

INSTANTIATE_TEST_SUITE_P(All, EveryView, testing::ValuesIn(all_views().begin(), all_views().end()),
                         [](const auto& test) {
                           std::string name(test.param.id);
                           std::erase(name, '-');
                           return name;
                         });

TEST(Views, AreFoundByTheirIds) {
  ASSERT_NE(find_view("address-map"), nullptr);
  ASSERT_NE(find_view("sm-in-motion"), nullptr);
  EXPECT_EQ(find_view("no-such-view"), nullptr);
  for (const View& view : all_views()) EXPECT_TRUE(catalogue("zh").has(view.title_key)) << view.title_key;
}

TEST(Views, StopsAscendAndEndTheStep) {
  for (const View& view : all_views()) {
    float last = 0;
    for (const Stop& stop : view.stops) {
      EXPECT_GT(stop.phase, last) << view.id;
      last = stop.phase;
      EXPECT_TRUE(catalogue("en").has(stop.key)) << stop.key;
    }
    if (!view.stops.empty()) {
      EXPECT_FLOAT_EQ(last, 1.0f) << view.id;
    }
  }
}

TEST(Views, BothLanguagesHoldTheSameKeys) {
  std::vector<std::string> en, zh;
  for (const std::string& key : catalogue("en").keys())
    if (key.starts_with("view.")) en.push_back(key);
  for (const std::string& key : catalogue("zh").keys())
    if (key.starts_with("view.")) zh.push_back(key);
  EXPECT_EQ(en, zh);
}

// What each view says about cases that can be checked in one's head.
TEST(AddressMap, AStrideOfTwoTakesEightSectorsWhereFourWouldDo) {
  const Scene scene = lay_out(*find_view("address-map"), fixture("stride_2"), {960, 540});
  EXPECT_EQ(scene.answer, "8 sectors");
  EXPECT_TRUE(scene.answer_is_worse);
  EXPECT_EQ(scene.evidence, Evidence::CountedInMachineCode);
  EXPECT_THAT(to_text(scene), HasSubstr("128 B fetched for nothing"));
}

TEST(AddressMap, ACoalescedCopyIsNotWarnedAbout) {
  const Scene scene = lay_out(*find_view("address-map"), fixture("stride_1"), {960, 540});
  EXPECT_EQ(scene.answer, "4 sectors");
  EXPECT_FALSE(scene.answer_is_worse);
}

// Two groups of lanes on the same 16 elements that begin in the middle of a sector: the profiler's ideal is
// what 32 lanes of their own would need.
TEST(AddressMap, LanesThatShareAddressesAreNotSaidToNeedWhatTheyFetch) {
  const auto sub_of = [](std::uint64_t first, const char* language) {
    const Fixture f =
        one_access("shared", trace::SiteKind::Load, trace::Space::Global, 4, kFullMask,
                   [&](int lane) { return 0x10000 + 4 * (first + static_cast<std::uint64_t>(lane) % 16); });
    return shape(lay_out(*find_view("address-map"), f, {960, 540}, language), "sub")->text;
  };
  EXPECT_EQ(sub_of(0, "en"), "as few as possible · 1 line");
  EXPECT_EQ(sub_of(4, "en"), "64 B of 96 B used · 1 line");
  EXPECT_EQ(sub_of(4, "zh"), "96 B 中用到 64 B · 1 条缓存行");
}

TEST(AddressMap, BytesThatOtherAccessesUseAreNotForNothing) {
  // Structures of two floats: x is read first, then y.
  const Scene scene = lay_out(*find_view("address-map"), fixture("fields"), {1280, 720});
  const std::string text = to_text(scene);
  EXPECT_THAT(text, HasSubstr("128 B used by its other accesses"));
  EXPECT_THAT(text, Not(HasSubstr("fetched for nothing")));
  EXPECT_TRUE(std::any_of(scene.shapes.begin(), scene.shapes.end(),
                          [](const Shape& s) { return s.id.starts_with("others."); }));
  int sectors = 0;
  for (const Shape& s : scene.shapes) {
    if (!s.id.starts_with("sector.") || s.tooltip.empty()) continue;
    ++sectors;
    EXPECT_THAT(s.tooltip, HasSubstr("16 of 32 bytes used, 16 more by other accesses"));
  }
  EXPECT_GT(sectors, 0);
  ViewContext context{{1280, 720}, catalogue("en"), cairo_text_measure()};
  ViewInput alone = fixture("fields").input();
  alone.overlay = false;
  EXPECT_THAT(to_text(find_view("address-map")->layout(context, alone)),
              HasSubstr("128 B fetched for nothing"));
}

// Four indexes among 32 lanes: word 0 of every fourth lane in one line, word 1 of the next ones in another.
TEST(AddressMap, LocalMemoryIsShownWordByWordAsItLies) {
  const Scene scene = lay_out(*find_view("address-map"), fixture("local"), {1280, 720});
  EXPECT_EQ(scene.answer, "16 sectors");
  EXPECT_TRUE(scene.answer_is_worse);
  const std::string text = to_text(scene);
  EXPECT_THAT(text, HasSubstr("LOCAL MEMORY OF THIS WARP"));
  EXPECT_THAT(text, HasSubstr("local+12"));
  EXPECT_THAT(text, HasSubstr("line 0x180"));
  EXPECT_EQ(lay_out(*find_view("address-map"), fixture("local_wide"), {1280, 720}).answer, "64 sectors");
}

TEST(AddressMap, EveryActiveLaneHasAChipAPathAndItsBytes) {
  const Scene scene = lay_out(*find_view("address-map"), fixture("partial_warp"), {960, 540});
  int chips = 0, paths = 0, bytes = 0;
  for (const Shape& s : scene.shapes) {
    if (s.id.starts_with("lane.") && s.kind == ShapeKind::Box) ++chips;
    if (s.kind == ShapeKind::Curve) ++paths;
    if (s.id.starts_with("bytes.") && s.kind == ShapeKind::Box) ++bytes;
  }
  EXPECT_EQ(chips, 32);
  EXPECT_EQ(paths, 5);
  EXPECT_EQ(bytes, 5);
}

TEST(AddressMap, PathsGrowBeforeSectorsAppearAndReduceMotionJumpsBetweenStops) {
  const View& view = *find_view("address-map");
  const Scene early = lay_out(view, fixture("stride_2"), {960, 540}, "en", 0.05f);
  EXPECT_EQ(std::count_if(early.shapes.begin(), early.shapes.end(),
                          [](const Shape& s) { return s.kind == ShapeKind::Curve; }),
            0);
  const auto quiet = [&](float phase) {
    ViewContext context{{960, 540}, catalogue("en"), cairo_text_measure()};
    context.reduce_motion = true;
    ViewInput input = fixture("stride_2").input();
    input.cursor.phase = phase;
    return to_text(view.layout(context, input));
  };
  EXPECT_EQ(quiet(0.45f), quiet(0.6f));
  EXPECT_NE(quiet(0.6f), quiet(0.63f));
}

TEST(AddressMap, HoveringALaneFadesTheOthers) {
  Fixture f = fixture("stride_2");
  f.hover.lane = 11;
  const Scene scene = lay_out(*find_view("address-map"), f, {960, 540});
  for (const Shape& s : scene.shapes)
    if (s.kind == ShapeKind::Curve) {
      EXPECT_EQ(s.stroke.alpha > 0.9f, s.target.lane == 11) << s.id;
    }
}

TEST(CountersView, ShowsEveryRowOrSaysHowManyItLeavesOut) {
  const Fixture& f = fixture("stride_2");
  for (const Size size : kAllSizes) {
    const Scene scene = lay_out(*find_view("counters"), f, size);
    std::size_t rows = 0, hidden = 0;
    for (const Shape& s : scene.shapes) {
      if (s.id.ends_with(".measured") && s.id.starts_with("metric.")) ++rows;
      if (s.id == "more") hidden = std::stoul(s.text);
    }
    EXPECT_EQ(rows + hidden, f.counters.lines.size()) << size.width << "x" << size.height;
  }
}

TEST(CountersView, FillsALargePaneWithTheWayOfTheBytes) {
  const Fixture& f = fixture("stride_2");
  EXPECT_EQ(to_text(lay_out(*find_view("counters"), f, {1280, 720})).find("their sectors hold"),
            std::string::npos);
  const Scene large = lay_out(*find_view("counters"), f, {2560, 1300});
  const auto width_of = [&](const std::string& step) {
    for (const Shape& s : large.shapes)
      if (s.id == "view.counters.way_in.view.counters." + step + ".bar") return s.box.width;
    return 0.0f;
  };
  double sectors = 0, dram = 0;
  for (const CounterLine& line : f.counters.lines) {
    if (line.key == "counter.global_load_sectors") sectors = line.measured;
    if (line.key == "counter.dram_read") dram = line.measured;
  }
  ASSERT_GT(width_of("in_dram"), 0);
  EXPECT_NEAR(width_of("in_sectors") / width_of("in_dram"), 32 * sectors / dram, 0.01);
}

TEST(CountersView, WarnsOnlyWhereMeasuredAndCountedDiffer) {
  const Scene equal = lay_out(*find_view("counters"), fixture("stride_2"), {1280, 720});
  EXPECT_EQ(equal.answer, "11 of 11 equal");
  EXPECT_FALSE(equal.answer_is_worse);
  const Scene differs = lay_out(*find_view("counters"), fixture("gather"), {1280, 720});
  EXPECT_EQ(differs.answer, "1 of 11 differ");
  EXPECT_TRUE(differs.answer_is_worse);
  EXPECT_THAT(to_text(differs), HasSubstr("131,040"));
}

TEST(CountersView, SaysWhenOnlyTheLoadOnTheSmsMakesTheDifference) {
  Fixture f = fixture("stride_2");
  const auto change = [&](const char* key, double measured) {
    for (CounterLine& line : f.counters.lines)
      if (line.key == key) line.measured = measured;
  };
  change("counter.shared_load_wavefronts", 1055000);
  change("counter.shared_load_conflicts", 1022232);
  const auto says = [&] { return lay_out(*find_view("counters"), f, {1280, 720}).transcript; };
  EXPECT_THAT(says(), HasSubstr("other data was in the way"));
  change("counter.shared_load_wavefronts", 2000000);
  EXPECT_THAT(says(), Not(HasSubstr("in the way"))) << "as much as that is no such thing";
  change("counter.shared_load_wavefronts", 1055000);
  change("counter.global_load_sectors", 262145);
  EXPECT_THAT(says(), Not(HasSubstr("in the way"))) << "global memory has no such reason";
}

TEST(CountersView, DoesNotBuildASentenceOnAnImpossibleRate) {
  Fixture f = fixture("stride_2");
  const auto says = [&] { return lay_out(*find_view("counters"), f, {1280, 720}).transcript; };
  EXPECT_THAT(says(), HasSubstr("of those that came to it"));
  for (CounterLine& line : f.counters.lines)
    if (line.key == "counter.l2_hit_rate") line.measured = 148.3;
  EXPECT_THAT(says(), AllOf(HasSubstr("above 100 %"), Not(HasSubstr("of those that came to it"))));
}

TEST(CountersView, SaysWhatToDoWhereTheyAreKeptToAdministrators) {
  for (const char* view : {"counters", "stalls"}) {
    const Scene scene = lay_out(*find_view(view), fixture("divergent"), {960, 540});
    EXPECT_THAT(to_text(scene), HasSubstr("run as root")) << view;
    // What the warps wait for is modelled without them, and says so.
    if (std::string(view) == "counters")
      EXPECT_TRUE(scene.answer.empty());
    else
      EXPECT_EQ(scene.evidence, Evidence::Modelled);
  }
}

TEST(StallsView, TheLongestWaitComesFirstAndIsExplained) {
  const Scene scene = lay_out(*find_view("stalls"), fixture("stride_2"), {1280, 720});
  EXPECT_EQ(scene.answer, "82 %");
  EXPECT_THAT(scene.transcript, HasSubstr("57 cycles"));
  EXPECT_THAT(scene.transcript, HasSubstr("global, local or texture memory"));
  const std::string text = to_text(scene);
  EXPECT_LT(text.find("Stall Long Scoreboard"), text.find("Stall Short Scoreboard"));
  EXPECT_THAT(text, HasSubstr("Stall LG Throttle"));
}

// What the model says is about what is open: counters of other values of the sliders are no match for it.
TEST(StallsView, TheModelStandsBesideCountersOfTheSameLaunchAlone) {
  Fixture f = fixture("stride_2");
  const auto beside = [&] {
    const Scene scene = lay_out(*find_view("stalls"), f, {1280, 720});
    return std::ranges::any_of(scene.shapes, [](const Shape& s) { return s.id.ends_with(".modelled"); });
  };
  EXPECT_TRUE(beside());
  f.counters.elsewhere = "turns 64";
  EXPECT_FALSE(beside());
}

TEST(SourceView, ALoadAndAStoreAreNotAveraged) {
  for (const Size size : {Size{640, 360}, Size{1280, 720}}) {
    const std::string text = to_text(lay_out(*find_view("source"), fixture("stride_2"), size));
    EXPECT_THAT(text, HasSubstr("\"8.0↓ 4.0↑\""));
    EXPECT_THAT(text, HasSubstr("load: 8.0 a request, 4.0 would do|store: 4.0 a request, 4.0 would do"));
    EXPECT_THAT(text, Not(HasSubstr("\"6.0\"")));
  }
}

TEST(StallsView, EveryReasonThatIsReadHasItsWordsInBothLanguages) {
  for (const char* language : {"en", "zh"})
    for (const std::string& key : catalogue(language).keys())
      if (key.starts_with("counter.stall.")) {
        EXPECT_TRUE(catalogue(language).has("counter.stall_means." + key.substr(14)))
            << language << " " << key;
      }
}

// In low panes as well: what the least time is stands above the roof of the link.
TEST(TransfersView, NoWordsLieOnACurve) {
  for (const Size size : {Size{400, 300}, Size{640, 360}, Size{834, 520}, Size{980, 840}}) {
    const Scene scene = lay_out(*find_view("transfers"), fixture("stride_2"), size);
    const Shape* const words = shape(scene, "to.floor");
    if (!words) continue;
    for (const Shape& s : scene.shapes) {
      if (!s.id.starts_with("to.curve.") || s.tooltip == words->text) continue;
      for (const Point& p : s.points)
        EXPECT_GE(p.y, words->box.bottom() - 2) << s.id << " at " << size.width << " x " << size.height;
    }
  }
}

TEST(TransfersView, NamesTheRateTheFloorAndBothDirections) {
  const Scene wide = lay_out(*find_view("transfers"), fixture("stride_2"), {1600, 900});
  EXPECT_EQ(wide.answer, "55.0 GB/s");
  EXPECT_THAT(to_text(wide), HasSubstr("FROM THE GPU"));
  EXPECT_THAT(to_text(wide), HasSubstr("3.27 µs for every copy"));
  EXPECT_THAT(wide.transcript, HasSubstr("4,096 copies of 4 KB take 44 times"));
  const Scene narrow = lay_out(*find_view("transfers"), fixture("gather"), {800, 640});
  EXPECT_EQ(narrow.title, "How fast do bytes come back from the GPU?");
  EXPECT_THAT(to_text(narrow), Not(HasSubstr("TO THE GPU")));
}

TEST(BankView, CountsPassesAndNamesTheDegree) {
  const Scene scene = lay_out(*find_view("bank-view"), fixture("bank_32x4"), {960, 540});
  EXPECT_EQ(scene.answer, "32 passes");
  EXPECT_TRUE(scene.answer_is_worse);
  EXPECT_THAT(to_text(scene), HasSubstr("32-way conflict"));
}

TEST(BankView, ABroadcastIsOneReadForMany) {
  const Scene scene = lay_out(*find_view("bank-view"), fixture("bank_broadcast"), {960, 540});
  EXPECT_EQ(scene.answer, "1 pass");
  EXPECT_FALSE(scene.answer_is_worse);
  EXPECT_THAT(to_text(scene), HasSubstr("\"×8\""));
}

TEST(BankView, PhasesOfWideAccessesAreNoConflict) {
  const Scene scene = lay_out(*find_view("bank-view"), fixture("bank_1x16"), {960, 540});
  EXPECT_EQ(scene.answer, "4 passes");
  EXPECT_FALSE(scene.answer_is_worse);
}

// Where a scene puts the words of a bank, as centres in the tile that the kernel counts.
std::vector<Point> dots_of_tile(const Scene& scene) {
  std::vector<Point> out;
  for (const Shape& s : scene.shapes)
    if (s.id.starts_with("tile.bank."))
      out.push_back({s.box.x + s.box.width / 2, s.box.y + s.box.height / 2});
  return out;
}
std::set<int> banks_of_words(const Scene& scene) {
  std::set<int> out;
  for (const Shape& s : scene.shapes)
    if (s.id.starts_with("word.") && s.target.bank) out.insert(*s.target.bank);
  return out;
}

TEST(BankView, AColumnOfAPlainTileIsOneBank) {
  const Scene scene = lay_out(*find_view("bank-view"), fixture("tile_32_0"), {1280, 720});
  EXPECT_EQ(scene.answer, "32 passes");
  EXPECT_THAT(banks_of_words(scene), testing::ElementsAre(7));
  const auto dots = dots_of_tile(scene);
  ASSERT_EQ(dots.size(), 32u);
  for (const Point& dot : dots) EXPECT_NEAR(dot.x, dots.front().x, 0.1f);
  EXPECT_THAT(to_text(scene), HasSubstr("float tile[32][32]"));
}

TEST(BankView, PaddingIsMarkedAndTurnsABankIntoADiagonal) {
  const Scene scene = lay_out(*find_view("bank-view"), fixture("tile_33_0"), {1280, 720});
  EXPECT_EQ(scene.answer, "1 pass");
  EXPECT_EQ(banks_of_words(scene).size(), 32u);
  EXPECT_TRUE(std::any_of(scene.shapes.begin(), scene.shapes.end(), [](const Shape& s) {
    return s.id == "tile.padding" && s.pattern == Pattern::Hatched;
  }));
  std::set<int> columns;
  for (const Point& dot : dots_of_tile(scene)) columns.insert(static_cast<int>(dot.x));
  EXPECT_GE(columns.size(), 31u);
}

TEST(BankView, ASwizzleKeepsTheColumnForTheKernelAndScattersItInMemory) {
  const Scene scene = lay_out(*find_view("bank-view"), fixture("tile_32_31"), {1280, 720});
  EXPECT_EQ(scene.answer, "1 pass");
  EXPECT_EQ(banks_of_words(scene).size(), 32u);
  // As the kernel counts, all lanes are in column 7.
  for (int row = 0; row < 32; ++row) {
    const std::string id = fmt::format("tile.{}.7.{}", row, row);
    EXPECT_TRUE(std::any_of(scene.shapes.begin(), scene.shapes.end(), [&](const Shape& s) {
      return s.id == id;
    })) << id;
  }
  EXPECT_THAT(to_text(scene), HasSubstr("XOR swizzle: column ^ (row & 31)"));
}

TEST(ActiveLanes, TheTreePartsWaitsAndJoins) {
  const TreeRow all{kFullMask, 0, 0, 10};
  const LaneMask even = 0x55555555u;
  const std::vector<TreeRow> rows{all, {even, ~even, 10, 20}, {~even, even, 20, 30}, {kFullMask, 0, 30, 40}};
  const auto strands = strands_of(rows);
  ASSERT_EQ(strands[1].size(), 2u);
  EXPECT_TRUE(strands[1][1].runs);
  EXPECT_EQ(strands[1][0].lanes, ~even);
  EXPECT_EQ(strands[2][1].lanes, ~even);
  EXPECT_EQ(strands[3].size(), 1u);
  const std::string text = to_text(lay_out(*find_view("active-lanes"), fixture("divergent"), {1280, 720}));
  EXPECT_THAT(text, HasSubstr("strand."));
  EXPECT_THAT(text, HasSubstr("lane-slots lost"));
}

TEST(ActiveLanes, LostSlotsAddUp) {
  const Scene scene = lay_out(*find_view("active-lanes"), fixture("divergent"), {960, 840});
  EXPECT_TRUE(scene.answer_is_worse);
  EXPECT_THAT(to_text(scene), HasSubstr("reconvergence"));
}

// Beside "counted" stands what was counted, not the average over the machine's instructions.
TEST(ActiveLanes, TheWholeLaunchIsCounted) {
  Fixture f = fixture("divergent");
  f.report.execution.warp_instructions = 10;
  f.report.execution.thread_instructions = 160;
  f.report.execution.machine_warp_instructions = 1;
  f.report.execution.machine_thread_instructions = 24;
  EXPECT_THAT(to_text(lay_out(*find_view("active-lanes"), f, {1280, 720})), HasSubstr("whole launch 50 %"));
}

TEST(Occupancy, NamesWhatIsFull) {
  const Scene scene = lay_out(*find_view("occupancy"), fixture("stride_2"), {960, 540});
  EXPECT_EQ(scene.answer, "62.5 %");
  EXPECT_THAT(to_text(scene), HasSubstr("registers full"));
}

// Seen: before a class the sentence ended with dots where the reason and the way out stand.
TEST(BankView, InALowPaneTheReasonAndTheWayOutAreSaid) {
  const Fixture f = bank_stride(32);
  const ViewContext context{{576, 380}, catalogue("en"), cairo_text_measure()};
  const Scene scene = find_view("bank-view")->layout(context, f.input());
  std::string said;
  for (const Shape& s : scene.shapes)
    if (s.id.starts_with("why.")) said += s.text + " ";
  EXPECT_NE(said.find("padding"), std::string::npos) << said;
  EXPECT_EQ(said.find("…"), std::string::npos) << said;
  EXPECT_NE(scene.transcript.find("32-way"), std::string::npos) << "all of it is read out";
}

}  // namespace
}  // namespace warplens::visual
