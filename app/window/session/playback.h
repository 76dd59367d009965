// Time: a cursor over the recorded trace, playing and pausing, the rests inside a step.
//
//   playback.show(run, timeline);
//   playback.play(true);
//   while (playback.advance(now)) draw(playback.cursor());
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/model/run/pipeline.h"
#include "app/window/jobs/timeline.h"
#include "app/window/session/settings.h"
#include "visual/view.h"

namespace warplens::window {

inline constexpr double kFrame = 1.0 / 60;  // seconds

class Playback {
 public:
  // Speed, still pictures instead of motion, and the views whose rests count; outlives this.
  explicit Playback(Settings& settings) : settings_(settings) {}

  // A newer run: time stays where it was if the same access stands there, else goes to the most telling one.
  void show(std::shared_ptr<const model::Run> run, Timeline of_all_warps);
  // Another run, at this step of it.
  void show_at(std::shared_ptr<const model::Run> run, std::size_t step);
  void forget();

  const Timeline& timeline() const { return timeline_; }
  std::size_t stop() const { return stop_; }
  visual::Cursor cursor() const;
  int current_line() const;  // source line under the cursor, in the text that ran; 0 unknown

  bool playing() const { return playing_; }
  void play(bool on);
  void go_to_stop(std::size_t stop, bool animate);
  void go_to_step(std::size_t step);
  // Where a thing of this line or site next happens, from here onwards and then from the start.
  void go_to_next(const visual::Target& target);
  // One step on; during the motion of a step, to where it pauses next.
  void next();
  void back();
  // Where something is new: the first time that an access of a line costs what it costs, and the first of
  // each other kind of stop. Of a long trace, among its first kStopsLookedAt stops.
  const std::vector<std::size_t>& way_points() const;
  void next_way_point();  // inside a step as next()
  void last_way_point();
  // The next access (the one before for -1) that costs more than it must. False: there is none.
  bool to_waste(int direction);
  void faster(int notches);
  std::optional<std::uint32_t> followed_warp() const { return warp_; }
  void follow_warp(std::optional<std::uint32_t> warp);

  // True when something to be seen changed.
  bool advance(double now);
  bool moving() const { return playing_ || phase_ < 1; }

 private:
  static constexpr std::size_t kStopsLookedAt = 20'000;
  bool rest_inside();
  trace::Step step_at(std::size_t stop) const { return run_->trace.steps()[timeline_.step(stop)]; }
  std::size_t first_stop() const;
  bool move(double now);
  bool animate(double passed);
  const visual::Stop* next_rest() const;

  Settings& settings_;
  std::shared_ptr<const model::Run> run_;
  Timeline timeline_;
  std::optional<std::uint32_t> warp_;
  std::size_t stop_ = 0;
  float phase_ = 1;
  double resting_ = 0;  // seconds left of a pause inside the step
  double held_ = 0;     // seconds that the finished step has been standing
  bool playing_ = false;
  bool changed_ = false;
  mutable std::optional<std::vector<std::size_t>> way_points_;  // when they were first asked for
  std::optional<double> last_tick_;
};

}  // namespace warplens::window
