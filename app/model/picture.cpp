#include "app/model/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/model/modelled.h"
#include "app/model/view_data.h"
#include "engine/analysis/coalescing.h"
#include "engine/analysis/shared_banks.h"
#include "visual/export.h"
#include "visual/trace_index.h"

namespace warplens::model {
namespace {

// Steps looked at for the most telling one; beyond these a kernel's accesses repeat.
constexpr std::size_t kStepsLookedAt = 20000;

// How far an access is from what would do, in units that grow with waste; negative when the view cannot show
// it.
long excess(const trace::AccessView& access, bool banks) {
  if (banks) {
    if (access.space != trace::Space::Shared) return -1;
    const auto counts =
        analysis::count_shared(access.kind, access.bytes, access.active, access.addresses.data());
    return static_cast<long>(counts.wavefronts - counts.wavefronts_ideal);
  }
  if (access.space != trace::Space::Global) return -1;
  const auto counts =
      analysis::count_global(access.kind, access.bytes, access.active, access.addresses.data());
  return static_cast<long>(counts.sectors - counts.sectors_ideal);
}

}  // namespace

Result<const visual::View*> find_view(const std::string& id) {
  if (const visual::View* view = visual::find_view(id)) return view;
  std::string names;
  for (const visual::View& view : visual::all_views())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", view.id);
  return Error{ErrorKind::Usage, fmt::format("there is no view '{}'; the views are {}", id, names), {}, {}};
}

namespace {

// Of accesses that cost the same, the one that goes furthest tells more: a column of a tile rather than a
// row.
std::uint64_t reach(const trace::AccessView& access) {
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if (access.active >> lane & 1u) {
      low = std::min(low, access.addresses[static_cast<std::size_t>(lane)]);
      high = std::max(high, access.addresses[static_cast<std::size_t>(lane)]);
    }
  return high - std::min(low, high);
}

}  // namespace

std::size_t telling_step(const trace::Trace& trace, std::string_view view) {
  std::size_t best = 0;
  long most = -1;
  std::uint64_t furthest = 0;
  const bool banks = view == "bank-view";
  for (std::size_t step = 0; step < std::min(trace.size(), kStepsLookedAt); ++step) {
    if (trace.steps()[step].kind != trace::StepKind::Access) continue;
    const trace::AccessView access = trace.access(step);
    const long here = excess(access, banks);
    if (here < most || here < 0) continue;
    const std::uint64_t far = banks ? reach(access) : 0;
    if (here > most || far > furthest) {
      most = here;
      furthest = far;
      best = step;
    }
  }
  return best;
}

std::vector<std::size_t> following_steps(const trace::Trace& trace, std::string_view view,
                                         std::optional<std::size_t> first, std::size_t count) {
  std::vector<std::size_t> out{first ? *first : telling_step(trace, view)};
  if (out[0] >= trace.size()) return out;
  const std::array space{view == "bank-view" ? trace::Space::Shared : trace::Space::Global};
  const visual::TraceIndex index(trace);
  for (const std::uint32_t step : index.steps_of(trace.block_of(out[0]), trace.steps()[out[0]].warp))
    if (step > out[0] && out.size() < count && index.fits(step, space)) out.push_back(step);
  return out;
}

namespace {

bool draws_models(const visual::View& view) {
  return view.basis == visual::Basis::Model || view.id == "stalls";
}

bool recorded_time(const PictureOptions& options, const Catalogue& text, visual::LaunchTime& out) {
  if (!options.recorded.time) return false;
  const MeasuredTime& time = *options.recorded.time;
  out = {time.milliseconds, measured_note(time, time.note, text), time.on};
  return true;
}

}  // namespace

Result<Pictures> Pictures::make(const Catalogue& catalogue) {
  auto devices = analysis::DeviceCatalogue::load();
  if (!devices) return devices.error();
  Pictures out;
  out.catalogue_ = &catalogue;
  out.devices_ = std::move(*devices);
  return out;
}

Result<visual::Scene> Pictures::draw(const Run& run, const PictureOptions& options) const {
  const auto view = find_view(options.view);
  if (!view) return view.error();
  visual::ViewInput input;
  input.report = &run.report;
  input.trace = &run.trace;
  if (const auto device = devices_.device(run.report.device)) {
    input.device = *device;
    if (const auto capability = devices_.capability((*device)->cc)) input.capability = *capability;
  }
  visual::LaunchTime time;
  std::shared_ptr<const analysis::Modelled> modelled;
  if (draws_models(**view) && input.device && input.capability) {
    modelled = model_run(run, *input.device, *input.capability, {.record = kRecordedSegments});
    if ((*view)->id == "devices")
      if (auto all = with_shelf(run, modelled)) modelled = std::move(all);
    input.modelled = modelled.get();
  }
  if (recorded_time(options, *catalogue_, time)) input.time = &time;
  const ViewData data = make_view_data(run, input.device, input.capability);
  data.attach(input);
  const RecordedViews& recorded = options.recorded;
  input.sweep = recorded.sweep ? &*recorded.sweep : nullptr;
  input.streams = recorded.streams ? &*recorded.streams : nullptr;
  input.transfers = recorded.transfers ? &*recorded.transfers : nullptr;
  input.counters = recorded.counters ? &*recorded.counters : nullptr;
  visual::RooflineChart timed;
  if (recorded.time && input.device) {
    timed = roofline_chart(run, *input.device, data.traffic ? &*data.traffic : nullptr, {}, recorded.time);
    input.roofline = &timed;
  }
  const std::size_t last = run.trace.size() > 0 ? run.trace.size() - 1 : 0;
  input.cursor.step = std::min(options.step ? *options.step : telling_step(run.trace, options.view), last);
  input.cursor.phase = options.phase;
  const visual::ViewContext context{options.size, *catalogue_, visual::cairo_text_measure()};
  return (*view)->layout(context, input);
}

}  // namespace warplens::model
