// Undo and redo over whole states.
//
//   history.remember("value.stride", now, state);   // before the change
//   if (auto earlier = history.undo(state)) state = *earlier;
//
// Changes with the same key that follow each other within a second are one: a drag of a slider is taken back
// as a whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warplens::window {

template <typename State>
class History {
 public:
  void remember(const std::string& key, double now, const State& state) {
    redo_.clear();
    const bool goes_on = !key.empty() && key == last_key_ && now - last_time_ < kTogether;
    last_key_ = key;
    last_time_ = now;
    if (goes_on && !undo_.empty()) return;
    undo_.push_back(state);
    if (undo_.size() > kMost) undo_.erase(undo_.begin());
  }
  std::optional<State> undo(const State& state) { return move(undo_, redo_, state); }
  std::optional<State> redo(const State& state) { return move(redo_, undo_, state); }
  bool can_undo() const { return !undo_.empty(); }
  bool can_redo() const { return !redo_.empty(); }

 private:
  static constexpr double kTogether = 1.0;
  static constexpr std::size_t kMost = 100;

  std::optional<State> move(std::vector<State>& from, std::vector<State>& to, const State& state) {
    if (from.empty()) return std::nullopt;
    to.push_back(state);
    std::optional<State> out(std::move(from.back()));
    from.pop_back();
    last_key_.clear();
    return out;
  }

  std::vector<State> undo_, redo_;
  std::string last_key_;
  double last_time_ = 0;
};

}  // namespace warplens::window
