#include "app/model/gallery/gallery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "app/model/text/in_language.h"
#include "engine/base/assets.h"
#include "engine/base/text.h"
#include "tests/support/places.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class GalleryFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warplens_gallery_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "topic");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(write_text(folder_ / name, text));
  }
  fs::path folder_;
};

constexpr const char* kCopy = R"toml(
title = { en = "Copy", zh = "拷贝" }
summary = { en = "One element a thread.", zh = "每个线程一个元素。" }
kernel = "copy_{variant}"
grid = ["ceil(n / block)"]
block = ["block", "2"]
shared = "block * 4"
args = ["buf:f32:{n}:iota", "buf:f32:{n}:zero", "i32:{n}"]
defines = { TILE = "block / 8" }
outputs = [1]
[[slider]]
name = "n"
title = { en = "elements", zh = "元素" }
min = 1
max = 4096
value = 1000
[[slider]]
name = "block"
title = { en = "block", zh = "线程块" }
min = 32
max = 512
value = 128
scale = "pow2"
[[slider]]
name = "variant"
title = { en = "variant", zh = "变体" }
choices = ["plain", "vector"]
value = "vector"
)toml";

TEST_F(GalleryFiles, AKernelIsReadAndBound) {
  write("topic/copy.toml", kCopy);
  write("topic/copy.cu", "__global__ void copy_plain() {}");
  const auto gallery = load_gallery(folder_);
  ASSERT_TRUE(gallery) << gallery.error().text();
  ASSERT_TRUE(gallery->problems.empty()) << gallery->problems[0].text();
  const GalleryKernel* kernel = gallery->find("copy");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->topic, "topic");
  EXPECT_EQ(gallery->topics.at(0).kernels.at(0), "copy");
  EXPECT_EQ(default_values(*kernel), (SliderValues{{"n", 1000}, {"block", 128}, {"variant", 1}}));

  const auto bound = launch_of(*kernel, {{"n", 1025}, {"variant", 0}});
  ASSERT_TRUE(bound) << bound.error().text();
  EXPECT_EQ(bound->launch.kernel, "copy_plain");
  EXPECT_EQ(bound->launch.grid, (Dim3{9, 1, 1}));
  EXPECT_EQ(bound->launch.block, (Dim3{128, 2, 1}));
  EXPECT_EQ(bound->launch.dynamic_shared_bytes, 512u);
  EXPECT_EQ(bound->launch.arguments.at(0).count, 1025u);
  EXPECT_EQ(bound->defines.at(0), (std::pair<std::string, std::string>{"TILE", "16"}));
}

TEST_F(GalleryFiles, TheClockHasASizeOfItsOwn) {
  const std::string at = "outputs = [1]\n";
  std::string text = kCopy;
  text.replace(
      text.find(at), at.size(),
      at + "measure = { n = 1048576 }\nl2 = \"flushed\"\nreason = { en = \"Equal.\", zh = \"相同。\" }\n");
  write("topic/copy.toml", text);
  write("topic/copy.cu", "");
  const auto gallery = load_gallery(folder_);
  ASSERT_TRUE(gallery && gallery->problems.empty());
  const GalleryKernel& kernel = *gallery->find("copy");
  EXPECT_TRUE(kernel.measure_flushed);
  EXPECT_EQ(kernel.reason.at("zh"), "相同。");
  const SliderValues shown = default_values(kernel);
  EXPECT_EQ(shown.at("n"), 1000);
  EXPECT_EQ(measured_values(kernel, shown).at("n"), 1048576);
  EXPECT_EQ(measured_values(kernel, shown, {"n"}), shown);
  // That size is a launch although the slider ends before it; a larger one is not.
  ASSERT_TRUE(launch_of(kernel, measured_values(kernel, shown)));
  EXPECT_EQ(launch_of(kernel, measured_values(kernel, shown))->launch.grid.x, 8192u);
  EXPECT_THAT(launch_of(kernel, {{"n", 1048577}}).error().message, HasSubstr("goes from 1 to 1,048,576"));
}

TEST_F(GalleryFiles, WhatIsMeasuredMustBeASliderWithNumbers) {
  const std::string at = "outputs = [1]\n";
  for (const char* wrong : {"measure = { m = 1 }", "measure = { variant = 1 }", "measure = { n = 0 }",
                            "measure = { n = \"many\" }", "measure = 3", "l2 = \"cold\""}) {
    std::string text = kCopy;
    text.replace(text.find(at), at.size(), at + wrong + "\n");
    write("topic/copy.toml", text);
    write("topic/copy.cu", "");
    const auto gallery = load_gallery(folder_);
    ASSERT_TRUE(gallery);
    ASSERT_EQ(gallery->problems.size(), 1u) << wrong;
    EXPECT_GT(gallery->problems[0].place.line, 1) << wrong;
  }
}

