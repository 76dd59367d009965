#include "engine/runtime/repeats.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "engine/ptx/syntax/special_registers.h"
#include "engine/runtime/devices.h"
#include "engine/runtime/launcher.h"
#include "engine/simt/load/program.h"

namespace warplens::runtime {
namespace {

constexpr std::uint64_t kPieceBytes = 16 << 10;
constexpr std::uint64_t kMostKeptBytes = std::uint64_t{1} << 30;
constexpr std::size_t kMostLaunches = 4096;
// A launch is worth a look at memory when it takes so many times as long, and no less than this.
constexpr double kWorthLooking = 4, kShortest = 1e-3;
constexpr unsigned kMostWaits = 12;  // a power of two
// Of a look before there was one; a slow one is forgotten at this rate, up to there.
constexpr double kBytesASecond = 4e9, kForget = 1.1;

// Of this thread: what others do on the machine must not make a look seem dear.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Both halves of the product: with the lower alone a change of the highest bits of a word, which are signs of
// numbers, reaches few bits of the sum, and a second one can undo it.
std::uint64_t stirred(std::uint64_t sum, std::uint64_t word, std::uint64_t factor) {
  __extension__ using Product = unsigned __int128;
  const Product product = static_cast<Product>(sum ^ word) * factor;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Four sums side by side, of which each word of a piece enters one.
std::uint64_t mark_of(const std::uint8_t* from, std::uint64_t bytes) {
  static constexpr std::array<std::uint64_t, 4> kFactors{0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f,
                                                         0x165667b19e3779f9, 0xd6e8feb86659fd93};
  std::array<std::uint64_t, 4> sums{bytes, ~bytes, bytes << 32, 0x5851f42d4c957f2d};
  std::uint64_t at = 0;
  for (; at + 32 <= bytes; at += 32) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), from + at, 32);
    for (std::size_t i = 0; i < 4; ++i) sums[i] = stirred(sums[i], words[i], kFactors[i]);
  }
  for (; at < bytes; ++at) sums[0] = stirred(sums[0], from[at], kFactors[0]);
  std::uint64_t mark = 0;
  for (std::size_t i = 0; i < 4; ++i) mark = stirred(std::rotl(mark, 23), sums[i], kFactors[3 - i]);
  return mark;
}

// The same number of marks for the same allocations. The kernels' heap holds nothing while none of it is
// used.
template <typename Take>
void for_each_piece(Arena& arena, Take&& take) {
  const simt::DeviceHeap& heap = arena.places().heap;
  const bool heap_used = !heap.blocks().empty();
  for (const auto& [address, allocation] : arena.all())
    for (std::uint64_t at = address == heap.begin() && !heap_used ? allocation.bytes : 0;
         at < allocation.bytes; at += kPieceBytes)
      take(address + at, std::min(kPieceBytes, allocation.bytes - at));
}

const std::uint8_t* host_of(std::uint64_t address) {
  return reinterpret_cast<const std::uint8_t*>(address);
}

// At a clock, or at where it runs.
bool is_changing(const ptx::Operand& operand) {
  if (operand.kind == ptx::OperandKind::Special) {
    const std::string name = operand.special == ptx::SpecialRegister::Unknown
                                 ? operand.symbol
                                 : ptx::special_register_name(operand.special, operand.value);
    for (const std::string_view word : {"%clock", "%globaltimer", "%smid", "%warpid", "%pm"})
      if (name.starts_with(word)) return true;
  }
  return std::ranges::any_of(operand.elements, is_changing);
}
bool looks_around(const simt::Routine& routine) {
  return std::ranges::any_of(routine.function->instructions, [](const ptx::Instruction& in) {
    return std::ranges::any_of(in.operands, is_changing);
  });
}

void append(std::vector<std::uint8_t>& to, const void* from, std::size_t bytes) {
  const auto* const begin = static_cast<const std::uint8_t*>(from);
  to.insert(to.end(), begin, begin + bytes);
}

}  // namespace

Repeats::Key Repeats::key_of(const KernelLaunch& launch) {
  std::vector<std::uint8_t> words;
  for (const Dim3& d : {launch.grid, launch.block, launch.cluster})
    for (const std::uint32_t n : {d.x, d.y, d.z}) append(words, &n, sizeof n);
  append(words, &launch.shared_bytes, sizeof launch.shared_bytes);
  words.push_back(launch.cooperative);
  append(words, &current_device(), sizeof(int));  // variables lie elsewhere on another
  append(words, launch.parameters.data(), launch.parameters.size());
  return {launch.function, std::move(words)};
}

// Does it do the same again when it finds the same? Of all that it may call, not of other kernels of its
// module: headers of barriers and pipelines bring clocks along that few kernels ever read.
bool Repeats::is_steady(Function& function) {
  const auto [found, is_new] = steady_.try_emplace(&function, true);
  if (!is_new) return found->second;
  const auto loaded = function.load();
  found->second = loaded && std::ranges::none_of((*loaded)->kernel.program().routines, looks_around);
  return found->second;
}

