#include "engine/source/host_program.h"

#include <algorithm>
#include <array>
#include <set>

#include "engine/base/work_limit.h"

namespace warplens::source {
namespace {

// Template arguments and the like: a '<' that nothing closes within so many tokens is a comparison.
constexpr std::size_t kAngleReach = 300;
constexpr int kDeepestScope = 60;  // of namespaces and structures in each other

class Reader {
 public:
  explicit Reader(HostProgram& program) : p_(program), t_(program.text.tokens) {}

  void scope(TokenRange range, const std::string& prefix, int depth) {
    std::size_t i = range.first;
    while (i < range.last) {
      work_step();
      const std::size_t next = declaration(i, range.last, prefix, depth);
      i = std::max(next, i + 1);
    }
  }

  std::shared_ptr<HostStructure> structure(std::size_t first, std::size_t last, std::size_t& end);

  // The function whose parameter list opens at `open`; `first` begins the declaration.
  HostFunction function(std::size_t first, std::size_t open, std::size_t last,
                        std::vector<TemplateParameter> templates) const;
  // The '(' of the parameter list of a declaration, or `last`. `stop` is where its head ends.
  std::size_t parameter_list(std::size_t first, std::size_t last, std::size_t& stop) const;
  std::size_t after_function(HostFunction& function, std::size_t close, std::size_t last) const;

 private:
  bool is(std::size_t i, std::string_view text) const { return i < t_.size() && t_[i].is(text); }
  bool is_name(std::size_t i) const { return i < t_.size() && t_[i].kind == TokenKind::Identifier; }
  std::size_t closing(std::size_t i, std::size_t last) const { return std::min(p_.match[i], last); }
  std::size_t after_semicolon(std::size_t i, std::size_t last) const {
    for (; i < last && !is(i, ";"); ++i) {
      work_step();
      if (is(i, "(") || is(i, "{") || is(i, "[")) i = closing(i, last - 1);
    }
    return std::min(i + 1, last);
  }

  std::size_t declaration(std::size_t i, std::size_t last, const std::string& prefix, int depth);
  std::size_t templated(std::size_t i, std::size_t last, const std::string& prefix);
  std::size_t other(std::size_t i, std::size_t last, const std::string& prefix,
                    std::vector<TemplateParameter> templates, bool explicit_instance);
  std::size_t enumeration(std::size_t i, std::size_t last);
  std::size_t read_structure_head(std::size_t first, std::size_t last, HostStructure& made) const;
  void read_fields(TokenRange range, std::vector<HostField>& fields) const;
  std::size_t alias(std::size_t i, std::size_t last, std::vector<TemplateParameter> templates);
  bool is_prototype(std::size_t open, std::size_t close) const;
  void remember(HostFunction function, const std::string& prefix);

  struct Nesting {
    explicit Nesting(int& depth) : d(depth) { ++d; }
    ~Nesting() { --d; }
    int& d;
  };

