// The bench: source, the numbers that sum the run up, why they are so, and the sliders.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/model/run/gpu_advice.h"
#include "app/model/study/relatives.h"
#include "app/window/panels/ui.h"
#include "engine/analysis/explanations.h"
#include "engine/analysis/fault_text.h"
#include "engine/analysis/known_counts.h"
#include "engine/analysis/verdict.h"
#include "engine/base/typography.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kPad = 16, kFigureHeight = 98, kSliderRow = 32, kGap = 12, kSentenceLine = 20,
                kVerdictRow = 24;
constexpr int kMostLines = 8;
constexpr float kLeastSource = 150, kFewLines = 100, kLeastPlot = 190, kMostPlot = 340;

bool pinned_is_earlier(const Ui& ui) {
  return ui.bench.pinned() && ui.bench.pinned()->behind() && ui.bench.looks_earlier();
}

// Why a number of another GPU stands apart, and what to do to compare.
std::string other_device_tip(const Ui& ui, const MeasuredOn& on) {
  return ui.say({on.device.empty() ? "view.other_device.unlisted" : "view.other_device.choose",
                 {{"hardware", value_of(on.hardware)},
                  {"listed", value_of(on.device)},
                  {"device", value_of(ui.bench.device_name())}}});
}

// What a counter of the hardware said of the same thing, beside the count.
void measured_badge(Ui& ui, Pen& pen, const Rect& room, const Headline& figure) {
  if (!is_counted(figure.evidence) || !ui.bench.measurement().counters_are_of_this()) return;
  const auto value = measured_value(figure, ui.bench.measurement().counters);
  if (!value) return;
  const MeasuredOn& on = ui.bench.measurement().on;
  const bool elsewhere = ui.bench.is_of_other_device(on);
  std::string word = ui.say("window.evidence.measured") + " " + *value;
  if (elsewhere) word += " · " + on.short_name();
  const float width = pen.width(word, 11, Face::SansBold) + 10;
  if (width > room.width) return;
  const Rect box{room.x, room.y, width, room.height};
  pen.frame(box, Role::Accent, 4, 1, 0.8f);
  pen.text(box, word,
           {.size = 11, .face = Face::SansBold, .role = Role::Accent, .align = visual::Align::Centre});
  if (hit(pen, (figure.name_key + ".measured").c_str(), box).hovered)
    tooltip(ui, ui.say("window.evidence.measured_means") + "\n" + ui.say(ui.bench.measurement().evidence) +
                    (elsewhere ? "\n" + other_device_tip(ui, on) : ""));
}

