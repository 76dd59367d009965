#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "app/lesson/complaint.h"
#include "app/lesson/formula.h"
#include "app/lesson/lesson.h"
#include "app/lesson/sites.h"
#include "app/model/gallery/kernel_table.h"
#include "app/model/gallery/slider_values.h"
#include "app/model/text/toml_reader.h"
#include "engine/base/assets.h"
#include "engine/base/toml.h"

namespace warplens::lesson {
namespace {

namespace fs = std::filesystem;
using model::GalleryKernel;
using model::Slider;
using model::SliderValues;
using model::TomlReader;

class LessonReader {
 public:
  LessonReader(TomlReader& reader, const model::Gallery& gallery, Lesson& lesson)
      : reader_(reader), gallery_(gallery), lesson_(lesson) {}

  void read(const toml::table& table) {
    reader_.only(table, {"kind", "topic", "minutes", "catalogue", "kernel", "step", "run", "plans",
                         "reference", "goal", "stars", "verdict"});
    static constexpr std::pair<std::string_view, Kind> kKinds[] = {
        {"lesson", Kind::Lesson}, {"challenge", Kind::Challenge}, {"claim", Kind::Claim}};
    const std::string kind = reader_.word(table, "kind", {"lesson", "challenge", "claim"});
    for (const auto& [word, value] : kKinds)
      if (word == kind) lesson_.kind = value;
    lesson_.topic = reader_.text(table, "topic", true);
    lesson_.topic_place = reader_.place(table.get("topic"));
    lesson_.minutes = minutes_of(table);
    lesson_.catalogue = reader_.texts(table, "catalogue", false);
    for (const toml::table* kernel : reader_.tables(table, "kernel")) read_kernel(*kernel);
    for (const toml::table* run : reader_.tables(table, "run")) read_run(*run, {}, lesson_.runs);
    for (const toml::table* step : reader_.tables(table, "step")) read_step(*step);
    read_plans(table);
    read_challenge(table);
    read_claim(table);
    if (lesson_.kind == Kind::Lesson && lesson_.steps.empty()) reader_.fail(nullptr, complaint("no_step"));
  }

 private:
  const GalleryKernel* find_kernel(std::string_view id) const {
    if (const GalleryKernel* own = lesson_.own_kernel(id)) return own;
    return gallery_.find(id);
  }

  // ---- kernels, states, runs ----
  void read_kernel(const toml::table& table) {
    GalleryKernel kernel;
    kernel.id = reader_.text(table, "name", true);
    kernel.topic = lesson_.name;
    kernel.file = lesson_.folder / reader_.text(table, "file", true);
    if (find_kernel(kernel.id) != nullptr)
      reader_.fail(table.get("name"), complaint("kernel_taken", "name", kernel.id));
    const std::size_t before = reader_.problems().size();
    kernel = model::read_kernel_table(reader_, table, std::move(kernel), false);
    if (reader_.problems().size() == before)
      if (const auto bound = model::launch_of(kernel, model::default_values(kernel)); !bound)
        reader_.fail(&table, message_of(bound.error()));
    lesson_.kernels.push_back(std::move(kernel));
    lesson_.kernel_places.push_back(reader_.place(&table));
  }

  // Kernels that begin as what was written does.
  std::vector<Message> nearest_kernel(const std::string& id) const {
    std::string near;
    const std::string word = id.substr(0, std::min<std::size_t>(id.find('_'), 4));
    for (const GalleryKernel& kernel : gallery_.kernels)
      if (word.size() > 2 && kernel.id.starts_with(word)) near += (near.empty() ? "" : ", ") + kernel.id;
    return {near.empty() ? complaint("kernels_are") : complaint("kernels_near", "names", near)};
  }

  const GalleryKernel* named_kernel(const toml::table& table, const std::string& before) {
    const std::string given = reader_.text(table, "kernel", false);
    const std::string& id = given.empty() ? before : given;
    if (id.empty()) {
      reader_.fail(&table, complaint("no_kernel_yet"));
      return nullptr;
    }
    const GalleryKernel* kernel = find_kernel(id);
    // Said where it was written; what goes on with it has no mistake of its own.
    if (kernel == nullptr && !given.empty())
      reader_.fail(table.contains("kernel") ? table.get("kernel") : static_cast<const toml::node*>(&table),
                   complaint("no_kernel", "name", id, "like", nearest_kernel(id)));
    return kernel;
  }

