// Which line costs what? The kernel's text with a bar and a number on every line that touches memory; beside
// it, in wide panes or when asked for, the PTX of the line that is pointed at, selected or executing: each
// leads to the other. Where ptxas makes other accesses of a line than were written, both numbers stand on it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "engine/analysis/cost_marks.h"
#include "visual/code_rows.h"
#include "visual/grid_costs.h"
#include "visual/layout.h"
#include "visual/site_costs.h"
#include "visual/views.h"

namespace warplens::visual {
namespace {

constexpr float kCodeRow = 20;

class SourceView {
 public:
  SourceView(const ViewContext& context, const ViewInput& input) : draft_(context), input_(input) {}

  Scene run() {
    if (input_.source) text_ = *input_.source;
    if (input_.report) costs_ = line_costs(*input_.report);
    if (input_.report)
      for (analysis::AccessCost& access : analysis::access_costs(*input_.report))
        accesses_[access.line].push_back(std::move(access));
    if (text_.lines.empty()) text_from_sites();
    if (text_.lines.empty() && costs_.empty()) return empty();
    choose_measure();
    line_now_ = current_line({&input_.hover, &input_.selection});
    line_kept_ = current_line({&input_.selection});
    Rect rest = header();
    place(rest);
    return draft_.finish(transcript());
  }

 private:
  Scene empty() {
    Rect rest = draft_.header({.title = draft_.say("view.source.title")});
    draft_.empty(rest, draft_.say("view.empty.headline"), draft_.say("view.empty.advice"));
    return draft_.finish(draft_.say("view.empty.headline"));
  }

  // Without the text itself the recorded lines are still worth showing.
  void text_from_sites() {
    partial_ = true;
    for (const auto& [line, cost] : costs_) numbers_.push_back(line);
    for (const auto& [line, cost] : costs_) text_.lines.push_back(cost.text);
    if (input_.report) text_.file = input_.report->source;
  }
  int number_of(std::size_t index) const { return partial_ ? numbers_[index] : static_cast<int>(index) + 1; }

  void choose_measure() {
    measure_ = input_.measure;
    if (measure_ != Measure::Automatic) return;
    // By what is lost; where nothing is, by what there is.
    measure_ = Measure::Instructions;
    double most = 0;
    for (const Measure measure : {Measure::Constants, Measure::Wavefronts, Measure::Sectors}) {
      double lost = 0;
      bool any = false;
      for (const auto& [line, c] : costs_) {
        const CostAndIdeal cost = cost_of(c, measure);
        lost += cost.cost - cost.ideal;
        any = any || cost.cost > 0;
      }
      if (!any || lost < most) continue;
      measure_ = measure;
      most = lost;
    }
    // Nothing is lost: by what the kernel is about.
    if (most > 0 || !input_.report) return;
    const analysis::Focus focus = analysis::focus_of(*input_.report);
    if (focus.first() == nullptr) return;
    measure_ = focus.main == analysis::Memory::Shared     ? Measure::Wavefronts
               : focus.main == analysis::Memory::Constant ? Measure::Constants
                                                          : Measure::Sectors;
  }

  // What the first of these names, or else the step under the cursor.
  int current_line(std::initializer_list<const Selection*> named) const {
    for (const Selection* s : named) {
      if (s->line) return *s->line;
      if (s->site && input_.report && *s->site < input_.report->sites.size())
        return input_.report->sites[*s->site].line;
    }
    if (input_.trace && input_.cursor.step < input_.trace->size()) {
      const std::uint32_t site = input_.trace->steps()[input_.cursor.step].site;
      if (site < input_.trace->sites.size()) return input_.trace->sites[site].line;
    }
    return 0;
  }

  double total() const {
    double sum = 0;
    for (const auto& [line, c] : costs_) sum += cost_of(c, measure_).cost;
    return sum;
  }

  const LineCost* worst() const {
    const LineCost* out = nullptr;
    for (const auto& [line, c] : costs_)
      if (cost_of(c, measure_).cost > 0 && (!out || cost_of(c, measure_).cost > cost_of(*out, measure_).cost))
        out = &c;
    return out;
  }

  Rect header() {
    const LineCost* w = worst();
    std::string answer, sub;
    bool worse = false;
    if (w) {
      const CostAndIdeal c = cost_of(*w, measure_);
      answer = draft_.say("view.source.answer", {{"line", value_of(w->line)}});
      sub = draft_.say("view.source.share", {{"share", percent_text(total() > 0 ? c.cost / total() : 0)},
                                             {"what", draft_.say("view.grid.measure_" + key_of(measure_))}});
      worse = c.cost > c.ideal && measure_ != Measure::Instructions;
    }
    return draft_.header({.title = draft_.say("view.source.title"),
                          .about = text_.file,
                          .answer = answer,
                          .sub = sub,
                          .worse = worse,
                          .evidence = w ? std::optional(counted(known_of(input_, measure_))) : std::nullopt});
  }

