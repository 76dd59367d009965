#include "engine/runtime/keep.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/base/assets.h"
#include "engine/simt/load/program.h"

namespace warplens::runtime {
namespace {

namespace fs = std::filesystem;

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (const std::uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

// Two sums that go different ways over 8 bytes at a time: contents that differ get different names.
std::string name_of_contents(std::span<const std::uint8_t> bytes) {
  std::uint64_t a = bytes.size(), b = ~a;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    a = (a ^ word) * 0x9e3779b97f4a7c15u;
    a ^= a >> 29;
    b = (b + word) * 0xd6e8feb86659fd93u;
    b = (b << 31 | b >> 33) ^ word;
  }
  return fmt::format("{:016x}{:016x}", a, b ^ b >> 32);
}

// The same as this many bytes; pages of zeros are left out on the disk.
Status write_bytes(const fs::path& file, std::span<const std::uint8_t> bytes) {
  constexpr std::size_t kPage = 4096;
  static constexpr std::uint8_t kZeros[kPage] = {};
  const fs::path beside = file.string() + ".part";
  const int out = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool fine = out >= 0 && ::ftruncate(out, static_cast<off_t>(bytes.size())) == 0;
  for (std::size_t at = 0; fine && at < bytes.size(); at += kPage) {
    const std::size_t n = std::min(kPage, bytes.size() - at);
    if (std::memcmp(bytes.data() + at, kZeros, n) == 0) continue;
    fine = ::pwrite(out, bytes.data() + at, n, static_cast<off_t>(at)) == static_cast<ssize_t>(n);
  }
  if (out >= 0) fine = ::close(out) == 0 && fine;
  fine = fine && ::rename(beside.c_str(), file.c_str()) == 0;
  if (fine) return Done{};
  const std::string why = std::strerror(errno);
  ::unlink(beside.c_str());
  return Error{ErrorKind::System, "cannot be written: " + why, {file.string(), 0, 0}, {}};
}

bool only_zeros(std::span<const std::uint8_t> bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

// "launch 3 of scale" means what of "a::scale<int>(float*)"?
bool is_called(std::string_view shown, std::string_view mangled, std::string_view asked) {
  if (asked == "*" || asked == mangled || asked == shown) return true;
  const std::string_view whole = shown.substr(0, shown.rfind('('));
  if (asked == whole) return true;
  std::string_view plain = whole.substr(0, whole.find('<'));
  if (const auto blank = plain.rfind(' '); blank != std::string_view::npos) plain = plain.substr(blank + 1);
  if (asked == plain) return true;
  const auto scope = plain.rfind("::");
  return scope != std::string_view::npos && asked == plain.substr(scope + 2);
}

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
  Result<std::string> contents(const Allocation& allocation);
  Result<std::string> module_file();
  std::string source_file(const fs::path& folder) const;

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
      return Error{
          ErrorKind::Unsupported, "the program has registered memory of its own (cudaHostRegister)", {}, {}};
    bytes += allocation.bytes;
  }
  if (bytes > all_.settings.most_kept)
    return Error{ErrorKind::System,
                 fmt::format("the device holds {} MiB: more than the {} MiB that are kept of a launch",
                             bytes >> 20, all_.settings.most_kept >> 20),
                 {},
                 {}};
  return Done{};
}

Result<std::string> Keep::contents(const Allocation& allocation) {
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(allocation.address), allocation.bytes);
  if (only_zeros(bytes)) return std::string();
  const std::string name = "memory/" + name_of_contents(bytes) + ".bin";
  std::error_code ignored;
  if (!fs::exists(root_ / name, ignored))
    if (Status written = write_bytes(root_ / name, bytes); !written) return written.error();
  return "../" + name;
}

// The module for clusters that the launch asks for is the kernel's, with another directive.
Result<std::string> Keep::module_file() {
  const std::string& ptx = launch_.function->module->ptx();
  const std::string name =
      "modules/" + name_of_contents({reinterpret_cast<const std::uint8_t*>(ptx.data()), ptx.size()}) + ".ptx";
  std::error_code ignored;
  if (!fs::exists(root_ / name, ignored))
    if (Status written = write_text(root_ / name, ptx); !written) return written.error();
  return "../" + name;
}

// The file in which the kernel's own first line stands, copied. Empty: it is not there.
std::string Keep::source_file(const fs::path& folder) const {
  const ptx::Module& module = loaded_.kernel.module();
  const ptx::Function& entry = loaded_.kernel.entry();
  for (const ptx::Instruction& instruction : entry.instructions) {
    if (instruction.source >= entry.source_lines.size()) continue;
    const ptx::SourceLine& line = entry.source_lines[instruction.source];
    if (line.inlined_at != ptx::kNone || line.file <= 0 ||
        static_cast<std::size_t>(line.file) >= module.files.size())
      continue;
    std::error_code failed;
    const fs::path there = fs::canonical(module.files[static_cast<std::size_t>(line.file)], failed);
    if (failed || !fs::is_regular_file(there, failed)) return {};
    fs::copy_file(there, folder / there.filename(), fs::copy_options::overwrite_existing, failed);
    return failed ? std::string() : there.filename().string();
  }
  return {};
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
    const auto file = contents(allocation);
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
  for (const fs::path& folder : {root_ / name, root_ / "memory", root_ / "modules"})
    if (fs::create_directories(folder, failed); failed)
      return Error{ErrorKind::System, "cannot be made: " + failed.message(), {folder.string(), 0, 0}, {}};
  text_ =
      "# A launch as it was before it ran: warplens trace, render and app open it.\n"
      "schema = \"warplens.launch/1\"\n";
  describe_launch();
  const auto module = module_file();
  if (!module) return module.error();
  text_ += fmt::format("ptx = {}\n", toml_text(*module));
  if (const std::string source = source_file(root_ / name); !source.empty())
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
