// What went wrong, where, and what would mend it? One fault is drawn, the others stand in a list beside it: a
// race as the two accesses on their threads' time lines and the order that is missing between them; an access
// out of bounds or misaligned as the buffer and where the lane landed; a barrier that not all reach as those
// who wait and those who never come; a loop without an end as its lines and the way back; anything else as
// its thread and its line. A run that was stopped since it did not end has no fault: the line it stood on is
// drawn.
//
// Small panes lose, in this order: the list, the picture; the sentence stays.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/analysis/fault_text.h"
#include "engine/base/told_name.h"
#include "visual/layout.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

using trace::Fault;
using trace::FaultKind;

// The value of this name in a message or in one inside of it.
const MessageValue* find_value(const Message& message, std::string_view name) {
  for (const auto& [key, value] : message.values)
    if (key == name) return &value;
  for (const auto& [key, value] : message.values)
    if (const auto* inner = std::get_if<std::vector<Message>>(&value))
      for (const Message& m : *inner)
        if (const MessageValue* found = find_value(m, name)) return found;
  return nullptr;
}

std::optional<std::int64_t> number_in(const Message& message, std::string_view name) {
  const MessageValue* value = find_value(message, name);
  const auto* number = value ? std::get_if<std::int64_t>(value) : nullptr;
  return number ? std::optional(*number) : std::nullopt;
}

bool has_key(const Message& message, std::string_view begin) {
  if (message.key.starts_with(begin)) return true;
  for (const auto& [key, value] : message.values)
    if (const auto* inner = std::get_if<std::vector<Message>>(&value))
      for (const Message& m : *inner)
        if (has_key(m, begin)) return true;
  return false;
}

// The message of this key in a message.
const Message* find_message(const Message& message, std::string_view key) {
  if (message.key == key) return &message;
  for (const auto& [name, value] : message.values)
    if (const auto* inner = std::get_if<std::vector<Message>>(&value))
      for (const Message& m : *inner)
        if (const Message* found = find_message(m, key)) return found;
  return nullptr;
}

