// Challenges and claims: what is tried, graded and judged.
#include <fmt/format.h>

#include "app/window/session/lesson_session.h"

namespace warplens::window {

void LessonSession::hint() {
  if (lesson_ == nullptr || lesson_->kind != lesson::Kind::Challenge) return;
  const lesson::Words& all = lesson_->text(bench_.settings.language);
  if (all.section(fmt::format("hint {}", hints_ + 1)) != nullptr) ++hints_;
}

void LessonSession::show_reference() {
  if (lesson_ == nullptr || !lesson_->reference) return;
  reference_shown_ = true;
  bench_.compare_with(bench_kernel(lesson_->reference->id), model::default_values(*lesson_->reference));
}

void LessonSession::follow_challenge() {
  if (!on_challenge() || (followed_ && *followed_ == bench_.asked())) return;
  followed_ = bench_.asked();
  keep_solution();
  const lesson::Lesson* of = lesson_;
  worker_.ask([this, of, text = bench_.setup().text, values = bench_.values(), ticket = ticket_,
               key = bench_.asked()](lesson::Runs& runs) -> LessonWorker::Done {
    auto graded = lesson::grade(runs, *of, text, values);
    return [this, ticket, graded, key] {
      if (ticket != ticket_ || !followed_ || !(*followed_ == key)) return;
      if (!graded) {
        trouble_ = graded.error();
        return;
      }
      if (grade_ && grade_->run != nullptr) former_ = std::move(grade_);
      grade_ = *graded;
      save();
    };
  });
}

void LessonSession::ask_for_reference() {
  if (!lesson_->reference) return;
  const lesson::Lesson* of = lesson_;
  worker_.ask([this, of, ticket = ticket_](lesson::Runs& runs) -> LessonWorker::Done {
    auto graded = lesson::grade_reference(runs, *of);
    return [this, ticket, graded] {
      if (ticket == ticket_ && graded) of_reference_ = *graded;
    };
  });
}

void LessonSession::ask_for_verdict() {
  const lesson::Lesson* of = lesson_;
  worker_.ask([this, of, ticket = ticket_](lesson::Runs& runs) -> LessonWorker::Done {
    auto judged = lesson::judge_claim(runs, *of);
    return [this, ticket, judged] {
      if (ticket != ticket_) return;
      if (judged)
        judged_ = *judged;
      else
        trouble_ = judged.error();
    };
  });
}

}  // namespace warplens::window
