// What another value or a longer row would be worth: found by running it, and only where it computes the
// same.
#include "app/model/study/what_if.h"

#include <gtest/gtest.h>

#include "engine/base/assets.h"

namespace warplens::model {
namespace {

TEST(PaddedRow, IsAWordMoreInTheText) {
  const std::string text =
      "#define TILE 32\n__global__ void turn(float* a) {\n"
      "  __shared__ float first[TILE], tile[TILE][TILE];\n  tile[0][threadIdx.x] = a[0];\n}\n"
      "__global__ void other() {\n  __shared__ double wide[4][TILE ? 16 : 8];\n}\n";
  const auto found = paddings(text, {}, "turn");
  ASSERT_EQ(found.size(), 2u) << "first[] has no rows, and wide[] is another kernel's";
  EXPECT_EQ(found[0].line, 3);
  EXPECT_EQ(found[0].was, "tile[TILE][TILE]");
  EXPECT_EQ(found[0].becomes, "tile[TILE][TILE + 1]");
  EXPECT_EQ(found[1].becomes, "tile[TILE][TILE + 4]") << "accesses of four floats stay aligned";
  const auto padded = with_padding(text, {}, found[0]);
  ASSERT_TRUE(padded);
  EXPECT_NE(padded->find("float first[TILE], tile[TILE][TILE + 1];"), std::string::npos) << *padded;
  EXPECT_EQ(padded->size(), text.size() + 4) << "nothing else changes";
  const auto wide = paddings(text, {}, "other");
  ASSERT_FALSE(wide.empty());
  EXPECT_EQ(wide[0].becomes, "wide[4][(TILE ? 16 : 8) + 1]");
  EXPECT_FALSE(with_padding("no such array", {}, found[0]));
  EXPECT_TRUE(paddings("__global__ void k() { __shared__ float row[4][33]; }", {}, "k").empty())
      << "it is padded already";
}

class WhatIfTest : public testing::Test {
 protected:
  void SetUp() override {
    auto gallery = load_gallery();
    auto devices = analysis::DeviceCatalogue::load();
    ASSERT_TRUE(gallery && devices);
    gallery_ = std::move(*gallery);
    devices_ = std::move(*devices);
  }
  // With the text that is open, where that is not the file's.
  std::optional<WhatIf> ask(const GalleryKernel& kernel, const SliderValues& values,
                            const std::optional<std::string>& text = {}) {
    const LoadProgram load = [&](const ProgramRequest& wanted, Progress* progress) {
      ProgramRequest request = wanted;
      if (!request.text) request.text = text;
      return load_program(request, progress);
    };
    const auto bound = launch_of(kernel, values);
    if (!bound) return std::nullopt;
    const auto program = load(program_request(kernel, *bound), nullptr);
    if (!program) return std::nullopt;
    RunRequest request;
    request.program = *program;
    request.launch = bound->launch;
    request.model_words = std::size_t{1} << 18;
    const auto run = execute(request);
    if (!run) return std::nullopt;
    ran_ = true;
    WhatIfOptions options;
    options.seconds = 60;  // of a busy machine
    return what_if(kernel, **run, values, **devices_.device("H200 SXM"), **devices_.capability("9.0"), load,
                   options);
  }

  Gallery gallery_;
  analysis::DeviceCatalogue devices_;
  bool ran_ = false;
};

// At the shown size the launch is nearly all of the time; at the one that a clock needs the conflicts are.
TEST_F(WhatIfTest, ATransposeIsOfferedAnotherTile) {
  const GalleryKernel& kernel = *gallery_.find("transpose_tile");
  const auto found = ask(kernel, default_values(kernel));
  if (!ran_) GTEST_SKIP() << "no compiler";
  ASSERT_TRUE(found);
  EXPECT_EQ(found->counted, "passes");
  EXPECT_GT(found->now_count, 10 * found->then_count);
  EXPECT_LE(found->then_us, 0.9 * found->now_us);
  ASSERT_TRUE(found->at) << "at the shown size the launch takes nearly all of the time";
  EXPECT_EQ(found->at->at("n"), 4096);
  EXPECT_TRUE(found->estimated) << "no more than the first blocks were run there";
  EXPECT_NE(Catalogue::load("en")->text(what_if_message(*found, kernel, "en")).find("≈"), std::string::npos);
  EXPECT_TRUE(found->slider == "tile" || found->padding);
}

// A kernel that is about one access: its other loads from shared memory, which conflict with nobody, are not
// averaged with it.
TEST_F(WhatIfTest, TheCountIsOfTheAccessThatTheKernelIsAbout) {
  const GalleryKernel& kernel = *gallery_.find("ldmatrix_tile");
  const auto found = ask(kernel, default_values(kernel));
  if (!ran_) GTEST_SKIP() << "no compiler";
  ASSERT_TRUE(found);
  ASSERT_EQ(found->counted, "passes");
  EXPECT_NEAR(found->now_count, 32, 0.01) << "eight rows of each of four matrices in the same banks";
  EXPECT_NEAR(found->then_count, 4, 0.01);
}

// A user's kernel has no slider for it: the text is changed, and said to be.
TEST_F(WhatIfTest, ARowIsPaddedInTheText) {
  GalleryKernel kernel = *gallery_.find("transpose_tile");
  kernel.kernel = "transpose_plain";
  std::erase_if(kernel.sliders, [](const Slider& s) { return s.name != "n"; });
  kernel.block = {"32", "8"};
  kernel.measure.clear();
  for (Slider& s : kernel.sliders) s.max = 1024;
  const auto found = ask(kernel, {{"n", 1024}}, read_text(kernel.file).value());
  if (!ran_) GTEST_SKIP() << "no compiler";
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->padding);
  EXPECT_EQ(found->padding->was, "tile[TILE][TILE]");
  EXPECT_EQ(found->padding->becomes, "tile[TILE][TILE + 1]");
  EXPECT_EQ(found->counted, "passes");
  const auto words = Catalogue::load("en")->text(what_if_message(*found, kernel, "en"));
  EXPECT_NE(words.find("tile[TILE][TILE + 1]"), std::string::npos) << words;
  EXPECT_NE(words.find("passes a request"), std::string::npos) << words;
}

TEST_F(WhatIfTest, WhatIsAsGoodAsItGetsIsOfferedNothing) {
  const GalleryKernel& kernel = *gallery_.find("copy");
  const auto found = ask(kernel, default_values(kernel));
  if (!ran_) GTEST_SKIP() << "no compiler";
  EXPECT_FALSE(found && found->padding);
  EXPECT_FALSE(found && found->then_us > 0.9 * found->now_us);
}

}  // namespace
}  // namespace warplens::model
