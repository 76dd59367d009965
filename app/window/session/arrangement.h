// Where everything stands in the window: a pure function of its size and of what the user folded.
//
// What folds when room gets scarce, in this order: the second view (under 820 pixels of height), the shelf to
// icons (under 1360 of width), the bench (under 1000 of width). In presenter mode a column with what is
// spoken about (the lines of code, numbers, the sentence) stands in the bench's place, and the icons go. What
// the user asked for explicitly wins over this order as long as it fits at all.
#pragma once

#include "app/window/session/settings.h"
#include "visual/scene.h"

namespace warplens::window {

inline constexpr float kTopBarHeight = 44, kTransportHeight = 68, kShelfWidth = 220, kRailWidth = 48;
inline constexpr float kTabsHeight = 34, kSliderBarHeight = 40;
inline constexpr float kLeastView = 240;  // of two

struct Arrangement {
  visual::Rect top, shelf, bench, transport;
  visual::Rect sliders;   // a bar over the transport, where the bench with its sliders is folded away
  visual::Rect views[2];  // the second is empty when only one is shown
  bool shelf_folded = false, bench_shown = true;
  bool speaker = false;  // `bench` is the speaker's column, without the sliders
  int view_count = 1;
};

struct ArrangementInput {
  visual::Size size;  // logical pixels
  bool shelf_folded = false;
  bool two_views = true;
  bool presenting = false;
  bool comparing = false;     // two sides need the width that the speaker's column would take
  bool bench_wanted = false;  // asked for although it would be folded
  float bench_width = 0;      // 0: a share of the window
  float upper_view = 0.5f;    // its share of the stage, as far as both views can be read
  bool has_sliders = true;
  int full_view = -1;  // this view alone, -1: none
};

Arrangement arrange(const ArrangementInput& input);

}  // namespace warplens::window
