#include "app/model/run/heard.h"

#include <algorithm>

#include "engine/analysis/typical_blocks.h"

namespace warplens::model {
namespace {

// The models' SM runs these, as if all others were like one of them.
constexpr std::uint64_t kSpreadBlocks = 5;
constexpr std::size_t kSampleBytes = std::size_t{12} << 20;

// So many are recorded besides, in case that blocks differ; where they do little enough that there is room.
constexpr std::uint64_t kOtherBlocks = 128;
constexpr std::size_t kOtherBytes = std::size_t{4} << 20;

// From the middle of each part of the launch, and not in steps of a row of blocks, whose first ones may all
// be alike. Of these; empty: of all.
std::vector<std::uint64_t> spread(const std::vector<std::uint64_t>& only, std::uint64_t total) {
  const std::uint64_t blocks = only.empty() ? total : only.size();
  std::vector<std::uint64_t> out;
  if (blocks > kSpreadBlocks) out.push_back(only.empty() ? 0 : only[0]);  // often unlike the others
  for (std::uint64_t i = 0; i < std::min(kSpreadBlocks, blocks); ++i) {
    const std::uint64_t part = blocks / kSpreadBlocks;
    const std::uint64_t at = blocks <= kSpreadBlocks ? i : part * i + std::min(part - 1, part / 2 + i);
    out.push_back(only.empty() ? at : only[at]);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

// Anywhere in each of many parts of the launch; none of those.
std::vector<std::uint64_t> scattered(const std::vector<std::uint64_t>& but, std::uint64_t total) {
  std::vector<std::uint64_t> out;
  const std::uint64_t parts = std::min(kOtherBlocks, total);
  const double part = static_cast<double>(total) / static_cast<double>(parts);
  for (std::uint64_t i = 0; i < parts; ++i) {
    const auto block = static_cast<std::uint64_t>(part * (static_cast<double>(i) + analysis::anywhere(i)));
    if (block < total && !std::ranges::binary_search(but, block)) out.push_back(block);
  }
  return out;
}

// Where blocks differ, those that are recorded may all be of one kind: those of all then stand for the launch
// that are most like its blocks.
void choose_by_work(const trace::BlockWork& work, std::size_t planned, std::size_t more_planned,
                    trace::Recorder& sample, trace::Recorder& others) {
  std::vector<std::uint64_t> from = sample.whole();
  const std::vector<std::uint64_t> more = others.whole();
  if (from.size() < planned || more.size() < more_planned) return;  // some parts of the grid are missing
  const bool first_apart = from.front() == 0;
  if (first_apart) from.erase(from.begin());
  from.insert(from.end(), more.begin(), more.end());
  std::ranges::sort(from);
  std::vector<std::uint64_t> chosen =
      analysis::blocks_like_all(work, from, first_apart ? kSpreadBlocks - 1 : kSpreadBlocks);
  if (chosen.empty()) return;
  if (first_apart) chosen.insert(chosen.begin(), 0);
  sample.join(others);
  sample.keep(chosen);
}

}  // namespace

ModelListeners::ModelListeners(const std::vector<trace::Site>& sites,
                               const std::vector<std::uint64_t>& only_blocks, std::uint64_t blocks_total,
                               std::size_t words)
    : planned_(spread(only_blocks, blocks_total)),
      accesses_(sites, {.words = words}),
      sample_({.chosen = planned_, .max_bytes = kSampleBytes, .constants = true}) {
  if (!only_blocks.empty() || blocks_total <= planned_.size()) return;
  trace::RecorderOptions more{
      .chosen = scattered(planned_, blocks_total), .max_bytes = kOtherBytes, .constants = true};
  more_planned_ = more.chosen.size();
  if (more_planned_ > 0) others_.emplace(std::move(more));
}

void ModelListeners::add_to(std::vector<trace::Listener*>& listeners) {
  listeners.push_back(&accesses_);
  listeners.push_back(&sample_);
  if (others_) listeners.push_back(&*others_);
}

std::shared_ptr<const Heard> ModelListeners::take(const simt::Outcome& outcome,
                                                  const analysis::Report& report) {
  if (outcome.ending != simt::Ending::Completed) return nullptr;
  if (others_ && outcome.work)
    choose_by_work(*outcome.work, planned_.size(), more_planned_, sample_, *others_);
  auto out = std::make_shared<Heard>(Heard{accesses_.take(), sample_.take()});
  out->accesses.blocks_run = outcome.blocks_run;
  out->sample.launch = report.launch;
  out->sample.sites = report.sites;
  out->sample.buffers = outcome.placements;
  out->sample.blocks_total = outcome.blocks_total;
  return out;
}

}  // namespace warplens::model
