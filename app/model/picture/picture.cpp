#include "app/model/picture/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/model/picture/view_data.h"
#include "app/model/study/modelled.h"
#include "engine/analysis/access_costs.h"
#include "engine/analysis/coalescing.h"
#include "engine/analysis/executed.h"
#include "engine/analysis/shared_banks.h"
#include "visual/export.h"
#include "visual/trace_index.h"

namespace warplens::model {
namespace {

// Steps looked at for the most telling one; beyond these a kernel's accesses repeat.
constexpr std::size_t kStepsLookedAt = 20000;

using visual::Shows;

Shows shown_by(std::string_view id) {
  const visual::View* view = visual::find_view(id);
  return view != nullptr ? view->shows : Shows::Any;
}
bool shows(Shows shown, analysis::Memory memory) {
  switch (shown) {
    case Shows::Any:
      return true;
    case Shows::Shared:
      return memory == analysis::Memory::Shared;
    case Shows::Constant:
      return memory == analysis::Memory::Constant;
    default:
      return memory == analysis::Memory::Global;
  }
}
bool shows_local(Shows shown) {
  return shown == Shows::Any || shown == Shows::GlobalAndLocal;
}

// How far an access, as the machine executes it, is from what would do, in units that grow with waste;
// negative when it is in none of these memories, or covered by another access.
long excess(const trace::Trace& trace, const trace::AccessView& written, Shows shown) {
  const analysis::Executed as = analysis::executed(trace, written);
  const trace::AccessView& access = as.access;
  if (as.merged_away || access.active == 0) return -1;
  const auto over = [](std::uint64_t cost, std::uint64_t ideal) { return static_cast<long>(cost - ideal); };
  switch (access.space) {
    case trace::Space::Shared: {
      if (!shows(shown, analysis::Memory::Shared)) return -1;
      const auto counts =
          analysis::count_shared(access.kind, access.bytes, access.active, access.addresses.data());
      return over(counts.wavefronts, counts.wavefronts_ideal);
    }
    case trace::Space::Global: {
      if (!shows(shown, analysis::Memory::Global)) return -1;
      const auto counts =
          analysis::count_global(access.kind, access.bytes, access.active, access.addresses.data());
      return over(counts.sectors, counts.sectors_ideal);
    }
    case trace::Space::Local: {
      if (!shows_local(shown)) return -1;
      const auto counts = analysis::count_local(access.bytes, access.active, access.addresses.data());
      return over(counts.sectors, counts.sectors_ideal);
    }
    case trace::Space::Constant: {
      if (!shows(shown, analysis::Memory::Constant)) return -1;
      const auto counts = analysis::count_constant(access.bytes, access.active, access.addresses.data());
      return over(counts.addresses, counts.requests);
    }
    default:
      return -1;
  }
}

// "Memory", as the window calls it: "address-map". Empty where no view is called so.
std::string called_in_the_window(const std::string& name) {
  const auto small = [](std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    return text;
  };
  for (const char* language : kLanguages)
    if (const auto words = Catalogue::load(language))
      for (const visual::View& view : visual::all_views())
        if (small(words->text(fmt::format("window.view.{}", view.id))) == small(name))
          return std::string(view.id);
  return {};
}

}  // namespace

Result<const visual::View*> find_view(const std::string& id) {
  if (const visual::View* view = visual::find_view(id)) return view;
  std::string names;
  for (const visual::View& view : visual::all_views())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", view.id);
  if (const std::string meant = called_in_the_window(id); !meant.empty())
    return told(ErrorKind::Usage,
                {"cli.view_meant", {{"name", value_of(std::string(id))}, {"meant", value_of(meant)}}});
  return told(ErrorKind::Usage,
              {"cli.no_view", {{"name", value_of(std::string(id))}, {"names", value_of(names)}}});
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

namespace {

// Of the accesses at the sites that are `wanted` the one furthest from its ideal; nothing where there is
// none.
template <typename Wanted>
std::optional<std::size_t> worst_step(const trace::Trace& trace, Shows shown, Wanted wanted) {
  std::optional<std::size_t> best;
  long most = -1;
  std::uint64_t furthest = 0;
  std::size_t looked_at = 0;
  const trace::StepList steps = trace.steps();
  for (std::size_t step = 0; step < trace.size() && looked_at < kStepsLookedAt; ++step) {
    const trace::Step here = steps[step];
    if (here.kind != trace::StepKind::Access || !wanted(here.site)) continue;
    ++looked_at;
    const trace::AccessView access = trace.access(step);
    const long over = excess(trace, access, shown);
    if (over < most || over < 0) continue;
    const std::uint64_t far = access.space == trace::Space::Shared ? reach(access) : 0;
    if (over > most || far > furthest) {
      most = over;
      furthest = far;
      best = step;
    }
  }
  return best;
}

// Of the executions of one access that a view can show.
std::optional<std::size_t> step_of(const trace::Trace& trace, const analysis::AccessCost& cost, Shows shown) {
  if (cost.local ? !shows_local(shown) : !shows(shown, cost.memory)) return std::nullopt;
  const Shows memory = cost.local                                  ? Shows::Any
                       : cost.memory == analysis::Memory::Shared   ? Shows::Shared
                       : cost.memory == analysis::Memory::Constant ? Shows::Constant
                                                                   : Shows::Global;
  std::vector<bool> wanted;
  for (const trace::Site& site : trace.sites) wanted.push_back(cost.holds(site));
  return worst_step(trace, memory, [&](trace::SiteId site) { return site < wanted.size() && wanted[site]; });
}

}  // namespace

std::size_t telling_step(const Run& run, std::span<const std::string> views) {
  const analysis::Focus focus = analysis::focus_of(run.report);
  const analysis::AccessCost* const first = focus.first();
  if (first && !run.report.about.empty())
    for (const std::string& view : views)
      if (const auto step = step_of(run.trace, *first, shown_by(view))) return *step;
  const auto in = [](const std::optional<analysis::AccessCost>& cost) { return cost ? &*cost : nullptr; };
  for (const std::string& view : views) {
    const Shows shown = shown_by(view);
    const analysis::AccessCost* const cost = shown == Shows::Shared     ? in(focus.shared)
                                             : shown == Shows::Constant ? in(focus.constant)
                                             : shown == Shows::Any      ? first
                                                                        : in(focus.global);
    if (!cost) continue;
    if (const auto step = step_of(run.trace, *cost, shown)) return *step;
  }
  return telling_step(run.trace, views.empty() ? std::string_view{} : std::string_view(views.front()));
}

std::size_t telling_step(const trace::Trace& trace, std::string_view view) {
  const Shows by = shown_by(view);
  const Shows shown = by == Shows::Shared || by == Shows::Constant ? by : Shows::Global;
  return worst_step(trace, shown, [](trace::SiteId) { return true; }).value_or(0);
}

long step_excess(const trace::Trace& trace, std::size_t step) {
  return trace.steps()[step].kind == trace::StepKind::Access ? excess(trace, trace.access(step), Shows::Any)
                                                             : -1;
}

std::vector<std::size_t> following_steps(const Run& run, const std::string& view,
                                         std::optional<std::size_t> first, std::size_t count) {
  const trace::Trace& trace = run.trace;
  std::vector<std::size_t> out{first ? *first : telling_step(run, {&view, 1})};
  if (out[0] >= trace.size()) return out;
  using trace::Space;
  const Shows shown = shown_by(view);
  const std::array space = shown == Shows::Shared           ? std::array{Space::Shared, Space::Shared}
                           : shown == Shows::Constant       ? std::array{Space::Constant, Space::Constant}
                           : shown == Shows::GlobalAndLocal ? std::array{Space::Global, Space::Local}
                                                            : std::array{Space::Global, Space::Global};
  const visual::TraceIndex index(trace);
  for (const std::uint32_t step : index.steps_of(trace.block_of(out[0]), trace.steps()[out[0]].warp))
    if (step > out[0] && out.size() < count && index.fits(step, space)) out.push_back(step);
  return out;
}

namespace {

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
  if ((*view)->shows_models() && input.device && input.capability) {
    modelled = model_run(run, *input.device, *input.capability, {.record = kRecordedSegments});
    if ((*view)->tries == visual::Tries::OtherDevices)
      if (auto all = with_shelf(run, modelled)) modelled = std::move(all);
    input.modelled = modelled.get();
  }
  if (recorded_time(options, *catalogue_, time)) input.time = &time;
  const ViewData data = make_view_data(run, input.device, input.capability, {}, catalogue_->language());
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
  if (!options.others.empty() && input.roofline) {
    timed = *input.roofline;
    timed.others = options.others;
    timed.others_at = options.others_at;
    if (options.library) timed.library = options.library;
    input.roofline = &timed;
  }
  input.lab = &options.lab;
  const std::size_t last = run.trace.size() > 0 ? run.trace.size() - 1 : 0;
  input.cursor.step = std::min(options.step ? *options.step : telling_step(run, {&options.view, 1}), last);
  input.cursor.phase = options.phase;
  const visual::ViewContext context{options.size, *catalogue_, visual::cairo_text_measure()};
  return (*view)->layout(context, input);
}

}  // namespace warplens::model
