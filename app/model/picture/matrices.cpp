#include "app/model/picture/matrices.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "app/model/run/signature.h"

namespace warplens::model {
namespace {

struct Number {
  std::string name;
  std::uint64_t value = 0;
};

std::optional<std::uint64_t> integer_of(const trace::Argument& a) {
  using trace::ElementType;
  if (a.is_buffer || a.texture || !a.structure.empty()) return std::nullopt;
  if (a.type == ElementType::F16 || a.type == ElementType::F32 || a.type == ElementType::F64)
    return std::nullopt;
  const bool is_signed = a.type == ElementType::I8 || a.type == ElementType::I16 ||
                         a.type == ElementType::I32 || a.type == ElementType::I64;
  const auto sign = std::uint64_t{1} << (8 * trace::size_of(a.type) - 1);
  if (is_signed && (a.bits & sign) != 0) return std::nullopt;
  return a.bits;
}

// Scalars by the names that the source gives them.
std::vector<Number> numbers_of(const Run& run) {
  std::vector<Number> out;
  if (!run.program || !run.program->module) return out;
  const auto entry = run.program->module->find_entry(run.report.launch.kernel);
  if (!entry) return out;
  const Signature signature = signature_of(*run.program, **entry);
  const auto& arguments = run.report.launch.arguments;
  for (std::size_t i = 0; i < arguments.size() && i < signature.parameters.size(); ++i)
    if (const auto value = integer_of(arguments[i]); value && *value > 0)
      out.push_back({signature.parameters[i].name, *value});
  return out;
}

std::optional<std::uint64_t> named_width(const Run& run, const std::string& parameter,
                                         const std::vector<Number>& numbers) {
  if (!run.program) return std::nullopt;
  for (const auto& [name, width] : run.program->matrices) {
    if (name != parameter) continue;
    for (const Number& n : numbers)
      if (n.name == width) return n.value;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(width.data(), width.data() + width.size(), value);
    if (error == std::errc() && value > 0) return value;
  }
  return std::nullopt;
}

// Whether an author would call the length of a row so.
bool is_called_width(const std::string& name) {
  return name.find("wid") != std::string::npos || name.find("col") != std::string::npos || name == "w" ||
         name == "nx" || name == "n" || name == "pitch" || name.starts_with("ld");
}

// Of two numbers whose product is the size: the one that is called like a width, else the later one, as in
// (rows, columns).
std::optional<std::uint64_t> guessed_width(std::uint64_t count, const std::vector<Number>& numbers) {
  for (const Number& n : numbers)
    if (n.value > 1 && n.value * n.value == count) return n.value;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    for (std::size_t k = i + 1; k < numbers.size(); ++k) {
      const Number &a = numbers[i], &b = numbers[k];
      if (a.value < 2 || b.value < 2 || a.value > count / b.value || a.value * b.value != count) continue;
      return is_called_width(a.name) && !is_called_width(b.name) ? a.value : b.value;
    }
  return std::nullopt;
}

}  // namespace

std::vector<visual::MatrixShape> matrix_shapes(const Run& run, const RowWidths& typed) {
  const trace::Launch& launch = run.report.launch;
  const bool two_dimensions = launch.block.y > 1 || launch.grid.y > 1;
  const std::vector<Number> numbers = numbers_of(run);
  std::vector<visual::MatrixShape> out;
  for (const trace::BufferPlacement& buffer : run.trace.buffers) {
    const int bytes = trace::size_of(buffer.type);
    const std::uint64_t count = bytes > 0 ? buffer.bytes / static_cast<std::uint64_t>(bytes) : 0;
    std::optional<std::uint64_t> width;
    if (const auto said = typed.find(buffer.name); said != typed.end() && said->second > 0)
      width = static_cast<std::uint64_t>(said->second);
    if (!width) width = named_width(run, buffer.name, numbers);
    const bool guessed = !width;
    if (!width && two_dimensions && run.program && run.program->matrices.empty())
      width = guessed_width(count, numbers);
    if (!width || *width > count) continue;
    visual::MatrixShape shape;
    shape.argument = buffer.argument;
    shape.name = buffer.name;
    shape.base = buffer.base;
    shape.element_bytes = bytes;
    shape.columns = *width;
    shape.rows = (count + *width - 1) / *width;
    shape.guessed = guessed;
    out.push_back(std::move(shape));
  }
  return out;
}

}  // namespace warplens::model
