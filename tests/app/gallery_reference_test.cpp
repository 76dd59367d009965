// Every kernel of the gallery, emulated with several slider settings, against plain C++.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/model/run/pipeline.h"
#include "engine/base/assets.h"
#include "tests/app/gallery_references.h"
#include "tests/app/whole_gallery.h"
#include "visual/warp_totals.h"

namespace warplens::model {
namespace {

bool any_compiler() {
  const auto compilers = source::find_compilers();
  return std::any_of(compilers.begin(), compilers.end(), [](const auto& c) { return c.available; });
}

Result<std::shared_ptr<const Run>> run(const GalleryKernel& kernel, const BoundLaunch& bound,
                                       source::Compiler compiler = source::Compiler::Automatic) {
  ProgramRequest wanted = program_request(kernel, bound);
  wanted.compiler = compiler;
  auto program = load_program(wanted);
  if (!program) return program.error();
  RunRequest request;
  request.program = *program;
  request.launch = bound.launch;
  return execute(request);
}

std::string describe(const GalleryKernel& kernel, const SliderValues& values) {
  std::string text = kernel.id;
  for (const auto& [name, value] : values) text += " " + name + "=" + std::to_string(value);
  return text;
}

template <typename T>
std::vector<T> elements(const std::vector<std::uint8_t>& bytes, bool sorted) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  if (sorted) std::sort(values.begin(), values.end());
  return values;
}

void compare_floats(const std::vector<std::uint8_t>& expected, const std::vector<std::uint8_t>& actual,
                    double tolerance) {
  const auto e = elements<float>(expected, false), a = elements<float>(actual, false);
  int wrong = 0;
  for (std::size_t i = 0; i < e.size() && wrong < 5; ++i) {
    const bool near = std::fabs(double{e[i]} - double{a[i]}) <= tolerance * (1.0 + std::fabs(double{e[i]}));
    if (near || (std::isnan(e[i]) && std::isnan(a[i]))) continue;
    ADD_FAILURE() << "element " << i << " is " << a[i] << ", not " << e[i];
    ++wrong;
  }
}

void compare_bits(const Reference& reference, const std::vector<std::uint8_t>& expected,
                  const std::vector<std::uint8_t>& actual, int output) {
  const auto e = elements<std::uint32_t>(expected, reference.any_order);
  const auto a = elements<std::uint32_t>(actual, reference.any_order);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < e.size(); ++i) differ += e[i] != a[i] ? 1 : 0;
  EXPECT_LE(static_cast<double>(differ), reference.may_differ * static_cast<double>(e.size()))
      << "argument " << output;
}

// What every warp cost comes to what the launch cost.
void compare_warps(const Run& run) {
  ASSERT_TRUE(run.warps);
  analysis::SiteTotals all;
  for (const analysis::SiteTotals& site : run.report.totals.sites) {
    all.global += site.global;
    all.shared += site.shared;
  }
  std::uint64_t sectors = 0, sectors_ideal = 0, wavefronts = 0, without_conflicts = 0;
  for (const analysis::WarpTotal& warp : run.warps->counts->all) {
    sectors += warp.sectors;
    sectors_ideal += warp.sectors_ideal;
    wavefronts += warp.wavefronts;
    without_conflicts += warp.wavefronts_ideal;
  }
  EXPECT_EQ(sectors, all.global.sectors);
  EXPECT_EQ(sectors_ideal, all.global.sectors_ideal);
  EXPECT_EQ(wavefronts, all.shared.wavefronts);
  EXPECT_EQ(without_conflicts, all.shared.wavefronts - all.shared.bank_conflicts);
}

