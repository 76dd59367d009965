#include "app/model/machine/system.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "engine/gpu/device.h"
#include "engine/source/compile.h"
#include "visual/installed_fonts.h"

namespace warplens::model {
namespace {

void add_gpus(std::vector<Finding>& out) {
  const gpu::Discovery& found = gpu::discover();
  const std::string gives =
      "real runs, measured time and hardware counters; without one, kernels run in the emulator";
  out.push_back({"NVIDIA driver", !found.driver_version.empty(),
                 found.driver_version.empty() ? found.reason.message : found.driver_version, gives});
  if (found.devices.empty()) {
    out.push_back({"NVIDIA GPU", false, found.reason.message, gives});
    return;
  }
  for (const gpu::DeviceInfo& device : found.devices)
    out.push_back(
        {"NVIDIA GPU", true,
         fmt::format("{}, compute capability {}.{}, {} SMs, {:.0f} GB", device.name, device.cc_major,
                     device.cc_minor, device.sms, static_cast<double>(device.memory_bytes) / (1 << 30)),
         gives});
}

void add_compilers(std::vector<Finding>& out) {
  for (const source::CompilerInfo& compiler : source::find_compilers()) {
    const std::string detail =
        compiler.available ? fmt::format("{} ({})", compiler.version, compiler.path) : compiler.reason;
    out.push_back({std::string(source::name(compiler.compiler)), compiler.available, detail,
                   "compiles CUDA C++ to PTX; one of nvrtc, nvcc and clang is enough"});
  }
  const std::string smallest =
      ".version 6.4\n.target sm_75\n.address_size 64\n.visible .entry warplens_probe()\n{\n\tret;\n}\n";
  const auto info = source::assemble(smallest, "sm_90");
  out.push_back(
      {"ptxas", info.has_value(), info ? "works" : info.error().message,
       "exact registers a thread, and the machine code that the counts follow; without it registers are "
       "estimated and badged modelled, and rules say what ptxas would do"});
}

bool can_open(const char* library) {
  void* handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

void add_window(std::vector<Finding>& out) {
  const char* x11 = std::getenv("DISPLAY");
  const char* wayland = std::getenv("WAYLAND_DISPLAY");
  const bool display = (x11 != nullptr && *x11 != '\0') || (wayland != nullptr && *wayland != '\0');
  out.push_back({"display", display,
                 display ? (wayland != nullptr && *wayland != '\0' ? wayland : x11)
                         : "DISPLAY and WAYLAND_DISPLAY are not set",
                 "the window; without one use `warplens render`, or start under xvfb-run"});
  const bool opengl = can_open("libGL.so.1") || can_open("libOpenGL.so.0");
  out.push_back({"OpenGL", opengl,
                 opengl ? "libGL.so.1" : "libGL.so.1 cannot be opened: install libgl1 and libgl1-mesa-dri",
                 "draws the window"});
}

void add_fonts(std::vector<Finding>& out) {
  struct Wanted {
    const char *part, *family, *package;
  };
  for (const Wanted& wanted : {Wanted{"interface font", "Inter", "fonts-inter"},
                               Wanted{"source font", "JetBrains Mono", "fonts-jetbrains-mono"}}) {
    const bool found = !visual::installed_family(wanted.family).empty();
    out.push_back({wanted.part, found,
                   found ? wanted.family
                         : fmt::format("{} is not installed (package {}); a system font stands in",
                                       wanted.family, wanted.package),
                   "the type this program is drawn for"});
  }
  const std::string chinese = visual::family_covering("歧溢扇区");
  out.push_back({"Chinese font", !chinese.empty(),
                 chinese.empty() ? "none covers the characters; install fonts-wqy-microhei" : chinese,
                 "the Chinese interface"});
}

}  // namespace

std::vector<Finding> examine_system() {
  std::vector<Finding> out;
  add_gpus(out);
  add_compilers(out);
  add_window(out);
  add_fonts(out);
  return out;
}

}  // namespace warplens::model