// Something to think of before the number is believed, in two words: beside the badge where there is room,
// else under it. A click shows the whole sentences with the runs themselves.
void draw_doubts(Ui& ui, Pen& pen, const Rect& beside, const Rect& under, const Headline& figure) {
  if (figure.doubts.empty()) return;
  std::string word = "! " + ui.say(figure.doubts.front().key + "_short");
  if (figure.doubts.size() > 1) word += fmt::format(" +{}", figure.doubts.size() - 1);
  const Rect& box = pen.width(word, 11, Face::SansBold) + 4 <= beside.width ? beside : under;
  pen.text(box, word, {.size = 11, .face = Face::SansBold, .role = Role::Warn});
  const Hit h = hit(pen, (figure.name_key + ".doubts").c_str(), box);
  if (h.hovered) {
    std::string tip;
    for (const Message& doubt : figure.doubts) tip += (tip.empty() ? "" : "\n") + ui.say(doubt);
    tooltip(ui, tip);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  if (h.clicked)
    ui.bench.settings.views[static_cast<std::size_t>(std::max(0, ui.state.active_view))] = "timing";
}

void draw_figure(Ui& ui, Pen& pen, const Headline& figure, const Rect& box) {
  const bool whole = ui.bench.picture()->whole || figure.evidence == Evidence::Measured;
  const bool earlier = figure.earlier && ui.bench.looks_earlier();
  // A number of another GPU than the modelled ones bears its name.
  const bool elsewhere = ui.bench.is_of_other_device(figure.on);
  const std::string name = ui.say(figure.name_key) + (elsewhere ? " · " + figure.on.short_name() : "");
  pen.text({box.x, box.y, box.width - 6, 16}, name, {.size = 13, .role = elsewhere ? Role::Warn : Role::Dim});
  pen.text({box.x, box.y + 17, box.width - 6, 30}, figure.value,
           {.size = 22,
            .face = Face::SansBold,
            .role = earlier              ? Role::Dim
                    : figure.worse       ? Role::Warn
                    : figure.provisional ? Role::Dim
                                         : Role::Text,
            .alpha = earlier ? 0.5f
                     : whole ? 1.0f
                             : 0.6f});
  const std::optional<Headline> other = ui.bench.pinned() ? beside(figure, *ui.bench.pinned()) : std::nullopt;
  std::string detail =
      other ? ui.say({"window.twin.figure", {{"value", value_of(other->value)}}}) : ui.say(figure.detail);
  // What has no room is said shorter, and in full in the tooltip.
  const std::string& key = figure.detail.key;
  const bool has_short =
      key == "window.figure.of_access" || key == "window.time.recorded_at" || key == "window.time.quick_at";
  std::string in_full;
  if (!other && has_short && pen.width(detail, 11) > box.width - 6) {
    in_full = detail;
    detail = ui.say({key + "_short", figure.detail.values});
  }
  pen.text({box.x, box.y + 46, box.width - 6, 14}, detail,
           {.size = 11,
            .role = other ? Role::Text : Role::Dim,
            .alpha = earlier || (other && pinned_is_earlier(ui)) ? 0.5f : 1.0f});
  if (!figure.missing && !earlier) {
    // What the hardware counted of the same stands beside it.
    const bool measured = is_counted(figure.evidence) && ui.bench.measurement().counters_are_of_this();
    const float most = measured ? box.width * 0.45f : box.width - 6;
    const float after = box.x + badge(ui, pen, {box.x, box.y + 62}, figure.evidence, most) + 6;
    const Rect beside{after, box.y + 62, box.right() - 6 - after, 16};
    measured_badge(ui, pen, beside, figure);
    draw_doubts(ui, pen, beside, {box.x, box.y + 79, box.width - 6, 13}, figure);
  }
  const Hit h = hit(pen, figure.name_key.c_str(), {box.x, box.y, box.width - 6, 60});
  term_link(ui, pen, {box.x, box.y, box.width - 6, 16}, name, {.size = 13}, h.clicked);
  if (!h.hovered) return;
  std::string tip = (in_full.empty() ? "" : in_full + "\n") + ui.say(figure.name_key + "_means");
  if (!figure.basis.key.empty()) tip += " " + ui.say(figure.basis);
  const Measurement& m = ui.bench.measurement();
  if (figure.evidence == Evidence::Measured) tip += "\n" + ui.say(m.timing ? m.evidence : m.reason);
  if (elsewhere) tip += "\n" + other_device_tip(ui, figure.on);
  if (figure.others.size() > 1) {
    tip += "\n\n" + ui.say("window.figure.others");
    for (const Message& access : figure.others) tip += "\n  " + ui.say(access);
    tip += "\n";
  }
  tooltip(ui, figure.counter.empty() ? tip : tip + "\n" + figure.counter);
}

bool has_plot(const Ui& ui) {
  return ui.bench.swept() || ui.bench.measurement().points.size() > 1;
}

// Under the numbers, which have neither badges nor doubts while they are earlier ones: what they belong to.
void draw_earlier_line(Ui& ui, Pen& pen, const Rect& box) {
  if (!ui.bench.looks_earlier() || !ui.bench.totals_are_earlier()) return;
  const std::string words = ui.bench.totals_line(ui.catalogue);
  pen.fill(box, Role::Warn, 4, 0.12f);
  pen.fill({box.x, box.y, 3, box.height}, Role::Warn, 1.5f);
  pen.text({box.x + 9, box.y, box.width - 14, box.height}, words, {.size = 11});
  if (hit(pen, "earlier", box).hovered) tooltip(ui, words);
}

// A number that only side A has is the point of many a comparison: it keeps its place.
std::vector<Headline> figures_of_both(const Ui& ui) {
  std::vector<Headline> out = ui.bench.figures();
  if (!ui.bench.pinned()) return out;
  const std::vector<Headline>& others = ui.bench.pinned()->picture.figures;
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Headline& other = others[i];
    const bool both =
        std::ranges::any_of(out, [&](const Headline& f) { return f.name_key == other.name_key; });
    if (both || other.evidence == Evidence::Measured) continue;
    Headline none{other.name_key, "—", {"", {}}, false, other.evidence, other.counter};
    none.missing = true;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(std::min(i, out.size())), std::move(none));
  }
  return out;
}

