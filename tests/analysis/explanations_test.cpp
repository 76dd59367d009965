#include "engine/analysis/explanations.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "engine/analysis/access_costs.h"
#include "engine/analysis/totals.h"
#include "tests/analysis/trace_builder.h"
#include "tests/support/places.h"

namespace warplens::analysis {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using trace::SiteKind;
using trace::Space;

const Catalogue& catalogue(const char* language) {
  static const auto en = Catalogue::load("en", tests::source_dir() + "/assets/messages");
  static const auto zh = Catalogue::load("zh", tests::source_dir() + "/assets/messages");
  return std::string_view(language) == "en" ? *en : *zh;
}

std::vector<std::string> words(const std::vector<Message>& messages, const char* language = "en") {
  std::vector<std::string> out;
  for (const Message& m : messages) {
    EXPECT_TRUE(catalogue("en").has(m.key)) << m.key;
    EXPECT_TRUE(catalogue("zh").has(m.key)) << m.key;
    out.push_back(catalogue(language).text(m));
    // A sentence that names a value which is not given comes back raw.
    EXPECT_THAT(out.back(), Not(HasSubstr("{"))) << m.key;
    EXPECT_THAT(catalogue("zh").text(m), Not(HasSubstr("{"))) << m.key;
  }
  return out;
}

std::vector<std::string> explain(const TraceBuilder& builder, const char* language = "en") {
  const trace::Trace t = builder.build();
  return words(explain_access(t, t.access(t.size() - 1)), language);
}

TraceBuilder one(SiteKind kind, Space space, int bytes,
                 const std::function<std::uint64_t(std::uint64_t)>& address, LaneMask active = kFullMask,
                 std::string text = {}) {
  TraceBuilder b;
  b.site(kind, space, bytes, std::move(text));
  b.access(address, active);
  return b;
}

TEST(ExplainAccess, Contiguous) {
  const auto b = one(SiteKind::Load, Space::Global, 4, [](auto lane) { return 4096 + 4 * lane; });
  EXPECT_THAT(
      explain(b),
      ElementsAre("Neighbouring lanes are neighbours in memory: 32 lanes need 128 bytes, in sectors of "
                  "32: 4. Nothing is wasted."));
  EXPECT_THAT(explain(b, "zh")[0], HasSubstr("32 个通道需要 128 字节，正好占 4 个扇区"));
}

// Half of what is fetched is for nobody: that no fewer sectors would do does not make it free.
TEST(ExplainAccess, EvenLanesAloneWasteWhatLiesBetween) {
  const auto even = [](LaneMask mask) {
    return one(
        SiteKind::Load, Space::Global, 4, [](auto lane) { return 4096 + 4 * lane; }, mask);
  };
  EXPECT_THAT(explain(even(0x55u)).front(),
              AllOf(HasSubstr("of the 32 bytes in these sectors, 16"), Not(HasSubstr("othing is wasted"))));
  EXPECT_THAT(explain(even(0x55555555u)).front(), HasSubstr("4 sectors for 64 bytes"));
  EXPECT_THAT(explain(even(0x3u)).front(), HasSubstr("2 lanes use 8 of the 32 bytes"));
}

TEST(ExplainAccess, OneLaneAtTheBanksIsNotAllLanes) {
  const auto b = one(
      SiteKind::Load, Space::Shared, 4, [](auto lane) { return 4 * lane; }, 1u);
  EXPECT_THAT(explain(b), Contains(HasSubstr("Only one lane takes part: one pass")));
  EXPECT_THAT(explain(b), Not(Contains(HasSubstr("all 1 lanes"))));
}

TEST(ExplainAccess, Stride) {
  const auto b = one(SiteKind::Load, Space::Global, 4, [](auto lane) { return 4096 + 8 * lane; });
  EXPECT_THAT(explain(b),
              ElementsAre("Stride 2: neighbouring lanes are 8 bytes apart, so 32 lanes span 252 bytes: 8 "
                          "sectors where 4 would hold the data."));
  const auto far = one(SiteKind::Load, Space::Global, 4, [](auto lane) { return 4096 + 128 * lane; });
  EXPECT_THAT(explain(far)[0], AllOf(HasSubstr("Stride 32"), HasSubstr("a sector of its own: 32 sectors")));
}

TEST(ExplainAccess, MisalignedStart) {
  const auto b = one(SiteKind::Load, Space::Global, 4, [](auto lane) { return 4100 + 4 * lane; });
  EXPECT_THAT(explain(b)[0], AllOf(HasSubstr("starts at in[1], 4 bytes past the border"),
                                   HasSubstr("5 sectors where 4 would")));
}

TEST(ExplainAccess, BroadcastAndReversed) {
  const auto same = one(SiteKind::Load, Space::Global, 4, [](auto) { return 4096 + 40; });
  EXPECT_THAT(explain(same)[0], AllOf(HasSubstr("same address, in[10]"), HasSubstr("4 are used")));
  const auto store = one(SiteKind::Store, Space::Global, 4, [](auto) { return 4096; });
  EXPECT_THAT(explain(store)[0], HasSubstr("one of them wins"));
  const auto back = one(SiteKind::Load, Space::Global, 4, [](auto lane) { return 8192 - 4 - 4 * lane; });
  EXPECT_THAT(explain(back)[0], AllOf(HasSubstr("backwards"), HasSubstr("sectors of 32: 4")));
}

TEST(ExplainAccess, ArrayOfStructures) {
  const auto b = one(
      SiteKind::Load, Space::Global, 4, [](auto lane) { return 4096 + 12 * lane; }, kFullMask,
      "float x = points[i].x;");
  EXPECT_THAT(explain(b)[0], AllOf(HasSubstr("array of structures"), HasSubstr("takes 4 of 12 bytes"),
                                   HasSubstr("12 sectors where 4")));
}

TEST(ExplainAccess, RowsAndScatter) {
  const auto tile = one(SiteKind::Load, Space::Global, 4,
                        [](auto lane) { return 4096 + 4 * (lane % 16) + 4096 * (lane / 16); });
  EXPECT_THAT(explain(tile)[0], HasSubstr("2 rows of 16 lanes each, 4,096 bytes apart: 4 sectors"));
  const auto overlapping = one(SiteKind::Load, Space::Global, 4,
                               [](auto lane) { return 4116 + 4 * (lane % 16) + 16 * (lane / 16); });
  EXPECT_THAT(explain(overlapping)[0], HasSubstr("overlap: 4 sectors. Of the 128 bytes in them, 80 are used"))
      << "three would hold 80 bytes";
  const auto wild =
      one(SiteKind::Load, Space::Global, 4, [](auto lane) { return 4096 + 4 * (lane * lane * 37 % 4096); });
  EXPECT_THAT(explain(wild)[0], HasSubstr("no pattern"));
}

TEST(ExplainAccess, GroupsOfLanes) {
  const auto columns = one(SiteKind::Load, Space::Global, 4,
                           [](auto lane) { return 4096 + 256 * (lane % 16) + 4 * (lane / 16); });
  EXPECT_THAT(explain(columns)[0], AllOf(HasSubstr("2 groups of 16 lanes, 4 bytes apart"),
                                         HasSubstr("256 bytes apart: 16 sectors where 4")));
  const auto rows = one(SiteKind::Load, Space::Global, 4, [](auto lane) { return 4096 + 256 * (lane / 16); });
  EXPECT_THAT(explain(rows)[0],
              HasSubstr("2 groups of 16 lanes each go to one address: of the 64 bytes in their sectors, 8"));
  const auto same = one(SiteKind::Load, Space::Global, 4, [](auto lane) { return 4096 + 256 * (lane % 16); });
  EXPECT_THAT(
      explain(same)[0],
      HasSubstr("go to the same addresses, 256 bytes from lane to lane: of the 512 bytes in 16 sectors"));
}

TEST(ExplainAccess, IdleLanesLeaveGaps) {
  const auto b = one(
      SiteKind::Store, Space::Global, 4, [](auto lane) { return 4096 + 4 * lane; }, 0x55555555u);
  EXPECT_THAT(explain(b), ElementsAre(HasSubstr("4 sectors for 64 bytes, which 2 could hold"),
                                      HasSubstr("(0, 2, …, 30)")));
}

TEST(ExplainAccess, PartialWarps) {
  const auto b = one(
      SiteKind::Load, Space::Global, 4, [](auto lane) { return 4096 + 4 * lane; }, 0x1ffu);
  EXPECT_THAT(explain(b), Contains("Only 9 of 32 lanes take part (0–8): the others wait."));
  const auto single = one(
      SiteKind::Load, Space::Global, 4, [](auto) { return 4096; }, 1u);
  EXPECT_THAT(explain(single)[0], HasSubstr("A single lane goes to in[0]: 32 bytes are moved for the 4"));
  const auto none = one(
      SiteKind::Load, Space::Global, 4, [](auto) { return 4096; }, 0u);
  EXPECT_THAT(explain(none), ElementsAre(HasSubstr("No lane is active")));
}

TEST(ExplainAccess, Atomics) {
  const auto same = one(SiteKind::Atomic, Space::Global, 4, [](auto) { return 4096; });
  EXPECT_THAT(explain(same)[0], AllOf(HasSubstr("32 lanes (0–31) update the same address, in[0]"),
                                      HasSubstr("sectors visited, 32; different ones, 1")));
  const auto groups =
      one(SiteKind::Atomic, Space::Global, 4, [](auto lane) { return 4096 + 4 * (lane % 8); });
  EXPECT_THAT(explain(groups)[0], HasSubstr("4 lanes (0, 8, 16, 24)"));
  TraceBuilder red;
  red.site(SiteKind::Atomic, Space::Global, 4).reduction = true;
  red.access([](auto lane) { return 4096 + 4 * lane; });
  EXPECT_THAT(explain(red), ElementsAre(HasSubstr("an address of its own"), HasSubstr("sends a reduction")));
}

TEST(ExplainAccess, AtomicsThatTheWarpCombines) {
  TraceBuilder b;
  b.site(SiteKind::Atomic, Space::Global, 4).atomic_form = ptx::AtomicForm::OneLane;
  b.access([](auto) { return 4096; });
  EXPECT_THAT(explain(b), ElementsAre(HasSubstr("one lane updates memory for all")));
  b.site(SiteKind::Atomic, Space::Shared, 4).atomic_form = ptx::AtomicForm::CountLanes;
  b.access([](auto) { return 64; });
  EXPECT_THAT(explain(b), ElementsAre(HasSubstr("counted and added together"), HasSubstr("same word")));
}

TEST(ExplainAccess, BankConflictsNameLanesAndBank) {
  const auto two = one(SiteKind::Load, Space::Shared, 4, [](auto lane) { return 8 * lane; });
  EXPECT_THAT(explain(two)[0], AllOf(HasSubstr("2-way bank conflict: lanes 0 and 16 both want bank 0"),
                                     HasSubstr("takes 2 passes instead of 1")));
  EXPECT_THAT(explain(two)[1], HasSubstr("2 words apart: 2 lanes meet in each bank"));
  const auto column = one(SiteKind::Load, Space::Shared, 4, [](auto lane) { return 128 * lane; });
  EXPECT_THAT(explain(column)[0], AllOf(HasSubstr("32-way"), HasSubstr("lanes 0 and 1")));
  EXPECT_THAT(explain(column)[1], HasSubstr("Rows of 33 words"));
}

TEST(ExplainAccess, SharedWithoutConflicts) {
  const auto linear = one(SiteKind::Load, Space::Shared, 4, [](auto lane) { return 4 * lane; });
  EXPECT_THAT(explain(linear), ElementsAre(HasSubstr("Every bank is asked for one word at most")));
  const auto wide = one(SiteKind::Load, Space::Shared, 16, [](auto lane) { return 16 * lane; });
  EXPECT_THAT(explain(wide), ElementsAre(AllOf(HasSubstr("4 groups"), HasSubstr("not a conflict"))));
  const auto same = one(SiteKind::Load, Space::Shared, 4, [](auto) { return 40; });
  EXPECT_THAT(explain(same), ElementsAre(HasSubstr("want the same word")));
  const auto pairs = one(SiteKind::Load, Space::Shared, 8, [](auto lane) { return 8 * (lane / 2); });
  EXPECT_THAT(explain(pairs), Contains(HasSubstr("groups of lanes are served together: 1")));
}

TEST(ExplainAccess, SharedAtomics) {
  const auto same = one(SiteKind::Atomic, Space::Shared, 4, [](auto) { return 0; });
  EXPECT_THAT(explain(same)[0],
              AllOf(HasSubstr("Lanes 0 and 1 both update the same word"), HasSubstr("32 passes")));
  TraceBuilder loop;
  loop.site(SiteKind::Atomic, Space::Shared, 4).floating_shared_atomic = true;
  loop.access([](auto lane) { return 4 * (lane % 16); });
  EXPECT_THAT(explain(loop)[0], HasSubstr("2 rounds"));
}

TEST(ExplainAccess, LocalAndConstant) {
  const auto same = one(SiteKind::Load, Space::Local, 4, [](auto) { return 8; });
  EXPECT_THAT(explain(same)[0], HasSubstr("4 sectors"));
  const auto own = one(SiteKind::Load, Space::Local, 4, [](auto lane) { return 4 * lane; });
  EXPECT_THAT(explain(own)[0], AllOf(HasSubstr("32 different indexes"), HasSubstr("32 sectors")));
  const auto uniform = one(SiteKind::Load, Space::Constant, 4, [](auto) { return 8; });
  EXPECT_THAT(explain(uniform)[0], HasSubstr("broadcast"));
  const auto table = one(SiteKind::Load, Space::Constant, 4, [](auto lane) { return 4 * (lane % 5); });
  EXPECT_THAT(explain(table)[0], HasSubstr("5 different addresses"));
}

TEST(ExplainAccess, ArraysInRegisters) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Local, 4).in_registers = true;
  b.access([](auto) { return 8; });
  EXPECT_THAT(explain(b), ElementsAre(HasSubstr("keeps this small array in registers")));
}

