// What every panel gets, and the few controls they are made of. A control is drawn by us and only its mouse
// handling is ImGui's, so that the window looks like its pictures.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/window/draw/pen.h"
#include "app/window/session/arrangement.h"
#include "app/window/session/workbench.h"
#include "engine/base/message.h"

namespace warplens::window {

// What panels remember between frames that is nobody else's business.
struct PanelState {
  std::string focused_slider;    // takes the arrow keys
  std::size_t first_slider = 0;  // of those in the bar under the views, where not all have room
  std::string typed_slider;      // its value is being typed
  std::string typed_value;
  bool typing = false;      // its field has the keyboard
  bool shelf_open = false;  // the folded shelf, unfolded over the rest for one choice
  bool bench_wanted = false;
  int full_view = -1;
  int active_view = 0;  // the one that keys change
  bool presenting = false;
  bool help = false;
  bool editing = false;
  bool show_ptx = false;
  bool line_in_sight = false;  // the one under the cursor, in the code
  bool program = false;        // the place of a whole program instead of bench and stage
  int export_view = -1;        // the view whose save menu is open
  std::string open_term;       // of the glossary: its card is shown
  visual::Target next_hover;   // collected while a frame is drawn, shown everywhere in the next
};

struct Ui {
  Workbench& bench;
  const Catalogue& catalogue;
  Fonts& fonts;
  const visual::Theme& theme;
  const visual::TextMeasure& measure;
  PanelState& state;
  Arrangement layout;
  double now = 0;

  std::string say(std::string_view key) const { return catalogue.text(key); }
  std::string say(const Message& message) const { return catalogue.text(message); }
  std::string say(const Error& error) const { return catalogue.text(error); }
  float scale() const { return fonts.scale(); }
  Pen pen() const;  // at the cursor of the current ImGui window
};

// A panel's area as an ImGui child without decoration; ends with the scope.
class Area {
 public:
  Area(const Ui& ui, const char* id, const visual::Rect& window_rect, bool scrolls = false,
       bool scrolls_sideways = false);
  ~Area();
  Area(const Area&) = delete;
  Area& operator=(const Area&) = delete;
};

struct Hit {
  bool hovered = false, held = false, clicked = false, double_clicked = false, right_clicked = false;
};
// Mouse handling of a box in the pen's coordinates.
Hit hit(Pen& pen, const char* id, const visual::Rect& box);

void tooltip(const Ui& ui, std::string_view text);

// A line between two things, one above the other, that takes from the one what it gives to the other.
struct Divided {
  bool shared_evenly = false;  // a double click: as if nobody had dragged it
  std::optional<float> to;     // where the hand holds it now, in window coordinates
};
Divided divider(Ui& ui, const char* id, float x, float y, float width, std::string_view tip);

// A menu that was opened with ImGui::OpenPopup. Close it with end_menu() when this is true.
bool begin_menu(const Ui& ui, const char* id);
void end_menu();

// Buttons return whether they were clicked. An empty tip shows none.
bool icon_button(const Ui& ui, Pen& pen, const char* id, Icon icon, const visual::Rect& box,
                 std::string_view tip, bool lit = false);
bool text_button(const Ui& ui, Pen& pen, const char* id, std::string_view label, const visual::Rect& box,
                 bool lit, std::string_view tip = {});
// One that is filled: what is to be pressed next.
bool filled_button(Pen& pen, const char* id, std::string_view label, const visual::Rect& box,
                   bool enabled = true);
// The small outlined word beside a number. Returns its width.
float badge(const Ui& ui, Pen& pen, visual::Point top_left, Evidence evidence, float most = 0);

// For a text that was drawn in this box: a term of the glossary under the mouse is underlined, and its card
// opened when `clicked`. Returns whether there is one.
bool term_link(const Ui& ui, Pen& pen, const visual::Rect& box, std::string_view text, const TextStyle& style,
               bool clicked);

struct SliderLook {
  const model::Slider& slider;
  std::string label, hint;
  visual::Rect box;
  float label_width = 84;
};
// Track, knob, typed value, reset on double click; arrow keys once it was clicked. Changes the workbench.
void slider_control(Ui& ui, Pen& pen, const SliderLook& look);

visual::Role role_of(Evidence evidence);

// Whether the whole program's place stands in the top bar beside the others.
inline bool has_room_for_program(const Ui& ui) {
  return ui.layout.top.width >= 760;
}

// The panels, each in its own file.
void draw_top_bar(Ui& ui);
void draw_shelf(Ui& ui);
void draw_bench(Ui& ui);
// What the bench says of the run that is shown: why it costs what it costs, or what is wrong with it.
struct BenchWords {
  std::string text;
  bool trouble = false;
  bool earlier = false;  // of what is shown and no longer asked for
  // The same without what stands elsewhere on the bench, where there is no room for all of it: the next
  // shorter one first.
  std::vector<std::string> shorter = {};
};
// `about`: what is said of the launch, in place of what its report says.
BenchWords bench_words(const Ui& ui, const std::vector<Message>* about = nullptr);
void draw_slider_bar(Ui& ui);  // the first sliders, where the bench is folded away; in as many rows as it has
std::size_t sliders_in_a_row(float width);
constexpr double kRunShown = 1.5;  // seconds after which a run has a bar, and Esc stops it
constexpr float kCompareRow = 34;
void draw_compare_row(Ui& ui, const visual::Rect& area);  // pin, swap, undo
// The choices of a view, under it; no height where it has none.
float view_bar_height(const Ui& ui, const visual::View& view, float height);
void draw_view_bar(Ui& ui, Pen& pen, const visual::View& view, const visual::Rect& box);
void draw_source(Ui& ui, const visual::Rect& area);
// In how many rows the open text stands there; 0 while that is not known.
std::size_t source_rows(const Ui& ui);
void draw_stage(Ui& ui);
void draw_bench_plot(Ui& ui, const visual::Rect& area);  // cost over the swept slider
void draw_transport(Ui& ui);
void draw_open_shelf(Ui& ui);  // the folded shelf, unfolded over the rest
void draw_overlays(Ui& ui);    // toast, keys

}  // namespace warplens::window
