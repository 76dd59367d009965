// A lesson that nobody sits in front of: what a script answers, and what it is told.
#include <nlohmann/json.hpp>

#include "app/window/session/lesson_session.h"

namespace warplens::window {

bool LessonSession::answer_for_me(bool right) {
  if (!asks() || told_) return false;
  if (lesson_->kind == lesson::Kind::Claim) {
    if (!judged_) return false;
    const std::string verdict(lesson::name(judged_->verdict));
    guess_.option = right ? verdict : verdict == "holds" ? "refuted" : "holds";
    return true;
  }
  if (!answer_) return false;
  guess_ = right ? lesson::right_guess(*answer_) : lesson::wrong_guess(*step()->predict, *answer_);
  return true;
}

nlohmann::json LessonSession::report() const {
  static constexpr const char* kModes[] = {"explore", "lessons", "challenges"};
  nlohmann::json out{{"mode", kModes[static_cast<int>(mode_)]}};
  if (lesson_ == nullptr) return out;
  out["lesson"] = lesson_->name;
  out["page"] = page_;
  out["pages"] = pages();
  if (const lesson::Step* now = step()) {
    out["step"] = now->id;
    if (now->predict) out["predict"] = lesson::name(now->predict->kind);
  }
  out["asks"] = asks();
  out["told"] = told_;
  out["guessed"] = guessed();
  out["skipped"] = guess_.skipped;
  out["guess"] = {{"order", guess_.order}, {"marks", guess_.marks.size()}, {"curve", guess_.curve}};
  out["nudged"] = nudged_;
  static constexpr const char* kStrayed[] = {"", "values", "code", "kernel"};
  out["strayed"] = kStrayed[static_cast<int>(strayed())];
  out["covered"] = covers();
  if (told_) {
    const lesson::Judgement told = judgement();
    out["right"] = told.right;
    out["hit"] = told.hit;
    out["missing"] = told.missing;
    out["extra"] = told.extra;
    out["wrong_text"] = wrong_text();
  }
  if (answer_) {
    out["answer"] = {{"number", answer_->number},
                     {"option", answer_->option},
                     {"order", answer_->order},
                     {"marks", answer_->paint.right.size()},
                     {"offered", answer_->paint.offered.size()},
                     {"curve", answer_->curve.size()}};
    // By their numbers, as `paint` takes them.
    for (std::size_t i = 0; i < answer_->paint.offered.size(); ++i)
      if (answer_->paint.right.contains(answer_->paint.offered[i])) out["answer"]["cells"].push_back(i);
    for (const auto& [x, y] : answer_->curve) out["answer"]["points"].push_back({x, y});
  }
  if (trouble_) out["trouble"] = trouble_->text();
  out["why"] = why_;
  out["goal_reached"] = goal_reached_;
  out["hints"] = hints_;
  out["reference_shown"] = reference_shown_;
  out["body"] = body();
  if (told_) out["reveal"] = text("reveal");
  if (grade_) {
    out["stars"] = grade_->stars;
    out["output_matches"] = grade_->output_matches;
    for (const lesson::GoalResult& goal : grade_->goals) out["goals"].push_back(goal.met);
  }
  const auto counts = [&](const char* key, const std::optional<lesson::Grade>& of) {
    if (!of) return;
    nlohmann::json& values = out[key] = nlohmann::json::array();
    for (const lesson::GoalResult& goal : of->goals)
      values.push_back(goal.value ? nlohmann::json(*goal.value) : nlohmann::json());
  };
  counts("counts", grade_);
  counts("counts_before", former_);
  counts("counts_reference", of_reference_);
  if (judged_) out["verdict"] = lesson::name(judged_->verdict);
  out["busy"] = busy();
  return out;
}

}  // namespace warplens::window
