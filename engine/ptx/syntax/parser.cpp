#include "engine/ptx/syntax/parser.h"

#include <charconv>
#include <utility>

#include "engine/ptx/syntax/parser_state.h"

namespace warplens::ptx {

Result<Module> parse(std::string_view text, const ParseOptions& options) {
  if (text.size() > options.max_bytes) {
    return told(ErrorKind::Compile,
                {"ptx.too_large", {{"bytes", value_of(text.size())}, {"most", value_of(options.max_bytes)}}},
                {options.file, 0, 0});
  }
  return Parser(text, options).run();
}

Result<Module> Parser::run() {
  module_.files.emplace_back();
  if (!parse_module() || !finish_module()) return std::move(error_);
  return std::move(module_);
}

bool Parser::fail(const char* key, Values values) {
  cursor_.peek();
  return fail_at(cursor_.line(), cursor_.column(), {std::string("ptx.") + key, std::move(values)});
}

bool Parser::fail_at(int line, int column, Message message) {
  if (failed_) return false;
  failed_ = true;
  error_ = told(ErrorKind::Compile, std::move(message), {options_.file, line, column});
  return false;
}

bool Parser::expected(const char* key) {
  return expected_message({std::string("ptx.what.") + key, {}});
}

bool Parser::expect(char c, const char* where) {
  if (cursor_.accept(c)) return true;
  return expected_message({"ptx.character",
                           {{"character", value_of(std::string(1, c))},
                            {"where", value_of(Key{std::string("ptx.where.") + where})}}});
}

bool Parser::expected_message(Message what) {
  const std::string found(cursor_.glimpse());
  if (found.empty()) return fail("expected_end", {{"what", value_of(std::move(what))}});
  return fail("expected", {{"what", value_of(std::move(what))}, {"found", value_of(found)}});
}

bool Parser::parse_module() {
  if (cursor_.accept("\xef\xbb\xbf") && cursor_.at_end()) return expected("version");
  while (!cursor_.at_end()) {
    if (!parse_statement()) return false;
  }
  if (module_.version_major == 0) return fail("no_ptx");
  return true;
}

bool Parser::parse_statement() {
  if (cursor_.accept(';')) return true;
  if (cursor_.accept("@@")) return cursor_.skip_line(), true;  // DWARF of very old compilers
  Linkage linkage;
  const int column = (cursor_.peek(), cursor_.column());
  const int line = cursor_.line();
  std::string_view word = cursor_.directive();
  while (word == ".visible" || word == ".extern" || word == ".weak" || word == ".common") {
    linkage.is_visible |= word == ".visible";
    linkage.is_extern |= word == ".extern";
    linkage.is_weak |= word == ".weak" || word == ".common";
    word = cursor_.directive();
  }
  if (word.empty()) return expected("directive");
  if (word == ".version") return parse_version();
  if (module_.version_major == 0) {
    return fail_at(line, column,
                   {"ptx.version_first", {{"found", value_of(std::string(word.substr(0, 32)))}}});
  }
  if (word == ".target") return parse_target();
  if (word == ".entry" || word == ".func") return parse_function(linkage, word == ".entry");
  if (word == ".file") return parse_file();
  if (word == ".section") return parse_section();
  if (word == ".alias") return parse_alias();
  if (word == ".loc") return cursor_.skip_line(), true;
  if (word == ".address_size") {
    std::uint64_t bits = 0;
    if (!parse_unsigned(bits, 64, "address_size")) return false;
    if (bits != 32 && bits != 64) return fail("address_size");
    module_.address_size = static_cast<int>(bits);
    return true;
  }
  if (word == ".pragma") {
    std::string ignored;
    return parse_pragma(ignored);
  }
  const auto space = space_from_name(word.substr(1));
  if (space && (*space == StateSpace::Global || *space == StateSpace::Const || *space == StateSpace::Shared ||
                *space == StateSpace::Tex || *space == StateSpace::Local)) {
    return parse_variables(linkage, *space);
  }
  return fail_at(line, column,
                 {"ptx.module_directive", {{"found", value_of(std::string(word.substr(0, 32)))}}});
}

bool Parser::parse_version() {
  const std::string_view text = cursor_.number();
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot > 3 || text.size() - dot > 3) {
    return fail("version");
  }
  const auto digits = [](std::string_view part) {
    int value = 0;
    for (const char c : part) value = c >= '0' && c <= '9' && value >= 0 ? value * 10 + (c - '0') : -1000;
    return value;
  };
  module_.version_major = digits(text.substr(0, dot));
  module_.version_minor = digits(text.substr(dot + 1));
  if (module_.version_major <= 0 || module_.version_minor < 0) {
    return fail("version");
  }
  return true;
}