TEST_F(GalleryFiles, ChoicesHaveNamesInBothLanguages) {
  const std::string at = "choices = [\"plain\", \"vector\"]\n";
  std::string text = kCopy;
  text.replace(text.find(at), at.size(),
               at + "names = { en = [\"as it is\", \"vectors\"], zh = [\"原样\", \"向量\"] }\n");
  write("topic/copy.toml", text);
  write("topic/copy.cu", "");
  auto gallery = load_gallery(folder_);
  ASSERT_TRUE(gallery && gallery->problems.empty());
  const Slider& slider = gallery->find("copy")->sliders.at(2);
  EXPECT_EQ(value_name(slider, 1, "zh"), "向量");
  EXPECT_EQ(value_name(slider, 0, "en"), "as it is");
  EXPECT_EQ(value_name(gallery->find("copy")->sliders.at(0), 7, "zh"), "7");
  text.replace(text.find("[\"原样\", \"向量\"]"), std::string("[\"原样\", \"向量\"]").size(), "[\"原样\"]");
  write("topic/copy.toml", text);
  gallery = load_gallery(folder_);
  ASSERT_TRUE(gallery);
  ASSERT_EQ(gallery->problems.size(), 1u);
  EXPECT_THAT(gallery->problems[0].message, HasSubstr("'zh'"));
}

TEST_F(GalleryFiles, ValuesOutsideASliderAreRefused) {
  write("topic/copy.toml", kCopy);
  write("topic/copy.cu", "");
  const auto gallery = load_gallery(folder_);
  ASSERT_TRUE(gallery && gallery->find("copy") != nullptr);
  const GalleryKernel& kernel = *gallery->find("copy");
  EXPECT_THAT(launch_of(kernel, {{"n", 0}}).error().message, HasSubstr("goes from 1 to 4,096"));
  EXPECT_THAT(launch_of(kernel, {{"m", 0}}).error().message, HasSubstr("not a slider"));
}

TEST_F(GalleryFiles, AWrongFileIsNamedAndTheRestIsUsable) {
  write("topic/copy.toml", kCopy);
  write("topic/copy.cu", "");
  write("topic/broken.toml", "title = {");
  write("topic/untitled.toml", "kernel = \"k\"\n");
  write("topic/orphan.toml", std::string(kCopy));
  std::string unknown = kCopy;
  unknown.replace(unknown.find("ceil(n / block)"), 15, "ceil(m / block)");
  write("topic/unknown.toml", unknown);
  write("topic/unknown.cu", "");
  const auto gallery = load_gallery(folder_);
  ASSERT_TRUE(gallery);
  EXPECT_EQ(gallery->kernels.size(), 1u);
  std::set<std::string> files;
  for (const Error& problem : gallery->problems) files.insert(fs::path(problem.place.file).filename());
  EXPECT_THAT(files, testing::ElementsAre("broken.toml", "orphan.toml", "unknown.toml", "untitled.toml"));
}

TEST_F(GalleryFiles, WhoAsksForABrokenKernelIsToldWhatIsWrongWithIt) {
  write("topic/copy.toml", kCopy);
  write("topic/copy.cu", "");
  write("topic/mine.toml", "title = { en = \"Mine\", zh = \"我的\" }\ngrid = = 3\n");
  const auto gallery = load_gallery(folder_);
  ASSERT_TRUE(gallery);
  const Error broken = gallery->without("mine");
  EXPECT_EQ(fs::path(broken.place.file).filename(), "mine.toml");
  EXPECT_EQ(broken.place.line, 2);
  EXPECT_GT(broken.place.column, 0);
  EXPECT_THAT(gallery->without("nobody").message, HasSubstr("no kernel 'nobody'"));
}

