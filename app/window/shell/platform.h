// The window system: a GLFW window with an OpenGL 3.3 context, and Dear ImGui on it. Nothing else in the
// program calls GLFW or OpenGL.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/base/result.h"

namespace warplens::window {

struct PlatformOptions {
  int width = 1600, height = 900;
  bool maximised = false;
  bool exact_size = false;  // screenshots and tests: these pixels, whatever the monitor
};

class Platform {
 public:
  // Errors: no display, no OpenGL 3.3; each says what to do instead.
  static Result<std::unique_ptr<Platform>> open(const PlatformOptions& options);
  ~Platform();
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  bool should_close() const;
  // Waits until something happens or the time is over. True when the user did something or asked for a
  // redraw; false for a mere time-out.
  bool wait(double seconds);
  static void wake();  // from any thread

  float monitor_scale() const;  // device pixels a logical pixel, as the monitor asks for
  void size(int& width, int& height) const;
  void resize(int width, int height);  // as far as the window system lets it
  bool maximised() const;
  // The whole of the screen that most of the window is on, without a frame, and back to where it was.
  void fill_screen(bool on);
  bool fills_screen() const;
  double now() const;

  void begin_frame(bool new_fonts);
  void end_frame(float r, float g, float b);  // draws what ImGui collected into the back buffer
  void present();                             // and shows it
  void finish() const;                        // waits until all that was asked for is drawn
  // The back buffer as a PNG file. Errors: a file that cannot be written.
  Status screenshot(const std::string& file) const;

  void on_drop(std::function<void(const std::string&)> open);  // a file was dropped on the window

 private:
  Platform() = default;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warplens::window