  static Message no_slider(const GalleryKernel& kernel, const std::string& name) {
    std::string known;
    for (const Slider& one : kernel.sliders) known += (known.empty() ? "" : ", ") + one.name;
    return known.empty() ? complaint("no_sliders", "kernel", kernel.id, "name", name)
                         : complaint("no_slider", "kernel", kernel.id, "name", name, "known", known);
  }

  void set_value(const GalleryKernel& kernel, const std::string& name, const toml::node& node,
                 SliderValues& values) {
    const auto slider = std::find_if(kernel.sliders.begin(), kernel.sliders.end(),
                                     [&](const Slider& s) { return s.name == name; });
    if (slider == kernel.sliders.end()) return reader_.fail(&node, no_slider(kernel, name));
    if (const auto chosen = node.value_exact<std::string>()) {
      const auto choice = std::find(slider->choices.begin(), slider->choices.end(), *chosen);
      if (choice == slider->choices.end())
        return reader_.fail(&node, complaint("no_choice", "choice", *chosen, "name", name, "known",
                                             fmt::format("{}", fmt::join(slider->choices, ", "))));
      values[name] = choice - slider->choices.begin();
    } else if (const auto number = node.value_exact<std::int64_t>()) {
      if (model::nearest_allowed(*slider, *number) != *number)
        return reader_.fail(&node, complaint("out_of_range", "name", name, "value", *number, "nearest",
                                             model::nearest_allowed(*slider, *number)));
      values[name] = *number;
    } else {
      reader_.fail(&node, complaint("no_value", "name", name));
    }
  }

  void read_values(const toml::table& table, std::string_view key, const GalleryKernel& kernel,
                   SliderValues& values) {
    if (const toml::table* set = reader_.table(table, key))
      for (const auto& [name, value] : *set) set_value(kernel, std::string(name.str()), value, values);
  }

  State read_state(const toml::table& table, const std::string& before) {
    State state;
    const GalleryKernel* kernel = named_kernel(table, before);
    if (kernel == nullptr) {
      const std::string given = reader_.text(table, "kernel", false);
      state.kernel = given.empty() ? before : given;
      return state;
    }
    state.kernel = kernel->id;
    state.values = model::default_values(*kernel);
    read_values(table, "set", *kernel, state.values);
    return state;
  }

  void read_run(const toml::table& table, const std::string& before, std::vector<NamedRun>& out) {
    reader_.only(table, {"name", "kernel", "set", "faults", "checks"});
    NamedRun run;
    run.place = reader_.place(&table);
    run.name = reader_.text(table, "name", true);
    run.state = read_state(table, before);
    run.faults = reader_.text(table, "faults", false);
    const std::string checks = reader_.text(table, "checks", false);
    run.state.all_checks = checks == "all" || !run.faults.empty();
    if (!checks.empty() && checks != "all" && checks != "memory")
      reader_.fail(table.get("checks"), complaint("no_checks", "given", checks));
    const auto same = [&](const NamedRun& other) { return other.name == run.name; };
    if (std::any_of(out.begin(), out.end(), same) ||
        std::any_of(lesson_.runs.begin(), lesson_.runs.end(), same))
      reader_.fail(table.get("name"), complaint("run_taken", "name", run.name));
    out.push_back(std::move(run));
  }

  // The run that is shown with an answer. One that ends with a fault shows that, whatever is seen before.
  void read_shown_run(const toml::table& table, std::string_view key, const std::vector<NamedRun>& own,
                      State& state, std::string& faults, std::vector<std::string>& views) {
    if (!table.contains(key)) return;
    const std::string name = reader_.text(table, key, true);
    const NamedRun* found = nullptr;
    std::string known;
    for (const auto* list : {&own, static_cast<const std::vector<NamedRun>*>(&lesson_.runs)})
      for (const NamedRun& run : *list) {
        known += (known.empty() ? "" : ", ") + run.name;
        if (run.name == name) found = &run;
      }
    if (found == nullptr)
      return reader_.fail(table.get(key), known.empty() ? complaint("no_runs", "name", name)
                                                        : complaint("no_run", "name", name, "known", known));
    state = found->state;
    faults = found->faults;
    if (faults.empty()) return;
    views.insert(views.begin(), "faults");
    if (views.size() > 2) views.resize(2);
  }

