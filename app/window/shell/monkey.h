// Random input for the window, the same for the same seed: clicks, drags, the wheel, keys, typed text,
// dropped files, other sizes of the window. It looks for what nobody thought of: a crash, an assertion, a
// frame that takes seconds.
//
//   Monkey monkey(7, {"mine.cu"});
//   const Hands hands = monkey.next(1280, 720);     // one frame's worth
//   if (!hands.begins.empty()) log(hands.begins);   // "drag 310 22 600 400"
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "visual/scene.h"

namespace warplens::window {

// What the hands do during one frame.
struct Hands {
  visual::Point at;  // logical pixels of the window
  std::array<bool, 3> buttons{};
  float wheel = 0;
  std::set<int> keys;  // GLFW's numbers
  bool ctrl = false, shift = false;
  std::string typed;                        // UTF-8
  std::string dropped;                      // a file
  std::optional<std::pair<int, int>> size;  // that the window gets
  std::string begins;                       // a gesture that begins with this frame, in words
};

class Monkey {
 public:
  Monkey(unsigned seed, std::vector<std::string> files) : random_(seed), files_(std::move(files)) {}
  // The next frame in a window of this size.
  Hands next(float width, float height);

 private:
  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool one_in(int count) { return below(count) == 0; }
  visual::Point place(float width, float height);
  void click(float width, float height);
  void drag(float width, float height);
  void wheel(float width, float height);
  void key();
  void type();
  void drop();
  void resize();
  void rest();
  Hands hands() const;  // nothing is pressed, the pointer stays
  void begin(std::string words, std::vector<Hands> frames);

  std::minstd_rand random_;
  std::vector<std::string> files_;
  visual::Point at_{};
  std::deque<Hands> frames_;
};

}  // namespace warplens::window
