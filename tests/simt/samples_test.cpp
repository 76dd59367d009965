// CUDA code as people write it, run by the emulator and compared with plain references. The kernels and their
// references live side by side in samples/*.cu; samples/ptx holds what nvcc made of them (see
// samples/update).
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "engine/ptx/syntax/parser.h"
#include "engine/simt/emulator.h"
#include "tests/simt/fused_reference.h"
#include "tests/simt/samples/sample.h"

namespace warplens::simt::samples {

std::vector<Sample>& all_samples() {
  static std::vector<Sample> samples;
  return samples;
}

void PrintTo(const Sample& sample, std::ostream* out) {
  *out << sample.kernel;
}

}  // namespace warplens::simt::samples

using namespace warplens::simt;
using namespace warplens::simt::samples;
#include "tests/simt/samples/clusters.cu"
#include "tests/simt/samples/hopper.cu"
#include "tests/simt/samples/images.cu"
#include "tests/simt/samples/language.cu"
#include "tests/simt/samples/numerics.cu"
#include "tests/simt/samples/programs.cu"
#include "tests/simt/samples/reductions.cu"
#include "tests/simt/samples/sorting.cu"
#include "tests/simt/samples/textures.cu"
#include "tests/support/places.h"
#include "tests/told.h"

namespace warplens::simt::samples {
namespace {

std::shared_ptr<const ptx::Module> module_of(const std::string& source) {
  static std::map<std::string, std::shared_ptr<const ptx::Module>> modules;
  auto& module = modules[source];
  if (module) return module;
  const std::filesystem::path path(source);
  const auto ptx_file = std::filesystem::path(tests::source_dir()) / "tests/simt/samples/ptx" /
                        path.filename().replace_extension(".ptx");
  std::ifstream in(ptx_file);
  std::stringstream text;
  text << in.rdbuf();
  auto parsed = ptx::parse(text.str(), {.file = ptx_file.filename().string()});
  EXPECT_TRUE(parsed) << parsed.error().text();
  if (parsed) module = std::make_shared<ptx::Module>(std::move(*parsed));
  return module;
}

trace::ElementType element_type(Kind kind) {
  switch (kind) {
    case Kind::Int8:
      return trace::ElementType::U8;
    case Kind::Int16:
    case Kind::Half:
      return trace::ElementType::U16;
    case Kind::Float:
      return trace::ElementType::F32;
    case Kind::Double:
      return trace::ElementType::F64;
    case Kind::Int64:
      return trace::ElementType::U64;
    default:
      return trace::ElementType::U32;
  }
}

trace::Argument launch_argument(const Argument& argument, const std::string& file) {
  if (argument.kind == Kind::Text) return trace::parse_argument(argument.text).value();
  trace::Argument out;
  if (argument.kind == Kind::Scalar) {
    const std::size_t size = argument.bytes.size();
    out.type = size == 1   ? trace::ElementType::U8
               : size == 2 ? trace::ElementType::U16
               : size == 4 ? trace::ElementType::U32
                           : trace::ElementType::U64;
    std::memcpy(&out.bits, argument.bytes.data(), size);
    return out;
  }
  out.is_buffer = true;
  out.type = element_type(argument.kind);
  out.count = argument.bytes.size() / static_cast<std::size_t>(trace::size_of(out.type));
  out.init = trace::Init::File;
  out.path = file;
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(argument.bytes.data()),
             static_cast<std::streamsize>(argument.bytes.size()));
  return out;
}

Dim3 extent(const std::vector<std::uint32_t>& sizes) {
  return {sizes[0], sizes.size() > 1 ? sizes[1] : 1, sizes.size() > 2 ? sizes[2] : 1};
}

double number(Kind kind, const std::uint8_t* at) {
  const auto read = [at]<typename T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (kind) {
    case Kind::Half:
      return from_half(read(std::uint16_t{}));
    case Kind::Float:
      return static_cast<double>(read(0.0f));
    case Kind::Double:
      return read(0.0);
    default:
      return 0;
  }
}

// Integers must be equal; floats may differ by the tolerance, relative to the larger of 1 and the value.
void compare(const Sample& sample, std::size_t index, const Argument& want,
             const std::vector<std::uint8_t>& got) {
  ASSERT_EQ(got.size(), want.bytes.size());
  const std::size_t size =
      want.kind == Kind::Text ? 1 : static_cast<std::size_t>(trace::size_of(element_type(want.kind)));
  int failures = 0;
  for (std::size_t i = 0; i < got.size() && failures < 4; i += size) {
    if (std::memcmp(&got[i], &want.bytes[i], size) == 0) continue;
    const double x = number(want.kind, &got[i]), y = number(want.kind, &want.bytes[i]);
    const bool is_float = want.kind == Kind::Half || want.kind == Kind::Float || want.kind == Kind::Double;
    if (is_float && x == y) continue;
    if (is_float && std::fabs(x - y) <= sample.launch.tolerance * std::max(1.0, std::fabs(y))) continue;
    ++failures;
    std::uint64_t got_bits = 0, want_bits = 0;
    std::memcpy(&got_bits, &got[i], size);
    std::memcpy(&want_bits, &want.bytes[i], size);
    ADD_FAILURE() << sample.kernel << ": argument " << index << " element " << i / size << ": got " << x
                  << " (" << got_bits << "), want " << y << " (" << want_bits << ")";
  }
}

class Samples : public ::testing::TestWithParam<Sample> {};

TEST_P(Samples, ComputesWhatTheReferenceComputes) {
  const Sample& sample = GetParam();
  const auto module = module_of(sample.file);
  ASSERT_TRUE(module);
  const auto entry = module->find_entry(sample.kernel);
  ASSERT_TRUE(entry) << entry.error().text();
  for (const UnsupportedOp& op : Kernel::unsupported(*module, **entry))
    ADD_FAILURE() << sample.kernel << " uses " << op.op << ", PTX line " << op.ptx_line;
  auto kernel = Kernel::load(module, sample.kernel);
  ASSERT_TRUE(kernel) << kernel.error().text();
  trace::Launch launch;
  launch.kernel = sample.kernel;
  launch.grid = extent(sample.launch.grid);
  launch.block = extent(sample.launch.block);
  launch.dynamic_shared_bytes = sample.launch.shared;
  const std::string prefix = ::testing::TempDir() + "warplens_sample_" + std::to_string(getpid()) + "_";
  for (std::size_t i = 0; i < sample.launch.arguments.size(); ++i)
    launch.arguments.push_back(launch_argument(sample.launch.arguments[i], prefix + std::to_string(i)));
  Options options;
  options.checks = sample.launch.races ? Checks::Memory : Checks::All;
  options.threads = 1;
  options.budget = 2'000'000'000;
  const auto outcome = run(*kernel, launch, options, {});
  for (const auto& argument : launch.arguments)
    if (argument.is_buffer) std::remove(argument.path.c_str());
  ASSERT_TRUE(outcome) << outcome.error().text();
  for (const trace::Fault& fault : outcome->faults)
    ADD_FAILURE() << sample.kernel << " PTX line " << fault.ptx_line << ": " << told(fault);
  EXPECT_EQ(outcome->ending, Ending::Completed);
  Data expected(sample.launch.arguments);
  sample.reference(expected);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    if (launch.arguments[i].is_output()) compare(sample, i, expected.arguments()[i], outcome->buffers.at(i));
}

std::string test_name(const ::testing::TestParamInfo<Sample>& info) {
  std::string name = std::filesystem::path(info.param.file).stem().string() + "_" + info.param.kernel;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Cuda, Samples, ::testing::ValuesIn(all_samples()), test_name);

}  // namespace
}  // namespace warplens::simt::samples
