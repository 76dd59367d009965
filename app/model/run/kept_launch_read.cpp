// launch.toml, checked: what runs later maps memory at addresses that stand in it.
#include <algorithm>
#include <array>
#include <charconv>

#include "app/model/run/kept_launch.h"
#include "app/model/text/toml_reader.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/base/toml.h"
#include "engine/simt/buffers/texture.h"
#include "engine/simt/load/program.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostAddresses = std::uint64_t{64} << 30;  // of the device's addresses
constexpr std::uint64_t kDevicePage = 4096, kHighest = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 30;
constexpr std::int64_t kMostTexels = std::int64_t{1} << 31;
constexpr std::uint64_t kWorkspaceBytes = 64;

class KeptReader {
 public:
  explicit KeptReader(const fs::path& file) : toml_(file), folder_(file.parent_path()) {
    out_.file = file;
    out_.origin = simt::kGlobalBase;
  }

  Result<std::shared_ptr<const KeptLaunch>> read(const toml::table& root) {
    if (const std::string schema = toml_.text(root, "schema", true); schema != "warplens.launch/1")
      fail(root.get("schema"), "schema");
    launch(root);
    if (const toml::table* memory = toml_.table(root, "memory")) places(*memory);
    for (const toml::table* one : toml_.tables(root, "allocation")) allocation(*one);
    std::ranges::sort(out_.allocations, {}, &KeptLaunch::Allocation::address);
    for (const toml::table* one : toml_.tables(root, "variable")) {
      const std::string name = toml_.text(*one, "name", true);
      if (one->get("offset") != nullptr)
        out_.constant_places[name] = number(*one, "offset");
      else
        out_.variables[name] = number(*one, "address");
    }
    for (const toml::table* one : toml_.tables(root, "texture")) texture(*one);
    if (!toml_.problem()) check();
    if (toml_.problem()) return *toml_.problem();
    return std::make_shared<const KeptLaunch>(std::move(out_));
  }

 private:
  void fail(const toml::node* node, const char* what,
            std::vector<std::pair<std::string, MessageValue>> values = {}) {
    toml_.fail(node, {std::string("toml.kept.") + what, std::move(values)});
  }
  std::uint64_t number(const toml::table& table, std::string_view key, std::int64_t most = INT64_MAX) {
    const auto value = toml_.integer(table, key);
    if (value && *value >= 0 && *value <= most) return static_cast<std::uint64_t>(*value);
    fail(table.get(key) != nullptr ? table.get(key) : &table, "range",
         {{"key", value_of(std::string(key))}, {"most", value_of(std::to_string(most))}});
    return 0;
  }
  std::vector<std::uint64_t> numbers(const toml::node* node) {
    std::vector<std::uint64_t> out;
    if (const toml::array* list = node == nullptr ? nullptr : node->as_array())
      for (const toml::node& item : *list)
        if (const auto value = item.value<std::int64_t>(); value && *value >= 0)
          out.push_back(static_cast<std::uint64_t>(*value));
    return out;
  }
  Dim3 extent(const toml::table& table, std::string_view key) {
    const auto values = numbers(table.get(key));
    const bool fine = values.size() == 3 &&
                      std::ranges::all_of(values, [](std::uint64_t v) { return v > 0 && v <= INT32_MAX; });
    if (!fine) {
      fail(table.get(key), "extent", {{"key", value_of(std::string(key))}});
      return {};
    }
    return {static_cast<std::uint32_t>(values[0]), static_cast<std::uint32_t>(values[1]),
            static_cast<std::uint32_t>(values[2])};
  }
  fs::path path(const toml::table& table, std::string_view key, bool required) {
    const std::string name = toml_.text(table, key, required);
    return name.empty() ? fs::path() : (folder_ / name).lexically_normal();
  }

