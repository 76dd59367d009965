#include "app/window/adopt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "app/model/signature.h"
#include "engine/ptx/data_dependence.h"

namespace warplens::window {
namespace {

constexpr std::int64_t kDefaultBlocks = 64, kDefaultThreads = 256;

struct ScalarType {
  std::string_view source, name;
  int bytes;
};
// Types as a demangled symbol writes them. What is not here is taken by its size from the PTX.
constexpr ScalarType kTypes[] = {
    {"float", "f32", 4},        {"double", "f64", 8},         {"int", "i32", 4},
    {"unsigned int", "u32", 4}, {"unsigned", "u32", 4},       {"long long", "i64", 8},
    {"long", "i64", 8},         {"unsigned long", "u64", 8},  {"unsigned long long", "u64", 8},
    {"short", "i16", 2},        {"unsigned short", "u16", 2}, {"char", "i8", 1},
    {"signed char", "i8", 1},   {"unsigned char", "u8", 1},   {"bool", "u8", 1},
    {"__half", "f16", 2},
};

std::string strip(std::string type) {
  for (const std::string_view word : {"const", "volatile", "__restrict__", "restrict"}) {
    for (std::size_t at; (at = type.find(word)) != std::string::npos;) type.erase(at, word.size());
  }
  std::string out;
  for (const char c : type) {
    if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
    out.push_back(c);
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// "float4" counts as four floats, so that a buffer of vectors is filled with floats.
std::optional<ScalarType> scalar_of(std::string type) {
  type = strip(std::move(type));
  if (!type.empty() && std::isdigit(static_cast<unsigned char>(type.back())) && type.size() > 1)
    type.pop_back();
  if (type.ends_with("uint")) type = "unsigned int";
  for (const ScalarType& t : kTypes) {
    if (t.source == type) return t;
  }
  return std::nullopt;
}

struct Arguments {
  std::vector<std::string> texts;
  std::vector<model::Slider> sliders;
};

model::Slider slider(std::string name, std::int64_t low, std::int64_t high, std::int64_t value, bool pow2) {
  model::Slider s;
  s.name = name;
  s.title["en"] = name;
  s.min = low;
  s.max = high;
  s.value = std::clamp(value, low, high);
  s.powers_of_two = pow2;
  return s;
}

// Sliders need names that expressions can use and that are not those of the launch.
std::string slider_name(const std::string& parameter, std::size_t index) {
  std::string name;
  for (const char c : parameter) name.push_back(std::isalnum(static_cast<unsigned char>(c)) ? c : '_');
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = fmt::format("arg{}", index);
  return name == "grid" || name == "block" || name == "elements" ? name + "_" : name;
}

// What a buffer holds is ours, not the program's: where numbers depend on it, another fill is one click away.
model::Slider fill_slider(const std::string& parameter, std::size_t index, bool integer) {
  model::Slider s;
  s.name = "fill_" + slider_name(parameter, index);
  s.title = {{"en", "fill of " + parameter}, {"zh", parameter + " 的填充"}};
  s.hint = {{"en", "What the buffer holds before the launch. The program's own data are not known here."},
            {"zh", "启动之前缓冲区里的内容。程序自己的数据在这里是未知的。"}};
  s.choices = integer ? std::vector<std::string>{"iota", "zero", "hash", "mod:256", "const:1"}
                      : std::vector<std::string>{"hash", "zero", "iota", "const:1"};
  s.max = static_cast<std::int64_t>(s.choices.size()) - 1;
  return s;
}

bool decides(const ptx::DataDependence& data, std::size_t parameter) {
  const auto has = [&](const std::vector<std::uint32_t>& in) {
    return std::ranges::find(in, parameter) != in.end();
  };
  return has(data.addresses) || has(data.branches);
}

Arguments arguments_for(const model::Signature& signature, const source::FoundLaunch* launch,
                        const ptx::DataDependence& data, std::int64_t threads) {
  Arguments out;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const model::Parameter& parameter = signature.parameters[i];
    std::optional<double> value;
    if (launch && i < launch->values.size()) value = launch->values[i];
    const auto star = parameter.type.rfind('*');
    if (star != std::string::npos) {
      const auto element = scalar_of(parameter.type.substr(0, star));
      const ScalarType type = element.value_or(ScalarType{"", "u8", 1});
      std::optional<std::uint64_t> bytes;
      if (launch && i < launch->buffer_bytes.size()) bytes = launch->buffer_bytes[i];
      // Without a size in the file, generous: four elements a thread covers small strides and halos.
      const std::string count = bytes ? std::to_string(*bytes / static_cast<std::uint64_t>(type.bytes))
                                      : std::string("{4 * grid * block}");
      const bool integer = type.name[0] != 'f';
      std::string fill = integer ? "iota" : "hash";
      if (decides(data, i)) {
        out.sliders.push_back(fill_slider(parameter.name, i, integer));
        fill = "{" + out.sliders.back().name + "}";
      }
      out.texts.push_back(fmt::format("buf:{}:{}:{}", type.name, count, fill));
      continue;
    }
    const auto type = scalar_of(parameter.type);
    if (!type) {
      out.texts.push_back(value ? fmt::format("i32:{}", std::llround(*value)) : "i32:1");
    } else if (type->name[0] == 'f') {
      out.texts.push_back(fmt::format("{}:{}", type->name, value.value_or(1.0)));
    } else {
      const std::string name = slider_name(parameter.name, i);
      const std::int64_t start = std::llround(value.value_or(static_cast<double>(threads)));
      const std::int64_t high = std::max<std::int64_t>(start * 2, 64);
      out.sliders.push_back(slider(name, 0, high, start, false));
      out.texts.push_back(fmt::format("{}:{{{}}}", type->name, name));
    }
  }
  return out;
}

}  // namespace

Result<model::GalleryKernel> adopt(const model::Program& program, const std::string& name) {
  std::vector<model::Signature> signatures;
  for (const ptx::Function* entry : model::entries_of(program)) {
    signatures.push_back(model::signature_of(program, *entry));
  }
  if (signatures.empty()) {
    return Error{ErrorKind::Usage,
                 "The file holds no kernel: nothing in it is marked __global__.",
                 {program.file, 0, 0},
                 {}};
  }
  const source::FoundLaunch* launch = nullptr;
  const model::Signature* chosen = &signatures.front();
  const auto plain = [](const std::string& s) { return s.substr(0, s.find('<')); };
  bool found = name.empty();
  for (const model::Signature& s : signatures) {
    if (!name.empty() && (s.name == name || s.mangled == name || plain(s.name) == name)) {
      chosen = &s;
      found = true;
      break;
    }
  }
  if (!found) {
    return Error{ErrorKind::Usage,
                 fmt::format("The file holds no kernel named '{}'.", name),
                 {program.file, 0, 0},
                 {}};
  }
  for (const source::FoundLaunch& l : program.launches) {
    const auto match = std::find_if(signatures.begin(), signatures.end(), [&](const model::Signature& s) {
      return plain(s.name) == plain(l.kernel) && (name.empty() || &s == chosen);
    });
    if (match == signatures.end()) continue;
    launch = &l;
    chosen = &*match;
    break;
  }

  model::GalleryKernel kernel;
  kernel.id = std::filesystem::path(program.file).filename().string();
  kernel.file = program.file;
  kernel.kernel = chosen->mangled;
  kernel.title["en"] = chosen->name;
  const Dim3 grid = launch ? launch->grid : Dim3{kDefaultBlocks, 1, 1};
  const Dim3 block = launch ? launch->block : Dim3{kDefaultThreads, 1, 1};
  kernel.sliders.push_back(slider("grid", 1, std::max<std::int64_t>(grid.x * 2, 256), grid.x, false));
  kernel.sliders.push_back(slider("block", 1, 1024, block.x, true));
  kernel.sliders.back().powers_of_two = (block.x & (block.x - 1)) == 0;
  kernel.grid = {"grid"};
  kernel.block = {"block"};
  const auto further = [](std::vector<std::string>& out, Dim3 d) {
    if (d.y > 1 || d.z > 1) out.push_back(std::to_string(d.y));
    if (d.z > 1) out.push_back(std::to_string(d.z));
  };
  further(kernel.grid, grid);
  further(kernel.block, block);
  if (launch) kernel.shared = std::to_string(launch->shared_bytes);
  const auto entry = program.module->find_entry(chosen->mangled);
  const ptx::DataDependence data =
      entry ? ptx::data_dependence(*program.module, **entry) : ptx::DataDependence{};
  Arguments arguments =
      arguments_for(*chosen, launch, data, static_cast<std::int64_t>(grid.volume() * block.volume()));
  kernel.arguments = std::move(arguments.texts);
  for (model::Slider& s : arguments.sliders) kernel.sliders.push_back(std::move(s));
  return kernel;
}

}  // namespace warplens::window
