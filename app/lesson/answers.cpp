#include "app/lesson/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/lesson/complaint.h"
#include "app/model/gallery/slider_values.h"
#include "engine/analysis/coalescing.h"
#include "engine/analysis/shared_banks.h"

namespace warplens::lesson {
namespace {

constexpr std::uint64_t kSector = 32, kLine = 128;
constexpr std::size_t kMostRows = 32, kBanks = 32;
constexpr double kNear = 0.15;        // of the range of the right curve
constexpr double kMostPoints = 0.75;  // of them near: the shape is right

// ---- painting ----

Result<Paintable> paint_sectors(const trace::AccessView& access, const Predict& predict) {
  const analysis::CoalescingDetail detail =
      analysis::explain_global(access.kind, access.bytes, access.active, access.addresses.data());
  if (detail.sectors.empty()) return told(ErrorKind::Usage, complaint("no_sector"), predict.at.place);
  const std::uint64_t first = detail.sectors.front().address / kLine;
  const std::uint64_t spanned = detail.sectors.back().address / kLine - first + 1;
  const std::uint64_t rows = predict.rows ? static_cast<std::uint64_t>(*predict.rows) : spanned;
  if (rows > kMostRows || rows < spanned)
    return told(ErrorKind::Usage, complaint("too_wide", "spans", spanned, "rows", rows), predict.place);
  Paintable out;
  for (std::uint64_t sector = 0; sector < rows * (kLine / kSector); ++sector)
    out.offered.push_back(first * kLine + sector * kSector);
  for (const analysis::Sector& sector : detail.sectors) {
    out.right.insert(sector.address);
    out.lanes[sector.address] = sector.lanes;
  }
  return out;
}

Paintable paint_banks(const trace::AccessView& access) {
  Paintable out;
  for (std::size_t bank = 0; bank < kBanks; ++bank) out.offered.push_back(bank);
  const auto& addresses =
      access.kind == trace::SiteKind::AsyncCopy ? access.shared_addresses : access.addresses;
  const analysis::BankDetail detail =
      analysis::explain_shared(access.kind, access.bytes, access.active, addresses.data());
  for (const analysis::BankPass& pass : detail.passes)
    for (const analysis::BankHit& hit : pass.hits) {
      const auto bank = static_cast<std::uint64_t>(hit.bank);
      out.right.insert(bank);
      out.lanes[bank] |= LaneMask{1} << hit.lane;
    }
  return out;
}

Paintable paint_lanes(LaneMask lanes) {
  Paintable out;
  for (std::uint64_t lane = 0; lane < kWarpSize; ++lane) {
    out.offered.push_back(lane);
    if (lanes >> lane & 1u) out.right.insert(lane);
  }
  return out;
}

// ---- the other kinds ----

Result<std::vector<std::pair<std::string, double>>> measure(const Predict& predict, const Scope& scope) {
  std::vector<std::pair<std::string, double>> out;
  for (const auto& [option, expression] : predict.measures) {
    const auto value = value_of(expression, scope);
    if (!value) return at_place(value.error(), predict.place);
    out.emplace_back(option, *value);
  }
  return out;
}

// The options by their value, ascending; two that are equal have no order.
Result<std::vector<std::string>> sorted(const Answer& answer, const Predict& predict) {
  auto values = answer.measures;
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<std::string> out;
  const bool all = predict.kind == PredictKind::Order;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool decides = all || (predict.by == Predict::By::Least ? i == 1 : i + 1 == values.size());
    if (i > 0 && decides && values[i].second - values[i - 1].second <= 1e-9 * std::fabs(values[i].second))
      return told(ErrorKind::Usage,
                  complaint("no_order", "one", values[i - 1].first, "other", values[i].first, "value",
                            number_text(values[i].second)),
                  predict.place);
    out.push_back(values[i].first);
  }
  return out;
}

Status answer_choice(const Predict& predict, const Scope& scope, Answer& answer) {
  if (predict.by == Predict::By::Right) {
    const auto formula = Formula::parse(predict.check);
    const auto holds = formula ? formula->holds(scope) : Result<bool>(formula.error());
    if (!holds) return at_place(holds.error(), predict.place);
    if (!*holds)
      return told(ErrorKind::Usage,
                  complaint("check_fails", "right", predict.right, "check", predict.check, "values",
                            values_in(*formula, scope)),
                  predict.place);
    answer.option = predict.right;
    return Done{};
  }
  auto measures = measure(predict, scope);
  if (!measures) return measures.error();
  answer.measures = std::move(*measures);
  const auto order = sorted(answer, predict);
  if (!order) return order.error();
  answer.option = predict.by == Predict::By::Most ? order->back() : order->front();
  return Done{};
}

void note_times(const RunScope& scope, Answer& answer) {
  for (const Subject& subject : scope.timed())
    if (std::find(answer.timed.begin(), answer.timed.end(), subject.kernel->id) == answer.timed.end())
      answer.timed.push_back(subject.kernel->id);
}

// Nothing but sliders stands in it: arithmetic, which no run has to answer.
bool is_arithmetic(const std::string& expression, const State& state) {
  const auto formula = Formula::parse(expression);
  if (!formula) return false;
  const std::vector<Reference> names = formula->references();
  return std::all_of(names.begin(), names.end(), [&](const Reference& one) {
    return !one.site && one.path.size() == 1 && state.values.contains(one.path.front());
  });
}

Status answer_curve(Runs& runs, const Lesson& lesson, const Step& step, Answer& answer) {
  const Predict& predict = *step.predict;
  const model::GalleryKernel* kernel = kernel_of(lesson, runs.gallery(), predict.then);
  if (kernel == nullptr)
    return told(ErrorKind::Usage,
                complaint("no_kernel", "name", predict.then.kernel, "like", std::vector<Message>{}),
                predict.place);
  const auto now = predict.then.values.find(predict.over);
  if (now == predict.then.values.end())
    return told(ErrorKind::Usage, complaint("no_sliders", "kernel", kernel->id, "name", predict.over),
                predict.place);
  answer.computed = is_arithmetic(predict.value, predict.then);
  for (const std::int64_t x : curve_values(*kernel, predict.over, now->second)) {
    State state = predict.then;
    state.values[predict.over] = x;
    const auto scope = scope_at(runs, lesson, &step, state);
    if (!scope) return scope.error();
    const auto value = value_of(predict.value, *scope);
    if (!value) {
      const Error why = at_place(value.error(), predict.place);
      Error error = told(why.kind,
                         {"lesson.at_value",
                          {{"slider", warplens::value_of(predict.over)},
                           {"value", warplens::value_of(x)},
                           {"why", warplens::value_of(why)}}},
                         why.place);
      error.notes = why.notes;
      return error;
    }
    answer.curve.emplace_back(x, *value);
    note_times(*scope, answer);
    answer.in_time = !answer.timed.empty();
    if (!predict.measured) continue;
    auto subject = subject_of(lesson, runs.gallery(), state);
    if (!subject) return subject.error();
    subject->keep = {predict.over};
    if (const auto time = runs.time(*subject, kernel->measure_flushed))
      answer.measured.emplace_back(x, *time);
  }
  if (!answer.measured.empty() && answer.timed.empty()) answer.timed.push_back(kernel->id);
  if (predict.measured && answer.measured.size() < 2)
    return told(ErrorKind::Usage, complaint("not_recorded", "kernel", kernel->id, "slider", predict.over),
                predict.place);
  return Done{};
}

Status answer_paint(Runs& runs, const Lesson& lesson, const Step& step, Answer& answer) {
  const auto subject = subject_of(lesson, runs.gallery(), step.predict->then);
  if (!subject) return subject.error();
  const auto facts = runs.facts(standing(*subject, step.predict->at));
  if (!facts) return at_place(facts.error(), step.predict->place);
  auto paint = paintable(facts->run->trace, *step.predict);
  if (!paint) return at_place(paint.error(), step.predict->place);
  answer.paint = std::move(*paint);
  return Done{};
}

Status fill(Runs& runs, const Lesson& lesson, const Step& step, Answer& answer) {
  const Predict& predict = *step.predict;
  if (predict.kind == PredictKind::Curve) return answer_curve(runs, lesson, step, answer);
  if (predict.kind == PredictKind::Paint) return answer_paint(runs, lesson, step, answer);
  const auto scope = scope_at(runs, lesson, &step, predict.then);
  if (!scope) return scope.error();
  if (predict.kind == PredictKind::Choice) return answer_choice(predict, *scope, answer);
  if (predict.kind == PredictKind::Order) {
    auto measures = measure(predict, *scope);
    if (!measures) return measures.error();
    answer.measures = std::move(*measures);
    auto order = sorted(answer, predict);
    if (!order) return order.error();
    answer.order = std::move(*order);
    note_times(*scope, answer);
    answer.in_time = !answer.timed.empty();
    return Done{};
  }
  const auto value = value_of(predict.value, *scope);
  if (!value) return at_place(value.error(), predict.place);
  answer.number = *value;
  return Done{};
}

}  // namespace

