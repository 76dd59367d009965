#include "app/model/run/fault_names.h"

#include <algorithm>

#include "engine/base/place_name.h"
#include "engine/source/array_extents.h"

namespace warplens::model {
namespace {

MessageValue* find(Message& message, std::string_view name) {
  for (auto& [key, value] : message.values)
    if (key == name) return &value;
  return nullptr;
}

std::int64_t number(Message& message, std::string_view name) {
  const MessageValue* value = find(message, name);
  const auto* const whole = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  return whole == nullptr ? 0 : *whole;
}

// 85 in [16][17] is [5][0]; in front of the array the first index is negative.
std::string index_text_of(std::int64_t index, const std::vector<std::uint64_t>& extents) {
  std::string text;
  for (std::size_t d = extents.size(); d-- > 1;) {
    const auto extent = static_cast<std::int64_t>(extents[d]);
    const std::int64_t inner = ((index % extent) + extent) % extent;
    text.insert(0, "[" + std::to_string(inner) + "]");
    index = (index - inner) / extent;
  }
  return "[" + std::to_string(index) + "]" + text;
}

// fault.as_element: an element of an array of several dimensions is named by all of its indexes.
void name_element(const Program& program, Message& element) {
  MessageValue *name = find(element, "name"), *index = find(element, "index"),
               *width = find(element, "width");
  const auto* const array = name == nullptr ? nullptr : std::get_if<std::string>(name);
  if (array == nullptr || index == nullptr || width == nullptr || program.is_ptx) return;
  const std::int64_t bytes = number(element, "bytes");
  const std::vector<std::uint64_t> extents =
      source::extents_of_array(program.text, program.defines, *array, static_cast<std::uint64_t>(bytes),
                               static_cast<std::uint64_t>(number(element, "width")));
  if (extents.empty()) return;
  std::int64_t each = bytes;
  for (const std::uint64_t extent : extents) each /= static_cast<std::int64_t>(extent);
  const std::int64_t byte = number(element, "byte"), first = ((byte % each) + each) % each;
  *index = index_text_of((byte - first) / each, extents);
  *width = each;
}

}  // namespace

void name_fault(const Program& program, const Signature& signature, Message& what) {
  for (auto& [name, value] : what.values) {
    auto* const parts = std::get_if<std::vector<Message>>(&value);
    if (parts == nullptr) continue;
    for (Message& part : *parts) {
      name_fault(program, signature, part);
      if (part.key == "fault.as_element") name_element(program, part);
    }
    if (parts->size() != 1 || parts->front().key != "fault.argument") continue;
    const auto position = static_cast<std::size_t>(number(parts->front(), "index"));
    if (position < signature.parameters.size() && !argument_number(signature.parameters[position].name))
      value = signature.parameters[position].name;
  }
}

}  // namespace warplens::model
