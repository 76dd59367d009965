#include "app/model/view_data.h"

#include "app/model/shared_arrays.h"
#include "engine/analysis/caches.h"
#include "visual/grid_costs.h"

namespace warplens::model {
namespace {

// Modelling the caches walks every lane of every access; beyond this a slider would feel it.
constexpr std::size_t kMostSteps = 500'000;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

void ViewData::attach(visual::ViewInput& input) const {
  input.grid = &grid;
  input.source = &source;
  input.traffic = traffic ? &*traffic : nullptr;
  input.index = index.get();
  input.shared = &shared;
}

ViewData make_view_data(const Run& run, const analysis::Device* device,
                        const analysis::ComputeCapability* capability) {
  ViewData out;
  out.grid = visual::collect_grid_costs(run.trace);
  out.index = std::make_shared<const visual::TraceIndex>(run.trace);
  out.shared = shared_arrays(run);
  if (run.program) {
    out.source.file = std::filesystem::path(run.program->file).filename().string();
    out.source.lines = lines_of(run.program->text);
    if (!run.program->is_ptx) out.source.ptx_lines = lines_of(run.program->ptx.text);
  }
  if (device && capability && run.trace.size() <= kMostSteps) {
    const auto caches =
        analysis::model_caches(run.trace, analysis::cache_sizes(*device, *capability, run.report.occupancy));
    visual::LevelTraffic& traffic = out.traffic.emplace();
    traffic.evidence = analysis::CacheReport::evidence;
    if (caches.l1.reads > 0) traffic.l1_hit_rate = caches.l1.hit_rate();
    if (caches.l1.reads + caches.l1.writes > 0 && !traffic.l1_hit_rate) traffic.l1_hit_rate = 0.0;
    if (caches.l2.reads > 0) traffic.l2_hit_rate = caches.l2.hit_rate();
  }
  return out;
}

}  // namespace warplens::model
