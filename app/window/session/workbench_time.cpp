// The workbench's time: the cursor, play and pause, the rests inside a step.
#include <algorithm>
#include <cmath>
#include <span>

#include "app/model/picture.h"
#include "app/window/session/workbench.h"

namespace warplens::window {
namespace {

// Seconds.
constexpr double kStepMotion = 0.8;  // one step of the animation at speed 1
constexpr double kStepHold = 0.45;   // and how long it then stands still
constexpr double kRestHold = 0.5;    // how long it rests at each stop inside a step
constexpr double kFrame = 1.0 / 60;
constexpr double kSpeeds[] = {0.25, 0.5, 1, 2, 4, 8, 16, 64, 256};

}  // namespace

// Where to look first: the access that the numbers are about.
std::size_t Workbench::first_stop() const {
  if (timeline_.empty()) return 0;
  const std::span<const std::string> shown(settings.views.data(), settings.two_views ? 2 : 1);
  return timeline_.stop_at(model::telling_step(*picture_.run, shown));
}

visual::Cursor Workbench::cursor() const {
  if (timeline_.empty()) return {};
  return {timeline_.step(stop_), phase_};
}

void Workbench::play(bool on) {
  if (timeline_.empty()) on = false;
  if (on && stop_ + 1 >= timeline_.size() && phase_ >= 1) go_to_stop(0, true);
  playing_ = on;
  held_ = 0;
  changed_ = true;
}

void Workbench::go_to_stop(std::size_t stop, bool animate) {
  if (timeline_.empty()) return;
  stop = std::min(stop, timeline_.size() - 1);
  if (stop == stop_ && !animate) phase_ = 1;
  if (stop != stop_ || animate) phase_ = animate && !settings.reduce_motion && stop != stop_ ? 0.0f : 1.0f;
  stop_ = stop;
  held_ = resting_ = 0;
  changed_ = true;
}

void Workbench::go_to_step(std::size_t step) {
  if (!timeline_.empty()) go_to_stop(timeline_.stop_at(step), false);
}

void Workbench::back() {
  playing_ = false;
  // In the middle of a step, back means its beginning.
  if (stop_ > 0) go_to_stop(stop_ - 1, false);
}

void Workbench::faster(int notches) {
  const auto at = std::min_element(std::begin(kSpeeds), std::end(kSpeeds), [&](double a, double b) {
    return std::abs(a - settings.speed) < std::abs(b - settings.speed);
  });
  const auto last = static_cast<std::ptrdiff_t>(std::size(kSpeeds)) - 1;
  settings.speed = kSpeeds[std::clamp<std::ptrdiff_t>(at - std::begin(kSpeeds) + notches, 0, last)];
  changed_ = true;
}

void Workbench::follow_warp(std::optional<std::uint32_t> warp) {
  if (warp == warp_ || !picture_.run) return;
  const std::size_t step = cursor().step;
  warp_ = warp;
  timeline_ = Timeline(picture_.run->trace, warp_);
  stop_ = timeline_.empty() ? 0 : timeline_.stop_at(step);
  phase_ = 1;
  changed_ = true;
}

int Workbench::current_line() const {
  if (!picture_.run || timeline_.empty()) return 0;
  const std::uint32_t site = picture_.run->trace.steps()[timeline_.step(stop_)].site;
  const auto& sites = picture_.run->trace.sites;
  return site < sites.size() ? sites[site].line : 0;
}

// Where the first view pauses next inside this step: issue, coalesce, fetch, use.
const visual::Stop* Workbench::next_rest() const {
  const visual::View* view = visual::find_view(settings.views[0]);
  if (!view) return nullptr;
  const auto next = std::find_if(view->stops.begin(), view->stops.end(),
                                 [&](const visual::Stop& s) { return s.phase > phase_ + 1e-4f; });
  return next == view->stops.end() ? nullptr : &*next;
}

void Workbench::next() {
  if (phase_ < 1) {
    // In the middle of a step: at once to where it would pause next.
    const visual::Stop* rest = next_rest();
    phase_ = rest ? rest->phase : 1.0f;
    resting_ = 2 * kRestHold;
    changed_ = true;
    return;
  }
  go_to_stop(stop_ + 1, true);
}

// Moves inside a step; true when the picture changed.
bool Workbench::animate(double passed) {
  if (resting_ > 0) {
    resting_ -= passed;
    return false;
  }
  const visual::Stop* rest = next_rest();
  const float goal = rest ? rest->phase : 1.0f;
  phase_ = std::min(goal, phase_ + static_cast<float>(passed / kStepMotion));
  if (phase_ >= goal && goal < 1) resting_ = kRestHold;
  return true;
}

bool Workbench::advance(double now) {
  const double passed = last_tick_ ? std::clamp(now - *last_tick_, 0.0, 0.25) : 0;
  last_tick_ = now;
  if (timeline_.empty() || (!playing_ && phase_ >= 1)) return false;
  const double speed = settings.speed;
  if (phase_ < 1) return animate(passed * speed);
  held_ += passed * speed;
  const double hold = settings.reduce_motion ? kStepHold + kStepMotion / 2 : kStepHold;
  if (held_ < hold) return false;
  if (stop_ + 1 >= timeline_.size()) {
    playing_ = false;
    return true;
  }
  // Faster than the screen: several stops a frame, each standing still.
  const bool rush = (kStepMotion + kStepHold) / speed < 6 * kFrame;
  const std::size_t steps = rush ? std::max<std::size_t>(1, static_cast<std::size_t>(held_ / hold)) : 1;
  go_to_stop(stop_ + steps, !rush);
  return true;
}

}  // namespace warplens::window
