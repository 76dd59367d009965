// The mathematical functions that kernels call, compiled by each compiler and run by the emulator, against
// the host's own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/model/run/pipeline.h"

namespace warplens::model {
namespace {

constexpr int kCount = 512;

// Element i of buf:f64:512:hash.
double input(int i) {
  return static_cast<double>(trace::fmix32(static_cast<std::uint32_t>(i))) * 0x1p-31 - 1.0;
}

struct Asked {
  std::string expression;
  double scale = 1;
};

class DeviceMath : public testing::TestWithParam<source::Compiler> {
 protected:
  void SetUp() override {
    for (const auto& info : source::find_compilers())
      if (info.compiler == GetParam() && !info.available) GTEST_SKIP() << info.reason;
  }
  // By expression: out[i] = expression of x, which is the input times its scale; all in double or all in
  // float. Each is a kernel, and all are one text: a compiler reads its headers once.
  std::vector<std::vector<double>> evaluate(const std::string& type, const std::vector<Asked>& all) {
    ProgramRequest wanted;
    wanted.file = "math.cu";
    wanted.compiler = GetParam();
    std::string text = "#include <cmath>\n";
    for (std::size_t i = 0; i < all.size(); ++i)
      text += "extern \"C\" __global__ void " + kernel(i) + "(const double* in, double* out) {\n  " + type +
              " x = (" + type + ")(in[threadIdx.x] * " + std::to_string(all[i].scale) +
              ");\n  out[threadIdx.x] = (double)(" + all[i].expression + ");\n}\n";
    wanted.text = std::move(text);
    const auto program = load_program(wanted);
    if (!program) ADD_FAILURE() << program.error().text();
    if (!program) return {};
    std::vector<std::vector<double>> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
      RunRequest request;
      request.program = *program;
      request.launch.kernel = kernel(i);
      request.launch.block = {kCount, 1, 1};
      request.launch.arguments = {trace::parse_argument("buf:f64:512:hash").value(),
                                  trace::parse_argument("buf:f64:512:zero").value()};
      const auto run = execute(request);
      if (!run) ADD_FAILURE() << all[i].expression << ": " << run.error().text();
      if (!run) return {};
      out.emplace_back(kCount);
      std::memcpy(out.back().data(), (*run)->buffers.at(1).data(), kCount * sizeof(double));
    }
    return out;
  }