  void read_shown_views(const toml::table& table, std::string_view key, std::vector<std::string>& views) {
    if (!table.contains(key)) return;
    views = reader_.texts(table, key, true);
    if (views.empty() || views.size() > 2) reader_.fail(table.get(key), complaint("views"));
  }

  // ---- steps ----
  std::string expression(const toml::table& table, std::string_view key, bool required) {
    std::string text = reader_.text(table, key, required);
    check_expression(table.get(key), text);
    return text;
  }
  void check_expression(const toml::node* node, const std::string& text) {
    if (text.empty() || node == nullptr) return;
    if (const auto formula = Formula::parse(text); !formula) reader_.fail(node, message_of(formula.error()));
  }

  At read_at(const toml::table& table) {
    reader_.only(table, {"text", "op", "space", "block", "warp", "execution", "lane"});
    At at;
    at.place = reader_.place(&table);
    at.text = reader_.text(table, "text", false);
    at.op = reader_.text(table, "op", false);
    at.space = reader_.text(table, "space", false);
    check_kind(table, "op", at.op, site_kinds());
    check_kind(table, "space", at.space, site_spaces());
    const auto count = [&](std::string_view key, std::int64_t most) {
      const std::int64_t value = reader_.integer(table, key).value_or(0);
      if (value < 0 || value > most)
        reader_.fail(table.get(key), complaint("between", "key", std::string(key), "most", most));
      return std::clamp<std::int64_t>(value, 0, most);
    };
    at.block = static_cast<std::uint64_t>(count("block", std::int64_t{1} << 40));
    at.warp = static_cast<std::uint32_t>(count("warp", 63));
    at.execution = static_cast<std::uint64_t>(count("execution", std::int64_t{1} << 40));
    if (at.text.empty() && at.op.empty())
      for (const char* key : {"space", "block", "warp", "execution"})
        if (table.contains(key)) reader_.fail(table.get(key), complaint("which_access", "key", key));
    if (table.contains("lane")) at.lane = static_cast<int>(count("lane", 31));
    return at;
  }

  void check_kind(const toml::table& table, std::string_view key, const std::string& word,
                  const std::vector<std::string>& known) {
    if (!word.empty() && std::find(known.begin(), known.end(), word) == known.end())
      reader_.fail(table.get(key), complaint("no_word", "key", std::string(key), "given", word, "known",
                                             fmt::format("{}", fmt::join(known, ", "))));
  }

