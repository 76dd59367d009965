#include "app/model/run/heard.h"

#include <algorithm>

namespace warplens::model {
namespace {

// The models' SM runs these, as if all others were like one of them.
constexpr std::uint64_t kSpreadBlocks = 5;
constexpr std::size_t kSampleBytes = std::size_t{12} << 20;

std::vector<std::uint64_t> spread(const std::vector<std::uint64_t>& only, std::uint64_t total) {
  const std::uint64_t blocks = only.empty() ? total : only.size();
  std::vector<std::uint64_t> out;
  if (blocks > kSpreadBlocks) out.push_back(only.empty() ? 0 : only[0]);  // often unlike the others
  for (std::uint64_t i = 0; i < std::min(kSpreadBlocks, blocks); ++i) {
    // From the middle of each part, and not in steps of a row of blocks: first ones may all be alike.
    const std::uint64_t part = blocks / kSpreadBlocks;
    const std::uint64_t at = blocks <= kSpreadBlocks ? i : part * i + std::min(part - 1, part / 2 + i);
    out.push_back(only.empty() ? at : only[at]);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

}  // namespace

ModelListeners::ModelListeners(const std::vector<trace::Site>& sites,
                               const std::vector<std::uint64_t>& only_blocks, std::uint64_t blocks_total,
                               std::size_t words)
    : accesses_(sites, {.words = words}),
      sample_({.chosen = spread(only_blocks, blocks_total), .max_bytes = kSampleBytes, .constants = true}) {}

void ModelListeners::add_to(std::vector<trace::Listener*>& listeners) {
  listeners.push_back(&accesses_);
  listeners.push_back(&sample_);
}

std::shared_ptr<const Heard> ModelListeners::take(const simt::Outcome& outcome,
                                                  const analysis::Report& report) {
  if (outcome.ending != simt::Ending::Completed) return nullptr;
  auto out = std::make_shared<Heard>(Heard{accesses_.take(), sample_.take()});
  out->accesses.blocks_run = outcome.blocks_run;
  out->sample.launch = report.launch;
  out->sample.sites = report.sites;
  out->sample.buffers = outcome.placements;
  out->sample.blocks_total = outcome.blocks_total;
  return out;
}

}  // namespace warplens::model
