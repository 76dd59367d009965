// The arguments of a user's kernel: those that its host code passes, and for the others buffers and numbers
// that fit the launch and each other. A part of adopt().
#pragma once

#include <string>

#include "app/model/opened/adopt.h"
#include "app/model/run/signature.h"
#include "engine/ptx/facts/data_dependence.h"

namespace warplens::model {

struct ArgumentQuestion {
  const source::HostReading& host;
  const Signature& signature;
  const source::HostLaunch* launch;  // null: the file launches it nowhere
  Dim3 grid, block;
  std::vector<std::uint64_t> bytes;  // of each parameter
  ptx::DataDependence data;          // the parameters whose contents decide something
};
// Fills in the kernel's arguments, the sliders of its whole numbers, and what is assumed about them.
void guess_arguments(const ArgumentQuestion& question, Adopted& adopted);

// "f32" for "float", also for float4, whose parts are floats; bytes or words for what is not known.
std::string element_name(const std::string& pointee);
// "f32" for "float"; empty for what is no number.
std::string scalar_name(const std::string& type);

// The sentence for a doubt: `known` when there is a value all the same, `launched` when the file has a
// launch.
Message why_of(const std::optional<source::Doubt>& doubt, bool known, bool launched);
// Whether the value was chosen by us, and is not a default of the program.
bool is_ours(const std::optional<source::Doubt>& doubt);

// "reduce<(int)256,float >", "reduce<256u, float>" and "reduce<256, float>" are one name.
std::string normal_name(std::string_view name);

}  // namespace warplens::model
