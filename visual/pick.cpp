#include "visual/pick.h"

#include <algorithm>

#include "engine/analysis/executed.h"
#include "engine/analysis/known_counts.h"
#include "engine/trace/executed_as.h"
#include "visual/trace_index.h"

namespace warplens::visual {
namespace {

bool contains(std::span<const trace::Space> spaces, trace::Space space) {
  return std::find(spaces.begin(), spaces.end(), space) != spaces.end();
}

// A constant that the machine takes as an operand is no access.
bool is_operand(const trace::Site& site) {
  return trace::executed_as(site) == trace::ExecutedAs::Operand;
}

// An asynchronous copy reads global and writes shared memory: it belongs to both.
bool fits(const trace::Trace& trace, std::size_t step, std::span<const trace::Space> spaces) {
  const trace::Step& s = trace.steps()[step];
  if (s.kind != trace::StepKind::Access || s.active == 0) return false;
  if (s.site < trace.sites.size()) {
    const trace::Site& site = trace.sites[s.site];
    if (site.kind == trace::SiteKind::AsyncCopy)
      return contains(spaces, trace::Space::Global) || contains(spaces, trace::Space::Shared);
    if (is_operand(site)) return false;
    // The site knows without unpacking the access, unless its pointer was generic.
    if (site.space != trace::Space::Generic) return contains(spaces, site.space);
  }
  return contains(spaces, trace.access(step).space);
}

// False: no step of this trace can fit, so it need not be searched.
bool may_fit(const trace::Trace& trace, std::span<const trace::Space> spaces) {
  return trace.sites.empty() || std::any_of(trace.sites.begin(), trace.sites.end(), [&](const auto& site) {
           return site.space == trace::Space::Generic || contains(spaces, site.space) ||
                  site.kind == trace::SiteKind::AsyncCopy;
         });
}

// The access of the leader that this one was merged into: near, because both ran in the same basic block.
std::size_t leader_step(const trace::Trace& trace, std::size_t step, trace::SiteId leader) {
  constexpr std::size_t kNear = 256;
  const auto& steps = trace.steps();
  const auto is_leader = [&](std::size_t i) {
    return steps[i].site == leader && steps[i].warp == steps[step].warp &&
           steps[i].kind == trace::StepKind::Access && steps[i].active == steps[step].active;
  };
  for (std::size_t away = 1; away <= kNear; ++away) {
    if (step >= away && is_leader(step - away)) return step - away;
    if (step + away < steps.size() && is_leader(step + away)) return step + away;
  }
  return step;
}

void adapt_to_execution(Picked& picked, const trace::Trace& trace) {
  const trace::Site* site = picked.site;
  if (!site || site->leader >= trace.sites.size()) return;
  if (is_merged(*site)) {
    const std::size_t step = leader_step(trace, picked.step, site->leader);
    if (step == picked.step) return;  // outside the stored steps: show it as written
    picked.step = step;
    picked.written = trace.access(step);
    picked.site = &trace.sites[site->leader];
  }
  picked.access = analysis::executed(trace, picked.written).access;
}

}  // namespace

std::size_t nearest_step(const trace::Trace& trace, std::size_t step, std::span<const trace::Space> spaces) {
  const std::size_t size = trace.size();
  if (size == 0 || !may_fit(trace, spaces)) return size;
  for (std::size_t i = std::min(step, size - 1) + 1; i-- > 0;)
    if (fits(trace, i, spaces)) return i;
  for (std::size_t i = step + 1; i < size; ++i)
    if (fits(trace, i, spaces)) return i;
  return size;
}

std::size_t nearest_step(const ViewInput& input, std::size_t step, std::span<const trace::Space> spaces) {
  if (!input.trace) return 0;
  if (input.index && &input.index->trace() == input.trace) return input.index->nearest(step, spaces);
  return nearest_step(*input.trace, step, spaces);
}

std::optional<Picked> pick_access(const ViewContext& context, const ViewInput& input,
                                  std::span<const trace::Space> spaces) {
  if (!input.trace) return std::nullopt;
  const trace::Trace& trace = *input.trace;
  Picked picked;
  picked.step = nearest_step(input, input.cursor.step, spaces);
  if (picked.step >= trace.size()) return std::nullopt;
  picked.access = picked.written = trace.access(picked.step);
  picked.block = trace.block_of(picked.step);
  if (picked.access.site < trace.sites.size()) picked.site = &trace.sites[picked.access.site];
  if (context.as_executed) {
    picked.known = analysis::known_of(trace.sites, picked.written.site);
    adapt_to_execution(picked, trace);
  }
  return picked;
}

trace::SiteKind Picked::served_kind() const {
  return site && site->atomic_form == ptx::AtomicForm::CountLanes ? trace::SiteKind::Store : access.kind;
}

EmptyWords words_of_no_access(const ViewInput& input, std::string_view none) {
  const bool stopped = input.report && input.report->ending != analysis::Ending::Completed;
  if (stopped && input.report->faults_total > 0) return {"view.empty.stopped", "view.empty.stopped_advice"};
  if (!input.trace || input.trace->size() == 0) return {"view.empty.headline", "view.empty.advice"};
  return {std::string(none), std::string(none) + "_advice"};
}

const trace::BufferPlacement* buffer_at(const trace::Trace& trace, std::uint64_t address) {
  for (const trace::BufferPlacement& buffer : trace.buffers)
    if (address >= buffer.base && address - buffer.base < buffer.bytes) return &buffer;
  return nullptr;
}

namespace {

std::string_view verb_key(trace::SiteKind kind) {
  switch (kind) {
    case trace::SiteKind::Store:
    case trace::SiteKind::MatrixStore:
      return "store";
    case trace::SiteKind::Atomic:
    case trace::SiteKind::Reduction:
    case trace::SiteKind::CompareAndSwap:
      return "atomic";
    case trace::SiteKind::AsyncCopy:
    case trace::SiteKind::BulkCopy:
      return "copy";
    default:
      return "load";
  }
}

// What becomes of an access that is shown as the PTX writes it.
std::string merging_note(const Draft& draft, const trace::Site& site) {
  if (draft.context().as_executed) return {};
  if (is_merged(site)) return " · " + draft.say("view.access.merged");
  if (is_widened(site))
    return " · " + draft.say("view.access.as_written", {{"bytes", value_of(site.executed_bytes)}});
  return {};
}

// What an access is about stands at the end of its line: behind the condition or the loop that guards it.
std::string_view without_guard(std::string_view code) {
  if (!code.starts_with("if (") && !code.starts_with("for (") && !code.starts_with("while (")) return code;
  int open = 0;
  for (std::size_t i = code.find('('); i < code.size(); ++i) {
    open += code[i] == '(' ? 1 : code[i] == ')' ? -1 : 0;
    if (open > 0) continue;
    const std::size_t rest = code.find_first_not_of(' ', i + 1);
    return rest == std::string_view::npos || code[rest] == '{' ? code : code.substr(rest);
  }
  return code;
}

// What a store writes to stands before the sign, what a load reads behind it: of "out[i] = in[j];" the one is
// "out[i] = …", the other "… in[j];".
std::string side_of(trace::SiteKind kind, std::string_view code) {
  int open = 0;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    const char c = code[i];
    open += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    constexpr std::string_view kCompares = "=<>!";
    if (open > 0 || c != '=' || code[i + 1] == '=' || kCompares.find(code[i - 1]) != std::string_view::npos)
      continue;
    if (verb_key(kind) == "store") return std::string(code.substr(0, i + 1)) + " …";
    const std::string_view read = code.substr(std::min(code.find_first_not_of(' ', i + 1), code.size()));
    return verb_key(kind) == "load" && read.find('[') != std::string_view::npos ? "… " + std::string(read)
                                                                                : std::string(code);
  }
  return std::string(code);
}

}  // namespace

