#include "engine/source/host_machine.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/base/work_limit.h"

namespace warplens::source {
namespace {

// Steps of the whole file: some seconds of a text made to keep us busy, far beyond what people write.
constexpr std::uint64_t kMostSteps = 4'000'000;

}  // namespace

HostMachine::HostMachine(HostProgram& program)
    : p_(program), scope_(std::make_shared<Scope>()), globals_(scope_) {}

HostMachine::NewScope::NewScope(HostMachine& machine) : m(machine), before(machine.scope_) {
  m.scope_ = std::make_shared<Scope>();
  m.scope_->outer = before;
  m.scope_->self = before->self;
  m.scope_->self_type = before->self_type;
}
HostMachine::NewScope::~NewScope() {
  m.scope_ = before;
}

bool HostMachine::step() {
  work_step();
  if (++steps_ > kMostSteps) spent_ = true;
  return !spent_;
}

DoubtRef HostMachine::doubt(Doubt::Why why, std::string_view name, std::size_t at, bool assumed) const {
  return std::make_shared<const Doubt>(Doubt{why, std::string(name), line_at(at), assumed});
}

Place HostMachine::find(std::string_view name) const {
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->outer.get()) {
    if (const auto found = scope->names.find(name); found != scope->names.end()) return found->second;
    if (!scope->self) continue;
    if (const auto found = scope->self->members.find(name); found != scope->self->members.end())
      return found->second;
  }
  return nullptr;
}

Place HostMachine::define(const std::string& name, HostValue value, TypeRef type) {
  Place place = make_place();
  place->type = std::move(type);
  scope_->names[name] = place;
  store(place, std::move(value), name);
  return place;
}

void HostMachine::log(const Place& place) {
  if (!journal_.empty()) journal_.back().emplace_back(place, place->value);
}

// A number that the program is given from outside is chosen, so that what follows from it fits together.
HostValue HostMachine::invented(std::string_view name, const DoubtRef& why, const TypeRef& type) const {
  const std::string text(name);
  std::int64_t value = 65536;
  if (contains_word(text, {"block", "thread", "tpb", "nthr"}))
    value = 256;
  else if (contains_word(text, {"iter", "step", "repeat", "trial", "rep", "warm", "times", "epoch", "batch"}))
    value = 4;
  else if (contains_word(text, {"dev", "gpu", "seed", "verb", "mode", "flag", "choice", "option", "stride",
                                "offset", "radius", "stream"}))
    value = 1;
  else if (contains_word(text, {"row", "col", "width", "height", "dim", "side"}) || text == "M" ||
           text == "K" || text == "w" || text == "h" || text == "W" || text == "H")
    value = 256;
  HostValue out = converted(HostValue::of(value), type ? type : builtin_type("int"));
  Doubt said = why ? *why : Doubt{};
  said.assumed = true;
  if (!text.empty()) said.name = text;
  out.doubt = std::make_shared<const Doubt>(std::move(said));
  return out;
}

void HostMachine::store(const Place& place, HostValue value, std::string_view name) {
  if (!place) return;
  log(place);
  const TypeRef& type = place->type;
  if (value.kind == HostValue::Kind::Object) value = copied(value);
  const bool given = value.doubt && !value.doubt->assumed &&
                     (value.doubt->why == Doubt::Why::CommandLine || value.doubt->why == Doubt::Why::Input);
  const TypeRef& numeric = type ? type : value.type;
  if (!value.known() && given && !name.empty() && numeric && numeric->kind == Type::Kind::Integer &&
      value.doubt->name != "rand")
    value = invented(name, value.doubt, numeric);
  place->value = converted(std::move(value), type);
}

