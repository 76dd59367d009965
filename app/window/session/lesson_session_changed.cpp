// What the reader changed of what a page speaks of.
#include "app/window/session/lesson_session.h"

namespace warplens::window {

const lesson::State* LessonSession::spoken_of() const {
  const lesson::Step* now = step();
  if (now == nullptr) return nullptr;
  return told_ ? &now->revealed() : &now->state;
}

LessonSession::Strayed LessonSession::strayed() const {
  const lesson::State* of = spoken_of();
  if (of == nullptr || bench_.kernel() == nullptr) return Strayed::No;
  if (bench_.kernel()->id != bench_kernel(of->kernel)) return Strayed::Kernel;
  if (bench_.edited()) return Strayed::Code;
  for (const auto& [name, value] : of->values)
    if (bench_.value(name) != value) return Strayed::Values;
  return Strayed::No;
}

void LessonSession::restore() {
  if (const lesson::State* of = spoken_of()) show_state(*of);
}

}  // namespace warplens::window
