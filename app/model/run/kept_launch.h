// A launch that `warplens run --trace` has kept (engine/runtime/keep.h): a kernel with the arguments and the
// memory that it found. It runs again as it ran in its program, any number of times, in other grids and
// blocks, and with an edited text.
//
//   Result<std::shared_ptr<const KeptLaunch>> kept = read_kept_launch("run/launch_0003");
//   auto kernel = kept->load(module, 90);
//   auto outcome = kept->run(*kernel, launch, options, listeners);
//
// Addresses are those of the program, also inside of structures and in memory. What the emulator kept is put
// where it was, so that one launch at a time runs in a process; what was kept on a GPU
// (app/model/program/gpu_program.h) keeps the GPU's addresses and lies anywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/result.h"
#include "engine/simt/emulator.h"
#include "engine/simt/lasting_memory.h"
#include "engine/trace/launch.h"

namespace warplens::model {

struct Program;

struct KeptLaunch {
  struct Allocation {
    std::uint64_t address = 0, bytes = 0;
    std::string name;
    enum class Kind : std::uint8_t { Allocation, Variable, Array } kind = Kind::Allocation;
    std::filesystem::path file;  // empty: zeros
    std::uint64_t end() const { return address + bytes; }
  };
  struct Texture {
    simt::LastingTexture object;  // without its texels:
    std::uint64_t texels = 0;     // their address; 0: the object is gone
  };

  std::filesystem::path file;  // launch.toml
  std::string kernel, name;    // mangled; "scale(float*, int)"
  std::uint64_t index = 0;     // of the program's launches, from 0
  Dim3 grid, block;
  std::optional<Dim3> cluster;
  std::uint32_t shared_bytes = 0;
  std::filesystem::path ptx, source;                 // source: empty where the program's text is not there
  std::vector<std::vector<std::uint8_t>> arguments;  // bytes of each parameter
  std::vector<Allocation> allocations;               // by address
  std::vector<Texture> textures;
  std::map<std::string, std::uint64_t> variables;                  // of the kernel's module
  std::unordered_map<std::string, std::uint64_t> constant_places;  // its constants: offsets in `constants`
  std::uint64_t workspace = 0, heap = 0, constants = 0, constant_bytes = 0;
  std::uint64_t origin = 0;  // the lowest address of the device's memory
  std::vector<std::pair<std::uint64_t, std::uint64_t>> heap_blocks;  // address, bytes

  const Allocation* find(std::uint64_t address) const;
  // The address that an argument is; 0: it is none.
  std::uint64_t pointer(std::size_t argument) const;
  // What an argument points into; null: it is no pointer, or one to an array's texels.
  const Allocation* pointee(std::size_t argument) const;
};

// Does memory lie where the emulator has its other spaces (simt/load/program.h)? A kernel's accesses to it
// would be taken for shared or local ones.
bool in_a_window(std::uint64_t address, std::uint64_t bytes);
// Is this the folder of a kept launch, or its launch.toml?
bool is_kept_launch(const std::filesystem::path& file);
// The launches that a run's folder holds, in their order; empty: it is none.
std::vector<std::filesystem::path> kept_launches(const std::filesystem::path& folder);
// What to open where somebody names `file`: the launch of a run's folder that holds only one; anything else
// as it is. Errors name the launches of a folder that holds several.
Result<std::string> launch_in(const std::string& file);
// What a person edits of it: the program's source, else the PTX; of other files their text.
Result<std::string> text_to_edit(const std::filesystem::path& file);
// Everything in it is checked: errors name the line of launch.toml.
Result<std::shared_ptr<const KeptLaunch>> read_kept_launch(const std::filesystem::path& file);

// The kept launch that a program is of; null: any other program. Read anew: it is small, and may be gone.
Result<std::shared_ptr<const KeptLaunch>> kept_of(const Program& program);

// The module's variables where the program has them; those that an edit has added lie behind.
Result<simt::Kernel> load_kept(const KeptLaunch& kept, const std::shared_ptr<const ptx::Module>& module,
                               const std::string& name, int sm_version);
// As simt::run. An argument that stands as the kept launch has it (opened/adopt.h) is passed byte for byte;
// another buffer takes the place of what it points to. Outcome::buffers holds what pointers point to
// afterwards, and Outcome::placements names them.
Result<simt::Outcome> run_kept(const KeptLaunch& kept, const simt::Kernel& kernel,
                               const trace::Launch& launch, const simt::Options& options,
                               std::span<trace::Listener* const> listeners);

// The emulator on a program's memory: that of the launch alone, or of the kept launch that it is of.
Result<simt::Outcome> emulate(const Program& program, const simt::Kernel& kernel, const trace::Launch& launch,
                              const simt::Options& options, std::span<trace::Listener* const> listeners);

}  // namespace warplens::model
