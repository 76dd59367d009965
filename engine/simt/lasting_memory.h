// Device memory that outlives a launch: a program's allocations, the variables of its modules, its textures
// and the heap of its kernels (engine/runtime). Device addresses are host addresses, from kGlobalBase on, so
// that a pointer means the same on both sides, also inside of structures. Memory that a GPU had (a launch
// that was recorded there) keeps its device addresses and lies elsewhere on the host: see lie_at().
//
//   LastingMemory memory;                                  // somebody has mapped memory at kGlobalBase
//   memory.add(kGlobalBase + 4096, {1024, "allocation 1"});  // what launches may touch of it
//   auto kernel = load(module, "scale", 90, places);
//   run(*kernel, launch, options, memory, {});             // argument bytes hold addresses as they are
//
// One launch at a time works on a memory; it is not to be changed while that runs, but by the launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/simt/emulator.h"

namespace warplens::simt {

// BufferPlacement::argument of memory that is no argument of the launch.
inline constexpr std::uint32_t kNoArgument = 0xffffffffu;

// malloc() and free() of kernels, over a range of addresses.
class DeviceHeap {
 public:
  static constexpr std::uint64_t kBytes = std::uint64_t{8} << 20;  // CUDA's default

  void open(std::uint64_t begin, std::uint64_t bytes);
  std::uint64_t begin() const { return begin_; }  // 0: there is none
  std::uint64_t end() const { return end_; }
  // Addresses, 0 when the heap is full.
  std::uint64_t allocate(std::uint64_t bytes);
  bool release(std::uint64_t address);
  bool contains(std::uint64_t address, std::uint64_t bytes) const;
  // These are handed out: as blocks() said it of an earlier heap at the same place.
  void restore(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& blocks);
  // Address and bytes of every block that is handed out.
  std::map<std::uint64_t, std::uint64_t> blocks() const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t begin_ = 0, end_ = 0, next_ = 0;
  std::map<std::uint64_t, std::uint64_t> blocks_;  // address -> bytes
};

// A texture or surface object over memory that is not the launch's.
struct LastingTexture {
  trace::Texture format;
  trace::ElementType type = trace::ElementType::F32;
  std::uint8_t* texels = nullptr;  // nullptr: the object is gone
  std::uint64_t row_bytes = 0;     // from row to row; 0: one behind the other
};

// A kernel that a thread has launched (dynamic parallelism), or a copy or a fill that it has asked for.
// Nobody has run it yet.
struct DeviceLaunch {
  std::string kernel;  // its name in the module; empty: `transfer`
  Dim3 grid, block;
  std::uint64_t shared_bytes = 0;
  std::uint64_t stream = 0;              // as the thread named it: 3 for a tail launch
  std::vector<std::uint8_t> parameters;  // as the kernel finds them
  // Rows of so many bytes, `pitch` apart: copied, or filled where `from` is 0.
  struct Transfer {
    std::uint64_t to = 0, to_pitch = 0, from = 0, from_pitch = 0, bytes = 0, rows = 1;
    int value = 0;
  };
  Transfer transfer;
};

// What a thread asks of the device or of a kernel of its module: cudaDeviceGetAttribute and the like in
// device code. The answer is a cudaError_t and the bytes that go where the thread wants them.
struct DeviceQuestion {
  enum class What : std::uint8_t { Attribute, Limit, DeviceCount, Device, FunctionAttributes, Occupancy };
  What what = What::Attribute;
  int number = 0;                  // of an attribute or a limit
  int device = 0;                  // Attribute: of which
  std::string kernel;              // its name in the module
  int block = 0;                   // Occupancy: threads of a block,
  std::uint64_t shared_bytes = 0;  // and its dynamic shared memory
};
using DeviceAnswers = std::function<int(const DeviceQuestion&, std::vector<std::uint8_t>& out)>;

class LastingMemory {
 public:
  LastingMemory();
  struct Place {
    std::uint64_t bytes = 0;
    std::string name;  // "counter", "allocation 3"; as BufferPlacement::name
    bool variable = false;
  };
  void add(std::uint64_t address, Place place) { places_[address] = std::move(place); }
  void remove(std::uint64_t address) { places_.erase(address); }
  const std::map<std::uint64_t, Place>& places() const { return places_; }

  // Device addresses from `origin` on lie at `base` on the host; no address of it is lower.
  void lie_at(std::uint64_t origin, std::byte* base);
  std::uint64_t origin() const { return origin_; }
  std::byte* base() const { return base_; }
  std::byte* host(std::uint64_t address) const { return base_ + (address - origin_); }

  // From here on accesses out of bounds between these addresses, all of which are there on the host, are let
  // pass where a GPU would: they are told, and read or change whatever lies there. Variables, shared and
  // local memory likewise.
  void let_strays_pass(std::uint64_t begin, std::uint64_t end) {
    strays_begin_ = begin;
    strays_end_ = end;
  }
  bool lets_strays_pass() const { return strays_end_ != 0; }
  // So many bytes that are not all of one place. A GPU maps pages of 2 MiB: it lets pass what lies in one
  // that a place has begun, and its own memory lies in front of the first (an H200, driver 580).
  bool lets_pass(std::uint64_t address, std::uint64_t bytes) const;

  // A mark for each byte from origin() on (checks/written_marks.h); nullptr: nobody keeps them.
  std::uint8_t* written = nullptr;
  std::uint64_t workspace = 0;  // address of 64 bytes in which a cooperative grid counts its arrivals
  DeviceHeap heap;
  std::span<const std::uint8_t> constants;  // of the module that is launched
  std::vector<LastingTexture> textures;     // handle texture_handle(i)
  DeviceAnswers answers;                    // for one thread of the host at a time; empty: nobody knows
  std::vector<DeviceLaunch> launched;       // by threads of the last launch, in the order of blocks

 private:
  std::map<std::uint64_t, Place> places_;
  std::uint64_t strays_begin_ = 0, strays_end_ = 0;
  std::uint64_t origin_;
  std::byte* base_;
};

// The launch went on behind this fault: a GPU lets such an access pass.
bool was_let_pass(const trace::Fault& fault);

// Where the variables of a module are that outlives a launch; a kernel is decoded for these places.
struct VariablePlaces {
  std::unordered_map<std::string, std::uint64_t> global;    // name in the PTX -> generic address
  std::unordered_map<std::string, std::uint64_t> constant;  // -> offset in LastingMemory::constants
  std::uint64_t constant_bytes = 0;
};
// The constants of a module one behind the other; global variables are for the caller to place.
VariablePlaces place_constants(const ptx::Module& module);
// The address by which kernels of the module, loaded for its places, know a function; 0 for one without a
// body.
std::uint64_t function_address(const ptx::Module& module, const ptx::Function& function);

Result<Kernel> load(std::shared_ptr<const ptx::Module> module, std::string_view name, int sm_version,
                    const VariablePlaces& places);
// Outcome::buffers is empty.
Result<Outcome> run(const Kernel& kernel, const trace::Launch& launch, const Options& options,
                    LastingMemory& memory, std::span<trace::Listener* const> listeners);

// For the emulator's own parts: of the load that goes on; nullptr otherwise.
const VariablePlaces* places_of_load();

}  // namespace warplens::simt
