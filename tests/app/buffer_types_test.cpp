// Buffers that a kernel's file declares as bytes are called what the kernel takes them for.
#include <gtest/gtest.h>

#include "app/model/gallery/gallery.h"
#include "app/model/run/pipeline.h"
#include "tests/app/whole_gallery.h"

namespace warplens::model {
namespace {

// Null: no compiler for it here.
std::shared_ptr<const Run> run_of(const GalleryKernel& kernel, const SliderValues& values) {
  const auto bound = launch_of(kernel, values);
  EXPECT_TRUE(bound) << bound.error().text();
  const auto program = load_program(program_request(kernel, *bound));
  if (!program) return nullptr;
  RunRequest request;
  request.program = *program;
  request.launch = bound->launch;
  const auto run = execute(request);
  EXPECT_TRUE(run) << run.error().text();
  return run ? *run : nullptr;
}

TEST(BufferTypes, BytesAreOfTheParametersType) {
  const GalleryKernel& kernel = *gallery().find("element_width");
  const auto type = std::ranges::find(kernel.sliders, "type", &Slider::name);
  ASSERT_NE(type, kernel.sliders.end());
  using enum trace::ElementType;
  const std::vector<std::pair<std::string, trace::ElementType>> expected{
      {"char", U8}, {"short", I16}, {"float", F32}, {"double", F64}, {"float4", F32}};
  for (const auto& [choice, element] : expected) {
    SliderValues values = default_values(kernel);
    const auto at = std::ranges::find(type->choices, choice);
    ASSERT_NE(at, type->choices.end()) << choice;
    values["type"] = at - type->choices.begin();
    const auto run = run_of(kernel, values);
    if (run == nullptr) GTEST_SKIP() << "no compiler for it here";
    ASSERT_EQ(run->trace.buffers.size(), 2u);
    EXPECT_EQ(run->trace.buffers[0].type, element) << choice;
    EXPECT_EQ(run->trace.describe(trace::Space::Global,
                                  run->trace.buffers[0].base + 3 * std::uint64_t(trace::size_of(element))),
              value_of("in[3]"))
        << choice;
  }
}

// Host code never sees a kernel that stands between #if __CUDA_ARCH__ >= 800 and #endif.
TEST(BufferTypes, KernelsForTheDeviceAloneHaveNames) {
  const GalleryKernel& kernel = *gallery().find("warp_sum");
  SliderValues values = default_values(kernel);
  values["way"] = 3;  // reduce
  const auto run = run_of(kernel, values);
  if (run == nullptr) GTEST_SKIP() << "no compiler for it here";
  ASSERT_EQ(run->trace.buffers.size(), 2u);
  EXPECT_EQ(run->trace.buffers[0].name, "in");
  EXPECT_EQ(run->trace.buffers[1].name, "out");
}

}  // namespace
}  // namespace warplens::model