  void read_step(const toml::table& table) {
    reader_.only(table, {"id", "minutes", "kernel", "set", "views", "at", "over", "play", "pace", "compare",
                         "predict", "why", "goal", "run"});
    Step step;
    step.place = reader_.place(&table);
    step.id = reader_.text(table, "id", true);
    if (std::any_of(lesson_.steps.begin(), lesson_.steps.end(),
                    [&](const Step& other) { return other.id == step.id; }))
      reader_.fail(table.get("id"), complaint("step_taken", "name", step.id));
    step.minutes = minutes_of(table);
    const Step* before = lesson_.steps.empty() ? nullptr : &lesson_.steps.back();
    step.state = read_state(table, before != nullptr ? before->state.kernel : std::string());
    step.views = reader_.texts(table, "views", false);
    if (step.views.empty() && before != nullptr) step.views = before->views;
    if (step.views.size() > 2) reader_.fail(table.get("views"), complaint("views"));
    if (const toml::table* at = reader_.table(table, "at")) step.at = read_at(*at);
    step.over = reader_.text(table, "over", false);
    check_slider(table, "over", step.over, step.state);
    const std::string play = reader_.word(table, "play", {"no", "once", "on"});
    step.play = play == "on" ? Play::On : play == "once" ? Play::Once : Play::No;
    step.pace = reader_.number(table, "pace").value_or(1);
    if (!(step.pace >= 0.05 && step.pace <= 20)) {
      reader_.fail(table.get("pace"), complaint("pace"));
      step.pace = 1;
    }
    if (const toml::table* side = reader_.table(table, "compare")) {
      reader_.only(*side, {"kernel", "set"});
      step.compare = read_state(*side, step.state.kernel);
    }
    for (const toml::table* run : reader_.tables(table, "run")) read_run(*run, step.state.kernel, step.runs);
    if (const toml::table* predict = reader_.table(table, "predict")) read_predict(*predict, step);
    if (const toml::table* why = reader_.table(table, "why")) read_why(*why, step);
    if (const toml::table* goal = reader_.table(table, "goal")) {
      reader_.only(*goal, {"when", "reached"});
      step.goal = expression(*goal, "when", true);
      step.goal_place = reader_.place(goal);
      step.goal_reached = step.state;
      if (!goal->contains("reached"))
        reader_.fail(goal, complaint("no_reached"));
      else if (const GalleryKernel* kernel = find_kernel(step.state.kernel))
        read_values(*goal, "reached", *kernel, step.goal_reached.values);
    }
    lesson_.steps.push_back(std::move(step));
  }

  int minutes_of(const toml::table& table) {
    return static_cast<int>(
        std::clamp<std::int64_t>(reader_.integer(table, "minutes").value_or(0), 0, 10000));
  }

  // 10 = ["neighbours", "stride_two"]: the minutes of a class, and the pages that are shown in it.
  void read_plans(const toml::table& table) {
    const toml::table* plans = reader_.table(table, "plans");
    if (plans == nullptr) return;
    std::vector<std::string> known;
    for (const Step& step : lesson_.steps) known.push_back(step.id);
    for (const auto& [key, value] : *plans) {
      Plan plan;
      const std::string_view text = key.str();
      const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), plan.minutes);
      if (failed != std::errc{} || end != text.data() + text.size() || plan.minutes < 1 ||
          plan.minutes >= kClassMinutes) {
        reader_.fail(&value, complaint("plan_minutes", "given", std::string(text), "most", kClassMinutes));
        continue;
      }
      plan.place = reader_.place(&value);
      plan.steps = reader_.texts(*plans, text, true);
      for (const std::string& step : plan.steps)
        if (std::find(known.begin(), known.end(), step) == known.end())
          reader_.fail(&value, complaint("no_step_named", "name", step, "known",
                                         fmt::format("{}", fmt::join(known, ", "))));
      lesson_.plans.push_back(std::move(plan));
    }
    std::sort(lesson_.plans.begin(), lesson_.plans.end(),
              [](const Plan& a, const Plan& b) { return a.minutes < b.minutes; });
  }

  void read_why(const toml::table& table, Step& step) {
    reader_.only(table, {"options", "right"});
    Why why;
    why.place = reader_.place(&table);
    why.options = reader_.texts(table, "options", true);
    why.right = reader_.text(table, "right", true);
    if (why.options.size() < 2) reader_.fail(&table, complaint("few_reasons"));
    check_option(table, "right", why.right, why.options);
    step.why = std::move(why);
  }

  void check_option(const toml::table& table, std::string_view key, const std::string& option,
                    const std::vector<std::string>& options) {
    if (!option.empty() && std::find(options.begin(), options.end(), option) == options.end())
      reader_.fail(table.get(key), complaint("no_option", "name", option, "known",
                                             fmt::format("{}", fmt::join(options, ", "))));
  }

