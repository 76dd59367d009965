#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/ptx/syntax/parser_state.h"

namespace warplens::ptx {

// What an initialiser list fills: the variable, its extents (a vector's lanes are the innermost one), and the
// bytes of symbols written as 0xFF00(symbol), which are gathered into whole relocations at the end.
struct Parser::Initialiser {
  struct MaskedByte {
    std::uint64_t position = 0;
    int shift = 0;
    Relocation symbol;
  };
  Variable& variable;
  std::vector<std::uint64_t> extents;
  std::vector<MaskedByte> masked;
  std::uint64_t end = 0;  // one past the last element that was given, in elements
};

bool Parser::parse_variable_type(Variable& variable) {
  while (cursor_.peek() == '.') {
    const std::string_view word = cursor_.directive();
    std::uint64_t number = 0;
    if (word == ".align") {
      if (!parse_unsigned(number, kMaxAlignment, "alignment")) return false;
      if (!std::has_single_bit(number)) return fail("alignment");
      (variable.pointee_space != StateSpace::None ? variable.pointee_alignment : variable.alignment) =
          static_cast<std::uint32_t>(number);
    } else if (word == ".ptr") {
      variable.pointee_space = StateSpace::Generic;
    } else if (word == ".v2" || word == ".v4" || word == ".v8") {
      variable.vector_width = word[2] - '0';
    } else if (word == ".attribute") {
      if (!expect('(', "attribute")) return false;
      const std::size_t start = cursor_.offset();
      while (cursor_.peek() != ')' && !cursor_.at_end()) {
        if (cursor_.directive().empty() && cursor_.word().empty() && cursor_.number().empty() &&
            !cursor_.accept(',') && !cursor_.accept('(')) {
          return expected("attribute");
        }
      }
      variable.attribute = std::string(cursor_.slice(start, cursor_.offset()));
      if (!expect(')', "attribute_end")) return false;
    } else if (const auto type = type_from_name(word.substr(1))) {
      variable.type = *type;
    } else if (const auto space = space_from_name(word.substr(1));
               space && variable.pointee_space != StateSpace::None) {
      variable.pointee_space = *space;
    } else {
      return fail("variable_word", {{"found", value_of(std::string(word))}});
    }
  }
  if (variable.type == Type::None) return expected("type");
  return true;
}

bool Parser::parse_extents(Variable& variable, std::vector<std::uint64_t>& extents) {
  while (cursor_.accept('[')) {
    std::uint64_t extent = 0;
    variable.is_array = true;
    if (cursor_.peek() != ']' && !parse_unsigned(extent, kMaxVariableBytes, "extent")) return false;
    if (extents.size() > 16) return fail("dimensions");
    extents.push_back(extent);
    if (!expect(']', "extent")) return false;
  }
  return true;
}

bool Parser::check_size(Variable& variable) {
  if (variable.alignment == 0) {
    variable.alignment =
        static_cast<std::uint32_t>(std::max(1, size_of(variable.type) * std::max(1, variable.vector_width)));
  }
  const std::uint64_t element =
      static_cast<std::uint64_t>(size_of(variable.type)) * static_cast<std::uint64_t>(variable.vector_width);
  if (element != 0 && variable.count > kMaxVariableBytes / element) {
    return fail("large_variable", {{"name", value_of(variable.name)}});
  }
  return true;
}

bool Parser::parse_declarator(Variable& variable, std::string_view& written) {
  variable.line = (cursor_.peek(), cursor_.line());
  written = cursor_.word();
  if (written.empty()) return expected("variable_name");
  variable.name = std::string(written);
  std::vector<std::uint64_t> extents;
  if (!parse_extents(variable, extents)) return false;
  variable.count = 1;
  for (const std::uint64_t extent : extents) {
    if (extent != 0 && variable.count > kMaxVariableBytes / extent) {
      return fail("large_variable", {{"name", value_of(variable.name)}});
    }
    variable.count *= extent;
  }
  if (!check_size(variable)) return false;
  if (!cursor_.accept('=')) return true;
  return parse_initialiser(variable, extents) && check_size(variable);
}

bool Parser::parse_variables(Linkage linkage, StateSpace space) {
  Variable shared;  // what all declarators of the statement have in common
  shared.space = space;
  shared.is_extern = linkage.is_extern;
  shared.is_visible = linkage.is_visible;
  shared.is_weak = linkage.is_weak;
  if (!parse_variable_type(shared)) return false;
  do {
    Variable variable = shared;
    std::string_view written;
    if (!parse_declarator(variable, written)) return false;
    if (cursor_.accept('<')) {  // .param .b32 p<3>: p0, p1, p2
      std::uint64_t count = 0;
      if (!parse_count(count, 1024) || !expect('>', "count")) return false;
      for (std::uint64_t i = 0; i < count; ++i) {
        Variable one = variable;
        one.name += std::to_string(i);
        const std::string_view name = made_names_.emplace_back(one.name);
        if (!declare_variable(name, std::move(one))) return false;
      }
    } else if (!declare_variable(written, std::move(variable))) {
      return false;
    }
  } while (cursor_.accept(','));
  return expect(';', "variable");
}

bool Parser::declare_variable(std::string_view written, Variable variable) {
  return scopes_.empty() ? add_module_variable(std::move(variable))
                         : declare_local(written, std::move(variable));
}

bool Parser::parse_initialiser(Variable& variable, const std::vector<std::uint64_t>& extents) {
  if (variable.type == Type::SamplerRef || variable.type == Type::TexRef || variable.type == Type::SurfRef) {
    if (!expect('{', "texture")) return false;
    return cursor_.skip_braces() || fail("open_brace");
  }
  if (size_of(variable.type) == 0) return fail("no_initial_value");
  Initialiser state{variable, extents, {}, 0};
  if (variable.vector_width > 1) state.extents.push_back(static_cast<std::uint64_t>(variable.vector_width));
  if (state.extents.empty()) {
    if (!parse_initial_element(state, 0)) return false;
  } else if (!parse_initial_list(state, 0, 0)) {
    return false;
  }
  if (!extents.empty() && extents[0] == 0) {  // name[] takes its extent from the list
    std::uint64_t row = 1;
    for (std::size_t i = 1; i < extents.size(); ++i) row *= extents[i];
    const std::uint64_t per = row * static_cast<std::uint64_t>(variable.vector_width);
    variable.count = per == 0 ? 0 : (state.end + per - 1) / per * row;
  }
  return finish_masks(state);
}

bool Parser::parse_initial_list(Initialiser& state, std::size_t level, std::uint64_t position) {
  if (!expect('{', "initial_values")) return false;
  if (cursor_.accept('}')) return true;
  std::uint64_t stride = 1;  // elements a step of this level
  for (std::size_t i = level + 1; i < state.extents.size(); ++i) stride *= state.extents[i];
  std::uint64_t room = state.extents[level] == 0 ? kMaxVariableBytes : state.extents[level] * stride;
  const std::uint64_t end = position + room;
  do {
    const bool nested = cursor_.peek() == '{' && level + 1 < state.extents.size();
    if (position + (nested ? stride : 1) > end) return fail("initial_values");
    if (nested ? !parse_initial_list(state, level + 1, position) : !parse_initial_element(state, position)) {
      return false;
    }
    position += nested ? stride : 1;
  } while (cursor_.accept(','));
  return expect('}', "initial_values_end");
}

bool Parser::parse_initial_element(Initialiser& state, std::uint64_t position) {
  const std::size_t bytes = static_cast<std::size_t>(size_of(state.variable.type));
  // Rows that are left out between given ones cost memory that the text did not pay for.
  const std::uint64_t offset = position * bytes;
  std::vector<std::uint8_t>& initial = state.variable.initial;
  if (initial.size() < offset + bytes) {
    initial_bytes_ += offset + bytes - initial.size();
    const std::uint64_t allowed = (std::uint64_t{1} << 20) + 16 * cursor_.size();
    if (initial_bytes_ > allowed) return fail("initial_gaps");
    initial.resize(offset + bytes);
  }
  state.end = std::max(state.end, position + 1);

  const char first = cursor_.peek();
  const bool is_name = first == '_' || first == '$' || first == '%' || (first >= 'a' && first <= 'z') ||
                       (first >= 'A' && first <= 'Z');
  if (is_name) {
    Relocation relocation;
    if (!parse_symbol_with_offset(relocation)) return false;
    relocation.offset = offset;
    relocation.bytes = static_cast<int>(bytes);
    state.variable.relocations.push_back(std::move(relocation));
    return true;
  }
  Constant constant;
  if (!parse_constant(constant)) return false;
  if (cursor_.peek() == '(') return parse_masked_symbol(state, offset, constant.bits);
  if (is_float(state.variable.type) && constant.is_float && constant.is_single != (bytes == 4)) {
    // A decimal literal is a double until it meets a float variable.
    constant.bits =
        bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(constant.bits)))
                   : std::bit_cast<std::uint64_t>(static_cast<double>(
                         std::bit_cast<float>(static_cast<std::uint32_t>(constant.bits))));
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    initial[offset + i] = i < 8 ? static_cast<std::uint8_t>(constant.bits >> (8 * i)) : std::uint8_t{0};
  }
  return true;
}