Result<Paintable> paintable(const trace::Trace& trace, const Predict& predict) {
  const auto step = find_step(trace, predict.at, predict.of == Painted::Banks ? "bank-view" : "address-map");
  if (!step) return step.error();
  Result<Paintable> out = Paintable{};
  const bool branch = trace.steps()[*step].kind == trace::StepKind::Branch;
  if (branch) {
    if (predict.of != Painted::Lanes) return told(ErrorKind::Usage, complaint("branch_lanes"), predict.place);
    out = paint_lanes(trace.branch(*step).taken);
  } else {
    const trace::AccessView access = trace.access(*step);
    const bool shared = access.space == trace::Space::Shared || access.kind == trace::SiteKind::AsyncCopy;
    if (predict.of == Painted::Banks && !shared)
      return told(ErrorKind::Usage, complaint("not_shared"), predict.place);
    if (predict.of == Painted::Sectors && access.space != trace::Space::Global)
      return told(ErrorKind::Usage, complaint("not_global"), predict.place);
    out = predict.of == Painted::Sectors ? paint_sectors(access, predict)
          : predict.of == Painted::Banks ? paint_banks(access)
                                         : paint_lanes(access.active);
  }
  if (!out) return out;
  out->step = *step;
  const trace::SiteId site = branch ? trace.branch(*step).site : trace.access(*step).site;
  if (site < trace.sites.size()) out->line = trace.sites[site].text;
  return out;
}

