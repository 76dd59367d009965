#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/lesson/book.h"
#include "engine/base/message.h"

namespace warplens::lesson {

namespace {

constexpr int kPlanColumn = 6;  // characters: "10 min"

std::string filled_at(Runs& runs, const Lesson& lesson, const Step* step, const State* state, bool revealed,
                      const std::string& text, std::vector<Subject>* timed) {
  if (text.find("{{") == std::string::npos) return text;
  const auto scope = [&]() -> Result<RunScope> {
    if (state != nullptr) return scope_at(runs, lesson, step, *state);
    if (lesson.kind != Kind::Challenge) return scope_of(runs, lesson, nullptr, {});
    Subject start;
    start.kernel = revealed && lesson.reference ? &*lesson.reference : &lesson.kernels.front();
    start.values = model::default_values(*start.kernel);
    return scope_of(runs, lesson, nullptr, std::move(start));
  }();
  const auto filled = fill_in(text, [&](const Placeholder& p) -> Result<std::string> {
    const auto value = scope ? value_of(p.expression, *scope) : Result<double>(scope.error());
    auto written = value ? formatted(*value, p.format) : Result<std::string>(value.error());
    return written ? written : Result<std::string>(std::string("?"));
  });
  if (timed != nullptr && scope) timed->insert(timed->end(), scope->timed().begin(), scope->timed().end());
  return filled ? *filled : text;
}

}  // namespace

std::string filled_text(Runs& runs, const Lesson& lesson, const Step* step, bool revealed,
                        const std::string& text, std::vector<Subject>* timed) {
  const State* state = step == nullptr ? nullptr : revealed ? &step->revealed() : &step->state;
  return filled_at(runs, lesson, step, state, revealed, text, timed);
}

namespace {

// Notes have no cards to open: a [[term|word]] is its word.
std::string without_links(const std::string& text) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t open = text.find("[["); open != std::string::npos; open = text.find("[[", at)) {
    const std::size_t close = text.find("]]", open);
    if (close == std::string::npos) break;
    const std::string inner = text.substr(open + 2, close - open - 2);
    out += text.substr(at, open - at) + inner.substr(inner.find('|') + 1);  // all of it where there is none
    at = close + 2;
  }
  return out + text.substr(at);
}

// A terminal shows Markdown as it is written: "8\." is there for who would take it for a list.
std::string without_escapes(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool number = i > 0 && std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0;
    const bool escape =
        text[i] == '\\' && number && i + 1 < text.size() && (text[i + 1] == '.' || text[i + 1] == ')');
    if (!escape) out += text[i];
  }
  return out;
}

std::string said(Runs& runs, const Lesson& lesson, const Step* step, bool revealed, const std::string& text) {
  return without_links(filled_text(runs, lesson, step, revealed, text));
}

// What is said when the goal is met, of the values that meet it: who teaches knows the answer beforehand.
std::string said_when_met(Runs& runs, const Lesson& lesson, const Step& step, const std::string& text) {
  return without_links(filled_at(runs, lesson, &step, &step.goal_reached, true, text, nullptr));
}

// Every line of it, so that a second paragraph is the audience's as well.
std::string quoted(const std::string& text) {
  std::string out = "> ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "> ";
  }
  return out;
}

std::string minutes_text(const Catalogue& say, int minutes) {
  return say.text({"lesson.minutes", {{"minutes", warplens::value_of(minutes)}}});
}

// " · 3 min", behind the title of a page.
std::string minutes_behind(const Step& step, const std::string& language) {
  const auto say = Catalogue::load(language);
  return say && step.minutes > 0 ? " · " + minutes_text(*say, step.minutes) : std::string();
}

// Each page with its minutes under every plan that shows it. Numbers first: in a terminal they stand in
// columns, whatever is written behind them.
std::string plans_table(const Lesson& lesson, const std::string& language) {
  const auto say = Catalogue::load(language);
  if (!say) return {};
  std::vector<Plan> plans = lesson.plans;
  plans.push_back({kClassMinutes, {}, {}});
  for (const Step& step : lesson.steps) plans.back().steps.push_back(step.id);
  std::string out = "|", rule = "|", sums = "|";
  for (const Plan& plan : plans) {
    out += " " + minutes_text(*say, plan.minutes) + " |";
    rule += "---:|";
    sums += fmt::format(" {:>{}} |", minutes_of(lesson, plan), kPlanColumn);
  }
  out += " " + say->text("lesson.plan_page") + " |\n" + rule + "---|\n";
  for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
    const Step& step = lesson.steps[i];
    const Section* section = lesson.text(language).section(step.id);
    for (const Plan& plan : plans) {
      const bool shown = std::find(plan.steps.begin(), plan.steps.end(), step.id) != plan.steps.end();
      out += fmt::format("| {:>{}} ", shown ? std::to_string(step.minutes) : "", kPlanColumn);
    }
    out += fmt::format("| {}. {} |\n", i + 1, section == nullptr ? step.id : section->title);
  }
  const int left = kClassMinutes - minutes_of(lesson, plans.back());
  return out + sums + " " + say->text({"lesson.plan_sum", {{"left", warplens::value_of(left)}}}) + " |\n";
}

}  // namespace