TEST(ExplainAccess, MergedAndWidened) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Shared, 4).executed_bytes = 8;
  b.access([](auto lane) { return 8 * lane; });
  EXPECT_THAT(explain(b), ElementsAre(HasSubstr("8 bytes at once instead of 4"), HasSubstr("2 groups")));
  b.site(SiteKind::Load, Space::Shared, 4).leader = 0;
  b.access([](auto lane) { return 8 * lane + 4; });
  EXPECT_THAT(explain(b), ElementsAre(HasSubstr("neighbour on line 10")));
}

const ComputeCapability& capability(const char* cc) {
  static const auto devices = DeviceCatalogue::load(tests::source_dir() + "/assets/devices");
  return **devices->capability(cc);
}

Report report_of(const TraceBuilder& b) {
  Report report;
  TotalsCounter counter(b.sites());
  b.feed(counter);
  report.totals = counter.totals();
  report.sites = b.sites();
  report.launch.block = {32, 1, 1};
  report.execution = {100, 3200, 0, 0};
  return report;
}

TEST(ExplainLaunch, MostCostlyFirstWithItsReason) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  b.access([](auto lane) { return 4096 + 8 * lane; });
  b.site(SiteKind::Load, Space::Shared, 4);
  b.access([](auto lane) { return 128 * lane; });
  const Report report = report_of(b);
  const trace::Trace t = b.build();
  const auto said = words(explain_launch(report, &t));
  ASSERT_GE(said.size(), 4u);
  EXPECT_THAT(said[0], AllOf(HasSubstr("Line 11"), HasSubstr("31 are bank conflicts")));
  EXPECT_THAT(said[1], HasSubstr("32-way"));
  EXPECT_THAT(said, Contains(AllOf(HasSubstr("Line 10"), HasSubstr("8 sectors where 4"))));
  EXPECT_THAT(said, Contains(HasSubstr("use 50.0 % of the bytes")));
  EXPECT_THAT(words(explain_launch(report, nullptr)), Not(Contains(HasSubstr("32-way"))));
}