  void launch(const toml::table& root) {
    out_.kernel = toml_.text(root, "kernel", true);
    out_.name = toml_.text(root, "name", true);
    out_.index = number(root, "index");
    out_.grid = extent(root, "grid");
    out_.block = extent(root, "block");
    if (root.get("cluster") != nullptr) out_.cluster = extent(root, "cluster");
    out_.shared_bytes = static_cast<std::uint32_t>(number(root, "shared", INT32_MAX));
    out_.ptx = path(root, "ptx", true);
    out_.source = path(root, "source", false);
    for (const std::string& text : toml_.texts(root, "arguments", true)) {
      std::vector<std::uint8_t>& bytes = out_.arguments.emplace_back();
      for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        std::uint8_t byte = 0;
        const auto [end, failed] = std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
        if (failed != std::errc{} || end != text.data() + i + 2) break;
        bytes.push_back(byte);
      }
      if (bytes.empty() || bytes.size() * 2 != text.size())
        fail(root.get("arguments"), "no_bytes", {{"text", value_of(text)}});
    }
  }

  void places(const toml::table& memory) {
    out_.workspace = number(memory, "workspace");
    out_.heap = number(memory, "heap");
    if (memory.get("origin") != nullptr) out_.origin = number(memory, "origin");
    const auto constants = numbers(memory.get("constants"));
    if (constants.size() == 2) {
      out_.constants = constants[0];
      out_.constant_bytes = constants[1];
    }
    if (const toml::array* blocks = memory["heap_blocks"].as_array())
      for (const toml::node& block : *blocks)
        if (const auto pair = numbers(&block); pair.size() == 2)
          out_.heap_blocks.emplace_back(pair[0], pair[1]);
  }

  void allocation(const toml::table& table) {
    KeptLaunch::Allocation one;
    one.address = number(table, "address");
    one.bytes = number(table, "bytes");
    one.name = toml_.text(table, "name", false);
    const std::string kind = toml_.word(table, "kind", {"allocation", "variable", "array"});
    using Kind = KeptLaunch::Allocation::Kind;
    one.kind = kind == "array" ? Kind::Array : kind == "variable" ? Kind::Variable : Kind::Allocation;
    one.file = path(table, "file", false);
    std::error_code failed;
    if (!one.file.empty() && (fs::file_size(one.file, failed) != one.bytes || failed))
      fail(table.get("file"), "no_file",
           {{"file", value_of(one.file.string())}, {"bytes", value_of(one.bytes)}});
    out_.allocations.push_back(std::move(one));
  }

  void texture(const toml::table& table) {
    KeptLaunch::Texture one;
    trace::Texture& f = one.object.format;
    one.texels = number(table, "texels");
    one.object.row_bytes = number(table, "row_bytes", kMostTexels * 16);
    if (const auto type = trace::element_type_from(toml_.text(table, "type", true)))
      one.object.type = *type;
    else
      fail(table.get("type"), "no_type", {{"what", value_of(type.error())}});
    f.channels = static_cast<unsigned>(std::max<std::uint64_t>(number(table, "channels", 4), 1));
    f.width = number(table, "width", kMostTexels);
    f.height = number(table, "height", kMostTexels);
    f.depth = number(table, "depth", kMostTexels);
    f.filter = static_cast<trace::Texture::Filter>(number(table, "filter", 1));
    f.edge = static_cast<trace::Texture::Edge>(number(table, "edge", 3));
    for (const auto& [key, value] :
         {std::pair{"normalised", &f.normalised}, std::pair{"unit", &f.unit},
          std::pair{"linear_memory", &f.linear_memory}, std::pair{"surface", &f.surface},
          std::pair{"layered", &f.layered}, std::pair{"cube", &f.cube}})
      *value = toml_.flag(table, key).value_or(false);
    tables_.push_back(&table);
    out_.textures.push_back(one);
  }

  // Inside of the device's addresses, one behind the other, and everything that lies in them does.
  void check() {
    std::uint64_t end = out_.origin, all = 0;
    if (out_.origin % kDevicePage != 0 || out_.origin > kHighest)
      return fail(nullptr, "origin", {{"address", value_of(std::to_string(out_.origin))}});
    for (const KeptLaunch::Allocation& one : out_.allocations) {
      all += one.bytes;
      if (one.bytes == 0 || one.address < end || one.bytes > kMostAddresses ||
          one.address - out_.origin > kMostAddresses - one.bytes || all > kMostBytes)
        return fail(nullptr, "outside", {{"address", value_of(std::to_string(one.address))}});
      if (in_a_window(one.address, one.bytes))
        return fail(nullptr, "in_a_window", {{"address", value_of(std::to_string(one.address))}});
      end = one.end();
    }
    const auto inside = [&](std::uint64_t address, std::uint64_t bytes, MessageValue what) {
      const KeptLaunch::Allocation* place = out_.find(address);
      if (place == nullptr || bytes > place->end() - address)
        fail(nullptr, "in_none", {{"what", std::move(what)}});
    };
    if (out_.workspace != 0) inside(out_.workspace, kWorkspaceBytes, Key{"toml.kept.workspace"});
    if (out_.heap != 0) inside(out_.heap, simt::DeviceHeap::kBytes, Key{"toml.kept.heap"});
    if (out_.constant_bytes != 0) inside(out_.constants, out_.constant_bytes, Key{"toml.kept.constants"});
    for (const auto& [address, bytes] : out_.heap_blocks) inside(address, bytes, Key{"toml.kept.heap_block"});
    for (const auto& [name, address] : out_.variables) inside(address, 1, name);
    for (std::size_t i = 0; i < out_.textures.size(); ++i)
      check_texture(out_.textures[i], *tables_[i], inside);
  }

  template <typename Inside>
  void check_texture(const KeptLaunch::Texture& texture, const toml::table& table, const Inside& inside) {
    if (texture.texels == 0) return;
    simt::BoundTexture as;
    as.format = texture.object.format;
    as.type = texture.object.type;
    const double rows = static_cast<double>(as.extent(1)) * static_cast<double>(as.extent(2)) *
                        static_cast<double>(as.planes());
    const std::uint64_t row = as.extent(0) * as.texel_bytes();
    const std::uint64_t pitch = texture.object.row_bytes != 0 ? texture.object.row_bytes : row;
    if (pitch < row || rows * static_cast<double>(pitch) > static_cast<double>(kMostAddresses))
      return fail(&table, "large_texture");
    const auto count = static_cast<std::uint64_t>(rows);
    inside(texture.texels, count == 0 ? 1 : (count - 1) * pitch + row, Key{"toml.kept.texture"});
  }

  TomlReader toml_;
  fs::path folder_;
  KeptLaunch out_;
  std::vector<const toml::table*> tables_;
};

}  // namespace

