#include "engine/simt/lasting_memory.h"

#include <algorithm>
#include <iterator>

#include "engine/base/align.h"
#include "engine/simt/load/program.h"

namespace warplens::simt {

namespace {

constexpr std::uint64_t kHeapFull = ~std::uint64_t{0};  // not even the smallest block fits

thread_local const VariablePlaces* g_places = nullptr;

// For the time of a load.
class Scope {
 public:
  explicit Scope(const VariablePlaces& places) { g_places = &places; }
  ~Scope() { g_places = nullptr; }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

}  // namespace

LastingMemory::LastingMemory() : origin_(kGlobalBase), base_(reinterpret_cast<std::byte*>(kGlobalBase)) {}

void LastingMemory::lie_at(std::uint64_t origin, std::byte* base) {
  origin_ = origin;
  base_ = base;
}

bool LastingMemory::lets_pass(std::uint64_t address, std::uint64_t bytes) const {
  constexpr std::uint64_t kPage = std::uint64_t{2} << 20;
  if (address < strays_begin_ || address >= strays_end_ || bytes > strays_end_ - address) return false;
  const auto after = places_.upper_bound(address);
  if (after != places_.end() && after->first < strays_end_ && after->first - address <= kPage) return true;
  if (after == places_.begin()) return false;
  const auto& [begin, place] = *std::prev(after);
  return begin >= strays_begin_ && address + bytes <= begin + align_up(place.bytes, kPage);
}

bool was_let_pass(const trace::Fault& fault) {
  // Other sentences may stand around it.
  const Message* what = &fault.what;
  while (what->key != "fault.let_pass") {
    const Message* inner = nullptr;
    for (const auto& [name, value] : what->values)
      if (const auto* const messages = std::get_if<std::vector<Message>>(&value);
          name == "what" && messages != nullptr && messages->size() == 1)
        inner = &messages->front();
    if (inner == nullptr) return false;
    what = inner;
  }
  return true;
}

void DeviceHeap::open(std::uint64_t begin, std::uint64_t bytes) {
  begin_ = next_ = begin;
  end_ = begin + bytes;
}

void DeviceHeap::restore(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& blocks) {
  const std::lock_guard lock(mutex_);
  for (const auto& [address, bytes] : blocks) {
    blocks_[address] = bytes;
    next_ = std::max(next_, align_up(address + bytes, 16) + 16);
  }
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes > end_ - begin_) return 0;
  const std::uint64_t rounded = align_up(std::max<std::uint64_t>(bytes, 1), 16);
  // Behind the last block as long as there is room, so that freed memory is not handed out at once; then
  // first fit over the gaps. 16 bytes of red zone behind each.
  if (next_ == kHeapFull) return 0;
  std::uint64_t at = next_;
  if (at + rounded > end_) {
    at = begin_;
    for (const auto& [begin, size] : blocks_) {
      if (at + rounded + 16 <= begin) break;
      at = begin + align_up(size, 16) + 16;
    }
    if (at + rounded > end_) {
      if (rounded == 16) next_ = kHeapFull;
      return 0;
    }
  }
  next_ = std::max(next_, at + rounded + 16);
  blocks_[at] = bytes;
  return at;
}

bool DeviceHeap::release(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  if (next_ == kHeapFull) next_ = end_;
  return blocks_.erase(address) != 0;
}

bool DeviceHeap::contains(std::uint64_t address, std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return false;
  --after;
  return address - after->first + bytes <= after->second;
}

std::map<std::uint64_t, std::uint64_t> DeviceHeap::blocks() const {
  const std::lock_guard lock(mutex_);
  return blocks_;
}

VariablePlaces place_constants(const ptx::Module& module) {
  VariablePlaces places;
  const auto place = [&](const ptx::Variable& variable) {
    if (variable.space != ptx::StateSpace::Const || variable.is_extern) return;
    const std::uint64_t alignment = std::max({std::uint64_t{1}, std::uint64_t{variable.alignment},
                                              static_cast<std::uint64_t>(ptx::size_of(variable.type))});
    const std::uint64_t at = align_up(places.constant_bytes, alignment);
    places.constant[variable.name] = at;
    places.constant_bytes = at + variable.bytes();
  };
  for (const ptx::Variable& variable : module.variables) place(variable);
  for (const ptx::Function& function : module.functions)
    for (const ptx::Variable& variable : function.locals) place(variable);
  return places;
}

const VariablePlaces* places_of_load() {
  return g_places;
}

std::uint64_t function_address(const ptx::Module& module, const ptx::Function& function) {
  // As Loader::collect_routines numbers them: behind the kernel, in the order of the module.
  std::uint64_t number = 0;
  for (const ptx::Function& one : module.functions) {
    if (one.is_entry || one.instructions.empty()) continue;
    ++number;
    if (&one == &function) return kFunctionWindow + 16 * number;
  }
  return 0;
}

Result<Kernel> load(std::shared_ptr<const ptx::Module> module, std::string_view name, int sm_version,
                    const VariablePlaces& places) {
  const Scope scope(places);
  return Kernel::load(std::move(module), name, sm_version);
}

}  // namespace warplens::simt