  void read_predict(const toml::table& table, Step& step) {
    Predict predict;
    predict.place = reader_.place(&table);
    predict.then = step.state;
    if (const GalleryKernel* kernel = find_kernel(step.state.kernel))
      read_values(table, "then", *kernel, predict.then.values);
    predict.views = step.views;
    if (table.contains("then") && table.contains("then_run"))
      reader_.fail(table.get("then_run"), complaint("two_reveals"));
    read_shown_run(table, "then_run", step.runs, predict.then, predict.faults, predict.views);
    read_shown_views(table, "then_views", predict.views);
    // A run that ends with a fault need not come to where the cursor stood.
    if (predict.faults.empty()) predict.then_at = step.at;
    if (const toml::table* at = reader_.table(table, "then_at")) predict.then_at = read_at(*at);
    // Looking for races in what is seen anyway does not move it.
    predict.moves = predict.then.kernel != step.state.kernel || predict.then.values != step.state.values;
    const std::string kind = reader_.word(table, "kind", {"number", "choice", "paint", "curve", "order"});
    for (const PredictKind one : {PredictKind::Number, PredictKind::Choice, PredictKind::Paint,
                                  PredictKind::Curve, PredictKind::Order})
      if (name(one) == kind) predict.kind = one;
    only_of(table, predict.kind);
    if (predict.kind == PredictKind::Number) read_number(table, predict);
    if (predict.kind == PredictKind::Choice) read_choice(table, predict);
    if (predict.kind == PredictKind::Order) {
      predict.options = reader_.texts(table, "options", true);
      read_measures(table, "by", predict);
    }
    if (predict.kind == PredictKind::Paint) read_paint(table, step, predict);
    if (predict.kind == PredictKind::Curve) read_curve(table, step, predict);
    if (predict.kind == PredictKind::Paint) predict.then_at = predict.at;
    if (step.over.empty()) step.over = predict.over;
    step.predict = std::move(predict);
  }

  // What another kind of prediction takes would be silently without effect.
  void only_of(const toml::table& table, PredictKind kind) {
    switch (kind) {
      case PredictKind::Number:
        return reader_.only(
            table, {"kind", "then", "then_run", "then_views", "then_at", "value", "tolerance", "guesses"});
      case PredictKind::Choice:
        return reader_.only(table, {"kind", "then", "then_run", "then_views", "then_at", "options", "right",
                                    "check", "most", "least"});
      case PredictKind::Paint:
        return reader_.only(table, {"kind", "then", "then_run", "then_views", "then_at", "of", "at", "rows"});
      case PredictKind::Curve:
        return reader_.only(
            table, {"kind", "then", "then_run", "then_views", "then_at", "over", "value", "measured"});
      case PredictKind::Order:
        return reader_.only(table, {"kind", "then", "then_run", "then_views", "then_at", "options", "by"});
    }
  }

  void read_number(const toml::table& table, Predict& predict) {
    predict.value = expression(table, "value", true);
    predict.tolerance = reader_.number(table, "tolerance").value_or(0);
    if (predict.tolerance < 0) reader_.fail(table.get("tolerance"), complaint("tolerance"));
    if (const toml::array* list = table["guesses"].as_array())
      for (const toml::node& item : *list) {
        if (const auto value = item.value<double>(); value && item.is_number())
          predict.guesses.push_back(*value);
        else
          reader_.fail(&item, complaint("guesses"));
      }
  }

  // most = { a = EXPR, b = EXPR }: one for each option.
  void read_measures(const toml::table& table, std::string_view key, Predict& predict) {
    const toml::table* entries = reader_.table(table, key);
    if (entries == nullptr) {
      if (!table.contains(key)) reader_.fail(&table, complaint("missing", "key", std::string(key)));
      return;
    }
    if (predict.options.empty())
      for (const auto& [option, value] : *entries) predict.options.emplace_back(option.str());
    for (const std::string& option : predict.options) {
      const toml::node* node = entries->get(option);
      auto text = node != nullptr ? node->value<std::string>() : std::nullopt;
      // A plain number is an expression, too.
      if (node != nullptr && node->is_number()) text = fmt::format("{}", *node->value<double>());
      if (!text)
        reader_.fail(entries, complaint("no_measure", "key", std::string(key), "option", option));
      else
        check_expression(node, *text);
      predict.measures.emplace_back(option, text.value_or("0"));
    }
    for (const auto& [option, value] : *entries)
      check_option(*entries, option.str(), std::string(option.str()), predict.options);
  }

