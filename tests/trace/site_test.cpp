#include "engine/trace/site.h"

#include <gmock/gmock.h>

#include "engine/ptx/syntax/parser.h"

namespace warplens::trace {
namespace {

// One kernel that calls one function, both with sites; parameters of the call must not become sites.
constexpr const char* kText = R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 counter;
.const .align 4 .f32 table[16];
.func (.param .b32 result) helper(.param .b64 pointer)
{
  .reg .b64 %rd<3>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [pointer];
  ld.global.f32 %f1, [%rd1];
  st.param.f32 [result], %f1;
  ret;
}
.func unused()
{
  .reg .f32 %f<3>;
  .reg .b64 %rd<3>;
  ld.global.f32 %f1, [%rd1];
  ret;
}
.visible .entry kernel(.param .u64 in, .param .u32 n)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .f32 %f<9>;
  .reg .f64 %fd<9>;
  .shared .align 16 .b8 tile[1024];
  .local .align 4 .b8 depot[16];
  ld.param.u64 %rd1, [in];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2+16];
  st.shared.f32 [tile], %f1;
  bar.sync 0;
  ld.f32 %f5, [%rd1];
  atom.global.add.u32 %r1, [%rd2], 1;
  atom.global.cas.b32 %r2, [%rd2], 0, 1;
  add.u32 %r3, %r2, %r2;
  st.local.u32 [depot], %r3;
  red.shared.add.f64 [tile], %fd1;
  atom.shared.add.u32 %r4, [tile], %r3;
  ld.const.f32 %f6, [table+4];
  cp.async.cg.shared.global [tile], [%rd2], 16;
  cp.async.commit_group;
  setp.gt.u32 %p1, %r3, 7;
  @%p1 bra DONE;
  {
    .param .b64 argument;
    .param .b32 returned;
    st.param.b64 [argument], %rd2;
    call.uni (returned), helper, (argument);
    ld.param.f32 %f7, [returned];
  }
  st.global.f32 [%rd2], %f7;
DONE:
  ret;
}
)";

class Sites : public testing::Test {
 protected:
  void SetUp() override {
    auto parsed = ptx::parse(kText);
    ASSERT_TRUE(parsed) << parsed.error().text();
    module_ = std::move(*parsed);
    const auto entry = module_.find_entry("kernel");
    ASSERT_TRUE(entry);
    sites_ = collect_sites(module_, **entry);
  }
  const Site& at(std::string_view op) {
    for (const Site& site : sites_)
      if (site.op == op) return site;
    ADD_FAILURE() << "no site " << op;
    return sites_.front();
  }
  ptx::Module module_;
  std::vector<Site> sites_;
};

TEST_F(Sites, AreThoseOfTheKernelThenOfWhatItCalls) {
  std::vector<std::string> ops;
  for (const Site& site : sites_) ops.push_back(site.op);
  EXPECT_THAT(
      ops, testing::ElementsAre("ld.param.u64", "ld.global.nc.v4.f32", "st.shared.f32", "bar.sync", "ld.f32",
                                "atom.global.add.u32", "atom.global.cas.b32", "st.local.u32",
                                "red.shared.add.f64", "atom.shared.add.u32", "ld.const.f32",
                                "cp.async.cg.shared.global", "bra", "st.global.f32", "ld.global.f32"));
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    EXPECT_EQ(sites_[i].index, i);
    EXPECT_NE(sites_[i].ptx_line, 0);
  }
  EXPECT_NE(sites_.back().function, sites_.front().function);
}

TEST_F(Sites, KindSpaceAndWidth) {
  const auto expect = [&](std::string_view op, SiteKind kind, Space space, int bytes) {
    const Site& site = at(op);
    EXPECT_EQ(site.kind, kind) << op;
    EXPECT_EQ(site.space, space) << op;
    EXPECT_EQ(site.bytes, bytes) << op;
  };
  expect("ld.param.u64", SiteKind::Load, Space::Parameter, 8);
  expect("ld.global.nc.v4.f32", SiteKind::Load, Space::Global, 16);
  expect("st.shared.f32", SiteKind::Store, Space::Shared, 4);
  expect("bar.sync", SiteKind::Barrier, Space::None, 0);
  expect("ld.f32", SiteKind::Load, Space::Generic, 4);
  expect("atom.global.cas.b32", SiteKind::CompareAndSwap, Space::Global, 4);
  expect("st.local.u32", SiteKind::Store, Space::Local, 4);
  expect("red.shared.add.f64", SiteKind::Reduction, Space::Shared, 8);
  expect("ld.const.f32", SiteKind::Load, Space::Constant, 4);
  expect("cp.async.cg.shared.global", SiteKind::AsyncCopy, Space::Global, 16);
  expect("bra", SiteKind::Branch, Space::None, 0);
}

