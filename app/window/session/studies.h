// Which views that are looked at ask something that nobody has found out yet (workbench_studies.cpp).
#pragma once

namespace warplens::window {

class Workbench;

struct StudiesDue {
  bool occupancy = false, relatives = false, shelf = false;
  bool shelf_of_a = false;  // of the side that is pinned
  bool of_open() const { return occupancy || relatives || shelf; }
  bool any() const { return of_open() || shelf_of_a; }
};
StudiesDue studies_due(const Workbench& bench);

}  // namespace warplens::window
