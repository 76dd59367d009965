// Where lanes meet, as machine code says it. Without machine code: loop_exits_test.cpp.
#include "engine/ptx/rules/meeting_places.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/ptx/syntax/machine_code.h"
#include "engine/ptx/syntax/parser.h"

namespace warplens::ptx {
namespace {

// A kernel whose body begins in line 8, with its machine code.
struct Kernel {
  Kernel(const std::string& body, const std::string& machine) {
    auto parsed = parse(
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n.reg .pred %p<9>;\n.reg .b32 "
        "%r<9>;\n\n" +
        body + "}\n");
    EXPECT_TRUE(parsed) << parsed.error().text();
    module = *std::move(parsed);
    const auto listing = parse_listing("k " + machine + "\n");
    EXPECT_TRUE(listing) << listing.error().text();
    attach(*listing, module);
    places = machine_meeting_places(module.functions[0]);
  }
  std::uint32_t block(const std::string& label) const {
    return module.functions[0].block_of[module.functions[0].labels.at(label)];
  }
  bool apart(const std::string& label) const { return places.apart[block(label)]; }

  Module module;
  MeetingPlaces places;
};

// Two ways out of a loop, of which a BSSY names one.
TEST(MeetingPlaces, LanesWaitForEachOtherWhereABssySaysSo) {
  const std::string body =
      "LOOP: add.s32 %r1, %r1, 1;\n@%p1 bra SIDE;\nadd.s32 %r2, %r2, 1;\n@%p2 bra LOOP;\n"
      "BEHIND: mov.u32 %r3, %r2;\nadd.s32 %r3, %r3, 1;\nret;\nSIDE: mov.u32 %r4, 1;\nret;\n";
  const Kernel behind(body, "8P>6 8 9B@>9 10 11B@>1 11Y 12 13 14E 15 16E");
  EXPECT_FALSE(behind.apart("BEHIND"));
  EXPECT_TRUE(behind.apart("SIDE"));
  const Kernel side(body, "8P>9 8 9B@>8 10 11B@>1 12 13 14E 15Y 15 16E");
  EXPECT_TRUE(side.apart("BEHIND"));
  EXPECT_FALSE(side.apart("SIDE"));
}

// Loops that nothing leads out of, or into: a walk along single predecessors comes round to where it began.
TEST(MeetingPlaces, LoopsWithoutAnExitHaveAnAnswer) {
  const Kernel self("LOOP: bra LOOP;\n", "8 8B>0");
  EXPECT_EQ(self.places.meet.size(), 1u);
  const Kernel ring("A: mov.u32 %r1, 1;\nbra B;\nB: mov.u32 %r2, 1;\nbra A;\n", "8 9B>2 10 11B>0");
  EXPECT_EQ(ring.places.apart.size(), 2u);
  const Kernel left("ret;\nA: mov.u32 %r1, 1;\nbra B;\nB: bra A;\n", "8E 9 10B>3 11B>1");
  EXPECT_EQ(left.places.apart.size(), 3u);
}

// if (p1 || (p2 && p3)) A; else B;  each side has two ways that lead to it.
TEST(MeetingPlaces, OneOfTwoSidesThatSeveralTestsLeadTo) {
  const std::string body =
      "@%p1 bra A;\n@%p2 bra B;\n@%p3 bra A;\nB: mov.u32 %r1, 1;\nbra.uni END;\nA: mov.u32 %r1, 2;\n"
      "END: add.s32 %r2, %r1, 1;\nret;\n";
  const Kernel k(body, "8P>10 8B@>8 9P>6 9B@>5 10Q@ 10B@>8 11 12B>9 13 13Y 14 15E");
  EXPECT_TRUE(k.apart("A"));
  EXPECT_TRUE(k.apart("B"));  // named, but by a place that nobody waits in front of
  const Kernel waits(body, "8P>11 8B@>9 9P>7 9B@>6 10Q@ 10B@>9 10Y 11 12B>10 13 13Y 14 15E");
  EXPECT_TRUE(waits.apart("A"));
  EXPECT_FALSE(waits.apart("B"));
}

// Where the machine has predicates for the branches, lanes never part.
TEST(MeetingPlaces, PredicatedTestsPartNobody) {
  const std::string body =
      "@%p1 bra A;\n@%p2 bra B;\n@%p3 bra A;\nB: mov.u32 %r1, 1;\nbra.uni END;\nA: mov.u32 %r1, 2;\n"
      "END: add.s32 %r2, %r1, 1;\nret;\n";
  const Kernel k(body, "8 9 10 11@ 13@ 14 15E");
  EXPECT_FALSE(k.apart("A"));
  EXPECT_FALSE(k.apart("B"));
}

// The first turn of a loop that a jump enters in the middle is peeled: its lanes wait for those that begin at
// the loop's head, and not in later turns.
TEST(MeetingPlaces, AHeadWhereLanesWaitOnce) {
  const std::string body =
      "FIRST: @%p1 bra ONE;\n@%p3 bra TWO;\nbra.uni OUT;\nONE: add.s32 %r1, %r1, 1;\n"
      "TWO: add.s32 %r1, %r1, 2;\n@%p2 bra ONE;\nOUT: ret;\n";
  const Kernel k(body, "8P>6 8B@>5 9E@ 12 13E@ 12Y 11 12 13B@>6 14E");
  EXPECT_TRUE(k.apart("ONE"));
  EXPECT_TRUE(k.apart("TWO"));
  EXPECT_EQ(k.places.meet[k.block("FIRST")], k.block("ONE"));
  EXPECT_EQ(k.places.meet[k.block("TWO")], k.block("OUT"));
}

TEST(MeetingPlaces, WithoutMachineCodeTheRulesSay) {
  Kernel k("ONE: add.s32 %r1, %r1, 1;\nTWO: add.s32 %r1, %r1, 2;\n@%p2 bra ONE;\nOUT: ret;\n",
           "8 9 10B@>0 11E");
  k.module.functions[0].machine.clear();
  const MeetingPlaces places = meeting_places(k.module.functions[0]);
  EXPECT_EQ(places.meet[k.block("TWO")], k.block("OUT"));
  EXPECT_FALSE(places.apart[k.block("ONE")]);
}

}  // namespace
}  // namespace warplens::ptx
