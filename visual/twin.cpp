#include "visual/twin.h"

#include <algorithm>
#include <cmath>

#include "engine/analysis/access_costs.h"
#include "visual/layout.h"

namespace warplens::visual {
namespace {

double relative_change(const Difference& d) {
  const double size = std::max(std::abs(d.a), std::abs(d.b));
  return size > 0 ? std::abs(d.b - d.a) / size : 0;
}

void move(Shape& shape, float dx, float dy) {
  shape.box.x += dx;
  shape.box.y += dy;
  for (Point& p : shape.points) p = {p.x + dx, p.y + dy};
}

class Twin {
 public:
  Twin(const View& view, const ViewContext& context) : view_(view), context_(context), draft_(context) {}

  Scene run(const TwinSide& a, const TwinSide& b) {
    Rect rest{0, 0, context_.size.width, context_.size.height};
    const auto changes = a.input.report && b.input.report ? differences(*a.input.report, *b.input.report)
                                                          : std::vector<Difference>();
    const bool has_strip = rest.height > 300;
    // In a low pane one row for the words, and the numbers behind them.
    const Rect strip = has_strip ? take_bottom(rest, rest.height < 420 ? 26 : 44) : Rect{};
    const bool beside = rest.width >= 900 || rest.width > rest.height * 1.8f;
    const Rect left = beside ? take_left(rest, rest.width / 2) : take_top(rest, rest.height / 2);
    const Scene first = half("a", left, a), second = half("b", rest, b);
    draft_.line("divide",
                beside ? std::vector<Point>{{rest.x, 8}, {rest.x, rest.bottom() - 8}}
                       : std::vector<Point>{{16, rest.y}, {rest.right() - 16, rest.y}},
                Ink::of(Role::Line), 1);
    const std::string words = in_words(a, b, changes);
    if (has_strip) comparison(strip, changes, words);
    Scene scene = draft_.finish(draft_.say("view.twin.transcript", {{"a", a.name.name},
                                                                    {"b", b.name.name},
                                                                    {"first", first.transcript},
                                                                    {"second", second.transcript},
                                                                    {"change", words}}));
    scene.title = first.title;
    scene.answer = first.answer.empty() && second.answer.empty() ? "" : first.answer + " → " + second.answer;
    scene.answer_is_worse = second.answer_is_worse;
    scene.evidence = second.evidence;
    std::vector<Shape> shapes = std::move(sides_);
    shapes.insert(shapes.end(), std::make_move_iterator(scene.shapes.begin()),
                  std::make_move_iterator(scene.shapes.end()));
    scene.shapes = std::move(shapes);
    return scene;
  }

 private:
  Scene half(const std::string& side, const Rect& r, const TwinSide& what) {
    Rect rest = r;
    const Rect name = take_top(rest, 24);
    draft_.text(side + ".side", inset(name, kMargin, 0), (side == "a" ? "A  " : "B  ") + what.name.name,
                {kBody, Face::SansBold, Ink::of(Role::Accent), Align::Left});
    const ViewContext inner{{rest.width, rest.height},
                            context_.text,
                            context_.measure,
                            context_.as_executed,
                            context_.reduce_motion};
    Scene scene = view_.layout(inner, what.input);
    for (Shape& shape : scene.shapes) {
      move(shape, rest.x, rest.y);
      shape.id = side + "." + shape.id;
      sides_.push_back(std::move(shape));
    }
    scene.shapes.clear();
    return scene;
  }

  std::string change_text(const Difference& d) const {
    const std::string both = draft_.say(d.key) + " " + plain_number(d.a) + " → " + plain_number(d.b);
    if (d.a == 0) return both;  // nothing is a percentage of none
    const double change = (d.b - d.a) / std::abs(d.a);
    return both + " (" + (change < 0 ? "−" : "+") + percent_text(std::abs(change)) + ")";
  }

  std::string in_words(const TwinSide& a, const TwinSide& b, const std::vector<Difference>& changes) const {
    if (changes.empty()) return draft_.say("view.twin.same");
    return difference_words(changes.front(), a.name, b.name, context_.text);
  }

