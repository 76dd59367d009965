#include "engine/runtime/arena.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "engine/base/align.h"
#include "engine/base/place_name.h"
#include "engine/runtime/devices.h"
#include "engine/simt/load/program.h"

namespace warplens::runtime {
namespace {

using simt::kGlobalBase;

constexpr std::uint64_t kRedZone = 256;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kChunk = std::uint64_t{2} << 20, kWindow = std::uint64_t{64} << 10;

std::uint64_t physical_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Arena::Arena() : total_(std::min(kReach / 2, physical_memory())) {
  void* const wanted = reinterpret_cast<void*>(kGlobalBase);
  void* const got = ::mmap(wanted, kReach, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return;
  if (got != wanted) {
    ::munmap(got, kReach);
    return;
  }
  mapped_ = true;
  holes_[kGlobalBase + kRedZone] = kGlobalBase + kReach;
}

bool Arena::covers(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer) - kGlobalBase < kReach;
}

void Arena::watch_writes() {
  if (!mapped_) return;
  void* const got =
      ::mmap(nullptr, kReach, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got != MAP_FAILED) places_.written = static_cast<std::uint8_t*>(got);
}

void Arena::wrote(const void* at, std::uint64_t bytes) {
  if (places_.written != nullptr && covers(at))
    std::memset(places_.written + (reinterpret_cast<std::uint64_t>(at) - kGlobalBase), 1, bytes);
}

// What nobody has written stays so where it goes.
void Arena::copied(const void* to, const void* from, std::uint64_t bytes) {
  if (!covers(from)) return wrote(to, bytes);
  if (places_.written == nullptr || !covers(to)) return;
  const auto marks = [&](const void* at) {
    return places_.written + (reinterpret_cast<std::uint64_t>(at) - kGlobalBase);
  };
  std::memmove(marks(to), marks(from), bytes);
}

void Arena::wrote_anywhere() {
  if (places_.written == nullptr) return;
  for (auto& [address, allocation] : allocations_)
    if (!std::exchange(allocation.written, true))
      wrote(reinterpret_cast<const void*>(address), allocation.bytes);
}

// New memory of the device holds what somebody has left there.
void Arena::begin_marks(Allocation& made) {
  if (places_.written == nullptr || made.kind == Kind::Registered) return;
  made.written = made.kind != Kind::Device;
  std::uint8_t* const marks = places_.written + (made.address - kGlobalBase);
  if (made.written) {
    std::memset(marks, 1, made.bytes);
    return;
  }
  const std::uint64_t first = align_up(made.address, kPage), last = made.end() / kPage * kPage;
  if (last <= first + kWindow) {
    std::memset(marks, 0, made.bytes);
    return;
  }
  ::madvise(places_.written + (first - kGlobalBase), last - first, MADV_DONTNEED);
  std::memset(marks, 0, first - made.address);
  std::memset(places_.written + (last - kGlobalBase), 0, made.end() - last);
}

void Arena::take(std::uint64_t hole, std::uint64_t at, std::uint64_t bytes) {
  const std::uint64_t last = holes_.at(hole), behind = at + align_up(bytes, 16) + kRedZone;
  holes_.erase(hole);
  if (at > hole) holes_[hole] = at;
  if (behind < last) holes_[behind] = last;
}

// The first hole that has room, at the place in 64 KiB where cudaMalloc would put it: below 1 MiB in steps of
// 512 bytes inside chunks of 2 MiB, larger ones at the start of a chunk.
std::uint64_t Arena::place(std::uint64_t bytes) {
  const bool large = bytes >= kChunk / 2;
  if (!large && in_chunk_ + bytes > kChunk) in_chunk_ = 0;
  const std::uint64_t wanted = large ? 0 : in_chunk_;
  for (const auto& [begin, end] : holes_) {
    const std::uint64_t at = begin + (wanted - begin) % kWindow;
    if (at + bytes + kRedZone > end) continue;
    if (!large) in_chunk_ = align_up(in_chunk_ + bytes, 512);
    take(begin, at, bytes);
    return at;
  }
  return 0;
}

std::uint64_t Arena::allocate(std::uint64_t bytes, Kind kind, const std::string& name) {
  bytes = std::max<std::uint64_t>(bytes, 1);
  if (!mapped_ || bytes > total_ || used_ > total_ - bytes) return 0;
  const std::uint64_t at = place(bytes);
  if (at == 0) return 0;
  forget(at, at + bytes);
  used_ += bytes;
  Allocation& made = allocations_[at] = {at, bytes, kind, 0, 0, 0, current_device()};
  begin_marks(made);
  if (kind == Kind::Variable) {
    places_.add(at, {bytes, name, true});
  } else {
    made.number = ++number_;
    if (kind != Kind::Array) places_.add(at, {bytes, allocation_name(made.number), false});
  }
  return at;
}

// Not of a program that allocates without end.
void Arena::remember(const Allocation& gone) {
  constexpr std::size_t kMost = 4096;
  if (gone.number == 0 || gone.kind == Kind::Registered || gone.kind == Kind::Array) return;
  if (freed_.size() < kMost) freed_[gone.address] = gone;
}

void Arena::forget(std::uint64_t begin, std::uint64_t end) {
  auto first = freed_.lower_bound(begin);
  if (first != freed_.begin() && std::prev(first)->second.end() > begin) --first;
  freed_.erase(first, freed_.lower_bound(end));
}

const Allocation* Arena::freed(std::uint64_t address) const {
  const auto after = freed_.upper_bound(address);
  if (after == freed_.begin()) return nullptr;
  const Allocation& gone = std::prev(after)->second;
  return address < gone.end() ? &gone : nullptr;
}

bool Arena::enter(std::uint64_t address, std::uint64_t bytes, unsigned flags) {
  auto after = allocations_.lower_bound(address);
  if (after != allocations_.end() && after->first < address + bytes) return false;
  if (after != allocations_.begin() && std::prev(after)->second.end() > address) return false;
  allocations_[address] = {address, bytes, Kind::Registered, ++number_, flags, 0, current_device()};
  places_.add(address, {bytes, allocation_name(number_), false});
  return true;
}

void Arena::give_back(std::uint64_t begin, std::uint64_t end) {
  auto after = holes_.lower_bound(begin);
  if (after != holes_.begin() && std::prev(after)->second == begin) {
    begin = std::prev(after)->first;
    holes_.erase(std::prev(after));
  }
  if (after != holes_.end() && after->first == end) {
    end = after->second;
    holes_.erase(after);
  }
  holes_[begin] = end;
}

bool Arena::release(std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  const Allocation gone = found->second;
  allocations_.erase(found);
  places_.remove(address);
  remember(gone);
  if (gone.kind == Kind::Registered) return true;
  used_ -= gone.bytes;
  const std::uint64_t first = align_up(address, kPage), last = gone.end() / kPage * kPage;
  if (last > first + kWindow) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  if (const auto around = reservation_of(address); around == reserved_.end())
    give_back(address, address + align_up(gone.bytes, 16) + kRedZone);
  else if (!around->second.wanted)
    give_up(around->first);
  return true;
}

std::map<std::uint64_t, Arena::Reservation>::iterator Arena::reservation_of(std::uint64_t address) {
  const auto after = reserved_.upper_bound(address);
  if (after == reserved_.begin()) return reserved_.end();
  const auto found = std::prev(after);
  return address < found->second.end ? found : reserved_.end();
}

Allocation* Arena::overlapping(std::uint64_t begin, std::uint64_t end) {
  const auto after = allocations_.lower_bound(end);
  if (after == allocations_.begin()) return nullptr;
  Allocation& last = std::prev(after)->second;
  return last.end() > begin ? &last : nullptr;
}

std::uint64_t Arena::reserve(std::uint64_t bytes, std::uint64_t alignment) {
  if (!mapped_ || bytes == 0) return 0;
  for (const auto& [begin, end] : holes_) {
    const std::uint64_t at = align_up(begin, alignment);
    if (at > end || bytes > end - at || end - at - bytes < kRedZone) continue;
    take(begin, at, bytes);
    reserved_[at] = {at + bytes, true};
    return at;
  }
  return 0;
}

bool Arena::put(std::uint64_t address, std::uint64_t bytes, Kind kind) {
  const auto around = reservation_of(address);
  if (bytes == 0 || around == reserved_.end() || bytes > around->second.end - address) return false;
  if (overlapping(address, address + bytes) != nullptr) return false;
  used_ += bytes;
  allocations_[address] = {address, bytes, kind, ++number_, 0, 0};
  wrote(reinterpret_cast<const void*>(address), bytes);  // it may have been elsewhere before
  places_.add(address, {bytes, allocation_name(number_), false});
  return true;
}

bool Arena::give_up(std::uint64_t address) {
  const auto found = reserved_.find(address);
  if (found == reserved_.end()) return false;
  found->second.wanted = false;
  if (overlapping(address, found->second.end) != nullptr) return true;
  const std::uint64_t end = found->second.end;
  reserved_.erase(found);
  give_back(address, address + align_up(end - address, 16) + kRedZone);
  return true;
}

Allocation* Arena::find(std::uint64_t address) {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  --after;
  return address < after->second.end() ? &after->second : nullptr;
}

}  // namespace warplens::runtime
