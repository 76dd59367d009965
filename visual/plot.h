// Axes, lines and points of a small plot: the one way all views draw curves.
//
//   Plot plot(draft, "registers", area, {.x_min = 16, .x_max = 255, .y_max = 64});
//   plot.steps(points, Ink::of(Role::Accent));
//   plot.mark({42, 40}, "42 registers");
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "visual/layout.h"

namespace warplens::visual {

struct PlotRange {
  double x_min = 0, x_max = 1, y_min = 0, y_max = 1;
  bool log_x = false, log_y = false;
  std::vector<double> y_ticks = {};                          // instead of round numbers
  std::vector<std::pair<double, std::string>> x_ticks = {};  // the same, with what is written there
};

struct PlotPoint {
  double x = 0, y = 0;
};

class Plot {
 public:
  // `area` includes room for the axis labels, which are drawn at once. Names may be empty.
  Plot(Draft& draft, std::string id, const Rect& area, const PlotRange& range, const std::string& x_name,
       const std::string& y_name);

  Point at(PlotPoint p) const;
  const Rect& inner() const { return inner_; }
  // Thinned to at most two points a pixel before it becomes a shape. `dashed` marks what is modelled.
  void line(const std::vector<PlotPoint>& points, Ink ink, bool dashed, const std::string& name);
  void steps(const std::vector<PlotPoint>& points, Ink ink, bool dashed, const std::string& name);
  // A band between two curves over the same x: the spread of measurements.
  void band(const std::vector<PlotPoint>& low, const std::vector<PlotPoint>& high, Ink ink);
  void dot(PlotPoint p, Ink ink, float radius, const std::string& tooltip);
  // The point that stands for the present state: a ring, and a rule down to the axis.
  void mark(PlotPoint p, const std::string& tooltip);

 private:
  void axes(const std::string& x_name, const std::string& y_name);
  void ticks();
  std::vector<double> y_ticks() const;
  std::vector<std::pair<double, std::string>> x_ticks() const;
  Draft& draft_;
  std::string id_;
  Rect inner_, area_;
  PlotRange range_;
  int curves_ = 0;
};

// Round numbers inside a range: at most `most` of them.
std::vector<double> round_ticks(double low, double high, int most);
// The same for whole numbers of a slider, a power of two apart: lanes, banks and sectors are, and what is to
// be seen of a stride happens there.
std::vector<double> binary_ticks(double low, double high, int most);

}  // namespace warplens::visual