  void comparison(Rect r, const std::vector<Difference>& changes, const std::string& words) {
    draft_.box("change.ground", r, Ink::of(Role::Panel));
    r = inset(r, kMargin, 4);
    const bool one_row = r.height < 36;
    const float wide = std::min(r.width, draft_.width(words, kBody, Face::SansBold) + 1);
    draft_.text("change.words", one_row ? take_left(r, wide, 24) : take_top(r, 18), words,
                {kBody, Face::SansBold});
    for (std::size_t i = 0; i < changes.size(); ++i) {
      const std::string text = change_text(changes[i]);
      const float wide = draft_.width(text) + 2;
      if (wide > r.width) return;
      const bool better = changes[i].less_is_better == (changes[i].b < changes[i].a);
      draft_.text("change." + std::to_string(i), take_left(r, wide, 24), text,
                  {kSmall, Face::Sans, Ink::of(better ? Role::Good : Role::Warn), Align::Left});
    }
  }

  const View& view_;
  const ViewContext& context_;
  Draft draft_;
  std::vector<Shape> sides_;
};

}  // namespace

std::vector<Difference> differences(const analysis::Report& a, const analysis::Report& b) {
  std::vector<Difference> all;
  const auto add = [&all](const char* key, double va, double vb, bool less_is_better = true) {
    if (va != vb) all.push_back({std::string("view.twin.") + key, va, vb, less_is_better});
  };
  const auto sectors = [](const analysis::Totals& t) {
    return static_cast<double>(t.global_load.sectors + t.global_store.sectors + t.global_atomic.sectors +
                               t.global_reduction.sectors + t.local_load.sectors + t.local_store.sectors);
  };
  const auto requests = [](const analysis::Totals& t) {
    return static_cast<double>(t.global_load.requests + t.global_store.requests + t.global_atomic.requests +
                               t.global_reduction.requests);
  };
  const auto passes = [](const analysis::Totals& t) {
    return static_cast<double>(t.shared_load.wavefronts + t.shared_store.wavefronts +
                               t.shared_atomic.wavefronts);
  };
  const auto conflicts = [](const analysis::Totals& t) {
    return static_cast<double>(t.shared_load.bank_conflicts + t.shared_store.bank_conflicts +
                               t.shared_atomic.bank_conflicts);
  };
  // What each side is about, a request: it does not grow with the launch.
  const analysis::Focus of_a = analysis::focus_of(a), of_b = analysis::focus_of(b);
  if (of_a.global && of_b.global)
    add("sectors_request", of_a.global->per_request(), of_b.global->per_request());
  if (of_a.shared && of_b.shared)
    add("passes_request", of_a.shared->per_request(), of_b.shared->per_request());
  if (of_a.constant && of_b.constant)
    add("addresses_request", of_a.constant->per_request(), of_b.constant->per_request());
  const auto first_of_all = static_cast<std::ptrdiff_t>(all.size());
  add("sectors", sectors(a.totals), sectors(b.totals));
  add("requests", requests(a.totals), requests(b.totals));
  add("passes", passes(a.totals), passes(b.totals));
  add("conflicts", conflicts(a.totals), conflicts(b.totals));
  add("addresses", static_cast<double>(a.totals.constant.addresses),
      static_cast<double>(b.totals.constant.addresses));
  add("instructions", static_cast<double>(a.execution.warp_instructions),
      static_cast<double>(b.execution.warp_instructions));
  add("divergent", static_cast<double>(a.execution.divergent_branches),
      static_cast<double>(b.execution.divergent_branches));
  add("lanes", std::round(a.execution.average_active_lanes() * 10) / 10,
      std::round(b.execution.average_active_lanes() * 10) / 10, false);
  add("warps", a.occupancy.warps_per_sm, b.occupancy.warps_per_sm, false);
  const auto greater = [](const Difference& x, const Difference& y) {
    return relative_change(x) > relative_change(y);
  };
  std::stable_sort(all.begin(), all.begin() + first_of_all, greater);
  std::stable_sort(all.begin() + first_of_all, all.end(), greater);
  return all;
}

std::string difference_words(const Difference& d, const SideName& a, const SideName& b,
                             const Catalogue& text) {
  const bool more_b = d.b > d.a;
  const double least = std::min(d.a, d.b), most = std::max(d.a, d.b);
  Message out{"view.twin.ratio",
              {{"more", value_of((more_b ? b : a).name)},
               {"less", value_of((more_b ? a : b).inside())},
               {"what", Key{d.key}},
               {"ratio", value_of(plain_number(std::round(most / least * 100) / 100))},
               {"n", value_of(plain_number(most))}}};
  if (least <= 0) out.key = "view.twin.only";
  return text.text(out);
}

Scene twin(const View& view, const ViewContext& context, const TwinSide& a, const TwinSide& b) {
  return Twin(view, context).run(a, b);
}

}  // namespace warplens::visual
