#include "app/window/shell/shell.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/model/text/in_language.h"
#include "app/window/draw/style.h"
#include "app/window/panels/file_panel.h"
#include "engine/base/assets.h"

namespace warplens::window {
namespace {

constexpr double kCaretBlink = 0.25;
// Bound of every wait, so that nothing can be missed for longer.
constexpr double kLongestSleep = 30;

bool pressed(int key) {
  return ImGui::IsKeyPressed(key);
}

void slider_keys(Ui& ui) {
  const model::GalleryKernel* kernel = ui.bench.kernel();
  if (!kernel || kernel->sliders.empty()) return;
  const auto& sliders = kernel->sliders;
  const auto at = std::find_if(sliders.begin(), sliders.end(),
                               [&](const model::Slider& s) { return s.name == ui.state.focused_slider; });
  if (pressed(GLFW_KEY_TAB)) {
    const std::size_t count = sliders.size();
    const std::size_t index = at == sliders.end() ? 0 : static_cast<std::size_t>(at - sliders.begin()) + 1;
    const std::size_t back =
        at == sliders.end() ? count - 1 : static_cast<std::size_t>(at - sliders.begin()) + count - 1;
    ui.state.focused_slider = sliders[(ImGui::GetIO().KeyShift ? back : index) % count].name;
    return;
  }
  if (at == sliders.end()) {
    // Without a focus the vertical keys take the first slider: it is the one the kernel is about.
    if (pressed(GLFW_KEY_UP) || pressed(GLFW_KEY_DOWN)) ui.state.focused_slider = sliders.front().name;
    return;
  }
  const int step = ImGui::GetIO().KeyShift ? 10 : 1;
  if (pressed(GLFW_KEY_UP)) ui.bench.notch(at->name, step);
  if (pressed(GLFW_KEY_DOWN)) ui.bench.notch(at->name, -step);
  if (pressed(GLFW_KEY_BACKSPACE) || pressed(GLFW_KEY_DELETE)) ui.bench.reset_value(at->name);
  if (pressed(GLFW_KEY_ENTER)) {
    ui.state.typed_slider = at->name;
    ui.state.typed_value = std::to_string(ui.bench.value(at->name));
  }
}

void time_keys(Ui& ui) {
  Workbench& bench = ui.bench;
  if (pressed(GLFW_KEY_SPACE)) bench.play(!bench.playing());
  const bool slider = !ui.state.focused_slider.empty();
  if (!slider && pressed(GLFW_KEY_RIGHT)) {
    bench.play(false);
    bench.next();
  }
  if (!slider && pressed(GLFW_KEY_LEFT)) bench.back();
  // A clicker's buttons are the page keys: its speaker goes from one new thing to the next.
  Playback& time = bench.playback();
  if (pressed(GLFW_KEY_PAGE_DOWN)) {
    time.play(false);
    time.next_way_point();
  }
  if (pressed(GLFW_KEY_PAGE_UP)) time.last_way_point();
  if (pressed(GLFW_KEY_W) && !time.to_waste(ImGui::GetIO().KeyShift ? -1 : 1))
    bench.note(Message{
        ImGui::GetIO().KeyShift ? "window.transport.no_waste_before" : "window.transport.no_waste_after",
        {}});
  if (slider && pressed(GLFW_KEY_RIGHT)) bench.notch(ui.state.focused_slider, 1);
  if (slider && pressed(GLFW_KEY_LEFT)) bench.notch(ui.state.focused_slider, -1);
  if (pressed(GLFW_KEY_HOME)) bench.go_to_stop(0, false);
  if (pressed(GLFW_KEY_END)) bench.go_to_stop(bench.timeline().size(), false);
  if (pressed(GLFW_KEY_EQUAL) || pressed(GLFW_KEY_KP_ADD)) bench.faster(1);
  if (pressed(GLFW_KEY_MINUS) || pressed(GLFW_KEY_KP_SUBTRACT)) bench.faster(-1);
}

// Of the whole window, wherever one is.
void look_keys(Ui& ui) {
  // F5 is what a clicker sends to begin; its "b" makes the screen dark and leaves the bench alone.
  if (pressed(GLFW_KEY_P) || pressed(GLFW_KEY_F5)) ui.state.presenting = !ui.state.presenting;
  Settings& settings = ui.bench.settings;
  if (pressed(GLFW_KEY_T)) settings.theme = settings.theme == "dark" ? "light" : "dark";
  if (pressed(GLFW_KEY_M)) settings.reduce_motion = !settings.reduce_motion;
  if (pressed(GLFW_KEY_SLASH) || pressed(GLFW_KEY_F1)) ui.state.help = !ui.state.help;
}

// The next of a list, or with Shift the one before; over its ends to the other one.
std::size_t neighbour(std::size_t at, std::size_t count) {
  return (at + (ImGui::GetIO().KeyShift ? count - 1 : 1)) % count;
}

// What the shelf and the menu of devices are for the mouse.
void choice_keys(Ui& ui) {
  if (pressed(GLFW_KEY_K)) {
    if (ui.layout.shelf_folded)
      ui.state.shelf_open = !ui.state.shelf_open;
    else
      ui.bench.settings.shelf_folded = true;
  }
  if (pressed(GLFW_KEY_N)) {
    std::vector<std::string> ids;
    for (const model::Topic& topic : ui.bench.gallery().topics)
      ids.insert(ids.end(), topic.kernels.begin(), topic.kernels.end());
    const std::string now = ui.bench.kernel() ? ui.bench.kernel()->id : std::string();
    const auto at = std::find(ids.begin(), ids.end(), now);
    // From a file of the user's to the first one.
    if (at == ids.end() && !ids.empty()) ui.bench.open_kernel(ids.front());
    if (at != ids.end())
      ui.bench.open_kernel(ids[neighbour(static_cast<std::size_t>(at - ids.begin()), ids.size())]);
  }
  if (pressed(GLFW_KEY_D)) {
    const auto& devices = ui.bench.devices().devices();
    const auto at = std::find_if(devices.begin(), devices.end(),
                                 [&](const analysis::Device& d) { return d.name == ui.bench.device_name(); });
    if (at == devices.end()) return;
    const auto& next = devices[neighbour(static_cast<std::size_t>(at - devices.begin()), devices.size())];
    ui.bench.choose_device(next.name);
    ui.bench.note({"window.top.modelled_now", {{"device", value_of(next.name)}}});
  }
}

void bench_keys(Ui& ui) {
  Settings& settings = ui.bench.settings;
  PanelState& state = ui.state;
  const auto views = visual::all_views();
  // 1 to 9 and 0 are the first ten, with Shift the others.
  const int first = ImGui::GetIO().KeyShift ? 10 : 0;
  for (int i = first; i < static_cast<int>(views.size()) && i < first + 10; ++i) {
    if (pressed(GLFW_KEY_0 + (i - first + 1) % 10)) {
      const int slot = ui.layout.view_count == 1 ? std::max(0, state.full_view) : state.active_view;
      settings.views[static_cast<std::size_t>(slot)] = views[static_cast<std::size_t>(i)].id;
    }
  }
  if (pressed(GLFW_KEY_V) && ui.layout.view_count == 2) state.active_view = 1 - state.active_view;
  if (pressed(GLFW_KEY_F)) state.full_view = state.full_view < 0 ? state.active_view : -1;
  if (pressed(GLFW_KEY_B) && (!state.presenting || ImGui::GetIO().KeyShift))
    state.bench_wanted = !state.bench_wanted;
  if (pressed(GLFW_KEY_C)) ui.bench.pinned() ? ui.bench.stop_comparing() : ui.bench.compare();
  if (pressed(GLFW_KEY_X)) ui.bench.swap_sides();
  if (pressed(GLFW_KEY_L) && ui.bench.pinned()) ui.bench.link_sides(!ui.bench.pinned()->linked);
  if (pressed(GLFW_KEY_E)) {
    state.show_ptx = false;
    state.editing = true;
  }
}

}  // namespace

Shell::Shell(Platform& platform, Workbench& bench, Fonts& fonts, const AppOptions& options)
    : platform_(platform), bench_(bench), fonts_(fonts), options_(options), measure_(fonts) {
  platform_.on_drop([this](const std::string& file) { drop(file); });
}

void Shell::drop(const std::string& file) {
  bench_.open_file(file, "");
  state_.editing = state_.shelf_open = false;
  if (program_ != nullptr) program_->show(false);
}

float Shell::scale() const {
  const double base = options_.scale > 0 ? options_.scale : static_cast<double>(platform_.monitor_scale());
  return static_cast<float>(std::clamp(base * bench_.settings.zoom * presenting(), 0.5, 8.0));
}

// As large as leaves room for a page and a picture: what is twice as large on a projector of 1920 by 1080 is
// as large on the wall with one of 1280 by 720 or of 3840 by 2160.
double Shell::presenting() const {
  constexpr double kMost = 4, kLeast = 1.25, kWidth = 960, kHeight = 540;
  if (!state_.presenting) return 1;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  if (display.x <= 0 || display.y <= 0) return kMost;
  const double base = options_.scale > 0 ? options_.scale : static_cast<double>(platform_.monitor_scale());
  return std::clamp(std::min(display.x / (base * kWidth), display.y / (base * kHeight)), kLeast, kMost);
}

void Shell::use_language() {
  const std::string& wanted = bench_.settings.language;
  if (catalogue_ && language_ == wanted) return;
  Result<Catalogue> loaded = Catalogue::load(wanted);
  // A broken catalogue shows its keys; the rest of the window works.
  catalogue_ = loaded ? std::move(*loaded) : Catalogue();
  language_ = wanted;
  fonts_.need(catalogue_->characters());
  fonts_.need(std::string_view("中文"));
  for (const model::Topic& topic : bench_.gallery().topics)
    fonts_.need(model::in_language(topic.title, wanted));
  for (const model::GalleryKernel& kernel : bench_.gallery().kernels) {
    fonts_.need(model::in_language(kernel.title, wanted));
    fonts_.need(model::in_language(kernel.summary, wanted));
    for (const model::Slider& s : kernel.sliders) {
      fonts_.need(model::in_language(s.title, wanted));
      fonts_.need(model::in_language(s.hint, wanted));
    }
  }
}

// Whatever stands in the source or in an error must be readable, in any script.
void Shell::need_characters() {
  if (bench_.text().size() != text_size_) {
    text_size_ = bench_.text().size();
    fonts_.need(bench_.text());
  }
  if (bench_.error()) fonts_.need(bench_.error()->message);
  if (lessons_ == nullptr || lesson_language_ == bench_.settings.language) return;
  lesson_language_ = bench_.settings.language;
  need_glossary(fonts_, lesson_language_);
  for (const lesson::Lesson& one : lessons_->shelf().lessons)
    if (const auto text = read_text(one.text(lesson_language_).file)) fonts_.need(*text);
  for (const lesson::ShelfTopic& topic : lessons_->shelf().topics)
    fonts_.need(model::in_language(topic.title, lesson_language_));
}

void Shell::use(LessonSession& lessons) {
  lessons_ = &lessons;
  lesson_stage_.emplace(lessons);
  set_stage_stand_in(&*lesson_stage_);
}

// What another editor writes to the open file is taken; a file that was opened is among the recent ones.
void Shell::follow_file(double now) {
  const std::string& file = bench_.setup().users_file;
  if (file != last_file_) {
    last_file_ = file;
    if (!file.empty()) remember_file(bench_.settings.recent, file);
    fonts_.need(file);
  }
  if (watch_.changed(file, now)) bench_.read_again();
}

bool Shell::tick(double now) {
  follow_file(now);
  const bool moved = bench_.tick(now);
  const bool ran = program_ != nullptr && program_->tick(now);
  return (lessons_ != nullptr && lessons_->tick(now)) || moved || ran;
}

bool Shell::settled() const {
  return bench_.settled() && (lessons_ == nullptr || !lessons_->busy());
}

double Shell::next_wake(double now) const {
  const double bench = bench_.next_wake(now);
  return program_ == nullptr ? bench : std::min(bench, program_->next_wake());
}

double Shell::next_draw(double now) const {
  return state_.editing ? std::min(next_wake(now), kCaretBlink) : next_wake(now);
}

// What runs is ended before its place is left.
bool Shell::escape_program() {
  if (program_ == nullptr || !program_->shown() || state_.help) return false;
  if (program_->busy())
    program_->stop();
  else if (program_state_.form && program_->state() == ProgramSession::State::Ended)
    program_state_.form = false;
  else
    program_->show(false);
  return true;
}

bool Shell::lesson_keys() {
  if (lessons_ == nullptr || !lessons_->takes_bench() || lessons_->lesson() == nullptr) return false;
  const bool arrows = state_.focused_slider.empty();
  if (pressed(GLFW_KEY_PAGE_DOWN) || (arrows && pressed(GLFW_KEY_RIGHT))) {
    if (!scroll_page(lesson_state_, *lessons_, 1)) lessons_->next();
    return true;
  }
  if (pressed(GLFW_KEY_PAGE_UP) || (arrows && pressed(GLFW_KEY_LEFT))) {
    if (!scroll_page(lesson_state_, *lessons_, -1)) lessons_->back();
    return true;
  }
  if (ImGui::GetIO().KeyShift) {
    if (pressed(GLFW_KEY_UP) && lessons_->move_last(-1)) return true;
    if (pressed(GLFW_KEY_DOWN) && lessons_->move_last(1)) return true;
  }
  if (arrows && (pressed(GLFW_KEY_UP) || pressed(GLFW_KEY_DOWN))) return true;  // the page scrolls by them
  for (int answer = 1; answer <= 9 && !ImGui::GetIO().KeyShift; ++answer)
    if (pressed(GLFW_KEY_0 + answer) && lessons_->pick(answer)) return true;
  return false;
}

// A speaker's dark screen. True: it is, or was until this key.
bool Shell::blank_keys() {
  const bool asked =
      pressed(GLFW_KEY_PERIOD) || (state_.presenting && pressed(GLFW_KEY_B) && !ImGui::GetIO().KeyShift);
  if (!blank_) {
    blank_ = asked && !ImGui::GetIO().WantTextInput && !ImGui::GetIO().KeyCtrl;
    return blank_;
  }
  bool touched = ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key) touched = touched || pressed(key);
  blank_ = !touched;
  return true;
}