  std::string transcript() const {
    const LineCost* w = worst();
    if (!w) return draft_.say("view.source.no_cost", {{"file", text_.file}});
    const CostAndIdeal c = cost_of(*w, measure_);
    return draft_.say("view.source.transcript",
                      {{"file", text_.file},
                       {"line", value_of(w->line)},
                       {"text", w->text},
                       {"n", plain_number(c.cost)},
                       {"ideal", plain_number(c.ideal)},
                       {"what", draft_.say("view.grid.measure_" + key_of(measure_))}});
  }

  void place(Rect rest) {
    const bool wanted = input_.show_ptx.value_or(rest.width > 1240) && !text_.ptx_lines.empty();
    if (wanted && rest.width > 720)
      ptx_pane(take_right(rest, std::min(rest.width * 0.44f, 560.0f), 24));
    else if (wanted && rest.height > 240)  // no room beside: below
      ptx_pane(take_bottom(rest, rest.height * 0.45f, 12));
    code_pane(rest);
  }

  std::vector<int> lines_of_ptx(int line) const {
    std::vector<int> out;
    if (!input_.report || line <= 0) return out;
    for (const trace::Site& site : input_.report->sites)
      if (site.line == line && site.ptx_line > 0) out.push_back(site.ptx_line);
    std::sort(out.begin(), out.end());
    return out;
  }

  // The first row shown, so that the current line is seen. Not the one that is pointed at: text that moves
  // under the pointer would put another line there, and so on to the end.
  std::size_t first_row(const std::vector<CodeRow>& all, std::size_t rows) const {
    std::size_t first = 0;
    if (line_kept_ > 0 && !partial_) {
      const std::size_t kept = row_of_line(all, line_kept_);
      if (row_of_line(all, line_kept_ + 1) > rows) first = kept - std::min(kept, rows / 2);
    }
    const std::size_t most = all.size() > rows ? all.size() - rows : 0;
    return line_begins_from(all, std::min(first, most));
  }

  const LineCost* cost_at(int line) const {
    const auto found = costs_.find(line);
    return found == costs_.end() ? nullptr : &found->second;
  }

  // What stands behind the code of a line: how its accesses were joined, its bar and its number.
  struct Behind {
    float bar = 0;    // 0: no room for one
    float cost = 0;   // bar and number, 0: it costs nothing
    float forms = 0;  // 0: none
    float width() const { return cost + (forms > 0 ? forms + 8 : 0); }
  };
  Behind behind(int line, float width) const {
    const LineCost* cost = cost_at(line);
    Behind out;
    if (!cost) return out;
    out.bar = width > 420 ? (width > 560 ? 88.0f : 44.0f) : 0;
    if (cost_of(*cost, measure_).cost > 0) out.cost = number_ + (out.bar > 0 ? out.bar + 12 : 0);
    if (cost->written != cost->executed && width > 520) out.forms = 52;
    return out;
  }

  void code_pane(Rect r) {
    draft_.box("code.ground", r, Ink::of(Role::Panel), 4);
    r = inset(r, 0, 6);
    const float gutter =
        draft_.width(std::to_string(text_.lines.empty() ? 1 : number_of(text_.lines.size() - 1)), kSmall,
                     Face::Mono) +
        28;
    for (std::string& line : text_.lines) std::replace(line.begin(), line.end(), '\t', ' ');
    // One column for all lines, as wide as the longest of their numbers.
    number_ = 64;
    for (const auto& [line, c] : costs_)
      if (cost_of(c, measure_).cost > 0)
        number_ = std::max(number_, draft_.width(cost_words(c), kSmall, Face::MonoBold) + 20);
    const auto all = code_rows(
        {text_.lines.begin(), text_.lines.end()},
        {r.width - gutter - 16,
         [&](int line) { return behind(number_of(static_cast<std::size_t>(line) - 1), r.width).width(); },
         [&](std::string_view code) { return draft_.width(code, kSmall, Face::Mono); }});
    const auto rows = static_cast<std::size_t>(std::max(1.0f, r.height / kCodeRow));
    const std::size_t first = first_row(all, rows);
    double most = 0;
    for (const auto& [line, c] : costs_) most = std::max(most, cost_of(c, measure_).cost);
    for (std::size_t i = first; i < all.size() && i < first + rows; ++i)
      code_row(take_top(r, kCodeRow), all[i], i + 1 == all.size() || all[i + 1].line != all[i].line, gutter,
               most);
  }