Result<Answer> answer_of(Runs& runs, const Lesson& lesson, const Step& step) {
  if (!step.predict) return told(ErrorKind::Usage, complaint("no_prediction"), step.place);
  Answer answer;
  if (const Status filled = fill(runs, lesson, step, answer); !filled) return filled.error();
  return answer;
}

Judgement judge(const Predict& predict, const Answer& answer, const Guess& guess) {
  Judgement out;
  if (guess.skipped) return out;
  switch (predict.kind) {
    case PredictKind::Number:
      out.right = guess.number && std::fabs(*guess.number - answer.number) <=
                                      predict.tolerance + 1e-9 * std::fabs(answer.number);
      break;
    case PredictKind::Choice:
      out.right = guess.option == answer.option;
      break;
    case PredictKind::Order:
      for (std::size_t i = 0; i < answer.order.size(); ++i)
        ++(i < guess.order.size() && guess.order[i] == answer.order[i] ? out.hit : out.missing);
      out.right = guess.order == answer.order;
      break;
    case PredictKind::Paint:
      for (const std::uint64_t mark : guess.marks)
        ++(answer.paint.right.contains(mark) ? out.hit : out.extra);
      out.missing = answer.paint.right.size() - out.hit;
      out.right = out.missing == 0 && out.extra == 0;
      break;
    case PredictKind::Curve:
      out.hit = points_near(guess.curve, answer.curve);
      out.missing = guess.curve.size() - out.hit;
      out.right = !guess.curve.empty() &&
                  static_cast<double>(out.hit) >= kMostPoints * static_cast<double>(guess.curve.size());
      break;
  }
  return out;
}

Guess right_guess(const Answer& answer) {
  Guess out;
  out.number = answer.number;
  out.option = answer.option;
  out.order = answer.order;
  out.marks = answer.paint.right;
  out.curve = answer.curve;
  return out;
}

Guess wrong_guess(const Predict& predict, const Answer& answer) {
  Guess out;
  out.number = answer.number + 1 + 2 * predict.tolerance;
  for (const double one : predict.guesses) {
    Guess offered;
    offered.number = one;
    if (!judge(predict, answer, offered).right) out.number = one;
  }
  for (const std::string& option : predict.options)
    if (option != answer.option) out.option = option;
  out.order.assign(answer.order.rbegin(), answer.order.rend());
  // All that is wrong, and one less of what is right; everything is right where nothing is left of that.
  for (const std::uint64_t mark : answer.paint.offered)
    if (!answer.paint.right.contains(mark)) out.marks.insert(mark);
  out.marks.insert(std::next(answer.paint.right.begin(), answer.paint.right.empty() ? 0 : 1),
                   answer.paint.right.end());
  double highest = 0;
  for (const auto& [x, y] : answer.curve) highest = std::max(highest, y);
  for (const auto& [x, y] : answer.curve) out.curve.emplace_back(x, y + highest);
  return out;
}

std::string guess_name(const Predict& predict, const Guess& guess) {
  if (predict.kind == PredictKind::Choice) return guess.option;
  if (predict.kind == PredictKind::Number && guess.number) return fmt::format("{}", *guess.number);
  return {};
}

std::vector<std::int64_t> curve_values(const model::GalleryKernel& kernel, const std::string& slider,
                                       std::int64_t now) {
  for (const model::Slider& one : kernel.sliders)
    if (one.name == slider) return model::curve_steps(one, now);
  return {};
}

std::size_t points_near(const CurvePoints& guess, const CurvePoints& right) {
  if (right.empty()) return 0;
  const auto [low, high] = std::minmax_element(
      right.begin(), right.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const double range = high->second - low->second;
  const double allowed = kNear * (range > 0 ? range : std::max(std::fabs(high->second), 1e-9));
  std::size_t near = 0;
  for (const auto& [x, y] : guess)
    for (const auto& [at, value] : right)
      if (at == x && std::fabs(y - value) <= allowed * (1 + 1e-9)) ++near;
  return near;
}

}  // namespace warplens::lesson