void draw_figures(Ui& ui, Pen& pen, const Rect& area, int rows) {
  const Picture* picture = ui.bench.picture();
  if (!picture) return;
  const float column = area.width / 3;
  const std::vector<Headline> figures = figures_of_both(ui);
  for (std::size_t i = 0; i < figures.size() && i < static_cast<std::size_t>(rows) * 3; ++i) {
    const auto x = static_cast<float>(i % 3), y = static_cast<float>(i / 3);
    draw_figure(ui, pen, figures[i],
                {area.x + x * column, area.y + y * kFigureHeight, column, kFigureHeight});
  }
  if (rows > 0) draw_earlier_line(ui, pen, {area.x, area.y + area.height - 19, area.width, 18});
}

// Why the launch costs what it costs. The views say it about the access under the cursor; here it is only
// said where there is nothing to say about the launch.
std::string explanation(const Ui& ui) {
  const Picture* picture = ui.bench.picture();
  if (!picture) return ui.say(ui.bench.busy() ? "window.bench.first_run" : "window.bench.nothing");
  if (const Pinned* pinned = ui.bench.pinned()) {
    Setup shown = ui.bench.setup();
    shown.values = picture->of.values;
    const std::string& language = ui.bench.settings.language;
    return twin_words(pinned->picture.run->report, picture->run->report,
                      side_names(pinned->shown(), shown, ui.catalogue, language), ui.catalogue);
  }
  std::vector<Message> messages = picture->run->report.explanations;
  // Of a user's file the contents of buffers are ours: no verdict on them without saying so, and before it.
  const auto data = ui.bench.is_users_file() ? analysis::data_sentence(picture->run->report) : std::nullopt;
  if (data) messages.insert(messages.begin(), *data);
  const trace::Trace& trace = picture->run->trace;
  if (messages.empty() && !ui.bench.timeline().empty()) {
    const std::size_t step = ui.bench.cursor().step;
    if (trace.steps()[step].kind == trace::StepKind::Access) {
      messages = analysis::explain_access(trace, trace.access(step));
    }
  }
  if (messages.size() > 2) messages.resize(2);
  // What the numbers rest on is always said, where it is not the machine code.
  const auto known = analysis::known_sentence(picture->run->report);
  if (known && std::ranges::find(messages, *known) == messages.end()) messages.push_back(*known);
  return sentences(ui.catalogue, messages);
}

// An error of the compiler or of the launch, in place of the explanation; the picture is the last good one.
std::string trouble(const Ui& ui) {
  if (const std::optional<Error>& error = ui.bench.error()) {
    if (error->kind == ErrorKind::Cancelled) return ui.say("window.run.stopped_first");
    std::string text = ui.say(*error);
    if (error->place.line > 0)
      text = ui.say(
          {"window.bench.error_line", {{"line", value_of(error->place.line)}, {"message", value_of(text)}}});
    const Inventory* there = ui.bench.inventory();
    if (const auto advice = there ? model::gpu_advice(*error, there->found) : std::nullopt)
      text += "\n" + ui.say(*advice);
    return text;
  }
  const Picture* picture = ui.bench.picture();
  if (picture && !picture->report().faults.empty()) {
    // What the GPU said of the same launch stands before what the check found.
    const Message& reason = ui.bench.measurement().reason;
    const std::string gpu = reason.key == "window.time.failed" ? ui.say(reason) + " " : "";
    const auto ours = model::made_up_arguments(ui.bench.setup().assumed);
    const std::string made_up = ours ? ui.say(*ours) + " " : "";
    return gpu + made_up +
           ui.say(
               {"window.bench.fault",
                {{"count", value_of(picture->report().faults_total)},
                 {"message", value_of(ui.say(analysis::fault_message(picture->report().faults.front())))}}});
  }
  if (picture && picture->run->report.ending == analysis::Ending::Budget)
    return ui.say("window.bench.budget");
  if (const Message& reason = ui.bench.measurement().reason; reason.key == "window.time.failed") {
    return ui.say(reason);
  }
  return {};
}