std::string teachers_text(const Lesson& lesson, const std::string& language) {
  const Section* teacher = lesson.text(language).section("teacher");
  const std::string body = teacher == nullptr ? std::string() : teacher->body;
  return lesson.plans.empty() ? body : plans_table(lesson, language) + "\n" + body;
}

std::string notes_of(Runs& runs, const Lesson& lesson, const std::string& language) {
  const Words& words = lesson.text(language);
  std::string out = "# " + words.title + "\n";
  if (const std::string teacher = teachers_text(lesson, language); !teacher.empty())
    out += "\n" + said(runs, lesson, nullptr, false, teacher) + "\n";
  int number = 0;
  for (const Step& step : lesson.steps) {
    const Section* section = words.section(step.id);
    if (section == nullptr) continue;
    out += fmt::format("\n## {}. {}{}\n", ++number, section->title, minutes_behind(step, language));
    const auto part = [&](std::string_view kind, const std::string& name = {}) {
      const Part* found = section->part(kind, name);
      if (found == nullptr) return;
      const bool before = kind == "note" || kind == "ask" || kind == "choose";
      const std::string text = kind == "done" ? said_when_met(runs, lesson, step, found->body)
                                              : said(runs, lesson, &step, !before, found->body);
      if (kind == "note")
        out += "\n" + text + "\n";
      else if (kind == "choose")
        out += "> - " + text + "\n";
      else
        out += "\n" + quoted(text) + "\n";
    };
    part("note");
    part("ask");
    if (step.predict)
      for (const std::string& option : step.predict->options) part("choose", option);
    part("reveal");
    if (step.why) {
      part("why");
      part("option", step.why->right);
      part("answer", step.why->right);
    }
    part("goal");
    part("done");
  }
  if (const Section* remember = words.section("remember"))
    out += "\n---\n" + said(runs, lesson, nullptr, false, remember->body) + "\n";
  return out;
}

std::string notes_of_page(Runs& runs, const Lesson& lesson, const OpenPage& open,
                          const std::string& language) {
  const Words& words = lesson.text(language);
  const auto count = static_cast<int>(lesson.steps.size());
  std::string out = fmt::format("# {}\n", words.title);
  const auto whole = [&](const std::string& text) {
    if (!text.empty()) out += "\n" + without_escapes(said(runs, lesson, nullptr, open.told, text)) + "\n";
  };
  if (open.page < 1 || open.page > count) {
    if (const Section* remember = words.section("remember"); remember != nullptr && open.page > count)
      whole(remember->body);
    whole(teachers_text(lesson, language));
    return out;
  }
  const Step& step = lesson.steps[static_cast<std::size_t>(open.page - 1)];
  const Section* section = words.section(step.id);
  if (section == nullptr) return out;
  out += fmt::format("\n## {}/{} {}{}\n", open.page, count, section->title, minutes_behind(step, language));
  const auto part = [&](const char* kind, const std::string& name, bool revealed, const char* mark) {
    const Part* found = section->part(kind, name);
    if (found != nullptr)
      out += fmt::format("\n{}{}\n", mark, without_escapes(said(runs, lesson, &step, revealed, found->body)));
  };
  part("note", "", false, "");
  const bool told = open.told || !step.predict;
  if (!told) part("ask", "", false, "? ");
  // What is going to be told is the speaker's to know.
  part("reveal", "", true, told ? "" : "> ");
  if (told) {
    part("wrong", "", true, "");
    if (step.why) part("why", "", true, "? ");
    if (step.why) part("answer", step.why->right, true, "> ");
    part("goal", "", true, "");
    if (const Part* done = section->part("done", ""))
      out += fmt::format("\n> {}\n", without_escapes(said_when_met(runs, lesson, step, done->body)));
  }
  const Section* next =
      open.page < count ? words.section(lesson.steps[static_cast<std::size_t>(open.page)].id) : nullptr;
  if (next != nullptr) out += fmt::format("\n---\n> {}\n", next->title);
  return out;
}

}  // namespace warplens::lesson
