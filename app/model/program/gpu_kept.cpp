#include "app/model/program/gpu_kept.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>

#include "app/model/run/kept_launch.h"
#include "engine/base/align.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/ptx/syntax/parser.h"
#include "engine/runtime/kept_files.h"
#include "engine/runtime/kept_source.h"
#include "engine/simt/lasting_memory.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t kChunk = std::uint64_t{2} << 20, kReach = std::uint64_t{60} << 30;
constexpr std::uint64_t kWorkspace = 64, kAlignment = 256, kGpuRedZone = 256;

// `why`: a key of run.keep.
Error unsupported(const char* why, std::vector<std::pair<std::string, MessageValue>> values = {}) {
  return told(ErrorKind::Unsupported, {std::string("run.keep.") + why, std::move(values)});
}

struct GpuPlace {
  std::uint64_t address = 0, bytes = 0;
  std::string kind, name, file;
};

class Writer {
 public:
  Writer(const WitnessedLaunch& launch, const fs::path& folder) : launch_(launch), root_(folder) {}
  Result<std::string> write(const std::string& ptx);

 private:
  Status check(const ptx::Module& module, const ptx::Function& entry) const;
  Status place(const ptx::Module& module);
  Status place(const ptx::Variable& variable);
  Status place_constants(const ptx::Module& module);
  const Json* variable(const std::string& name) const;
  std::string contents(const Json& place) const;
  void describe(const ptx::Module& module, const fs::path& folder, const std::string& ptx_file);

  const WitnessedLaunch& launch_;
  fs::path root_;
  std::vector<GpuPlace> places_;
  std::uint64_t origin_ = 0, end_ = 0, workspace_ = 0, constants_ = 0, constant_bytes_ = 0;
  std::string text_, variables_;
};

const Json* Writer::variable(const std::string& name) const {
  for (const Json& one : launch_.kept["variables"])
    if (one.value("name", "") == name) return &one;
  return nullptr;
}

// What the emulator could not run as it was, in the kernel and in the functions of its module that it may
// call: told, not tried.
Status Writer::check(const ptx::Module& module, const ptx::Function& entry) const {
  const auto look = [&](const ptx::Function& function) -> Status {
    if (function.name == "malloc" || function.name == "free") return unsupported("heap");
    for (const ptx::Instruction& instruction : function.instructions) {
      const ptx::Effects& effects = module.form(instruction).effects();
      if (effects.memory == ptx::MemoryUse::Texel) return unsupported("textures");
      const bool by_address = effects.control == ptx::Control::Call && !instruction.operands.empty() &&
                              instruction.operands.front().kind == ptx::OperandKind::Register;
      if (by_address) return unsupported("function_addresses");
    }
    return Done{};
  };
  if (Status status = look(entry); !status) return status;
  for (const ptx::Function& function : module.functions)
    if (!function.is_entry)
      if (Status status = look(function); !status) return status;
  return Done{};
}

