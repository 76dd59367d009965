// The kernels and variables that a program's translation units register at its start, and what stands behind
// them: PTX from their fat binaries, read when something of it is needed first.
//
//   Function* f = modules.function(host_pointer);     // of <<<...>>>
//   Result<const Loaded*> kernel = f->load();         // parsed, decoded, its variables placed
//
// Pointers stay valid as long as the program runs.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/analysis/unrolled_counter.h"
#include "engine/runtime/arena.h"
#include "engine/runtime/fat_binary.h"
#include "engine/simt/emulator.h"
#include "engine/simt/lasting_memory.h"

namespace warplens::runtime {

class Module;

// A kernel ready to run.
struct Loaded {
  simt::Kernel kernel;
  std::unique_ptr<analysis::UnrolledCounter> counter;               // to fork from
  std::vector<std::pair<std::uint32_t, std::uint32_t>> parameters;  // offset and bytes of each
  std::uint32_t parameter_bytes = 0;
};

struct Function {
  Module* module = nullptr;
  std::string name;             // in the PTX
  int shared_limit = 48 << 10;  // dynamic shared memory that launches may ask for; an attribute raises it
  int carveout = -1;  // percent of L1 as shared memory that the program prefers; -1: it does not say
  bool large_clusters = false;  // of up to 16 blocks, which a program has to ask for
  std::uint64_t launches = 0;   // so far
  double seconds = 0;           // that the last of them took

  std::string shown_name();  // "scale(float*, int)"
  // For clusters of the kernel's own size, or of the size that a launch asks for.
  Result<const Loaded*> load(Dim3 cluster = {0, 0, 0});
  Result<const ptx::Function*> entry();
  int registers();  // a thread, of ptxas's machine code; 0 where the program has none for 9.0

 private:
  std::map<std::array<std::uint32_t, 4>, std::unique_ptr<Loaded>> loaded_;  // by device and cluster
  const ptx::Function* entry_ = nullptr;
};

struct Variable {
  Module* module = nullptr;
  std::string name;  // in the PTX
  std::uint64_t bytes = 0;
  bool constant = false;
  void** managed = nullptr;  // host pointer to be set
};

class Module {
 public:
  Module(Arena& arena, std::vector<Image> images) : arena_(arena), images_(std::move(images)) {}
  // Reads the PTX, once, and places the variables, once for each device of the program.
  Status load();
  // All devices find this variable at one place: it is managed memory.
  void share(std::string variable) { shared_.insert(std::move(variable)); }
  const std::string& ptx() const { return text_; }
  const std::shared_ptr<const ptx::Module>& parsed() const { return parsed_; }
  // On the current device (devices.h), as is the address of a variable.
  const simt::VariablePlaces& places() const { return placed().places; }
  std::span<std::uint8_t> constants() const { return placed().constants; }
  // Where a variable is: in the arena, constants too. 0: the module has none of that name.
  std::uint64_t address_of(const std::string& variable) const;
  int registers_of(const std::string& function) const;

 private:
  friend struct Function;
  Status read_ptx();
  void read_machine_code(ptx::Module& module);
  // The variables of one device.
  struct Placed {
    std::optional<Status> status;
    simt::VariablePlaces places;
    std::span<std::uint8_t> constants;
  };
  const Placed& placed() const;
  Status place_variables(Placed& placed);
  std::uint64_t where_placed(const std::string& variable) const;
  static std::uint64_t address_in(const Placed& placed, const std::string& variable);
  void fill(const ptx::Variable& variable, const Placed& placed) const;

  Arena& arena_;
  std::vector<Image> images_;
  std::optional<Status> status_;
  std::string text_;
  std::shared_ptr<const ptx::Module> parsed_;
  std::map<int, Placed> placed_;  // by device
  std::set<std::string> shared_;
  std::map<std::string, int, std::less<>> registers_;
};

class Modules {
 public:
  explicit Modules(Arena& arena) : arena_(arena) {}

  Module* add(std::vector<Image> images);
  void add_function(Module* module, const void* host, std::string name);
  void add_variable(const void* host, Variable variable);
  Function* function(const void* host);  // nullptr: nobody registered it
  // By name, of a module that was loaded at run time.
  Function* function(Module* module, const std::string& name);
  Variable* variable(const void* host);
  bool has_variable(const std::string& name) const;
  // Gives the managed variables of a module their memory, and the program its pointers to them.
  Status place_managed(Module* module);
  Module* module_of(void** handle);

 private:
  Arena& arena_;
  std::deque<Module> modules_;
  std::deque<Function> functions_;
  std::unordered_map<const void*, Function*> by_host_;
  std::unordered_map<const void*, Variable> variables_;
};

}  // namespace warplens::runtime