std::string describe_picked(const Draft& draft, const Picked& picked) {
  const std::string kind = draft.say(std::string("view.access.") + std::string(verb_key(picked.access.kind)));
  const std::string where = draft.say(
      "view.access.where", {{"block", value_of(picked.block)}, {"warp", value_of(picked.access.warp)}});
  if (!picked.site) return kind + " · " + where;
  const std::string& code = picked.site->text.empty() ? picked.site->op : picked.site->text;
  const std::string line =
      picked.site->line > 0 ? draft.say("view.access.line", {{"line", value_of(picked.site->line)}}) + " · "
                            : "";
  const std::string before = where + " · " + kind + " · " + line, after = merging_note(draft, *picked.site);
  // More than a third of the row is the answer's.
  const float room = (draft.context().size.width - 2 * kMargin) * 0.6f;
  if (draft.fits(before + code + after, room)) return before + code + after;
  const std::string_view access = without_guard(code);
  const std::string dots = access.size() < code.size() ? "… " : "";
  if (!dots.empty() && draft.fits(before + dots + std::string(access) + after, room))
    return before + dots + std::string(access) + after;
  const std::string side = side_of(picked.access.kind, access);
  return before + (side.starts_with("…") ? "" : dots) + side + after;
}

std::string lane_tooltip(const Draft& draft, trace::SiteKind kind, int lane, const MessageValue& place) {
  return draft.say(std::string("view.access.lane_") + std::string(verb_key(kind)),
                   {{"lane", value_of(lane)}, {"place", place}});
}

LaneMask focused_lanes(const ViewInput& input) {
  for (const Selection* s : {&input.hover, &input.selection})
    if (s->lane && *s->lane >= 0 && *s->lane < kWarpSize) return LaneMask{1} << *s->lane;
  return 0;
}

}  // namespace warplens::visual
