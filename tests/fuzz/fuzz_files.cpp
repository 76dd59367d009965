// Any bytes as one of the TOML files that the program reads: a gallery kernel, the list of topics, devices,
// messages. The first byte says which. What is wrong is named; what is right can be launched with every
// slider at either end.
#include <unistd.h>

#include "app/model/gallery/gallery.h"
#include "engine/analysis/device.h"
#include "engine/analysis/occupancy.h"
#include "engine/base/message.h"
#include "tests/fuzz/target.h"

using namespace warplens;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("warplens_fuzz_" + std::to_string(::getpid()));
  Folder() {
    for (const char* part : {"kernels/memory", "devices", "messages/en"}) fs::create_directories(path / part);
    (void)write_text(path / "kernels/memory/k.cu", "__global__ void k() {}\n");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

void read_gallery(const fs::path& folder) {
  const auto gallery = model::load_gallery(folder);
  if (!gallery) return;
  for (const model::GalleryKernel& kernel : gallery->kernels)
    for (const model::Slider& slider : kernel.sliders)
      for (const std::int64_t value : {slider.min, slider.max, slider.min - (slider.min > INT64_MIN)}) {
        model::SliderValues values = model::default_values(kernel);
        values[slider.name] = value;
        (void)model::launch_of(kernel, values);
      }
}

void read_devices(const fs::path& folder) {
  const auto devices = analysis::DeviceCatalogue::load(folder);
  if (!devices) return;
  for (const analysis::Device& device : devices->devices()) (void)devices->capability(device.cc);
  for (const analysis::ComputeCapability& capability : devices->capabilities())
    (void)analysis::occupancy(capability, {.registers_per_thread = 40, .static_shared = 5000});
}

void read_messages(const fs::path& folder) {
  const auto catalogue = Catalogue::load("en", folder);
  if (!catalogue) return;
  (void)catalogue->characters();
  for (const std::string& key : catalogue->keys())
    (void)catalogue->text(
        Message{key, {{"n", value_of(3)}, {"ratio", value_of(1.5)}, {"name", value_of("x")}}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  switch (data[0]) {
    case 'k':
    case 't': {
      const fs::path file = folder.path / (data[0] == 'k' ? "kernels/memory/k.toml" : "kernels/topics.toml");
      (void)write_text(file, text);
      read_gallery(folder.path / "kernels");
      fs::remove(file);
      break;
    }
    case 'd':
      (void)write_text(folder.path / "devices/d.toml", text);
      read_devices(folder.path / "devices");
      break;
    default:
      (void)write_text(folder.path / "messages/en/m.toml", text);
      read_messages(folder.path / "messages");
  }
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> out;
  const auto add = [&](char kind, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) out.push_back(kind + text);
  };
  for (const std::string& text : files_in("kernels", ".toml"))
    out.push_back((text.find("[[topic]]") == std::string::npos ? 'k' : 't') + text);
  add('d', files_in("assets/devices", ".toml"));
  add('m', files_in("assets/messages/en", ".toml"));
  add('m', {"a = \"{n} of {ratio:.1f} {name:>10}\"\n[b.c]\nd = \"{n:08x}\"\n"});
  return out;
}
