// The panels of a whole program: its place instead of bench and stage, and the strip over these that leads to
// it and back. They draw what ProgramSession holds.
#pragma once

#include <optional>
#include <string>

#include "app/window/panels/ui.h"
#include "app/window/session/program_session.h"
#include "visual/program_timeline.h"

namespace warplens::window {

// What these panels remember between frames.
struct ProgramPanelState {
  bool form = false;        // the settings instead of the run
  std::size_t row = 0;      // of the listed launches: the one that keys open
  bool follow_row = false;  // it was moved by a key: it is scrolled to
  std::string line;         // being typed for the program
  std::string take_to;      // being typed
  std::size_t taking = 0;   // the launch that this is about
  std::string page_to;      // being typed
  // The time line: what is seen of it, and the picture that was made of it.
  double begin = 0, end = 0;  // end 0: all
  struct Made {
    std::uint64_t serial = ~std::uint64_t{0}, marked = 0;
    double begin = 0, end = 0;
    visual::Size size;
    float scale = 0;
    std::string language;
  } made;
  visual::Scene timeline;
  float timeline_height = 150;  // that its rows would like
};

struct ProgramUi {
  Ui& ui;
  ProgramSession& session;
  ProgramPanelState& state;
};

void draw_program(const ProgramUi& p);
void draw_program_mode(const ProgramUi& p);  // beside the other places in the top bar
// Over bench and stage, when they show a launch of the program or a file that could run: room is made for it.
void arrange_program(const ProgramSession& session, Arrangement& layout, visual::Rect& strip);
void draw_program_strip(const ProgramUi& p, const visual::Rect& strip);
// True: the key is its own.
bool program_keys(const ProgramUi& p);

// Parts of the place, each in its own file.
void draw_program_form(const ProgramUi& p, const visual::Rect& area);
void draw_program_kernels(const ProgramUi& p, const visual::Rect& area);
void draw_program_launches(const ProgramUi& p, const visual::Rect& area);
void draw_program_timeline(const ProgramUi& p, const visual::Rect& area);
void draw_program_output(const ProgramUi& p, const visual::Rect& area);
float program_kernels_height(const ProgramSession& session);

// A popup in which a folder is typed; open it with ImGui::OpenPopup("take").
void ask_where_to_take(const ProgramUi& p, std::size_t launch);
void draw_take_popup(const ProgramUi& p);

}  // namespace warplens::window
