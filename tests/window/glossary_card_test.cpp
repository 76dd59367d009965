// The card of a term, in the real window at 1280x720: where it opens, what it shows, how it closes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/lesson/glossary.h"
#include "engine/base/assets.h"
#include "tests/window/screen.h"

namespace warplens::window {
namespace {

class GlossaryCardTest : public testing::ScreenTest {
 protected:
  // What the window says at each `report`.
  std::vector<nlohmann::json> reports(const std::string& script, int most_seconds = 200) {
    const std::string file = (folder_ / "card.txt").string(), out = (folder_ / "reports.txt").string();
    EXPECT_TRUE(write_text(file, script));
    const testing::Finished done = testing::run_shell(
        binary("--size 1280x720 --language en --script " + file, most_seconds) + " > " + out);
    EXPECT_EQ(done.code, 0) << done.error;
    std::vector<nlohmann::json> all;
    std::istringstream lines(testing::taken(out));
    for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
  static std::string open_term(const nlohmann::json& report) {
    return report.contains("term") ? report.at("term").at("id").get<std::string>() : "";
  }
};

// Words of a page and of a picture open it; Esc, its cross and another page close it, and nothing else of the
// window is touched by that.
TEST_F(GlossaryCardTest, OpensByAClickAndClosesByEscItsCrossAndAnotherPage) {
  const std::string wait = "wait settled 100\nwait 0.4\nreport\n";
  const auto said = reports(
      "lesson coalescing\nwait settled 100\npage 1\nwait settled 100\nwait 0.4\n"
      "click 210 278\n" +
      wait +                                               // 0: "coalesced", in the text
      "press escape\n" + wait +                            // 1
      "click 1222 106\n" + wait +                          // 2: the figure of the picture, "4 sectors"
      "click 210 278\n" + wait +                           // 3: another term takes its place
      "click 790 80\n" + wait +                            // 4: its cross
      "click 237 215\n" + wait +                           // 5: "sectors", in the text
      "press pagedown\n" + wait +                          // 6: the next page
      "press pageup\n" + wait +                            // 7: back again
      "term coalescing\nwait 0.4\npress enter\n" + wait +  // 8: to where it is seen
      "place lessons\n" + wait);                           // 9
  ASSERT_EQ(said.size(), 10u);
  const std::vector<std::string> open{"coalescing", "", "sector", "coalescing", "", "sector", "", "", "", ""};
  const std::vector<int> page{1, 1, 1, 1, 1, 1, 2, 1, 1, 1};
  for (std::size_t i = 0; i < said.size(); ++i) {
    EXPECT_EQ(open_term(said[i]), open[i]) << i;
    EXPECT_EQ(said[i].at("lesson").value("page", 1), page[i]) << i;
    EXPECT_EQ(said[i].at("kernel"), "copy_strided") << i;
  }
  EXPECT_NE(said[8].at("lesson").value("mode", ""), said[9].at("lesson").value("mode", ""))
      << "seen on the bench; the lesson waits at its page";
}

// Every card in both languages: each name with the characters of its script, and nothing without room,
// counters least of all, whose names are longer than the card is wide.
TEST_F(GlossaryCardTest, ShowsEveryTermInFull) {
  const lesson::Glossary glossary = lesson::load_glossary();
  std::string script = "open copy_strided\nwait settled 100\n";
  std::vector<std::pair<std::string, const lesson::Term*>> shown;
  for (const char* language : {"en", "zh"}) {
    script += std::string("look ") + language + "\nwait settled 100\nwait 0.3\n";
    for (const lesson::Term& term : glossary.terms) {
      // Fonts are ready a frame after they are asked for.
      script += "term " + term.id + "\nwait 0.1\nreport\n";
      shown.emplace_back(language, &term);
    }
  }
  const auto said = reports(script, 400);
  ASSERT_EQ(said.size(), shown.size());
  for (std::size_t i = 0; i < said.size(); ++i) {
    const auto& [language, term] = shown[i];
    ASSERT_EQ(open_term(said[i]), term->id);
    EXPECT_TRUE(said[i].at("term").at("written").get<bool>()) << term->id;
    for (const auto& cut : said[i].at("cut")) {
      const auto piece = cut.get<std::string>();
      EXPECT_TRUE(term->counter.find(piece) == std::string::npos) << language << ", no room for: " << piece;
      for (const auto& [of, name] : term->name) EXPECT_NE(piece, name) << language;
    }
    EXPECT_LE(said[i].at("term").at("bottom").get<double>(), 720) << term->id;
  }
}

}  // namespace
}  // namespace warplens::window