struct Sentence {
  std::string text;
  Role role = Role::Accent;
  float height = 0;
  int lines = 0;
  bool earlier = false;  // of what is shown and no longer asked for
};

Sentence measure_sentence(const Ui& ui, const Pen& pen, float width, int most_lines) {
  Sentence s;
  const BenchWords words = bench_words(ui);
  s.text = words.text;
  s.earlier = words.earlier;
  s.role = words.trouble ? Role::Bad : words.earlier ? Role::Dim : Role::Accent;
  if (s.text.empty()) return s;
  const auto lines = static_cast<int>(pen.wrapped(s.text, width - 32, {.size = 13}).size());
  s.lines = std::clamp(lines, 1, most_lines);
  s.height = static_cast<float>(s.lines) * kSentenceLine + 18;
  return s;
}

// While a kernel is open its sentence keeps the room that it once took: the sliders under it stay where the
// hand is.
void hold_still(const Ui& ui, float width, Sentence& sentence) {
  struct Held {
    std::string kernel;
    float width = 0;
    int lines = 0;
  };
  static Held held;
  const std::string id = ui.bench.kernel() ? ui.bench.kernel()->id : std::string();
  if (held.kernel != id || held.width != width) held = {id, width, 0};
  if (sentence.role == Role::Bad) return;  // an error has its own room, and leaves none behind
  held.lines = std::max(held.lines, sentence.lines);
  if (held.lines == 0) return;
  sentence.lines = held.lines;
  sentence.height = static_cast<float>(held.lines) * kSentenceLine + 18;
}

// As many whole sentences as there are lines for, where that leaves one line empty at most: an argument that
// breaks off in its middle is none.
std::string whole_sentences(const Pen& pen, const Sentence& s, float width) {
  const auto fits = [&](const std::string& text) {
    return pen.wrapped(text, width, {.size = 13}).size() <= static_cast<std::size_t>(s.lines);
  };
  if (fits(s.text)) return s.text;
  std::string best;
  for (std::size_t at = 0; at < s.text.size(); ++at) {
    const std::string_view rest = std::string_view(s.text).substr(at);
    const std::size_t stop = rest.starts_with(". ") ? 1 : rest.starts_with("。") ? 3 : 0;
    if (stop == 0) continue;
    std::string begin = s.text.substr(0, at + stop) + (stop == 1 ? " …" : "…");
    if (!fits(begin)) break;
    best = std::move(begin);
  }
  const auto lines = static_cast<int>(pen.wrapped(best, width, {.size = 13}).size());
  return best.empty() || lines + 1 < s.lines ? s.text : best;
}

void show_in_active_view(Ui& ui, const char* view) {
  ui.bench.settings.views[static_cast<std::size_t>(std::max(0, ui.state.active_view))] = view;
}

void draw_sentence(Ui& ui, Pen& pen, const Sentence& s, const Rect& box) {
  pen.fill(box, Role::Panel, 6);
  pen.fill(box, s.role, 6, 0.06f);
  pen.fill({box.x, box.y, 3, box.height}, s.role, 1.5f);
  pen.paragraph({box.x + 16, box.y + 9, box.width - 32, 0}, whole_sentences(pen, s, box.width - 32),
                {.size = 13, .alpha = s.earlier ? 0.5f : 1.0f}, kSentenceLine, s.lines);
  const Hit h = hit(pen, "sentence", box);
  const std::optional<Error>& error = ui.bench.error();
  const Picture* picture = ui.bench.picture();
  const bool faulted = !error && picture && picture->run && !picture->report().faults.empty();
  if (h.clicked && faulted) show_in_active_view(ui, "faults");
  if (h.hovered) {
    std::string more = s.text;
    if (error) {
      for (const std::string& note : error->notes) more += "\n" + note;
      tooltip(ui, more.substr(0, 1500));
    } else if (faulted) {
      tooltip(ui, more + "\n" + ui.say("window.bench.faults_tip"));
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    } else if (pen.wrapped(s.text, box.width - 32, {.size = 13}).size() > static_cast<std::size_t>(s.lines)) {
      tooltip(ui, more);
    }
  }
}

