// Where a number comes from. The badge travels with the value, on screen, in JSON and in exports.
#pragma once

#include <string_view>

namespace warplens {

enum class Evidence {
  Measured,  // a clock or a hardware counter
  Counted,   // an exact count over executed instructions
  Modelled,  // computed from a model of a named GPU
};

constexpr std::string_view name(Evidence evidence) {
  switch (evidence) {
    case Evidence::Measured:
      return "measured";
    case Evidence::Counted:
      return "counted";
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
