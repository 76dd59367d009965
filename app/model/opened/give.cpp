#include "app/model/opened/give.h"

#include <algorithm>
#include <charconv>

#include "app/model/run/kept_launch.h"
#include "app/model/run/signature.h"
#include "engine/base/message.h"

namespace warplens::model {
namespace {

// `expected`: a key of open.give.
Error wrong(const std::string& what, const std::string& text, const char* expected) {
  return told(ErrorKind::Usage, {"open.give.does_not_fit",
                                 {{"what", value_of(what)},
                                  {"text", value_of(text)},
                                  {"expected", Key{std::string("open.give.") + expected}}}});
}

std::optional<std::int64_t> whole(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The slider goes as far as what was asked for.
void set(Slider& slider, std::int64_t value) {
  slider.min = std::min(slider.min, value);
  slider.max = std::max(slider.max, value);
  slider.value = value;
  slider.powers_of_two = slider.powers_of_two && value > 0 && (value & (value - 1)) == 0;
}

Status give_extent(GalleryKernel& kernel, const std::string& what, const std::string& text) {
  std::vector<std::int64_t> extents;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto one = whole(std::string_view(text).substr(begin, end - begin));
    if (!one || *one < 1 || *one > 2147483647 || extents.size() == 3) return wrong(what, text, "extent");
    extents.push_back(*one);
    begin = end + 1;
  }
  Slider* const x = kernel.slider(what);
  if (x == nullptr) return wrong(what, text, "no_such_extent");
  set(*x, extents.front());
  std::vector<std::string>& of_kernel = what == "grid" ? kernel.grid : kernel.block;
  of_kernel = {what};
  for (std::size_t i = 1; i < extents.size(); ++i) of_kernel.push_back(std::to_string(extents[i]));
  return Done{};
}

// "buf:f32:{n}:hash": where the size stands.
std::pair<std::size_t, std::size_t> size_in(const std::string& argument) {
  const std::size_t type = argument.find(':'), size = argument.find(':', type + 1);
  const std::size_t end = size == std::string::npos ? size : argument.find(':', size + 1);
  return {size, end};
}

Status give_argument(GalleryKernel& kernel, const Assumption& assumption, const std::string& text) {
  std::string& argument = kernel.arguments[static_cast<std::size_t>(assumption.argument)];
  if (text.find(':') != std::string::npos) {
    argument = text;
    const auto [size, end] = size_in(text);
    if (!text.starts_with("buf:") || end == std::string::npos) return Done{};
    // A size that has to be worked out is so in a whole argument too: "buf:f32:4 * n:zero".
    const std::string count = text.substr(size + 1, end - size - 1);
    if (!count.empty() && !whole(count) && count.find('{') == std::string::npos)
      argument = text.substr(0, size + 1) + "{" + count + "}" + text.substr(end);
    return Done{};
  }
  if (argument.starts_with("buf:")) {
    const auto [size, end] = size_in(argument);
    if (text.empty() || end == std::string::npos) return wrong(assumption.what, text, "buffer");
    const bool braced = text.starts_with('{');
    argument = argument.substr(0, size + 1) + (braced ? text : "{" + text + "}") + argument.substr(end);
    return Done{};
  }
  const std::size_t colon = argument.find(':');
  std::string value = argument.substr(colon + 1);
  if (value.starts_with('{') && value.ends_with('}'))
    if (Slider* const number = kernel.slider(value.substr(1, value.size() - 2))) {
      const auto given = whole(text);
      if (!given) return wrong(assumption.what, text, "number");
      set(*number, *given);
      return Done{};
    }
  argument = argument.substr(0, colon + 1) + text;
  return Done{};
}

Status change(GalleryKernel& kernel, const Assumption& assumption, const std::string& text) {
  if (assumption.what == "grid" || assumption.what == "block")
    return give_extent(kernel, assumption.what, text);
  if (assumption.what == "shared") {
    const auto bytes = whole(text);
    if (!bytes || *bytes < 0) return wrong("shared", text, "bytes");
    kernel.shared = std::to_string(*bytes);
    return Done{};
  }
  const bool is_argument =
      assumption.argument >= 0 && static_cast<std::size_t>(assumption.argument) < kernel.arguments.size();
  if (!is_argument) return wrong(assumption.what, text, "kernel");
  return give_argument(kernel, assumption, text);
}

}  // namespace

Status give(Adopted& adopted, const std::string& what, const std::string& text) {
  const auto found = std::ranges::find(adopted.assumed, what, &Assumption::what);
  if (found == adopted.assumed.end()) return wrong(what, text, "nothing_assumed");
  GalleryKernel changed = adopted.kernel;
  if (const Status fits = change(changed, *found, text); !fits) return fits;
  if (const auto runs = launch_of(changed, default_values(changed)); !runs) return runs.error();
  adopted.kernel = std::move(changed);
  found->why = {"assumed.yours", {}};
  found->ours = Assumption::Ours::Nothing;
  if (found->argument >= 0)
    found->value = adopted.kernel.arguments[static_cast<std::size_t>(found->argument)];
  else
    found->value = text;
  return Done{};
}

void list_arguments(const Program& program, Adopted& adopted) {
  // Of a kept launch nothing is assumed: it has what the program had.
  if (const auto kept = kept_of(program); kept && *kept) return;
  const auto entry = program.module->find_entry(adopted.kernel.kernel);
  if (!entry) return;
  const Signature signature = signature_of(program, **entry);
  const std::vector<std::string>& arguments = adopted.kernel.arguments;
  for (std::size_t i = 0; i < arguments.size() && i < signature.parameters.size(); ++i) {
    const auto known = std::ranges::find(adopted.assumed, static_cast<int>(i), &Assumption::argument);
    if (known != adopted.assumed.end())
      known->value = arguments[i];
    else if (arguments[i].starts_with("buf:"))
      adopted.assumed.push_back({signature.parameters[i].name,
                                 arguments[i],
                                 {"assumed.contents", {}},
                                 static_cast<int>(i),
                                 Assumption::Ours::Contents});
  }
}

}  // namespace warplens::model
