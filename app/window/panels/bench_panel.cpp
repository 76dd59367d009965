// The bench: source, the numbers that sum the run up, why they are so, and the sliders.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/model/gallery/slider_values.h"
#include "app/model/study/relatives.h"
#include "app/model/text/in_language.h"
#include "app/window/panels/bench_parts.h"
#include "engine/analysis/verdict.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kPad = 16, kSliderRow = 32, kLowSliderRow = 26, kGap = 12, kVerdictRow = 24;
constexpr int kMostLines = 8, kWordsFirst = 6;  // so many lines before the fourth row of code
constexpr float kMuchSource = 398;              // of code: sixteen rows
constexpr float kLeastSource = 150, kLowSource = 122, kFewLines = 100, kLeastPlot = 190, kMostPlot = 340,
                kLongWords = 6 * kSentenceLine + 18;

bool has_plot(const Ui& ui) {
  return ui.bench.swept() || ui.bench.measurement().points.size() > 1;
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
  // How much faster stands at its end: rather smaller than cut.
  const float size = pen.width(words, 13) + 22 <= box.width ? 13.0f : 11.0f;
  const float wide = std::min(pen.width(words, size) + 22, box.width);
  const Rect at{box.x, box.y, wide, box.height - 2};
  const Hit h = hit(pen, "what_if", at);
  pen.fill(at, Role::Modelled, 6, earlier ? 0.05f : h.hovered ? 0.26f : 0.14f);
  pen.text({at.x + 11, at.y, at.width - 22, at.height}, words,
           {.size = size, .role = earlier ? Role::Dim : Role::Text, .alpha = earlier ? 0.5f : 1.0f});
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
  const auto count = static_cast<float>(kernel->sliders.size());
  const float pitch = std::clamp(window_area.height / count, kLowSliderRow, kSliderRow);
  const float needed = pitch * count;
  const bool scrolls = needed > window_area.height + 1;
  const Area area(ui, "sliders", window_area, scrolls);
  Pen pen = ui.pen();
  float y = 0, label_width = 72;
  const std::string& language = ui.bench.settings.language;
  for (const model::Slider& s : kernel->sliders) {
    const float link = ui.bench.moves_both(s.name) ? 14.0f : 0.0f;
    label_width = std::max(label_width, pen.width(model::title_of(s, language)) + 16 + link);
  }
  label_width = std::min(label_width, window_area.width * 0.46f);
  for (const model::Slider& s : kernel->sliders) {
    slider_control(ui, pen,
                   {s,
                    model::title_of(s, language),
                    model::in_language(s.hint, language),
                    {0, y, window_area.width - (scrolls ? 14.0f : 0.0f), pitch},
                    label_width});
    y += pitch;
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

// The line under the code is one too: what it takes from the code is the curve's and the numbers'.
void draw_code_handle(Ui& ui, const Rect& under_code, float top) {
  const Divided line = divider(ui, "code_handle", under_code.x, under_code.y + kGap / 2, under_code.width,
                               ui.say("window.bench.divider"));
  if (line.shared_evenly) ui.bench.settings.code_height = 0;
  if (line.to) ui.bench.settings.code_height = std::clamp(*line.to - top, kFewLines, 4096.0f);
}

}  // namespace

void draw_bench(Ui& ui) {
  if (ui.layout.speaker) return draw_speaker(ui);
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
    float wanted_source = 62 + lines * 20 + 16;
    if (const auto chosen = static_cast<float>(ui.bench.settings.code_height); chosen > 0)
      wanted_source = std::min(wanted_source, chosen);
    // Room is dealt out in this order: sliders, one row of numbers, the sentence, of which six lines come
    // before the fourth row of code and the rest while it stays, the curve over a slider, further numbers.
    sliders = std::min(count * kSliderRow, content.height * 0.4f);
    if (kernel) sliders += kCompareRow;
    // Of a text that never ran there are no numbers, and none are to come while it is wrong.
    const bool wrong = ui.bench.error().has_value();
    figures = ui.bench.picture() || !wrong ? kFigureHeight : 0;
    // Its room is kept while nothing is modelled yet: it comes a moment after the numbers.
    const bool faulted = ui.bench.picture() && !ui.bench.picture()->report().faults.empty();
    verdict = ui.bench.picture() && (has_verdict(ui) || !faulted) ? 2 * kVerdictRow : 0;
    // Where long words would have no room, sliders and lines of words stand closer: by the window and not by
    // the words of the moment, which change under the hand.
    const float for_words = content.height - sliders - figures - verdict - kLeastSource - 3 * kGap;
    const float close = std::clamp(kLongWords - for_words, 0.0f, count * (kSliderRow - kLowSliderRow));
    sliders -= close;
    sentence = measure_sentence(ui, pen, content.width, kMostLines,
                                for_words < kLongWords ? kCloseSentenceLine : kSentenceLine);
    hold_still(ui, content.width, sentence);
    const auto rest = [&] {
      return content.height - sliders - figures - verdict - sentence.height() - 3 * kGap;
    };
    while (sentence.lines > 3 && rest() < (sentence.lines > kWordsFirst ? kLeastSource : kLowSource))
      --sentence.lines;
    // In a very low window the numbers go, then the sentence, but never an error.
    if (rest() < kLowSource) verdict = std::min(verdict, kVerdictRow);
    if (rest() < kFewLines) figures = 0;
    if (rest() < kFewLines) verdict = 0;
    if (rest() < kFewLines && sentence.role != Role::Bad) sentence = {};
    // In a high window the curve comes before further rows of long code. Its room is kept while it is
    // counted.
    const bool swept = kernel && !kernel->sliders.empty() && !wrong && !faulted;
    if (const float beside_curve = rest() - kLeastPlot - kGap; swept && beside_curve >= kMuchSource)
      wanted_source = std::min(wanted_source, beside_curve);
    float source = rest();
    const float least = ui.bench.settings.code_height > 0 ? kFewLines : kLowSource;
    source = std::max(std::min(source, wanted_source), std::min(least, content.height * 0.3f));
    // Where there is too little room for all of it, many sliders stand closer.
    if (const float beyond = source - rest(); beyond > 0)
      sliders -= std::min(beyond, count * (kSliderRow - kLowSliderRow) - close);
    float left = rest() - source;
    if ((swept || has_plot(ui)) && left >= kLeastPlot + kGap) left -= kLeastPlot + kGap;
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
    if (sentence.lines > 0 && !sentence.text.empty())
      draw_sentence(ui, pen, sentence, {kPad, y, content.width, sentence.height()});
    draw_handle(ui, pen, bench);
  }
  draw_source(ui, {content.x, content.y, content.width, source_bottom - content.y});
  draw_code_handle(ui, {content.x, source_bottom, content.width, kGap}, content.y);
  const float top = source_bottom + figures + verdict + sentence.height() + 3 * kGap;
  const float left = content.y + content.height - top - sliders - kGap;
  const bool plot = left >= kLeastPlot && has_plot(ui);
  const float row = ui.bench.kernel() ? kCompareRow : 0;
  draw_compare_row(ui, {content.x, top, content.width, row});
  const float room = sliders - row + (plot ? 0 : std::max(0.0f, left));
  draw_sliders(ui, {content.x, top + row, content.width, room});
  if (plot) draw_bench_plot(ui, {bench.x, top + sliders + kGap, bench.width - 2, std::min(left, kMostPlot)});
}

}  // namespace warplens::window