void check(const GalleryKernel& kernel, const Reference& reference, const SliderValues& chosen,
           source::Compiler compiler = source::Compiler::Automatic) {
  SliderValues values = default_values(kernel);
  for (const auto& [name, value] : chosen) values[name] = value;
  SCOPED_TRACE(describe(kernel, values));
  const auto bound = launch_of(kernel, values);
  ASSERT_TRUE(bound) << bound.error().text();
  const auto result = run(kernel, *bound, compiler);
  ASSERT_TRUE(result) << result.error().text() << testing::PrintToString(result.error().notes);
  EXPECT_EQ((*result)->report.ending, analysis::Ending::Completed);
  for (const auto& fault : (*result)->report.faults) {
    ADD_FAILURE() << "a fault on line " << fault.line;
    return;
  }
  compare_warps(**result);
  Buffers expected(bound->launch, values);
  reference.run(expected);
  for (const int output : kernel.outputs) {
    const auto index = static_cast<std::size_t>(output);
    const auto& actual = (*result)->buffers.at(index);
    ASSERT_EQ(actual.size(), expected.bytes(index).size());
    if (bound->launch.arguments[index].type == trace::ElementType::F32 && reference.tolerance > 0)
      compare_floats(expected.bytes(index), actual, reference.tolerance);
    else
      compare_bits(reference, expected.bytes(index), actual, output);
  }
}

// NVIDIA's header of wmma, which clang without the toolkit's headers has not (docs/SUPPORT.md).
bool needs_nvidia(const GalleryKernel& kernel) {
  const auto text = read_text(kernel.file);
  return text && text->find("#include <mma.h>") != std::string::npos;
}

class GalleryReference : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, GalleryReference, testing::ValuesIn(kernel_ids()),
                         [](const auto& test) { return test.param; });

TEST_P(GalleryReference, OutputsAreThoseOfPlainCode) {
  if (!any_compiler()) GTEST_SKIP() << "no compiler for CUDA is installed";
  const GalleryKernel& kernel = *gallery().find(GetParam());
  const auto found = references().find(GetParam());
  ASSERT_NE(found, references().end()) << "every kernel of the gallery needs a reference";
  check(kernel, found->second, {});
  for (const SliderValues& setting : found->second.settings) check(kernel, found->second, setting);
}

// clang emits other PTX than NVIDIA's compilers: other instructions, other control flow, the same result.
TEST_P(GalleryReference, OutputsAreTheSameThroughClang) {
  const auto compilers = source::find_compilers();
  const bool clang = std::any_of(compilers.begin(), compilers.end(), [](const auto& c) {
    return c.compiler == source::Compiler::Clang && c.available;
  });
  if (!clang) GTEST_SKIP() << "clang is not installed";
  const GalleryKernel& kernel = *gallery().find(GetParam());
  if (needs_nvidia(kernel)) GTEST_SKIP() << "clang has no mma.h";
  const Reference& reference = references().at(GetParam());
  check(kernel, reference, {}, source::Compiler::Clang);
  for (const SliderValues& setting : reference.settings)
    check(kernel, reference, setting, source::Compiler::Clang);
}

TEST_P(GalleryReference, CompilesWithEveryCompilerThatIsThere) {
  const GalleryKernel& kernel = *gallery().find(GetParam());
  const auto text = read_text(kernel.file);
  ASSERT_TRUE(text);
  for (const auto& info : source::find_compilers()) {
    if (!info.available || (info.compiler == source::Compiler::Clang && needs_nvidia(kernel))) continue;
    source::CompileOptions options;
    options.file = kernel.file.string();
    options.text = *text;
    options.compiler = info.compiler;
    const auto ptx = source::compile(options);
    EXPECT_TRUE(ptx) << ptx.error().text();
    if (ptx) {
      EXPECT_TRUE(ptx->warnings.empty()) << ptx->warnings[0].message;
    }
  }
}

TEST(GalleryFaults, AMisalignedVectorLoadIsReported) {
  if (!any_compiler()) GTEST_SKIP() << "no compiler for CUDA is installed";
  const GalleryKernel& kernel = *gallery().find("vector_copy");
  const auto bound = launch_of(kernel, {{"width", 3}});
  ASSERT_TRUE(bound);
  const auto result = run(kernel, *bound);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ((*result)->report.ending, analysis::Ending::Faulted);
  ASSERT_FALSE((*result)->report.faults.empty());
}

}  // namespace
}  // namespace warplens::model
