#include "engine/trace/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include "engine/trace/argument_error.h"
#include "engine/trace/half.h"

namespace warplens::trace {
namespace {

struct TypeRow {
  ElementType type;
  std::string_view name;
  int bytes;
  bool floating, is_signed;
};

constexpr std::array<TypeRow, 11> kTypes{{
    {ElementType::I8, "i8", 1, false, true},
    {ElementType::U8, "u8", 1, false, false},
    {ElementType::I16, "i16", 2, false, true},
    {ElementType::U16, "u16", 2, false, false},
    {ElementType::I32, "i32", 4, false, true},
    {ElementType::U32, "u32", 4, false, false},
    {ElementType::I64, "i64", 8, false, true},
    {ElementType::U64, "u64", 8, false, false},
    {ElementType::F16, "f16", 2, true, true},
    {ElementType::F32, "f32", 4, true, true},
    {ElementType::F64, "f64", 8, true, true},
}};

const TypeRow& row_of(ElementType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

// A number with an optional sign and 0x, as 64 bits of magnitude.
struct Magnitude {
  bool negative = false;
  std::uint64_t value = 0;
};

std::optional<Magnitude> parse_magnitude(std::string_view text) {
  Magnitude out;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out.value, base);
  if (failed != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return out;
}

MessageValue quoted(std::string_view text) {
  return value_of(std::string(text));
}

// The value's two's complement bits, when it fits the type.
Result<std::uint64_t> parse_integer(std::string_view whole, std::string_view text, const TypeRow& row) {
  const auto number = parse_magnitude(text);
  if (!number)
    return argument_error(whole,
                          {"argument.not_whole", {{"text", quoted(text)}, {"type", quoted(row.name)}}});
  const int bits = row.bytes * 8;
  const std::uint64_t largest = row.is_signed ? (std::uint64_t{1} << (bits - 1)) - 1
                                : bits == 64  ? ~std::uint64_t{0}
                                              : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t most_negative = row.is_signed ? largest + 1 : 0;
  if (number->value > (number->negative ? most_negative : largest))
    return argument_error(
        whole, {"argument.does_not_fit",
                {{"text", quoted(text)},
                 {"type", quoted(row.name)},
                 {"least", value_of(fmt::format("{}{}", most_negative != 0 ? "-" : "", most_negative))},
                 {"most", value_of(std::to_string(largest))}}});
  return number->negative ? std::uint64_t{0} - number->value : number->value;
}

Result<double> parse_real(std::string_view whole, std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  // Too large or too small is no error of the user's: such a number is infinity or zero in every type.
  const bool out_of_range = failed == std::errc::result_out_of_range;
  if ((failed != std::errc() && !out_of_range) || end != text.data() + text.size() || text.empty())
    return argument_error(whole, {"argument.not_a_number", {{"text", quoted(text)}}});
  if (out_of_range) {
    const bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos;
    value = (text[0] == '-' ? -1.0 : 1.0) * (tiny ? 0.0 : std::numeric_limits<double>::infinity());
  }
  return value;
}

std::uint64_t bits_of(ElementType type, double value) {
  switch (type) {
    case ElementType::F16:
      return to_half(value);
    case ElementType::F32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default:
      return std::bit_cast<std::uint64_t>(value);
  }
}

std::uint64_t low_bytes(std::uint64_t bits, int bytes) {
  return bytes == 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

Result<Argument> parse_scalar(std::string_view text, std::string_view type_text, std::string_view value) {
  const auto type = element_type_from(type_text);
  if (!type) return argument_error(text, *type.error().said);
  const TypeRow& row = row_of(*type);
  Argument out;
  out.type = *type;
  out.text = text;
  if (row.floating) {
    const auto real = parse_real(text, value);
    if (!real) return real.error();
    out.parameter = *real;
    out.bits = bits_of(*type, *real);
  } else {
    const auto bits = parse_integer(text, value, row);
    if (!bits) return bits.error();
    out.integer = static_cast<std::int64_t>(*bits);
    out.bits = low_bytes(*bits, row.bytes);
  }
  return out;
}

// Words of the notation, the same in every language.
MessageValue forms() {
  return value_of("zero, iota, const:V, hash, mod:M, perm:A, file:PATH");
}

struct InitRow {
  std::string_view name;
  Init init;
  bool takes_value;
};
constexpr std::array<InitRow, 7> kInits{{{"zero", Init::Zero, false},
                                         {"iota", Init::Iota, false},
                                         {"const", Init::Constant, true},
                                         {"hash", Init::Hash, false},
                                         {"mod", Init::Modulo, true},
                                         {"perm", Init::Permutation, true},
                                         {"file", Init::File, true}}};

Status parse_init_value(std::string_view whole, std::string_view value, const InitRow& row, Argument& out) {
  if (row.init == Init::File) {
    out.path = value;
    return Done{};
  }
  if (row.init == Init::Constant) {
    const auto scalar = parse_scalar(whole, name(out.type), value);
    if (!scalar) return scalar.error();
    out.parameter = scalar->parameter;
    out.integer = scalar->integer;
    return Done{};
  }
  const auto number = parse_magnitude(value);
  const bool zero_allowed = row.init == Init::Permutation;
  if (!number || number->negative || number->value > (std::uint64_t{1} << 62) ||
      (number->value == 0 && !zero_allowed))
    return argument_error(whole,
                          {"argument.not_positive", {{"text", quoted(value)}, {"init", quoted(row.name)}}});
  out.integer = static_cast<std::int64_t>(number->value);
  return Done{};
}

Status parse_init(std::string_view whole, std::string_view text, Argument& out) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  for (const InitRow& row : kInits) {
    if (row.name != word) continue;
    out.init = row.init;
    const bool has_value = colon != text.npos && colon + 1 < text.size();
    if (row.takes_value && !has_value)
      return argument_error(whole,
                            {"argument.init_needs_value", {{"init", quoted(word)}, {"forms", forms()}}});
    if (!row.takes_value && colon != text.npos)
      return argument_error(whole,
                            {"argument.init_takes_none", {{"init", quoted(word)}, {"forms", forms()}}});
    return row.takes_value ? parse_init_value(whole, text.substr(colon + 1), row, out) : Status(Done{});
  }
  return argument_error(whole, {"argument.no_init", {{"init", quoted(word)}, {"forms", forms()}}});
}

Result<Argument> parse_buffer(std::string_view text) {
  std::array<std::string_view, 3> parts;  // type, count, init; the init keeps its own colons
  std::string_view rest = text.substr(4);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t colon = rest.find(':');
    if (colon == rest.npos)
      return argument_error(
          text,
          {"argument.no_buffer", {{"missing", quoted(i == 0 ? "COUNT:INIT" : "INIT")}, {"forms", forms()}}});
    parts[i] = rest.substr(0, colon);
    rest.remove_prefix(colon + 1);
  }
  parts[2] = rest;
  const auto type = element_type_from(parts[0]);
  if (!type) return argument_error(text, *type.error().said);
  const auto count = parse_magnitude(parts[1]);
  if (!count || count->negative || count->value == 0 || count->value > kMostElements)
    return argument_error(
        text, {"argument.no_count", {{"text", quoted(parts[1])}, {"most", value_of(kMostElements)}}});
  Argument out;
  out.is_buffer = true;
  out.type = *type;
  out.count = count->value;
  out.text = text;
  if (const Status status = parse_init(text, parts[2], out); !status) return status.error();
  return out;
}

// struct:TYPE:VALUE,TYPE:VALUE: members at their natural alignment, the whole a multiple of the widest.
Result<Argument> parse_structure(std::string_view text) {
  Argument out;
  out.text = text;
  std::size_t widest = 1;
  for (std::string_view rest = text.substr(7); !rest.empty();) {
    const std::string_view member = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), member.size() + 1));
    const std::size_t colon = member.find(':');
    const auto scalar =
        colon == member.npos
            ? Result<Argument>(argument_error(text, {"argument.no_member", {{"text", quoted(member)}}}))
            : parse_scalar(text, member.substr(0, colon), member.substr(colon + 1));
    if (!scalar) return scalar.error();
    const auto bytes = static_cast<std::size_t>(size_of(scalar->type));
    widest = std::max(widest, bytes);
    const std::size_t at = (out.structure.size() + bytes - 1) / bytes * bytes;
    out.structure.resize(at + bytes);
    std::memcpy(out.structure.data() + at, &scalar->bits, bytes);
  }
  if (out.structure.empty()) return argument_error(text, {"argument.no_structure", {}});
  if (out.structure.size() > 4096) return argument_error(text, {"argument.structure_too_large", {}});
  out.structure.resize((out.structure.size() + widest - 1) / widest * widest);
  return out;
}

