#include "app/model/opened/argument_guess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "engine/base/place_name.h"
#include "engine/base/text.h"
#include "engine/base/told_name.h"
#include "engine/ptx/syntax/kernel_names.h"

namespace warplens::model {
namespace {

// Elements beyond which a buffer asked for by several sizes together is not made by default.
constexpr std::uint64_t kMostElements = 1u << 26, kFewThreads = 1u << 22;

struct ScalarType {
  std::string_view source, name;
  int bytes;
};
// Types as a demangled symbol or a declaration writes them.
constexpr ScalarType kTypes[] = {
    {"float", "f32", 4},
    {"double", "f64", 8},
    {"int", "i32", 4},
    {"unsigned int", "u32", 4},
    {"unsigned", "u32", 4},
    {"uint", "u32", 4},
    {"long long", "i64", 8},
    {"long", "i64", 8},
    {"unsigned long", "u64", 8},
    {"size_t", "u64", 8},
    {"unsigned long long", "u64", 8},
    {"int32_t", "i32", 4},
    {"uint32_t", "u32", 4},
    {"int64_t", "i64", 8},
    {"uint64_t", "u64", 8},
    {"short", "i16", 2},
    {"unsigned short", "u16", 2},
    {"char", "i8", 1},
    {"signed char", "i8", 1},
    {"unsigned char", "u8", 1},
    {"bool", "u8", 1},
    {"uint8_t", "u8", 1},
    {"int8_t", "i8", 1},
    {"__half", "f16", 2},
    {"half", "f16", 2},
    {"uchar", "u8", 1},
    {"std::size_t", "u64", 8},
};

std::string strip(std::string type) {
  for (const std::string_view word : {"const", "volatile", "__restrict__", "restrict", "struct "})
    for (std::size_t at; (at = type.find(word)) != std::string::npos;) type.erase(at, word.size());
  std::string out;
  for (const char c : type) {
    if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
    out.push_back(c);
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::optional<ScalarType> scalar_of(std::string type) {
  type = strip(std::move(type));
  for (const ScalarType& t : kTypes)
    if (t.source == type) return t;
  return std::nullopt;
}

// What a buffer is made of: `parts` elements of a type make one of the kernel's.
struct GuessedElement {
  std::string name;
  std::uint64_t bytes = 1;  // of one
  std::uint64_t parts = 1;
};

GuessedElement element_of(const source::HostReading& host, const std::string& pointee) {
  if (const auto scalar = scalar_of(pointee))
    return {std::string(scalar->name), static_cast<std::uint64_t>(scalar->bytes), 1};
  std::string type = strip(pointee);
  // "float4" is four floats, so that a buffer of vectors is filled with floats.
  if (type.size() > 2 && type.back() >= '1' && type.back() <= '4') {
    const auto parts = static_cast<std::uint64_t>(type.back() - '0');
    std::string base = type.substr(0, type.size() - 1);
    if (base.starts_with("u") && base != "u")
      base = base == "ulonglong" ? "unsigned long long" : "unsigned " + base.substr(1);
    if (base == "longlong") base = "long long";
    if (base == "__half" || base == "half") base = "__half";
    if (const auto scalar = scalar_of(base))
      return {std::string(scalar->name), static_cast<std::uint64_t>(scalar->bytes), parts};
  }
  if (const auto scope = type.rfind("::"); scope != std::string::npos) type = type.substr(scope + 2);
  if (const auto found = host.types.find(type); found != host.types.end()) {
    const std::uint64_t whole = found->second.bytes;
    for (const ScalarType& t : kTypes)
      if (t.name == found->second.element)
        return {std::string(t.name), static_cast<std::uint64_t>(t.bytes),
                whole / static_cast<std::uint64_t>(t.bytes)};
    return whole % 4 == 0 ? GuessedElement{"u32", 4, whole / 4} : GuessedElement{"u8", 1, whole};
  }
  // A pointer to pointers, or a type from a header.
  return type.find('*') != std::string::npos ? GuessedElement{"u64", 8, 1} : GuessedElement{"u8", 1, 16};
}

bool counts_repeats(const std::string& name) {
  return contains_word(name, {"iter", "repeat", "times", "step", "round", "epoch"});
}
// Numbers that ask for no memory.
bool is_no_size(const std::string& name) {
  return counts_repeats(name) ||
         contains_word(name,
                       {"stride", "offset", "shift",  "radius", "seed", "flag",   "mode",  "start", "begin",
                        "first",  "value",  "val",    "key",    "root", "inc",    "alpha", "beta",  "device",
                        "level",  "bit",    "thresh", "max",    "min",  "target", "scale"});
}

// Sliders need names that expressions can use and that are not those of the launch.
std::string slider_name(const std::string& parameter, std::size_t index) {
  std::string name;
  for (const char c : parameter) name.push_back(std::isalnum(static_cast<unsigned char>(c)) ? c : '_');
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || argument_number(parameter))
    name = fmt::format("arg{}", index);
  return name == "grid" || name == "block" || name == "elements" || name == "max" || name == "min" ||
                 name == "ceil"
             ? name + "_"
             : name;
}

class Guess {
 public:
  Guess(const ArgumentQuestion& question, Adopted& adopted)
      : q_(question), adopted_(adopted), kernel_(adopted.kernel) {
    const bool fits = q_.launch != nullptr && q_.launch->arguments.size() == q_.signature.parameters.size();
    if (fits) passed_ = &q_.launch->arguments;
  }

  void run() {
    const auto& parameters = q_.signature.parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (!is_pointer(i) && is_whole(i)) whole_number(i);
    texts_.resize(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) texts_[i] = argument(i);
    kernel_.arguments = texts_;
  }

 private:
  const Parameter& parameter(std::size_t i) const { return q_.signature.parameters[i]; }
  const std::string& type(std::size_t i) const { return parameter(i).type; }
  // Also of templates, where the symbol has another name for it.
  std::string declared(std::size_t i) const {
    return q_.signature.declared != nullptr ? q_.signature.declared->parameters[i].type : std::string();
  }
  const source::LaunchArgument* passed(std::size_t i) const {
    return passed_ != nullptr ? &(*passed_)[i] : nullptr;
  }
  bool is_pointer(std::size_t i) const { return type(i).find('*') != std::string::npos; }
  bool is_whole(std::size_t i) const {
    const auto scalar = scalar_of(type(i));
    return scalar && scalar->name[0] != 'f' && !is_handle(i);
  }
  bool is_handle(std::size_t i) const {
    const std::string said = declared(i);
    return said.find("cudaTextureObject_t") != std::string::npos ||
           said.find("cudaSurfaceObject_t") != std::string::npos;
  }
  std::uint64_t threads() const { return q_.grid.volume() * q_.block.volume(); }

  void assume(std::size_t i, std::string value, Message why, Assumption::Ours ours) {
    adopted_.assumed.push_back(
        {parameter(i).name, std::move(value), std::move(why), static_cast<int>(i), ours});
  }

  // How many of the whole numbers that nobody gave are sizes.
  std::size_t unknown_sizes() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < q_.signature.parameters.size(); ++i)
      count +=
          !is_pointer(i) && is_whole(i) && !is_no_size(parameter(i).name) && !(passed(i) && passed(i)->value);
    return count;
  }