void Shell::keyboard(Ui& ui) {
  if (blank_keys()) return;
  const bool menu = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  if (pressed(GLFW_KEY_F11)) platform_.fill_screen(!platform_.fills_screen());
  if (pressed(GLFW_KEY_ESCAPE) && !menu && !escape_program()) {
    if (state_.help) {
      state_.help = false;
    } else if (bench_.seconds_running() > kRunShown) {  // the bar that names this key is there
      bench_.cancel();
    } else if (!state_.open_term.empty()) {
      state_.open_term.clear();
    } else if (state_.editing) {
      state_.editing = false;
    } else if (!state_.focused_slider.empty()) {
      state_.focused_slider.clear();
    } else if (!bench_.selection().empty()) {
      bench_.clear_selection();
    } else if (state_.full_view >= 0) {
      state_.full_view = -1;
    } else if (bench_.seconds_running() > 0.15) {
      bench_.cancel();
    } else {
      state_.presenting = false;
    }
  }
  // While a text is edited too.
  if (ImGui::GetIO().KeyCtrl && !menu) {
    if (pressed(GLFW_KEY_O)) ask_for_file(FileTask::Open);
    if (pressed(GLFW_KEY_S)) ImGui::GetIO().KeyShift ? ask_for_file(FileTask::Save) : save_or_ask(ui);
  }
  if (ImGui::GetIO().WantTextInput) return;
  if (ImGui::GetIO().KeyCtrl) {
    const bool again = pressed(GLFW_KEY_Y) || (ImGui::GetIO().KeyShift && pressed(GLFW_KEY_Z));
    if (again) {
      bench_.redo();
    } else if (pressed(GLFW_KEY_Z)) {
      bench_.undo();
    }
    return;
  }
  look_keys(ui);
  if (program_ != nullptr && pressed(GLFW_KEY_R)) {
    program_->show(!program_->shown());
  } else if (program_ != nullptr && program_->shown()) {
    if (!menu) program_keys({ui, *program_, program_state_});
  } else if (!lesson_keys()) {
    time_keys(ui);
    slider_keys(ui);
    bench_keys(ui);
    choice_keys(ui);
  }
}

