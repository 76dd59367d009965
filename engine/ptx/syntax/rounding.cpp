#include "engine/ptx/syntax/rounding.h"

#include <algorithm>
#include <array>

namespace warplens::ptx {

bool leaves_rounding_open(const Form& form) {
  constexpr std::array kTypes{Type::F32, Type::F64, Type::F16, Type::F16x2, Type::BF16, Type::BF16x2};
  const std::size_t others = (form.has(Modifier::Ftz) ? 1 : 0) + (form.has(Modifier::Sat) ? 1 : 0);
  return form.modifiers.size() == others + 1 && form.types.size() == 1 &&
         std::ranges::find(kTypes, form.type()) != kTypes.end();
}

}  // namespace warplens::ptx