bool Parser::parse_target() {
  const std::string_view target = cursor_.word();
  if (target.empty()) return expected("target");
  module_.target = std::string(target);
  while (cursor_.accept(',')) {
    const std::string_view option = cursor_.word();
    if (option.empty()) return expected("target_option");
    module_.target_options.emplace_back(option);
  }
  return true;
}

// .file 1 "name"  or  .file 1 "name", timestamp, size
bool Parser::parse_file() {
  std::uint64_t number = 0, ignored = 0;
  std::string_view name;
  if (!parse_unsigned(number, kMaxFileNumber, "file_number")) return false;
  if (!cursor_.quoted(name)) return expected("file_name");
  while (cursor_.accept(',')) {
    if (!parse_unsigned(ignored, ~std::uint64_t{0}, "time_or_size")) return false;
  }
  if (module_.files.size() <= number) module_.files.resize(number + 1);
  module_.files[number] = std::string(name);
  return true;
}

// DWARF is skipped, but for the strings that name inlined functions.
bool Parser::parse_section() {
  std::string_view name = cursor_.directive();
  if (name.empty()) name = cursor_.word();
  if (name.empty()) return expected("section_name");
  if (!expect('{', "section")) return false;
  if (name == ".debug_str") return parse_debug_strings();
  return cursor_.skip_braces() || fail("section_end", {{"name", value_of(std::string(name))}});
}

bool Parser::parse_debug_strings() {
  while (!cursor_.accept('}')) {
    const std::string_view label = cursor_.word();
    if (!label.empty()) {
      debug_labels_.emplace(label, debug_strings_.size());
      if (!expect(':', "label")) return false;
      continue;
    }
    if (cursor_.directive() != ".b8") return expected("debug_string");
    do {
      Constant byte;
      if (!parse_constant(byte)) return false;
      debug_strings_ += static_cast<char>(static_cast<unsigned char>(byte.bits & 0xff));
    } while (cursor_.accept(','));
    cursor_.accept(';');
  }
  return true;
}

// .alias name, function;
bool Parser::parse_alias() {
  const std::string_view name = cursor_.word();
  if (name.empty() || !cursor_.accept(',')) return expected("alias");
  const std::string_view target = cursor_.word();
  if (target.empty()) return expected("aliased");
  module_.aliases[std::string(name)] = std::string(target);
  return expect(';', "alias");
}

bool Parser::add_module_variable(Variable variable) {
  const auto [entry, is_new] =
      variable_index_.try_emplace(variable.name, static_cast<std::uint32_t>(module_.variables.size()));
  if (is_new) {
    module_.variables.push_back(std::move(variable));
    return true;
  }
  Variable& existing = module_.variables[entry->second];
  if (!existing.is_extern && !variable.is_extern)
    return fail("defined_twice", {{"name", value_of(variable.name)}});
  if (existing.is_extern) existing = std::move(variable);  // the definition, or the declaration again
  return true;
}

bool Parser::known_symbol(const std::string& name) const {
  return variable_index_.contains(name) || function_index_.contains(name) || module_.aliases.contains(name);
}

bool Parser::check_symbols() {
  for (const SymbolUse& use : pending_symbols_) {
    if (known_symbol(use.name)) continue;
    return fail_at(use.line, use.column, {"ptx.no_symbol", {{"name", value_of(use.name.substr(0, 200))}}});
  }
  return true;
}

// .loc lines name inlined functions by a label into .debug_str, which stands at the end of the text.
void Parser::resolve_inlined_names() {
  // A hostile text could name one endless string from every line.
  constexpr std::size_t kLongestName = 4096;
  const std::string_view strings = debug_strings_;
  for (Function& function : module_.functions) {
    for (SourceLine& line : function.source_lines) {
      if (line.function.empty()) continue;
      // label+offset: clang puts one label at the start of the section and counts from there.
      const std::size_t plus = line.function.find('+');
      const auto found = debug_labels_.find(std::string_view(line.function).substr(0, plus));
      if (found == debug_labels_.end()) continue;
      std::size_t skip = 0;
      if (plus != std::string::npos) {
        const char* const end = line.function.data() + line.function.size();
        if (std::from_chars(line.function.data() + plus + 1, end, skip).ec != std::errc{}) continue;
      }
      if (skip >= strings.size() || found->second + skip >= strings.size()) continue;
      const std::string_view rest = strings.substr(found->second + skip, kLongestName);
      line.function = std::string(rest.substr(0, rest.find('\0')));
    }
  }
}

bool Parser::finish_module() {
  if (!check_symbols()) return false;
  std::erase_if(module_.functions, [](const Function& function) { return function.name.empty(); });
  resolve_inlined_names();
  return true;
}

}  // namespace warplens::ptx