TEST(ExplainLaunch, CopiesThatUnrollingMadeAreOneFinding) {
  TraceBuilder b;
  for (int copy = 0; copy < 4; ++copy) {
    b.site(SiteKind::Load, Space::Global, 4).line = 7;
    b.access([](auto lane) { return 4096 + 8 * lane; });
  }
  const auto said = words(explain_launch(report_of(b), nullptr));
  EXPECT_THAT(said[0], HasSubstr("Line 7 (load) reads 32 sectors where 16"));
  EXPECT_THAT(said[1], Not(HasSubstr("Line 7")));
}

TEST(ExplainLaunch, FieldsOfAStructureAreOneFindingAndAReasonIsGivenOnce) {
  TraceBuilder b;
  // 28 bytes a lane: depending on where the field starts, 28 or 29 sectors.
  for (const int field : {0, 4, 8, 12, 16, 20, 24}) {
    b.site(SiteKind::Load, Space::Global, 4).line = 7;
    b.access([&](auto lane) { return 4096 + 28 * lane + field; });
  }
  b.site(SiteKind::Store, Space::Global, 4).line = 9;
  b.access([](auto lane) { return 4096 + 28 * lane; });
  const trace::Trace t = b.build();
  const auto said = words(explain_launch(report_of(b), &t));
  EXPECT_EQ(std::count_if(said.begin(), said.end(),
                          [](const std::string& s) { return s.find("Line 7") != std::string::npos; }),
            1);
  EXPECT_EQ(std::count_if(said.begin(), said.end(),
                          [](const std::string& s) { return s.find("Stride 7") != std::string::npos; }),
            1);
  EXPECT_THAT(said, Contains(HasSubstr("Line 9 (store)")));
}