void Shell::draw_place(Ui& ui, bool lesson) {
  if (program_ != nullptr && program_->shown()) return draw_program({ui, *program_, program_state_});
  visual::Rect strip;
  if (program_ != nullptr && !lesson) arrange_program(*program_, ui.layout, strip);
  draw_stage(ui);
  if (lesson)
    draw_lesson_page({ui, *lessons_, lesson_state_});
  else
    draw_bench(ui);
  draw_slider_bar(ui);
  draw_transport(ui);
  if (program_ != nullptr) draw_program_strip({ui, *program_, program_state_}, strip);
}

// Another place was chosen, or a kernel of the shelf; a launch opens on the bench, not in a lesson.
void Shell::leave_program() {
  if (!state_.program) program_->show(false);
  if (!program_->shown() && program_->open() && lessons_ != nullptr)
    lessons_->show(LessonSession::Mode::Explore);
}

void Shell::frame(double now, double seconds) {
  use_language();
  need_characters();
  const bool new_fonts = fonts_.prepare(scale());
  if (new_fonts) use_metrics(scale());
  const visual::Theme& theme =
      bench_.settings.theme == "light" ? visual::Theme::light() : visual::Theme::dark();
  use_colours(theme);
  platform_.begin_frame(new_fonts);
  ImGui::GetIO().DeltaTime = static_cast<float>(std::max(1e-4, seconds));
  if (points_at_) ImGui::GetIO().MousePos = {points_at_->x * fonts_.scale(), points_at_->y * fonts_.scale()};
  if (pretend_) pretend_(ImGui::GetIO());
  ImGui::NewFrame();

  const float s = fonts_.scale();
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ArrangementInput input;
  input.size = {display.x / s, display.y / s};
  input.shelf_folded = bench_.settings.shelf_folded;
  input.two_views = bench_.settings.two_views;
  input.presenting = state_.presenting;
  const bool lesson = lessons_ != nullptr && lessons_->takes_bench();
  input.bench_wanted = state_.bench_wanted || lesson;
  // The gallery makes room for the page; its rail stays.
  input.shelf_folded = input.shelf_folded || lesson;
  input.comparing = bench_.pinned() != nullptr;
  input.bench_width = static_cast<float>(bench_.settings.bench_width);
  input.upper_view = static_cast<float>(bench_.settings.upper_view);
  input.full_view = state_.full_view;
  input.has_sliders = bench_.kernel() && !bench_.kernel()->sliders.empty();
  Ui ui{bench_, *catalogue_, fonts_, theme, measure_, state_, arrange(input), now};
  if (lesson)
    arrange_lesson(ui.layout,
                   input.has_sliders && lessons_->lesson() != nullptr ? bench_.kernel()->sliders.size() : 0);

  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(display);
  ImGui::Begin("###root", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoScrollWithMouse);
  state_.next_hover = {};
  state_.program = program_ != nullptr && program_->shown();
  const bool elsewhere = state_.program;
  draw_place(ui, lesson);
  draw_top_bar(ui);
  if (lessons_ != nullptr) draw_lesson_modes({ui, *lessons_, lesson_state_});
  if (program_ != nullptr) draw_program_mode({ui, *program_, program_state_});
  draw_shelf(ui);
  ImGui::End();
  if (lessons_ != nullptr) draw_term({ui, *lessons_, lesson_state_});
  draw_open_shelf(ui);
  if (elsewhere) leave_program();
  draw_overlays(ui);
  draw_file_panel(ui);
  keyboard(ui);
  if (blank_) ImGui::GetForegroundDrawList()->AddRectFilled({0, 0}, display, IM_COL32_BLACK);
  bench_.set_hover(state_.next_hover);
  const visual::Colour ground = theme.resolve(visual::Ink::of(visual::Role::Ground));
  platform_.end_frame(ground.r, ground.g, ground.b);
}

Status Shell::run() {
  double last = platform_.now();
  int frames = kFramesAfterInput;
  while (!platform_.should_close()) {
    double wait = std::min(next_draw(platform_.now()), kLongestSleep);
    if (watch_.watches()) wait = std::min(wait, 1.0);
    if (frames > 0) wait = 0;
    // Some systems show frames without waiting for the screen; never draw faster than it could show.
    const double since = platform_.now() - last;
    if (wait < kFrame) wait = std::max(0.0, kFrame - since);
    if (platform_.wait(wait)) frames = kFramesAfterInput;
    const double now = platform_.now();
    const bool changed = tick(now);
    const bool moving = bench_.seconds_running() > 0.15 || state_.editing || bench_.measuring() ||
                        (program_ != nullptr && program_->busy());
    if (frames <= 0 && !changed && !moving) continue;
    if (changed) frames = std::max(frames, 2);
    frame(now, now - last);
    platform_.present();
    last = now;
    --frames;
  }
  return Done{};
}

}  // namespace warplens::window