  HostProgram& p_;
  const std::vector<Token>& t_;
  int nesting_ = 0;
};

std::size_t Reader::declaration(std::size_t i, std::size_t last, const std::string& prefix, int depth) {
  if (is(i, ";") || is(i, "}")) return i + 1;
  if (is(i, "inline") && is(i + 1, "namespace")) ++i;
  if (is(i, "namespace")) {
    std::size_t open = i + 1;
    std::string name = prefix;
    for (; open < last && !is(open, "{") && !is(open, ";") && !is(open, "="); ++open)
      if (is_name(open)) name += std::string(t_[open].text) + "::";
    if (!is(open, "{")) return after_semicolon(open, last);
    const std::size_t close = closing(open, last);
    if (depth < kDeepestScope) scope({open + 1, close}, name, depth + 1);
    return close + 1;
  }
  if (is(i, "extern") && i + 2 < last && t_[i + 1].kind == TokenKind::String) {
    if (!is(i + 2, "{")) return i + 2;
    const std::size_t close = closing(i + 2, last);
    if (depth < kDeepestScope) scope({i + 3, close}, prefix, depth + 1);
    return close + 1;
  }
  if (is(i, "template") && is(i + 1, "<")) return templated(i, last, prefix);
  if (is(i, "template")) return other(i + 1, last, prefix, {}, true);
  return other(i, last, prefix, {}, false);
}

std::size_t Reader::templated(std::size_t i, std::size_t last, const std::string& prefix) {
  const std::size_t end = after_angles(p_, i + 1, last);
  if (end >= last) return i + 1;
  std::vector<TemplateParameter> templates = read_template_parameters(p_, {i + 2, end - 1});
  const bool specialization = templates.empty();
  // Of a member of a template: what stands after it begins anew.
  if (is(end, "template")) return end;
  return other(end, last, prefix, std::move(templates), specialization);
}

std::size_t Reader::alias(std::size_t i, std::size_t last, std::vector<TemplateParameter> templates) {
  const std::size_t end = after_semicolon(i, last);
  if (end < i + 3) return end;
  if (is(i, "using") && is_name(i + 1) && is(i + 2, "=")) {
    const std::string name(t_[i + 1].text);
    p_.aliases[name] = {i + 3, end - 1};
    if (!templates.empty()) p_.alias_templates[name] = std::move(templates);
  } else if (is(i, "typedef")) {
    if (is(i + 1, "struct") || is(i + 1, "union") || is(i + 1, "enum")) {
      std::size_t after = i + 1;
      if (is(i + 1, "enum")) {
        for (after = i + 1; after < end && !is(after, "{"); ++after) {
        }
        if (after < end) enumeration(i + 1, after + 1), after = closing(after, end) + 1;
      } else if (auto made = structure(i + 1, end, after)) {
        if (made->name.empty() && is_name(after)) made->name = t_[after].text;
        if (is_name(after)) p_.structures[std::string(t_[after].text)] = made;
        if (!made->name.empty()) p_.structures[made->name] = made;
      }
      if (is_name(end - 2) && !p_.structures.contains(t_[end - 2].text) && end > i + 4)
        p_.aliases[std::string(t_[end - 2].text)] = {i + 1, end - 2};
    } else if (is_name(end - 2)) {
      p_.aliases[std::string(t_[end - 2].text)] = {i + 1, end - 2};
    }
  }
  return end;
}

std::size_t Reader::enumeration(std::size_t i, std::size_t last) {
  std::size_t open = i;
  while (open < last && !is(open, "{") && !is(open, ";")) ++open;
  if (!is(open, "{")) return open + 1;
  const std::size_t close = std::min(p_.match[open], t_.size());
  for (const TokenRange part : split_at_commas(p_, {open + 1, close}, false)) {
    if (part.empty() || !is_name(part.first)) continue;
    const bool given = is(part.first + 1, "=");
    p_.enumerators[std::string(t_[part.first].text)] =
        given ? TokenRange{part.first + 2, part.last} : TokenRange{};
  }
  return close + 1;
}

std::size_t Reader::parameter_list(std::size_t first, std::size_t last, std::size_t& stop) const {
  std::size_t open = last;
  std::size_t i = first;
  for (; i < last; ++i) {
    work_step();
    if (is(i, ";") || is(i, "{") || is(i, "=")) break;
    if (is(i, "[")) {
      i = closing(i, last - 1);
    } else if (is(i, "(")) {
      const bool call = i > first && (is_name(i - 1) || is(i - 1, ">")) && !is_attribute(t_[i - 1].text);
      if (call && open == last) open = i;
      i = closing(i, last - 1);
    } else if (is(i, "operator")) {
      while (i + 1 < last && !is(i + 1, "(")) ++i;
      if (is(i + 1, "(") && is(i + 2, ")")) i += 2;
      if (is(i + 1, "(") && open == last) open = ++i, i = closing(i, last - 1);
    } else if (is(i, ":") && open < last) {
      break;  // a constructor's initialisers
    }
  }
  stop = i;
  return open;
}

HostFunction Reader::function(std::size_t first, std::size_t open, std::size_t last,
                              std::vector<TemplateParameter> templates) const {
  HostFunction f;
  f.templates = std::move(templates);
  std::size_t name = open - 1;
  if (is(name, ">")) {  // fill<float>(
    std::size_t angle = name;
    while (angle > first && !is(angle, "<")) --angle;
    f.instance = p_.source_of({angle, open});
    name = angle > first ? angle - 1 : first;
  }
  f.name = t_[name].text;
  f.line = t_[name].line;
  f.in_main_file = p_.text.in_main_file[name];
  f.result = {first, name};
  for (std::size_t i = first; i < name; ++i) {
    f.is_kernel |= is(i, "__global__");
    f.is_device_only |= is(i, "__device__");
  }
  for (std::size_t i = first; i < name; ++i)
    if (is(i, "__host__")) f.is_device_only = false;
  f.parameters = read_parameters(p_, {open + 1, closing(open, last)});
  return f;
}

std::size_t Reader::after_function(HostFunction& f, std::size_t close, std::size_t last) const {
  std::size_t i = close + 1;
  for (; i < last && !is(i, "{") && !is(i, ";"); ++i) {
    work_step();
    if (is(i, "=")) return after_semicolon(i, last);
    if (is(i, "(")) i = closing(i, last - 1);
    if (!is(i, ":")) continue;
    const std::size_t begin = ++i;
    while (i < last && is_name(i)) {  // name(...) or name{...}, and commas between
      if (is(i + 1, "<")) i = after_angles(p_, i + 1, last) - 1;
      if (!is(i + 1, "(") && !is(i + 1, "{")) break;
      i = closing(i + 1, last - 1) + 1;
      if (is(i, ",")) ++i;
    }
    f.initials = {begin, i};
    if (is(i, "{")) break;
  }
  if (!is(i, "{")) return std::min(i + 1, last);
  const std::size_t end = closing(i, last);
  f.body = {i + 1, end};
  return end + 1;
}

void Reader::remember(HostFunction f, const std::string& prefix) {
  f.scope = prefix;
  if (f.is_kernel) {
    p_.kernels.push_back(std::move(f));
  } else {
    std::string name = f.name;
    p_.functions.emplace(std::move(name), std::move(f));
  }
}

// void run(int n);  but not  Type name(value);
bool Reader::is_prototype(std::size_t open, std::size_t close) const {
  static const std::set<std::string_view> kTypes = {"int",    "unsigned", "float", "double",      "char",
                                                    "const",  "long",     "short", "bool",        "size_t",
                                                    "struct", "void",     "dim3",  "cudaStream_t"};
  const std::size_t first = open + 1;
  if (first >= close) return true;
  if (!is_name(first)) return false;
  return kTypes.contains(t_[first].text) || is_name(first + 1) || is(first + 1, "*") || is(first + 1, "&") ||
         is(first + 1, "<") || is(first + 1, "::");
}

// A function, a structure, an alias, an enumeration or a variable.
std::size_t Reader::other(std::size_t i, std::size_t last, const std::string& prefix,
                          std::vector<TemplateParameter> templates, bool explicit_instance) {
  if (is(i, "using") || is(i, "typedef")) return alias(i, last, std::move(templates));
  if (is(i, "enum")) return enumeration(i, last);
  if (is(i, "static_assert") || is(i, "friend")) return after_semicolon(i, last);
  std::size_t stop = i;
  const std::size_t open = parameter_list(i, last, stop);
  std::size_t word = i;
  while (is(word, "static") || is(word, "const") || is(word, "constexpr") || is(word, "inline") ||
         is(word, "__device__") || is(word, "__constant__") || is(word, "__managed__"))
    ++word;
  const bool type = is(word, "struct") || is(word, "class") || is(word, "union");
  if (type && is(stop, "{") && open == last) {
    std::size_t end = stop;
    auto made = structure(word, last, end);
    if (made) {
      made->templates = std::move(templates);
      if (!made->name.empty() && !(explicit_instance && p_.structures.contains(made->name)))
        p_.structures[made->name] = made;
    }
    const std::size_t done = after_semicolon(end, last);
    if (is_name(end)) p_.globals.push_back({word, done});
    return done;
  }
  if (open < last && (is(stop, "{") || is(stop, ";") || is(stop, ":"))) {
    const std::size_t close = closing(open, last);
    HostFunction f = function(i, open, last, std::move(templates));
    f.is_explicit_instance = explicit_instance;
    const bool has_result = f.result.first < f.result.last;
    const std::size_t end = after_function(f, close, last);
    if (!f.body.empty() || f.is_kernel) {
      remember(std::move(f), prefix);
    } else if (has_result && !is_prototype(open, close)) {
      p_.globals.push_back({i, end});
    }
    return end;
  }
  const std::size_t end = after_semicolon(i, last);
  if (templates.empty()) p_.globals.push_back({i, end});
  return end;
}

// int x, y[3] = {...}, *p;
void Reader::read_fields(TokenRange range, std::vector<HostField>& fields) const {
  std::size_t type_end = range.first;
  const auto parts = split_at_commas(p_, range, true);
  for (std::size_t n = 0; n < parts.size(); ++n) {
    HostField field;
    std::size_t name = parts[n].last;
    for (std::size_t j = parts[n].first; j < parts[n].last; ++j) {
      if (is(j, "[") || is(j, "=") || is(j, "{") || is(j, ":")) {
        if (is(j, "[")) field.extents = {j, parts[n].last};
        if (is(j, "=")) field.initial = {j + 1, parts[n].last};
        if (is(j, "{")) field.initial = {j, parts[n].last};
        break;
      }
      if (is(j, "<") && j > range.first) {
        const std::size_t past = after_angles(p_, j, parts[n].last);
        if (past <= parts[n].last && past > j) j = past - 1;
        continue;
      }
      if (is_name(j)) name = j;
    }
    if (name >= parts[n].last) continue;
    field.name = t_[name].text;
    if (n == 0) {
      type_end = name;
      while (type_end > range.first + 1 && is(type_end - 1, "*")) --type_end;
      field.type = {range.first, name};
    } else {
      field.type = {range.first, type_end};
      if (is(parts[n].first, "*")) field.type = {parts[0].first, type_end + 1};
    }
    fields.push_back(std::move(field));
  }
}

// Name and bases; the '{' or ';' behind them.
std::size_t Reader::read_structure_head(std::size_t first, std::size_t last, HostStructure& made) const {
  std::size_t open = first + 1;
  bool bases = false;
  for (; open < last && !is(open, "{"); ++open) {
    if (is(open, ";")) break;
    if (is(open, "(")) {
      open = closing(open, last - 1);
    } else if (is(open, ":")) {
      bases = true;
    } else if (is_name(open) && !bases && !is_attribute(t_[open].text) && !is(open, "final")) {
      made.name = t_[open].text;
    } else if (is_name(open) && bases && !is(open, "public") && !is(open, "private") &&
               !is(open, "protected") && !is(open, "virtual")) {
      made.bases.emplace_back(t_[open].text);
      if (is(open + 1, "<")) open = after_angles(p_, open + 1, last) - 1;
    } else if (is(open, "<")) {
      open = after_angles(p_, open, last) - 1;
    }
  }
  return open;
}

std::shared_ptr<HostStructure> Reader::structure(std::size_t first, std::size_t last, std::size_t& end) {
  auto made = std::make_shared<HostStructure>();
  made->is_union = is(first, "union");
  const std::size_t open = read_structure_head(first, last, *made);
  if (is(open, ";")) return end = open, nullptr;
  if (open >= last) return end = last, nullptr;
  const std::size_t close = closing(open, last);
  end = std::min(close + 1, last);
  const Nesting nesting(nesting_);
  if (nesting_ > kDeepestScope) return nullptr;
  std::size_t i = open + 1;
  while (i < close) {
    work_step();
    if (is(i, ";") || is(i, "}")) {
      ++i;
      continue;
    }
    if (is(i + 1, ":") && (is(i, "public") || is(i, "private") || is(i, "protected"))) {
      i += 2;
      continue;
    }
    if (is(i, "using") || is(i, "typedef")) {
      i = alias(i, close, {});
      continue;
    }
    if (is(i, "enum")) {
      i = enumeration(i, close);
      continue;
    }
    std::vector<TemplateParameter> templates;
    if (is(i, "template") && is(i + 1, "<")) {
      const std::size_t after = after_angles(p_, i + 1, close);
      templates = read_template_parameters(p_, {i + 2, after - 1});
      i = after;
    }
    std::size_t stop = i;
    const std::size_t list = parameter_list(i, close, stop);
    if ((is(i, "struct") || is(i, "union") || is(i, "class")) && is(stop, "{") && list == close) {
      std::size_t inner_end = stop;
      auto inner = structure(i, close, inner_end);
      if (inner && !inner->name.empty()) p_.structures[inner->name] = inner;
      // An anonymous union or struct: its members are members of this one.
      if (inner && inner->name.empty() && is(inner_end, ";"))
        made->fields.insert(made->fields.end(), inner->fields.begin(), inner->fields.end());
      i = after_semicolon(inner_end, close);
      continue;
    }
    if (list < close) {
      HostFunction f = function(i, list, close, std::move(templates));
      i = after_function(f, closing(list, close), close);
      if (f.name == made->name &&
          is(f.result.last > f.result.first ? f.result.last - 1 : f.result.first, "~"))
        continue;
      std::string name = f.name;
      if (!f.body.empty() || !f.initials.empty()) made->methods.emplace(std::move(name), std::move(f));
      continue;
    }
    const std::size_t after = after_semicolon(i, close);
    if (is(i, "static") && !is(i + 1, "constexpr") && !is(i + 1, "const")) {
      i = after;
      continue;
    }
    read_fields({i, after - 1}, made->fields);
    i = after;
  }
  return made;
}

}  // namespace

std::size_t after_angles(const HostProgram& program, std::size_t open, std::size_t last) {
  const auto& t = program.tokens();
  const std::size_t reach = std::min(last, open + kAngleReach);
  int depth = 0;
  for (std::size_t i = open; i < reach; ++i) {
    const Token& token = t[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      i = std::min(program.match[i], reach);
      continue;
    }
    if (token.is(";") || token.is("}") || token.is(")") || token.is("&&") || token.is("||")) return last;
    if (token.is("<")) ++depth;
    for (const std::string_view closer : {">", ">>", ">>>"})
      if (token.is(closer)) depth -= static_cast<int>(closer.size());
    if (depth <= 0) return i + 1;
  }
  return last;
}

std::vector<TokenRange> split_at_commas(const HostProgram& program, TokenRange range, bool angles) {
  std::vector<TokenRange> parts;
  std::size_t begin = range.first;
  for (std::size_t i = range.first; i < range.last; ++i) {
    work_step();
    const Token& token = program.tokens()[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      i = std::min(program.match[i], range.last - 1);
    } else if (angles && token.is("<")) {
      const std::size_t after = after_angles(program, i, range.last);
      if (after > i && (after < range.last || program.tokens()[range.last - 1].is(">"))) i = after - 1;
    } else if (token.is(",")) {
      parts.push_back({begin, i});
      begin = i + 1;
    }
  }
  if (begin < range.last || !parts.empty()) parts.push_back({begin, range.last});
  return parts;
}

std::vector<TemplateParameter> read_template_parameters(const HostProgram& program, TokenRange range) {
  std::vector<TemplateParameter> out;
  const auto& t = program.tokens();
  for (const TokenRange part : split_at_commas(program, range, true)) {
    if (part.empty()) continue;
    TemplateParameter parameter;
    parameter.is_type = t[part.first].is("typename") || t[part.first].is("class");
    std::size_t end = part.first;
    while (end < part.last && !t[end].is("=")) parameter.is_pack |= t[end++].is(".");
    if (end < part.last) parameter.default_value = {end + 1, part.last};
    if (end > part.first && t[end - 1].kind == TokenKind::Identifier) parameter.name = t[end - 1].text;
    out.push_back(std::move(parameter));
  }
  return out;
}

std::vector<HostParameter> read_parameters(const HostProgram& program, TokenRange range) {
  std::vector<HostParameter> out;
  const auto& t = program.tokens();
  const auto parts = split_at_commas(program, range, true);
  if (parts.size() == 1 && parts[0].last == parts[0].first + 1 && t[parts[0].first].is("void")) return out;
  for (const TokenRange part : parts) {
    HostParameter parameter;
    std::size_t end = part.first;
    while (end < part.last && !t[end].is("=")) ++end;
    if (end < part.last) parameter.default_value = {end + 1, part.last};
    // float (&rows)[4], void (*f)(int): the name stands inside the first bracket after a '*' or '&'.
    std::size_t name = part.last;
    for (std::size_t i = part.first; i < end; ++i) {
      if (t[i].is("(") && i + 2 < end && (t[i + 1].is("*") || t[i + 1].is("&"))) {
        name = i + 2;
        break;
      }
      if (t[i].is("[")) break;
      if (t[i].is("<")) {
        i = std::max(after_angles(program, i, end), i + 1) - 1;
        continue;
      }
      if (t[i].is("(")) {
        i = std::min(program.match[i], end);
        continue;
      }
      if (t[i].kind == TokenKind::Identifier && i > part.first) name = i;
      parameter.by_reference |= t[i].is("&") || t[i].is("&&");
    }
    static const std::set<std::string_view> kTypeWords = {
        "int", "unsigned", "float", "double", "char", "const", "long", "short", "bool", "__restrict__"};
    if (name < part.last && !kTypeWords.contains(t[name].text)) {
      parameter.name = t[name].text;
      parameter.type = {part.first, name};
    } else {
      parameter.type = {part.first, end};
    }
    // float a[] is a pointer.
    if (name + 1 < end && t[name + 1].is("[")) parameter.type.last = name;
    out.push_back(std::move(parameter));
  }
  return out;
}

const HostFunction* HostProgram::kernel(std::string_view name) const {
  const HostFunction* found = nullptr;
  for (const HostFunction& k : kernels) {
    if (k.name != name || k.is_explicit_instance) continue;
    if (found == nullptr || (found->body.empty() && !k.body.empty())) found = &k;
  }
  return found;
}

std::string HostProgram::source_of(TokenRange range) const {
  std::string out;
  const auto is_word = [](const Token& t) {
    return t.kind == TokenKind::Identifier || t.kind == TokenKind::Number;
  };
  constexpr std::size_t kLongest = 400;
  for (std::size_t i = range.first; i < range.last && i < tokens().size() && out.size() < kLongest; ++i) {
    const Token& token = tokens()[i];
    if (i > range.first) {
      const Token& before = tokens()[i - 1];
      const bool apart = is_word(token) && is_word(before);
      const bool written = before.end() < token.begin && before.begin < token.begin &&
                           token.begin - before.end() < 3 && token.line == before.line;
      if (apart || written) out += ' ';
    }
    out += token.text;
  }
  return out;
}

std::shared_ptr<HostStructure> read_structure(HostProgram& program, std::size_t first, std::size_t last,
                                              std::size_t& end) {
  return Reader(program).structure(first, last, end);
}

HostProgram read_host_program(SourceTree tree,
                              const std::vector<std::pair<std::string, std::string>>& defines) {
  HostProgram program;
  program.tree = std::make_shared<const SourceTree>(std::move(tree));
  program.text = preprocess(*program.tree, defines);
  program.match = match_brackets(program.tokens());
  Reader(program).scope({0, program.tokens().size()}, "", 0);
  return program;
}

}  // namespace warplens::source
