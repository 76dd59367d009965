// Where a number comes from. The badge travels with the value, on screen, in JSON and in exports.
#pragma once

#include <string_view>

#include "engine/base/known.h"

namespace warplens {

enum class Evidence {
  Measured,              // a clock or a hardware counter
  Counted,               // an exact count that holds whatever ptxas makes of the PTX: threads, faults
  CountedInMachineCode,  // an exact count of what is executed, read from the machine code ...
  CountedByRule,         // ... foretold by a rule ...
  CountedAsWritten,      // ... or of the PTX as it is written
  Modelled,              // computed from a model of a named GPU
};

// The evidence of a count: what a view or a table about executed instructions shows comes from here alone.
constexpr Evidence counted(Known known) {
  switch (known) {
    case Known::Rule:
      return Evidence::CountedByRule;
    case Known::AsWritten:
      return Evidence::CountedAsWritten;
    case Known::MachineCode:
      return Evidence::CountedInMachineCode;
  }
  return Evidence::CountedByRule;
}

constexpr bool is_counted(Evidence evidence) {
  return evidence != Evidence::Measured && evidence != Evidence::Modelled;
}

// Also the last part of the message keys: "view.evidence.counted_by_rule".
constexpr std::string_view name(Evidence evidence) {
  switch (evidence) {
    case Evidence::Measured:
      return "measured";
    case Evidence::Counted:
      return "counted";
    case Evidence::CountedInMachineCode:
      return "counted_in_machine_code";
    case Evidence::CountedByRule:
      return "counted_by_rule";
    case Evidence::CountedAsWritten:
      return "counted_as_written";
    case Evidence::Modelled:
      return "modelled";
  }
  return "modelled";
}

template <typename T>
struct Figure {
  T value{};
  Evidence evidence = Evidence::Counted;
};

}  // namespace warplens
