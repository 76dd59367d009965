// What stands on the stage in the place of a view, and takes the mouse there: a lesson's boards and covers.
#pragma once

#include <string>

#include "visual/scene.h"

namespace warplens::window {

struct Ui;

class StageStandIn {
 public:
  virtual ~StageStandIn() = default;
  // Null: the view itself. The scene lives until the next call for this slot.
  virtual const visual::Scene* scene(const Ui& ui, int slot, const visual::View& view, visual::Size size) = 0;
  // `at` in the scene; held: the left button is down over it.
  virtual void mouse(const Ui& ui, int slot, const visual::Target& target, visual::Point at, bool clicked,
                     bool held) = 0;
};

// The places that lessons add to the top bar, beside the program's name: the title stands behind them.
inline constexpr float kModesLeft = 112;
float modes_width(const Ui& ui);

// The one there is; null: none. Set by whoever owns it, before a frame.
void set_stage_stand_in(StageStandIn* stand_in);

}  // namespace warplens::window
