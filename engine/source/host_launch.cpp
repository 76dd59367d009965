// HostMachine: launches, as they are found.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/source/host_machine.h"

namespace warplens::source {
namespace {

constexpr std::size_t kMostLaunches = 4000, kReach = 600;

std::optional<Doubt> told(const DoubtRef& doubt) {
  return doubt ? std::optional(*doubt) : std::nullopt;
}

// A number, or a dim3.
std::optional<Dim3> dimensions(const HostValue& value, std::optional<Doubt>& doubt) {
  doubt = told(value.doubt);
  std::array<std::uint32_t, 3> extents{1, 1, 1};
  const auto take = [&](const HostValue& part, std::size_t i) {
    if (part.doubt && (!doubt || (doubt->assumed && !part.known()))) doubt = told(part.doubt);
    const std::int64_t least = part.doubt ? 1 : 0;
    if (!part.is_number() || part.whole() < least || part.whole() > 0x7fffffff) return false;
    extents[i] = static_cast<std::uint32_t>(part.whole());
    return true;
  };
  if (value.is_number()) {
    if (!take(value, 0)) return std::nullopt;
  } else if (value.kind == HostValue::Kind::Object && value.object) {
    const bool list = !value.object->elements.empty();
    for (std::size_t i = 0; i < 3; ++i) {
      if (list) {
        if (i < value.object->elements.size() && !take(value.object->elements[i]->value, i))
          return std::nullopt;
        continue;
      }
      static constexpr std::string_view kNames[] = {"x", "y", "z"};
      const auto found = value.object->members.find(kNames[i]);
      if (found == value.object->members.end() || !take(found->second->value, i)) return std::nullopt;
    }
  } else {
    return std::nullopt;
  }
  return Dim3{extents[0], extents[1], extents[2]};
}

std::string scalar_text(const HostValue& value) {
  if (value.kind == HostValue::Kind::Real) {
    char text[64];
    std::snprintf(text, sizeof text, "%s:%.9g", value.type && value.type->size == 4 ? "f32" : "f64",
                  value.real);
    return text;
  }
  const std::uint64_t size = value.type && value.type->size > 0 ? value.type->size : 4;
  const bool is_unsigned = value.type && value.type->is_unsigned;
  return (is_unsigned ? "u" : "i") + std::to_string(8 * size) + ":" + std::to_string(value.integer);
}

}  // namespace

// The members of a structure, as --arg struct: takes them; false when one is unknown or no number.
bool HostMachine::flatten(const HostValue& value, std::string& out, int depth) {
  if (depth > 8) return false;
  if (value.is_number()) {
    out += (out.empty() ? "" : ",") + scalar_text(value);
    return true;
  }
  if (value.kind != HostValue::Kind::Object || !value.object) return false;
  if (value.type && value.type->structure) {
    if (value.type->structure->is_union || !value.type->structure->bases.empty()) return false;
    for (const HostField& field : value.type->structure->fields) {
      const auto found = value.object->members.find(field.name);
      if (found == value.object->members.end() || !flatten(found->second->value, out, depth + 1))
        return false;
    }
    return true;
  }
  if (!value.object->elements.empty()) {
    for (const Place& place : value.object->elements)
      if (!flatten(place->value, out, depth + 1)) return false;
    return value.object->elements.size() == value.object->count;
  }
  for (const char* const name : {"x", "y", "z", "w"}) {
    const auto found = value.object->members.find(name);
    if (found == value.object->members.end()) return name[0] != 'x';
    if (!found->second->value.is_number()) return false;
    HostValue part = found->second->value;
    if (value.type && value.type->name.starts_with("float"))
      part = converted(part, builtin_type("float"));
    else if (value.type && value.type->name.starts_with("double"))
      part = converted(part, builtin_type("double"));
    if (!flatten(part, out, depth + 1)) return false;
  }
  return true;
}

LaunchArgument HostMachine::described(const HostValue& value, std::string text) const {
  LaunchArgument out;
  out.text = std::move(text);
  out.doubt = told(value.doubt);
  if (value.is_number()) {
    out.value = value.number();
    out.is_null = value.type && value.type->kind == Type::Kind::Pointer && value.integer == 0;
  }
  const bool elements =
      value.kind == HostValue::Kind::Pointer || (value.kind == HostValue::Kind::Object && value.allocation);
  if (elements && value.allocation) {
    const Allocation& made = *value.allocation;
    if (!out.doubt) out.doubt = told(made.doubt);
    const auto offset = static_cast<std::uint64_t>(std::max<std::int64_t>(0, value.offset));
    if (made.bytes && value.offset >= 0 && offset <= *made.bytes) out.bytes = *made.bytes - offset;
  } else if (elements && value.target) {
    // &variable, in managed or host memory
    const TypeRef& type = value.target->type ? value.target->type : value.target->value.type;
    if (type && type->size > 0) out.bytes = type->size;
  } else if (value.kind == HostValue::Kind::Object) {
    std::string members;
    if (flatten(value, members, 0) && !members.empty()) out.structure = "struct:" + members;
  }
  // Known all the same: how it came about does not matter.
  if ((out.value || out.bytes) && out.doubt && !out.doubt->assumed) out.doubt.reset();
  return out;
}

// The compiler instantiates what is written, also in branches that are not taken.
void HostMachine::remember_written_instances() {
  for (std::size_t i = 0; i + 2 < t().size() && step(); ++i) {
    if (!is_name(i) || !is(i + 1, "<") || p_.kernel(t()[i].text) == nullptr) continue;
    const std::size_t after = after_angles(p_, i + 1, t().size());
    if (after >= t().size() || !(is(after - 1, ">") || is(after - 1, ">>"))) continue;
    if (!is(after, "<<<") && !is(after, ",") && !is(after, ")") && !is(after, ";")) continue;
    bool certain = true;
    const std::string name = instance_of(std::string(t()[i].text), {i + 2, after - 1}, {}, certain);
    if (certain) remember_instance(name);
  }
}

void HostMachine::remember_instance(const std::string& name) {
  if (known_instances_.insert(name).second && instances.size() < kMostLaunches) instances.push_back(name);
}

std::string HostMachine::template_argument(TokenRange range, bool& certain) {
  const std::string written = p_.source_of(range);
  if (range.empty()) return written;
  if (is(range.first, "true") || is(range.first, "false")) return written;
  const bool variable = is_name(range.first) && find(t()[range.first].text);
  if (!variable) {
    const TypeSpec spec = type_at(range.first, range.last, false);
    if (spec.type && spec.next == range.last && spec.known) return spec.type->name;
  }
  const HostValue value = evaluate(range);
  if (value.kind == HostValue::Kind::Integer && !(value.doubt && value.doubt->why == Doubt::Why::Caller)) {
    if (value.type && value.type->name == "bool") return value.integer != 0 ? "true" : "false";
    return std::to_string(value.integer);
  }
  if (value.kind == HostValue::Kind::Function) return value.text;
  certain = false;
  return written;
}

// "fill<float>" of fill<<<...>>>(p, ...) or fill<T><<<...>>>(p, ...).
std::string HostMachine::instance_of(const std::string& kernel, TokenRange templates,
                                     const std::vector<Operand>& given, bool& certain) {
  const HostFunction* const declared = p_.kernel(kernel);
  std::string list;
  std::size_t count = 0;
  certain = true;
  const auto add = [&](const std::string& text) {
    list += (list.empty() ? "" : ", ") + text;
    ++count;
  };
  if (!templates.empty())
    for (const TokenRange part : split_at_commas(p_, templates, true)) add(template_argument(part, certain));
  if (declared == nullptr || declared->templates.empty())
    return list.empty() ? kernel : kernel + "<" + list + ">";
  for (std::size_t i = count; i < declared->templates.size(); ++i) {
    const TemplateParameter& parameter = declared->templates[i];
    if (parameter.is_pack) break;
    TypeRef type;
    for (std::size_t a = 0; parameter.is_type && !type && a < declared->parameters.size() && a < given.size();
         ++a)
      match_type(declared->parameters[a].type, given[a].value.type, parameter.name, type);
    if (type) {
      add(type->name);
    } else {
      if (parameter.default_value.empty()) certain = false;
      break;
    }
  }
  return list.empty() ? kernel : kernel + "<" + list + ">";
}

HostMachine::Operand HostMachine::launch(Cursor& c, const std::string& kernel, TokenRange templates) {
  const std::size_t at = c.i, reach = std::min(c.last, at + kReach);
  std::size_t close = at + 1;
  for (; close < reach && !is(close, ">>>"); ++close)
    if (is(close, "(") || is(close, "{") || is(close, "["))
      close = std::min(closing(close, reach), reach - 1);
  if (close >= reach || !is(close + 1, "(")) {
    c.i = c.last;
    return {};
  }
  const std::size_t end = closing(close + 1, c.last);
  const std::vector<Operand> setup = arguments({at + 1, close});
  const std::vector<Operand> given = arguments({close + 2, end});
  std::vector<std::string> texts;
  for (const TokenRange part : split_at_commas(p_, {close + 2, end}, true))
    texts.push_back(p_.source_of(part));
  c.i = std::min(end + 1, c.last);
  std::array<HostValue, 3> values;
  values[2] = HostValue::of(0);
  for (std::size_t i = 0; i < setup.size() && i < 3; ++i) values[i] = setup[i].value;
  record(kernel, templates, values, given, std::move(texts), at);
  return {};
}

void HostMachine::record(const std::string& kernel, TokenRange templates,
                         const std::array<HostValue, 3>& setup, const std::vector<Operand>& given,
                         std::vector<std::string> texts, std::size_t at) {
  if (launches.size() >= kMostLaunches) return;
  HostLaunch found;
  bool certain = true;
  const bool instance = kernel.find('<') != std::string::npos;
  found.kernel = instance ? kernel : instance_of(kernel, templates, given, certain);
  if (certain && found.kernel.find('<') != std::string::npos) remember_instance(found.kernel);
  found.line = line_at(at);
  found.in_main_file = at < p_.text.in_main_file.size() && p_.text.in_main_file[at];
  found.grid = dimensions(setup[0], found.grid_doubt);
  found.block = dimensions(setup[1], found.block_doubt);
  // What is certain stands, also where no GPU runs it: that is what there is to say about this launch.
  if (found.block && found.block->volume() > 1024 && found.block_doubt) found.block.reset();
  found.shared_doubt = told(setup[2].doubt);
  const bool sensible = setup[2].is_number() && setup[2].whole() >= 0 && setup[2].whole() <= 1 << 20;
  found.shared_bytes = sensible ? std::optional(static_cast<std::uint32_t>(setup[2].whole())) : std::nullopt;
  std::string key = found.kernel + "@" + std::to_string(found.line);
  const auto extent = [&](const std::optional<Dim3>& d) { key += d ? index_text(*d) : "?"; };
  extent(found.grid);
  extent(found.block);
  texts.resize(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    found.arguments.push_back(described(given[i].value, std::move(texts[i])));
    const LaunchArgument& argument = found.arguments.back();
    key += ";" + (argument.value ? std::to_string(*argument.value) : "") + "/" +
           (argument.bytes ? std::to_string(*argument.bytes) : "");
  }
  if (known_launches_.insert(std::move(key)).second) launches.push_back(std::move(found));
}

// cudaLaunchKernel((void*)f, grid, block, args, shared, stream), cudaLaunchKernelEx(&config, f, arguments...)
void HostMachine::launch_by_function(const std::string& name, std::vector<Operand>& given, std::size_t at) {
  std::array<HostValue, 3> setup;
  setup[2] = HostValue::of(0);
  std::vector<Operand> values;
  std::string kernel;
  if (name == "cudaLaunchKernelEx" || name == "cudaLaunchKernelExC") {
    if (given.size() < 2 || given[1].value.kind != HostValue::Kind::Function) return;
    kernel = given[1].value.text;
    const HostValue config = given[0].value.target ? given[0].value.target->value : given[0].value;
    const auto part = [&](const char* field, HostValue& out) {
      if (!config.object) return;
      if (const auto found = config.object->members.find(field); found != config.object->members.end())
        out = found->second->value;
    };
    part("gridDim", setup[0]);
    part("blockDim", setup[1]);
    part("dynamicSmemBytes", setup[2]);
    values.assign(given.begin() + 2, given.end());
  } else {
    if (given.size() < 4 || given[0].value.kind != HostValue::Kind::Function) return;
    kernel = given[0].value.text;
    setup[0] = given[1].value;
    setup[1] = given[2].value;
    if (given.size() > 4) setup[2] = given[4].value;
    if (given[3].value.object)
      for (const Place& place : given[3].value.object->elements)
        values.push_back(place->value.target ? Operand{place->value.target->value, place->value.target}
                                             : Operand{});
  }
  record(kernel, {}, setup, values, {}, at);
}

}  // namespace warplens::source