// The bytes of a variable that the witness has written.
std::string Writer::contents(const Json& place) const {
  std::string bytes(place.value("bytes", std::size_t{0}), '\0');
  const std::string file = place.value("file", "");
  if (file.empty()) return bytes;
  std::ifstream in(root_ / file.substr(3), std::ios::binary);  // "../memory/..."
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

// One behind the other, as the emulator knows the constants of a module.
Status Writer::place_constants(const ptx::Module& module) {
  const simt::VariablePlaces known = simt::place_constants(module);
  if (known.constant_bytes == 0) return Done{};
  std::string block(known.constant_bytes, '\0');
  for (const auto& [name, offset] : known.constant) {
    const Json* const there = variable(name);
    if (there == nullptr) return unsupported("no_variable", {{"name", value_of(name)}});
    const std::string bytes = contents(*there);
    std::memcpy(block.data() + offset, bytes.data(), std::min(bytes.size(), block.size() - offset));
    variables_ += fmt::format("\n[[variable]]\nname = {}\noffset = {}\n", runtime::toml_text(name), offset);
  }
  const auto file =
      runtime::keep_contents(root_, {reinterpret_cast<const std::uint8_t*>(block.data()), block.size()});
  if (!file) return file.error();
  constants_ = align_up(end_ + kGpuRedZone, kAlignment);
  constant_bytes_ = block.size();
  places_.push_back({constants_, constant_bytes_, "variable", "constant memory", *file});
  end_ = constants_ + constant_bytes_;
  return Done{};
}

Status Writer::place(const ptx::Variable& variable) {
  if (variable.space != ptx::StateSpace::Global || variable.is_extern) return Done{};
  const Json* const there = this->variable(variable.name);
  if (there == nullptr) return unsupported("no_variable", {{"name", value_of(variable.name)}});
  const auto address = there->value("address", std::uint64_t{0});
  variables_ +=
      fmt::format("\n[[variable]]\nname = {}\naddress = {}\n", runtime::toml_text(variable.name), address);
  // A managed variable is an allocation already.
  if (std::ranges::none_of(places_, [&](const GpuPlace& p) { return p.address == address; }))
    places_.push_back({address, there->value("bytes", std::uint64_t{0}), "variable", variable.name,
                       there->value("file", "")});
  return Done{};
}

Status Writer::place(const ptx::Module& module) {
  for (const Json& one : launch_.kept["allocations"])
    places_.push_back({one.value("address", std::uint64_t{0}), one.value("bytes", std::uint64_t{0}),
                       "allocation", one.value("name", ""), one.value("file", "")});
  for (const ptx::Variable& one : module.variables)
    if (Status status = place(one); !status) return status;
  for (const ptx::Function& function : module.functions)
    for (const ptx::Variable& one : function.locals)
      if (Status status = place(one); !status) return status;
  std::erase_if(places_, [](const GpuPlace& p) { return p.bytes == 0; });
  std::ranges::sort(places_, {}, &GpuPlace::address);
  origin_ = places_.empty() ? kChunk : places_.front().address / kChunk * kChunk;
  end_ = places_.empty() ? origin_ : places_.back().address + places_.back().bytes;
  if (end_ - origin_ > kReach) return unsupported("far_apart");
  for (const GpuPlace& one : places_)
    if (in_a_window(one.address, one.bytes))
      return unsupported("in_a_window", {{"name", value_of(one.name)}});
  if (Status status = place_constants(module); !status) return status;
  workspace_ = align_up(end_ + kGpuRedZone, kAlignment);
  places_.push_back({workspace_, kWorkspace, "variable", "grid workspace", {}});
  return Done{};
}

void Writer::describe(const ptx::Module& module, const fs::path& folder, const std::string& ptx_file) {
  const Json& asked = launch_.launch;
  const auto triple = [](const Json& d) {
    return fmt::format("[{}, {}, {}]", d.at(0).get<int>(), d.at(1).get<int>(), d.at(2).get<int>());
  };
  text_ = fmt::format(
      "# A launch as it was before it ran on a GPU: warplens trace, render and app open it.\n"
      "schema = \"warplens.launch/1\"\nkernel = {}\nname = {}\nindex = {}\ngrid = {}\nblock = {}\nshared = "
      "{}\n",
      runtime::toml_text(launch_.kernel), runtime::toml_text(ptx::demangle(launch_.kernel)), launch_.index,
      triple(asked["grid"]), triple(asked["block"]), asked.value("shared_bytes", 0));
  if (launch_.kept.contains("cluster"))
    text_ += fmt::format("cluster = {}\n", triple(launch_.kept["cluster"]));
  text_ += fmt::format("measured = {}\nptx = {}\n", runtime::toml_text(launch_.measured),
                       runtime::toml_text(ptx_file));
  if (const auto entry = module.find_entry(launch_.kernel))
    if (const std::string source = runtime::keep_source(module, **entry, folder); !source.empty())
      text_ += fmt::format("source = {}\n", runtime::toml_text(source));
  text_ += "arguments = [";
  for (const Json& one : launch_.kept["arguments"])
    text_ +=
        fmt::format("{}{}", text_.ends_with('[') ? "" : ", ", runtime::toml_text(one.get<std::string>()));
  text_ += fmt::format(
      "]\n\n[memory]\norigin = {}\nworkspace = {}\nheap = 0\nconstants = [{}, {}]\nheap_blocks = []\n",
      origin_, workspace_, constants_, constant_bytes_);
  text_ += variables_;
  for (const GpuPlace& one : places_) {
    text_ += fmt::format("\n[[allocation]]\naddress = {}\nbytes = {}\nkind = {}\nname = {}\n", one.address,
                         one.bytes, runtime::toml_text(one.kind), runtime::toml_text(one.name));
    if (!one.file.empty()) text_ += fmt::format("file = {}\n", runtime::toml_text(one.file));
  }
}

Result<std::string> Writer::write(const std::string& ptx) {
  const auto module = ptx::parse(ptx, {.file = "the program's PTX"});
  if (!module) return module.error();
  const auto entry = module->find_entry(launch_.kernel);
  if (!entry) return entry.error();
  if (Status status = check(*module, **entry); !status) return status.error();
  if (Status status = place(*module); !status) return status.error();
  const auto file = runtime::keep_module(root_, ptx);
  if (!file) return file.error();
  const std::string name = fmt::format("launch_{:04}", launch_.index);
  std::error_code failed;
  fs::create_directories(root_ / name, failed);
  if (failed)
    return told(ErrorKind::System, {"run.keep.no_folder", {{"why", value_of(failed.message())}}},
                {(root_ / name).string(), 0, 0});
  describe(*module, root_ / name, *file);
  if (Status status = write_text(root_ / name / "launch.toml", text_); !status) return status.error();
  return name;
}

}  // namespace

Result<std::string> write_kept(const WitnessedLaunch& launch, const ProgramPtx& ptx, const fs::path& folder) {
  const std::string* const text = ptx.of(launch.kernel);
  if (text == nullptr) return unsupported("no_ptx");
  return Writer(launch, folder).write(*text);
}

void remove_unused(const fs::path& folder, const std::vector<Json>& copied) {
  if (copied.empty()) return;
  std::set<std::string> files;
  for (const Json& line : copied) {
    for (const auto& file : line.value("files", Json::array())) files.insert(file.get<std::string>());
    for (const char* list : {"allocations", "variables"})
      for (const Json& one : line.value(list, Json::array())) files.insert(one.value("file", ""));
  }
  files.erase("");
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (const auto launch = read_text(at->path() / "launch.toml"))
      std::erase_if(files, [&](const std::string& file) { return launch->find(file) != std::string::npos; });
  std::error_code ignored;
  for (const std::string& file : files) fs::remove(folder / "memory" / fs::path(file).filename(), ignored);
}

}  // namespace warplens::model
