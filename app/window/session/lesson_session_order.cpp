// Options put in order: by hand, by digits and arrows, and by the two buttons of a clicker.
#include <algorithm>

#include "app/window/session/lesson_session.h"

namespace warplens::window {

bool LessonSession::orders() const {
  const lesson::Step* now = step();
  return !told_ && now != nullptr && now->predict && now->predict->kind == lesson::PredictKind::Order;
}

void LessonSession::nudge() {
  nudged_ = true;
  if (orders()) marked_ = 0;
}

void LessonSession::guess_order(const std::string& option) {
  const bool placed = std::find(guess_.order.begin(), guess_.order.end(), option) != guess_.order.end();
  place(option, placed ? std::nullopt : std::optional(guess_.order.size()));
}

void LessonSession::place(const std::string& option, std::optional<std::size_t> at) {
  if (!orders()) return;
  const auto& options = step()->predict->options;
  if (std::find(options.begin(), options.end(), option) == options.end()) return;
  std::erase(guess_.order, option);
  if (marked_) marked_ = 0;
  if (!at) return;
  const auto before = static_cast<std::ptrdiff_t>(std::min(*at, guess_.order.size()));
  guess_.order.insert(guess_.order.begin() + before, option);
  placed_last_ = option;
}

bool LessonSession::move_last(int by) {
  if (!orders()) return false;
  const auto found = std::find(guess_.order.begin(), guess_.order.end(), placed_last_);
  if (found == guess_.order.end()) return false;
  const auto to = found - guess_.order.begin() + by;
  if (to >= 0 && to < std::ssize(guess_.order)) place(placed_last_, static_cast<std::size_t>(to));
  return true;
}

std::vector<std::string> LessonSession::unplaced() const {
  std::vector<std::string> out;
  if (!orders()) return out;
  for (const std::string& option : step()->predict->options)
    if (std::find(guess_.order.begin(), guess_.order.end(), option) == guess_.order.end())
      out.push_back(option);
  return out;
}

std::string LessonSession::marked() const {
  const auto left = unplaced();
  return marked_ && *marked_ < left.size() ? left[*marked_] : std::string();
}

bool LessonSession::marks_skip() const {
  const auto left = unplaced();
  return marked_ && !left.empty() && *marked_ >= left.size();
}

void LessonSession::put_marked() {
  if (marks_skip())
    skip();
  else
    guess_order(marked());
}

// The next card that is left, then skipping, then the last one that was put is taken back. False: there is
// nothing more to mark, and the page before is meant.
bool LessonSession::mark_another() {
  const std::size_t left = unplaced().size();
  if (left > 0 && *marked_ < left) {
    ++*marked_;
    return true;
  }
  if (!orders() || guess_.order.empty()) return false;
  const std::string last = guess_.order.back();
  place(last, std::nullopt);
  return true;
}

}  // namespace warplens::window