TEST_F(Sites, WhatTheMachineMakesOfThem) {
  EXPECT_TRUE(at("atom.global.add.u32").reduction);  // nobody reads %r1
  EXPECT_FALSE(at("atom.global.cas.b32").reduction);
  EXPECT_TRUE(at("red.shared.add.f64").floating_shared_atomic);
  EXPECT_FALSE(at("atom.shared.add.u32").floating_shared_atomic);
  EXPECT_EQ(at("ld.global.nc.v4.f32").executed_bytes, 4);  // %f1 alone is read
  EXPECT_EQ(at("ld.global.nc.v4.f32").leader, at("ld.global.nc.v4.f32").index);
}

TEST(SiteLines, CodeFromAHeaderIsShownWhereTheUserCalledIt) {
  ptx::Module module;
  module.files = {"", "user.cu", "header.h"};
  module.forms.push_back(ptx::make_form("ld.global.f32"));
  ptx::Function f;
  f.name = "kernel";
  f.is_entry = true;
  f.source_lines = {
      {1, 20, 3, ptx::kNone, ""}, {2, 500, 1, 0, "__ldg"}, {1, 5, 9, 0, "helper"}, {2, 7, 1, 2, "__ldg"}};
  for (const std::uint32_t source : {0u, 1u, 2u, 3u, ptx::kNone}) {
    ptx::Instruction instruction;
    instruction.source = source;
    f.instructions.push_back(instruction);
  }
  module.functions.push_back(f);
  const auto sites = collect_sites(module, module.functions[0]);
  std::vector<int> lines;
  for (const Site& site : sites) lines.push_back(site.line);
  EXPECT_THAT(lines, testing::ElementsAre(20, 20, 5, 5, 0));
  EXPECT_EQ(sites[1].file, "user.cu");
  EXPECT_EQ(sites[4].file, "");
}

// Who leaves a basic block that needs what it loads has waited for it; what is needed further on is still on
// its way then.
TEST(SiteBlocks, SayWhetherALoadIsNeededWhereItIs) {
  const auto parsed = ptx::parse(R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 p) {
  .reg .pred %p1; .reg .b32 %r1; .reg .f32 %f<5>; .reg .b64 %rd1;
  ld.param.u64 %rd1, [p];
  ld.global.f32 %f1, [%rd1];
  add.f32 %f2, %f1, 0f3F800000;
  mov.u32 %r1, %tid.x;
  setp.gt.u32 %p1, %r1, 3;
  @%p1 bra L;
  ld.global.f32 %f3, [%rd1+4];
L:
  add.f32 %f4, %f3, %f2;
  st.global.f32 [%rd1+8], %f4;
  ret;
}
)");
  ASSERT_TRUE(parsed) << parsed.error().text();
  std::vector<Site> loads;
  for (const Site& site : collect_sites(*parsed, parsed->functions[0]))
    if (site.kind == SiteKind::Load && site.space == Space::Global) loads.push_back(site);
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_TRUE(loads[0].needed_in_block);
  EXPECT_FALSE(loads[1].needed_in_block);
  EXPECT_NE(loads[0].basic_block, loads[1].basic_block);
}

TEST(SiteNames, AreStable) {
  EXPECT_EQ(name(SiteKind::CompareAndSwap), "compare_and_swap");
  EXPECT_EQ(name(SiteKind::Barrier), "barrier");
  EXPECT_EQ(name(Space::Parameter), "parameter");
  EXPECT_EQ(name(Space::None), "none");
}

}  // namespace
}  // namespace warplens::trace
