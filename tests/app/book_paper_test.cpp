// The book as it comes out of a printer, where there are a browser and a reader of PDF to try it with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "app/lesson/book.h"
#include "engine/base/assets.h"
#include "tests/support/places.h"

namespace warplens::lesson {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// "" where the system has none of them.
std::string program_of(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0) return name;
  return {};
}

// The sheets of a page of the book, each as its lines of text from top to bottom.
using Sheet = std::vector<std::string>;
std::vector<Sheet> printed(const std::string& browser, const fs::path& page) {
  const fs::path folder = page.parent_path(), pdf = folder / "sheets.pdf", text = folder / "sheets.txt";
  const auto quoted = [](const fs::path& path) { return "'" + path.string() + "'"; };
  const std::string print = "timeout 120 " + browser +
                            " --headless --no-sandbox --disable-gpu --no-pdf-header-footer --user-data-dir=" +
                            quoted(folder / "browser") + " --print-to-pdf=" + quoted(pdf) + " 'file://" +
                            page.string() + "' >/dev/null 2>&1";
  const std::string read = "pdftotext -layout " + quoted(pdf) + " " + quoted(text);
  if (std::system(print.c_str()) != 0 || std::system(read.c_str()) != 0) return {};
  std::vector<Sheet> out;
  std::istringstream lines(*read_text(text));
  std::string line;
  for (bool first = true; std::getline(lines, line);) {
    if (first || line.starts_with('\f')) out.emplace_back();
    first = false;
    if (line.find_first_not_of(" \f\t") != std::string::npos) out.back().push_back(line);
  }
  if (!out.empty() && out.back().empty()) out.pop_back();  // what follows the last form feed
  return out;
}

bool has(const std::string& line, const std::string& what) {
  return line.find(what) != std::string::npos;
}

class BookOnPaper : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string browser =
        program_of({"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"});
    if (browser.empty() || program_of({"pdftotext"}).empty()) return;
    folder_ = fs::path(testing::TempDir()) / ("book_on_paper_" + std::to_string(::getpid()));
    auto loaded = model::load_gallery();
    ASSERT_TRUE(loaded);
    const Shelf shelf = load_shelf(*loaded, fs::path(tests::source_dir()) / "tests" / "app" / "lesson");
    const model::Recordings recordings = model::load_recordings({assets_folder() / "recordings", {}});
    Runs runs(*loaded, recordings.best());
    BookOptions options;
    options.folder = folder_;
    options.languages = {"en"};
    ASSERT_TRUE(write_book(runs, shelf, options));
    sheets_ = printed(browser, folder_ / "strides.html");
    for (const Sheet& sheet : sheets_)
      for (const std::string& line : sheet) all_ += line + "\n";
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }
  void SetUp() override {
    if (sheets_.empty()) GTEST_SKIP() << "no browser that prints here, or no pdftotext";
  }

  inline static fs::path folder_;
  inline static std::vector<Sheet> sheets_;
  inline static std::string all_;
};

// Nobody can open anything on paper.
TEST_F(BookOnPaper, WhatIsFoldedOnAScreenIsThere) {
  for (const char* said : {"8 sectors at stride 2.", "Half of each sector is", "That was stride 1.",
                           "No: each lane loads 4 bytes as before.", "Eight in a row.", "Ten minutes."})
    EXPECT_THAT(all_, HasSubstr(said));
  EXPECT_THAT(all_, Not(HasSubstr("index.html")));
}

TEST_F(BookOnPaper, AHeadingStandsOverWhatItIsOf) {
  const std::vector<std::pair<std::string, std::string>> together{
      {"Every second element", "How many sectors at stride 2?"},
      {"Paint it", "Which sectors?"},
      {"More or fewer", "Which needs more sectors?"},
      {"In order", "From small to large?"}};
  for (const auto& [heading, below] : together) {
    bool found = false;
    for (const Sheet& sheet : sheets_) {
      bool above = false;
      for (const std::string& line : sheet) {
        above = above || (has(line, heading) && line.find_first_not_of(" \f") == line.find(heading));
        found = found || (above && has(line, below));
      }
    }
    EXPECT_TRUE(found) << "'" << heading << "' and '" << below << "' are on two sheets:\n" << all_;
  }
  for (const Sheet& sheet : sheets_)
    for (const char* word : {"PREDICT", "WHY", "TRY IT", "Show what happens", "Is that it?", "Sources"})
      EXPECT_FALSE(has(sheet.back(), word)) << "at the foot: " << sheet.back();
}

TEST_F(BookOnPaper, NoSheetIsAllButEmpty) {
  for (std::size_t i = 0; i < sheets_.size(); ++i)
    EXPECT_GE(sheets_[i].size(), 4u) << "sheet " << i + 1 << ": " << sheets_[i].front();
}

}  // namespace
}  // namespace warplens::lesson