// What the models say of the launch, in one line or, while no what-if needs the second, in two; a click shows
// of what the time is made.
bool has_verdict(const Ui& ui) {
  const Picture* picture = ui.bench.picture();
  return picture && picture->modelled && picture->modelled->time;
}

// How busy the profiler says the parts were, where its counters were read; a line with its end, or nothing.
std::string speed_of_light(Ui& ui) {
  const Measurement& measured = ui.bench.measurement();
  const auto share = [&](std::string_view metric) {
    for (const auto& [name, value] : measured.counters)
      if (name == metric) return fmt::format("{:.0f} %", value);
    return std::string();
  };
  const std::string sm = share("sm__throughput.avg.pct_of_peak_sustained_elapsed"),
                    l1 = share("l1tex__throughput.avg.pct_of_peak_sustained_elapsed"),
                    l2 = share("lts__throughput.avg.pct_of_peak_sustained_elapsed"),
                    dram = share("dram__throughput.avg.pct_of_peak_sustained_elapsed");
  if (sm.empty() || l1.empty() || l2.empty() || dram.empty() || !ui.bench.kernel()) return {};
  std::string note = ui.say(measured.counters_evidence);
  if (measured.counted_at) {
    const std::string where = model::where_else(*ui.bench.kernel(), ui.bench.values(), *measured.counted_at,
                                                "", ui.bench.settings.language);
    if (!where.empty()) note += ui.say({"window.time.curve_at", {{"at", value_of(where)}}});
  }
  return ui.say(Message{"window.verdict.speed_of_light",
                        {{"sm", value_of(sm)},
                         {"l1", value_of(l1)},
                         {"l2", value_of(l2)},
                         {"dram", value_of(dram)},
                         {"note", value_of(note)}}}) +
         "\n";
}

