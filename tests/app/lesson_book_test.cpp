// The book, the speaker's notes and the glossary.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "app/lesson/book.h"
#include "app/lesson/book_picture.h"
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
    const std::string index = *read_text(folder / "index.html");
    EXPECT_NE(index.find(recordings.best()->device.name), std::string::npos) << "whose times these are";
    // What stands over a picture is written as the language writes it.
    const std::string colon = std::string(language) == "zh" ? "：" : ": ";
    const model::GalleryKernel* strided = gallery.find("copy_strided");
    EXPECT_NE(page.find(strided->title.at(language) + colon), std::string::npos);
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

std::vector<std::string> values_of(const std::string& page, const std::string& attribute) {
  std::vector<std::string> out;
  const std::string begin = attribute + "=\"";
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1)) {
    if (at > 0 && page[at - 1] != ' ') continue;
    const std::size_t from = at + begin.size();
    out.push_back(page.substr(from, page.find('"', from) - from));
  }
  return out;
}

// Where a reveal moves a slider to its default, its caption says where it stands by then.
TEST_F(LessonBook, ACaptionNamesWhatTheRevealMoved) {
  Runs runs(gallery, recordings.best());
  BookOptions options;
  options.folder = folder;
  options.languages = {"en"};
  options.names = {"strides"};
  ASSERT_TRUE(write_book(runs, shelf, options));
  const std::string page = *read_text(folder / "strides.html");
  EXPECT_NE(page.find("<p class=\"state\">Strided copy: stride 2, elements 1,024</p>"), std::string::npos);
}

// On paper nobody points at what was left out.
TEST_F(LessonBook, APictureIsAsTallAsItsSentence) {
  Runs runs(gallery, nullptr);
  const auto words = Catalogue::load("en");
  ASSERT_TRUE(words);
  const auto pictures = model::Pictures::make(*words);
  ASSERT_TRUE(pictures);
  const auto cut = [](const visual::Scene& scene) {
    return std::any_of(scene.shapes.begin(), scene.shapes.end(),
                       [](const visual::Shape& shape) { return shape.text.ends_with(". …"); });
  };
  model::PictureOptions options;
  options.size = kPicture;
  std::shared_ptr<const model::Run> run;
  for (const char* view : {"bank-view", "constants", "matrix", "exchanges", "fragments"}) {
    options.view = view;
    for (const model::GalleryKernel& kernel : gallery.kernels) {
      Subject subject;
      subject.kernel = &kernel;
      subject.values = model::default_values(kernel);
      const auto facts = runs.facts(subject);
      if (!facts) continue;
      const auto low = pictures->draw(*facts->run, options);
      if (!low || !cut(*low)) continue;
      run = facts->run;
      break;
    }
    if (run) break;
  }
  if (!runs.facts({.kernel = gallery.find("copy"), .values = model::default_values(*gallery.find("copy"))}))
    GTEST_SKIP() << "no compiler here";
  ASSERT_TRUE(run) << "else this tests nothing";
  const auto whole = whole_picture(*pictures, *run, options);
  ASSERT_TRUE(whole);
  EXPECT_FALSE(cut(*whole));
  EXPECT_GT(whole->size.height, kPicture.height);
  options.view = "address-map";  // its line is shortened in the heading, which no height changes
  const auto other = whole_picture(*pictures, *run, options);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->size.height, kPicture.height);
}