// ---- textures

// What a GPU of compute capability 7.5 or later takes (CUDA programming guide, technical specifications).
constexpr std::uint64_t kMostTexels[] = {std::uint64_t{1} << 28, 131072, 16384};

struct OptionRow {
  std::string_view name;
  void (*apply)(Texture&);
};
constexpr std::array<OptionRow, 11> kTextureOptions{{
    {"point", [](Texture& t) { t.filter = Texture::Filter::Point; }},
    {"linear", [](Texture& t) { t.filter = Texture::Filter::Linear; }},
    {"clamp", [](Texture& t) { t.edge = Texture::Edge::Clamp; }},
    {"wrap", [](Texture& t) { t.edge = Texture::Edge::Wrap; }},
    {"mirror", [](Texture& t) { t.edge = Texture::Edge::Mirror; }},
    {"border", [](Texture& t) { t.edge = Texture::Edge::Border; }},
    {"norm", [](Texture& t) { t.normalised = true; }},
    {"unit", [](Texture& t) { t.unit = true; }},
    {"layered", [](Texture& t) { t.layered = true; }},
    // A direction has no texels to count in: its coordinates on a square are normalised.
    {"cube", [](Texture& t) { t.cube = t.normalised = true; }},
    {"array", [](Texture&) {}},
}};
constexpr std::string_view kOptionNames =
    "point, linear, clamp, wrap, mirror, border, norm, unit, layered, cube, array";

