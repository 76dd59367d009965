// What the reader changed of what a page speaks of.
#include "app/window/session/lesson_session.h"

namespace warplens::window {
namespace {

// How a lesson calls an access, as a kernel does.
std::string op_of(const std::string& kind) {
  if (kind == "load" || kind == "store" || kind == "atomic" || kind == "branch") return kind;
  return kind == "reduction" || kind == "compare_and_swap" ? "atomic"
         : kind == "async_copy"                            ? "cp.async"
                                                           : "";
}

}  // namespace

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

std::vector<analysis::About> LessonSession::page_about() const {
  const lesson::At* at = shown_at();
  if (at != nullptr && !(at->text.empty() && at->op.empty())) return {{at->text, op_of(at->op), at->space}};
  for (const std::string& id : shown_views()) {
    const visual::View* view = visual::find_view(id);
    if (view == nullptr) continue;
    if (view->shows == visual::Shows::Shared) return {{"", "", "shared"}};
    if (view->shows == visual::Shows::Constant) return {{"", "", "constant"}};
    if (view->shows == visual::Shows::GlobalAndLocal) return {{"", "", "global"}};
    if (view->of_lanes) return {{"", "branch", ""}};
  }
  return {};
}

void LessonSession::restore() {
  if (const lesson::State* of = spoken_of()) show_state(*of);
}

}  // namespace warplens::window