const KeptLaunch::Allocation* KeptLaunch::find(std::uint64_t address) const {
  auto after = std::ranges::upper_bound(allocations, address, {}, &Allocation::address);
  if (after == allocations.begin()) return nullptr;
  --after;
  return address < after->end() ? &*after : nullptr;
}

bool in_a_window(std::uint64_t address, std::uint64_t bytes) {
  return std::ranges::any_of(std::array{simt::kSharedWindow, simt::kLocalWindow, simt::kConstWindow,
                                        simt::kParamWindow, simt::kFunctionWindow, simt::kTextureWindow},
                             [&](std::uint64_t window) {
                               return address < window + simt::kWindowBytes && address + bytes > window;
                             });
}

bool is_kept_launch(const fs::path& file) {
  std::error_code ignored;
  return file.filename() == "launch.toml" ||
         (fs::is_directory(file, ignored) && fs::exists(file / "launch.toml", ignored));
}

std::vector<fs::path> kept_launches(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (is_kept_launch(at->path()) && at->path().filename().string().starts_with("launch_"))
      out.push_back(at->path());
  std::ranges::sort(out);
  return out;
}

Result<std::string> launch_in(const std::string& file) {
  std::error_code ignored;
  if (!fs::is_directory(file, ignored) || is_kept_launch(file)) return file;
  const auto launches = kept_launches(file);
  if (launches.size() == 1) return launches.front().string();
  std::string names;
  for (const fs::path& one : launches) names += "\n  " + one.string();
  return names.empty()
             ? told(ErrorKind::Usage, {"open.kept.none", {}}, {file, 0, 0})
             : told(ErrorKind::Usage, {"open.kept.several", {{"names", value_of(names)}}}, {file, 0, 0});
}

Result<std::string> text_to_edit(const fs::path& file) {
  if (!is_kept_launch(file)) return read_text(file);
  const auto kept = read_kept_launch(file);
  if (!kept) return kept.error();
  if ((*kept)->source.empty()) return read_text((*kept)->ptx);
  return read_text((*kept)->source);
}

Result<std::shared_ptr<const KeptLaunch>> read_kept_launch(const fs::path& named) {
  const fs::path file = named.filename() == "launch.toml" ? named : named / "launch.toml";
  const Result<toml::table> table = read_toml(file);
  if (!table) return table.error();
  return KeptReader(file).read(*table);
}

}  // namespace warplens::model
