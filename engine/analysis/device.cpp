#include "engine/analysis/device.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>

#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/base/toml.h"

namespace warplens::analysis {
namespace {

// One table of a file; remembers the first thing that is wrong with it.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

  template <typename T>
  void read(const char* key, T& out, bool required = false) {
    const toml::node* node = table_.get(key);
    if (node == nullptr) {
      if (required) fail("toml.missing", key, table_.source());
      return;
    }
    if constexpr (std::is_same_v<T, std::string>) {
      if (const auto value = node->value<std::string>()) return void(out = *value);
      fail("toml.no_text", key, node->source());
    } else {
      const auto value = node->value<double>();
      if (value && *value >= 0 && *value <= 1e9) return void(out = static_cast<T>(*value));
      fail("file.devices.range", key, node->source());
    }
  }
  // A size in KiB, kept in bytes.
  void read_kib(const char* key, int& out) {
    int kib = 0;
    read(key, kib, true);
    out = std::min(kib, 1 << 20) * 1024;
  }
  void read_kib_list(const char* key, std::vector<int>& out) {
    const toml::array* list = table_[key].as_array();
    if (list == nullptr) return fail("file.devices.sizes", key, table_.source());
    for (const toml::node& node : *list) {
      const auto kib = node.value<std::int64_t>();
      if (!kib || *kib < 0 || *kib > 1 << 20) return fail("file.devices.sizes", key, node.source());
      out.push_back(static_cast<int>(*kib) * 1024);
    }
    std::sort(out.begin(), out.end());
  }
  void fail(const char* message, const char* key, const toml::source_region& where) {
    if (!error_)
      error_ = told(ErrorKind::Usage, {message, {{"key", value_of(key)}}},
                    {file_, static_cast<int>(where.begin.line), static_cast<int>(where.begin.column)});
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const toml::table& table_;
  std::string file_;
  std::optional<Error> error_;
};

void read(TableReader& r, ComputeCapability& cc) {
  r.read("name", cc.name, true);
  r.read("threads_per_sm", cc.threads_per_sm);
  r.read("warps_per_sm", cc.warps_per_sm);
  r.read("blocks_per_sm", cc.blocks_per_sm, true);
  r.read("threads_per_block", cc.threads_per_block);
  r.read("registers_per_sm", cc.registers_per_sm);
  r.read("registers_per_block", cc.registers_per_block);
  r.read("registers_per_thread", cc.registers_per_thread);
  r.read("register_unit_per_warp", cc.register_unit_per_warp);
  r.read("subpartitions", cc.subpartitions);
  r.read_kib("shared_per_sm_kib", cc.shared_per_sm);
  r.read_kib("shared_per_block_optin_kib", cc.shared_per_block_optin);
  r.read("shared_unit", cc.shared_unit);
  r.read("shared_reserved", cc.shared_reserved);
  r.read("barrier_factor", cc.barrier_factor);
  r.read_kib_list("carveouts_kib", cc.carveouts);
}

void read(TableReader& r, Device& device) {
  r.read("name", device.name, true);
  r.read("cc", device.cc, true);
  r.read("sms", device.sms, true);
  r.read("boost_mhz", device.boost_mhz, true);
  r.read("fp32_tflops", device.fp32_tflops, true);
  r.read("dram_gbps", device.dram_gbps, true);
  r.read("l2_mb", device.l2_mb, true);
  r.read("unified_l1_kb", device.unified_l1_kb, true);
  r.read("l2_gbps", device.l2_gbps);
  r.read("fp16_tflops", device.fp16_tflops);
  r.read("fp64_tflops", device.fp64_tflops);
  r.read("tensor_tflops", device.tensor_tflops);
  r.read("host_gbps", device.host_gbps);
  r.read("l1_bytes_per_clock", device.l1_bytes_per_clock);
  r.read("shared_latency", device.shared_latency, true);
  r.read("l1_latency", device.l1_latency, true);
  r.read("l2_latency", device.l2_latency, true);
  r.read("dram_latency", device.dram_latency, true);
}

template <typename T>
Status read_all(const toml::table& root, const char* key, const std::string& file, std::vector<T>& out) {
  const toml::array* list = root[key].as_array();
  if (list == nullptr) return Done{};
  for (const toml::node& node : *list) {
    const toml::table* table = node.as_table();
    if (table == nullptr) continue;
    TableReader reader(*table, file);
    read(reader, out.emplace_back());
    if (reader.error()) return *reader.error();
  }
  return Done{};
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// "sm_90a", "compute_90", "90" and "9.0" all become "9.0".
std::string normalised_capability(std::string_view text) {
  for (const std::string_view prefix : {"sm_", "compute_"})
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  while (!text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  std::string out(text);
  if (out.size() >= 2 && out.find('.') == out.npos) out.insert(out.size() - 1, ".");
  return out;
}

template <typename T>
std::string names_of(const std::vector<T>& list) {
  std::string out;
  for (const T& item : list) out += (out.empty() ? "" : ", ") + item.name;
  return out;
}

}  // namespace

std::string Device::target() const {
  std::string out = "sm_";
  std::ranges::copy_if(cc, std::back_inserter(out), [](char c) { return c != '.'; });
  return out;
}

Result<DeviceCatalogue> DeviceCatalogue::load() {
  return load(assets_folder() / "devices");
}

Result<DeviceCatalogue> DeviceCatalogue::load(const std::filesystem::path& folder) {
  std::error_code failed;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ".toml") files.insert(entry.path());
  DeviceCatalogue out;
  for (const auto& file : files) {
    const Result<std::string> text = read_text(file);
    if (!text) return text.error();
    const Result<toml::table> root = parse_toml(*text, file.string());
    if (!root)
      return told(root.error().kind, {"file.devices.no_toml", {{"what", value_of(root.error())}}},
                  root.error().place);
    if (Status s = read_all(*root, "capability", file.string(), out.capabilities_); !s) return s.error();
    if (Status s = read_all(*root, "device", file.string(), out.devices_); !s) return s.error();
  }
  if (out.devices_.empty() || out.capabilities_.empty())
    return told(ErrorKind::Usage, {"file.devices.none", {}}, {folder.string()});
  return out;
}

Result<const Device*> DeviceCatalogue::device(std::string_view name) const {
  const std::string wanted = lower(name);
  std::vector<const Device*> found;
  for (const Device& device : devices_) {
    if (lower(device.name) == wanted) return &device;
    if (!wanted.empty() && lower(device.name).find(wanted) != std::string::npos) found.push_back(&device);
  }
  if (found.size() == 1) return found.front();
  return told(ErrorKind::Usage,
              {found.empty() ? "file.devices.no_device" : "file.devices.many_devices",
               {{"name", value_of(std::string(name))}, {"names", value_of(names_of(devices_))}}});
}

Result<const ComputeCapability*> DeviceCatalogue::capability(std::string_view cc) const {
  const std::string wanted = normalised_capability(cc);
  for (const ComputeCapability& capability : capabilities_)
    if (capability.name == wanted) return &capability;
  return told(ErrorKind::Usage,
              {"file.devices.no_capability",
               {{"name", value_of(std::string(cc))}, {"names", value_of(names_of(capabilities_))}}});
}

}  // namespace warplens::analysis