  // A size of ours: as many elements as there are threads, along as many dimensions as there are sizes.
  std::int64_t size_for(std::size_t i) const {
    const std::string& name = parameter(i).name;
    if (counts_repeats(name)) return 4;
    if (is_no_size(name)) return 1;
    const std::size_t sizes = unknown_sizes();
    const auto x = static_cast<std::int64_t>(std::uint64_t{q_.grid.x} * q_.block.x);
    const auto y = static_cast<std::int64_t>(std::uint64_t{q_.grid.y} * q_.block.y);
    const auto z = static_cast<std::int64_t>(std::uint64_t{q_.grid.z} * q_.block.z);
    if (sizes <= 1) return y > 1 ? std::min(x, y) : static_cast<std::int64_t>(threads());
    if (y > 1) {
      if (z > 1 && contains_word(name, {"depth", "nz", "slice"})) return z;
      return contains_word(name, {"row", "height", "ny"}) ? y : sizes > 2 ? std::min(x, y) : x;
    }
    const double root =
        std::pow(static_cast<double>(threads()), 1.0 / static_cast<double>(std::min<std::size_t>(sizes, 3)));
    std::int64_t size = 32;
    while (2 * size <= static_cast<std::int64_t>(root)) size *= 2;
    return size;
  }

  void whole_number(std::size_t i) {
    const source::LaunchArgument* given = passed(i);
    const bool known = given != nullptr && given->value;
    const std::int64_t value = known ? std::llround(*given->value) : size_for(i);
    const std::string name = slider_name(parameter(i).name, i);
    const std::int64_t low = std::min<std::int64_t>(0, value),
                       high = std::max<std::int64_t>(value * 2, is_no_size(parameter(i).name) ? 64 : 4096);
    Slider s;
    s.name = name;
    s.title["en"] = name;
    s.min = low;
    s.max = high;
    s.value = value;
    kernel_.sliders.push_back(std::move(s));
    names_[i] = name;
    if (!is_no_size(parameter(i).name) && value > 1) sizes_.emplace_back(name, value);
    if (!known || given->doubt)
      assume(i, "{" + name + "}", why_of(given ? given->doubt : std::nullopt, known, given != nullptr),
             known && !is_ours(given->doubt) ? Assumption::Ours::Nothing : Assumption::Ours::Value);
  }