  // What a line costs stands in the last of its rows.
  void code_row(const Rect& r, const CodeRow& row, bool last, float gutter, double most) {
    const int line = number_of(static_cast<std::size_t>(row.line) - 1);
    const LineCost* cost = cost_at(line);
    const bool goes_on = row.begin > 0;
    const std::string id =
        goes_on ? fmt::format("line.{}.{}", line, row.begin) : fmt::format("line.{}", line);
    if (line == line_now_) draft_.box(id + ".now", r, Ink::of(Role::Accent, 0.18f));
    Rect rest = r;
    const Rect mark = take_left(rest, 6);
    const Rect number = take_left(rest, gutter - 6, 8);
    take_left(rest, row.left);
    const Behind behind = last ? this->behind(line, r.width) : Behind{};
    if (behind.cost <= 0) take_right(rest, 8);
    const Rect tail = behind.cost > 0 ? take_right(rest, behind.cost, 8) : Rect{};
    const std::string tip = cost ? tooltip(*cost) : std::string();
    if (behind.forms > 0) forms(id, take_right(rest, behind.forms, 8), *cost, tip);
    const CostAndIdeal c = cost ? cost_of(*cost, measure_) : CostAndIdeal{};
    const bool worse = c.cost > c.ideal && measure_ != Measure::Instructions;
    if (worse)
      draft_
          .box(id + ".mark", mark,
               Ink::of(Role::Warn, most > 0 ? static_cast<float>(0.3 + 0.7 * c.cost / most) : 1.0f))
          .tooltip = tip;
    if (!goes_on)
      draft_.text(id + ".number", number, std::to_string(line),
                  {kSmall, Face::Mono, Ink::of(Role::Dim), Align::Right});
    std::string code =
        text_.lines[static_cast<std::size_t>(row.line) - 1].substr(row.begin, row.end - row.begin);
    code.resize(code.find_last_not_of(' ') + 1);  // a blank at a row's end takes no room
    Shape& shape = draft_.text(id, rest, code, {kSmall, Face::Mono, Ink::of(Role::Text), Align::Left});
    shape.target.line = line;
    if (!tip.empty()) shape.tooltip = tip;
    if (behind.cost > 0) cost_bar(id, tail, c, cost_words(*cost), most, worse, tip, line, behind.bar);
  }

  // "4 → 1": accesses as written, and as executed; the one that the picture counts stands out.
  void forms(const std::string& id, const Rect& r, const LineCost& c, const std::string& tip) {
    Shape& s = draft_.text(id + ".forms", r, fmt::format("{}→{}", c.written, c.executed),
                           {kTiny, Face::Mono, Ink::of(Role::Dim), Align::Right});
    s.tooltip = tip;
    s.target.line = c.line;
  }

  void cost_bar(const std::string& id, Rect r, const CostAndIdeal& c, const std::string& words, double most,
                bool worse, const std::string& tip, int line, float bar_width) {
    const Rect number = take_right(r, number_, 8);
    draft_.text(id + ".cost", {number.x, number.y, number.width - 10, number.height}, words,
                {kSmall, Face::MonoBold, Ink::of(worse ? Role::Warn : Role::Dim), Align::Right});
    if (bar_width <= 0 || most <= 0) return;
    const Rect bar{r.x, r.y + 7, r.width, 6};
    const auto share = static_cast<float>(c.cost / most),
               good = static_cast<float>(std::min(c.ideal, c.cost) / most);
    Shape& needed =
        draft_.box(id + ".needed", {bar.right() - bar.width * share, bar.y, bar.width * good, bar.height},
                   Ink::of(measure_ == Measure::Instructions ? Role::Accent : Role::Good), 2);
    needed.tooltip = tip;
    needed.target.line = line;
    if (share <= good) return;
    Shape& lost =
        draft_.box(id + ".lost",
                   {bar.right() - bar.width * (share - good), bar.y, bar.width * (share - good), bar.height},
                   Ink::of(Role::Warn), 2);
    lost.pattern = Pattern::Hatched;
    lost.tooltip = tip;
  }

  // Only of what is counted a request: sectors and passes.
  std::vector<const analysis::AccessCost*> costs_apart(int line) const {
    const auto found = accesses_.find(line);
    if (found == accesses_.end() || measure_ == Measure::IdleLanes || measure_ == Measure::Instructions)
      return {};
    return analysis::costs_apart(found->second, measure_ == Measure::Wavefronts  ? analysis::Memory::Shared
                                                : measure_ == Measure::Constants ? analysis::Memory::Constant
                                                                                 : analysis::Memory::Global);
  }