const OptionRow* find_option(std::string_view text) {
  for (const OptionRow& row : kTextureOptions)
    if (row.name == text) return &row;
  return nullptr;
}

// The text up to the next separator, which is taken away with it.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at == rest.npos ? rest.size() : at + 1);
  return part;
}

Status parse_extent(std::string_view whole, std::string_view text, Texture& texture) {
  std::uint64_t* const sizes[] = {&texture.width, &texture.height, &texture.depth};
  int dimensions = 0;
  for (std::string_view rest = text; !rest.empty() || dimensions == 0; ++dimensions) {
    const std::string_view part = take(rest, 'x');
    const auto number = parse_magnitude(part);
    if (dimensions == 3 || !number || number->negative || number->value == 0)
      return argument_error(whole, {"argument.no_extent", {{"text", quoted(text)}}});
    *sizes[dimensions] = number->value;
  }
  const std::uint64_t most = kMostTexels[dimensions - 1];
  for (int i = 0; i < dimensions; ++i)
    if (*sizes[i] > most)
      return argument_error(whole, {"argument.too_many_texels",
                                    {{"texels", value_of(*sizes[i])},
                                     {"dimensions", value_of(dimensions)},
                                     {"most", value_of(most)}}});
  return Done{};
}

Status check_texture(std::string_view whole, const Argument& argument) {
  const Texture& texture = *argument.texture;
  const TypeRow& row = row_of(argument.type);
  if (row.bytes == 8) return argument_error(whole, {"argument.no_texel_type", {{"type", quoted(row.name)}}});
  const bool small_integer = !row.floating && row.bytes < 4;
  if (texture.layered && texture.height == 0) return argument_error(whole, {"argument.no_layers", {}});
  if (texture.cube && (texture.width != texture.height || (texture.depth != 0) != texture.layered))
    return argument_error(whole, {"argument.no_cube", {}});
  if (texture.unit && !small_integer)
    return argument_error(whole, {"argument.no_unit", {{"type", quoted(row.name)}}});
  if (texture.filter == Texture::Filter::Linear && !row.floating && !texture.unit)
    return argument_error(whole, {"argument.linear_needs_unit", {{"type", quoted(row.name)}}});
  return Done{};
}

