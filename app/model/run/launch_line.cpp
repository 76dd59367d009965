#include "app/model/run/launch_line.h"

#include <fmt/format.h>

#include <bit>

#include "app/model/run/signature.h"

namespace warplens::model {
namespace {

std::string dim3_text(Dim3 e) {
  if (e.z > 1) return fmt::format("dim3({}, {}, {})", e.x, e.y, e.z);
  if (e.y > 1) return fmt::format("dim3({}, {})", e.x, e.y);
  return std::to_string(e.x);
}

std::int64_t signed_value(std::uint64_t bits, int bytes) {
  const int shift = 64 - 8 * bytes;
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

std::string value_text(const trace::Argument& a) {
  using trace::ElementType;
  switch (a.type) {
    case ElementType::F32: {
      const std::string text = fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(a.bits)));
      return text.find_first_of(".en") == std::string::npos ? text + ".0f" : text + "f";
    }
    case ElementType::F64: {
      const std::string text = fmt::format("{}", std::bit_cast<double>(a.bits));
      return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
    }
    case ElementType::F16:
      return a.text;
    case ElementType::U8:
    case ElementType::U16:
    case ElementType::U32:
    case ElementType::U64:
      return std::to_string(a.bits);
    default:
      return std::to_string(signed_value(a.bits, trace::size_of(a.type)));
  }
}

}  // namespace

std::string launch_line(const Run& run) {
  const trace::Launch& launch = run.report.launch;
  Signature signature;
  signature.name = run.report.kernel.empty() ? launch.kernel : run.report.kernel;
  if (run.program && run.program->module)
    if (const auto entry = run.program->module->find_entry(launch.kernel))
      signature = signature_of(*run.program, **entry);
  std::string out =
      fmt::format("{}<<<{}, {}", signature.name, dim3_text(launch.grid), dim3_text(launch.block));
  if (launch.dynamic_shared_bytes > 0) out += fmt::format(", {}", launch.dynamic_shared_bytes);
  out += ">>>(";
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const trace::Argument& a = launch.arguments[i];
    const bool by_name = a.is_buffer || a.texture || !a.structure.empty();
    const std::string name =
        i < signature.parameters.size() ? signature.parameters[i].name : fmt::format("argument{}", i);
    out += (i > 0 ? ", " : "") + (by_name ? name : value_text(a));
  }
  return out + ");";
}

}  // namespace warplens::model
