// HostMachine: what the CUDA runtime, the standard library and Thrust do, as far as sizes depend on it.
#include <algorithm>
#include <cmath>

#include "engine/source/host_machine.h"

namespace warplens::source {
namespace {

bool starts(const std::string& text, std::string_view with) {
  return text.starts_with(with);
}

// Rows of cudaMallocPitch begin at multiples of this on the GPUs that there are.
constexpr std::uint64_t kPitch = 512;

struct Allocator {
  std::string_view name;
  std::size_t bytes;  // the argument that says how many
};
constexpr Allocator kAllocators[] = {{"cudaMalloc", 1},        {"cudaMallocManaged", 1},
                                     {"cudaMallocHost", 1},    {"cudaHostAlloc", 1},
                                     {"cudaMallocAsync", 1},   {"cuMemAlloc", 1},
                                     {"cuMemAllocManaged", 1}, {"cudaMallocFromPoolAsync", 1}};

}  // namespace

HostValue HostMachine::pointer_value(const HostValue& bytes, const TypeRef& type) const {
  HostValue pointer;
  pointer.kind = HostValue::Kind::Pointer;
  pointer.type = type;
  pointer.allocation = std::make_shared<Allocation>();
  if (bytes.is_number() && bytes.whole() >= 0)
    pointer.allocation->bytes = static_cast<std::uint64_t>(bytes.whole());
  pointer.allocation->doubt = bytes.doubt;
  return pointer;
}

// A container of `count` elements.
HostValue HostMachine::sequence(const TypeRef& type, const HostValue& count) const {
  HostValue out;
  out.kind = HostValue::Kind::Object;
  out.type = type;
  out.object = std::make_shared<Object>();
  out.object->counted = count.is_number() && count.whole() >= 0;
  if (out.object->counted) out.object->count = static_cast<std::uint64_t>(count.whole());
  const std::uint64_t size = type && type->element ? type->element->size : 0;
  out.allocation = std::make_shared<Allocation>();
  if (out.object->counted && size > 0) out.allocation->bytes = size * out.object->count;
  out.allocation->doubt = count.doubt;
  out.doubt = count.doubt;
  return out;
}

bool HostMachine::allocate(const std::string& name, std::vector<Operand>& given, std::size_t at) {
  const auto set = [&](std::size_t index, HostValue value) {
    if (index >= given.size()) return;
    const Place& target = given[index].value.target;
    if (!target) return;
    if (target->type && target->type->kind == Type::Kind::Pointer) value.type = target->type;
    store(target, std::move(value));
  };
  for (const Allocator& allocator : kAllocators) {
    if (name != allocator.name) continue;
    if (given.size() > allocator.bytes) set(0, pointer_value(given[allocator.bytes].value, nullptr));
    return true;
  }
  if (name == "cudaMallocPitch" && given.size() >= 4) {
    const HostValue& width = given[2].value;
    HostValue pitch = HostValue::unknown(width.doubt, builtin_type("size_t"));
    if (width.is_number()) {
      pitch = HostValue::of(static_cast<std::int64_t>(
                                (static_cast<std::uint64_t>(width.whole()) + kPitch - 1) / kPitch * kPitch),
                            builtin_type("size_t"));
      pitch.doubt = doubt(Doubt::Why::Device, "pitch", at, true);
    }
    HostValue pointer = pointer_value(binary("*", pitch, given[3].value), nullptr);
    set(0, std::move(pointer));
    if (given[1].value.target) store(given[1].value.target, pitch);
    return true;
  }
  if (name == "cudaHostGetDevicePointer" && given.size() >= 2) {
    HostValue value = given[1].value;
    value.type = nullptr;
    set(0, std::move(value));
    return true;
  }
  return false;
}

std::optional<HostValue> HostMachine::mathematics(const std::string& name,
                                                  const std::vector<Operand>& given) const {
  std::vector<HostValue> v;
  for (const Operand& operand : given) v.push_back(operand.value);
  DoubtRef why;
  for (const HostValue& value : v)
    if (!why || (value.doubt && !value.known())) why = value.doubt ? value.doubt : why;
  const bool numbers = std::all_of(v.begin(), v.end(), [](const HostValue& x) { return x.is_number(); });
  const auto real = [&](double x) {
    HostValue out = HostValue::of_real(x, builtin_type("double"));
    out.doubt = why;
    return out;
  };
  static const std::map<std::string_view, double (*)(double)> kReal = {
      {"ceil", std::ceil}, {"ceilf", std::ceil}, {"floor", std::floor}, {"floorf", std::floor},
      {"sqrt", std::sqrt}, {"sqrtf", std::sqrt}, {"log2", std::log2},   {"log2f", std::log2},
      {"log", std::log},   {"logf", std::log},   {"exp", std::exp},     {"round", std::round},
      {"fabs", std::fabs}, {"cbrt", std::cbrt},  {"log10", std::log10}, {"exp2", std::exp2}};
  if (v.size() == 1) {
    if (const auto found = kReal.find(name); found != kReal.end())
      return numbers ? real(found->second(v[0].number())) : HostValue::unknown(why, builtin_type("double"));
    if (name == "abs") return numbers && v[0].number() < 0 ? unary("-", v[0]) : v[0];
    if (name == "int_as_float" || name == "__float2half") return HostValue::unknown(why);
  }
  if (v.size() != 2) return std::nullopt;
  const bool smaller = name == "min" || name == "fmin" || name == "fminf";
  if (smaller || name == "max" || name == "fmax" || name == "fmaxf") {
    if (!numbers) return HostValue::unknown(why, v[0].type);
    const bool second = smaller ? v[1].number() < v[0].number() : v[1].number() > v[0].number();
    HostValue out = v[second ? 1 : 0];
    if (!out.doubt) out.doubt = why;
    return out;
  }
  if (name == "pow" || name == "powf")
    return numbers ? real(std::pow(v[0].number(), v[1].number())) : HostValue::unknown(why);
  if (name == "ldexp")
    return numbers ? real(std::ldexp(v[0].number(), static_cast<int>(v[1].whole()))) : HostValue{};
  return std::nullopt;
}

// What comes from outside of the program.
std::optional<HostMachine::Operand> HostMachine::input(const std::string& name, std::vector<Operand>& given,
                                                       std::size_t at) {
  static const std::set<std::string_view> kParse = {
      "atoi", "atol", "atoll", "stoi", "stol", "stoul", "stoull", "strtol", "strtoul", "strtoll", "strtoull"};
  static const std::set<std::string_view> kParseReal = {"atof", "stof", "stod", "strtod", "strtof"};
  static const std::set<std::string_view> kOutside = {
      "rand",  "random", "time", "clock", "fread", "fopen", "getchar", "drand48", "omp_get_max_threads",
      "getenv"};
  if (kParse.contains(name) || kParseReal.contains(name)) {
    DoubtRef why = given.empty() ? nullptr : given[0].value.doubt;
    if (!why || why->why == Doubt::Why::Unfollowed) why = doubt(Doubt::Why::Input, name, at);
    return Operand{HostValue::unknown(why, builtin_type(kParse.contains(name) ? "int" : "double")), nullptr};
  }
  if (name == "getopt" || name == "getopt_long") {
    HostValue none = HostValue::of(-1, builtin_type("int"));
    none.doubt = doubt(Doubt::Why::CommandLine, "getopt", at, true);
    return Operand{none, nullptr};
  }
  if (name == "checkCmdLineFlag" || name == "getCmdLineArgumentInt" || name == "getCmdLineArgumentString") {
    HostValue none = HostValue::of(0, builtin_type("int"));
    none.doubt = doubt(Doubt::Why::CommandLine, name, at, true);
    return Operand{none, nullptr};
  }
  if (kOutside.contains(name))
    return Operand{HostValue::unknown(doubt(Doubt::Why::Input, name, at),
                                      name == "fopen" || name == "getenv" ? nullptr : builtin_type("int")),
                   nullptr};
  if (name == "scanf" || name == "fscanf" || name == "sscanf") {
    for (const Operand& argument : given)
      if (argument.value.target)
        store(argument.value.target,
              HostValue::unknown(doubt(Doubt::Why::Input, name, at), argument.value.target->type), name);
    return Operand{HostValue::unknown(doubt(Doubt::Why::Input, name, at), builtin_type("int")), nullptr};
  }
  return std::nullopt;
}

// cudaX() and the like: what it writes is a property of the device or unknown, and it succeeds.
std::optional<HostMachine::Operand> HostMachine::runtime(const std::string& name, std::vector<Operand>& given,
                                                         std::size_t at) {
  const HostValue success = HostValue::of(0, builtin_type("int"));
  if (allocate(name, given, at)) return Operand{success, nullptr};
  const bool upper = name.size() > 4 && name[4] >= 'A' && name[4] <= 'Z';
  const bool is_runtime = starts(name, "cuda") && upper;
  const bool is_library = starts(name, "cublas") || starts(name, "curand") || starts(name, "cufft") ||
                          starts(name, "cusparse") || starts(name, "nvtx") ||
                          (starts(name, "cu") && name.size() > 2 && name[2] >= 'A' && name[2] <= 'Z');
  if (!is_runtime && !is_library) return std::nullopt;
  const bool device =
      name.find("Properties") != std::string::npos || name.find("Device") != std::string::npos ||
      name.find("Occupancy") != std::string::npos || name.find("Attribute") != std::string::npos;
  static const std::set<std::string_view> kReadOnly = {
      "cudaMemcpyToSymbol",      "cudaMemcpy",          "cudaMemset",
      "cudaMemcpyAsync",         "cudaMemcpy2D",        "cudaFree",
      "cudaMemcpyToSymbolAsync", "cudaFuncSetAttribute"};
  if (kReadOnly.contains(name)) return Operand{success, nullptr};
  if (name == "cudaGetDeviceCount" && !given.empty() && given[0].value.target) {
    HostValue one = HostValue::of(1, builtin_type("int"));
    one.doubt = doubt(Doubt::Why::Device, "cudaGetDeviceCount", at, true);
    store(given[0].value.target, one);
    return Operand{success, nullptr};
  }
  for (const Operand& argument : given) {
    const Place& target = argument.value.target;
    if (!target) continue;
    const bool handle = target->type && target->type->kind == Type::Kind::Unknown;
    const std::string what = name.find("Properties") != std::string::npos ? "device" : name;
    HostValue value = HostValue::unknown(
        doubt(device ? Doubt::Why::Device : Doubt::Why::Unfollowed, handle && device ? "device" : what, at),
        target->type);
    store(target, std::move(value));
  }
  return Operand{success, nullptr};
}

std::optional<HostMachine::Operand> HostMachine::library(const std::string& name, TokenRange templates,
                                                         std::vector<Operand>& given, std::size_t at) {
  if (auto done = runtime(name, given, at)) return done;
  if (auto done = input(name, given, at)) return done;
  if (auto value = mathematics(name, given)) return Operand{*value, nullptr};
  if (name == "malloc" && given.size() == 1) return Operand{pointer_value(given[0].value, nullptr), nullptr};
  if (name == "calloc" && given.size() == 2)
    return Operand{pointer_value(binary("*", given[0].value, given[1].value), nullptr), nullptr};
  if ((name == "aligned_alloc" || name == "realloc" || name == "memalign") && given.size() == 2)
    return Operand{pointer_value(given[1].value, nullptr), nullptr};
  if (name == "swap" && given.size() == 2 && given[0].place && given[1].place) {
    const HostValue first = given[0].place->value;
    store(given[0].place, given[1].place->value);
    store(given[1].place, first);
    return Operand{};
  }
  if (name == "move" || name == "forward" || name == "as_const" || name == "ref" || name == "cref") {
    if (given.size() == 1) return given[0];
  }
  if (name == "raw_pointer_cast" && given.size() == 1) {
    HostValue value = given[0].value;
    if (value.kind == HostValue::Kind::Object && value.allocation) {
      value.kind = HostValue::Kind::Pointer;
      value.type = pointer_to(value.type ? value.type->element : nullptr);
    }
    return Operand{value, nullptr};
  }
  if ((name == "make_unique" || name == "make_shared") && !templates.empty()) {
    const TypeSpec spec = type_at(templates.first, templates.last, true);
    HostValue value;
    value.kind = HostValue::Kind::Pointer;
    value.type = pointer_to(spec.type);
    if (is(spec.next, "[") && given.size() == 1 && spec.type)
      return Operand{pointer_value(binary("*", given[0].value,
                                          HostValue::of(static_cast<std::int64_t>(spec.type->size))),
                                   value.type),
                     nullptr};
    value.target = make_place(constructed(spec.type, std::move(given), at), spec.type);
    return Operand{value, nullptr};
  }
  if (name == "size" && given.size() == 1 && given[0].value.object)
    return sequence_method(given[0], name, given, at);
  if (starts(name, "make_") && name.size() > 6) {  // make_float4(...)
    if (const TypeRef type = builtin_type(name.substr(5)))
      return Operand{constructed(type, std::move(given), at), nullptr};
  }
  static const std::set<std::string_view> kQuiet = {
      "printf", "fprintf", "puts", "free", "memset",   "memcpy",  "srand", "assert", "fclose",
      "fflush", "sort",    "fill", "iota", "generate", "putchar", "fputs", "perror"};
  if (kQuiet.contains(name)) return Operand{HostValue::of(0, builtin_type("int")), nullptr};
  return std::nullopt;
}

std::optional<HostMachine::Operand> HostMachine::sequence_method(const Operand& object,
                                                                 const std::string& name,
                                                                 std::vector<Operand>& given,
                                                                 std::size_t at) {
  const HostValue& value = object.value;
  const bool is_sequence = value.type && value.type->kind == Type::Kind::Sequence;
  if (name == "get" && value.kind == HostValue::Kind::Pointer) return Operand{value, nullptr};
  if (!is_sequence || !value.object) return std::nullopt;
  Object& held = *value.object;
  const DoubtRef why = value.doubt ? value.doubt : doubt(Doubt::Why::Unfollowed, name, at);
  if (name == "size" || name == "length")
    return Operand{held.counted
                       ? [&] {
                           HostValue count =
                               HostValue::of(static_cast<std::int64_t>(held.count), builtin_type("size_t"));
                           count.doubt = value.doubt;
                           return count;
                         }()
                       : HostValue::unknown(why, builtin_type("size_t")),
                   nullptr};
  if (name == "data" || name == "begin" || name == "get") {
    HostValue pointer = value;
    pointer.kind = HostValue::Kind::Pointer;
    pointer.object.reset();
    pointer.type = pointer_to(value.type->element);
    return Operand{pointer, nullptr};
  }
  if (name == "empty") {
    return Operand{held.counted ? HostValue::of(held.count == 0 ? 1 : 0) : HostValue::unknown(why), nullptr};
  }
  const bool grows = name == "resize" || name == "assign";
  const bool changes = grows || name == "push_back" || name == "emplace_back" || name == "clear" ||
                       name == "insert" || name == "pop_back" || name == "erase";
  if (changes && object.place) {
    HostValue count = HostValue::unknown(doubt(Doubt::Why::Unfollowed, name, at));
    if (grows && !given.empty()) count = given[0].value;
    if (name == "clear") count = HostValue::of(0);
    if (name == "push_back" && held.counted) {
      count = HostValue::of(static_cast<std::int64_t>(held.count + 1));
      count.doubt = value.doubt;
    }
    store(object.place, sequence(value.type, count));
    return Operand{};
  }
  if (name == "at" && given.size() == 1) return subscript(object, given[0].value);
  return std::nullopt;
}

}  // namespace warplens::source
