// What some views need beyond report and trace, made once a run and off the frame: costs a warp, the source
// text, what the caches would do.
//
//   const ViewData data = make_view_data(*run, device, capability);
//   data.attach(input);   // input points into data, which must outlive it
#pragma once

#include "app/model/picture/matrices.h"
#include "app/model/run/pipeline.h"
#include "engine/analysis/exchanges.h"
#include "visual/trace_index.h"
#include "visual/view.h"

namespace warplens::model {

struct ViewData {
  visual::GridCosts grid;
  visual::SourceText source;
  std::optional<visual::LevelTraffic> traffic;    // hit rates absent for traces too long to model in passing
  std::optional<visual::RooflineChart> roofline;  // absent without a device
  std::shared_ptr<const visual::TraceIndex> index;  // points into the run's trace, which must outlive it
  std::vector<visual::SharedArray> shared;
  std::vector<visual::DeclaredArray> constants;
  std::vector<analysis::ExchangeNetwork> exchanges;
  visual::MatrixShapes matrices;
  std::shared_ptr<const visual::WarpTotals> warps;

  void attach(visual::ViewInput& input) const;
};

// The lines of a program, with those comments in `language` that are known there; empty: as they were
// compiled.
visual::SourceText source_text(const Program& program, std::string_view language = {});

// device and capability may be null; then nothing is modelled. `widths` are the rows of matrices as somebody
// has typed them. `language` is that of the comments in the source text.
ViewData make_view_data(const Run& run, const analysis::Device* device,
                        const analysis::ComputeCapability* capability, const RowWidths& widths = {},
                        std::string_view language = {});

}  // namespace warplens::model
