#include "app/model/opened/adopt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "app/model/opened/argument_guess.h"
#include "app/model/run/kept_launch.h"
#include "app/model/run/signature.h"
#include "app/model/text/expression.h"
#include "engine/base/message.h"
#include "engine/base/text.h"
#include "engine/ptx/facts/data_dependence.h"
#include "engine/ptx/facts/function_facts.h"

namespace warplens::model {
namespace {

// How many blocks and threads where the file does not say, by the dimensions that the kernel asks about.
constexpr Dim3 kGrids[] = {{64, 1, 1}, {16, 16, 1}, {8, 8, 8}};
constexpr Dim3 kBlocks[] = {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}};

std::string_view plain(std::string_view name) {
  name = name.substr(0, name.find('<'));
  const auto scope = name.rfind("::");
  return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

// 1 to 3: which of .x, .y and .z the kernel reads of its indexes.
int dimensions_of(const Program& program, const std::string& mangled) {
  const std::string& text = program.ptx.text;
  std::size_t begin = text.find(".entry " + mangled + "(");
  if (begin == std::string::npos) begin = text.find(".entry " + mangled);
  if (begin == std::string::npos) return 1;
  const std::string_view body =
      std::string_view(text).substr(begin, std::min(text.find("\n}", begin), text.size()) - begin);
  const auto reads = [&](const char* axis) {
    return body.find(fmt::format("%tid{}", axis)) != std::string_view::npos ||
           body.find(fmt::format("%ctaid{}", axis)) != std::string_view::npos;
  };
  return reads(".z") ? 3 : reads(".y") ? 2 : 1;
}

// Of launches of one kernel the one that says most.
int certainty(const source::HostLaunch& launch) {
  int known = 0;
  for (const auto& [there, doubt] : {std::pair{launch.grid.has_value(), &launch.grid_doubt},
                                     std::pair{launch.block.has_value(), &launch.block_doubt}})
    known += there ? (*doubt ? 2 : 3) : 0;
  for (const source::LaunchArgument& argument : launch.arguments)
    known += argument.value || argument.bytes || !argument.structure.empty() ? 0 : -1;
  return 10 * (launch.grid.has_value() + launch.block.has_value()) + known;
}

struct Chosen {
  const Signature* signature = nullptr;
  const source::HostLaunch* launch = nullptr;
};

bool launches_it(const source::HostLaunch& launch, const Signature& s, bool exactly) {
  const bool is_template = s.name.find('<') != std::string::npos;
  if (launch.arguments.size() != s.parameters.size()) return false;
  if (plain(launch.kernel) != plain(s.name)) return false;
  return !exactly || !is_template || normal_name(launch.kernel) == normal_name(s.name);
}

Chosen choose(const source::HostReading& host, const std::vector<Signature>& signatures,
              const Signature* wanted) {
  Chosen best{wanted, nullptr};
  for (const bool exactly : {true, false}) {
    for (const source::HostLaunch& launch : host.launches) {
      const auto match = std::find_if(signatures.begin(), signatures.end(), [&](const Signature& s) {
        return (wanted == nullptr || &s == wanted) && launches_it(launch, s, exactly);
      });
      if (match == signatures.end()) continue;
      // Without a wish the first kernel that is launched; of its launches the best known.
      if (best.launch != nullptr && &*match != best.signature) continue;
      if (best.launch == nullptr || certainty(launch) > certainty(*best.launch)) best = {&*match, &launch};
    }
    if (best.launch != nullptr) break;
  }
  if (best.signature == nullptr) best.signature = &signatures.front();
  return best;
}

Slider slider(std::string name, std::int64_t low, std::int64_t high, std::int64_t value, bool pow2) {
  Slider s;
  s.name = name;
  s.title["en"] = name;
  s.min = low;
  s.max = high;
  s.value = std::clamp(value, low, high);
  s.powers_of_two = pow2;
  return s;
}

std::string extent_text(Dim3 d) {
  return d.z > 1   ? fmt::format("{},{},{}", d.x, d.y, d.z)
         : d.y > 1 ? fmt::format("{},{}", d.x, d.y)
                   : fmt::format("{}", d.x);
}

// grid or block: what the file says, else ours; and what there is to say about it.
Dim3 extents(Adopted& adopted, const char* what, const std::optional<Dim3>& found,
             const std::optional<source::Doubt>& doubt, bool launched, Dim3 ours) {
  const Dim3 used = found.value_or(ours);
  if (!found || doubt)
    adopted.assumed.push_back(
        {what, extent_text(used), why_of(doubt, found.has_value(), launched), -1,
         found && !is_ours(doubt) ? Assumption::Ours::Nothing : Assumption::Ours::Value});
  return used;
}

void further(std::vector<std::string>& out, Dim3 d) {
  if (d.y > 1 || d.z > 1) out.push_back(std::to_string(d.y));
  if (d.z > 1) out.push_back(std::to_string(d.z));
}

void set_extents(GalleryKernel& kernel, Dim3 grid, Dim3 block) {
  // A launch that no GPU runs is kept as it is, so that this is what is said about it.
  kernel.sliders.push_back(slider("grid", std::min(1u, grid.x),
                                  std::max<std::int64_t>(std::int64_t{grid.x} * 2, 256), grid.x, false));
  const bool pow2 = block.x > 0 && (block.x & (block.x - 1)) == 0;
  const std::uint64_t most = 1024 / std::max<std::uint64_t>(1, std::uint64_t{block.y} * block.z);
  kernel.sliders.push_back(slider("block", std::min(1u, block.x),
                                  static_cast<std::int64_t>(std::max<std::uint64_t>(most, block.x)), block.x,
                                  pow2));
  kernel.grid = {"grid"};
  kernel.block = {"block"};
  further(kernel.grid, grid);
  further(kernel.block, block);
}

// Bytes of an element of the array without extent that the kernel uses; 0: it uses none, whatever others in
// its file do.
std::uint64_t dynamic_element(const Program& program, const std::string& mangled) {
  const auto entry = program.module->find_entry(mangled);
  if (!entry) return 0;
  const auto facts = ptx::facts_of(*program.module, **entry);
  if (facts->shared().dynamic.empty()) return 0;
  const std::uint64_t alignment = facts->shared().dynamic.front().variable->alignment;
  return std::max<std::uint64_t>(4, alignment > 16 ? 4 : alignment);
}

void set_shared(Adopted& adopted, const Program& program, const source::HostLaunch* launch, Dim3 block) {
  GalleryKernel& kernel = adopted.kernel;
  if (launch != nullptr && launch->shared_bytes) {
    kernel.shared = std::to_string(*launch->shared_bytes);
    if (launch->shared_doubt)
      adopted.assumed.push_back(
          {"shared", kernel.shared, why_of(launch->shared_doubt, true, true), -1,
           is_ours(launch->shared_doubt) ? Assumption::Ours::Value : Assumption::Ours::Nothing});
    return;
  }
  const std::uint64_t element = dynamic_element(program, kernel.kernel);
  if (element == 0) return;
  kernel.shared = fmt::format("{} * block", element * block.y * block.z);
  adopted.assumed.push_back(
      {"shared", "{" + kernel.shared + "}", {"assumed.shared", {{"bytes", value_of(element)}}}, -1});
}

Error not_named(const Program& program, const std::string& name, const std::vector<Signature>& signatures) {
  std::string names;
  for (const Signature& s : signatures) names += (names.empty() ? "" : ", ") + s.name;
  return told(ErrorKind::Usage, {"open.not_named", {{"name", value_of(name)}, {"names", value_of(names)}}},
              {program.file, 0, 0});
}

}  // namespace

std::vector<const source::DeclaredKernel*> waiting_templates(const Program& program) {
  std::vector<const source::DeclaredKernel*> out;
  const auto entries = entries_of(program);
  for (const source::DeclaredKernel& kernel : program.host.kernels) {
    const auto same = [&](const source::DeclaredKernel* other) { return other->name == kernel.name; };
    const auto instance = [&](const ptx::Function* entry) {
      return plain(signature_of(program, *entry).name) == plain(kernel.name);
    };
    if (!kernel.template_parameters.empty() && std::ranges::none_of(out, same) &&
        std::ranges::none_of(entries, instance))
      out.push_back(&kernel);
  }
  return out;
}

std::string example_instance(const source::DeclaredKernel& kernel) {
  std::string values;
  for (const std::string& parameter : kernel.template_parameters)
    values += (values.empty() ? "" : ", ") + std::string(parameter.starts_with("typename") ? "float" : "256");
  return fmt::format("{}<{}>", kernel.name, values);
}

Error waits_for_instance(const Program& program, const source::DeclaredKernel& kernel) {
  return told(
      ErrorKind::Usage,
      {"open.template", {{"name", value_of(kernel.name)}, {"example", value_of(example_instance(kernel))}}},
      {program.file, kernel.line, 0});
}

namespace {

// Bytes that no compiler reads as a program. Nothing: it may well be one.
std::optional<Error> no_text(const Program& program) {
  const std::string_view text = program.text;
  const auto zero = [&](std::size_t i) { return i < text.size() && text[i] == '\0'; };
  const bool utf16 = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") || (zero(0) && zero(2)) ||
                     (zero(1) && zero(3));
  const std::size_t at = text.find('\0');
  if (utf16) return told(ErrorKind::Usage, {"open.utf16", {}}, {program.file, 0, 0});
  if (at == std::string_view::npos) return std::nullopt;
  return told(ErrorKind::Usage, {"open.no_text", {{"byte", value_of(at)}}}, {program.file, 0, 0});
}

// What stands before the first <<<, and its line.
std::optional<std::pair<std::string, int>> launched_function(std::string_view text) {
  const std::size_t at = text.find("<<<");
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t end = at;
  while (end > 0 && text[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && is_name_character(text[begin - 1])) --begin;
  if (begin == end) return std::nullopt;
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return std::pair(std::string(text.substr(begin, end - begin)), static_cast<int>(line));
}

}  // namespace

Error no_kernel(const Program& program) {
  const source::HostReading& host = program.host;
  const auto templates = waiting_templates(program);
  if (templates.size() == 1) return waits_for_instance(program, *templates.front());
  if (!templates.empty()) {
    std::string names;
    for (const source::DeclaredKernel* kernel : templates)
      names += fmt::format("{}{}:{}", names.empty() ? "" : ", ", kernel->name, kernel->line);
    return told(ErrorKind::Usage,
                {"open.templates",
                 {{"names", value_of(names)}, {"example", value_of(example_instance(*templates.front()))}}},
                {program.file, templates.front()->line, 0});
  }
  if (!host.kernels.empty()) {
    const source::DeclaredKernel& kernel = host.kernels.front();
    return told(ErrorKind::Usage,
                {"open.only_declared", {{"name", value_of(kernel.name)}, {"line", value_of(kernel.line)}}},
                {program.file, kernel.line, 0});
  }
  if (auto why = no_text(program)) return *why;
  const bool marked = program.text.find("__global__") != std::string::npos;
  if (const auto launched = launched_function(program.text); !marked && launched)
    return told(ErrorKind::Usage, {"open.not_marked", {{"name", value_of(launched->first)}}},
                {program.file, launched->second, 0});
  return told(ErrorKind::Usage, {marked ? "open.left_out" : "open.no_kernel", {}}, {program.file, 0, 0});
}

Result<Adopted> adopt(const Program& program, const std::string& name) {
  const auto kept = kept_of(program);
  if (!kept) return kept.error();
  if (*kept) return adopt_kept(program, **kept);
  const source::HostReading& host = program.host;
  std::vector<Signature> signatures;
  for (const ptx::Function* entry : entries_of(program)) signatures.push_back(signature_of(program, *entry));
  if (signatures.empty()) return no_kernel(program);
  const Signature* wanted = nullptr;
  for (const bool exactly : {true, false})
    for (const Signature& s : signatures)
      if (wanted == nullptr && !name.empty() &&
          (s.mangled == name || normal_name(s.name) == normal_name(name) ||
           (!exactly && plain(s.name) == plain(name))))
        wanted = &s;
  if (wanted == nullptr && !name.empty()) {
    for (const source::DeclaredKernel* kernel : waiting_templates(program))
      if (plain(kernel->name) == plain(name)) return waits_for_instance(program, *kernel);
    return not_named(program, name, signatures);
  }
  const Chosen chosen = choose(host, signatures, wanted);
  const source::HostLaunch* const launch = chosen.launch;

  Adopted adopted;
  adopted.launched = launch != nullptr;
  if (name.empty() && signatures.size() > 1)
    adopted.assumed.push_back({"kernel", chosen.signature->name, {"assumed.kernel", {}}, -1});
  GalleryKernel& kernel = adopted.kernel;
  kernel.id = std::filesystem::path(program.file).filename().string();
  kernel.file = program.file;
  kernel.kernel = chosen.signature->mangled;
  kernel.title["en"] = chosen.signature->name;
  const int dimensions = dimensions_of(program, kernel.kernel);
  const bool launched = launch != nullptr;
  const Dim3 grid = extents(adopted, "grid", launched ? launch->grid : std::nullopt,
                            launched ? launch->grid_doubt : std::nullopt, launched, kGrids[dimensions - 1]);
  const Dim3 block =
      extents(adopted, "block", launched ? launch->block : std::nullopt,
              launched ? launch->block_doubt : std::nullopt, launched, kBlocks[dimensions - 1]);
  set_extents(kernel, grid, block);
  set_shared(adopted, program, launch, block);
  ArgumentQuestion question{host, *chosen.signature, launch, grid, block, {}, {}};
  for (const ptx::Function* entry : entries_of(program)) {
    if (entry->name != kernel.kernel) continue;
    for (const ptx::Variable& parameter : entry->parameters) question.bytes.push_back(parameter.bytes());
    question.data = ptx::data_dependence(*program.module, *entry);
  }
  guess_arguments(question, adopted);
  return adopted;
}

std::vector<Assumption> assumptions_of(const Adopted& adopted, const SliderValues& values) {
  std::vector<Assumption> out = adopted.assumed;
  for (Assumption& assumption : out)
    if (auto filled = interpolate(assumption.value, values)) assumption.value = *filled;
  return out;
}

namespace {

// A structure, a closure, or what is passed as their bits.
bool is_made_up(const Assumption& a) {
  const bool structure = a.value.starts_with("struct:");
  const bool bits = a.value.starts_with("u") && a.value.find(':') != std::string::npos &&
                    a.value.find('{') == std::string::npos;
  return a.argument >= 0 && a.ours == Assumption::Ours::Value && (structure || bits);
}

}  // namespace

bool own_up_to_addresses(const Program& program, const std::string& kernel,
                         const std::vector<Assumption>& assumed, trace::Fault& fault) {
  using trace::FaultKind;
  if (fault.kind != FaultKind::OutOfBounds && fault.kind != FaultKind::InvalidAddress &&
      fault.kind != FaultKind::Misaligned)
    return false;
  const auto entry = program.module->find_entry(kernel);
  if (!entry || *entry == nullptr) return false;
  std::vector<std::uint32_t> by_value;
  for (const Assumption& a : assumed)
    if (is_made_up(a)) by_value.push_back(static_cast<std::uint32_t>(a.argument));
  const auto sources = ptx::address_sources(*program.module, **entry, fault.ptx_line, by_value);
  std::string names;
  for (const Assumption& a : assumed) {
    const bool ours =
        is_made_up(a) || ((a.ours == Assumption::Ours::Size || a.ours == Assumption::Ours::Contents) &&
                          a.value.starts_with("buf:"));
    if (ours && std::ranges::find(sources, static_cast<std::uint32_t>(a.argument)) != sources.end())
      names += (names.empty() ? "" : ", ") + a.what;
  }
  if (names.empty()) return false;
  fault.what = {"fault.made_up_address", {{"names", value_of(names)}}};
  return true;
}

std::optional<Message> made_up_arguments(const std::vector<Assumption>& assumed) {
  std::string names;
  for (const Assumption& a : assumed)
    if (is_made_up(a)) names += (names.empty() ? "" : ", ") + a.what;
  if (names.empty()) return std::nullopt;
  return Message{"assumed.made_up", {{"names", value_of(names)}}};
}

void own_up_to_sizes(const std::vector<Assumption>& assumed, Message& fault) {
  std::string name;
  for (auto& [label, value] : fault.values) {
    if (auto* const parts = std::get_if<std::vector<Message>>(&value))
      for (Message& part : *parts) own_up_to_sizes(assumed, part);
    else if (const auto* text = std::get_if<std::string>(&value); text != nullptr && label == "name")
      name = *text;
  }
  const std::string_view key = fault.key;
  const bool past = key == "fault.element.past" || key == "fault.element.empty" ||
                    key == "fault.element.given" || key == "fault.element.wider";
  for (const Assumption& a : assumed)
    if (past && !name.empty() && a.what == name && a.ours == Assumption::Ours::Size)
      fault.key = "fault.element.size_is_ours";
}

}  // namespace warplens::model