// What a browser would stumble over, without one.
TEST_F(LessonBook, PagesHangTogetherAndAreReadyForPaper) {
  Runs runs(gallery, recordings.best());
  BookOptions options;
  options.folder = folder;
  options.languages = {"en", "zh"};
  ASSERT_TRUE(write_book(runs, shelf, options));
  std::map<std::string, std::string> pages;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".html")
      pages[fs::relative(entry.path(), folder).string()] = *read_text(entry.path());
  ASSERT_EQ(pages.size(), 7u);
  for (const auto& [name, page] : pages) {
    const std::vector<std::string> ids = values_of(page, "id");
    EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size()) << name;
    for (const std::string& link : values_of(page, "href")) {
      if (link.starts_with("https://")) continue;
      const std::size_t hash = std::min(link.find('#'), link.size());
      const fs::path file = hash == 0 ? fs::path(name) : fs::path(name).parent_path() / link.substr(0, hash);
      const auto target = pages.find(file.lexically_normal().string());
      ASSERT_NE(target, pages.end()) << name << ": " << link;
      if (hash == link.size()) continue;
      const std::vector<std::string> there = values_of(target->second, "id");
      EXPECT_NE(std::find(there.begin(), there.end(), link.substr(hash + 1)), there.end())
          << name << ": " << link;
    }
    EXPECT_EQ(count(page, "<h1"), 1u) << name;
    EXPECT_EQ(count(page, "<img"), count(page, " alt=\"")) << name;
    for (const std::string& alt : values_of(page, "alt")) EXPECT_GT(alt.size(), 20u) << name << ": " << alt;
    for (const char* outside : {"<link", "@import", "url(http", "src=\"http", "<iframe"})
      EXPECT_EQ(page.find(outside), std::string::npos) << name << ": " << outside;
    for (const char* both : {"details", "section", "article", "ul", "li", "table", "pre", "div", "p"})
      EXPECT_EQ(count(page, std::string("<") + both + ">") + count(page, std::string("<") + both + " "),
                count(page, std::string("</") + both + ">"))
          << name << ": " << both;
    // What is folded is printed, with a script and without; pictures stay whole; both grounds.
    for (const char* rule : {"beforeprint", "::details-content", "break-inside:avoid", "break-after:avoid",
                             "prefers-color-scheme:dark"})
      EXPECT_NE(page.find(rule), std::string::npos) << name << ": " << rule;
  }
  EXPECT_NE(pages["en/strides.html"].find("lang=\"en\""), std::string::npos);
  EXPECT_NE(pages["zh/strides.html"].find("lang=\"zh-Hans\""), std::string::npos);
}

TEST_F(LessonBook, NotesHaveTheirNumbers) {
  Runs runs(gallery, recordings.best());
  const std::string notes = notes_of(runs, *shelf.find("strides"), "en");
  EXPECT_NE(notes.find("Wait for the answer."), std::string::npos);
  EXPECT_NE(notes.find("Ten minutes."), std::string::npos);
  EXPECT_NE(notes.find("> 8 sectors at stride 2."), std::string::npos);
  EXPECT_NE(notes.find("> Why twice as many?\n\n> The span doubles.\n\n> Right."), std::string::npos)
      << "the question why, answered";
  for (const char* language : {"en", "zh"})
    EXPECT_EQ(notes_of(runs, *load_shelf(gallery).find("coalescing"), language).find("[["), std::string::npos)
        << "links lead nowhere on paper";
}