TEST(ExplainLaunch, AnAccessThatWastesNothingIsNoReason) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4);
  b.access([](auto lane) { return 4096 + 4 * lane; });
  const trace::Trace stored = b.build();
  b.access([](auto lane) { return 4104 + 4 * lane; });  // counted, but not in the stored blocks
  const auto said = words(explain_launch(report_of(b), &stored));
  EXPECT_THAT(said[0], HasSubstr("reads 9 sectors where 8"));
  EXPECT_THAT(said, Not(Contains(HasSubstr("Nothing is wasted"))));
}

TEST(ExplainLaunch, TwoAccessesOfOneLineStayApart) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Global, 4).line = 7;
  b.access([](auto) { return 4096; });
  b.site(SiteKind::Load, Space::Global, 4).line = 7;
  b.access([](auto lane) { return 4096 + 128 * lane; });
  const trace::Trace t = b.build();
  const auto said = words(explain_launch(report_of(b), &t));
  EXPECT_THAT(said[0], HasSubstr("Line 7 (load) reads 32 sectors where 4"));
  EXPECT_THAT(said[1], HasSubstr("Stride 32"));
}

// Of the same run one speaker says how its lanes part, the other how it goes through the banks.
TEST(ExplainLaunch, WhatOneSpeaksOfComesFirst) {
  TraceBuilder b;
  b.site(SiteKind::Branch, Space::None, 0).line = 5;
  b.branch(kFullMask, 1);
  trace::Site& load = b.site(SiteKind::Load, Space::Shared, 4);
  load.line = 7;
  b.access([](auto lane) { return 4 * lane; });
  b.site(SiteKind::Load, Space::Global, 4).line = 9;
  b.access([](auto lane) { return 4096 + 8 * lane; });
  const trace::Trace t = b.build();
  Report report = report_of(b);
  const auto first = [&](const About& about) { return words(explain_launch(report, &t, {about}))[0]; };
  EXPECT_THAT(first({"", "", "shared"}), AllOf(HasSubstr("Line 7"), HasSubstr("no bank conflicts")));
  EXPECT_THAT(first({"", "", "global"}), HasSubstr("Line 9"));
  EXPECT_THAT(first({"", "branch", ""}), HasSubstr("Line 5"));
  load.text = "sum += tile[lane];";
  report.sites = b.sites();
  report.about = {{"tile[lane]", "load", ""}};
  EXPECT_THAT(first({"", "", "shared"}), HasSubstr("Line 7"));
  EXPECT_EQ(explain_launch(report, &t), explain_launch(report, &t, report.about));
}