// Functions with launches that nothing called: a library, or what a test calls from elsewhere.
void HostMachine::run_uncalled() {
  const auto launches_in = [this](TokenRange body) {
    for (std::size_t i = body.first; i < body.last; ++i)
      if (is(i, "<<<") || (is_name(i) && t()[i].text.starts_with("cudaLaunch"))) return true;
    return false;
  };
  const auto stand_alone = [&](const HostFunction& f, const std::shared_ptr<Object>& self,
                               const TypeRef& type) {
    if (called_.contains(&f) || f.body.empty() || f.is_device_only || !launches_in(f.body) || !step()) return;
    called_.insert(&f);
    scope_ = std::make_shared<Scope>();
    scope_->outer = globals_;
    scope_->self = self;
    scope_->self_type = type;
    bind(f.parameters, {}, true);
    run_body(f.body);
    scope_ = globals_;
  };
  std::vector<const HostFunction*> in_order;
  for (const auto& [name, f] : p_.functions) in_order.push_back(&f);
  std::sort(in_order.begin(), in_order.end(),
            [](const HostFunction* a, const HostFunction* b) { return a->body.first < b->body.first; });
  for (const HostFunction* f : in_order) stand_alone(*f, nullptr, nullptr);
  const auto structures = p_.structures;
  for (const auto& [name, structure] : structures)
    for (const auto& [method, f] : structure->methods) {
      if (called_.contains(&f) || !launches_in(f.body)) continue;
      const TypeRef type = structure_type(structure, {});
      const HostValue object = default_value(type);
      if (object.object) {
        const DoubtRef why = doubt(Doubt::Why::Caller, name, f.body.first);
        for (auto& [field, place] : object.object->members)
          if (!place->value.known()) place->value.doubt = why;
      }
      stand_alone(f, object.object, type);
    }
}

void HostMachine::run() {
  // Those that are only counted stay unknown: their names stand for choices, not for sizes.
  for (const auto& [name, range] : p_.enumerators)
    define(name, range.empty() ? HostValue{} : evaluate(range), builtin_type("int"));
  for (const TokenRange range : p_.globals) {
    std::size_t i = range.first;
    statement(i, range.last);
  }
  if (const HostFunction* const main = overload(p_.functions, "main", 2);
      main != nullptr || (overload(p_.functions, "main", 0) != nullptr)) {
    const HostFunction& f = main != nullptr ? *main : *overload(p_.functions, "main", 0);
    Operand count, values;
    count.value = HostValue::of(1, builtin_type("int"));
    count.value.doubt = doubt(Doubt::Why::CommandLine, "argc", f.body.first, true);
    values.value =
        HostValue::unknown(doubt(Doubt::Why::CommandLine, "argv", f.body.first), builtin_type("void"));
    call(f, f.parameters.empty() ? std::vector<Operand>{} : std::vector<Operand>{count, values}, {}, nullptr,
         nullptr);
  }
  scope_ = globals_;
  remember_written_instances();
  run_uncalled();
}

std::optional<DeclaredType> HostMachine::declared_type(const std::string& name) {
  const TypeRef type = named_type(name, {});
  if (!type || type->size == 0) return std::nullopt;
  DeclaredType out;
  out.bytes = type->size;
  std::set<std::string> elements;
  const std::function<void(const TypeRef&, int)> gather = [&](const TypeRef& part, int depth) {
    if (!part || depth > 8) {
      elements.insert("");
    } else if (part->kind == Type::Kind::Structure && part->structure) {
      const HostValue object = default_value(part);
      if (!object.object) return;
      for (const auto& [field, place] : object.object->members) gather(place->type, depth + 1);
    } else if (part->kind == Type::Kind::Sequence) {
      gather(part->element, depth + 1);
    } else if (part->kind == Type::Kind::Structure) {
      elements.insert(part->name.starts_with("float")    ? "f32"
                      : part->name.starts_with("double") ? "f64"
                                                         : "");
    } else if (part->kind == Type::Kind::Real) {
      elements.insert(part->size == 4 ? "f32" : "f64");
    } else if (part->kind == Type::Kind::Integer) {
      elements.insert((part->is_unsigned ? "u" : "i") + std::to_string(8 * part->size));
    } else {
      elements.insert("");
    }
  };
  gather(type, 0);
  if (elements.size() == 1) out.element = *elements.begin();
  return out;
}

}  // namespace warplens::source
