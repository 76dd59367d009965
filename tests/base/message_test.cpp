#include "engine/base/message.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/base/assets.h"

namespace warplens {
namespace {

class CatalogueTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("warplens_catalogue_" + std::to_string(::getpid()));
    write("en/test.toml",
          "[a]\nplain = \"sectors\"\nnumber = \"{n} of {what}, {r:.1f}\"\nonly = \"English\"\n");
    write("zh/test.toml", "[a]\nplain = \"扇区\"\nnumber = \"{what}：{n}，{r:.1f}\"\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const char* name, const char* text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    ASSERT_TRUE(write_text(folder_ / name, text).has_value());
  }
  std::filesystem::path folder_;
};

TEST_F(CatalogueTest, FormatsNamedValuesAndNestedKeys) {
  const auto zh = Catalogue::load("zh", folder_);
  ASSERT_TRUE(zh);
  const Message message{"a.number", {{"n", value_of(8)}, {"what", Key{"a.plain"}}, {"r", 2.25}}};
  EXPECT_EQ(zh->text(message), "扇区：8，2.2");
}

TEST_F(CatalogueTest, GroupsTheDigitsOfAmountsButNotOfLines) {
  write("en/test.toml",
        "[a]\namount = \"{n} bytes in line {line}\"\ncode = \"error {n:d}\"\nboth = \"{n} and {n:x}\"\n");
  const auto en = Catalogue::load("en", folder_);
  ASSERT_TRUE(en);
  const auto said = [&](const char* key, std::int64_t n) {
    return en->text(Message{key, {{"n", value_of(n)}, {"line", value_of(12345)}}});
  };
  EXPECT_EQ(said("a.amount", 1234567), "1,234,567 bytes in line 12345");
  EXPECT_EQ(said("a.amount", 999), "999 bytes in line 12345");
  EXPECT_EQ(said("a.amount", -20000), "-20,000 bytes in line 12345");
  EXPECT_EQ(said("a.amount", INT64_MIN), "-9,223,372,036,854,775,808 bytes in line 12345");
  EXPECT_EQ(said("a.code", 70000), "error 70000");
  EXPECT_EQ(said("a.both", 65536), "65536 and 10000");
}

TEST_F(CatalogueTest, ChoosesTheWordThatGoesWithItsNumber) {
  write("en/test.toml",
        "[a]\nlanes = \"{n} {n?lane waits|lanes wait} for {what}\"\nnone = \"{x?one|many}\"\nhalf = "
        "\"{n?one}\"\n");
  const auto en = Catalogue::load("en", folder_);
  ASSERT_TRUE(en);
  const auto said = [&](const char* key, MessageValue n) {
    return en->text(Message{key, {{"n", std::move(n)}, {"what", value_of("DRAM")}}});
  };
  EXPECT_EQ(said("a.lanes", value_of(1)), "1 lane waits for DRAM");
  EXPECT_EQ(said("a.lanes", value_of(0)), "0 lanes wait for DRAM");
  EXPECT_EQ(said("a.lanes", value_of(21000)), "21,000 lanes wait for DRAM");
  EXPECT_EQ(said("a.lanes", value_of("1")), "1 lane waits for DRAM");
  EXPECT_EQ(said("a.lanes", value_of("1 of 2")), "1 of 2 lanes wait for DRAM");
  EXPECT_EQ(said("a.none", value_of(1)), "{x?one|many}") << "no such value: the pattern as it is";
  EXPECT_EQ(said("a.half", value_of(1)), "{n?one}") << "the second word is missing";
}

// Every word that goes with a number names a value that its sentence also has.
TEST(Catalogues, WordsOfNumbersStandBesideTheirNumber) {
  const auto en = Catalogue::load("en");
  ASSERT_TRUE(en);
  int words = 0;
  for (const std::string& key : en->keys()) {
    const std::string text = en->text(key);
    for (std::size_t at = text.find('?'); at != std::string::npos; at = text.find('?', at + 1)) {
      const std::size_t open = text.rfind('{', at);
      if (open == std::string::npos || text.find('}', open) < at) continue;
      const std::string name = text.substr(open + 1, at - open - 1);
      if (name.find(' ') != std::string::npos) continue;
      ++words;
      EXPECT_NE(text.find("{" + name + "}"), std::string::npos) << key;
      EXPECT_LT(text.find('|', at), text.find('}', at)) << key;
    }
  }
  EXPECT_GT(words, 200);
}

TEST_F(CatalogueTest, WritesMessagesInsideAMessageOneAfterAnother) {
  const auto zh = Catalogue::load("zh", folder_);
  ASSERT_TRUE(zh);
  const Message part{"a.plain", {}};
  const auto with = [&](std::vector<Message> parts) {
    return zh->text(Message{"a.number", {{"n", value_of(8)}, {"what", std::move(parts)}, {"r", 2.25}}});
  };
  EXPECT_EQ(with({}), "：8，2.2");
  EXPECT_EQ(with({part}), "扇区：8，2.2");
  EXPECT_EQ(with({part, part}), "扇区扇区：8，2.2");
}

// A name of Latin letters and one of Chinese ones stand in the same pattern.
TEST_F(CatalogueTest, SpacesValuesByWhatTheyBeginAndEndWith) {
  write("zh/test.toml", "[a]\nratio = \"{more}的{what}是{less}的 {n} 倍\"\nbraces = \"{{{n}}}个\"\n");
  const auto zh = Catalogue::load("zh", folder_);
  ASSERT_TRUE(zh);
  const auto ratio = [&](const char* more, const char* less) {
    return zh->text(Message{"a.ratio",
                            {{"more", value_of(more)},
                             {"what", value_of("扇区数")},
                             {"less", value_of(less)},
                             {"n", value_of(4)}}});
  };
  EXPECT_EQ(ratio("步长 8", "步长 2"), "步长 8 的扇区数是步长 2 的 4 倍");
  EXPECT_EQ(ratio("转置", "copy"), "转置的扇区数是 copy 的 4 倍");
  EXPECT_EQ(zh->text(Message{"a.braces", {{"n", value_of(4)}}}), "{4}个");
}

TEST_F(CatalogueTest, FallsBackToEnglishThenToTheKey) {
  const auto zh = Catalogue::load("zh", folder_);
  ASSERT_TRUE(zh);
  EXPECT_EQ(zh->text("a.only"), "English");
  EXPECT_EQ(zh->text("a.none"), "a.none");
}

TEST_F(CatalogueTest, ABadPatternIsShownRawInsteadOfThrowing) {
  write("en/test.toml", "[a]\nbad = \"{n\"\n");
  const auto en = Catalogue::load("en", folder_);
  ASSERT_TRUE(en);
  EXPECT_EQ(en->text(Message{"a.bad", {{"n", value_of(1)}}}), "{n");
}

TEST_F(CatalogueTest, CollectsEveryCharacterForTheFontAtlas) {
  const auto zh = Catalogue::load("zh", folder_);
  ASSERT_TRUE(zh);
  EXPECT_NE(zh->characters().find(U'扇'), std::u32string::npos);
}

TEST_F(CatalogueTest, BadTomlNamesFileAndLine) {
  write("en/test.toml", "a = \n");
  const auto en = Catalogue::load("en", folder_);
  ASSERT_FALSE(en);
  EXPECT_EQ(en.error().place.line, 1);
  EXPECT_THAT(en.error().text(), testing::HasSubstr("test.toml"));
}

}  // namespace
}  // namespace warplens
