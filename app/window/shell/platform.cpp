#include "app/window/shell/platform.h"

#define GLAD_GL_IMPLEMENTATION
#include <glad/gl.h>
// glad first: it brings the OpenGL declarations that GLFW would otherwise include.
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/draw/damage.h"
#include "app/window/shell/end_request.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "visual/png.h"

namespace warplens::window {
namespace {

// Up to so many pixels a logical pixel is one of them.
constexpr float kPlainColumns = 1920, kPlainRows = 1080;

constexpr int kLeastWidth = 640, kLeastHeight = 400;

std::string& last_glfw_error() {
  static std::string text;
  return text;
}

Error no_display(MessageValue why) {
  return told(ErrorKind::System, {"app.no_display", {{"reason", std::move(why)}}});
}

struct KeyEvent {
  int key = 0, code = 0, modifiers = 0;
};

// What the callbacks know; GLFW keeps one pointer a window for them.
struct Input {
  bool happened = true;
  // ImGui 1.86 looks at keys once a frame and would miss one that went down and up in between. So after a
  // press every release waits for the next frame.
  bool pressed = false;
  std::vector<KeyEvent> late_releases;
  std::function<void(const std::string&)> on_drop;
};

Input& input_of(GLFWwindow* window) {
  Input& input = *static_cast<Input*>(glfwGetWindowUserPointer(window));
  input.happened = true;
  return input;
}

void on_key(GLFWwindow* window, int key, int code, int action, int modifiers) {
  Input& input = input_of(window);
  if (action == GLFW_RELEASE && input.pressed) {
    input.late_releases.push_back({key, code, modifiers});
    return;
  }
  input.pressed = input.pressed || action == GLFW_PRESS;
  ImGui_ImplGlfw_KeyCallback(window, key, code, action, modifiers);
}

void release_keys(GLFWwindow* window, Input& input) {
  input.pressed = false;
  if (!input.late_releases.empty()) input.happened = true;
  for (const KeyEvent& e : std::exchange(input.late_releases, {})) {
    ImGui_ImplGlfw_KeyCallback(window, e.key, e.code, GLFW_RELEASE, e.modifiers);
  }
}

void install_callbacks(GLFWwindow* window) {
  glfwSetKeyCallback(window, on_key);
  glfwSetCharCallback(window, [](GLFWwindow* w, unsigned c) {
    input_of(w);
    ImGui_ImplGlfw_CharCallback(w, c);
  });
  glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int modifiers) {
    input_of(w);
    ImGui_ImplGlfw_MouseButtonCallback(w, button, action, modifiers);
  });
  glfwSetScrollCallback(window, [](GLFWwindow* w, double x, double y) {
    input_of(w);
    ImGui_ImplGlfw_ScrollCallback(w, x, y);
  });
  glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int focused) {
    input_of(w);
    ImGui_ImplGlfw_WindowFocusCallback(w, focused);
  });
  glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int entered) {
    input_of(w);
    ImGui_ImplGlfw_CursorEnterCallback(w, entered);
  });
  glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { input_of(w); });
  glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { input_of(w); });
  glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { input_of(w); });
  glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { input_of(w); });
  glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** files) {
    const Input& input = input_of(w);
    if (count > 0 && input.on_drop) input.on_drop(files[0]);
  });
}

GLFWwindow* create_window(const PlatformOptions& options) {
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_MAXIMIZED, options.maximised && !options.exact_size ? GLFW_TRUE : GLFW_FALSE);
  int width = options.width, height = options.height;
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  if (monitor && !options.exact_size) {
    int x = 0, y = 0, w = 0, h = 0;
    glfwGetMonitorWorkarea(monitor, &x, &y, &w, &h);
    if (w > 0) width = std::min(width, w);
    if (h > 0) height = std::min(height, h);
  }
  return glfwCreateWindow(width, height, "Warplens", nullptr, nullptr);
}

}  // namespace

