#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "engine/ptx/syntax/parser.h"
#include "tests/simt/lane_machine.h"

namespace warplens::simt::test {
namespace {

// One warp that runs `code` (registers %a %b %c %m %o of 32 bits, %w of 64, predicates %p %q).
class WarpCode {
 public:
  explicit WarpCode(const std::string& code)
      : module_(*ptx::parse(".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                            ".reg .b32 %a, %b, %c, %m, %o;\n.reg .b64 %w;\n.reg .pred %p, %q;\n" +
                            code + "\nret;\n}\n")),
        machine_(module_, *module_.find_function("k")) {
    EXPECT_TRUE(machine_.decode()) << machine_.refused();
  }
  template <typename F>
  WarpCode& fill(const std::string& name, F f) {
    for (unsigned l = 0; l < 32; ++l) machine_.set(name, l, static_cast<std::uint64_t>(f(l)));
    return *this;
  }
  std::vector<std::uint64_t> run(const std::string& out, LaneMask active = kFullMask) {
    machine_.run(active);
    return read(out);
  }
  std::vector<std::uint64_t> read(const std::string& out) {
    std::vector<std::uint64_t> lanes;
    for (unsigned l = 0; l < 32; ++l) lanes.push_back(machine_.get(out, l));
    return lanes;
  }

