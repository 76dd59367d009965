// What the registers of an mma are to the accesses that fill and empty them, and who holds what is moved.
#include "engine/analysis/fragment_moves.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "engine/ptx/syntax/parser.h"
#include "tests/fragments_ptx.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;
using Use = trace::Fragment::Use;

// A by rows with ldmatrix.x4; B lies by rows of k and is turned on the way; a move between; D as two floats.
const std::string kProduct =
    fragments_kernel(R"(  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r6, %r7}, [%r1+512];
  mov.b32 %r8, %r7;
  mov.f32 %f1, 0f00000000;
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r2, %r3, %r4, %r5}, {%r6, %r8}, {%f1, %f1, %f1, %f1};
  st.global.v2.f32 [%rd1], {%f2, %f3};
  st.global.v2.f32 [%rd1+64], {%f4, %f5};
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [%r1];
  st.global.u32 [%rd1+128], %r9;
)");

const std::string kTiles = fragments_kernel(R"(  mov.u32 %r1, 16;
  wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {%r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9}, [%rd1], %r1;
)");

class Moves {
 public:
  explicit Moves(const std::string& text) : module_(std::move(*ptx::parse(text))) {
    trace_.sites = trace::collect_sites(module_, module_.functions[0]);
  }

  std::size_t site(const std::string& begin, int skip = 0) const {
    for (const trace::Site& s : trace_.sites)
      if (s.op.starts_with(begin) && skip-- == 0) return s.index;
    ADD_FAILURE() << "no " << begin;
    return 0;
  }

  // One access of each of these sites; addresses as told.
  template <typename Address>
  void record(const std::vector<std::size_t>& sites, int bytes, LaneMask active, Address address) {
    trace::Recorder recorder({});
    recorder.on_block_begin(0);
    for (const std::size_t index : sites) {
      std::array<std::uint64_t, 32> addresses{};
      for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = address(lane);
      trace::Access access;
      access.site = static_cast<trace::SiteId>(index);
      access.kind = trace_.sites[index].kind;
      access.space = trace_.sites[index].space;
      access.bytes = static_cast<std::uint8_t>(bytes);
      access.active = active;
      access.addresses = addresses.data();
      recorder.on_access(access);
    }
    recorder.on_block_end(0);
    auto sites_of = std::move(trace_.sites);
    trace_ = recorder.take();
    trace_.sites = std::move(sites_of);
    moves_ = fragment_moves(module_, trace_);
  }

  std::optional<FragmentMove> at(std::size_t step) const { return move_at(moves_, trace_, step); }
  const FragmentMoves& all() const { return moves_; }

 private:
  ptx::Module module_;
  trace::Trace trace_;
  FragmentMoves moves_;
};

TEST(FragmentMoves, LdmatrixHandsRowsToFourLanesEach) {
  Moves moves(kProduct);
  moves.record({moves.site("ldmatrix.sync.aligned.m8n8.x4")}, 16, kFullMask,
               [](unsigned l) { return 16 * l; });
  ASSERT_EQ(moves.all().products.size(), 1u);
  const auto move = moves.at(7);
  ASSERT_TRUE(move && move->product);
  EXPECT_TRUE(move->rows_named);
  ASSERT_EQ(move->rows.size(), 32u);
  // Lane 13 names row 5 of the second matrix: rows 8 to 15 of A, columns 0 to 7.
  const FragmentRow& row = move->rows[13];
  EXPECT_EQ(row.lane, 13);
  ASSERT_EQ(row.cells.size(), 8u);
  for (int j = 0; j < 8; ++j) {
    const FragmentCell& cell = row.cells[static_cast<std::size_t>(j)];
    EXPECT_EQ(cell.tile, 0);
    EXPECT_EQ(cell.place.row, 13);
    EXPECT_EQ(cell.place.column, j);
    EXPECT_EQ(cell.lane, 20 + j / 2);
    EXPECT_EQ(cell.reg, 1);
  }
}

