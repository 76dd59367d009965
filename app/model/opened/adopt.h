// Makes a user's own CUDA file as playable as a gallery kernel: the launch and the arguments that its host
// code gives the kernel, and where that does not tell, values of ours that fit together and are named as
// such. The window and `trace` both start from it, so that they run the same.
//
//   __global__ void scale(float* data, float f, int n)
//     ->  grid {grid}, block {block}, buf:f32:{max(4 * grid * block, n)}:hash, f32:1.5, i32:{n}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/model/gallery/gallery.h"
#include "app/model/run/pipeline.h"
#include "engine/base/message.h"
#include "engine/source/launches.h"

namespace warplens::model {

struct KeptLaunch;

struct Assumption {
  std::string what;   // "kernel", "grid", "block", "shared", or the name of a parameter
  std::string value;  // as --grid, --arg and so on take it; may hold {expressions} over the sliders
  Message why;
  int argument = -1;  // of the launch; -1: none
  // What of it is ours: nothing (a default that the program itself has), its value, the size of a buffer, or
  // what a buffer holds. The contents of buffers are always ours: no host code is run.
  enum class Ours { Nothing, Value, Size, Contents } ours = Ours::Value;
};

struct Adopted {
  GalleryKernel kernel;
  std::vector<Assumption> assumed;
  bool launched = false;  // by the host code of the file
};

// `name` is a kernel's plain, mangled or instance name; empty takes the first that the host code launches.
// Errors: the file holds no kernel, or none of that name.
Result<Adopted> adopt(const Program& program, const std::string& name);

// The kernel of a kept launch as it was launched, with sliders for its grid and its block. A part of adopt().
Result<Adopted> adopt_kept(const Program& program, const KeptLaunch& kept);

// With the expressions in the values filled in.
std::vector<Assumption> assumptions_of(const Adopted& adopted, const SliderValues& values);

// Why the file shows no kernel: only templates that nothing instantiates, only declarations, or none at all.
Error no_kernel(const Program& program);

// Templates of kernels that nothing instantiates, so that nothing was compiled of them; pointers into
// `program`.
std::vector<const source::DeclaredKernel*> waiting_templates(const Program& program);
// "reduce<float, 256>": how an instance of it could be named.
std::string example_instance(const source::DeclaredKernel& kernel);

// Arguments whose bytes are made up as a whole, a structure or a closure: with a pointer among them a fault
// says nothing about the kernel. Nothing when there are none.
std::optional<Message> made_up_arguments(const std::vector<Assumption>& assumed);

// A fault at an address that comes from what we made up - a pointer in a structure or in a buffer, an index
// that a buffer holds - says nothing of the kernel: so does its text then. Returns whether it is one.
// `assumed` with all arguments (list_arguments()).
bool own_up_to_addresses(const Program& program, const std::string& kernel,
                         const std::vector<Assumption>& assumed, trace::Fault& fault);

// A fault behind the end of a buffer whose size is ours is not the kernel's: says so in the fault's text.
void own_up_to_sizes(const std::vector<Assumption>& assumed, Message& fault);

}  // namespace warplens::model