Repeats::State Repeats::look(Arena& arena) {
  const double begin = cpu_seconds();
  State state;
  std::uint64_t bytes = 0;
  for_each_piece(arena, [&](std::uint64_t address, std::uint64_t size) {
    state.marks.push_back(mark_of(host_of(address), size));
    bytes += size;
  });
  const auto add = [&](std::uint64_t word) { state.marks.push_back(word); };
  for (const auto& [address, allocation] : arena.all()) {
    add(address);
    add(allocation.bytes);
    if (arena.places().written != nullptr) add(allocation.number);  // allocated anew, nobody has written it
  }
  for (const auto& [address, size] : arena.places().heap.blocks()) {
    add(address);
    add(size);
  }
  for (const simt::LastingTexture& texture : arena.places().textures) {
    const trace::Texture& f = texture.format;
    add(reinterpret_cast<std::uint64_t>(texture.texels));
    add(texture.row_bytes);
    for (const std::uint64_t word :
         {static_cast<std::uint64_t>(texture.type), static_cast<std::uint64_t>(f.channels),
          static_cast<std::uint64_t>(f.width), static_cast<std::uint64_t>(f.height),
          static_cast<std::uint64_t>(f.depth), static_cast<std::uint64_t>(f.filter),
          static_cast<std::uint64_t>(f.edge), static_cast<std::uint64_t>(f.normalised),
          static_cast<std::uint64_t>(f.unit), static_cast<std::uint64_t>(f.linear_memory),
          static_cast<std::uint64_t>(f.surface), static_cast<std::uint64_t>(f.layered),
          static_cast<std::uint64_t>(f.cube)})
      add(word);
  }
  const double seconds = cpu_seconds() - begin;
  if (bytes > (1 << 20)) bytes_a_second_ = static_cast<double>(bytes) / std::max(seconds, 1e-6);
  return state;
}

void Repeats::forget(Known& known) {
  for (const Piece& piece : known.left) kept_bytes_ -= piece.bytes.size();
  known.left.clear();
  known.launch.reset();
}

const SameLaunch* Repeats::take(Arena& arena, const KernelLaunch& launch) {
  before_.reset();
  if (known_.empty()) return nullptr;
  const auto found = known_.find(key_of(launch));
  if (found == known_.end()) return nullptr;
  Known& known = found->second;
  const double cost = static_cast<double>(arena.used() - simt::DeviceHeap::kBytes) / bytes_a_second_;
  if (!is_steady(*launch.function)) return nullptr;
  if (known.seconds < kWorthLooking * cost) {
    // The first look at memory maps its pages, and is slower than those that follow.
    bytes_a_second_ = std::max(bytes_a_second_, std::min(bytes_a_second_ * kForget, kBytesASecond));
    return nullptr;
  }
  // The program may have given back memory of its own that it has registered.
  for (const auto& [address, allocation] : arena.all())
    if (allocation.kind == Kind::Registered) return nullptr;
  if (known.waits > 0) {
    --known.waits;
    return nullptr;
  }
  before_ = look(arena);
  if (!known.launch) return nullptr;
  if (*before_ == known.before) {
    known.in_vain = 0;
    for (const Piece& piece : known.left)
      std::memcpy(reinterpret_cast<void*>(piece.address), piece.bytes.data(), piece.bytes.size());
    before_.reset();
    return &*known.launch;
  }
  // Something that changes from launch to launch: looked at ever more rarely.
  known.in_vain = std::min(known.in_vain + 1, kMostWaits);
  known.waits = (std::uint64_t{1} << known.in_vain) - 1;
  return nullptr;
}

// Two looks at the same allocations differ in the marks of pieces only.
void Repeats::keep_changes(Arena& arena, const State& after, Known& known) {
  std::size_t index = 0;
  for_each_piece(arena, [&](std::uint64_t address, std::uint64_t size) {
    const std::size_t at = index++;
    if (after.marks[at] == before_->marks[at]) return;
    if (kept_bytes_ + size <= kMostKeptBytes)
      known.left.push_back({address, std::vector<std::uint8_t>(host_of(address), host_of(address) + size)});
    kept_bytes_ += size;
  });
  const bool too_much = kept_bytes_ > kMostKeptBytes;
  // The rest must be as it was: the heap's blocks are what a launch could have changed besides.
  const bool same_rest =
      after.marks.size() == before_->marks.size() &&
      std::equal(after.marks.begin() + static_cast<std::ptrdiff_t>(index), after.marks.end(),
                 before_->marks.begin() + static_cast<std::ptrdiff_t>(index));
  if (!too_much && same_rest) return;
  kept_bytes_ = 0;
  known.left.clear();
  known.launch.reset();
  for (const auto& [key, other] : known_)
    for (const Piece& piece : other.left) kept_bytes_ += piece.bytes.size();
}

void Repeats::took(const KernelLaunch& launch, double seconds) {
  if (seconds >= kShortest && known_.size() < kMostLaunches) known_[key_of(launch)].seconds = seconds;
}

void Repeats::learn(Arena& arena, const KernelLaunch& launch, SameLaunch done) {
  Known& known = known_[key_of(launch)];
  forget(known);
  done.outcome.counts.clear();
  done.outcome.calls.clear();
  done.outcome.buffers.clear();
  done.outcome.placements.clear();
  known.launch = std::move(done);
  known.before = std::move(*before_);
  before_.emplace(known.before);
  keep_changes(arena, look(arena), known);
  before_.reset();
}

}  // namespace warplens::runtime