TEST(FragmentMoves, WhatLiesTransposedIsTurnedAndFollowedThroughMoves) {
  Moves moves(kProduct);
  moves.record({moves.site("ldmatrix.sync.aligned.m8n8.x2")}, 16, 0xffff, [](unsigned l) { return 16 * l; });
  const auto move = moves.at(0);
  ASSERT_TRUE(move && move->product);
  EXPECT_TRUE(move->transposed);
  EXPECT_EQ(move->elsewhere, 0) << "the second register reaches the product through a move";
  ASSERT_EQ(move->rows.size(), 16u);
  // Lane 11 names row 3 of the second matrix, which is row k = 11 of B; its j-th half is column j.
  for (int j = 0; j < 8; ++j) {
    const FragmentCell& cell = move->rows[11].cells[static_cast<std::size_t>(j)];
    EXPECT_EQ(cell.tile, 1);
    EXPECT_EQ(cell.place.row, 11);
    EXPECT_EQ(cell.place.column, j);
    EXPECT_EQ(cell.lane, 4 * j + 1);
    EXPECT_EQ(cell.reg, 1);
  }
}

TEST(FragmentMoves, AStoreOfResultsKnowsItsElements) {
  Moves moves(kProduct);
  moves.record({moves.site("st.global.v2.f32", 1)}, 8, kFullMask, [](unsigned l) { return 4096 + 8 * l; });
  const auto move = moves.at(0);
  ASSERT_TRUE(move && move->product);
  EXPECT_FALSE(move->rows_named);
  ASSERT_EQ(move->rows.size(), 64u) << "two registers of each lane";
  EXPECT_EQ(move->rows[5].cells[0].tile, 2);
  EXPECT_EQ(move->rows[5].cells[0].place.row, 9);  // of registers 2 and 3: rows l / 4 + 8
  EXPECT_EQ(move->rows[5].cells[0].place.column, 2);
  EXPECT_EQ(move->rows[37].address, 4096u + 8 * 5 + 4);
  EXPECT_EQ(move->rows[37].cells[0].place.column, 3);
}

TEST(FragmentMoves, MatricesThatNoProductReadsStandForThemselves) {
  Moves moves(kProduct);
  moves.record({moves.site("ldmatrix.sync.aligned.m8n8.x1"), moves.site("st.global.u32")}, 16, 0xff,
               [](unsigned l) { return 16 * l; });
  EXPECT_EQ(moves.all().steps.size(), 1u) << "the store of a register that is no result is nobody's";
  const auto move = moves.at(1);
  ASSERT_TRUE(move);
  EXPECT_TRUE(move->loose);
  ASSERT_EQ(move->tiles.size(), 1u);
  EXPECT_EQ(move->rows[2].cells[5].lane, 10);
  EXPECT_EQ(move->rows[2].cells[5].place.column, 5);
}

// B by rows out of global memory comes in four accesses, its 8x8 parts turned: all elements, each once.
TEST(FragmentMoves, TheAccessesOfAWmmaLoadCoverItsTile) {
  Moves moves(kTiles);
  const std::size_t load = moves.site("wmma.load.b");
  moves.record({load, load, load, load}, 4, kFullMask, [](unsigned l) { return 4096 + 4 * l; });
  ASSERT_EQ(moves.all().steps.size(), 4u);
  const auto holders = fragment_holders({Use::B, 16, 16, 16, trace::Element::F16});
  std::set<std::pair<int, int>> seen;
  for (std::size_t step = 0; step < 4; ++step) {
    const auto move = moves.at(step);
    ASSERT_TRUE(move);
    EXPECT_EQ(move->part, static_cast<int>(step));
    EXPECT_EQ(move->parts, 4);
    for (const FragmentRow& row : move->rows)
      for (const FragmentCell& cell : row.cells) {
        seen.insert({cell.place.row, cell.place.column});
        const FragmentHolder& holder =
            holders[static_cast<std::size_t>(16 * cell.place.row + cell.place.column)];
        EXPECT_EQ(cell.lane, holder.lane);
        EXPECT_EQ(cell.reg, holder.reg);
      }
  }
  EXPECT_EQ(seen.size(), 256u);
}

TEST(FragmentMoves, NothingWithoutMatrices) {
  Moves moves(
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
      ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [out];\nst.global.u32 [%rd1], 1;\nret;\n}\n");
  moves.record({moves.site("st.global")}, 4, kFullMask, [](unsigned l) { return 4096 + 4 * l; });
  EXPECT_TRUE(moves.all().sites.empty());
  EXPECT_FALSE(moves.at(0));
}

}  // namespace
}  // namespace warplens::analysis