class FaultsView {
 public:
  FaultsView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (!input_.report) return empty("view.empty.headline", "view.empty.advice");
    if (input_.report->faults.empty() && input_.report->ending == analysis::Ending::Budget) return stopped();
    if (input_.report->faults.empty()) return empty("view.faults.none", "view.faults.none_advice");
    fault_ = &chosen();
    const std::string words = text_of(*fault_);
    Rect rest = draft_.header({.title = draft_.say("view.faults.title"),
                               .about = place_text(*fault_),
                               .answer = draft_.say_count("view.faults.answer", input_.report->faults_total),
                               .sub = kind_text(*fault_),
                               .worse = true,
                               .evidence = Evidence::Counted});
    // The picture keeps what it needs at least, as long as three lines are left to the words.
    const bool race = fault_->kind == FaultKind::Race;
    const float least = race ? kLeastRace : kLeastPicture;
    const auto lines = static_cast<std::size_t>(std::clamp((rest.height - least - 28) / 20, 3.0f, 6.0f));
    const float height = draft_.sentence_height(words, rest.width, lines);
    draft_.sentence("words", take_bottom(rest, std::min(height, rest.height), 16), words);
    if (rest.width > 620 && input_.report->faults.size() > 1)
      list(take_right(rest, std::clamp(rest.width * 0.32f, 200.0f, 420.0f), 28));
    if (rest.height >= least) picture(rest);
    return draft_.finish(words);
  }

 private:
  static constexpr float kLeastPicture = 110, kLeastRace = 84, kHighRace = 150;

  Scene empty(const char* headline, const char* advice) {
    Rect rest = draft_.header({.title = draft_.say("view.faults.title")});
    draft_.empty(rest, draft_.say(headline), draft_.say(advice));
    return draft_.finish(draft_.say(headline));
  }

  Scene stopped() {
    const Message* note = nullptr;
    for (const Message& one : input_.report->notes)
      if (one.key == "note.stood_in_loop") note = &one;
    const auto line = static_cast<int>(note ? number_in(*note, "line").value_or(0) : 0);
    Rect rest = draft_.header({.title = draft_.say("view.faults.title"),
                               .about = line_text(line),
                               .answer = draft_.say("view.faults.stopped"),
                               .worse = true,
                               .evidence = Evidence::Counted});
    const std::string words = line > 0 ? draft_.say("view.faults.stopped_in_loop", {{"line", value_of(line)}})
                                       : draft_.say("view.faults.stopped_somewhere");
    const float height = draft_.sentence_height(words, rest.width, 5);
    draft_.sentence("words", take_bottom(rest, std::min(height, rest.height), 16), words);
    if (line > 0 && rest.height >= kLeastPicture)
      turns(rest, line, line, draft_.say("view.faults.loop_open"));
    return draft_.finish(words);
  }

  // The one on the selected line, else the first.
  const Fault& chosen() const {
    for (const Fault& f : input_.report->faults)
      if (input_.selection.line && f.line == *input_.selection.line) return f;
    return input_.report->faults.front();
  }

  std::string text_of(const Fault& f) const { return draft_.context().text.text(analysis::fault_message(f)); }
  std::string kind_text(const Fault& f) const {
    const bool loop = analysis::is_endless_loop(f) || has_key(f.what, "fault.reads_the_same");
    return draft_.say("view.faults.kind_" + std::string(loop ? "endless_loop" : trace::name(f.kind)));
  }
  std::string line_text(int line) const {
    return line > 0 ? draft_.say("view.faults.line", {{"line", value_of(line)}}) : std::string();
  }
  std::string place_text(const Fault& f) const {
    return draft_.say("view.faults.place", {{"kind", kind_text(f)},
                                            {"line", value_of(f.line)},
                                            {"block", index_text(f.block)},
                                            {"thread", index_text(f.thread)}});
  }
  std::string source_of(int line) const {
    if (!input_.source || line < 1 || line > static_cast<int>(input_.source->lines.size())) return {};
    const std::string& text = input_.source->lines[static_cast<std::size_t>(line) - 1];
    const auto first = text.find_first_not_of(" \t");
    return first == std::string::npos ? std::string() : text.substr(first);
  }
  // A named text of the message, as "element 12 of data" is.
  std::string part(const char* name) const {
    const MessageValue* value = find_value(fault_->what, name);
    return value ? draft_.context().text.text(Message{"view.faults.part", {{"part", *value}}})
                 : std::string();
  }

  // "tile[97]" where the sentence has "byte 388 of the shared array tile (tile[97] in elements of 4 bytes)".
  std::string place_in_short() const {
    const Message* element = find_message(fault_->what, "fault.as_element");
    if (!element) return part("place");
    const auto word = [&](const char* name) {
      const MessageValue* value = find_value(*element, name);
      const auto* text = value ? std::get_if<std::string>(value) : nullptr;
      return text ? *text : std::string();
    };
    return word("name") + word("index");
  }

  void list(Rect r) {
    draft_.caption("list", take_top(r, 16, 4), draft_.say("view.faults.list"));
    int index = 0;
    for (const Fault& f : input_.report->faults) {
      if (r.height < 40) return;
      const Rect row = take_top(r, 38, 4);
      const bool now = &f == fault_;
      Shape& s =
          draft_.box(fmt::format("fault.{}", index), row, Ink::of(now ? Role::Raised : Role::Panel), 4);
      s.tooltip = text_of(f);
      if (f.line > 0) s.target.line = f.line;
      draft_.text(fmt::format("fault.{}.kind", index), {row.x + 8, row.y + 2, row.width - 12, 17},
                  kind_text(f),
                  {kSmall, now ? Face::SansBold : Face::Sans, Ink::of(Role::Text), Align::Left});
      draft_.text(fmt::format("fault.{}.place", index), {row.x + 8, row.y + 19, row.width - 12, 16},
                  place_text(f), dim(kTiny));
      ++index;
    }
  }

  void picture(const Rect& r) {
    if (fault_->kind == FaultKind::Race) return race(r);
    // Some are told for a lane and so many more of its warp.
    const auto says = [&](const char* key) { return has_key(fault_->what, key); };
    if (says("fault.barrier.not_all") || says("fault.barrier.went_around") ||
        says("fault.barrier.left_loop") || says("fault.barrier.returned") || says("fault.barrier.count") ||
        says("fault.cluster.not_all"))
      return barrier(r);
    if (says("fault.endless") || says("fault.no_way_out") || says("fault.goes_round") ||
        says("fault.reads_the_same"))
      return loop(r);
    if (fault_->kind == FaultKind::Misaligned && across_border(r)) return;
    const bool of_memory = fault_->kind == FaultKind::OutOfBounds || fault_->kind == FaultKind::Misaligned;
    if (of_memory && landing(r)) return;
    who(r);
  }

  // A chip on a thread's line: what it does there, with the text of the line below.
  void event(const std::string& id, const Rect& r, const std::string& what, int line, Role role) {
    draft_.box(id + ".ground", r, Ink::of(Role::Ground), 5);  // over its time line
    Shape& s = draft_.box(id, r, Ink::of(role, 0.16f), 5);
    s.stroke = Ink::of(role);
    s.stroke_width = 1.5f;
    if (line > 0) s.target.line = line;
    s.tooltip = source_of(line);
    // What it does in as many lines as there is room for, then the line of the source.
    const auto room = static_cast<std::size_t>(std::max(1.0f, (r.height - 24) / 17));
    Rect inner = inset(r, 8, 3);
    const Rect source = r.height > 38 ? take_bottom(inner, 17) : Rect{};
    int row = 0;
    for (const std::string& words : draft_.wrap(what, inner.width, kSmall, Face::SansBold, room))
      draft_.text(fmt::format("{}.what.{}", id, row++), take_top(inner, 17), words,
                  {kSmall, Face::SansBold, Ink::of(Role::Text), Align::Left});
    if (source.height > 0)
      draft_.text(id + ".line", source,
                  line_text(line) + (source_of(line).empty() ? "" : "  " + source_of(line)),
                  {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Left});
  }

  void time_line(const std::string& id, const Rect& r, const std::string& name) {
    time_line(id, r, name, {r.x, r.y, r.width, 16}, r.y + r.height * 0.5f + 8);
  }
  void time_line(const std::string& id, const Rect& r, const std::string& name, const Rect& at, float y) {
    draft_.text(id + ".name", at, name, {kTiny, Face::SansBold, Ink::of(Role::Dim), Align::Left});
    draft_.line(id, {{r.x, y}, {r.right() - 6, y}}, Ink::of(Role::Line), 2);
    draft_.polygon(id + ".end", {{r.right() - 8, y - 5}, {r.right(), y}, {r.right() - 8, y + 5}},
                   Ink::of(Role::Line));
  }

  std::string thread_name(Dim3 block, Dim3 thread) const {
    return draft_.say("view.faults.thread", {{"block", index_text(block)}, {"thread", index_text(thread)}});
  }

  // Whether the cure is an order inside the block: then it has a place between the two.
  std::string missing() const {
    if (has_key(fault_->what, "fault.cure.syncwarp")) return "__syncwarp()";
    if (has_key(fault_->what, "fault.cure.syncthreads")) return "__syncthreads()";
    if (has_key(fault_->what, "fault.cure.cluster_sync")) return "cluster.sync()";
    if (has_key(fault_->what, "fault.cure.fence")) return "__threadfence()";
    if (has_key(fault_->what, "fault.cure.atomic")) return "atomicAdd()";
    return {};
  }

  // One line above the other. In a low pane each has its thread's name beside the chip and not over it.
  void race(const Rect& r) {
    const Fault& f = *fault_;
    const bool low = r.height < kHighRace;
    const float row = low ? 28 : std::min(108.0f, r.height / 2 - 24), gap = low ? r.height - 2 * row : 44;
    const Rect first{r.x, r.y + std::max(0.0f, (r.height - 2 * row - gap) / 2), r.width, row};
    const Rect second{r.x, first.bottom() + gap, r.width, row};
    const float middle = r.x + r.width / 2, wide = r.width / 2 - 40;
    const float high = low ? 26 : std::min(64.0f, row - 20);
    const auto line_at = [&](const Rect& of) { return of.y + row * 0.5f + (low ? 0.0f : 8.0f); };
    const auto chip_at = [&](const Rect& of, float x) { return Rect{x, line_at(of) - high / 2, wide, high}; };
    const auto name_at = [&](const Rect& of, float x) {
      return low ? Rect{x, of.y - 5, wide, 16} : Rect{of.x, of.y, of.width, 16};
    };
    time_line("other", first, thread_name(f.other_block, f.other_thread), name_at(first, middle + 24),
              line_at(first));
    time_line("this", second, thread_name(f.block, f.thread), name_at(second, r.x + 12), line_at(second));
    const std::string place = place_in_short();
    event("other.event", chip_at(first, r.x + 12), part("other_doing") + " " + place, f.other_line,
          Role::Warn);
    event("this.event", chip_at(second, middle + 24), part("doing") + " " + place, f.line, Role::Bad);
    draft_
        .line("missing", {{middle, first.y + (low ? 0.0f : 14.0f)}, {middle, second.bottom()}},
              Ink::of(Role::Accent), 2)
        .dashed = true;
    const std::string order = missing();
    const std::string words = order.empty() ? draft_.say("view.faults.no_order")
                                            : draft_.say("view.faults.missing", {{"what", order}});
    const float width = draft_.width(words, kSmall, Face::SansBold) + 20;
    const Rect chip{std::clamp(middle - width / 2, r.x, std::max(r.x, r.right() - width)),
                    first.bottom() + gap / 2 - 12, std::min(width, r.width), 24};
    draft_.box("missing.ground", chip, Ink::of(Role::Ground), 4);
    Shape& s = draft_.frame("missing.chip", chip, Ink::of(Role::Accent), 1.5f, 4);
    s.dashed = true;
    s.tooltip = part("cure");
    draft_.text("missing.words", chip, words, {kSmall, Face::SansBold, Ink::of(Role::Accent), Align::Centre});
  }

  // Those who wait and those who never come, as parts of all that should.
  void barrier(const Rect& r) {
    const Message& what = fault_->what;
    const std::int64_t all = std::max<std::int64_t>(
        1, number_in(what, "expected").value_or(number_in(what, "threads").value_or(1)));
    const auto returned = number_in(what, "returned");
    const std::int64_t come =
        std::clamp<std::int64_t>(returned ? all - *returned : number_in(what, "arrived").value_or(0), 0, all);
    const Rect bar{r.x, r.y + std::max(24.0f, r.height * 0.28f), r.width, std::min(56.0f, r.height * 0.3f)};
    const float share = static_cast<float>(come) / static_cast<float>(all);
    const Rect wait{bar.x, bar.y, std::max(2.0f, bar.width * share - 2), bar.height};
    const Rect gone{bar.x + bar.width * share + 2, bar.y, std::max(2.0f, bar.width * (1 - share) - 2),
                    bar.height};
    draft_.box("waiting", wait, Ink::of(Role::Accent, 0.45f), 4);
    Shape& away = draft_.box("missing", gone, Ink::of(Role::Warn, 0.5f), 4);
    away.pattern = Pattern::Hatched;
    const std::string at =
        fault_->line > 0 ? "  " + line_text(fault_->line) + "  " + source_of(fault_->line) : "";
    draft_.text("waiting.words", {bar.x, bar.y - 22, bar.width, 18},
                draft_.say("view.faults.waiting", {{"n", value_of(come)}, {"all", value_of(all)}}) + at,
                {kSmall, Face::SansBold, Ink::of(Role::Accent), Align::Left});
    draft_.text("missing.words", {bar.x, bar.bottom() + 4, bar.width, 18},
                draft_.say(returned ? "view.faults.returned" : "view.faults.elsewhere",
                           {{"n", value_of(all - come)}}),
                {kSmall, Face::SansBold, Ink::of(Role::Warn), Align::Right});
    if (r.bottom() - bar.bottom() < 60) return;
    draft_.text("waits", {bar.x, bar.bottom() + 30, bar.width, 18},
                draft_.say(returned ? "view.faults.let_pass" : "view.faults.waits_for"), dim());
  }

  void loop(const Rect& r) {
    const auto line = [&](const char* name) {
      return static_cast<int>(number_in(fault_->what, name).value_or(0));
    };
    const bool again =
        has_key(fault_->what, "fault.goes_round") || has_key(fault_->what, "fault.reads_the_same");
    const int from = line("from") > 0 ? line("from") : fault_->line;
    turns(r, from, std::max(from, line("to")),
          draft_.say(again ? "view.faults.loop_again" : "view.faults.loop_closed"));
  }

  // The lines of a loop, those in the middle left out where there is no room, and the way from the last one
  // back to the first, with what is to be said of it.
  void turns(const Rect& r, int from, int to, const std::string& words) {
    constexpr float kRow = 22, kWay = 46;
    const float said = std::min(draft_.width(words, kSmall, Face::SansBold) + 20, r.width * 0.4f);
    const auto room = std::max(1, static_cast<int>((r.height - 16) / kRow));
    const int all = to - from + 1, shown = std::min(all, room);
    const int before = shown < all ? (shown + 1) / 2 : shown;
    float widest = 160;
    for (int line = from; line <= to; ++line)
      widest = std::max(widest, draft_.width(source_of(line), kSmall, Face::Mono) + 76);
    const float high = kRow * static_cast<float>(shown) + 12;
    Rect code{r.x, r.y + std::max(0.0f, (r.height - high) / 2), std::min(widest, r.width - said - kWay),
              high};
    draft_.box("loop", code, Ink::of(Role::Raised), 5);
    Rect rows = inset(code, 8, 6);
    for (int i = 0; i < shown; ++i) {
      const int line = i < before ? from + i : to - (shown - 1 - i);
      const Rect row = take_top(rows, kRow);
      const bool left_out = shown < all && i == before - 1 && shown > 1;
      Shape& ground =
          draft_.box(fmt::format("loop.{}", line), row, Ink::of(Role::Bad, i == 0 ? 0.16f : 0.0f), 3);
      ground.target.line = line;
      draft_.text(fmt::format("loop.{}.line", line), {row.x, row.y, 34, row.height}, std::to_string(line),
                  {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
      draft_.text(fmt::format("loop.{}.code", line), {row.x + 46, row.y, row.width - 50, row.height},
                  draft_.shorten(left_out ? "…" : source_of(line), row.width - 50, kSmall, Face::Mono),
                  {kSmall, Face::Mono, Ink::of(left_out ? Role::Dim : Role::Text), Align::Left});
    }
    const float top = code.y + 6 + kRow * 0.5f, bottom = code.bottom() - 6 - kRow * 0.5f;
    const float low = std::max(bottom, top + 12), x = code.right() + kWay * 0.6f;
    draft_.line("back", {{code.right(), low}, {x, low}, {x, top}, {code.right() + 8, top}},
                Ink::of(Role::Bad), 2);
    draft_.polygon("back.head",
                   {{code.right() + 10, top - 5}, {code.right() + 1, top}, {code.right() + 10, top + 5}},
                   Ink::of(Role::Bad));
    Rect at{x + 12, (top + low) / 2 - 40, r.right() - x - 12, 80};
    const auto lines = draft_.wrap(words, at.width, kSmall, Face::SansBold, 4);
    take_top(at, (at.height - 17 * static_cast<float>(lines.size())) / 2);
    int index = 0;
    for (const std::string& part : lines)
      draft_.text(fmt::format("back.words.{}", index++), take_top(at, 17), part,
                  {kSmall, Face::SansBold, Ink::of(Role::Bad), Align::Left});
  }

  const trace::BufferPlacement* nearest_buffer() const {
    if (!input_.trace) return nullptr;
    const trace::BufferPlacement* best = nullptr;
    std::uint64_t distance = std::uint64_t{1} << 32;  // farther off it belongs to none
    for (const trace::BufferPlacement& b : input_.trace->buffers) {
      const std::uint64_t at = fault_->address, end = b.base + b.bytes;
      const std::uint64_t away = at < b.base ? b.base - at : at >= end ? at - end + 1 : 0;
      const MessageValue* named = find_value(fault_->what, "name");
      if (named && *named == told_name(b.name) && away < std::uint64_t{1} << 40) return &b;
      if (away < distance) {
        best = &b;
        distance = away;
      }
    }
    return best;
  }

  // The array as a bar with its first and last index, and where the lane landed: beside it, or between two
  // elements. False where it is in no array that is known.
  bool landing(const Rect& r) {
    const auto index = number_in(fault_->what, "index"), count = number_in(fault_->what, "count");
    const trace::BufferPlacement* buffer = nearest_buffer();
    if (!buffer) return false;
    const int size = std::max(1, trace::size_of(buffer->type));
    const auto elements =
        static_cast<double>(count.value_or(static_cast<std::int64_t>(buffer->bytes) / size));
    double at = (static_cast<double>(fault_->address) - static_cast<double>(buffer->base)) / size;
    if (index && has_key(fault_->what, "fault.element.") && !has_key(fault_->what, "fault.element.negative"))
      at = static_cast<double>(*index);
    if (elements <= 0) return false;
    // The array takes at most two thirds; what lies far off is drawn nearer and says how far.
    const double over = at < 0 ? -at : std::max(0.0, at - elements + 1);
    const float width = r.width * 0.66f;
    const Rect bar{at < 0 ? r.right() - width : r.x, r.y + std::max(48.0f, r.height * 0.4f), width,
                   std::min(48.0f, r.height * 0.28f)};
    draft_.box("array", bar, Ink::of(Role::Accent, 0.35f), 3);
    draft_.frame("array.edge", bar, Ink::of(Role::Accent), 1.5f, 3);
    draft_.text("array.name", {bar.x + 10, bar.y, bar.width - 20, bar.height},
                draft_.say("view.faults.array", {{"name", told_name(buffer->name)},
                                                 {"n", group_digits(static_cast<std::uint64_t>(elements))}}),
                {kSmall, Face::SansBold, Ink::of(Role::Text), Align::Centre});
    draft_.text("array.first", {bar.x, bar.bottom() + 4, 60, 15}, "[0]",
                {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Left});
    draft_.text("array.last", {bar.right() - 120, bar.bottom() + 4, 120, 15},
                fmt::format("[{:.0f}]", elements - 1), {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
    const float room = r.width - width - 24;
    const float off = 24 + room * 0.75f * static_cast<float>(over / (over + elements * 0.1 + 8));
    const float x = over == 0 ? bar.x + bar.width * static_cast<float>((at + 0.5) / elements)
                    : at < 0  ? bar.x - off
                              : bar.right() + off;
    if (over > 0) {
      Shape& mark = draft_.box("landed", {x - 9, bar.y, 18, bar.height}, Ink::of(Role::Bad, 0.35f), 3);
      mark.stroke = Ink::of(Role::Bad);
      mark.stroke_width = 1.5f;
    }
    draft_.line("arrow", {{x, bar.y - 22}, {x, bar.y - 3}}, Ink::of(Role::Bad), 2);
    draft_.polygon("arrow.head", {{x - 5, bar.y - 8}, {x, bar.y}, {x + 5, bar.y - 8}}, Ink::of(Role::Bad));
    const std::string where =
        fault_->kind == FaultKind::Misaligned
            ? draft_.say("view.faults.at_byte",
                         {{"byte", value_of(static_cast<std::int64_t>(fault_->address - buffer->base))}})
            : draft_.say("place.element",
                         {{"name", told_name(buffer->name)}, {"index", fmt::format("{:.0f}", at)}});
    const std::string words = where + "  " + thread_name(fault_->block, fault_->thread);
    const float wide = std::min(draft_.width(words, kSmall, Face::SansBold) + 2, r.width);
    draft_.text("arrow.words", {std::clamp(x - wide / 2, r.x, r.right() - wide), bar.y - 44, wide, 18}, words,
                {kSmall, Face::SansBold, Ink::of(Role::Bad), Align::Left});
    return true;
  }

  // Memory cut where an access of so many bytes may begin, and the access lying across such a border. False
  // where the message does not say how wide it is.
  bool across_border(const Rect& r) {
    const auto bytes =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, number_in(fault_->what, "bytes").value_or(0)));
    if (bytes < 2 || bytes > 64 || fault_->address % bytes == 0) return false;
    const trace::BufferPlacement* buffer = nearest_buffer();
    const std::uint64_t base = buffer && buffer->base <= fault_->address ? buffer->base : 0;
    const std::uint64_t before = fault_->address / bytes * bytes;
    const std::uint64_t first = before >= base + bytes ? before - bytes : before;
    constexpr int kCells = 4;
    const float cell = r.width / kCells;
    const Rect row{r.x, r.y + std::max(48.0f, r.height * 0.3f), r.width,
                   std::clamp(r.height * 0.24f, 24.0f, 72.0f)};
    const auto x_of = [&](std::uint64_t address) {
      return row.x + cell * static_cast<float>(address - first) / static_cast<float>(bytes);
    };
    // What the address itself is a multiple of: in such pieces the access would be allowed.
    const std::uint64_t piece = fault_->address & (~fault_->address + 1);
    draft_.box("words", row, Ink::of(Role::Raised), 3);
    for (std::uint64_t at = piece; at < kCells * bytes; at += piece)
      if (at % bytes != 0 && cell * static_cast<float>(piece) / static_cast<float>(bytes) > 6)
        draft_.line(fmt::format("piece.{}", at),
                    {{x_of(first + at), row.y}, {x_of(first + at), row.bottom()}}, Ink::of(Role::Line), 1);
    Shape& access = draft_.box("access", {x_of(fault_->address), row.y + 3, cell, row.height - 6},
                               Ink::of(Role::Bad, 0.35f), 3);
    access.stroke = Ink::of(Role::Bad);
    access.stroke_width = 1.5f;
    access.target.line = fault_->line;
    access.tooltip = source_of(fault_->line);
    draft_.text("access.bytes", access.box, draft_.say("view.faults.wide", {{"bytes", value_of(bytes)}}),
                {kSmall, Face::SansBold, Ink::of(Role::Text), Align::Centre});
    for (int i = 0; i <= kCells; ++i) {
      const float x = std::clamp(row.x + cell * static_cast<float>(i), row.x + 1, row.right() - 1);
      draft_.line(fmt::format("border.{}", i), {{x, row.y - 6}, {x, row.bottom() + 6}}, Ink::of(Role::Text),
                  2);
      draft_.text(fmt::format("border.{}.byte", i),
                  {std::clamp(x - 40, row.x, row.right() - 80), row.bottom() + 8, 80, 15},
                  group_digits(first - base + static_cast<std::uint64_t>(i) * bytes),
                  {kTiny, Face::Mono, Ink::of(Role::Dim),
                   i == 0        ? Align::Left
                   : i == kCells ? Align::Right
                                 : Align::Centre});
    }
    const float x = x_of(fault_->address);
    draft_.line("arrow", {{x, row.y - 22}, {x, row.y - 3}}, Ink::of(Role::Bad), 2);
    draft_.polygon("arrow.head", {{x - 5, row.y - 8}, {x, row.y}, {x + 5, row.y - 8}}, Ink::of(Role::Bad));
    const auto byte = value_of(static_cast<std::int64_t>(fault_->address - base));
    const std::string words =
        (base != 0 ? draft_.say("view.faults.byte_of", {{"byte", byte}, {"name", told_name(buffer->name)}})
                   : draft_.say("view.faults.at_byte", {{"byte", byte}})) +
        "  " + thread_name(fault_->block, fault_->thread);
    const float wide = std::min(draft_.width(words, kSmall, Face::SansBold) + 2, r.width);
    draft_.text("arrow.words", {std::clamp(x - wide / 2, r.x, r.right() - wide), row.y - 44, wide, 18}, words,
                {kSmall, Face::SansBold, Ink::of(Role::Bad), Align::Left});
    const std::string cure =
        draft_.say("view.faults.borders", {{"bytes", value_of(bytes)}, {"piece", value_of(piece)}});
    const float below = row.bottom() + 32, high = draft_.sentence_height(cure, r.width, 3);
    if (below + high <= r.bottom()) draft_.sentence("cure", {r.x, below, r.width, high}, cure);
    return true;
  }

  // The thread, and the line it stood on.
  void who(const Rect& r) {
    const Rect row{r.x, r.y + std::max(0.0f, r.height / 2 - 50), r.width, std::min(96.0f, r.height)};
    time_line("this", row, thread_name(fault_->block, fault_->thread));
    const float high = std::min(44.0f, row.height - 20);
    event("this.event",
          {r.x + r.width * 0.3f, row.y + row.height * 0.5f + 8 - high / 2, r.width * 0.5f, high},
          kind_text(*fault_), fault_->line, Role::Bad);
  }

  Draft draft_;
  const ViewInput& input_;
  const Fault* fault_ = nullptr;
};

}  // namespace

Scene faults_view(const ViewContext& context, const ViewInput& input) {
  return FaultsView(context, input).run();
}

bool faults_applies(const ViewInput& input) {
  return input.report && (!input.report->faults.empty() || input.report->ending == analysis::Ending::Budget);
}

}  // namespace warplens::visual
