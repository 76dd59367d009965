// From a run to a picture: the one way in which the command line, the tour and the tests draw a view.
#pragma once

#include <span>
#include <string>

#include "app/model/picture/recorded_views.h"
#include "app/model/run/pipeline.h"
#include "visual/canvas.h"
#include "visual/occupancy_lab.h"
#include "visual/view.h"

namespace warplens::model {

struct PictureOptions {
  std::string view = "address-map";
  visual::Size size{960, 540};
  std::optional<std::size_t> step;  // where the time cursor stands; the most telling step when not given
  float phase = 1.0f;               // 0 start to 1 end of the step's animation
  RecordedViews recorded = {};      // what a recording says of this run; empty: nothing has been measured
  visual::OccupancyLab lab = {};    // what the occupancy view found out by trying
  std::vector<visual::RooflinePoint> others =
      {};  // of the roofline, and at which size, and the library there
  std::string others_at = {};
  std::optional<visual::RooflineCeiling> library = {};
};

// The error lists the views there are.
Result<const visual::View*> find_view(const std::string& id);

// Facts about the device a run was modelled for, kept together because a view points into them.
class Pictures {
 public:
  static Result<Pictures> make(const Catalogue& catalogue);
  Result<visual::Scene> draw(const Run& run, const PictureOptions& options) const;

 private:
  const Catalogue* catalogue_ = nullptr;
  analysis::DeviceCatalogue devices_;
};

// The step that shows best what the views are about, which is what the run's numbers are about: the access
// that the kernel names, where one of them can show it, else that of analysis::focus_of in the memory that
// the first of them shows. Of its executions the one furthest from its ideal.
std::size_t telling_step(const Run& run, std::span<const std::string> views);
// The same without a report: of all accesses that the view can show the one furthest from its ideal.
std::size_t telling_step(const trace::Trace& trace, std::string_view view);
// By how many sectors or passes the access of a step is over its ideal; -1 for a step that is no such access.
long step_excess(const trace::Trace& trace, std::size_t step);
// That step (or `first`) and the accesses of the same warp that follow it and that the view can show; at
// least one.
std::vector<std::size_t> following_steps(const Run& run, const std::string& view,
                                         std::optional<std::size_t> first, std::size_t count);

}  // namespace warplens::model
