#include "engine/base/time_text.h"

#include <fmt/format.h>

#include <cmath>

namespace warplens {
namespace {

struct Unit {
  double milliseconds;
  const char* name;
};
constexpr Unit kUnits[] = {{1e-3, " µs"}, {1, " ms"}, {1e3, " s"}};

}  // namespace

std::string time_text(double milliseconds) {
  if (milliseconds == 0) return "0 µs";
  const Unit* unit = &kUnits[0];
  // What would be rounded to a thousand of one unit is one of the next.
  while (unit != std::end(kUnits) - 1 && std::abs(milliseconds) / unit->milliseconds >= 999.5) ++unit;
  const double value = milliseconds / unit->milliseconds, size = std::abs(value);
  const int digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  std::string number = fmt::format("{:.{}f}", value, digits);
  if (digits > 0) {
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
  }
  return number + unit->name;
}

}  // namespace warplens
