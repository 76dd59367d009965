#include "engine/runtime/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/base/align.h"
#include "engine/ptx/facts/clusters.h"
#include "engine/ptx/syntax/link_texts.h"
#include "engine/ptx/syntax/parser.h"
#include "engine/runtime/devices.h"
#include "engine/simt/load/program.h"
#include "engine/source/cubin.h"

namespace warplens::runtime {
namespace {

constexpr int kArch = 90;  // of the device that programs find

// The PTX that a GPU of compute capability 9.0 would take, the newest that is not newer: one, or one of each
// file that the device code was linked from.
std::vector<const Image*> best_ptx(const std::vector<Image>& images) {
  std::map<int, const Image*> best;
  for (const Image& image : images) {
    if (!image.is_ptx || image.arch > kArch) continue;
    const Image*& known = best[image.file];
    if (known == nullptr || image.arch > known->arch) known = &image;
  }
  std::vector<const Image*> out;
  for (const auto& [file, image] : best) out.push_back(image);
  return out;
}

Result<std::string> text_of(const Image& image) {
  const auto bytes = bytes_of(image);
  if (!bytes) return bytes.error();
  std::string text(bytes->begin(), bytes->end());
  text.resize(text.find_last_not_of(std::string_view("\0\n ", 3)) + 1);
  return text + '\n';
}

Error no_ptx(const std::vector<Image>& images) {
  std::string found;
  for (const Image& image : images)
    found += fmt::format("{}{} for {}.{}", found.empty() ? "" : ", ", image.is_ptx ? "PTX" : "machine code",
                         image.arch / 10, image.arch % 10);
  return {ErrorKind::Unsupported,
          fmt::format("the program holds no PTX for compute capability 9.0 or less, only {}; compile it with "
                      "-gencode arch=compute_90,code=compute_90, or with warplens cc",
                      found.empty() ? "nothing" : found),
          {},
          {}};
}

template <typename T>
T read(std::span<const std::uint8_t> bytes, std::uint64_t at) {
  T value{};
  if (at <= bytes.size() && sizeof value <= bytes.size() - at)
    std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

struct Section {
  std::string_view name;
  std::span<const std::uint8_t> bytes;
};

std::string_view text_at(std::span<const std::uint8_t> bytes, std::uint64_t at) {
  if (at >= bytes.size()) return {};
  const auto* const text = reinterpret_cast<const char*>(bytes.data() + at);
  return {text, ::strnlen(text, bytes.size() - at)};
}

std::vector<Section> sections_of(std::span<const std::uint8_t> elf) {
  constexpr std::uint64_t kHeader = 64;
  const auto begin = read<std::uint64_t>(elf, 40);
  const auto count = read<std::uint16_t>(elf, 60), names = read<std::uint16_t>(elf, 62);
  const auto name_table = read<std::uint64_t>(elf, begin + names * kHeader + 24);
  std::vector<Section> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = begin + i * kHeader;
    const auto from = read<std::uint64_t>(elf, at + 24), bytes = read<std::uint64_t>(elf, at + 32);
    const bool inside = from <= elf.size() && bytes <= elf.size() - from;
    out.push_back({text_at(elf, name_table + read<std::uint32_t>(elf, at)),
                   inside ? elf.subspan(from, bytes) : std::span<const std::uint8_t>{}});
  }
  return out;
}

// Registers a thread of each kernel: attribute 0x2f of .nv.info, a symbol's number and a count.
std::map<std::string, int, std::less<>> registers_in(std::span<const std::uint8_t> elf) {
  constexpr std::uint8_t kSized = 4, kRegisters = 0x2f;
  std::span<const std::uint8_t> info, symbols, names;
  for (const Section& section : sections_of(elf)) {
    if (section.name == ".nv.info") info = section.bytes;
    if (section.name == ".symtab") symbols = section.bytes;
    if (section.name == ".strtab") names = section.bytes;
  }
  std::map<std::string, int, std::less<>> found;
  for (std::uint64_t at = 0; at + 4 <= info.size();) {
    const bool sized = info[at] == kSized;
    if (sized && info[at + 1] == kRegisters) {
      const std::uint64_t symbol = read<std::uint32_t>(info, at + 4);
      const std::string_view name = text_at(names, read<std::uint32_t>(symbols, symbol * 24));
      found[std::string(name)] = static_cast<int>(read<std::uint32_t>(info, at + 8));
    }
    at += 4 + (sized ? read<std::uint16_t>(info, at + 2) : 0);
  }
  return found;
}

}  // namespace

Status Module::load() {
  if (!status_) status_ = read_ptx();
  if (!*status_) return *status_;
  Placed& placed = placed_[current_device()];
  if (!placed.status) placed.status = place_variables(placed);
  return *placed.status;
}

const Module::Placed& Module::placed() const {
  static const Placed nothing{};
  const auto found = placed_.find(current_device());
  return found == placed_.end() ? nothing : found->second;
}

Status Module::read_ptx() {
  const std::vector<const Image*> chosen = best_ptx(images_);
  if (chosen.empty()) return no_ptx(images_);
  std::vector<std::string> texts;
  for (const Image* image : chosen) {
    auto text = text_of(*image);
    if (!text) return text.error();
    texts.push_back(std::move(*text));
  }
  text_ = texts.size() == 1 ? std::move(texts.front()) : ptx::link_texts(texts);
  auto module = ptx::parse(text_, {.file = "the program's PTX"});
  if (!module) return module.error();
  read_machine_code(*module);
  parsed_ = std::make_shared<const ptx::Module>(std::move(*module));
  return Done{};
}

// What ptxas made of the same PTX, where the program holds that as well: counters follow it.
void Module::read_machine_code(ptx::Module& module) {
  for (const Image& image : images_) {
    if (image.is_ptx || image.arch != kArch) continue;
    const auto bytes = bytes_of(image);
    if (!bytes) continue;
    registers_ = registers_in(*bytes);
    if (const auto listing = source::read_cubin(*bytes)) ptx::attach(*listing, module);
    return;
  }
}

Status Module::place_variables(Placed& placed) {
  simt::VariablePlaces& places = placed.places;
  places = simt::place_constants(*parsed_);
  const auto no_room = [](const std::string& name, std::uint64_t bytes) {
    return Error{ErrorKind::System, fmt::format("no room for the {} bytes of {}", bytes, name), {}, {}};
  };
  if (places.constant_bytes > 0) {
    const std::uint64_t at = arena_.allocate(places.constant_bytes, Kind::Variable, "constant memory");
    if (at == 0) return no_room("constant memory", places.constant_bytes);
    placed.constants = {reinterpret_cast<std::uint8_t*>(at), places.constant_bytes};
    std::ranges::fill(placed.constants, std::uint8_t{0});
  }
  std::vector<const ptx::Variable*> variables;
  for (const ptx::Variable& variable : parsed_->variables) variables.push_back(&variable);
  for (const ptx::Function& function : parsed_->functions)
    for (const ptx::Variable& variable : function.locals) variables.push_back(&variable);
  std::erase_if(variables, [](const ptx::Variable* v) {
    return v->is_extern || (v->space != ptx::StateSpace::Global && v->space != ptx::StateSpace::Const);
  });
  for (const ptx::Variable* variable : variables) {
    if (variable->space != ptx::StateSpace::Global) continue;
    if (const auto other = shared_.contains(variable->name) ? where_placed(variable->name) : 0; other != 0) {
      places.global[variable->name] = other;
      continue;
    }
    const std::uint64_t at = arena_.allocate(variable->bytes(), Kind::Variable, variable->name);
    if (at == 0) return no_room(variable->name, variable->bytes());
    std::memset(reinterpret_cast<void*>(at), 0, variable->bytes());
    places.global[variable->name] = at;
  }
  for (const ptx::Variable* variable : variables)
    if (placed_.size() == 1 || !shared_.contains(variable->name)) fill(*variable, placed);
  return Done{};
}

// On any device; 0: on none yet.
std::uint64_t Module::where_placed(const std::string& variable) const {
  for (const auto& [device, placed] : placed_)
    if (const auto found = placed.places.global.find(variable); found != placed.places.global.end())
      return found->second;
  return 0;
}

// Initial contents, with the addresses of other variables and of functions.
void Module::fill(const ptx::Variable& variable, const Placed& placed) const {
  const simt::VariablePlaces& places = placed.places;
  auto* const at = reinterpret_cast<std::uint8_t*>(address_in(placed, variable.name));
  std::copy_n(variable.initial.begin(), std::min<std::size_t>(variable.initial.size(), variable.bytes()), at);
  for (const ptx::Relocation& relocation : variable.relocations) {
    std::uint64_t value = 0;
    if (const ptx::Function* function = parsed_->find_function(relocation.symbol)) {
      value = simt::function_address(*parsed_, *function);
    } else if (const auto constant = places.constant.find(relocation.symbol);
               constant != places.constant.end()) {
      value = constant->second + (relocation.generic ? simt::kConstWindow : 0);
    } else if (const auto global = places.global.find(relocation.symbol); global != places.global.end()) {
      value = global->second;
    } else {
      continue;
    }
    value += static_cast<std::uint64_t>(relocation.addend);
    const auto bytes = static_cast<std::uint64_t>(std::clamp(relocation.bytes, 0, 8));
    if (relocation.offset <= variable.bytes() && bytes <= variable.bytes() - relocation.offset)
      std::memcpy(at + relocation.offset, &value, bytes);
  }
}

std::uint64_t Module::address_in(const Placed& placed, const std::string& name) {
  if (const auto global = placed.places.global.find(name); global != placed.places.global.end())
    return global->second;
  const auto constant = placed.places.constant.find(name);
  if (constant == placed.places.constant.end()) return 0;
  return reinterpret_cast<std::uint64_t>(placed.constants.data()) + constant->second;
}

std::uint64_t Module::address_of(const std::string& name) const {
  return address_in(placed(), name);
}

int Module::registers_of(const std::string& function) const {
  const auto found = registers_.find(function);
  return found == registers_.end() ? 0 : found->second;
}

std::string Function::shown_name() {
  return ptx::demangle(name);
}

Result<const ptx::Function*> Function::entry() {
  if (entry_ != nullptr) return entry_;
  if (Status status = module->load(); !status) return status.error();
  const auto found = module->parsed()->find_entry(name);
  if (found) entry_ = *found;
  return found;
}

int Function::registers() {
  return module->load() ? module->registers_of(name) : 0;
}

Result<const Loaded*> Function::load(Dim3 cluster) {
  std::unique_ptr<Loaded>& known =
      loaded_[{static_cast<std::uint32_t>(current_device()), cluster.x, cluster.y, cluster.z}];
  if (known) return known.get();
  if (Status status = module->load(); !status) return status.error();
  std::shared_ptr<const ptx::Module> parsed = module->parsed();
  if (cluster.volume() > 0) {
    // The launch's clusters as if the kernel had been compiled for them.
    auto again = ptx::parse(ptx::with_clusters(module->ptx(), cluster), {.file = "the program's PTX"});
    if (!again) return again.error();
    module->read_machine_code(*again);
    parsed = std::make_shared<const ptx::Module>(std::move(*again));
  }
  auto kernel = simt::load(parsed, name, kArch, module->places());
  if (!kernel) return kernel.error();
  auto loaded = std::make_unique<Loaded>(Loaded{std::move(*kernel), nullptr, {}, 0});
  loaded->counter = std::make_unique<analysis::UnrolledCounter>(loaded->kernel.sites(), *parsed);
  for (const simt::Piece& piece : loaded->kernel.program().parameters)
    loaded->parameters.emplace_back(piece.offset, piece.bytes);
  loaded->parameter_bytes = loaded->kernel.program().parameter_bytes;
  known = std::move(loaded);
  return known.get();
}

Module* Modules::add(std::vector<Image> images) {
  return &modules_.emplace_back(arena_, std::move(images));
}

Module* Modules::module_of(void** handle) {
  for (Module& module : modules_)
    if (reinterpret_cast<void**>(&module) == handle) return &module;
  return nullptr;
}

void Modules::add_function(Module* module, const void* host, std::string name) {
  Function& function = functions_.emplace_back();
  function.module = module;
  function.name = std::move(name);
  by_host_[host] = &function;
}

void Modules::add_variable(const void* host, Variable variable) {
  if (variable.managed != nullptr) variable.module->share(variable.name);
  variables_[host] = std::move(variable);
}

Function* Modules::function(const void* host) {
  if (const auto found = by_host_.find(host); found != by_host_.end()) return found->second;
  for (Function& function : functions_)  // a handle that was given out
    if (&function == host) return &function;
  return nullptr;
}

Function* Modules::function(Module* module, const std::string& name) {
  for (Function& function : functions_)
    if (function.module == module && function.name == name) return &function;
  if (!module->load()) return nullptr;
  const auto entry = module->parsed()->find_entry(name);
  if (!entry) return nullptr;
  Function& function = functions_.emplace_back();
  function.module = module;
  function.name = (*entry)->name;
  return &function;
}

Variable* Modules::variable(const void* host) {
  const auto found = variables_.find(host);
  return found == variables_.end() ? nullptr : &found->second;
}

bool Modules::has_variable(const std::string& name) const {
  return std::ranges::any_of(variables_, [&](const auto& known) { return known.second.name == name; });
}

Status Modules::place_managed(Module* module) {
  for (auto& [host, variable] : variables_) {
    if (variable.module != module || variable.managed == nullptr) continue;
    if (Status status = module->load(); !status) return status.error();
    *variable.managed = reinterpret_cast<void*>(module->address_of(variable.name));
  }
  return Done{};
}

}  // namespace warplens::runtime