namespace {

// Mesa's software OpenGL: it pays for every pixel, and its back buffer still holds the frame before, since
// showing one copies it.
bool draws_in_software() {
  const auto* name = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  const std::string_view renderer = name ? name : "";
  return renderer.starts_with("llvmpipe") || renderer.starts_with("softpipe");
}

// Draws a part of the frame: every command that reaches into it, clipped to it.
void draw_part(ImDrawData& data, const PixelRect& part, int height) {
  std::vector<ImVec4> clips;
  for (int i = 0; i < data.CmdListsCount; ++i)
    for (ImDrawCmd& command : data.CmdLists[i]->CmdBuffer) {
      clips.push_back(command.ClipRect);
      PixelRect clip = common(clip_of(command, height), part);
      if (clip.empty()) clip = {};
      command.ClipRect = {static_cast<float>(clip.left), static_cast<float>(clip.top),
                          static_cast<float>(clip.right), static_cast<float>(clip.bottom)};
    }
  glEnable(GL_SCISSOR_TEST);
  glScissor(part.left, height - part.bottom, part.right - part.left, part.bottom - part.top);
  glClear(GL_COLOR_BUFFER_BIT);
  glDisable(GL_SCISSOR_TEST);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
  std::size_t next = 0;
  for (int i = 0; i < data.CmdListsCount; ++i)
    for (ImDrawCmd& command : data.CmdLists[i]->CmdBuffer) command.ClipRect = clips[next++];
}

}  // namespace

namespace {

struct WindowPlace {
  int x = 0, y = 0, width = 0, height = 0;
};

// The screen that shows most of a window; null where there is none.
GLFWmonitor* monitor_under(const WindowPlace& p) {
  int count = 0;
  GLFWmonitor** all = glfwGetMonitors(&count);
  GLFWmonitor* best = nullptr;
  long most = -1;
  for (int i = 0; i < count; ++i) {
    int x = 0, y = 0;
    glfwGetMonitorPos(all[i], &x, &y);
    const GLFWvidmode* mode = glfwGetVideoMode(all[i]);
    if (!mode) continue;
    const long wide = std::max(0, std::min(p.x + p.width, x + mode->width) - std::max(p.x, x));
    const long high = std::max(0, std::min(p.y + p.height, y + mode->height) - std::max(p.y, y));
    if (wide * high > most) {
      most = wide * high;
      best = all[i];
    }
  }
  return best;
}

}  // namespace

struct Platform::State {
  GLFWwindow* window = nullptr;
  WindowPlace before;  // it filled the screen
  bool imgui = false;
  bool in_parts = false;  // a frame draws only what has changed
  Damage damage;
  Input input;
  EndRequests ends{[] { Platform::wake(); }};
};

Result<std::unique_ptr<Platform>> Platform::open(const PlatformOptions& options) {
  glfwSetErrorCallback([](int, const char* text) { last_glfw_error() = text; });
  if (!glfwInit())
    return no_display(last_glfw_error().empty() ? value_of(Key{"app.there_is_none"})
                                                : value_of(last_glfw_error()));
  std::unique_ptr<Platform> platform(new Platform);
  platform->state_ = std::make_unique<State>();
  State& state = *platform->state_;
  state.window = create_window(options);
  if (!state.window)
    return told(ErrorKind::System, {"app.no_opengl", {{"reason", value_of(last_glfw_error())}}});
  glfwSetWindowUserPointer(state.window, &state.input);
  glfwSetWindowSizeLimits(state.window, kLeastWidth, kLeastHeight, GLFW_DONT_CARE, GLFW_DONT_CARE);
  glfwMakeContextCurrent(state.window);
  if (gladLoadGL(glfwGetProcAddress) == 0) return no_display(value_of(Key{"app.no_functions"}));
  // A picture that nobody sees must not wait for a screen.
  glfwSwapInterval(options.exact_size ? 0 : 1);
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;  // layout is ours
  io.ConfigWindowsMoveFromTitleBarOnly = true;
  ImGui_ImplGlfw_InitForOpenGL(state.window, false);
  install_callbacks(state.window);
  ImGui_ImplOpenGL3_Init("#version 330 core");
  state.imgui = true;
  state.in_parts = draws_in_software() && ImGui::GetIO().DisplayFramebufferScale.x == 1;
  return platform;
}

Platform::~Platform() {
  if (state_ && state_->imgui) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
  }
  if (state_ && state_->window) glfwDestroyWindow(state_->window);
  glfwTerminate();
}

bool Platform::should_close() const {
  return glfwWindowShouldClose(state_->window) || state_->ends.came();
}

bool Platform::wait(double seconds) {
  if (seconds <= 0) {
    glfwPollEvents();
  } else {
    glfwWaitEventsTimeout(std::min(seconds, 3600.0));
  }
  return std::exchange(state_->input.happened, false);
}