  std::uint64_t requests_of(const LineCost& c) const {
    return measure_ == Measure::Wavefronts  ? c.shared_requests
           : measure_ == Measure::Constants ? c.constants_ideal
                                            : c.global_requests;
  }

  // The number beside a line: a request's worth where that is the natural unit.
  std::string cost_words(const LineCost& c) const {
    const CostAndIdeal cost = cost_of(c, measure_);
    std::string out;
    const std::vector<const analysis::AccessCost*> apart = costs_apart(c.line);
    for (const analysis::AccessCost* a : apart) {
      if (!out.empty()) out += " ";
      out += fmt::format("{:.1f}", a->per_request());
      if (apart.size() > 1) out += draft_.say("view.source.mark_" + std::string(analysis::name(a->kind)));
    }
    if (!out.empty()) return out;
    if (measure_ == Measure::IdleLanes && c.executions > 0)
      return percent_text(cost.cost / static_cast<double>(c.executions * kWarpSize));
    return plain_number(cost.cost);
  }

  std::string tooltip(const LineCost& c) const {
    const CostAndIdeal cost = cost_of(c, measure_);
    std::string each;
    for (const analysis::AccessCost* a : costs_apart(c.line))
      each += "\n" + draft_.say("view.source.each_" + std::string(analysis::name(a->kind)),
                                {{"n", fmt::format("{:.1f}", a->per_request())},
                                 {"ideal", fmt::format("{:.1f}", a->ideal())}});
    return draft_.say("view.access.line", {{"line", value_of(c.line)}}) + each + "\n" +
           draft_.say("view.grid.cell_" + key_of(measure_),
                      {{"n", plain_number(cost.cost)}, {"ideal", plain_number(cost.ideal)}}) +
           "\n" + draft_.say("view.source.requests", {{"n", group_digits(requests_of(c))}}) + forms_text(c);
  }

  std::string forms_text(const LineCost& c) const {
    if (c.written == c.executed) return {};
    if (c.in_registers == c.written)
      return "\n" + draft_.say("view.source.in_registers", {{"n", value_of(c.written)}});
    return "\n" + draft_.say("view.source.merged",
                             {{"written", value_of(c.written)}, {"executed", value_of(c.executed)}});
  }

  void ptx_pane(Rect r) {
    const auto marked = lines_of_ptx(line_now_), kept = lines_of_ptx(line_kept_);
    draft_.box("ptx.ground", r, Ink::of(Role::Panel), 4);
    r = inset(r, 10, 6);
    draft_.caption("caption.ptx", take_top(r, 18), "PTX");
    const auto rows = static_cast<std::size_t>(std::max(1.0f, r.height / kCodeRow));
    const int around = kept.empty() ? 1 : kept.front() - static_cast<int>(rows) / 3;
    const std::size_t count = text_.ptx_lines.size();
    const std::size_t first =
        std::min(static_cast<std::size_t>(std::max(1, around) - 1), count > rows ? count - rows : 0);
    for (std::size_t i = first; i < count && i < first + rows; ++i) {
      const Rect row = take_top(r, kCodeRow);
      const int line = static_cast<int>(i) + 1;
      const bool hot = std::binary_search(marked.begin(), marked.end(), line);
      if (hot)
        draft_.box(fmt::format("ptx.{}.now", line), {row.x - 10, row.y, row.width + 20, row.height},
                   Ink::of(Role::Accent, 0.18f));
      std::string code = text_.ptx_lines[i];
      std::replace(code.begin(), code.end(), '\t', ' ');
      Shape& s = draft_.text(fmt::format("ptx.{}", line), row, code,
                             {kTiny, Face::Mono, Ink::of(hot ? Role::Text : Role::Dim), Align::Left});
      if (input_.report)
        for (const trace::Site& site : input_.report->sites)
          if (site.ptx_line == line) {
            s.target.line = site.line;
            s.target.site = site.index;
          }
    }
  }

  Draft draft_;
  const ViewInput& input_;
  SourceText text_;
  std::map<int, LineCost> costs_;
  std::map<int, std::vector<analysis::AccessCost>> accesses_;  // by line
  float number_ = 64;                                          // width of the column of numbers
  bool partial_ = false;      // the text is not at hand, only the lines of recorded sites
  std::vector<int> numbers_;  // their numbers
  Measure measure_ = Measure::Sectors;
  int line_now_ = 0;   // pointed at, selected, or under the cursor
  int line_kept_ = 0;  // selected, or under the cursor
};

}  // namespace

Scene source_view(const ViewContext& context, const ViewInput& input) {
  return SourceView(context, input).run();
}

bool source_applies(const ViewInput& input) {
  return input.source || input.report;
}

}  // namespace warplens::visual
