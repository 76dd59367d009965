#include "engine/runtime/keep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/runtime/kept_files.h"
#include "engine/runtime/kept_source.h"
#include "engine/simt/load/program.h"

namespace warplens::runtime {
namespace {

namespace fs = std::filesystem;

class Keep {
 public:
  Keep(Context& all, const KernelLaunch& launch, const Loaded& loaded, std::uint64_t index)
      : all_(all), launch_(launch), loaded_(loaded), index_(index), root_(all.settings.keep_folder) {}
  Result<std::string> write();

 private:
  Status check() const;
  Status describe_memory();
  void describe_launch();
  void describe_arguments();
  void describe_textures();
  Result<std::string> module_file() const;

  Context& all_;
  const KernelLaunch& launch_;
  const Loaded& loaded_;
  std::uint64_t index_;
  fs::path root_;
  std::string text_;
};

Status Keep::check() const {
  std::uint64_t bytes = 0;
  for (const auto& [address, allocation] : all_.arena.all()) {
    if (allocation.kind == Kind::Registered)
      return told(ErrorKind::Unsupported, {"run.keep.elsewhere", {{"what", value_of("cudaHostRegister")}}});
    bytes += allocation.bytes;
  }
  if (bytes > all_.settings.most_kept)
    return told(ErrorKind::System,
                {"run.keep.too_much",
                 {{"holds", value_of(bytes >> 20)}, {"most", value_of(all_.settings.most_kept >> 20)}}});
  return Done{};
}

// The module for clusters that the launch asks for is the kernel's, with another directive.
Result<std::string> Keep::module_file() const {
  return keep_module(root_, launch_.function->module->ptx());
}

void Keep::describe_launch() {
  const auto triple = [](const Dim3& d) { return fmt::format("[{}, {}, {}]", d.x, d.y, d.z); };
  text_ += fmt::format("kernel = {}\n", toml_text(launch_.function->name));
  text_ += fmt::format("name = {}\n", toml_text(launch_.function->shown_name()));
  text_ += fmt::format("index = {}\n", index_);
  text_ += fmt::format("grid = {}\nblock = {}\nshared = {}\n", triple(launch_.grid), triple(launch_.block),
                       launch_.shared_bytes);
  if (launch_.cluster.volume() > 0) text_ += fmt::format("cluster = {}\n", triple(launch_.cluster));
}

void Keep::describe_arguments() {
  text_ += "arguments = [";  // as bytes
  const std::span parameters(launch_.parameters);
  for (std::size_t i = 0; i < loaded_.parameters.size(); ++i) {
    const auto& [offset, bytes] = loaded_.parameters[i];
    text_ += (i == 0 ? "" : ", ") + toml_text(hexadecimal(parameters.subspan(offset, bytes)));
  }
  text_ += "]\n";
}

void Keep::describe_textures() {
  for (const simt::LastingTexture& texture : all_.arena.places().textures) {
    const trace::Texture& f = texture.format;
    text_ += fmt::format(
        "\n[[texture]]\ntexels = {}\nrow_bytes = {}\ntype = {}\nchannels = {}\nwidth = {}\nheight = {}\n"
        "depth = {}\nfilter = {}\nedge = {}\nnormalised = {}\nunit = {}\nlinear_memory = {}\nsurface = {}\n"
        "layered = {}\ncube = {}\n",
        reinterpret_cast<std::uint64_t>(texture.texels), texture.row_bytes,
        toml_text(trace::name(texture.type)), f.channels, f.width, f.height, f.depth,
        static_cast<int>(f.filter), static_cast<int>(f.edge), f.normalised, f.unit, f.linear_memory,
        f.surface, f.layered, f.cube);
  }
}

Status Keep::describe_memory() {
  simt::LastingMemory& places = all_.arena.places();
  const simt::VariablePlaces& variables = launch_.function->module->places();
  text_ += fmt::format("\n[memory]\nworkspace = {}\nheap = {}\n", places.workspace, places.heap.begin());
  const std::span<std::uint8_t> constants = launch_.function->module->constants();
  text_ += fmt::format("constants = [{}, {}]\n",
                       constants.empty() ? 0 : reinterpret_cast<std::uint64_t>(constants.data()),
                       constants.size());
  text_ += "heap_blocks = [";
  for (const auto& [address, bytes] : places.heap.blocks())
    text_ += fmt::format("[{}, {}], ", address, bytes);
  text_ += "]\n";
  for (const auto& [name, address] : std::map(variables.global.begin(), variables.global.end()))
    text_ += fmt::format("\n[[variable]]\nname = {}\naddress = {}\n", toml_text(name), address);
  for (const auto& [name, offset] : std::map(variables.constant.begin(), variables.constant.end()))
    text_ += fmt::format("\n[[variable]]\nname = {}\noffset = {}\n", toml_text(name), offset);
  for (const auto& [address, allocation] : all_.arena.all()) {
    const auto file =
        keep_contents(root_, {reinterpret_cast<const std::uint8_t*>(allocation.address), allocation.bytes});
    if (!file) return file.error();
    text_ += fmt::format("\n[[allocation]]\naddress = {}\nbytes = {}\n", address, allocation.bytes);
    const auto place = places.places().find(address);
    // What is in no place is an array: kernels reach it through textures and surfaces only.
    text_ += fmt::format("kind = {}\n", toml_text(place == places.places().end() ? "array"
                                                  : place->second.variable       ? "variable"
                                                                                 : "allocation"));
    if (place != places.places().end()) text_ += fmt::format("name = {}\n", toml_text(place->second.name));
    if (!file->empty()) text_ += fmt::format("file = {}\n", toml_text(*file));
  }
  return Done{};
}

Result<std::string> Keep::write() {
  if (Status status = check(); !status) return status.error();
  const std::string name = fmt::format("launch_{:04}", index_);
  std::error_code failed;
  if (fs::create_directories(root_ / name, failed); failed)
    return told(ErrorKind::System, {"run.keep.no_folder", {{"why", value_of(failed.message())}}},
                {(root_ / name).string(), 0, 0});
  text_ =
      "# A launch as it was before it ran: warplens trace, render and app open it.\n"
      "schema = \"warplens.launch/1\"\n";
  describe_launch();
  const auto module = module_file();
  if (!module) return module.error();
  text_ += fmt::format("ptx = {}\n", toml_text(*module));
  if (const std::string source = keep_source(loaded_.kernel.module(), loaded_.kernel.entry(), root_ / name);
      !source.empty())
    text_ += fmt::format("source = {}\n", toml_text(source));
  describe_arguments();
  if (Status status = describe_memory(); !status) return status.error();
  describe_textures();
  if (Status status = write_text(root_ / name / "launch.toml", text_); !status) return status.error();
  return name;
}

}  // namespace

bool is_chosen(const Settings& settings, Function& function, std::uint64_t number) {
  return std::ranges::any_of(settings.kept, [&](const KeptLaunches& kept) {
    return number >= kept.first && number <= kept.last &&
           is_called(function.shown_name(), function.name, kept.kernel);
  });
}

Result<std::string> keep_launch(Context& all, const KernelLaunch& launch, const Loaded& loaded,
                                std::uint64_t index) {
  return Keep(all, launch, loaded, index).write();
}

}  // namespace warplens::runtime