 private:
  static std::string kernel(std::size_t index) { return "f" + std::to_string(index); }
};

std::string name_of(const testing::TestParamInfo<source::Compiler>& test) {
  return std::string(source::name(test.param));
}
INSTANTIATE_TEST_SUITE_P(, DeviceMath, testing::Values(source::Compiler::Nvrtc, source::Compiler::Clang),
                         name_of);

struct Function {
  const char* expression;
  double (*host)(double);
  double scale;
};
const Function kFunctions[] = {
    {"exp(x)", [](double x) { return std::exp(x); }, 50},
    {"exp2(x)", [](double x) { return std::exp2(x); }, 50},
    {"expm1(x)", [](double x) { return std::expm1(x); }, 2},
    {"log(fabs(x))", [](double x) { return std::log(std::fabs(x)); }, 1000},
    {"log2(fabs(x))", [](double x) { return std::log2(std::fabs(x)); }, 1000},
    {"log10(fabs(x))", [](double x) { return std::log10(std::fabs(x)); }, 1000},
    {"log1p(fabs(x))", [](double x) { return std::log1p(std::fabs(x)); }, 3},
    {"sin(x)", [](double x) { return std::sin(x); }, 100},
    {"cos(x)", [](double x) { return std::cos(x); }, 100},
    {"tan(x)", [](double x) { return std::tan(x); }, 1.5},
    {"tanh(x)", [](double x) { return std::tanh(x); }, 5},
    {"sinh(x)", [](double x) { return std::sinh(x); }, 5},
    {"cosh(x)", [](double x) { return std::cosh(x); }, 5},
    {"atan(x)", [](double x) { return std::atan(x); }, 20},
    {"atan2(x, x - 1)", [](double x) { return std::atan2(x, x - 1); }, 3},
    {"asin(x)", [](double x) { return std::asin(x); }, 1},
    {"acos(x)", [](double x) { return std::acos(x); }, 1},
    {"sqrt(fabs(x))", [](double x) { return std::sqrt(std::fabs(x)); }, 1000},
    {"cbrt(x)", [](double x) { return std::cbrt(x); }, 1000},
    {"pow(fabs(x), x)", [](double x) { return std::pow(std::fabs(x), x); }, 10},
    {"fmod(x, (decltype(x))0.75)", [](double x) { return std::fmod(x, 0.75); }, 1000},
    {"floor(x) + ceil(x) + trunc(x) + rint(x) + round(x)",
     [](double x) { return std::floor(x) + std::ceil(x) + std::trunc(x) + std::rint(x) + std::round(x); },
     10},
    {"hypot(x, x + 1)", [](double x) { return std::hypot(x, x + 1); }, 10},
    {"fmin(x, -x) + 2 * fmax(x, -x)", [](double x) { return std::fabs(x); }, 10},
};

std::vector<Asked> asked_functions() {
  std::vector<Asked> out;
  for (const Function& function : kFunctions) out.push_back({function.expression, function.scale});
  return out;
}

TEST_P(DeviceMath, DoublesAgreeWithTheHost) {
  const auto all = evaluate("double", asked_functions());
  ASSERT_EQ(all.size(), std::size(kFunctions));
  for (std::size_t f = 0; f < all.size(); ++f) {
    const Function& function = kFunctions[f];
    const std::vector<double>& values = all[f];
    int wrong = 0;
    for (int i = 0; i < static_cast<int>(values.size()) && wrong < 3; ++i) {
      const double x = input(i) * function.scale, expected = function.host(x);
      const double got = values[static_cast<std::size_t>(i)];
      if (std::fabs(got - expected) <= 1e-12 * std::max(1.0, std::fabs(expected))) continue;
      ADD_FAILURE() << function.expression << " of " << x << " is " << got << ", not " << expected;
      ++wrong;
    }
  }
}

TEST_P(DeviceMath, FloatsAgreeWithTheHost) {
  const auto all = evaluate("float", asked_functions());
  ASSERT_EQ(all.size(), std::size(kFunctions));
  for (std::size_t f = 0; f < all.size(); ++f) {
    const Function& function = kFunctions[f];
    const std::vector<double>& values = all[f];
    int wrong = 0;
    for (int i = 0; i < static_cast<int>(values.size()) && wrong < 3; ++i) {
      const double x = static_cast<double>(static_cast<float>(input(i) * function.scale)),
                   expected = function.host(x);
      const double got = values[static_cast<std::size_t>(i)];
      if (std::fabs(got - expected) <= 3e-6 * std::max(1.0, std::fabs(expected))) continue;
      ADD_FAILURE() << function.expression << " of " << x << " is " << got << ", not " << expected;
      ++wrong;
    }
  }
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

struct SpecialCase {
  const char* expression;
  double expected, off = 0;  // by how much it may be off
};
const SpecialCase kSpecialCases[] = {
    {"exp(x * 0 - 800)", 0.0},
    {"exp(x * 0 + 800)", kInfinite},
    {"log(x * 0)", kInfinite},  // of either sign
    {"log(x * 0 - 1)", kNoNumber},
    {"pow(x * 0 - 8, x * 0 + 0.5)", kNoNumber},
    {"pow(x * 0 - 2, x * 0 + 3)", -8.0, 1e-12},
    {"pow(x * 0, x * 0)", 1.0},
    {"__popc(255) + __clz(1) + __ffs(8) + (int)__brev(1u << 31)", 8 + 31 + 4 + 1},
    {"__clz(0) + __ffs(0)", 32},
    {"min(3, 5) + max(2u, 7u) + abs(-4)", 14},
    {"erf(x * 0 + 0.5)", std::erf(0.5), 1e-7},
    {"(double)erff((float)(x * 0) + 3.5f)", std::erf(3.5), 1e-6},
};

TEST_P(DeviceMath, SpecialCases) {
  std::vector<Asked> asked;
  for (const SpecialCase& one : kSpecialCases) asked.push_back({one.expression});
  const auto all = evaluate("double", asked);
  ASSERT_EQ(all.size(), std::size(kSpecialCases));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const SpecialCase& one = kSpecialCases[i];
    const double got = all[i].at(0);
    if (std::isnan(one.expected)) {
      EXPECT_TRUE(std::isnan(got)) << one.expression << " is " << got;
    } else if (std::isinf(one.expected)) {
      EXPECT_TRUE(std::isinf(got)) << one.expression << " is " << got;
    } else {
      EXPECT_NEAR(got, one.expected, one.off) << one.expression;
    }
  }
}

}  // namespace
}  // namespace warplens::model
