// Which views that are looked at ask something that nobody has found out yet (workbench_studies.cpp).
#pragma once

namespace warplens::window {

class Workbench;

struct StudiesDue {
  bool occupancy = false, relatives = false;
  bool any() const { return occupancy || relatives; }
};
StudiesDue studies_due(const Workbench& bench);

}  // namespace warplens::window