// Pages are named by their titles, and minutes are added up.
TEST_F(LessonBook, ATeacherSeesTheMinutesOfEachPlan) {
  Runs runs(gallery, recordings.best());
  const Shelf all = load_shelf(gallery);
  const Lesson& lesson = *all.find("coalescing");
  ASSERT_EQ(lesson.plans.size(), 2u);
  int minutes = 0;
  for (const Step& step : lesson.steps) minutes += step.minutes;
  const std::string english = notes_of(runs, lesson, "en"), chinese = notes_of(runs, lesson, "zh");
  EXPECT_NE(english.find("| 10 min | 20 min | 45 min | page |"), std::string::npos) << english;
  EXPECT_NE(english.find("|      2 |      2 |      2 | 2. Every second element |"), std::string::npos)
      << english;
  EXPECT_NE(english.find("|        |      3 |      3 | 4. A late start |"), std::string::npos) << english;
  EXPECT_NE(english.find(std::to_string(minutes) + " | together; " + std::to_string(45 - minutes) +
                         " minutes are left |"),
            std::string::npos)
      << english;
  EXPECT_NE(english.find("## 2. Every second element · 2 min\n"), std::string::npos);
  EXPECT_NE(chinese.find("## 2. 每隔一个取一个 · 2 分钟\n"), std::string::npos);
  EXPECT_NE(notes_of_page(runs, lesson, {"coalescing", 2, false}, "zh").find(" · 2 分钟\n"),
            std::string::npos);
  EXPECT_NE(notes_of_page(runs, lesson, {"coalescing", 0, false}, "en").find("| 4. A late start |"),
            std::string::npos);
  for (const std::string* notes : {&english, &chinese})
    EXPECT_EQ(notes->find("stride_two"), std::string::npos) << "names of the file";
  EXPECT_NE(english.find("> Stride 8: 32 bytes from lane to lane"), std::string::npos) << "what meets a goal";
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
  ASSERT_GE(glossary.terms.size(), 100u);
  const auto gallery = model::load_gallery();
  ASSERT_TRUE(gallery);
  std::set<std::string> plain_words;
  for (const Term& term : glossary.terms) {
    const model::GalleryKernel* kernel = gallery->find(term.kernel);
    ASSERT_NE(kernel, nullptr) << term.id;
    EXPECT_NE(visual::find_view(term.view), nullptr) << term.id;
    for (const auto& [name, value] : term.set) {
      const auto slider = std::find_if(kernel->sliders.begin(), kernel->sliders.end(),
                                       [&](const model::Slider& s) { return s.name == name; });
      ASSERT_NE(slider, kernel->sliders.end()) << term.id << ": " << name;
      EXPECT_EQ(model::value_name(*slider, seen_at(term, *kernel).at(name), "en").empty(), false);
      EXPECT_NE(seen_at(term, *kernel).at(name), slider->value) << term.id << " stands at the default";
    }
    for (const char* language : {"en", "zh"}) {
      EXPECT_FALSE(term.name.at(language).empty()) << term.id;
      EXPECT_FALSE(term.text.at(language).empty()) << term.id;
      // A plain word is none when it is the term again, the whole meaning, or that of another term.
      const std::string& plain = term.plain.at(language);
      EXPECT_FALSE(plain.empty()) << term.id;
      EXPECT_LE(plain.size(), 80u) << term.id << ": " << plain;
      if (!term.id.starts_with("stall_")) {  // of these the profiler's word may be plain already
        EXPECT_NE(plain, term.name.at(language)) << term.id;
      }
      EXPECT_FALSE(term.text.at(language).starts_with(plain)) << term.id << " says twice: " << plain;
      EXPECT_TRUE(plain_words.insert(plain).second) << term.id << ": " << plain;
    }
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
  EXPECT_EQ(said("waiting for other warps at a barrier"), "stall_barrier ") << "the phrase, not its words";
  EXPECT_EQ(said("wait for it"), "") << "what a stall is called means something else in a sentence";
}

// Wherever numbers have a name in the interface, that name leads to the glossary: counters, stall reasons,
// badges, what limits occupancy, what a time is made of, faults, numbers of the bench, what grid and source
// are coloured by.
TEST(LessonGlossary, EveryNameOfANumberIsALink) {
  const Glossary glossary = load_glossary();
  // Words of every day.
  const std::set<std::string> plain{"window.figure.time", "counter.stall.misc", "view.faults.kind_trap",
                                    "view.faults.kind_assertion", "view.faults.kind_stack_overflow"};
  for (const char* language : {"en", "zh"}) {
    const auto text = Catalogue::load(language);
    ASSERT_TRUE(text);
    for (const std::string& key : text->keys()) {
      const auto in = [&](std::string_view part) { return key.starts_with(part); };
      const bool named = (in("counter.") && !in("counter.stall_means.")) ||
                         (in("view.evidence.") && !key.ends_with("_means")) || in("view.occupancy.name_") ||
                         in("modelled.part.") || in("view.faults.kind_") || in("view.grid.measure_") ||
                         (in("window.figure.") && text->text(key).find('{') == std::string::npos) ||
                         in("view.hierarchy.name_");
      if (!named || plain.contains(key)) continue;
      EXPECT_FALSE(glossary.named_in(text->text(key)).empty())
          << language << " " << key << " = " << text->text(key);
    }
  }
}

}  // namespace
}  // namespace warplens::lesson