TEST(ExplainLaunch, LanesThatNeverPartAreSaidToBeTogether) {
  TraceBuilder b;
  b.site(SiteKind::Branch, Space::None, 0);
  b.branch(kFullMask, kFullMask);
  b.site(SiteKind::Load, Space::Shared, 4);
  b.access([](auto lane) { return 128 * lane; });
  Report report = report_of(b);
  const std::vector<About> lanes{{"", "branch", ""}};
  EXPECT_THAT(words(explain_launch(report, nullptr, lanes))[0], HasSubstr("No branch parts a warp"));
  report.execution = {100, 2400, 0, 0};
  const auto said = words(explain_launch(report, nullptr, lanes));
  EXPECT_THAT(said[0], HasSubstr("On average 24.0 of 32 lanes"));
  EXPECT_THAT(said[1], HasSubstr("bank conflicts"));
  EXPECT_EQ(std::count(said.begin(), said.end(), said[0]), 1);
}

// What the kernel names comes first, be it well: a tail that parts once is no headline of a copy by vectors.
TEST(ExplainLaunch, TheNamedAccessIsToldFirstAlsoWhereItIsWell) {
  TraceBuilder b;
  b.site(SiteKind::Branch, Space::None, 0).line = 5;
  for (int i = 0; i < 499; ++i) b.branch(kFullMask, kFullMask);
  b.branch(kFullMask, 1);
  trace::Site& load = b.site(SiteKind::Load, Space::Shared, 16);
  load.line = 7;
  load.text = "sum += tile[lane];";
  b.access([](auto lane) { return 16 * lane; });
  const trace::Trace t = b.build();
  Report report = report_of(b);
  EXPECT_THAT(words(explain_launch(report, &t))[0],
              AllOf(HasSubstr("Line 5"), HasSubstr("1 of 500"), HasSubstr("(0.2 %)")));
  report.about = {{"tile[lane]", "load", "shared"}};
  const auto said = words(explain_launch(report, &t));
  EXPECT_THAT(said[0], AllOf(HasSubstr("Line 7"), HasSubstr("no bank conflicts: 4.0 passes a request")));
  EXPECT_THAT(said[1], HasSubstr("4 groups"));
  EXPECT_THAT(said, Contains(HasSubstr("1 of 500")));
}