  std::string argument(std::size_t i) {
    if (is_pointer(i)) return buffer(i);
    const auto scalar = scalar_of(type(i));
    if (is_handle(i)) return handle(i);
    if (names_.contains(i)) return fmt::format("{}:{{{}}}", scalar->name, names_.at(i));
    const source::LaunchArgument* given = passed(i);
    if (scalar) {
      const bool known = given != nullptr && given->value;
      const std::string text = fmt::format("{}:{}", scalar->name, known ? *given->value : 1.0);
      if (!known || given->doubt)
        assume(i, text, why_of(given ? given->doubt : std::nullopt, known, given != nullptr),
               known && !is_ours(given->doubt) ? Assumption::Ours::Nothing : Assumption::Ours::Value);
      return text;
    }
    return structure(i);
  }

  std::string handle(std::size_t i) {
    const bool surface = declared(i).find("cudaSurfaceObject_t") != std::string::npos;
    const auto x = std::min<std::uint64_t>(std::uint64_t{q_.grid.x} * q_.block.x, 4096);
    const auto y = std::min<std::uint64_t>(std::uint64_t{q_.grid.y} * q_.block.y, 4096);
    const std::string text =
        surface ? fmt::format("surf:f32:{}x{}:zero", x, y) : fmt::format("tex:f32:{}x{}:hash", x, y);
    assume(i, text, {"assumed.texture", {}}, Assumption::Ours::Size);
    return text;
  }

  // A structure by value, or a number of a type that is not known.
  std::string structure(std::size_t i) {
    const source::LaunchArgument* given = passed(i);
    const std::uint64_t bytes = q_.bytes[i];
    if (given != nullptr && !given->structure.empty()) {
      if (given->doubt)
        assume(i, given->structure, why_of(given->doubt, true, true), Assumption::Ours::Value);
      return given->structure;
    }
    if (given != nullptr && given->value && bytes <= 8)
      return fmt::format("{}:{}",
                         bytes == 8   ? "i64"
                         : bytes == 4 ? "i32"
                         : bytes == 2 ? "i16"
                                      : "i8",
                         std::llround(*given->value));
    if (bytes <= 8 && (bytes & (bytes - 1)) == 0) {
      const std::string text = fmt::format("u{}:1", 8 * std::max<std::uint64_t>(1, bytes));
      assume(i, text, why_of(given ? given->doubt : std::nullopt, false, given != nullptr),
             Assumption::Ours::Value);
      return text;
    }
    const std::uint64_t words = bytes / 4;
    std::string text = "struct:";
    for (std::uint64_t w = 0; w < words; ++w) text += w == 0 ? "u32:1" : ",u32:1";
    assume(i, text, {"assumed.structure", {{"bytes", value_of(bytes)}}}, Assumption::Ours::Value);
    return text;
  }

