// The shell without a person at it: a script, a monkey, a benchmark or a picture moves what a hand would.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

#include "app/window/shell/shell.h"

namespace warplens::window {
namespace {

// Of this thread: on a busy machine a frame takes long for reasons of others.
double processor_seconds() {
  std::timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + 1e-9 * static_cast<double>(spent.tv_nsec);
}

}  // namespace

void Shell::give(const ScriptInput& input, double now) {
  if (input.at || input.hand) points_at_ = input.clicks ? std::nullopt : input.at;
  if (input.hand) {  // of the frame that is drawn next
    pretend_ = [input, scale = fonts_.scale()](ImGuiIO& io) {
      io.MousePos = {input.hand->x * scale, input.hand->y * scale};
      io.MouseDown[0] = input.held;
    };
    return;
  }
  for (const bool down : {false, true, false}) {
    pretend_ = [&](ImGuiIO& io) {
      if (input.key) io.KeysDown[*input.key] = down;
      io.KeyCtrl = down && input.ctrl;
      io.KeyShift = down && input.shift;
      if (down) io.AddInputCharactersUTF8(input.typed.c_str());
      if (!input.at) return;
      io.MousePos = {input.at->x * fonts_.scale(), input.at->y * fonts_.scale()};
      io.MouseDown[0] = down && input.clicks;
    };
    frame(now, kFrame);
    platform_.present();
  }
  pretend_ = {};
}

void Shell::give(Monkey& monkey) {
  const float scale = std::max(0.5f, fonts_.scale());  // 0 before the first frame
  int width = 0, height = 0;
  platform_.size(width, height);
  const Hands hands = monkey.next(static_cast<float>(width) / scale, static_cast<float>(height) / scale);
  if (!hands.begins.empty()) fmt::print(stderr, "{:.2f} {}\n", platform_.now(), hands.begins);
  if (hands.size) platform_.resize(hands.size->first, hands.size->second);
  if (!hands.dropped.empty()) drop(hands.dropped);
  pretend_ = [hands, scale](ImGuiIO& io) {
    io.MousePos = {hands.at.x * scale, hands.at.y * scale};
    for (std::size_t i = 0; i < hands.buttons.size(); ++i) io.MouseDown[i] = hands.buttons[i];
    io.MouseWheel = hands.wheel;
    for (int key = 0; key < GLFW_KEY_LAST; ++key) io.KeysDown[key] = hands.keys.contains(key);
    io.KeyCtrl = hands.ctrl;
    io.KeyShift = hands.shift;
    io.AddInputCharactersUTF8(hands.typed.c_str());
  };
}

Status Shell::play(ScriptPlayer player) {
  double last = platform_.now(), drawn = last;
  bool monkey_was_here = false;
  int frames = kFramesAfterInput;
  while (!platform_.should_close()) {
    if (platform_.wait(std::max(0.0, kFrame - (platform_.now() - last)))) frames = kFramesAfterInput;
    const double now = platform_.now(), busy_before = processor_seconds();
    const double due = drawn + next_draw(drawn);
    last = now;
    const std::size_t before = player.at();
    const bool changed = tick(now);
    if (const Status ok = player.advance(bench_, now); !ok) return ok;
    // As in run(): a frame that nothing has changed for is not drawn.
    if (changed || player.at() != before || !player.waits()) frames = kFramesAfterInput;
    if (frames <= 0 && now < due) continue;
    --frames;
    for (const std::string& report : player.take_reports()) {
      std::puts(report.c_str());
      std::fflush(stdout);
    }
    const auto input = player.take_input();
    if (input && !input->term.empty()) state_.open_term = input->term;
    if (input) give(*input, now);
    if (Monkey* monkey = player.monkey()) {
      give(*monkey);
      monkey_was_here = true;
    } else if (std::exchange(monkey_was_here, false)) {
      pretend_ = [](ImGuiIO& io) { std::fill(std::begin(io.KeysDown), std::end(io.KeysDown), false); };
      frame(now, kFrame);
      pretend_ = {};
    }
    const std::optional<std::string> shot = player.take_screenshot();
    // Fonts and hover settle within a few frames.
    for (int i = 0; i < (shot ? kFramesAfterInput : 0); ++i) frame(now, kFrame);
    fonts_.take_cut();
    frame(now, now - drawn);
    drawn = now;
    if (input && input->hand) pretend_ = {};
    player.saw({.cut = fonts_.take_cut(),
                .hidden_below = lesson_state_.below,
                .line_in_sight = state_.line_in_sight,
                .presents = state_.presenting,
                .fills_screen = platform_.fills_screen(),
                .dark = blank_,
                .atlases = fonts_.builds(),
                .term = state_.open_term,
                .term_written = lesson_state_.term_written,
                .term_bottom = lesson_state_.term_bottom});
    if (shot) {
      if (const Status written = platform_.screenshot(*shot); !written) return written;
    }
    platform_.present();
    const double took = platform_.now() - now, busy = processor_seconds() - busy_before;
    if (!shot) player.drew(took);
    if (monkey_was_here && took > 1)
      fmt::print(stderr, "{:.2f} that frame took {:.1f} s, of these {:.1f} s of processor time\n", now, took,
                 busy);
    if (player.done()) break;
  }
  return Done{};
}

Result<ScrubResult> Shell::scrub(std::size_t accesses, int frames) {
  double now = 0;
  while (!bench_.settled()) {
    platform_.wait(0.02);
    bench_.tick(now += 0.02);
  }
  bench_.show_run(long_run(accesses));
  ScrubResult out;
  out.accesses = bench_.timeline().size();
  out.views = {bench_.settings.views[0]};
  if (bench_.settings.two_views) out.views.push_back(bench_.settings.views[1]);
  for (int i = 0; i < 5; ++i) {
    frame(now, kFrame);
    platform_.present();
  }
  platform_.size(out.width, out.height);
  platform_.finish();
  const std::clock_t cpu = std::clock();
  // A hand that drags from one end to the other and back in jumps, so that no frame is like the last one.
  const std::size_t size = std::max<std::size_t>(1, bench_.timeline().size());
  for (int i = 0; i < frames; ++i) {
    const double begin = platform_.now();
    bench_.go_to_stop(static_cast<std::size_t>(i) * 7919 * (size / 100003 + 1) % size, false);
    bench_.tick(now += kFrame);
    frame(now, kFrame);
    platform_.present();
    if (i + 1 == frames) platform_.finish();
    out.frame_ms.push_back((platform_.now() - begin) * 1000);
  }
  out.cpu_ms = 1000.0 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC / std::max(1, frames);
  return out;
}

Status Shell::screenshot(const std::string& file, int frames) {
  double now = 0;
  // Fonts and sizes settle before the run is waited for, so that what is drawn later is only the picture.
  for (int i = 0; i < 3; ++i) frame(now, kFrame);
  while (!settled()) {
    platform_.wait(0.02);
    tick(now);
    now += 1e-6;  // time stands still until there is something to show, whatever the machine's speed
    if (bench_.next_wake(now) > 1e9) continue;
    now += 0.02;
  }
  tick(now);
  for (int i = 0; i < std::max(frames, 3); ++i) {
    now += kFrame;
    tick(now);
    frame(now, kFrame);
    if (i + 1 < std::max(frames, 3)) platform_.present();
  }
  return platform_.screenshot(file);
}

}  // namespace warplens::window
