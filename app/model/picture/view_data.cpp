#include "app/model/picture/view_data.h"

#include "app/model/picture/shared_arrays.h"
#include "app/model/study/level_traffic.h"
#include "app/model/study/roofline_chart.h"
#include "app/model/text/comments.h"
#include "engine/analysis/fragment_moves.h"
#include "visual/grid_costs.h"

namespace warplens::model {
namespace {

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
  input.constants = &constants;
  input.exchanges = &exchanges;
  input.matrices = &matrices;
  input.warp_totals = warps.get();
  input.roofline = roofline ? &*roofline : nullptr;
}

visual::SourceText source_text(const Program& program, std::string_view language) {
  visual::SourceText out;
  out.file = std::filesystem::path(program.file).filename().string();
  out.lines = lines_of(
      program.is_ptx || language.empty() ? program.text : comments_in(language, program.text, program.file));
  if (!program.is_ptx) out.ptx_lines = lines_of(program.ptx.text);
  return out;
}

ViewData make_view_data(const Run& run, const analysis::Device* device,
                        const analysis::ComputeCapability* capability, const RowWidths& widths,
                        std::string_view language) {
  ViewData out;
  out.grid = visual::collect_grid_costs(run.trace);
  out.index = std::make_shared<const visual::TraceIndex>(run.trace);
  out.shared = shared_arrays(run);
  out.constants = constant_arrays(run);
  out.warps = run.warps;
  out.matrices = visual::collect_matrices(run.trace, matrix_shapes(run, widths));
  if (run.program && run.program->module) {
    if (const auto kernel = run.program->module->find_entry(run.report.launch.kernel))
      out.exchanges = analysis::exchange_networks(*run.program->module, **kernel);
    out.matrices.fragments = std::make_shared<const analysis::FragmentMoves>(
        analysis::fragment_moves(*run.program->module, run.trace));
  }
  if (run.program) out.source = source_text(*run.program, language);
  if (device && capability) {
    out.traffic = level_traffic(run, *device, *capability);
    out.roofline = roofline_chart(run, *device, out.traffic ? &*out.traffic : nullptr);
  }
  return out;
}

}  // namespace warplens::model