  void read_choice(const toml::table& table, Predict& predict) {
    predict.options = reader_.texts(table, "options", false);
    if (table.contains("most") || table.contains("least")) {
      predict.by = table.contains("most") ? Predict::By::Most : Predict::By::Least;
      read_measures(table, table.contains("most") ? "most" : "least", predict);
    } else {
      predict.right = reader_.text(table, "right", true);
      predict.check = expression(table, "check", true);
      check_option(table, "right", predict.right, predict.options);
    }
    if (predict.options.size() < 2) reader_.fail(&table, complaint("few_options"));
  }

  void read_paint(const toml::table& table, const Step& step, Predict& predict) {
    const std::string of = reader_.word(table, "of", {"sectors", "banks", "lanes"});
    predict.of = of == "banks" ? Painted::Banks : of == "lanes" ? Painted::Lanes : Painted::Sectors;
    if (const toml::table* at = reader_.table(table, "at"))
      predict.at = read_at(*at);
    else if (step.at)
      predict.at = *step.at;
    else
      reader_.fail(&table, complaint("no_at"));
    if (const auto rows = reader_.integer(table, "rows")) {
      if (predict.of != Painted::Sectors) reader_.fail(table.get("rows"), complaint("rows_of_sectors"));
      if (*rows < 1 || *rows > 32) reader_.fail(table.get("rows"), complaint("rows"));
      predict.rows = static_cast<int>(std::clamp<std::int64_t>(*rows, 1, 32));
    }
  }

  void read_curve(const toml::table& table, const Step& step, Predict& predict) {
    predict.over = reader_.text(table, "over", true);
    predict.value = expression(table, "value", true);
    predict.measured = reader_.flag(table, "measured").value_or(false);
    check_slider(table, "over", predict.over, step.state);
  }

  void check_slider(const toml::table& table, std::string_view key, const std::string& slider,
                    const State& state) {
    const GalleryKernel* kernel = find_kernel(state.kernel);
    if (kernel == nullptr || slider.empty()) return;
    if (std::none_of(kernel->sliders.begin(), kernel->sliders.end(),
                     [&](const Slider& s) { return s.name == slider; }))
      reader_.fail(table.get(key), no_slider(*kernel, slider));
  }

  // ---- challenges and claims ----
  void read_challenge(const toml::table& table) {
    if (lesson_.kind != Kind::Challenge) {
      for (const char* key : {"reference", "goal", "stars"})
        if (table.contains(key)) reader_.fail(table.get(key), complaint("of_challenge", "key", key));
      return;
    }
    if (lesson_.kernels.size() != 1) return reader_.fail(nullptr, complaint("one_kernel"));
    read_reference(table);
    for (const toml::table* goal : reader_.tables(table, "goal")) {
      reader_.only(*goal, {"text", "value", "wanted"});
      Goal read;
      read.place = reader_.place(goal);
      read.text = reader_.languages(*goal, "text", true);
      read.value = reader_.text(*goal, "value", true);
      read.wanted = reader_.text(*goal, "wanted", true);
      if (!read.value.empty()) check_expression(goal, read.statement());
      lesson_.goals.push_back(std::move(read));
    }
    if (lesson_.goals.empty()) reader_.fail(nullptr, complaint("no_goal"));
    if (const toml::table* stars = reader_.table(table, "stars")) {
      reader_.only(*stars, {"by", "text"});
      lesson_.stars_by = expression(*stars, "by", true);
      lesson_.stars_text = reader_.languages(*stars, "text", false);
    }
  }

