#include "app/window/session/playback.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "app/model/picture/picture.h"

namespace warplens::window {
namespace {

// Seconds.
constexpr double kStepMotion = 0.8;  // one step of the animation at speed 1
constexpr double kStepHold = 0.45;   // and how long it then stands still
constexpr double kRestHold = 0.5;    // how long it rests at each stop inside a step
constexpr double kSpeeds[] = {0.25, 0.5, 1, 2, 4, 8, 16, 64, 256};

}  // namespace

void Playback::show(std::shared_ptr<const model::Run> run, Timeline of_all_warps) {
  const bool somewhere = run_ && stop_ < timeline_.size();
  const std::uint32_t site = somewhere ? step_at(stop_).site : 0;
  run_ = std::move(run);
  timeline_ = warp_ ? Timeline(run_->trace, warp_) : std::move(of_all_warps);
  way_points_.reset();
  const bool same_place = somewhere && stop_ < timeline_.size() && step_at(stop_).site == site;
  if (!same_place) {
    stop_ = first_stop();
    phase_ = 1;
  }
  if (!timeline_.empty()) stop_ = std::min(stop_, timeline_.size() - 1);
}

void Playback::show_at(std::shared_ptr<const model::Run> run, std::size_t step) {
  run_ = std::move(run);
  timeline_ = Timeline(run_->trace, warp_);
  way_points_.reset();
  stop_ = timeline_.empty() ? 0 : timeline_.stop_at(step);
  phase_ = 1;
}

void Playback::forget() {
  run_.reset();
  timeline_ = {};
  way_points_.reset();
  warp_.reset();
  stop_ = 0;
  phase_ = 1;
  playing_ = false;
}

// Where to look first: the access that the numbers are about.
std::size_t Playback::first_stop() const {
  if (timeline_.empty()) return 0;
  const std::span<const std::string> shown(settings_.views.data(), settings_.two_views ? 2 : 1);
  return timeline_.stop_at(model::telling_step(*run_, shown));
}

visual::Cursor Playback::cursor() const {
  if (timeline_.empty()) return {};
  return {timeline_.step(stop_), phase_};
}

void Playback::play(bool on) {
  if (timeline_.empty()) on = false;
  if (on && stop_ + 1 >= timeline_.size() && phase_ >= 1) go_to_stop(0, true);
  playing_ = on;
  held_ = 0;
  changed_ = true;
}

void Playback::go_to_stop(std::size_t stop, bool animate) {
  if (timeline_.empty()) return;
  stop = std::min(stop, timeline_.size() - 1);
  if (stop == stop_ && !animate) phase_ = 1;
  if (stop != stop_ || animate) phase_ = animate && !settings_.reduce_motion && stop != stop_ ? 0.0f : 1.0f;
  stop_ = stop;
  held_ = resting_ = 0;
  changed_ = true;
}

void Playback::go_to_step(std::size_t step) {
  if (!timeline_.empty()) go_to_stop(timeline_.stop_at(step), false);
}

void Playback::go_to_next(const visual::Target& target) {
  if ((!target.site && !target.line) || !run_) return;
  const trace::Trace& trace = run_->trace;
  const auto matches = [&](std::size_t stop) {
    const trace::Step step = step_at(stop);
    if (step.site >= trace.sites.size()) return false;
    if (target.warp && step.warp != *target.warp) return false;
    if (target.site) return step.site == *target.site;
    return target.line && trace.sites[step.site].line == *target.line;
  };
  for (std::size_t i = 0; i < timeline_.size(); ++i) {
    const std::size_t stop = (stop_ + i) % timeline_.size();
    if (!matches(stop)) continue;
    if (stop != stop_) go_to_stop(stop, false);
    return;
  }
}

void Playback::back() {
  playing_ = false;
  // In the middle of a step, back means its beginning.
  if (stop_ > 0) go_to_stop(stop_ - 1, false);
}

void Playback::faster(int notches) {
  const auto at = std::min_element(std::begin(kSpeeds), std::end(kSpeeds), [&](double a, double b) {
    return std::abs(a - settings_.speed) < std::abs(b - settings_.speed);
  });
  const auto last = static_cast<std::ptrdiff_t>(std::size(kSpeeds)) - 1;
  settings_.speed = kSpeeds[std::clamp<std::ptrdiff_t>(at - std::begin(kSpeeds) + notches, 0, last)];
  changed_ = true;
}

void Playback::follow_warp(std::optional<std::uint32_t> warp) {
  if (warp == warp_ || !run_) return;
  warp_ = warp;
  show_at(run_, cursor().step);
  changed_ = true;
}

int Playback::current_line() const {
  if (!run_ || timeline_.empty()) return 0;
  const std::uint32_t site = step_at(stop_).site;
  const auto& sites = run_->trace.sites;
  return site < sites.size() ? sites[site].line : 0;
}

// Where the first view pauses next inside this step: issue, coalesce, fetch, use.
const visual::Stop* Playback::next_rest() const {
  const visual::View* view = visual::find_view(settings_.views[0]);
  if (!view) return nullptr;
  const auto next = std::find_if(view->stops.begin(), view->stops.end(),
                                 [&](const visual::Stop& s) { return s.phase > phase_ + 1e-4f; });
  return next == view->stops.end() ? nullptr : &*next;
}

// In the middle of a step: at once to where it would pause next.
bool Playback::rest_inside() {
  if (phase_ >= 1) return false;
  const visual::Stop* rest = next_rest();
  phase_ = rest ? rest->phase : 1.0f;
  resting_ = 2 * kRestHold;
  changed_ = true;
  return true;
}

void Playback::next() {
  if (!rest_inside()) go_to_stop(stop_ + 1, true);
}

const std::vector<std::size_t>& Playback::way_points() const {
  if (way_points_) return *way_points_;
  way_points_.emplace();
  if (!run_) return *way_points_;
  std::set<std::tuple<StopKind, int, long>> known;
  for (std::size_t stop = 0; stop < std::min(timeline_.size(), kStopsLookedAt); ++stop) {
    const trace::Step step = step_at(stop);
    const auto& sites = run_->trace.sites;
    const int line = step.site < sites.size() ? sites[step.site].line : 0;
    if (known.emplace(timeline_.kind(stop), line, model::step_excess(run_->trace, timeline_.step(stop)))
            .second)
      way_points_->push_back(stop);
  }
  return *way_points_;
}

void Playback::next_way_point() {
  if (rest_inside()) return;
  const auto& all = way_points();
  const auto next = std::ranges::upper_bound(all, stop_);
  if (next != all.end()) go_to_stop(*next, true);
}

void Playback::last_way_point() {
  playing_ = false;
  const auto& all = way_points();
  const auto here = std::ranges::lower_bound(all, stop_);
  if (here != all.begin()) go_to_stop(*std::prev(here), false);
}

bool Playback::to_waste(int direction) {
  playing_ = false;
  std::size_t stop = stop_;
  for (std::size_t looked_at = 0; looked_at < kStopsLookedAt; ++looked_at) {
    if (direction < 0 ? stop == 0 : stop + 1 >= timeline_.size()) return false;
    direction < 0 ? --stop : ++stop;
    if (model::step_excess(run_->trace, timeline_.step(stop)) <= 0) continue;
    go_to_stop(stop, direction > 0);
    return true;
  }
  return false;
}

// Moves inside a step; true when the picture changed.
bool Playback::animate(double passed) {
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

bool Playback::advance(double now) {
  const bool changed = std::exchange(changed_, false);
  return move(now) || changed;
}

bool Playback::move(double now) {
  const double passed = last_tick_ ? std::clamp(now - *last_tick_, 0.0, 0.25) : 0;
  last_tick_ = now;
  if (timeline_.empty() || (!playing_ && phase_ >= 1)) return false;
  const double speed = settings_.speed;
  if (phase_ < 1) return animate(passed * speed);
  held_ += passed * speed;
  const double hold = settings_.reduce_motion ? kStepHold + kStepMotion / 2 : kStepHold;
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