void draw_verdict(Ui& ui, Pen& pen, const Rect& box) {
  if (!has_verdict(ui) || box.height <= 0) return;
  const Picture& picture = *ui.bench.picture();
  const bool earlier = ui.bench.looks_earlier() && ui.bench.earlier(visual::Basis::Model);
  const float wide = badge(ui, pen, {box.x, box.y + 4}, Evidence::Modelled);
  const TextStyle style{.size = 13, .role = earlier ? Role::Dim : Role::Text, .alpha = earlier ? 0.5f : 1.0f};
  const Rect whole{box.x + wide + 8, box.y, box.width - wide - 8, box.height};
  std::string rest = ui.say(analysis::verdict_brief(*picture.modelled));
  // In one row that is too narrow the way out is left to the tooltip, whole.
  if (box.height < 2 * kVerdictRow && pen.width(rest, 13) > whole.width)
    rest = ui.say(analysis::verdict_brief(*picture.modelled, false));
  if (const auto lines = pen.wrapped(rest, whole.width, style);
      lines.size() > 1 && box.height >= 2 * kVerdictRow) {
    pen.text({whole.x, whole.y, whole.width, kVerdictRow}, lines.front(), style);
    rest = rest.substr(std::min(rest.size(), lines.front().size()));
    rest.erase(0, rest.find_first_not_of(' '));
    pen.text({whole.x, whole.y + kVerdictRow - 5, whole.width, kVerdictRow}, rest, style);
  } else {
    pen.text({whole.x, whole.y, whole.width, std::min(whole.height, kVerdictRow)}, rest, style);
  }
  const Hit h = hit(pen, "verdict", whole);
  if (h.hovered) {
    const std::string of =
        earlier ? ui.bench.earlier_line(visual::Basis::Model, ui.catalogue) + "\n" : std::string();
    tooltip(ui, of + ui.say(analysis::verdict_message(*picture.modelled)) + "\n" + speed_of_light(ui) +
                    ui.say("window.verdict.tip"));
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  if (h.clicked) show_in_active_view(ui, "time-parts");
}

// Found by running it: a click makes it side B of a comparison.
void draw_what_if(Ui& ui, Pen& pen, const Rect& box) {
  const Picture* picture = ui.bench.picture();
  if (box.height <= 0 || !picture || !picture->what_if || !ui.bench.kernel()) return;
  const bool earlier = !(picture->modelled_of == ui.bench.asked());
  const auto say = [&](model::Wording wording) {
    return ui.say(
        model::what_if_message(*picture->what_if, *ui.bench.kernel(), ui.bench.settings.language, wording));
  };
  const std::string whole = say(model::Wording::Whole);
  const std::string words = pen.width(whole, 13) + 22 <= box.width ? whole : say(model::Wording::Short);
  const float wide = std::min(pen.width(words, 13) + 22, box.width);
  const Rect at{box.x, box.y, wide, box.height - 2};
  const Hit h = hit(pen, "what_if", at);
  pen.fill(at, Role::Modelled, 6, earlier ? 0.05f : h.hovered ? 0.26f : 0.14f);
  pen.text({at.x + 11, at.y, at.width - 22, at.height}, words,
           {.size = 13, .role = earlier ? Role::Dim : Role::Text, .alpha = earlier ? 0.5f : 1.0f});
  if (h.hovered) {
    const auto& padding = picture->what_if->padding;
    const std::string about = padding ? ui.say(Message{"window.verdict.what_if_padded_tip",
                                                       {{"line", value_of(padding->line)},
                                                        {"was", value_of(padding->was)},
                                                        {"becomes", value_of(padding->becomes)}}})
                                      : ui.say("window.verdict.what_if_tip");
    tooltip(ui, whole + "\n" + about);
    if (!earlier) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  if (h.clicked) ui.bench.try_what_if();
}

void draw_sliders(Ui& ui, const Rect& window_area) {
  const model::GalleryKernel* kernel = ui.bench.kernel();
  if (!kernel || window_area.height < 8) return;
  const float needed = kSliderRow * static_cast<float>(kernel->sliders.size());
  const bool scrolls = needed > window_area.height + 1;
  const Area area(ui, "sliders", window_area, scrolls);
  Pen pen = ui.pen();
  float y = 0, label_width = 72;
  const std::string& language = ui.bench.settings.language;
  for (const model::Slider& s : kernel->sliders) {
    const float link = ui.bench.moves_both(s.name) ? 14.0f : 0.0f;
    label_width = std::max(label_width, pen.width(localized(s.title, language, s.name)) + 16 + link);
  }
  label_width = std::min(label_width, window_area.width * 0.38f);
  for (const model::Slider& s : kernel->sliders) {
    slider_control(ui, pen,
                   {s,
                    localized(s.title, language, s.name),
                    localized(s.hint, language, ""),
                    {0, y, window_area.width - (scrolls ? 14.0f : 0.0f), kSliderRow},
                    label_width});
    y += kSliderRow;
  }
  if (!scrolls) return;
  ImGui::SetCursorScreenPos(pen.at(0, y - 1));
  ImGui::Dummy({1, 1});
}

// The right edge is a handle: the bench takes from the stage.
void draw_handle(Ui& ui, Pen& pen, const Rect& bench) {
  const Rect box{bench.width - 5, 0, 5, bench.height};
  const Hit h = hit(pen, "handle", box);
  if (h.hovered || h.held) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    pen.fill({bench.width - 2, 0, 2, bench.height}, Role::Accent, 0, 0.6f);
  }
  if (h.double_clicked) {
    ui.bench.settings.bench_width = 0;
  } else if (h.held && ImGui::GetIO().MouseDelta.x != 0) {
    const float mouse = ImGui::GetIO().MousePos.x / ui.scale();
    ui.bench.settings.bench_width = std::clamp(static_cast<double>(mouse - bench.x), 280.0, 900.0);
  }
}

}  // namespace

BenchWords bench_words(const Ui& ui) {
  if (std::string wrong = trouble(ui); !wrong.empty()) return {std::move(wrong), true, false};
  return {explanation(ui), false,
          (ui.bench.looks_earlier() && ui.bench.totals_are_earlier()) || pinned_is_earlier(ui)};
}

