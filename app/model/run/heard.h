// What the models are told of a launch while it runs, so that it need not be run once more for them.
//
//   ModelListeners ears(report.sites, options.only_blocks, launch.grid.volume(), 1 << 24);
//   ears.add_to(listeners);
//   const auto outcome = simt::run(kernel, launch, options, listeners);
//   run->heard = ears.take(*outcome, report);     // null where the launch did not complete
//
// Costs a few percent of the emulation while there is room, and a comparison a block afterwards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/analysis/access_log.h"
#include "engine/analysis/report.h"
#include "engine/simt/emulator.h"
#include "engine/trace/trace.h"

namespace warplens::model {

struct Heard {
  analysis::AccessLog accesses;  // of the first blocks, as many as there was room for
  trace::Trace sample;           // some blocks from all over the grid, instruction by instruction
};

class ModelListeners {
 public:
  // `words` of analysis::AccessLog; `only_blocks` as in simt::Options.
  ModelListeners(const std::vector<trace::Site>& sites, const std::vector<std::uint64_t>& only_blocks,
                 std::uint64_t blocks_total, std::size_t words);
  void add_to(std::vector<trace::Listener*>& listeners);
  std::shared_ptr<const Heard> take(const simt::Outcome& outcome, const analysis::Report& report);

 private:
  std::vector<std::uint64_t> planned_;  // blocks that stand for all where they are alike
  analysis::AccessLogger accesses_;
  trace::Recorder sample_;
  std::optional<trace::Recorder> others_;  // of which some may where they are not
  std::size_t more_planned_ = 0;           // how many those are
};

}  // namespace warplens::model
