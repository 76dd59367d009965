// What the host code of a CUDA file says about its kernels: how they are launched, with which arguments and
// buffers, which instances of templates there are.
//
//   HostReading reading = read_host({.file = "saxpy.cu", .text = text});
//   reading.launches[0]  ->  saxpy, grid {4096, 1, 1}, block {256, 1, 1}, arguments {n = 1048576, ...}
//
// The code is followed from main() on, as it runs without arguments of its own: through calls, macros,
// structures and templates. Then come functions that nothing in the file calls; sizes that they are given
// are ours, and said so. What is unknown stays unknown and says why.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/lanes.h"

namespace warplens::source {

// Why a value is unknown, or which assumption it rests on.
struct Doubt {
  enum class Why {
    CommandLine,  // an argument of the program; where it has a default: that default
    Device,       // a property of the GPU it runs on
    Input,        // read from a file, the keyboard, the clock or a random generator
    Caller,       // a parameter of a function that nothing in the file calls
    Loop,         // changes in a loop
    Condition,    // depends on a condition that is unknown
    Unfollowed,   // from code that is not in the file, or that is too involved
  } why = Why::Unfollowed;
  std::string name;      // of what is unknown: "n", "prop.multiProcessorCount"
  int line = 0;          // where that stands
  bool assumed = false;  // not unknown: a default or a number of ours was taken
  bool operator==(const Doubt&) const = default;
};
// "command-line", "device", "input", "caller", "loop", "condition", "unfollowed".
std::string_view name(Doubt::Why why);

struct LaunchArgument {
  std::string text;                    // as written
  std::optional<double> value;         // of a number
  std::optional<std::uint64_t> bytes;  // of what a pointer points to, from there to its end
  bool is_null = false;
  std::string structure;       // "struct:f32:0.5,i32:3" when it is one whose members are all known
  std::optional<Doubt> doubt;  // why it is unknown, or what it rests on
};

struct HostLaunch {
  std::string kernel;  // as written, template arguments included and made constant where they are known
  std::optional<Dim3> grid, block;
  std::optional<std::uint32_t> shared_bytes = 0;
  std::optional<Doubt> grid_doubt, block_doubt, shared_doubt;
  std::vector<LaunchArgument> arguments;
  int line = 0;
  bool in_main_file = true;
};

struct DeclaredKernel {
  struct Parameter {
    std::string type, name;  // as declared: "const float*", "data"
  };
  std::string name;  // with its namespaces
  std::vector<Parameter> parameters;
  std::vector<std::string> template_parameters;  // "typename T", "int B"; empty: no template
  int line = 0;
  bool in_main_file = true;
};

// A structure or typedef of the file, for buffers of it.
struct DeclaredType {
  std::uint64_t bytes = 0;
  std::string element;  // "f32" when it is made of nothing else, "" when it is mixed
};

struct HostReading {
  std::vector<HostLaunch> launches;    // in the order they happen; equal ones once
  std::vector<std::string> instances;  // of kernel templates: "reduce<256>"; only what is certain
  std::vector<DeclaredKernel> kernels;
  std::map<std::string, DeclaredType> types;
};

struct HostText {
  std::string file = "kernel.cu", text;
  std::vector<std::pair<std::string, std::string>> defines = {};
  std::vector<std::string> include_paths = {};
};
// Throws WorkStopped under a WorkLimit; otherwise never fails.
HostReading read_host(const HostText& text);

}  // namespace warplens::source