// tex:TYPE[xN]:SIZE[:OPTIONS]:INIT and surf:TYPE[xN]:SIZE[:layered]:INIT
Result<Argument> parse_texture(std::string_view text) {
  Argument out;
  out.text = text;
  Texture& texture = out.texture.emplace();
  std::string_view rest = text;
  texture.surface = take(rest, ':') == "surf";
  std::string_view type_text = take(rest, ':');
  const auto type = element_type_from(take(type_text, 'x'));
  if (!type) return argument_error(text, *type.error().said);
  out.type = *type;
  if (!type_text.empty()) {
    if (type_text != "1" && type_text != "2" && type_text != "4")
      return argument_error(text, {"argument.no_channels", {{"text", quoted(type_text)}}});
    texture.channels = static_cast<unsigned>(type_text[0] - '0');
  }
  if (const Status status = parse_extent(text, take(rest, ':'), texture); !status) return status.error();
  bool has_options = false;
  if (std::string_view words = rest.substr(0, rest.find(':'));
      find_option(words.substr(0, words.find(',')))) {
    if (texture.surface && words != "layered") return argument_error(text, {"argument.surface_option", {}});
    has_options = true;
    while (!words.empty()) {
      const std::string_view word = take(words, ',');
      const OptionRow* option = find_option(word);
      if (option == nullptr)
        return argument_error(text, {"argument.no_texture_option",
                                     {{"text", quoted(word)}, {"options", quoted(kOptionNames)}}});
      option->apply(texture);
    }
    take(rest, ':');
  }
  texture.linear_memory = texture.height == 0 && !has_options && !texture.surface;
  if (!texture.linear_memory && texture.height == 0 && texture.width > kMostTexels[1])
    return argument_error(text, {"argument.array_too_long",
                                 {{"texels", value_of(texture.width)}, {"most", value_of(kMostTexels[1])}}});
  if (rest.empty())
    return argument_error(text,
                          {"argument.no_texture", {{"options", quoted(kOptionNames)}, {"forms", forms()}}});
  out.count = texture.texels() * texture.channels;
  if (const Status status = parse_init(text, rest, out); !status) return status.error();
  if (const Status status = check_texture(text, out); !status) return status.error();
  return out;
}

}  // namespace

int size_of(ElementType type) {
  return row_of(type).bytes;
}

std::string_view name(Backend backend) {
  return backend == Backend::Gpu ? "gpu" : "emulator";
}

std::optional<Backend> backend_named(std::string_view text) {
  for (const Backend backend : {Backend::Emulator, Backend::Gpu})
    if (text == name(backend)) return backend;
  return std::nullopt;
}

std::string_view name(ElementType type) {
  return row_of(type).name;
}

Result<ElementType> element_type_from(std::string_view text) {
  for (const TypeRow& row : kTypes)
    if (row.name == text) return row.type;
  return told(ErrorKind::Usage, {"argument.no_type", {{"text", quoted(text)}}});
}

Result<Argument> parse_argument(std::string_view text) {
  if (text.starts_with("buf:")) return parse_buffer(text);
  if (text.starts_with("struct:")) return parse_structure(text);
  if (text.starts_with("tex:") || text.starts_with("surf:")) return parse_texture(text);
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return argument_error(text, {"argument.no_form", {}});
  return parse_scalar(text, text.substr(0, colon), text.substr(colon + 1));
}

Error argument_error(std::string_view argument, Message why) {
  return told(ErrorKind::Usage,
              {"argument.wrong", {{"argument", quoted(argument)}, {"why", value_of(std::move(why))}}});
}

}  // namespace warplens::trace