// The number over the sentence is of all copies that unrolling made, those without loss among them.
TEST(ExplainLaunch, TheSentenceCountsTheSameCopiesAsTheNumber) {
  TraceBuilder b;
  for (const int from : {0, 4}) {
    b.site(SiteKind::Load, Space::Global, 4).line = 7;
    b.access([&](auto lane) { return 4096 + from + 4 * lane; });
  }
  const trace::Trace t = b.build();
  const Report report = report_of(b);
  const auto said = words(explain_launch(report, &t));
  EXPECT_DOUBLE_EQ(focus_of(report).first()->per_request(), 4.5);
  EXPECT_THAT(said[0], HasSubstr("reads 9 sectors where 8 would hold the data: 4.5 a request"));
  EXPECT_THAT(said[1], HasSubstr("5 sectors where 4")) << "of the copy that loses";
}

TEST(ExplainLaunch, TheExampleIsTheWorstAccess) {
  TraceBuilder b;
  b.site(SiteKind::Load, Space::Shared, 4);
  b.access([](auto lane) { return 8 * lane; });
  b.access([](auto lane) { return 32 * lane; });
  b.access([](auto lane) { return 8 * lane; });
  const trace::Trace t = b.build();
  EXPECT_THAT(words(explain_launch(report_of(b), &t))[1], HasSubstr("8-way"));
}