  // The product of sizes that the buffer's elements are, as the sliders' expression: "rows * cols" of 1024.
  std::optional<std::string> as_product(std::uint64_t count) const {
    for (const auto& [name, value] : sizes_)
      if (static_cast<std::uint64_t>(value) == count) return name;
    for (std::size_t a = 0; a < sizes_.size(); ++a)
      for (std::size_t b = a; b < sizes_.size(); ++b)
        if (static_cast<std::uint64_t>(sizes_[a].second) * static_cast<std::uint64_t>(sizes_[b].second) ==
            count)
          return sizes_[a].first + " * " + sizes_[b].first;
    return std::nullopt;
  }

  // All sizes together, or where that is too much the two largest.
  std::string asked_for() const {
    std::vector<std::pair<std::string, std::int64_t>> sizes = sizes_;
    std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    double product = 1;
    for (const auto& [name, value] : sizes) product *= static_cast<double>(value);
    const bool all = product <= static_cast<double>(kMostElements);
    if (!all && sizes.size() > 2) sizes.resize(2);
    const bool two =
        sizes.size() == 2 &&
        static_cast<double>(sizes[0].second) * static_cast<double>(sizes[1].second) <= 16.0 * kMostElements;
    if (!all && !two) sizes.resize(std::min<std::size_t>(1, sizes.size()));
    std::string text;
    for (const auto& [name, value] : sizes) text += (text.empty() ? "" : " * ") + name;
    return text;
  }

  // Four elements a thread cover small strides and halos.
  std::string count_of_ours() const {
    const std::uint64_t rest = std::uint64_t{q_.grid.y} * q_.grid.z * q_.block.y * q_.block.z;
    const std::string all_threads =
        fmt::format("{} * grid * block", (threads() > kFewThreads ? 1 : 4) * rest);
    const std::string sizes = asked_for();
    return sizes.empty() ? all_threads : fmt::format("max({}, {})", all_threads, sizes);
  }

  std::string buffer(std::size_t i) {
    const source::LaunchArgument* given = passed(i);
    if (given != nullptr && given->is_null) return "u64:0";
    const std::string pointer = type(i);
    const GuessedElement element = element_of(q_.host, pointer.substr(0, pointer.rfind('*')));
    const bool integer = element.name[0] != 'f';
    std::string count;
    const bool known = given != nullptr && given->bytes;
    if (known) {
      const std::uint64_t elements = *given->bytes / (element.bytes * element.parts);
      const auto product = as_product(elements);
      count = product ? (element.parts > 1 ? fmt::format("{} * {}", element.parts, *product) : *product)
                      : std::to_string(*given->bytes / element.bytes);
      if (given->doubt)
        assume(i, fmt::format("{{{}}}", count), why_of(given->doubt, true, true),
               is_ours(given->doubt) ? Assumption::Ours::Size : Assumption::Ours::Nothing);
    } else {
      count = element.parts > 1 ? fmt::format("{} * ({})", element.parts, count_of_ours()) : count_of_ours();
      assume(i, fmt::format("{{{}}}", count), why_of_size(given), Assumption::Ours::Size);
    }
    std::string fill = integer ? "iota" : "hash";
    if (decides_something(i)) {
      kernel_.sliders.push_back(fill_slider(i, integer));
      fill = "{" + kernel_.sliders.back().name + "}";
    }
    return fmt::format("buf:{}:{{{}}}:{}", element.name, count, fill);
  }

  bool decides_something(std::size_t parameter) const {
    const auto has = [&](const std::vector<std::uint32_t>& in) {
      return std::ranges::find(in, parameter) != in.end();
    };
    return has(q_.data.addresses) || has(q_.data.branches);
  }