void draw_bench(Ui& ui) {
  const Rect& bench = ui.layout.bench;
  if (!ui.layout.bench_shown || bench.width < 200) return;
  Rect content{bench.x + kPad, bench.y + 8, bench.width - 2 * kPad, bench.height - 16};
  Sentence sentence;
  float sliders = 0, figures = 0, verdict = 0, source_bottom = 0;
  {
    const Area area(ui, "bench", bench);
    Pen pen = ui.pen();
    pen.line({bench.width - 0.5f, 0}, {bench.width - 0.5f, bench.height}, Role::Line);
    const model::GalleryKernel* kernel = ui.bench.kernel();
    const auto count = kernel ? static_cast<float>(kernel->sliders.size()) : 0.0f;
    // The empty line after the last line break needs no room.
    const std::string& text = ui.bench.text();
    const auto breaks = std::count(text.begin(), text.end(), '\n');
    const auto lines = static_cast<float>(std::max<std::ptrdiff_t>(
        breaks + (text.ends_with('\n') ? 0 : 1), static_cast<std::ptrdiff_t>(source_rows(ui)) - 1));
    const float wanted_source = 62 + lines * 20 + 16;
    // Room is dealt out in this order: sliders, one row of numbers, the sentence, of which three lines come
    // before the source and the rest while the source keeps its least, the curve over a slider, further
    // numbers.
    sentence = measure_sentence(ui, pen, content.width, kMostLines);
    sliders = std::min(count * kSliderRow, content.height * 0.4f);
    if (kernel) sliders += kCompareRow;
    figures = kFigureHeight;
    hold_still(ui, content.width, sentence);
    // Its room is kept while nothing is modelled yet: it comes a moment after the numbers.
    verdict = ui.bench.picture() ? 2 * kVerdictRow : 0;
    const auto rest = [&] {
      return content.height - sliders - figures - verdict - sentence.height - 3 * kGap;
    };
    while (sentence.lines > 3 && rest() < kLeastSource) {
      --sentence.lines;
      sentence.height -= kSentenceLine;
    }
    // In a very low window the numbers go, then the sentence, but never an error.
    if (rest() < kLeastSource) verdict = std::min(verdict, kVerdictRow);
    if (rest() < kFewLines) figures = 0;
    if (rest() < kFewLines) verdict = 0;
    if (rest() < kFewLines && sentence.role != Role::Bad) sentence = {};
    float source = rest();
    source = std::max(std::min(source, wanted_source), std::min(kLeastSource, content.height * 0.3f));
    float left = rest() - source;
    if (has_plot(ui) && left >= kLeastPlot + kGap) left -= kLeastPlot + kGap;
    const bool many = figures_of_both(ui).size() > 3;
    const int rows = figures <= 0 ? 0 : many && left >= kFigureHeight ? 2 : 1;
    figures = kFigureHeight * static_cast<float>(rows);
    source_bottom = content.y + source;
    float y = source_bottom + kGap - bench.y;
    draw_figures(ui, pen, {kPad, y, content.width, figures}, rows);
    y += figures;
    const bool what_if = ui.bench.picture() && ui.bench.picture()->what_if;
    draw_verdict(ui, pen, {kPad, y, content.width, what_if ? std::min(verdict, kVerdictRow) : verdict});
    draw_what_if(ui, pen, {kPad, y + kVerdictRow, content.width, verdict - kVerdictRow});
    y += verdict + kGap;
    if (sentence.height > 0 && !sentence.text.empty())
      draw_sentence(ui, pen, sentence, {kPad, y, content.width, sentence.height});
    draw_handle(ui, pen, bench);
  }
  draw_source(ui, {content.x, content.y, content.width, source_bottom - content.y});
  const float top = source_bottom + figures + verdict + sentence.height + 3 * kGap;
  const float left = content.y + content.height - top - sliders - kGap;
  const bool plot = left >= kLeastPlot && has_plot(ui);
  const float row = ui.bench.kernel() ? kCompareRow : 0;
  draw_compare_row(ui, {content.x, top, content.width, row});
  const float room = sliders - row + (plot ? 0 : std::max(0.0f, left));
  draw_sliders(ui, {content.x, top + row, content.width, room});
  if (plot) draw_bench_plot(ui, {bench.x, top + sliders + kGap, bench.width - 2, std::min(left, kMostPlot)});
}

}  // namespace warplens::window