TEST(ExplainLaunch, CleanRunsAreToldSo) {
  const auto b = one(SiteKind::Load, Space::Global, 4, [](auto lane) { return 4096 + 4 * lane; });
  const auto said = words(explain_launch(report_of(b), nullptr));
  EXPECT_THAT(said[0], HasSubstr("No access of this launch moves more than it must"));
  Report nothing;
  nothing.launch.block = {32, 1, 1};
  EXPECT_THAT(explain_launch(nothing, nullptr), IsEmpty());
}

std::vector<std::string> divergence(LaneMask active, LaneMask taken) {
  TraceBuilder b;
  b.site(SiteKind::Branch, Space::None, 0);
  b.branch(kFullMask, kFullMask);
  b.branch(active, taken);
  const trace::Trace t = b.build();
  return words(explain_launch(report_of(b), &t));
}

TEST(ExplainLaunch, DivergenceByItsPattern) {
  const auto parity = divergence(kFullMask, 0x55555555u);
  EXPECT_THAT(parity[0], HasSubstr("1 of 2 warp branches diverge (50 %)"));
  EXPECT_THAT(parity[1], HasSubstr("Odd and even lanes part"));
  EXPECT_THAT(divergence(kFullMask, 0xfff00000u)[1], HasSubstr("12 lanes jump (20–31) and 20 go on"));
  EXPECT_THAT(divergence(0xffu, 0x29u)[1], HasSubstr("3 lanes jump (0, 3, 5)"));
}

TEST(ExplainLaunch, APredicatedBranchIsToldFromAJump) {
  for (const bool predicated : {false, true}) {
    TraceBuilder b;
    b.site(SiteKind::Branch, Space::None, 0).leaves = predicated;
    b.branch(kFullMask, 0xffu);
    const auto said = words(explain_launch(report_of(b), nullptr));
    // The counters' number of branches stands beside it: a count of branches that are none would contradict
    // it.
    EXPECT_THAT(said[0], predicated
                             ? HasSubstr("the lanes part in 1 of 1 execution (100 %). ptxas made no branch")
                             : HasSubstr("1 of 1 warp branch diverges"));
    if (predicated) {
      EXPECT_THAT(said, Each(Not(HasSubstr("branches diverge"))));
    }
  }
}

TEST(ExplainLaunch, AtomicsLocalConstantAndPartialWarps) {
  TraceBuilder b;
  b.site(SiteKind::Atomic, Space::Global, 4).reduction = true;
  b.access([](auto) { return 4096; });
  b.site(SiteKind::Load, Space::Local, 4);
  b.access([](auto) { return 0; });
  b.site(SiteKind::Load, Space::Constant, 4);
  b.access([](auto lane) { return 4 * lane; });
  Report report = report_of(b);
  report.launch.block = {48, 1, 1};
  report.execution = {100, 2400, 0, 0};
  report.occupancy = occupancy(capability("9.0"), {.registers_per_thread = 64});
  const auto said = words(explain_launch(report, nullptr));
  EXPECT_THAT(said, Contains(HasSubstr("32 sector visits where 1 would do")));
  EXPECT_THAT(said, Contains(HasSubstr("uses local memory")));
  EXPECT_THAT(said, Contains(HasSubstr("32.0 different constant addresses")));
  EXPECT_THAT(said, Contains(HasSubstr("A block of 48 threads has 2 warps, and the last of them only 16")));
  EXPECT_THAT(said, Contains(HasSubstr("On average 24.0 of 32 lanes")));
  EXPECT_THAT(said, Contains(HasSubstr("What limits it: registers")));
}