  void read_reference(const toml::table& table) {
    const toml::table* reference = reader_.table(table, "reference");
    if (reference == nullptr) {
      if (!table.contains("reference")) reader_.fail(nullptr, complaint("no_reference"));
      return;
    }
    reader_.only(*reference, {"file", "decides", "kernel", "grid", "block", "shared", "args", "set"});
    GalleryKernel kernel = lesson_.kernels.front();
    kernel.id += "_reference";
    kernel.file = lesson_.folder / reader_.text(*reference, "file", true);
    if (reference->contains("kernel")) kernel.kernel = reader_.text(*reference, "kernel", true);
    if (reference->contains("grid")) kernel.grid = reader_.texts(*reference, "grid", true);
    if (reference->contains("block")) kernel.block = reader_.texts(*reference, "block", true);
    if (reference->contains("shared")) kernel.shared = reader_.text(*reference, "shared", true);
    if (reference->contains("args")) kernel.arguments = reader_.texts(*reference, "args", true);
    SliderValues values = model::default_values(kernel);
    read_values(*reference, "set", kernel, values);
    for (Slider& slider : kernel.sliders) slider.value = values.at(slider.name);
    std::error_code ignored;
    if (!fs::is_regular_file(kernel.file, ignored))
      reader_.fail(reference->get("file"), complaint("no_file", "file", kernel.file.string()));
    else if (const auto bound = model::launch_of(kernel, values); !bound)
      reader_.fail(reference, message_of(bound.error()));
    lesson_.reference_decides = reader_.flag(*reference, "decides").value_or(false);
    lesson_.reference = std::move(kernel);
  }

  void read_claim(const toml::table& table) {
    if (lesson_.kind != Kind::Claim) {
      if (table.contains("verdict")) reader_.fail(table.get("verdict"), complaint("of_claim"));
      return;
    }
    const toml::table* verdict = reader_.table(table, "verdict");
    if (verdict == nullptr) return reader_.fail(nullptr, complaint("no_verdict"));
    reader_.only(*verdict, {"holds", "depends", "show", "run", "views", "at"});
    lesson_.claim.place = reader_.place(verdict);
    lesson_.claim.holds = expression(*verdict, "holds", true);
    lesson_.claim.depends = expression(*verdict, "depends", false);
    lesson_.claim.show = reader_.texts(*verdict, "show", true);
    for (const std::string& shown : lesson_.claim.show) check_expression(verdict->get("show"), shown);
    if (lesson_.runs.empty()) return reader_.fail(nullptr, complaint("no_deciding_run"));
    Claim& claim = lesson_.claim;
    claim.then = lesson_.runs.front().state;
    read_shown_run(*verdict, "run", {}, claim.then, claim.faults, claim.views);
    if (const GalleryKernel* kernel = find_kernel(claim.then.kernel);
        kernel != nullptr && claim.views.empty())
      claim.views.assign(kernel->views.begin(),
                         kernel->views.begin() + std::min<std::ptrdiff_t>(2, std::ssize(kernel->views)));
    read_shown_views(*verdict, "views", claim.views);
    if (const toml::table* at = reader_.table(*verdict, "at")) claim.at = read_at(*at);
  }

  TomlReader& reader_;
  const model::Gallery& gallery_;
  Lesson& lesson_;
};

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::string_view name(PredictKind kind) {
  static constexpr std::string_view kNames[] = {"number", "choice", "paint", "curve", "order"};
  return kNames[static_cast<int>(kind)];
}

Error at_place(Error error, const Place& place) {
  if (error.place.file.empty()) error.place = place;
  return error;
}

Reading read_lesson(const fs::path& folder, const model::Gallery& gallery) {
  Reading out;
  const fs::path file = folder / "lesson.toml";
  const Result<toml::table> table = read_toml(file);
  if (!table) {
    Error error = table.error();
    if (error.place.file.empty()) error.place.file = file.string();
    out.problems.push_back(std::move(error));
    return out;
  }
  Lesson lesson;
  lesson.folder = folder;
  lesson.name = fs::weakly_canonical(folder).filename().string();
  TomlReader reader(file);
  if (!is_name(lesson.name)) reader.fail(nullptr, complaint("folder_name", "name", lesson.name));
  LessonReader(reader, gallery, lesson).read(*table);
  out.problems = reader.problems();
  for (const char* language : kLanguages) {
    const fs::path words = folder / (std::string(language) + ".md");
    if (const auto text = read_text(words)) {
      lesson.words[language] = parse_words(*text, words);
      const auto& problems = lesson.words[language].problems;
      out.problems.insert(out.problems.end(), problems.begin(), problems.end());
    } else {
      out.problems.push_back(told(ErrorKind::Usage, complaint("no_words"), {words.string(), 0, 0}));
    }
  }
  out.lesson = std::move(lesson);
  return out;
}

}  // namespace warplens::lesson
