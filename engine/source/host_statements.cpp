// HostMachine: statements and declarations.
#include <algorithm>

#include "engine/source/host_machine.h"
#include "engine/source/lexer.h"

namespace warplens::source {
namespace {

constexpr int kDeepestStatement = 150;
// What one loop may take before it is left: enough to count powers of two or the levels of a tree, not to
// fill a matrix.
constexpr std::uint64_t kStepsOfLoop = 20'000;

bool leaves(std::string_view word) {
  return word == "exit" || word == "abort" || word == "_exit" || word == "quick_exit" || word == "terminate";
}

}  // namespace

std::size_t HostMachine::statement_end(std::size_t i, std::size_t last) const {
  for (; i < last && !is(i, ";"); ++i)
    if (is(i, "(") || is(i, "{") || is(i, "[")) i = closing(i, last - 1);
  return std::min(i, last);
}

// After the statement that begins at i.
std::size_t HostMachine::skip_statement(std::size_t i, std::size_t last, int depth) const {
  if (i >= last || depth > kDeepestStatement) return last;
  if (is(i, "{")) return std::min(closing(i, last) + 1, last);
  if (is(i, "if") || is(i, "for") || is(i, "while") || is(i, "switch") || is(i, "catch")) {
    while (i < last && !is(i, "(")) ++i;
    i = skip_statement(std::min(closing(std::min(i, last - 1), last) + 1, last), last, depth + 1);
    return is(i, "else") && i < last ? skip_statement(i + 1, last, depth + 1) : i;
  }
  if (is(i, "do")) return std::min(statement_end(skip_statement(i + 1, last, depth + 1), last) + 1, last);
  if (is(i, "try")) {
    i = skip_statement(i + 1, last, depth + 1);
    while (i < last && is(i, "catch")) i = skip_statement(i, last, depth + 1);
    return i;
  }
  return std::min(statement_end(i, last) + 1, last);
}

HostMachine::Flow HostMachine::statements(TokenRange range) {
  const NewScope scope(*this);
  std::size_t i = range.first;
  while (i < range.last) {
    if (!step()) return Flow::Leave;
    const std::size_t before = i;
    const Flow flow = statement(i, range.last);
    if (flow != Flow::Next) return flow;
    if (i <= before) i = before + 1;
  }
  return Flow::Next;
}

HostMachine::Flow HostMachine::statement(std::size_t& i, std::size_t last) {
  if (!step() || nesting_ > kDeepestStatement) {
    i = skip_statement(i, last);
    return Flow::Next;
  }
  ++nesting_;
  bool was_one = true;
  Flow flow = keyword(i, last, was_one);
  if (!was_one) {
    const std::size_t end = statement_end(i, last);
    if (is_name(i) && (leaves(t()[i].text) ||
                       (is(i, "std") && is(i + 1, "::") && is_name(i + 2) && leaves(t()[i + 2].text)))) {
      i = end + 1;
      flow = Flow::Leave;
    } else if (!declaration(i, last)) {
      evaluate({i, end});
      i = end + 1;
    }
  }
  --nesting_;
  return flow;
}

// Statements that begin with a word of the language, blocks and labels.
HostMachine::Flow HostMachine::keyword(std::size_t& i, std::size_t last, bool& was_one) {
  if (is(i, ";") || is(i, "}")) return ++i, Flow::Next;
  if (is(i, "{")) {
    const std::size_t close = closing(i, last);
    const Flow flow = statements({i + 1, close});
    i = close + 1;
    return flow;
  }
  if (is(i, "if")) return if_statement(i, last);
  if (is(i, "for") || is(i, "while") || is(i, "do")) return loop(i, last);
  if (is(i, "switch")) return switch_statement(i, last);
  if (is(i, "return")) {
    const std::size_t end = statement_end(i, last);
    if (end > i + 1) {
      if (is(i + 1, "{")) {
        Cursor c{i + 1, end};
        returns_.push_back(braced(c, result_type_).value);
      } else {
        returns_.push_back(evaluate({i + 1, end}));
      }
    }
    i = end + 1;
    return Flow::Leave;
  }
  if (is(i, "throw") || is(i, "goto")) return i = statement_end(i, last) + 1, Flow::Leave;
  if (is(i, "break")) return i = statement_end(i, last) + 1, Flow::Break;
  if (is(i, "continue")) return i = statement_end(i, last) + 1, Flow::Continue;
  if (is(i, "case") || is(i, "default")) {
    while (i < last && !is(i, ":")) ++i;
    return ++i, Flow::Next;
  }
  if (is(i, "try")) {
    ++i;
    const Flow flow = statement(i, last);
    while (i < last && is(i, "catch")) i = skip_statement(i, last);
    return flow;
  }
  if (is(i, "using") || is(i, "typedef") || is(i, "static_assert") || is(i, "template")) {
    const std::size_t end = statement_end(i, last);
    if (is(i, "using") && is(i + 2, "=")) {
      scope_->types[std::string(t()[i + 1].text)] = type_at(i + 3, end, true).type;
    } else if (is(i, "typedef") && end > i + 2 && is_name(end - 1)) {
      scope_->types[std::string(t()[end - 1].text)] = type_at(i + 1, end - 1, true).type;
    }
    i = end + 1;
    return Flow::Next;
  }
  if ((is(i, "struct") || is(i, "class") || is(i, "union")) && (is(i + 1, "{") || is(i + 2, "{"))) {
    std::size_t end = i;
    if (auto made = read_structure(p_, i, last, end); made && !made->name.empty())
      p_.structures[made->name] = std::move(made);
    i = statement_end(end, last) + 1;
    return Flow::Next;
  }
  if (is_name(i) && is(i + 1, ":") && !is(i + 1, "::")) return i += 2, Flow::Next;
  was_one = false;
  return Flow::Next;
}

HostMachine::Flow HostMachine::branches(const HostValue& condition, const std::function<Flow()>& yes,
                                        const std::function<Flow()>& no, const DoubtRef& unknown) {
  const bool by_default =
      condition.doubt && condition.doubt->assumed && condition.doubt->why == Doubt::Why::CommandLine;
  const bool known = condition.is_number() || condition.kind == HostValue::Kind::Pointer;
  if (known && !by_default) return condition.truth() ? yes() : no();
  const auto undo = [this](std::vector<std::pair<Place, HostValue>>& frame) {
    std::vector<std::pair<Place, HostValue>> done;
    for (auto it = frame.rbegin(); it != frame.rend(); ++it) {
      done.emplace_back(it->first, it->first->value);
      it->first->value = it->second;
    }
    return done;
  };
  const auto keep = [this](const std::vector<std::pair<Place, HostValue>>& frame) {
    if (!journal_.empty()) journal_.back().insert(journal_.back().end(), frame.begin(), frame.end());
  };
  // A usage message that ends the program: with arguments it would have gone on.
  if (known) {
    journal_.emplace_back();
    const std::size_t returns = returns_.size(), found = launches.size();
    Flow flow = condition.truth() ? yes() : no();
    auto frame = std::move(journal_.back());
    journal_.pop_back();
    if (flow == Flow::Leave && found == launches.size()) {
      undo(frame);
      returns_.resize(std::min(returns, returns_.size()));
      return condition.truth() ? no() : yes();
    }
    keep(frame);
    return flow;
  }
  std::vector<std::pair<Place, HostValue>> frames[2];
  std::map<Place, HostValue> after[2];
  Flow flows[2];
  for (int side = 0; side < 2; ++side) {
    journal_.emplace_back();
    flows[side] = side == 0 ? yes() : no();
    frames[side] = std::move(journal_.back());
    journal_.pop_back();
    for (const auto& [place, old] : frames[side]) after[side][place] = place->value;
    undo(frames[side]);
  }
  if (flows[0] != Flow::Next || flows[1] != Flow::Next) uncertain_ = true;
  if (flows[0] != Flow::Next && flows[1] != Flow::Next) {
    for (int side = 0; side < 2; ++side)
      for (const auto& [place, value] : after[side]) {
        log(place);
        place->value = joined(place->value, value, unknown);
      }
    return flows[0] == flows[1] ? flows[0] : Flow::Leave;
  }
  std::map<Place, std::pair<HostValue, HostValue>> both;
  for (int side = 0; side < 2; ++side) {
    for (const auto& [place, value] : after[side]) {
      const auto [it, added] = both.try_emplace(place, place->value, place->value);
      (side == 0 ? it->second.first : it->second.second) = value;
    }
  }
  for (auto& [place, values] : both) {
    log(place);
    // What a side that leaves did is of no consequence for what follows.
    place->value = flows[0] != Flow::Next   ? values.second
                   : flows[1] != Flow::Next ? values.first
                                            : joined(values.first, values.second, unknown);
  }
  return Flow::Next;
}

HostMachine::Flow HostMachine::if_statement(std::size_t& i, std::size_t last) {
  const std::size_t begin = i++;
  if (is(i, "constexpr")) ++i;
  const std::size_t open = i, close = closing(open, last);
  const NewScope scope(*this);
  // if (auto e = f(); e != 0)
  std::size_t head = open + 1;
  const std::size_t semicolon = statement_end(head, close);
  if (semicolon < close) statement(head, close);
  if (is_name(head)) {
    std::size_t at = head;
    const TypeSpec spec = type_at(head, close, false);
    const bool declares = (spec.type || spec.is_auto) && is_name(spec.next) && is(spec.next + 1, "=");
    if (declares) {
      declaration(at, close);
      head = spec.next;
    }
  }
  const HostValue condition = is(head + 1, "=") && is_name(head) && !is(head + 2, "=") &&
                                      find(t()[head].text) && type_at(open + 1, close, false).type
                                  ? find(t()[head].text)->value
                                  : evaluate({head, close});
  const std::size_t body = close + 1, other = skip_statement(body, last);
  const bool has_else = is(other, "else") && other < last;
  const std::size_t end = has_else ? skip_statement(other + 1, last) : other;
  const DoubtRef why = condition.doubt && !condition.known()
                           ? std::make_shared<const Doubt>(*condition.doubt)
                           : doubt(Doubt::Why::Condition, p_.source_of({head, close}), begin);
  i = end;
  const auto run = [&](std::size_t from) {
    std::size_t at = from;
    return statement(at, last);
  };
  return branches(
      condition, [&] { return run(body); }, [&] { return has_else ? run(other + 1) : Flow::Next; }, why);
}

// Variables that the loop changed, or would change in further rounds, are unknown from here on.
void HostMachine::forget_changed(std::size_t frame, const DoubtRef& why,
                                 std::initializer_list<TokenRange> ranges) {
  std::map<Place, HostValue> before;
  for (auto it = journal_[frame].rbegin(); it != journal_[frame].rend(); ++it) before[it->first] = it->second;
  for (const auto& [place, value] : before) {
    log(place);
    place->value = joined(value, place->value, why);
  }
  for (const TokenRange range : ranges)
    for (std::size_t j = range.first; j + 1 < range.last; ++j) {
      if (!is_name(j)) continue;
      const bool assigned = is(j + 1, "=") || (j + 2 < range.last && is_compound(t()[j + 1].text) &&
                                               is(j + 2, "=") && t()[j + 2].begin == t()[j + 1].end());
      const bool stepped = (is(j + 1, "+") && is(j + 2, "+")) || (is(j + 1, "-") && is(j + 2, "-")) ||
                           (j > 1 && is(j - 1, "+") && is(j - 2, "+")) ||
                           (j > 1 && is(j - 1, "-") && is(j - 2, "-"));
      if (!assigned && !stepped) continue;
      const Place place = find(t()[j].text);
      if (!place || before.contains(place) || !place->value.is_number()) continue;
      log(place);
      place->value = HostValue::unknown(why, place->value.type);
    }
}

HostMachine::Flow HostMachine::run_loop(TokenRange condition, TokenRange step_range, TokenRange body,
                                        bool body_first) {
  journal_.emplace_back();
  const std::size_t frame = journal_.size() - 1;
  const bool outer_uncertain = std::exchange(uncertain_, false);
  const std::uint64_t begin = steps_;
  Flow result = Flow::Next;
  bool whole = false;
  DoubtRef why = doubt(Doubt::Why::Loop, "", condition.first);
  for (bool first = true; !spent_; first = false) {
    if (!(first && body_first) && !condition.empty()) {
      const HostValue value = evaluate(condition);
      const bool known = value.is_number() || value.kind == HostValue::Kind::Pointer;
      if (known && !value.truth()) {
        whole = true;
        break;
      }
      if (!known && !first) break;
      if (!known && value.doubt) why = value.doubt;
      if (!known) uncertain_ = true;  // once through, to see what is launched in it
    }
    std::size_t at = body.first;
    const Flow flow = at < body.last ? statement(at, body.last) : Flow::Next;
    if (flow == Flow::Break || flow == Flow::Leave) {
      whole = !uncertain_;
      result = flow == Flow::Leave && whole ? Flow::Leave : Flow::Next;
      break;
    }
    if (uncertain_ || steps_ - begin > kStepsOfLoop) break;
    if (!step_range.empty()) evaluate(step_range);
    if (!step()) break;
    if (condition.empty() && steps_ - begin > kStepsOfLoop) break;
  }
  if (!whole) forget_changed(frame, why, {body, step_range});
  auto changes = std::move(journal_.back());
  journal_.pop_back();
  if (!journal_.empty()) journal_.back().insert(journal_.back().end(), changes.begin(), changes.end());
  uncertain_ |= outer_uncertain;
  if (whole) uncertain_ = outer_uncertain;
  return result;
}

HostMachine::Flow HostMachine::for_each(TokenRange head, std::size_t colon, TokenRange body) {
  const HostValue range = evaluate({colon + 1, head.last});
  const TypeSpec spec = type_at(head.first, colon, true);
  std::size_t name = colon - 1;
  HostValue element;
  if (range.type && range.type->element) element.type = range.type->element;
  const bool followed = range.kind == HostValue::Kind::Object && range.object &&
                        !range.object->elements.empty() && is_name(name) &&
                        range.object->elements.size() == range.object->count;
  if (followed) {
    for (const Place& place : range.object->elements) {
      if (!step()) break;
      const NewScope scope(*this);
      define(std::string(t()[name].text), place->value, spec.is_auto ? nullptr : spec.type);
      std::size_t at = body.first;
      const Flow flow = statement(at, body.last);
      if (flow == Flow::Break) break;
      if (flow == Flow::Leave) return flow;
    }
    return Flow::Next;
  }
  const NewScope scope(*this);
  if (is_name(name))
    define(std::string(t()[name].text),
           HostValue::unknown(doubt(Doubt::Why::Loop, t()[name].text, name), element.type),
           spec.is_auto ? nullptr : spec.type);
  journal_.emplace_back();
  std::size_t at = body.first;
  statement(at, body.last);
  forget_changed(journal_.size() - 1, doubt(Doubt::Why::Loop, "", colon), {body});
  auto changes = std::move(journal_.back());
  journal_.pop_back();
  if (!journal_.empty()) journal_.back().insert(journal_.back().end(), changes.begin(), changes.end());
  return Flow::Next;
}

HostMachine::Flow HostMachine::loop(std::size_t& i, std::size_t last) {
  const NewScope scope(*this);
  if (is(i, "do")) {
    const std::size_t body = i + 1, after = skip_statement(body, last);
    i = after;
    TokenRange condition;
    if (is(after, "while")) {
      condition = {after + 2, closing(after + 1, last)};
      i = statement_end(after, last) + 1;
    }
    return run_loop(condition, {}, {body, after}, true);
  }
  const bool is_while = is(i, "while");
  const std::size_t open = i + 1, close = closing(open, last);
  if (!is(open, "(") || close >= last) return i = last, Flow::Next;
  const TokenRange body{close + 1, skip_statement(close + 1, last)};
  i = body.last;
  if (is_while) return run_loop({open + 1, close}, {}, body, false);
  const std::size_t first = statement_end(open + 1, close);
  if (first >= close) {  // for (x : range)
    for (std::size_t colon = open + 1; colon < close; ++colon)
      if (is(colon, ":")) return for_each({open + 1, close}, colon, body);
    return Flow::Next;
  }
  const std::size_t second = statement_end(first + 1, close);
  std::size_t at = open + 1;
  if (first > open + 1) statement(at, close);
  return run_loop({first + 1, second}, {std::min(second + 1, close), close}, body, false);
}

HostMachine::Flow HostMachine::switch_statement(std::size_t& i, std::size_t last) {
  const std::size_t open = i + 1, close = closing(open, last);
  const HostValue value = evaluate({open + 1, close});
  const std::size_t body = close + 1;
  if (!is(body, "{")) return i = skip_statement(body, last), Flow::Next;
  const std::size_t end = closing(body, last);
  i = end + 1;
  std::vector<std::size_t> labels;
  std::size_t fallback = end;
  for (std::size_t j = body + 1; j < end; ++j) {
    if (is(j, "{")) {
      j = closing(j, end);
    } else if (is(j, "case") || is(j, "default")) {
      labels.push_back(j);
      if (is(j, "default")) fallback = j;
    }
  }
  const NewScope scope(*this);
  if (value.is_number()) {
    std::size_t chosen = fallback;
    for (const std::size_t label : labels) {
      std::size_t colon = label;
      while (colon < end && !is(colon, ":")) ++colon;
      if (!is(label, "case")) continue;
      const HostValue one = evaluate({label + 1, colon});
      if (one.is_number() && one.whole() == value.whole()) {
        chosen = label;
        break;
      }
    }
    const Flow flow = statements({chosen, end});
    return flow == Flow::Break ? Flow::Next : flow;
  }
  const DoubtRef why = value.doubt ? value.doubt : doubt(Doubt::Why::Condition, "switch", open);
  for (const std::size_t label : labels)
    branches(
        HostValue{},
        [&] {
          const Flow flow = statements({label, end});
          return flow == Flow::Break ? Flow::Next : flow;
        },
        [] { return Flow::Next; }, why);
  return Flow::Next;
}

// A declaration of variables; false when the statement is none.
bool HostMachine::declaration(std::size_t& i, std::size_t last) {
  if (!is_name(i)) return false;
  const std::size_t end = statement_end(i, last);
  if (const Place known = find(t()[i].text); known && !is(i, "auto") && !is_name(i + 1) && !is(i + 1, "::"))
    return false;
  const TypeSpec spec = type_at(i, end, true);
  if (!spec.type && !spec.is_auto) return false;
  if (spec.is_auto && is(spec.next, "[")) {
    structured_binding(spec.next, end);
    i = end + 1;
    return true;
  }
  // void (*kernel)(float*, int) = scale;
  if (is(spec.next, "(") && is(spec.next + 1, "*") && is_name(spec.next + 2)) {
    const std::size_t close = closing(spec.next, end);
    std::size_t equals = is(close + 1, "(") ? closing(close + 1, end) + 1 : close + 1;
    define(std::string(t()[spec.next + 2].text), is(equals, "=") ? evaluate({equals + 1, end}) : HostValue{});
    i = end + 1;
    return true;
  }
  if (!is_name(spec.next)) return false;
  const std::size_t after = spec.next + 1;
  const bool declares = after >= end || is(after, "=") || is(after, ",") || is(after, "(") ||
                        is(after, "{") || is(after, "[") || is(after, ":");
  if (!declares || (after < end && is(after, "=") && is(after + 1, "="))) return false;
  const auto parts = split_at_commas(p_, {i, end}, true);
  for (std::size_t n = 0; n < parts.size(); ++n) {
    TypeSpec own = spec;
    if (n == 0) {
      own.next = spec.next;
    } else {
      // float *a, b: the stars belong to the names.
      const std::size_t begin = parts[n].first;
      std::size_t bare = spec.next;
      while (bare > i && (is(bare - 1, "*") || is(bare - 1, "&"))) --bare;
      own.type = type_at(i, bare, true).type;
      own.next = begin;
      own.type = with_suffix(own.type, own.next, parts[n].last);
    }
    declarator(parts[n], own);
  }
  i = end + 1;
  return true;
}

void HostMachine::structured_binding(std::size_t open, std::size_t end) {
  const std::size_t close = closing(open, end);
  const HostValue value = is(close + 1, "=") ? evaluate({close + 2, end}) : HostValue{};
  const DoubtRef why = value.doubt ? value.doubt : doubt(Doubt::Why::Unfollowed, "auto [...]", open);
  for (std::size_t j = open + 1; j < close; ++j)
    if (is_name(j)) define(std::string(t()[j].text), HostValue::unknown(why));
}

// name, name = value, name(values), name{values}, name[extents] = {values}
void HostMachine::declarator(TokenRange range, const TypeSpec& spec) {
  const std::size_t at = spec.next;
  if (!is_name(at) || at >= range.last) return;
  const std::string name(t()[at].text);
  const TypeRef type = spec.is_auto ? nullptr : spec.type;
  const std::size_t next = at + 1;
  const bool reference = at > range.first && is(at - 1, "&");
  const bool object = type && (type->kind == Type::Kind::Structure || type->kind == Type::Kind::Sequence);
  if (next < range.last && is(next, "[")) {
    std::size_t end = next;
    while (end < range.last && is(end, "[")) end = closing(end, range.last - 1) + 1;
    TokenRange initial;
    if (end < range.last) initial = {is(end, "=") ? end + 1 : end, range.last};
    HostValue value = array(type, {next, end}, initial);
    const TypeRef made = value.type;
    define(name, std::move(value), made);
  } else if (next < range.last && is(next, "=")) {
    Cursor c{next + 1, range.last};
    if (is(next + 1, "{")) {
      define(name, braced(c, type).value, type);
      return;
    }
    const Operand given = assignment(c);
    if (reference && given.place) {
      scope_->names[name] = given.place;
      return;
    }
    const bool converts = object && type->kind == Type::Kind::Structure && !type->structure &&
                          given.value.kind != HostValue::Kind::Object && !given.value.is_number();
    HostValue value = converts ? HostValue::unknown(given.value.doubt, type) : given.value;
    if (!value.known() && !value.doubt)
      value.doubt = doubt(Doubt::Why::Unfollowed, p_.source_of({next + 1, range.last}), at);
    define(name, std::move(value), type);
  } else if (next < range.last && (is(next, "(") || is(next, "{"))) {
    const std::size_t close = closing(next, range.last);
    std::vector<Operand> values = arguments({next + 1, close});
    HostValue value = object           ? constructed(type, std::move(values), at)
                      : values.empty() ? converted(HostValue::of(0), type)
                                       : values[0].value;
    define(name, std::move(value), type);
  } else {
    HostValue value = object ? default_value(type) : HostValue{};
    if (type && type->structure) {
      const HostFunction* constructor = overload(type->structure->methods, type->structure->name, 0);
      if (constructor != nullptr) value = constructed(type, {}, at);
    }
    if (!value.known()) value = HostValue::unknown(doubt(Doubt::Why::Unfollowed, name, at), type);
    define(name, std::move(value), type);
  }
}

}  // namespace warplens::source
