// The panels of lessons: the page in the place of the bench, the shelf of lessons, what stands on the stage
// instead of a view while one predicts. They draw what LessonSession holds.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/panels/stage_stand_in.h"
#include "app/window/panels/ui.h"
#include "app/window/session/lesson_session.h"
#include "visual/guess_board.h"

namespace warplens::window {

// What a run says of what a page is about.
struct SaidOfRun {
  std::weak_ptr<const model::Run> run;
  std::vector<analysis::About> about;
  std::vector<Message> words;
};

// What panels of lessons remember between frames.
struct LessonPanelState {
  bool code = false;                  // the code instead of the page
  std::uint64_t confirm = 0;          // the visit in which the reference was asked for once
  std::string number;                 // being typed
  std::uint64_t visit_of_number = 0;  // to which it belongs
  float term_height = 0;              // of its card, as it was drawn last
  std::uint64_t visit_of_term = 0;    // the page that it was seen on last
  float term_bottom = 0;              // where it ends in the window
  bool term_written = true;           // its names have all their characters
  std::string told_of;                // the page whose outcome was scrolled to
  float above = 0, below = 0;         // of the page, scrolled out of sight; logical pixels
  float text_height = 0;              // of all that stands on it, as it was drawn last
  std::uint64_t text_of = 0;          // in which visit
  int turn = 0;                       // by how many screens it is to scroll
  std::uint64_t visit_of_shown = 0;   // to which these belong:
  std::set<std::string> shown;        // what came into being on the page and was scrolled to
  SaidOfRun said;                     // under a page that the reader has left
};

struct LessonUi {
  Ui& ui;
  LessonSession& session;
  LessonPanelState& state;
};

// Markdown in lines of words. Returns the height that it took.
float draw_markdown(const LessonUi& lesson, Pen& pen, const visual::Rect& box, std::string_view text,
                    float size = 14, visual::Role role = visual::Role::Text);

// Where everything stands while a lesson is open: the page instead of the bench, the sliders under the stage.
// All of these; a page may ask for any.
void arrange_lesson(Arrangement& layout, std::size_t sliders);

void draw_lesson_page(const LessonUi& lesson);  // or the shelf, when none is open
void draw_term(const LessonUi& lesson);         // the card of the term that is open
void need_glossary(Fonts& fonts, const std::string& language);
void draw_lesson_shelf(const LessonUi& lesson, const visual::Rect& area);
void draw_lesson_question(const LessonUi& lesson, Pen& pen, float width, float& y);
void draw_challenge(const LessonUi& lesson, Pen& pen, float width, float& y);
// The next hint, and the reference behind a confirmation: under the page, in sight however far it is
// scrolled.
void draw_help_buttons(const LessonUi& lesson, Pen& pen, float x, float y);
// The strip under a page whose reader changed something; 0 where nothing was.
float changed_height(const LessonUi& lesson, float width);
void draw_changed(const LessonUi& lesson, const visual::Rect& area);
// The stars so far, the goals, and of each what was counted before the last change, what is now, and what the
// reference has: in sight however far the page is scrolled.
constexpr float kStarsHeight = 34;
float scores_height(const LessonUi& lesson, float width);
void draw_scores(const LessonUi& lesson, const visual::Rect& area);
void draw_claim(const LessonUi& lesson, Pen& pen, float width, float& y);

// Explore, Lessons, Challenges: in the top bar, beside the program's name.
void draw_lesson_modes(const LessonUi& lesson);
// What the runs say stands at this height of the page: it comes into sight once, when it is told.
void bring_to_sight(const LessonUi& lesson, const Pen& pen, float y);
// What has just come into being between these heights comes into sight, once in a visit of the page; `what`
// tells it from others.
void bring_to_sight(const LessonUi& lesson, const Pen& pen, const std::string& what, float top, float bottom);
// A clicker's forward (or back: -1) shows what of the page is out of sight before the page is turned. False:
// nothing is, or the press means something else.
bool scroll_page(LessonPanelState& state, const LessonSession& session, int by);
// A small heading over what follows; `key` is of a message.
void caption(const LessonUi& lesson, Pen& pen, const char* key, float width, float& y,
             visual::Role role = visual::Role::Dim);
// A row to choose; `mark` is drawn at its right end.
bool choice_row(const LessonUi& lesson, Pen& pen, const std::string& id, std::string_view text, float width,
                float& y, bool chosen, visual::Role role, std::string_view mark = {});

// Boards to predict on, and covers over what would tell the answer.
class LessonStage : public StageStandIn {
 public:
  explicit LessonStage(LessonSession& session) : session_(session) {}
  const visual::Scene* scene(const Ui& ui, int slot, const visual::View& view, visual::Size size) override;
  void mouse(const Ui& ui, int slot, const visual::Target& target, visual::Point at, bool clicked,
             bool held) override;

 private:
  struct Carried {
    std::size_t card = 0;
    visual::Point from, at;
    bool moved = false;  // further than a click
  };
  void draw_board(const Ui& ui, const visual::ViewContext& context, visual::Scene& out);
  void carry(const lesson::Predict& predict, visual::Point at, bool pressed, bool held);

  LessonSession& session_;
  visual::Scene scenes_[2];
  visual::Rect inner_;              // of the curve's axes
  visual::DrawnOrder order_;        // where its cards and places are
  std::set<std::uint64_t> stroke_;  // cells that this drag of the mouse has painted
  std::optional<Carried> carried_;  // the card under the hand
  bool held_ = false;               // the button, a frame ago
};

}  // namespace warplens::window
