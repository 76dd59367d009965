// The view of fragments: who holds what, who names which row, and what a conflict of rows looks like.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <string>

#include "engine/analysis/fragment_moves.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/fragments_ptx.h"
#include "visual/export.h"
#include "visual/matrix_shapes.h"
#include "visual/view.h"

namespace warplens::visual {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::array<Size, 5> kFragmentSizes{{{320, 200}, {640, 360}, {800, 900}, {1280, 720}, {2560, 1440}}};

const std::string kText =
    fragments_kernel(R"(  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r1];
  mov.u32 %r6, 0;
  mov.f32 %f1, 0f00000000;
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2, %f3, %f4, %f5}, {%r2, %r3, %r4, %r5}, {%r6, %r6}, {%f1, %f1, %f1, %f1};
  st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5};
)");

// A warp loads A out of a tile with rows of `pitch` bytes, and stores what came out.
struct Product {
  explicit Product(std::uint64_t pitch) : module(std::move(*ptx::parse(kText))) {
    const auto sites = trace::collect_sites(module, module.functions[0]);
    trace::Recorder recorder({});
    recorder.on_block_begin(0);
    for (const trace::Site& site : sites) {
      const bool load = site.kind == trace::SiteKind::MatrixLoad;
      if (!load && site.space != trace::Space::Global) continue;
      std::array<std::uint64_t, 32> addresses{};
      for (unsigned lane = 0; lane < 32; ++lane)
        addresses[lane] = load ? lane % 16 * pitch + lane / 16 * 16 : 4096 + 16 * lane;
      trace::Access access;
      access.site = site.index;
      access.kind = site.kind;
      access.space = site.space;
      access.bytes = 16;
      access.active = kFullMask;
      access.addresses = addresses.data();
      recorder.on_access(access);
    }
    recorder.on_block_end(0);
    trace = recorder.take();
    trace.sites = sites;
    trace.buffers.push_back({0, "out", 4096, 512, trace::ElementType::F32});
    matrices.fragments =
        std::make_shared<const analysis::FragmentMoves>(analysis::fragment_moves(module, trace));
    input.trace = &trace;
    input.matrices = &matrices;
  }
  ptx::Module module;
  trace::Trace trace;
  MatrixShapes matrices;
  ViewInput input;
};

Scene lay_out(const ViewInput& input) {
  for (const char* language : {"en", "zh"})
    for (const Size size : kFragmentSizes) {
      const Scene scene =
          find_view("fragments")->layout({size, catalogue(language), cairo_text_measure()}, input);
      EXPECT_THAT(find_layout_problems(scene, cairo_text_measure()), IsEmpty())
          << size.width << " x " << size.height << " in " << language;
    }
  return find_view("fragments")->layout({{1280, 720}, catalogue("en"), cairo_text_measure()}, input);
}

TEST(FragmentsView, EveryRegisterIsABoxOfItsLane) {
  Product product(144);
  const Scene scene = lay_out(product.input);
  EXPECT_EQ(scene.answer, "4 passes");
  EXPECT_FALSE(scene.answer_is_worse);
  // A has four registers a lane, B two and C four.
  for (const auto& [tile, registers] : {std::pair{0, 4}, {1, 2}, {2, 4}})
    for (int lane = 0; lane < 32; ++lane)
      for (int reg = 0; reg < registers; ++reg) {
        const Shape* box = shape(
            scene, "hold." + std::to_string(tile) + "." + std::to_string(lane) + "." + std::to_string(reg));
        ASSERT_TRUE(box);
        EXPECT_EQ(box->target.lane, lane);
        EXPECT_EQ(box->fill.alpha == 1.0f, tile == 0) << "only A is loaded here";
      }
  EXPECT_THAT(shape(scene, "hold.0.5.2")->tooltip, HasSubstr("A[1][10–11]"));
  EXPECT_THAT(scene.transcript, HasSubstr("lanes 20–23")) << "lane 5 names row 5: four lanes hold it";
}

TEST(FragmentsView, RowsInTheSameBanksWait) {
  Product product(128);
  const Scene scene = lay_out(product.input);
  EXPECT_EQ(scene.answer, "32 passes");
  EXPECT_TRUE(scene.answer_is_worse);
  EXPECT_TRUE(shape(scene, "waits.7.896"));
  EXPECT_FALSE(shape(scene, "waits.0.0")) << "the first row of each matrix is served at once";
}

TEST(FragmentsView, ALaneIsFollowedWhereverItIsPointedAt) {
  Product product(144);
  product.input.hover.lane = 9;
  const Scene scene = lay_out(product.input);
  EXPECT_EQ(shape(scene, "hold.0.9.0")->stroke_width, 2.0f);
  EXPECT_LT(shape(scene, "hold.0.8.0")->fill.alpha, 0.5f);
  EXPECT_TRUE(shape(scene, "path.3"));
  EXPECT_FALSE(shape(scene, "path.4")) << "four words of A go to a lane";
}

TEST(FragmentsView, AStoreShowsTheResults) {
  Product product(144);
  product.input.cursor.step = product.trace.size() - 1;
  const Scene scene = lay_out(product.input);
  EXPECT_EQ(scene.answer, "16 sectors");
  EXPECT_EQ(shape(scene, "hold.2.31.3")->fill.alpha, 1.0f);
  EXPECT_LT(shape(scene, "hold.0.31.3")->fill.alpha, 0.5f);
  product.input.cursor.phase = 0.5f;
  lay_out(product.input);
}

TEST(FragmentsView, SaysSoWhereThereIsNothing) {
  ViewInput input;
  EXPECT_FALSE(find_view("fragments")->applies(input));
  EXPECT_THAT(lay_out(input).transcript, HasSubstr("Nothing to show"));
  Product product(144);
  product.input.matrices = nullptr;
  EXPECT_THAT(lay_out(product.input).transcript, HasSubstr("No matrix fragment"));
}

}  // namespace
}  // namespace warplens::visual
