#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "app/model/opened/adopt.h"
#include "app/model/opened/argument_guess.h"
#include "app/model/run/kept_launch.h"
#include "app/model/run/signature.h"
#include "engine/base/message.h"

namespace warplens::model {
namespace {

std::string structure_text(const std::vector<std::uint8_t>& bytes) {
  std::string text = "struct:";
  for (std::size_t i = 0; i < bytes.size(); ++i) text += fmt::format("{}u8:{}", i == 0 ? "" : ",", bytes[i]);
  return text;
}

template <typename T>
T value_of_bytes(const std::vector<std::uint8_t>& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

// As --arg takes it.
std::string argument_text(const KeptLaunch& kept, std::size_t i, const std::string& type) {
  const std::vector<std::uint8_t>& bytes = kept.arguments[i];
  if (const KeptLaunch::Allocation* const there = kept.pointee(i)) {
    const auto star = type.rfind('*');
    const std::string element = star == std::string::npos ? "u8" : element_name(type.substr(0, star));
    const auto width = static_cast<std::uint64_t>(trace::size_of(*trace::element_type_from(element)));
    const std::uint64_t count = (there->end() - kept.pointer(i)) / width;
    if (count == 0) return structure_text(bytes);
    return there->file.empty() ? fmt::format("buf:{}:{}:zero", element, count)
                               : fmt::format("buf:{}:{}:file:{}", element, count, there->file.string());
  }
  const std::string scalar = scalar_name(type);
  if (scalar == "f32" && bytes.size() == 4 && std::isfinite(value_of_bytes<float>(bytes)))
    return fmt::format("f32:{:.9g}", value_of_bytes<float>(bytes));
  if (scalar == "f64" && bytes.size() == 8 && std::isfinite(value_of_bytes<double>(bytes)))
    return fmt::format("f64:{:.17g}", value_of_bytes<double>(bytes));
  if (bytes.size() == 4 && scalar != "f32")
    return scalar == "i32" ? fmt::format("i32:{}", value_of_bytes<std::int32_t>(bytes))
                           : fmt::format("u32:{}", value_of_bytes<std::uint32_t>(bytes));
  if (bytes.size() == 8 && scalar != "f64")
    return scalar == "i64" ? fmt::format("i64:{}", value_of_bytes<std::int64_t>(bytes))
                           : fmt::format("u64:{}", value_of_bytes<std::uint64_t>(bytes));
  return structure_text(bytes);
}

Slider extent_slider(const char* name, std::int64_t most, std::int64_t value, bool powers) {
  Slider out;
  out.name = name;
  out.title["en"] = name;
  out.min = 1;
  out.max = std::max(most, value);
  out.value = value;
  out.powers_of_two = powers;
  return out;
}

}  // namespace

Result<Adopted> adopt_kept(const Program& program, const KeptLaunch& kept) {
  const auto entry = program.module->find_entry(kept.kernel);
  if (!entry) return entry.error();
  const Signature signature = signature_of(program, **entry);
  if (signature.parameters.size() != kept.arguments.size())
    return told(ErrorKind::Usage,
                {"open.kept.other_arguments",
                 {{"kernel", value_of(signature.name)},
                  {"takes", value_of(signature.parameters.size())},
                  {"has", value_of(kept.arguments.size())}}},
                {kept.file.string(), 0, 0});
  Adopted out;
  out.launched = true;
  GalleryKernel& kernel = out.kernel;
  kernel.id = fmt::format("{} #{}", signature.name, kept.index);
  kernel.file = program.file;
  kernel.kernel = kept.kernel;
  kernel.title["en"] = kernel.id;
  const Dim3 grid = kept.grid, block = kept.block;
  const std::int64_t most_threads = 1024 / std::max(1u, block.y * block.z);
  kernel.sliders = {extent_slider("grid", std::int64_t{grid.x} * 2, grid.x, false),
                    extent_slider("block", most_threads, block.x, (block.x & (block.x - 1)) == 0)};
  kernel.grid = {"grid", std::to_string(grid.y), std::to_string(grid.z)};
  kernel.block = {"block", std::to_string(block.y), std::to_string(block.z)};
  kernel.shared = std::to_string(kept.shared_bytes);
  for (std::size_t i = 0; i < kept.arguments.size(); ++i)
    kernel.arguments.push_back(argument_text(kept, i, signature.parameters[i].type));
  return out;
}

}  // namespace warplens::model
