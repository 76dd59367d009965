// The book, the speaker's notes and the glossary.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "app/lesson/book.h"
#include "app/lesson/glossary.h"
#include "app/lesson/markdown.h"
#include "engine/base/assets.h"
#include "tests/support/places.h"
#include "visual/view.h"

namespace warplens::lesson {
namespace {

namespace fs = std::filesystem;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

struct LessonBook : testing::Test {
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / ("lesson_book_" + std::to_string(::getpid()));
    auto loaded = model::load_gallery();
    ASSERT_TRUE(loaded);
    gallery = std::move(*loaded);
    shelf = load_shelf(gallery, fs::path(tests::source_dir()) / "tests" / "app" / "lesson");
    recordings = model::load_recordings({assets_folder() / "recordings", {}});
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path folder;
  model::Gallery gallery;
  model::Recordings recordings;
  Shelf shelf;
};

TEST_F(LessonBook, APageHoldsEverythingAndFetchesNothing) {
  Runs runs(gallery, recordings.best());
  for (const char* language : {"en", "zh"}) {
    BookOptions options;
    options.folder = folder;
    options.languages = {language};
    const auto book = write_book(runs, shelf, options);
    ASSERT_TRUE(book) << book.error().text();
    for (const Error& problem : book->problems) ADD_FAILURE() << problem.text();
    EXPECT_EQ(book->pages, 1);
    const std::string page = *read_text(folder / "strides.html");
    EXPECT_EQ(page.find("{{"), std::string::npos);
    EXPECT_EQ(page.find("[["), std::string::npos);
    EXPECT_EQ(count(page, "src=\"http"), 0u);
    const std::string glossary = *read_text(folder / "glossary.html");
    EXPECT_EQ(count(page, "<img") + count(glossary, "<img"), static_cast<std::size_t>(book->pictures));
    EXPECT_NE(page.find("href=\"glossary.html#sector\""), std::string::npos);
    EXPECT_NE(glossary.find("id=\"sector\""), std::string::npos);
    EXPECT_GE(count(page, "<details>"), 6u);  // one for each prediction
    EXPECT_NE(page.find("class=\"number\">8<"), std::string::npos);
    EXPECT_EQ(page.find("// "), std::string::npos) << "the gallery's comment tells what is asked";
    EXPECT_NE(page.find("__global__"), std::string::npos);
    EXPECT_TRUE(fs::exists(folder / "index.html"));
  }
  BookOptions unknown;
  unknown.folder = folder;
  unknown.names = {"nothing"};
  EXPECT_FALSE(write_book(runs, shelf, unknown));
}

// One run of the program for every language; a page leads to itself in the other one.
TEST_F(LessonBook, AllLanguagesAreLinked) {
  Runs runs(gallery, recordings.best());
  BookOptions options;
  options.folder = folder;
  options.languages = {"en", "zh"};
  const auto book = write_book(runs, shelf, options);
  ASSERT_TRUE(book) << book.error().text();
  EXPECT_TRUE(book->problems.empty());
  EXPECT_EQ(book->pages, 2);
  const std::string index = *read_text(folder / "index.html");
  for (const char* language : {"en", "zh"}) {
    const std::string other = std::string(language) == "en" ? "zh" : "en";
    EXPECT_NE(index.find("href=\"" + std::string(language) + "/strides.html\""), std::string::npos);
    for (const char* name : {"index", "glossary", "strides"}) {
      const auto page = read_text(folder / language / (std::string(name) + ".html"));
      ASSERT_TRUE(page) << language << " " << name;
      EXPECT_NE(page->find("href=\"../" + other + "/" + name + ".html\""), std::string::npos)
          << language << " " << name;
    }
    EXPECT_NE(
        read_text(folder / language / "strides.html")->find(shelf.find("strides")->text(language).title),
        std::string::npos);
  }
}

TEST_F(LessonBook, NotesHaveTheirNumbers) {
  Runs runs(gallery, recordings.best());
  const std::string notes = notes_of(runs, *shelf.find("strides"), "en");
  EXPECT_NE(notes.find("Wait for the answer."), std::string::npos);
  EXPECT_NE(notes.find("Ten minutes."), std::string::npos);
  EXPECT_NE(notes.find("> 8 sectors at stride 2."), std::string::npos);
  for (const char* language : {"en", "zh"})
    EXPECT_EQ(notes_of(runs, *load_shelf(gallery).find("coalescing"), language).find("[["), std::string::npos)
        << "links lead nowhere on paper";
}

// Names of files are nothing that a speaker sees in the window.
TEST_F(LessonBook, ATimingNamesStepsByTheirTitles) {
  Runs runs(gallery, recordings.best());
  const Shelf all = load_shelf(gallery);
  const Lesson& lesson = *all.find("coalescing");
  const std::string english = notes_of(runs, lesson, "en"), chinese = notes_of(runs, lesson, "zh");
  EXPECT_NE(english.find("**10 minutes:** “The good case” (1), “Every second element” (2)"),
            std::string::npos)
      << english;
  EXPECT_NE(chinese.find("“每隔一个取一个”（2）"), std::string::npos) << chinese;
  EXPECT_NE(chinese.find("再加“起点晚一点”（4）和“CPU"), std::string::npos) << chinese;
  for (const std::string* notes : {&english, &chinese})
    EXPECT_EQ(notes->find("`stride_two`"), std::string::npos);
  EXPECT_NE(english.find("`double` instead of"), std::string::npos) << "other code stays";
  EXPECT_NE(notes_of_page(runs, lesson, {"coalescing", 2, true}, "en").find("\n8. In every sector"),
            std::string::npos);
}

TEST_F(LessonBook, NotesFollowThePage) {
  Runs runs(gallery, recordings.best());
  const Lesson& strides = *shelf.find("strides");
  const std::string asked = notes_of_page(runs, strides, {"strides", 2, false}, "en");
  EXPECT_NE(asked.find("## 2/7"), std::string::npos) << asked;
  EXPECT_NE(asked.find("> 8 sectors at stride 2."), std::string::npos) << "the speaker may know it";
  const std::string told = notes_of_page(runs, strides, {"strides", 2, true}, "en");
  EXPECT_NE(told.find("\n8 sectors at stride 2."), std::string::npos) << told;
  EXPECT_NE(notes_of_page(runs, strides, {"strides", 0, false}, "en").find("Ten minutes."),
            std::string::npos);
  const fs::path file = folder / "open_page.toml";
  fs::create_directories(folder);
  EXPECT_EQ(read_open_page(file), OpenPage{});
  const OpenPage open{"strides", 3, true};
  ASSERT_TRUE(write_open_page(file, open));
  EXPECT_EQ(read_open_page(file), open);
}

TEST(LessonMarkdown, BlocksAndSpans) {
  const auto blocks = parse_markdown(
      "A **bold** [[bank|banks]] `x`.\n\n1. one\n2. two\n   - deep\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
  ASSERT_EQ(blocks.size(), 6u);
  EXPECT_TRUE(blocks[0].spans.at(1).bold);
  EXPECT_EQ(blocks[0].spans.at(3).term, "bank");
  EXPECT_EQ(blocks[0].spans.at(3).text, "banks");
  EXPECT_TRUE(blocks[0].spans.at(5).code);
  EXPECT_EQ(blocks[2].number, 2);
  EXPECT_EQ(blocks[3].level, 1);
  EXPECT_EQ(blocks[5].cells.at(1).at(0).text, "2");
  EXPECT_EQ(markdown_html("a < b & `<c>`"), "<p>a &lt; b &amp; <code>&lt;c&gt;</code></p>\n");
}

TEST(LessonGlossary, EveryTermLeadsSomewhere) {
  const Glossary glossary = load_glossary();
  for (const Error& problem : glossary.problems) ADD_FAILURE() << problem.text();
  ASSERT_GE(glossary.terms.size(), 40u);
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  for (const Term& term : glossary.terms) {
    EXPECT_TRUE(term.kernel.empty() || gallery->find(term.kernel) != nullptr) << term.id;
    EXPECT_TRUE(term.view.empty() || visual::find_view(term.view) != nullptr) << term.id;
  }
  ASSERT_NE(glossary.find("Sector"), nullptr);
  EXPECT_EQ(glossary.find("no such term"), nullptr);
  const auto said = [&](const char* text) {
    std::string out;
    for (const Mention& one : glossary.named_in(text)) out += one.term->id + " ";
    return out;
  };
  EXPECT_EQ(said("Sectors a request"), "sector request ");
  EXPECT_EQ(said("bank conflicts, overlaps, line 10"), "bank_conflict ");
  EXPECT_EQ(said("每次请求的扇区数"), "request sector ");
}

}  // namespace
}  // namespace warplens::lesson
