// What of a long kernel file stands in the book.
#include "app/lesson/book_code.h"

#include <gtest/gtest.h>

#include "app/model/gallery/gallery.h"
#include "engine/base/assets.h"

namespace warplens::lesson {
namespace {

std::string long_file() {
  std::string out =
      "#define TILE 16  // rows\n#define UNUSED 3\n\n"
      "constexpr int kFirst = 4;\n\n"
      "// Behind slashes a brace { closes nothing.\n"
      "__device__ float half(float (*tile)[TILE], float x) {\n  return 0.5f * x;\n}\n\n"
      "__device__ float twice(float x) {\n  return x + x;\n}\n\n"
      "__device__ float fourfold(float x) {\n  return twice(twice(x));\n}\n\n"
      "// The first.\n\n"
      "__global__ void __launch_bounds__(256, 2) first(float* x) {\n  x[kFirst] = fourfold(x[0]);\n\n}\n\n"
      "__global__ void second(float* x) {\n  asm(\"{ .reg .pred p; }\");\n  x[0] = half(nullptr, "
      "x[1]);\n}\n\n";
  for (int i = 0; i < 10; ++i)
    out += "__global__ void other" + std::to_string(i) + "(float* x) {\n  x[0] = 1;\n}\n\n";
  return out;
}

TEST(BookCode, AKernelStandsWithWhatItUses) {
  const std::string first = code_of(long_file(), "first"), second = code_of(long_file(), "second");
  for (const char* used : {"first(float* x)", "kFirst = 4", "fourfold(float x)", "twice(float x)",
                           "// The first.", "x[kFirst] = fourfold(x[0]);\n\n}"})
    EXPECT_NE(first.find(used), std::string::npos) << used;
  for (const char* not_used : {"second", "half", "other1", "#define TILE"})
    EXPECT_EQ(first.find(not_used), std::string::npos) << not_used;
  for (const char* used : {"second(float* x)", "#define TILE 16", "half(float", "// Behind slashes"})
    EXPECT_NE(second.find(used), std::string::npos) << used;
  for (const char* not_used : {"first", "twice", "kFirst", "other1"})
    EXPECT_EQ(second.find(not_used), std::string::npos) << not_used;
  EXPECT_EQ(first.front(), 'c');
  EXPECT_EQ(code_of(long_file(), "second<int, 4>"), second) << "an instance of a template";
}

TEST(BookCode, AShortFileStandsAsItIs) {
  const std::string text =
      "__global__ void a(float* x) { x[0] = 1; }\n\n__global__ void b(float* x) { x[0] = 2; }\n";
  EXPECT_EQ(code_of(text, "a"), text);
  EXPECT_EQ(code_of(long_file(), "nobody"), long_file());
}

// Of every kernel of the gallery: the kernel itself is there, and braces are closed.
TEST(BookCode, OfTheGallery) {
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  for (const model::GalleryKernel& kernel : gallery->kernels) {
    const auto launch = model::launch_of(kernel, model::default_values(kernel));
    const auto source = read_text(kernel.file);
    if (!launch || !source) continue;
    const std::string code = code_of(*source, launch->launch.kernel);
    const std::string name = launch->launch.kernel.substr(0, launch->launch.kernel.find('<'));
    EXPECT_NE(code.find(name + "("), std::string::npos) << kernel.id;
    EXPECT_EQ(std::count(code.begin(), code.end(), '{'), std::count(code.begin(), code.end(), '}'))
        << kernel.id;
  }
}

}  // namespace
}  // namespace warplens::lesson