// symbol, symbol+4, generic(symbol)+4, generic(symbol+4)
bool Parser::parse_symbol_with_offset(Relocation& out) {
  const int column = (cursor_.peek(), cursor_.column());
  const int line = cursor_.line();
  std::string_view name = cursor_.word();
  if (name.empty()) return expected("symbol");
  std::int64_t inner = 0;
  if (name == "generic" && cursor_.accept('(')) {
    out.generic = true;
    name = cursor_.word();
    if (name.empty()) return expected("symbol");
    if (!parse_offset(inner) || !expect(')', "generic")) return false;
  }
  if (!parse_offset(out.addend)) return false;
  out.addend =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(out.addend) + static_cast<std::uint64_t>(inner));
  out.symbol = std::string(name);
  pending_symbols_.push_back({out.symbol, line, column});
  return true;
}

// 0xFF00(symbol): the second byte of an address.
bool Parser::parse_masked_symbol(Initialiser& state, std::uint64_t position, std::uint64_t mask) {
  const int shift = std::countr_zero(mask);
  if (mask == 0 || shift % 8 != 0 || mask >> shift != 0xff || state.variable.initial.size() <= position) {
    return fail("symbol_mask");
  }
  Initialiser::MaskedByte byte;
  byte.position = position;
  byte.shift = shift;
  if (!expect('(', "symbol") || !parse_symbol_with_offset(byte.symbol)) return false;
  state.masked.push_back(std::move(byte));
  return expect(')', "symbol_end");
}

bool Parser::finish_masks(Initialiser& state) {
  for (std::size_t i = 0; i < state.masked.size();) {
    const Initialiser::MaskedByte& first = state.masked[i];
    std::size_t n = 0;
    while (i + n < state.masked.size() && n < 8) {
      const Initialiser::MaskedByte& next = state.masked[i + n];
      const bool continues = next.position == first.position + n && next.shift == static_cast<int>(8 * n) &&
                             next.symbol.symbol == first.symbol.symbol &&
                             next.symbol.addend == first.symbol.addend;
      if (!continues) break;
      ++n;
    }
    if (n != 8 && n != 4) return fail("symbol_bytes");
    Relocation whole = first.symbol;
    whole.offset = first.position;
    whole.bytes = static_cast<int>(n);
    state.variable.relocations.push_back(std::move(whole));
    i += n;
  }
  return true;
}

}  // namespace warplens::ptx