  // What a buffer holds is ours, not the program's: where numbers depend on it, another fill is one click
  // away.
  Slider fill_slider(std::size_t i, bool integer) const {
    const std::string& parameter = q_.signature.parameters[i].name;
    Slider s;
    s.name = "fill_" + slider_name(parameter, i);
    using Names = std::vector<std::string>;
    s.choices = integer ? Names{"iota", "zero", "hash", "mod:256", "const:1"}
                        : Names{"hash", "zero", "iota", "const:1"};
    const Names keys =
        integer ? Names{"iota", "zero", "hash", "below_256", "ones"} : Names{"hash", "zero", "iota", "ones"};
    for (const char* language : kLanguages) {
      const auto text = Catalogue::load(language);
      if (!text) continue;
      s.title[language] = text->text(Message{"assumed.fill.title", {{"parameter", told_name(parameter)}}});
      s.hint[language] = text->text("assumed.fill.hint");
      for (const std::string& key : keys) s.names[language].push_back(text->text("assumed.fill." + key));
    }
    s.max = static_cast<std::int64_t>(s.choices.size()) - 1;
    return s;
  }

  Message why_of_size(const source::LaunchArgument* given) const {
    const std::string sizes = asked_for();
    const bool said = given != nullptr && given->doubt && !given->doubt->assumed;
    Message why{sizes.empty() ? "assumed.buffer" : "assumed.buffer_of", {{"sizes", value_of(sizes)}}};
    if (said)
      why.values.emplace_back("because", value_of(why_of(given->doubt, false, true)));
    else
      why.values.emplace_back("because",
                              value_of(Message{q_.launch ? "assumed.unfollowed" : "assumed.no_launch",
                                               {{"name", value_of("")}, {"line", value_of(0)}}}));
    return why;
  }

  const ArgumentQuestion& q_;
  Adopted& adopted_;
  GalleryKernel& kernel_;
  const std::vector<source::LaunchArgument>* passed_ = nullptr;
  std::map<std::size_t, std::string> names_;                 // of the sliders, by parameter
  std::vector<std::pair<std::string, std::int64_t>> sizes_;  // those that ask for memory
  std::vector<std::string> texts_;
};

}  // namespace

bool is_ours(const std::optional<source::Doubt>& doubt) {
  return doubt && doubt->assumed && doubt->name != "argc" && !doubt->name.starts_with("getopt") &&
         doubt->name != "pitch" && !doubt->name.starts_with("checkCmd") && !doubt->name.starts_with("getCmd");
}

Message why_of(const std::optional<source::Doubt>& doubt, bool known, bool launched) {
  if (!doubt)
    return {launched ? "assumed.unfollowed" : "assumed.no_launch",
            {{"name", value_of("")}, {"line", value_of(0)}}};
  std::string key = "assumed.";
  if (known && doubt->assumed && !is_ours(doubt))
    key += doubt->name == "pitch" ? "pitch" : "default";
  else
    key += std::string(source::name(doubt->why)) + (known ? "_ours" : "");
  return {key, {{"name", value_of(doubt->name)}, {"line", value_of(doubt->line)}}};
}

std::string normal_name(std::string_view given) {
  const std::string text = ptx::as_written(given);
  const std::string_view name = text;
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == ' ') continue;
    if (name[i] == '(') {  // (int)256
      const auto close = name.find(')', i);
      const std::string_view inside = name.substr(i + 1, close == std::string_view::npos ? 0 : close - i - 1);
      if (scalar_of(std::string(inside))) {
        i = close;
        continue;
      }
    }
    out += name[i];
    // 256u is 256.
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    if (!digit(name[i]) ||
        (out.size() > 1 && is_name_character(out[out.size() - 2]) && !digit(out[out.size() - 2])))
      continue;
    std::size_t end = i + 1;
    while (end < name.size() && std::string_view("uUlL").find(name[end]) != std::string_view::npos) ++end;
    if (end == name.size() || !is_name_character(name[end])) i = end - 1;
  }
  return out;
}

void guess_arguments(const ArgumentQuestion& question, Adopted& adopted) {
  Guess(question, adopted).run();
}

std::string element_name(const std::string& pointee) {
  return element_of({}, pointee).name;
}

std::string scalar_name(const std::string& type) {
  const auto scalar = scalar_of(type);
  return scalar ? std::string(scalar->name) : std::string();
}

}  // namespace warplens::model