 private:
  ptx::Module module_;
  LaneMachine machine_;
};

template <typename F>
std::vector<std::uint64_t> lanes(F f) {
  std::vector<std::uint64_t> all;
  for (unsigned l = 0; l < 32; ++l) all.push_back(static_cast<std::uint64_t>(f(l)));
  return all;
}

// The pseudo-code of the PTX document for one lane.
struct Source {
  int lane;
  bool inside;
};
Source source_of(const std::string& mode, int lane, int b, int c) {
  const int clamp = c & 31, segment = c >> 8 & 31;
  const int highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
  int j = lane;
  bool inside = false;
  if (mode == "up") inside = (j = lane - (b & 31)) >= highest;
  if (mode == "down") inside = (j = lane + (b & 31)) <= highest;
  if (mode == "bfly") inside = (j = lane ^ (b & 31)) <= highest;
  if (mode == "idx") inside = (j = lowest | ((b & 31) & ~segment)) <= highest;
  return {inside ? j : lane, inside};
}

TEST(OpsWarp, ShufflesInEveryModeAndWidth) {
  for (const std::string mode : {"up", "down", "bfly", "idx"})
    for (const int width : {32, 16, 8, 4, 2, 1})
      for (const int amount : {0, 1, 2, 3, 5, 8, 16, 31}) {
        // What __shfl_sync passes for a width.
        const int c = ((32 - width) << 8) | (mode == "up" ? 0 : 31);
        WarpCode code("shfl.sync." + mode + ".b32 %o|%p, %a, %b, %c, -1;");
        code.fill("%a", [](unsigned l) { return 1000 + l; }).fill("%b", [=](unsigned) { return amount; });
        code.fill("%c", [=](unsigned) { return c; });
        const auto source = [&](unsigned l) { return source_of(mode, static_cast<int>(l), amount, c); };
        ASSERT_EQ(code.run("%o"), lanes([&](unsigned l) { return 1000 + source(l).lane; })) << mode << amount;
        ASSERT_EQ(code.read("%p"), lanes([&](unsigned l) { return source(l).inside; })) << mode << amount;
      }
}

TEST(OpsWarp, ShuffleOverItsOwnSourceAndFromAbsentLanes) {
  WarpCode code("shfl.sync.down.b32 %a, %a, 1, 31, 0xffff;");
  code.fill("%a", [](unsigned l) { return l; });
  // Lane 15 reads lane 16, which does not take part, and finds 0; lanes above stay as they were.
  EXPECT_EQ(code.run("%a", 0xffff), lanes([](unsigned l) { return l < 15 ? l + 1 : l == 15 ? 0 : l; }));
}

TEST(OpsWarp, Votes) {
  const auto odd = [](unsigned l) { return l & 1; };
  const auto vote = [&](const std::string& text, auto holds) {
    return WarpCode("vote.sync." + text).fill("%p", holds).run(text.find("ballot") == 0 ? "%o" : "%q");
  };
  EXPECT_EQ(vote("ballot.b32 %o, %p, -1;", odd), lanes([](unsigned) { return 0xaaaaaaaau; }));
  EXPECT_EQ(vote("ballot.b32 %o, !%p, -1;", odd), lanes([](unsigned) { return 0x55555555u; }));
  EXPECT_EQ(vote("all.pred %q, %p, -1;", odd), lanes([](unsigned) { return 0; }));
  EXPECT_EQ(vote("any.pred %q, %p, -1;", odd), lanes([](unsigned) { return 1; }));
  EXPECT_EQ(vote("uni.pred %q, %p, -1;", odd), lanes([](unsigned) { return 0; }));
  EXPECT_EQ(vote("uni.pred %q, %p, -1;", [](unsigned) { return 0; }), lanes([](unsigned) { return 1; }));
}

TEST(OpsWarp, GroupsOfDifferentMasksVoteForThemselves) {
  const auto tile = [](unsigned l) { return 0xffu << (l & 24); };
  WarpCode code("vote.sync.ballot.b32 %o, %p, %m; redux.sync.add.u32 %c, %a, %m;");
  code.fill("%p", [](unsigned l) { return l % 3 == 0; }).fill("%m", tile).fill("%a", [](unsigned l) {
    return l;
  });
  std::uint32_t thirds = 0;
  for (unsigned l = 0; l < 32; l += 3) thirds |= 1u << l;
  EXPECT_EQ(code.run("%o"), lanes([&](unsigned l) { return thirds & tile(l); }));
  EXPECT_EQ(code.read("%c"), lanes([](unsigned l) { return 8 * (l & 24) + 28; }));
}

TEST(OpsWarp, ActiveMaskAndElection) {
  EXPECT_EQ(WarpCode("activemask.b32 %o;").run("%o", 0xf0)[5], 0xf0u);
  WarpCode code("elect.sync %o|%p, 0xfff0;");
  EXPECT_EQ(code.run("%o", 0xfff0)[7], 4u);
  EXPECT_EQ(code.read("%p"), lanes([](unsigned l) { return l == 4; }));
}

TEST(OpsWarp, Matches) {
  const auto value = [](unsigned l) { return l % 5; };
  WarpCode any("match.any.sync.b32 %o, %a, -1;");
  any.fill("%a", value);
  EXPECT_EQ(any.run("%o"), lanes([&](unsigned l) {
              std::uint32_t equal = 0;
              for (unsigned k = 0; k < 32; ++k) equal |= std::uint32_t{value(k) == value(l)} << k;
              return equal;
            }));
  WarpCode all("match.all.sync.b64 %o|%p, %w, -1;");
  EXPECT_EQ(all.fill("%w", [](unsigned) { return 7; }).run("%o"),
            lanes([](unsigned) { return 0xffffffffu; }));
  EXPECT_EQ(all.read("%p"), lanes([](unsigned) { return 1; }));
  EXPECT_EQ(all.fill("%w", value).run("%o"), lanes([](unsigned) { return 0; }));
  EXPECT_EQ(all.read("%p"), lanes([](unsigned) { return 0; }));
}

TEST(OpsWarp, Reductions) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> a(32);
  for (auto& x : a) x = static_cast<std::uint32_t>(random());
  const auto reduce = [&](const std::string& op, LaneMask active = kFullMask) {
    WarpCode code("redux.sync." + op + " %o, %a, " + std::to_string(active) + ";");
    return code.fill("%a", [&](unsigned l) { return a[l]; }).run("%o", active).back();
  };
  std::uint32_t sum = 0, all = ~0u, any = 0, parity = 0, upper = 0;
  for (const std::uint32_t x : a) sum += x, all &= x, any |= x, parity ^= x;
  for (unsigned l = 16; l < 32; ++l) upper += a[l];
  const auto as_signed = [](std::uint32_t x, std::uint32_t y) {
    return static_cast<int>(x) < static_cast<int>(y);
  };
  EXPECT_EQ(reduce("add.u32"), sum);
  EXPECT_EQ(reduce("add.s32", 0xffff0000), upper);
  EXPECT_EQ(reduce("min.u32"), *std::min_element(a.begin(), a.end()));
  EXPECT_EQ(reduce("max.s32"), *std::max_element(a.begin(), a.end(), as_signed));
  EXPECT_EQ(reduce("and.b32"), all);
  EXPECT_EQ(reduce("or.b32"), any);
  EXPECT_EQ(reduce("xor.b32"), parity);
  for (unsigned l = 0; l < 32; ++l)
    a[l] = std::bit_cast<std::uint32_t>(l == 3 ? NAN : 1.5f - static_cast<float>(l));
  EXPECT_EQ(reduce("min.f32"), std::bit_cast<std::uint32_t>(-29.5f));
  EXPECT_EQ(reduce("max.abs.f32"), std::bit_cast<std::uint32_t>(29.5f));
  EXPECT_EQ(reduce("min.NaN.f32"), 0x7fffffffu);
}

}  // namespace
}  // namespace warplens::simt::test
