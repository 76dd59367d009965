// Two controls of one frame that share an ID are one to ImGui: a click on the one is a click on the other.
// The packaged library (1.86) does not report that. Every control announces itself with ImGui::ItemAdd(), so
// this binary is linked with a wrapper around it (--wrap), which sees all of them, the library's own
// included.
//
// The test starts itself once more in a virtual display, opens the window there and walks through it.
#include <gmock/gmock.h>
#include <imgui_internal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "app/window/window.h"
#include "engine/base/assets.h"
#include "tests/window/screen.h"
#include "visual/view.h"

namespace {

struct Seen {
  int frame = -1, items = 0;
  std::map<ImGuiID, ImRect> of_frame;
  std::set<std::string> conflicts;

  void add(const ImRect& box, ImGuiID id) {
    if (id == 0 || ImGui::GetCurrentContext() == nullptr) return;
    if (frame != ImGui::GetFrameCount()) of_frame.clear();
    frame = ImGui::GetFrameCount();
    ++items;
    const auto [first, is_new] = of_frame.emplace(id, box);
    // A control that announces itself twice stands at one place.
    if (is_new || (first->second.Min.x == box.Min.x && first->second.Min.y == box.Min.y)) return;
    char words[200];
    std::snprintf(words, sizeof words, "%s: (%.0f, %.0f) and (%.0f, %.0f)",
                  ImGui::GetCurrentWindowRead()->Name, static_cast<double>(first->second.Min.x),
                  static_cast<double>(first->second.Min.y), static_cast<double>(box.Min.x),
                  static_cast<double>(box.Min.y));
    conflicts.insert(words);
  }
};
Seen& seen() {
  static Seen one;
  return one;
}

}  // namespace

// Names that the linker makes of ImGui::ItemAdd's.
// NOLINTBEGIN
extern "C" {
bool __real__ZN5ImGui7ItemAddERK6ImRectjPS1_i(const ImRect& box, ImGuiID id, const ImRect* nav,
                                              ImGuiItemFlags flags);
bool __wrap__ZN5ImGui7ItemAddERK6ImRectjPS1_i(const ImRect& box, ImGuiID id, const ImRect* nav,
                                              ImGuiItemFlags flags) {
  seen().add(box, id);
  return __real__ZN5ImGui7ItemAddERK6ImRectjPS1_i(box, id, nav, flags);
}
}
// NOLINTEND

namespace warplens::window {
namespace {

constexpr const char* kInside = "WARPLENS_ITEM_IDS";

class ItemIds : public testing::ScreenTest {
 protected:
  // In the display: what a script leads to, looked at frame by frame.
  static int walk() {
    AppOptions options;
    options.forget = true;
    options.width = 1600;
    options.height = 1000;
    options.language = "en";
    options.script = std::getenv(kInside);
    const Result<int> done = open(options);
    if (!done) std::printf("%s\n", done.error().text().c_str());
    std::printf("%d items\n", seen().items);
    for (const std::string& conflict : seen().conflicts) std::printf("conflict in %s\n", conflict.c_str());
    return done ? 0 : 1;
  }
  // By a display of its own: what it printed.
  std::string walked(const std::string& script) const {
    const std::string file = (folder_ / "walk.txt").string(), out = (folder_ / "walked.txt").string();
    EXPECT_TRUE(write_text(file, script));
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    const auto done =
        testing::run_shell(std::string(kInside) + "=" + file +
                           " LIBGL_ALWAYS_SOFTWARE=1 timeout 200 xvfb-run -a -s '-screen 0 1920x1200x24' " +
                           self + " --gtest_filter=ItemIds.InsideTheDisplay > " + out);
    EXPECT_EQ(done.code, 0) << done.error;
    return read_text(out).value();
  }
};

TEST_F(ItemIds, InsideTheDisplay) {
  if (std::getenv(kInside) == nullptr) GTEST_SKIP() << "is started by the others";
  EXPECT_EQ(walk(), 0);
}

std::string all_views() {
  std::string out;
  const auto views = visual::all_views();
  for (std::size_t i = 0; i < views.size(); i += 2)
    out += "view " + std::string(views[i].id) + " " + std::string(views[(i + 1) % views.size()].id) +
           "\nwait 0.1\n";
  // Both panes with the same view have the same controls.
  for (const char* both : {"source", "timing", "sm-in-motion", "matrix", "grid-overview"})
    out += std::string("view ") + both + " " + both + "\nwait 0.1\n";
  return out;
}

TEST_F(ItemIds, AreDifferentInEveryViewAndPanel) {
  std::string script;
  for (const char* kernel : {"copy_strided", "transpose_tile", "mandelbrot", "host_transfer"})
    script += std::string("open ") + kernel + "\nwait settled 60\n" + all_views();
  // A comparison, menus (devices, settings, side A, saving; a click beside closes them), the keys, the shelf,
  // the languages, a lesson and the place of a program.
  script += "open copy_strided\nwait settled 60\npress c\nset stride 8\nwait settled 60\npress l\n";
  for (const char* place : {"1133 25", "1464 25", "306 768", "1572 65"})
    script += std::string("click ") + place + "\nwait 0.2\nclick 700 25\nwait 0.1\n";
  script +=
      "press c\n"
      "press f1\npress escape\npress k\nwait 0.1\npress k\nlook zh\nwait 0.2\nlook light\nwait 0.2\n"
      "lesson coalescing\nwait settled 60\nnext\nnext\nwait 0.3\npress r\nwait 0.3\npress r\n";
  const std::string said = walked(script);
  EXPECT_THAT(said, ::testing::ContainsRegex("[0-9][0-9][0-9][0-9][0-9] items")) << said;
  EXPECT_THAT(said, ::testing::Not(::testing::HasSubstr("conflict"))) << said;
}

// The test above can fail: two buttons of one name are seen.
TEST(ItemIdsSeen, ByTheWrapper) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {200, 200};
  io.IniFilename = nullptr;
  unsigned char* pixels = nullptr;
  int width = 0, height = 0;
  io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  seen() = {};
  ImGui::NewFrame();
  ImGui::Begin("panel");
  ImGui::InvisibleButton("twice", {10, 10});
  ImGui::InvisibleButton("once", {10, 10});
  EXPECT_TRUE(seen().conflicts.empty());
  ImGui::InvisibleButton("twice", {10, 10});
  EXPECT_THAT(seen().conflicts, ::testing::ElementsAre(::testing::StartsWith("panel: ")));
  ImGui::End();
  ImGui::EndFrame();
  ImGui::DestroyContext();
  seen() = {};
}

}  // namespace
}  // namespace warplens::window
