#include "app/model/run/kept_launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "app/model/run/pipeline.h"
#include "engine/base/align.h"
#include "engine/base/message.h"
#include "engine/base/place_name.h"
#include "engine/simt/load/program.h"

namespace warplens::model {
namespace {

using Kind = KeptLaunch::Allocation::Kind;

constexpr std::uint64_t kPage = 4096, kRedZone = 256;

// What an edit has added: variables that the program does not have, and constants in their new order.
struct Added {
  simt::VariablePlaces places;
  std::uint64_t end = 0;        // of all memory, with it
  std::uint64_t constants = 0;  // address of the new constants; 0: those of the program hold
  std::vector<std::pair<std::uint64_t, const ptx::Variable*>> variables;
};

std::uint64_t end_of(const KeptLaunch& kept) {
  return kept.allocations.empty() ? kept.origin : kept.allocations.back().end();
}

Added places_of(const KeptLaunch& kept, const ptx::Module& module) {
  Added out;
  out.places = simt::place_constants(module);
  out.end = end_of(kept);
  const auto place = [&](const ptx::Variable& variable) {
    if (variable.space != ptx::StateSpace::Global || variable.is_extern) return;
    const auto known = kept.variables.find(variable.name);
    const KeptLaunch::Allocation* there = known == kept.variables.end() ? nullptr : kept.find(known->second);
    if (there != nullptr && there->end() - known->second >= variable.bytes()) {
      out.places.global[variable.name] = known->second;
      return;
    }
    const std::uint64_t at = align_up(out.end + kRedZone, std::max<std::uint64_t>(256, variable.alignment));
    out.places.global[variable.name] = at;
    out.variables.emplace_back(at, &variable);
    out.end = at + variable.bytes();
  };
  for (const ptx::Variable& variable : module.variables) place(variable);
  for (const ptx::Function& function : module.functions)
    for (const ptx::Variable& variable : function.locals) place(variable);
  return out;
}

Error taken() {
  return told(ErrorKind::System, {"open.kept.taken", {}});
}

// The program's memory where it was, for the time of a run.
class Memory {
 public:
  Memory() : lock_(only_one()) {}
  ~Memory() {
    if (mapped_ > 0) ::munmap(places_.base(), mapped_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Status fill(const KeptLaunch& kept, const ptx::Module& module);
  simt::LastingMemory& places() { return places_; }

 private:
  static std::mutex& only_one() {
    static std::mutex mutex;
    return mutex;
  }
  Status map(std::uint64_t origin, std::uint64_t end);
  Status read(const KeptLaunch::Allocation& allocation) const;
  void fill_constants(const KeptLaunch& kept, const ptx::Module& module, const Added& added);
  void bind_textures(const KeptLaunch& kept);
  std::uint8_t* bytes_at(std::uint64_t address) const {
    return reinterpret_cast<std::uint8_t*>(places_.host(address));
  }

  std::scoped_lock<std::mutex> lock_;
  std::uint64_t mapped_ = 0;
  simt::LastingMemory places_;
};

Status Memory::map(std::uint64_t origin, std::uint64_t end) {
  const std::uint64_t bytes = align_up(end - origin + kRedZone, kPage);
  // The emulator's own addresses are nobody else's; a GPU's may be taken here.
  const bool fixed = origin == simt::kGlobalBase;
  void* const wanted = fixed ? reinterpret_cast<void*>(origin) : nullptr;
  void* const got =
      ::mmap(wanted, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (fixed ? MAP_FIXED_NOREPLACE : 0), -1, 0);
  if (got == MAP_FAILED) return taken();
  if (fixed && got != wanted) {
    ::munmap(got, bytes);
    return taken();
  }
  mapped_ = bytes;
  places_.lie_at(origin, static_cast<std::byte*>(got));
  places_.let_strays_pass(origin, origin + bytes);  // as its program did; between allocations lie zeros
  return Done{};
}

// The pages that the file has; what is not in it is zeros already.
Status Memory::read(const KeptLaunch::Allocation& allocation) const {
  if (allocation.file.empty()) return Done{};
  const int in = ::open(allocation.file.c_str(), O_RDONLY | O_CLOEXEC);
  bool fine = in >= 0;
  const auto bytes = static_cast<off_t>(allocation.bytes);
  for (off_t at = 0; fine && at < bytes;) {
    const off_t begin = ::lseek(in, at, SEEK_DATA);
    if (begin < 0) break;  // zeros to the end
    const off_t end = std::min(::lseek(in, begin, SEEK_HOLE), bytes);
    for (at = begin; fine && at < end;) {
      const ssize_t got =
          ::pread(in, places_.host(allocation.address) + at, static_cast<std::size_t>(end - at), at);
      fine = got > 0;
      at += fine ? got : 0;
    }
  }
  if (in >= 0) ::close(in);
  if (fine) return Done{};
  return told(ErrorKind::System, {"open.kept.not_readable", {}}, {allocation.file.string(), 0, 0});
}

void copy_initial(const ptx::Variable& variable, std::byte* at) {
  std::memcpy(at, variable.initial.data(), std::min<std::size_t>(variable.initial.size(), variable.bytes()));
}

// The program's, in the module's order.
void Memory::fill_constants(const KeptLaunch& kept, const ptx::Module& module, const Added& added) {
  if (added.constants == 0) {
    places_.constants = {bytes_at(kept.constants), kept.constant_bytes};
    return;
  }
  for (const ptx::Variable& variable : module.variables) {
    const auto to = added.places.constant.find(variable.name);
    if (to == added.places.constant.end()) continue;
    const auto from = kept.constant_places.find(variable.name);
    const std::uint64_t at = added.constants + to->second;
    if (from != kept.constant_places.end() && from->second + variable.bytes() <= kept.constant_bytes)
      std::memcpy(places_.host(at), places_.host(kept.constants + from->second), variable.bytes());
    else
      copy_initial(variable, places_.host(at));
  }
  places_.constants = {bytes_at(added.constants), added.places.constant_bytes};
}

Status Memory::fill(const KeptLaunch& kept, const ptx::Module& module) {
  Added added = places_of(kept, module);
  if (added.places.constant != kept.constant_places || added.places.constant_bytes > kept.constant_bytes) {
    added.constants = align_up(added.end + kRedZone, 256);
    added.end = added.constants + added.places.constant_bytes;
  }
  if (Status status = map(kept.origin, added.end); !status) return status;
  for (const KeptLaunch::Allocation& one : kept.allocations) {
    if (Status status = read(one); !status) return status;
    if (one.kind != Kind::Array) places_.add(one.address, {one.bytes, one.name, one.kind == Kind::Variable});
  }
  for (const auto& [at, variable] : added.variables) {
    if (!variable->relocations.empty())
      return told(ErrorKind::Unsupported, {"open.kept.new_address", {{"name", value_of(variable->name)}}});
    copy_initial(*variable, places_.host(at));
    places_.add(at, {variable->bytes(), variable->name, true});
  }
  fill_constants(kept, module, added);
  places_.workspace = kept.workspace;
  if (kept.heap != 0) {
    places_.heap.open(kept.heap, simt::DeviceHeap::kBytes);
    places_.heap.restore(kept.heap_blocks);
  }
  bind_textures(kept);
  return Done{};
}

void Memory::bind_textures(const KeptLaunch& kept) {
  for (const KeptLaunch::Texture& texture : kept.textures) {
    simt::LastingTexture& object = places_.textures.emplace_back(texture.object);
    object.texels = texture.texels == 0 ? nullptr : bytes_at(texture.texels);
  }
}

// The arguments as the kernel finds them: pointers where the launch says buffers.
Result<trace::Launch> as_passed(const KeptLaunch& kept, const trace::Launch& launch,
                                const simt::LastingMemory& memory) {
  trace::Launch out = launch;
  for (std::size_t i = 0; i < out.arguments.size(); ++i) {
    trace::Argument& argument = out.arguments[i];
    if (!argument.is_buffer && !argument.texture) continue;
    const KeptLaunch::Allocation* const there = kept.pointee(i);
    const std::uint64_t pointer = there == nullptr ? 0 : kept.pointer(i);
    const bool as_kept =
        there != nullptr &&
        (argument.init == trace::Init::File ? argument.path == there->file : there->file.empty());
    if (there == nullptr || argument.texture || argument.bytes() > there->end() - pointer)
      return told(ErrorKind::Usage, {"open.kept.other_buffer", {{"argument", value_of(argument.text)}}});
    if (!as_kept) {
      const auto contents = trace::initial_bytes(argument);
      if (!contents) return contents.error();
      std::memcpy(memory.host(pointer), contents->data(), contents->size());
    }
    trace::Argument passed;
    passed.type = trace::ElementType::U64;
    passed.bits = pointer;
    passed.text = argument.text;
    argument = passed;
  }
  return out;
}

// Pointers by their parameters; a buffer ends where the next one in the same allocation begins.
void name_pointees(const KeptLaunch& kept, const trace::Launch& launch, const simt::LastingMemory& memory,
                   simt::Outcome& outcome) {
  std::vector<trace::BufferPlacement> named;
  outcome.buffers.assign(launch.arguments.size(), {});
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const KeptLaunch::Allocation* const there = kept.pointee(i);
    if (there == nullptr || !launch.arguments[i].is_buffer) continue;
    const std::uint64_t begin = kept.pointer(i);
    const auto* const at = reinterpret_cast<const std::uint8_t*>(memory.host(begin));
    outcome.buffers[i].assign(at, at + launch.arguments[i].bytes());
    if (std::ranges::any_of(named, [&](const trace::BufferPlacement& b) { return b.base == begin; }))
      continue;
    named.push_back({static_cast<std::uint32_t>(i), argument_name(i), begin, there->end() - begin,
                     launch.arguments[i].type});
  }
  for (trace::BufferPlacement& one : named)
    for (const trace::BufferPlacement& other : named)
      if (other.base > one.base) one.bytes = std::min(one.bytes, other.base - one.base);
  // The rest of the memory keeps its names, but for what is named already.
  for (const trace::BufferPlacement& place : outcome.placements)
    if (std::ranges::none_of(named, [&](const trace::BufferPlacement& b) {
          return b.base >= place.base && b.base < place.base + place.bytes;
        }))
      named.push_back(place);
  outcome.placements = std::move(named);
}

}  // namespace

std::uint64_t KeptLaunch::pointer(std::size_t argument) const {
  std::uint64_t pointer = 0;
  if (argument < arguments.size() && arguments[argument].size() == sizeof pointer)
    std::memcpy(&pointer, arguments[argument].data(), sizeof pointer);
  return pointer;
}

const KeptLaunch::Allocation* KeptLaunch::pointee(std::size_t argument) const {
  const std::uint64_t address = pointer(argument);
  const Allocation* const found = address == 0 ? nullptr : find(address);
  return found != nullptr && found->kind != Kind::Array ? found : nullptr;
}

Result<simt::Kernel> load_kept(const KeptLaunch& kept, const std::shared_ptr<const ptx::Module>& module,
                               const std::string& name, int sm_version) {
  return simt::load(module, name, sm_version, places_of(kept, *module).places);
}

Result<simt::Outcome> run_kept(const KeptLaunch& kept, const simt::Kernel& kernel,
                               const trace::Launch& launch, const simt::Options& options,
                               std::span<trace::Listener* const> listeners) {
  Memory memory;
  if (Status filled = memory.fill(kept, kernel.module()); !filled) return filled.error();
  const auto passed = as_passed(kept, launch, memory.places());
  if (!passed) return passed.error();
  auto outcome = simt::run(kernel, *passed, options, memory.places(), listeners);
  if (outcome) name_pointees(kept, launch, memory.places(), *outcome);
  return outcome;
}

Result<std::shared_ptr<const KeptLaunch>> kept_of(const Program& program) {
  if (!is_kept_launch(program.file)) return std::shared_ptr<const KeptLaunch>();
  return read_kept_launch(program.file);
}

Result<simt::Outcome> emulate(const Program& program, const simt::Kernel& kernel, const trace::Launch& launch,
                              const simt::Options& options, std::span<trace::Listener* const> listeners) {
  const auto kept = kept_of(program);
  if (!kept) return kept.error();
  return *kept ? run_kept(**kept, kernel, launch, options, listeners)
               : simt::run(kernel, launch, options, listeners);
}

}  // namespace warplens::model
