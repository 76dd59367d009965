#include <charconv>

#include "engine/ptx/syntax/parser_state.h"

namespace warplens::ptx {

void Parser::open_scope() {
  scopes_.emplace_back();
  scopes_.back().first_label_use = label_uses_.size();
}

void Parser::close_scope() {
  resolve_labels();
  for (const auto& [name, entry] : scopes_.back().names) {
    if (entry.kind != Scope::Entry::Kind::Local) continue;
    if (function_.locals[entry.index].space == StateSpace::Param)
      free_parameters_[name].push_back(entry.index);
  }
  scopes_.pop_back();
}

// Settles the labels that this scope declares; what is left is for the scope around it.
void Parser::resolve_labels() {
  const Scope& scope = scopes_.back();
  std::size_t kept = scope.first_label_use;
  for (std::size_t i = scope.first_label_use; i < label_uses_.size(); ++i) {
    LabelUse& use = label_uses_[i];
    const auto found = scope.labels.find(use.name);
    if (found == scope.labels.end()) {
      if (kept != i) label_uses_[kept] = std::move(use);
      ++kept;
    } else if (!use.list.empty()) {
      function_.target_lists[use.list][use.operand] = found->second;
    } else {
      Operand& operand = function_.instructions[use.instruction].operands[use.operand];
      operand.symbol = found->second;
      operand.value = function_.labels[found->second];
    }
  }
  label_uses_.resize(kept);
}

bool Parser::declare_label(std::string_view name) {
  Scope& scope = scopes_.back();
  if (scope.labels.contains(name)) return fail("label_twice", {{"name", value_of(std::string(name))}});
  std::string unique(name);
  const auto position = static_cast<std::uint32_t>(function_.instructions.size());
  while (!function_.labels.emplace(unique, position).second) {
    unique = std::string(name) + "$" + std::to_string(++rename_counts_[name]);
  }
  scope.labels.emplace(name, std::move(unique));
  return true;
}

std::string Parser::list_name(std::string_view written) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->names.find(written);
    if (found != scope->names.end() && found->second.kind == Scope::Entry::Kind::List) {
      return list_names_[found->second.index];
    }
  }
  return std::string(written);
}

bool Parser::is_declared_here(std::string_view name) const {
  return scopes_.back().names.contains(name);
}

bool Parser::declare_register(std::string_view name, Type type) {
  if (is_declared_here(name)) return fail("twice", {{"name", value_of(std::string(name))}});
  scopes_.back().names.emplace(name, Scope::Entry{Scope::Entry::Kind::Register, type, kNone});
  return true;
}

bool Parser::declare_range(std::string_view prefix, Type type, std::uint32_t count) {
  if (scopes_.back().ranges.contains(prefix)) {
    return fail("twice", {{"name", value_of(std::string(prefix) + "<...>")}});
  }
  scopes_.back().ranges.emplace(prefix, Scope::Range{type, count, ranges_made_++});
  return true;
}

bool Parser::declare_list(std::string_view name, std::string& unique) {
  if (is_declared_here(name)) return fail("twice", {{"name", value_of(std::string(name))}});
  unique = unique_name(name);
  const auto index = static_cast<std::uint32_t>(list_names_.size());
  list_names_.push_back(unique);
  scopes_.back().names.emplace(name, Scope::Entry{Scope::Entry::Kind::List, Type::None, index});
  return true;
}

bool Parser::declare_local(std::string_view written, Variable variable) {
  if (is_declared_here(written)) return fail("twice", {{"name", value_of(std::string(written))}});
  std::uint32_t index = take_free_parameter(written, variable);
  if (index == kNone) {
    variable.name = unique_name(written);
    index = static_cast<std::uint32_t>(function_.locals.size());
    function_.locals.push_back(std::move(variable));
  }
  scopes_.back().names.emplace(written, Scope::Entry{Scope::Entry::Kind::Local, Type::None, index});
  return true;
}

// Every call declares param0, param1, ... in a scope of its own; the scopes do not overlap, so one variable
// serves them all.
std::uint32_t Parser::take_free_parameter(std::string_view written, const Variable& variable) {
  if (variable.space != StateSpace::Param) return kNone;
  const auto found = free_parameters_.find(written);
  if (found == free_parameters_.end()) return kNone;
  std::vector<std::uint32_t>& free = found->second;
  for (std::size_t i = free.size(); i-- > 0 && free.size() - i <= 8;) {
    const Variable& candidate = function_.locals[free[i]];
    if (candidate.type != variable.type || candidate.count != variable.count ||
        candidate.alignment != variable.alignment || candidate.vector_width != variable.vector_width ||
        candidate.is_array != variable.is_array) {
      continue;
    }
    const std::uint32_t index = free[i];
    free.erase(free.begin() + static_cast<std::ptrdiff_t>(i));
    return index;
  }
  return kNone;
}

std::string Parser::unique_name(std::string_view name) {
  std::string made(name);
  if (used_names_.insert(made).second) return made;
  std::uint32_t& count = rename_counts_[name];
  do {
    made = std::string(name) + "$" + std::to_string(++count);
  } while (!used_names_.insert(made).second);
  return made;
}

RegisterId Parser::make_register(std::string_view name, Type type) {
  function_.registers.push_back({unique_name(name), type});
  return static_cast<RegisterId>(function_.registers.size() - 1);
}

bool Parser::find_in_range(Scope& scope, std::string_view name, RegisterId& out) {
  if (scope.ranges.empty()) return false;
  std::size_t digits = name.size();
  while (digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  // "%a12" may be number 12 of %a<> or number 2 of %a1<>.
  for (std::size_t split = digits; split < name.size(); ++split) {
    if (name.size() - split > 10) continue;
    if (name[split] == '0' && split + 1 < name.size()) continue;  // %r01 is not %r1
    const auto found = scope.ranges.find(name.substr(0, split));
    if (found == scope.ranges.end()) continue;
    std::uint32_t number = 0;
    const auto read = std::from_chars(name.data() + split, name.data() + name.size(), number);
    if (read.ec != std::errc{} || number >= found->second.count) continue;
    const std::uint64_t key = std::uint64_t{found->second.serial} << 32 | number;
    const auto [entry, is_new] = range_registers_.try_emplace(key, kNone);
    if (is_new) entry->second = make_register(name, found->second.type);
    out = entry->second;
    return true;
  }
  return false;
}

bool Parser::find_register(std::string_view name, RegisterId& out) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) {
      Scope::Entry& entry = found->second;
      if (entry.kind != Scope::Entry::Kind::Register) return false;
      if (entry.index == kNone) entry.index = make_register(name, entry.type);
      out = entry.index;
      return true;
    }
    if (find_in_range(*scope, name, out)) return true;
  }
  return false;
}

bool Parser::find_local(std::string_view name, std::string& out) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->names.find(name);
    if (found == scope->names.end()) continue;
    if (found->second.kind == Scope::Entry::Kind::Local) {
      out = function_.locals[found->second.index].name;
      return true;
    }
    if (found->second.kind == Scope::Entry::Kind::Parameter) return out = name, true;
    return false;
  }
  return false;
}

}  // namespace warplens::ptx