std::vector<std::string> about(const KernelResources& kernel, const char* cc = "9.0") {
  const ComputeCapability& limits = capability(cc);
  return words(explain_occupancy(limits, kernel, occupancy(limits, kernel)));
}

TEST(ExplainOccupancy, LimiterAndNextStep) {
  const auto registers = about({.threads_per_block = 256, .registers_per_thread = 64});
  EXPECT_THAT(registers[0], HasSubstr("4 blocks of 8 warps fit on an SM: 32 of 64 warps, 50.0 %"));
  EXPECT_THAT(registers[1], HasSubstr("64 registers a thread make 16,384 a block"));
  EXPECT_THAT(registers[2], HasSubstr("With 48 registers a thread, 5 blocks would fit (62.5 %)"));
  const auto shared = about({.threads_per_block = 128, .registers_per_thread = 32, .dynamic_shared = 16384});
  EXPECT_THAT(shared, Contains(HasSubstr("17,408 bytes of shared memory")));
  // 228 KiB / 14 blocks, less the 1 KiB that the system reserves.
  EXPECT_THAT(shared, Contains(HasSubstr("at most 15,616 bytes of shared memory a block, 14 blocks")));
  const auto small = about({.threads_per_block = 32, .registers_per_thread = 16});
  EXPECT_THAT(small, Contains(HasSubstr("32 blocks at most, however small")));
  EXPECT_THAT(small, Contains(HasSubstr("Blocks of 64 threads would put 64 warps")));
  EXPECT_THAT(about({.threads_per_block = 256, .registers_per_thread = 32}),
              Contains(HasSubstr("All warp slots")));
  const auto odd = about({.threads_per_block = 768, .registers_per_thread = 16}, "9.0");
  EXPECT_THAT(odd, Contains(HasSubstr("but for 16, too few")));
}

TEST(ExplainOccupancy, WhatCannotBeLaunched) {
  EXPECT_THAT(about({.threads_per_block = 1024, .registers_per_thread = 65}),
              ElementsAre(HasSubstr("more than the 65,536")));
  EXPECT_THAT(about({.threads_per_block = 2048, .registers_per_thread = 16}),
              Contains(HasSubstr("may have 1,024 threads; this one has 2,048")));
  EXPECT_THAT(about({.dynamic_shared = 300000}), Contains(HasSubstr("this one asks for 300,000")));
}

TEST(ExplanationCatalogue, EveryLanguageHasEveryKey) {
  const auto ours = [](const Catalogue& c) {
    auto keys = c.keys();
    std::erase_if(keys, [](const std::string& key) {
      return key.rfind("explain.", 0) != 0 && key.rfind("report.", 0) != 0;
    });
    return keys;
  };
  EXPECT_GT(ours(catalogue("en")).size(), 100u);
  EXPECT_EQ(ours(catalogue("en")), ours(catalogue("zh")));
}

// A trace from a file may hold any address; the distance of these two has no positive counterpart.
TEST(ExplainAccess, DistancesThatNoMemoryHasAreNoPattern) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
  for (const LaneMask active : {LaneMask{3}, LaneMask{15}}) {
    TraceBuilder b;
    b.site(SiteKind::Load, Space::Global, 4);
    b.access([&](std::uint64_t lane) { return 4096 + lane % 2 * kHalf + lane / 2 * 64; }, active);
    EXPECT_THAT(explain(b), Contains(HasSubstr("follow no pattern"))) << active;
  }
}

}  // namespace
}  // namespace warplens::analysis