void Platform::wake() {
  glfwPostEmptyEvent();
}

float Platform::monitor_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(state_->window, &x, &y);
  int width = 1, height = 1, pixels_x = 1, pixels_y = 1;
  glfwGetWindowSize(state_->window, &width, &height);
  glfwGetFramebufferSize(state_->window, &pixels_x, &pixels_y);
  // Where window coordinates are already scaled (macOS, Wayland) only the rest is ours to do.
  const float ratio = width > 0 ? static_cast<float>(pixels_x) / static_cast<float>(width) : 1.0f;
  const float scale = std::clamp(x / std::max(0.5f, ratio), 0.5f, 4.0f);
  if (scale > 1) return scale;
  // A system that says nothing of a screen's density would leave 13 pixels of text on one of 2560 x 1440 or
  // 3840 x 2160. In quarters, so that a border which is dragged seldom makes new fonts.
  const float larger =
      std::min(static_cast<float>(pixels_x) / kPlainColumns, static_cast<float>(pixels_y) / kPlainRows);
  return std::max(scale, std::floor(4 * larger) / 4);
}

void Platform::size(int& width, int& height) const {
  glfwGetWindowSize(state_->window, &width, &height);
}

void Platform::resize(int width, int height) {
  glfwSetWindowSize(state_->window, width, height);
}

bool Platform::maximised() const {
  return glfwGetWindowAttrib(state_->window, GLFW_MAXIMIZED) == GLFW_TRUE;
}

void Platform::fill_screen(bool on) {
  State& state = *state_;
  if (on == fills_screen()) return;
  if (!on) {
    const WindowPlace& p = state.before;
    return glfwSetWindowMonitor(state.window, nullptr, p.x, p.y, p.width, p.height, GLFW_DONT_CARE);
  }
  WindowPlace& p = state.before;
  glfwGetWindowPos(state.window, &p.x, &p.y);
  glfwGetWindowSize(state.window, &p.width, &p.height);
  if (GLFWmonitor* monitor = monitor_under(p)) {
    const GLFWvidmode* mode = glfwGetVideoMode(monitor);
    glfwSetWindowMonitor(state.window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
  }
}

bool Platform::fills_screen() const {
  return glfwGetWindowMonitor(state_->window) != nullptr;
}

double Platform::now() const {
  return glfwGetTime();
}

void Platform::begin_frame(bool new_fonts) {
  if (new_fonts) {
    state_->damage.forget();
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
  }
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
}

void Platform::end_frame(float r, float g, float b) {
  ImGui::Render();
  int width = 0, height = 0;
  glfwGetFramebufferSize(state_->window, &width, &height);
  glViewport(0, 0, width, height);
  glClearColor(r, g, b, 1);
  ImDrawData& data = *ImGui::GetDrawData();
  if (!state_->in_parts) {
    glClear(GL_COLOR_BUFFER_BIT);
    return ImGui_ImplOpenGL3_RenderDrawData(&data);
  }
  const std::uint32_t ground = ImGui::ColorConvertFloat4ToU32({r, g, b, 1});
  for (const PixelRect& part : state_->damage.since_last(data, width, height, ground))
    draw_part(data, part, height);
}

void Platform::present() {
  glfwSwapBuffers(state_->window);
  release_keys(state_->window, state_->input);
}

void Platform::on_drop(std::function<void(const std::string&)> open) {
  state_->input.on_drop = std::move(open);
}

void Platform::finish() const {
  glFinish();
}

Status Platform::screenshot(const std::string& file) const {
  int width = 0, height = 0;
  glfwGetFramebufferSize(state_->window, &width, &height);
  const auto row = static_cast<std::ptrdiff_t>(width) * 4;
  std::vector<unsigned char> pixels(static_cast<std::size_t>(row) * static_cast<std::size_t>(height));
  glReadBuffer(GL_BACK);
  glReadPixels(0, 0, width, height, GL_BGRA, GL_UNSIGNED_BYTE, pixels.data());
  // OpenGL's first row is the lowest: the picture is read from its end.
  const std::optional<std::string> png =
      height > 0 ? visual::png_of(pixels.data() + row * (height - 1), width, height, -row) : std::nullopt;
  if (!png) return told(ErrorKind::System, {"app.no_memory_for_picture", {{"file", value_of(file)}}});
  return write_text(file, *png);
}

}  // namespace warplens::window