TEST_F(GalleryFiles, MistakesAreToldInTheReadersLanguage) {
  struct Mistake {
    const char *right, *wrong, *english, *chinese;
  };
  const Mistake mistakes[] = {
      {"min = 1\n", "", "slider 'n' needs min and max", "滑块“n”要么写 min 和 max"},
      {"value = 1000", "value = 5000", "slider 'n': the value must lie between", "必须在 min 与 max 之间"},
      {"value = 128", "value = 100", "slider 'block': a pow2 slider needs powers of two", "2 的幂"},
      {"\"pow2\"", "\"pow3\"", "'scale' is 'pow3'; it takes one of linear, pow2", "“scale”不能是“pow3”"},
      {"\"vector\"\n", "\"wide\"\n", "'wide' is not one of the choices", "选项里没有“wide”"},
      {"name = \"block\"", "name = \"n\"", "two sliders are called 'n'", "有两个滑块都叫“n”"},
      {"[\"block\", \"2\"]", "[]", "'block' takes one to three expressions", "一到三个表达式"},
      {"outputs = [1]", "outputs = [3]", "'outputs' names an argument", "不存在的参数"},
      {"outputs = [1]", "kind = \"copies\"", "'kind' is 'copies'; it takes one of transfers, streams",
       "可用的有 transfers, streams"},
      {"outputs = [1]", "product = [\"n\"]", "m, n and k", "m、n 和 k"},
      {"outputs = [1]", "about = { text = \"x\", op = \"read\" }", "'op' must be \"load\"", "PTX 指令的开头"},
  };
  const Catalogue english = Catalogue::load("en").value(), chinese = Catalogue::load("zh").value();
  write("topic/copy.cu", "");
  for (const Mistake& mistake : mistakes) {
    std::string text = kCopy;
    replace_all(text, mistake.right, mistake.wrong);
    ASSERT_NE(text, kCopy) << mistake.right;
    write("topic/copy.toml", text);
    const auto gallery = load_gallery(folder_);
    ASSERT_TRUE(gallery);
    ASSERT_EQ(gallery->problems.size(), 1u) << mistake.english;
    EXPECT_THAT(english.text(gallery->problems[0]), HasSubstr(mistake.english));
    EXPECT_THAT(chinese.text(gallery->problems[0]), HasSubstr(mistake.chinese));
  }
}

TEST(InLanguage, EnglishStandsInForALanguageThatIsMissing) {
  EXPECT_EQ(in_language({{"en", "Copy"}, {"zh", "拷贝"}}, "zh", "copy"), "拷贝");
  EXPECT_EQ(in_language({{"en", "Copy"}}, "zh", "copy"), "Copy");
  EXPECT_EQ(in_language({{"zh", "拷贝"}}, "en", "copy"), "拷贝");
  EXPECT_EQ(in_language({}, "en", "copy"), "copy");
}

TEST_F(GalleryFiles, TopicsGiveTheOrder) {
  for (const char* id : {"a", "b", "c"}) {
    write(std::string("topic/") + id + ".toml", kCopy);
    write(std::string("topic/") + id + ".cu", "");
  }
  write("topics.toml",
        "[[topic]]\nid = \"topic\"\ntitle = { en = \"Topic\", zh = \"主题\" }\nkernels = [\"c\", \"gone\", "
        "\"a\"]\n");
  const auto gallery = load_gallery(folder_);
  ASSERT_TRUE(gallery);
  EXPECT_THAT(gallery->topics.at(0).kernels, testing::ElementsAre("c", "a", "b"));
  ASSERT_EQ(gallery->problems.size(), 1u);
  EXPECT_THAT(gallery->problems[0].message, HasSubstr("'gone'"));
}

TEST(Gallery, OurOwnIsWhole) {
  const auto gallery = load_gallery(fs::path(tests::source_dir()) / "kernels");
  ASSERT_TRUE(gallery) << gallery.error().text();
  for (const Error& problem : gallery->problems) ADD_FAILURE() << problem.text();
  EXPECT_GE(gallery->kernels.size(), 18u);
  for (const GalleryKernel& kernel : gallery->kernels) {
    EXPECT_FALSE(kernel.views.empty()) << kernel.id;
    EXPECT_FALSE(kernel.outputs.empty()) << kernel.id;
    EXPECT_FALSE(kernel.catalogue.empty()) << kernel.id;
    // The ends of every slider, one at a time, must be launches; but for a tile that is there to be refused.
    for (const Slider& slider : kernel.sliders)
      for (const std::int64_t value : {slider.min, slider.max}) {
        const auto bound = launch_of(kernel, {{slider.name, value}});
        ASSERT_TRUE(bound) << kernel.id << ": " << bound.error().text();
        if (kernel.id == "matmul_tiled" && slider.name == "tile") continue;
        EXPECT_LE(bound->launch.block.volume(), 1024u) << kernel.id << " " << slider.name << " = " << value;
      }
  }
}

TEST(Gallery, CoversTheFirstRowsOfTheCatalogue) {
  const auto gallery = load_gallery(fs::path(tests::source_dir()) / "kernels");
  ASSERT_TRUE(gallery);
  std::set<std::string> rows;
  for (const GalleryKernel& kernel : gallery->kernels)
    rows.insert(kernel.catalogue.begin(), kernel.catalogue.end());
  for (const char* row : {"A1", "B1", "B2", "B3", "B4", "B5", "B7", "B8", "B10", "B11", "C1", "C3", "C5",
                          "D1", "D2", "G1", "G2", "H2"})
    EXPECT_TRUE(rows.contains(row)) << row << " has no kernel";
}

}  // namespace
}  // namespace warplens::model
