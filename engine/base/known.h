// How it is known what a GPU executes for an instruction of the PTX: how wide an access is, which accesses go
// together, whether a branch stays.
//
//   ld.shared.f32 %f1,[%r1];  ld.shared.f32 %f2,[%r1+4];
//   MachineCode: ptxas made one LDS.64 of both; Rule: no ptxas was asked, a rule foretells the same
#pragma once

#include <cstdint>
#include <string_view>

namespace warplens {

// The less it rests on, the lower: of a number that is made of several, the lowest holds.
enum class Known : std::uint8_t {
  Rule,         // foretold by a rule of ours
  AsWritten,    // as the PTX says: no rule changes it, or nobody was to ask
  MachineCode,  // read in the machine code that ptxas makes
};

// As in the JSON of a report: "rules", "written", "ptxas".
constexpr std::string_view name(Known known) {
  switch (known) {
    case Known::Rule:
      return "rules";
    case Known::AsWritten:
      return "written";
    case Known::MachineCode:
      return "ptxas";
  }
  return "rules";
}

constexpr Known weaker(Known a, Known b) {
  return a < b ? a : b;
}

}  // namespace warplens
