#include "app/window/shell/monkey.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warplens::window {
namespace {

constexpr float kNear = 90;  // pixels: where what the last click opened is likely to be

// What people type into an editor and into fields for numbers, and what they paste by mistake.
const std::vector<std::string>& texts() {
  static const std::vector<std::string> all{
      "0",
      "-1",
      "7",
      "65536",
      "1e9",
      "99999999999999999999",
      "64,64",
      "4 * n",
      "n/0",
      "}",
      "{{{{",
      ";",
      "int i = blockIdx.x * blockDim.x + threadIdx.x;",
      "__syncthreads();\n",
      "while (true) { }\n",
      "for (int k = 0; k < 10;) out[0] += 1;\n",
      "extern __shared__ float s[];",
      "/*",
      "\"",
      "#define A A\n",
      "#include \"nothing.h\"\n",
      "线程束",
      "\xf0\x9f\x90\x92",
      "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d e\xcc\x81",
      std::string(400, '('),
      std::string(300, 'x'),
  };
  return all;
}

const std::vector<int>& keys() {
  static const std::vector<int> all = [] {
    std::vector<int> out{
        GLFW_KEY_ESCAPE, GLFW_KEY_ENTER,   GLFW_KEY_TAB,    GLFW_KEY_BACKSPACE, GLFW_KEY_DELETE,
        GLFW_KEY_LEFT,   GLFW_KEY_RIGHT,   GLFW_KEY_UP,     GLFW_KEY_DOWN,      GLFW_KEY_PAGE_DOWN,
        GLFW_KEY_HOME,   GLFW_KEY_PAGE_UP, GLFW_KEY_END,    GLFW_KEY_SPACE,     GLFW_KEY_PERIOD,
        GLFW_KEY_SLASH,  GLFW_KEY_EQUAL,   GLFW_KEY_MINUS,  GLFW_KEY_F1,        GLFW_KEY_F5,
        GLFW_KEY_F11,    GLFW_KEY_COMMA,   GLFW_KEY_INSERT, GLFW_KEY_KP_ADD,    GLFW_KEY_APOSTROPHE};
    for (int key = GLFW_KEY_A; key <= GLFW_KEY_Z; ++key) out.push_back(key);
    for (int key = GLFW_KEY_0; key <= GLFW_KEY_9; ++key) out.push_back(key);
    return out;
  }();
  return all;
}

}  // namespace

Hands Monkey::hands() const {
  Hands out;
  out.at = at_;
  return out;
}

void Monkey::begin(std::string words, std::vector<Hands> frames) {
  frames.front().begins = std::move(words);
  frames_.insert(frames_.end(), frames.begin(), frames.end());
}

// Often near the last one: what a click opens lies there.
visual::Point Monkey::place(float width, float height) {
  const auto part = [&] { return static_cast<float>(below(10001)) / 10000; };
  if (one_in(2)) return {part() * width, part() * height};
  return {std::clamp(at_.x + (2 * part() - 1) * kNear, 0.0f, width),
          std::clamp(at_.y + (2 * part() - 1) * kNear, 0.0f, height)};
}

void Monkey::click(float width, float height) {
  at_ = place(width, height);
  const std::size_t button = one_in(6) ? 1 + static_cast<std::size_t>(below(2)) : 0;
  std::vector<Hands> frames{hands()};
  for (int times = one_in(4) ? 2 : 1; times > 0; --times) {
    frames.push_back(hands());
    frames.back().buttons[button] = true;
    frames.push_back(hands());
  }
  begin(fmt::format("click {} {:.0f} {:.0f}", button, at_.x, at_.y), frames);
}

void Monkey::drag(float width, float height) {
  const visual::Point from = place(width, height);
  at_ = from;
  const visual::Point to = place(width, height);
  std::vector<Hands> frames{hands()};
  const int steps = 3 + below(12);
  for (int i = 0; i <= steps; ++i) {
    const float part = static_cast<float>(i) / static_cast<float>(steps);
    at_ = {from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part};
    frames.push_back(hands());
    frames.back().buttons[0] = true;
  }
  frames.push_back(hands());
  begin(fmt::format("drag {:.0f} {:.0f} {:.0f} {:.0f}", from.x, from.y, to.x, to.y), frames);
}

void Monkey::wheel(float width, float height) {
  at_ = place(width, height);
  const auto by = static_cast<float>(below(21) - 10);
  const bool ctrl = one_in(4);
  std::vector<Hands> frames{hands()};
  for (int i = 1 + below(5); i > 0; --i) {
    frames.push_back(hands());
    frames.back().wheel = by;
    frames.back().ctrl = ctrl;
  }
  begin(fmt::format("wheel {} at {:.0f} {:.0f}", by, at_.x, at_.y), frames);
}

void Monkey::key() {
  const int key = keys()[static_cast<std::size_t>(below(static_cast<int>(keys().size())))];
  Hands down = hands();
  down.keys = {key};
  down.ctrl = one_in(5);
  down.shift = one_in(5);
  std::vector<Hands> frames(static_cast<std::size_t>(one_in(8) ? 40 : 1), down);  // sometimes held
  frames.push_back(hands());
  begin(fmt::format("key {}{}{}", down.ctrl ? "ctrl " : "", down.shift ? "shift " : "", key), frames);
}

void Monkey::type() {
  Hands typed = hands();
  typed.typed = texts()[static_cast<std::size_t>(below(static_cast<int>(texts().size())))];
  std::vector<Hands> frames{typed};
  if (one_in(2)) {
    frames.push_back(hands());
    frames.back().keys = {one_in(4) ? GLFW_KEY_TAB : GLFW_KEY_ENTER};
    frames.push_back(hands());
  }
  begin("type " + typed.typed.substr(0, 40), frames);
}

void Monkey::drop() {
  if (files_.empty()) return rest();
  Hands dropped = hands();
  dropped.dropped = files_[static_cast<std::size_t>(below(static_cast<int>(files_.size())))];
  begin("drop " + dropped.dropped, {dropped});
}

void Monkey::resize() {
  Hands other = hands();
  other.size = {300 + below(1600), 200 + below(900)};
  begin(fmt::format("size {}x{}", other.size->first, other.size->second), {other});
}

void Monkey::rest() {
  begin("rest", std::vector<Hands>(static_cast<std::size_t>(5 + below(60)), hands()));
}

Hands Monkey::next(float width, float height) {
  if (frames_.empty()) {
    const int what = below(100);
    if (what < 38)
      click(width, height);
    else if (what < 52)
      drag(width, height);
    else if (what < 62)
      wheel(width, height);
    else if (what < 80)
      key();
    else if (what < 91)
      type();
    else if (what < 95)
      drop();
    else if (what < 97)
      resize();
    else
      rest();
  }
  Hands out = std::move(frames_.front());
  frames_.pop_front();
  return out;
}

}  // namespace warplens::window
