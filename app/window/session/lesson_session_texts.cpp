// What a page says, with the numbers of its runs: they are asked of the worker and come in later.
#include <algorithm>

#include "app/window/session/lesson_session.h"

namespace warplens::window {
namespace {

using lesson::Kind;
using lesson::Runs;

std::string key_of_part(const std::string& kind, const std::string& name) {
  return name.empty() ? kind : kind + " " + name;
}

using Keyed = std::vector<std::pair<std::string, std::string>>;

// What is said before a prediction is told, what speaks of the reveal, and what is the speaker's alone.
struct PageTexts {
  Keyed before, after, aside;
  Keyed& of(const std::string& kind, Keyed& otherwise) {
    if (kind == "note" || kind == "teacher") return aside;
    return kind == "ask" || kind == "choose" ? before : kind == "solution" ? after : otherwise;
  }
};

// A number that cannot be had is a question mark in its sentence; `lesson check` says why.
std::map<std::string, LessonText> filled(const Keyed& texts, const Result<lesson::RunScope>& scope) {
  std::map<std::string, LessonText> out;
  for (const auto& [key, text] : texts) {
    const std::size_t before = scope ? scope->timed().size() : 0;
    const auto done = lesson::fill_in(text, [&](const lesson::Placeholder& p) -> Result<std::string> {
      if (!scope) return std::string("?");
      const auto value = lesson::value_of(p.expression, *scope);
      auto written = value ? lesson::formatted(*value, p.format) : Result<std::string>(std::string("?"));
      return written ? written : Result<std::string>(std::string("?"));
    });
    out[key].text = done ? *done : text;
    if (scope)
      out[key].times.assign(scope->timed().begin() + static_cast<std::ptrdiff_t>(before),
                            scope->timed().end());
  }
  return out;
}

}  // namespace

const lesson::Section* LessonSession::words() const {
  const lesson::Step* now = step();
  return now == nullptr ? nullptr : lesson_->text(bench_.settings.language).section(now->id);
}

void LessonSession::ask_for_texts() {
  language_ = bench_.settings.language;
  PageTexts said;
  const lesson::Words& all = lesson_->text(language_);
  if (const lesson::Section* section = words()) {
    said.before.emplace_back("body", section->body);
    for (const lesson::Part& part : section->parts)
      said.of(part.kind, said.after).emplace_back(key_of_part(part.kind, part.name), part.body);
  } else {
    said.before.emplace_back("body", all.body);
    const auto is_step = [&](const lesson::Section& s) {
      return std::ranges::any_of(lesson_->steps, [&](const lesson::Step& step) { return step.id == s.id; });
    };
    for (const lesson::Section& one : all.sections)
      if (!is_step(one)) said.of(one.id, said.before).emplace_back("## " + one.id, one.body);
  }
  // On a fresh page, what has no number stands there before the runs are done.
  if (before_.empty())
    for (const auto& [key, text] : said.before)
      if (text.find("{{") == std::string::npos) before_[key].text = text;
  worker_.ask([this, of = lesson_, now = step(), said, language = language_,
               ticket = ticket_](Runs& runs) -> LessonWorker::Done {
    const auto scope = [&](bool told) -> Result<lesson::RunScope> {
      if (now != nullptr) return lesson::scope_at(runs, *of, now, told ? now->revealed() : now->state);
      if (of->kind != Kind::Challenge) return lesson::scope_of(runs, *of, nullptr, {});
      lesson::Subject start;
      start.kernel = told && of->reference ? &*of->reference : &of->kernels.front();
      start.values = model::default_values(*start.kernel);
      return lesson::scope_of(runs, *of, nullptr, start);
    };
    const auto unseen = scope(false), seen = scope(true);
    auto first = filled(said.before, unseen), second = filled(said.after, seen);
    first.merge(filled(said.aside, unseen));
    const auto curve = now == nullptr ? std::nullopt : lesson::timed_curve(*of, runs.gallery(), *now);
    return [this, ticket, first, second, curve, recording = runs.recording()] {
      if (ticket != ticket_) return;
      before_ = first;
      after_ = second;
      timed_curve_ = curve;
      recording_ = recording;
    };
  });
}

const LessonText* LessonSession::find_text(const std::string& key) const {
  for (const Texts* texts : {&done_, &before_, &after_})
    if (const auto found = texts->find(key); found != texts->end()) return &found->second;
  return nullptr;
}

std::string LessonSession::text(const std::string& kind, const std::string& name) const {
  const LessonText* found = find_text(key_of_part(kind, name));
  return found == nullptr ? std::string() : found->text;
}

// What the page shows by now: a time in a text that only a wrong guess is told needs no note for the others.
std::vector<std::string> LessonSession::texts_in_sight() const {
  std::vector<std::string> out{"body", "## remember", "## sources"};
  for (int i = 1; i <= hints_; ++i) out.push_back("## hint " + std::to_string(i));
  if (reference_shown_) out.emplace_back("## solution");
  if (told_ && judged_) out.push_back("## " + std::string(lesson::name(judged_->verdict)));
  const lesson::Step* now = step();
  if (now == nullptr) return out;
  if (now->predict) {
    out.emplace_back("ask");
    for (const std::string& option : now->predict->options) out.push_back(key_of_part("choose", option));
    if (!told_) return out;
    out.emplace_back("reveal");
    out.push_back(wrong_key());
  }
  if (now->why) {
    out.emplace_back("why");
    for (const std::string& option : now->why->options) out.push_back(key_of_part("option", option));
    out.push_back(key_of_part("answer", why_));
  }
  if (!now->goal.empty()) out.emplace_back("goal");
  if (goal_reached_) out.emplace_back("done");
  return out;
}

std::optional<Message> LessonSession::timed() const {
  std::vector<lesson::Subject> times;
  for (const std::string& key : texts_in_sight())
    if (const LessonText* found = find_text(key))
      times.insert(times.end(), found->times.begin(), found->times.end());
  if (told_ && timed_curve_) times.push_back(*timed_curve_);
  return lesson::timed_note(recording_, times, language_);
}

std::string LessonSession::section(const std::string& id) const {
  return text("## " + id);
}

std::string LessonSession::title() const {
  if (lesson_ == nullptr) return {};
  const lesson::Section* section = words();
  return section != nullptr && !section->title.empty() ? section->title
                                                       : lesson_->text(bench_.settings.language).title;
}

std::string LessonSession::body() const {
  return text("body");
}

std::string LessonSession::wrong_key() const {
  const lesson::Step* now = step();
  if (now == nullptr || !now->predict || !told_ || guess_.skipped || judgement().right) return {};
  const std::string own = key_of_part("wrong", lesson::guess_name(*now->predict, guess_));
  return find_text(own) != nullptr ? own : "wrong";
}

std::string LessonSession::wrong_text() const {
  const std::string key = wrong_key();
  return key.empty() ? key : text(key);
}

void LessonSession::follow_goal() {
  const lesson::Step* now = step();
  if (now == nullptr || now->goal.empty() || goal_reached_ || (asks() && !told_)) return;
  if (followed_ && *followed_ == bench_.asked()) return;
  const lesson::Subject open = subject();
  if (open.kernel == nullptr || open.kernel->id != bench_kernel(now->state.kernel)) return;
  followed_ = bench_.asked();
  const lesson::Section* section = words();
  const lesson::Part* part = section == nullptr ? nullptr : section->part("done");
  const Keyed said = part == nullptr ? Keyed{} : Keyed{{"done", part->body}};
  const lesson::Lesson* of = lesson_;
  worker_.ask([this, of, now, open, said, ticket = ticket_](Runs& runs) -> LessonWorker::Done {
    const auto scope = lesson::scope_of(runs, *of, now, open);
    const auto reached = scope ? lesson::value_of(now->goal, *scope) : Result<double>(scope.error());
    if (!reached || *reached == 0) return [] {};
    const auto texts = filled(said, scope);
    return [this, ticket, texts] {
      if (ticket != ticket_) return;
      goal_reached_ = true;
      done_ = texts;
    };
  });
}

}  // namespace warplens::window
