// Any text as the window's settings, and as a script that is played on a workbench whose engine answers at
// once: it is refused with a line, or plays to its end.
#include "app/window/session/settings.h"
#include "app/window/shell/script.h"
#include "tests/fuzz/target.h"
#include "tests/window/fake_engine.h"

using namespace warplens;
using namespace warplens::window;

namespace {

void play(const std::vector<ScriptAction>& actions) {
  testing::Calls calls;
  static const auto devices = *analysis::DeviceCatalogue::load();
  Workbench bench(testing::gallery("fuzz.cu"), devices, testing::engine_with_gpu(calls), [] {});
  ScriptPlayer player(actions, "fuzz");
  double now = 0;
  for (int frame = 0; frame < 60 && !player.done(); ++frame, now += 0.5) {
    bench.tick(now);
    if (!player.advance(bench, now)) return;
    (void)player.take_screenshot();
    (void)player.take_reports();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const std::string written = to_toml(parse_settings(text));
  if (to_toml(parse_settings(written)) != written)
    fuzz::complain("settings written and read differ", written);
  if (const auto actions = parse_script(text, "fuzz"); actions && !actions->empty() && actions->size() < 20)
    play(*actions);
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> out = files_in("tools/gpu/window", ".txt");
  Settings settings;
  settings.kernel = "strided";
  settings.views = {"address-map", "bank-view"};
  out.push_back(to_toml(settings));
  out.push_back(
      "open strided\nwait settled 1\nset stride 4\ndrag blocks 1 64 1.5\nview counters stalls\nreport\n");
  out.push_back(
      "file mine.cu k\nwait picture 2\nscreenshot a.png\nlook light\nlook zh\ndevice gpu\nmeasure again\n");
  out.push_back(
      "open other\ndevice emulator\nmeasure flushed\nmeasure stop\nset block 64\nreport\nwait 0.5\n");
  return out;
}
