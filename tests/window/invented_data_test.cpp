// A verdict on contents of buffers that nobody gave says so, and other contents are one slider away.
#include <gmock/gmock.h>

#include "app/model/gallery/gallery.h"
#include "app/model/opened/adopt.h"

namespace warplens::window {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A histogram in shared memory: 64 bins, one element a thread.
constexpr const char* kHistogram = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry _Z9histogramPKjPj(.param .u64 data, .param .u64 out)
{
  .reg .b32 %r<12>;
  .reg .b64 %rd<10>;
  .shared .align 4 .b8 bins[256];
  ld.param.u64 %rd1, [data];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  and.b32 %r3, %r2, 63;
  shl.b32 %r4, %r3, 2;
  mov.u32 %r5, bins;
  add.s32 %r6, %r5, %r4;
  red.shared.add.u32 [%r6], 1;
  ret;
}
)";

std::shared_ptr<const model::Program> program() {
  model::ProgramRequest request;
  request.file = "histogram.ptx";
  request.text = kHistogram;
  const auto loaded = model::load_program(request);
  return loaded ? *loaded : nullptr;
}

std::shared_ptr<const model::Run> run(const model::GalleryKernel& kernel, const model::SliderValues& values) {
  const auto bound = model::launch_of(kernel, values);
  if (!bound) return nullptr;
  model::RunRequest request;
  request.program = program();
  request.launch = bound->launch;
  request.options.checks = simt::Checks::None;
  const auto done = model::execute(request);
  return done ? *done : nullptr;
}

// Seen: "no bank conflicts" of a histogram whose rand() nobody ran; hashed data have thousands.
TEST(InventedData, AHistogramSaysThatItsConflictsAreThoseOfOurFill) {
  const auto loaded = program();
  ASSERT_NE(loaded, nullptr);
  const auto adopted = model::adopt(*loaded, "histogram");
  ASSERT_TRUE(adopted);
  const model::GalleryKernel* const kernel = &adopted->kernel;
  const auto slider = std::ranges::find_if(
      kernel->sliders, [](const model::Slider& s) { return s.name.starts_with("fill_"); });
  ASSERT_NE(slider, kernel->sliders.end());
  EXPECT_EQ(std::ranges::count_if(kernel->sliders, [](const auto& s) { return s.name.starts_with("fill_"); }),
            1)
      << "only of the buffer that decides something";
  EXPECT_THAT(slider->choices, ::testing::Contains("zero"));
  EXPECT_THAT(slider->choices, ::testing::Contains("hash"));
  model::SliderValues values = model::default_values(*kernel);
  const auto as_opened = run(*kernel, values);
  ASSERT_NE(as_opened, nullptr);
  EXPECT_THAT(as_opened->report.data.addresses, ElementsAre(0));
  for (const char* language : {"en", "zh"}) {
    const auto sentence = analysis::data_sentence(as_opened->report);
    ASSERT_TRUE(sentence);
    const auto text = Catalogue::load(language)->text(*sentence);
    EXPECT_THAT(text, ::testing::Not(HasSubstr("{")));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("explain.")));
    const Catalogue catalogue = Catalogue::load(language).value();
    EXPECT_THAT(analysis::to_json(as_opened->report, catalogue), HasSubstr(text));
    EXPECT_THAT(analysis::to_text(as_opened->report, catalogue), HasSubstr(text));
  }
  for (std::size_t i = 0; i < slider->choices.size(); ++i) {
    values[slider->name] = static_cast<std::int64_t>(i);
    const auto other = run(*kernel, values);
    ASSERT_NE(other, nullptr) << slider->choices[i];
    if (slider->choices[i] == "hash") {
      EXPECT_GT(other->report.totals.shared_atomic.wavefronts,
                as_opened->report.totals.shared_atomic.wavefronts);
    }
  }
}

}  // namespace
}  // namespace warplens::window
