#include "engine/gpu/error_frame.h"

#include <algorithm>
#include <array>
#include <utility>

namespace warplens::gpu {

namespace {

constexpr std::array<std::pair<ErrorKind, const char*>, 6> kKinds{{{ErrorKind::Usage, "usage"},
                                                                   {ErrorKind::Compile, "compile"},
                                                                   {ErrorKind::Unsupported, "unsupported"},
                                                                   {ErrorKind::Fault, "fault"},
                                                                   {ErrorKind::Cancelled, "cancelled"},
                                                                   {ErrorKind::System, "system"}}};

nlohmann::json message_json(const Message& message);

nlohmann::json value_json(const MessageValue& value) {
  if (const Key* key = std::get_if<Key>(&value)) return {{"key", key->name}};
  if (const auto* parts = std::get_if<std::vector<Message>>(&value)) {
    nlohmann::json all = nlohmann::json::array();
    for (const Message& part : *parts) all.push_back(message_json(part));
    return all;
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::get<std::string>(value);
}

nlohmann::json message_json(const Message& message) {
  nlohmann::json values = nlohmann::json::array();
  for (const auto& [name, value] : message.values) values.push_back({name, value_json(value)});
  return {{"key", message.key}, {"values", std::move(values)}};
}

Message message_from(const nlohmann::json& json);

MessageValue value_from(const nlohmann::json& json) {
  if (json.is_object()) return Key{json.at("key")};
  if (json.is_array()) {
    std::vector<Message> parts;
    for (const nlohmann::json& part : json) parts.push_back(message_from(part));
    return parts;
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

Message message_from(const nlohmann::json& json) {
  Message out{json.at("key"), {}};
  for (const nlohmann::json& value : json.at("values"))
    out.values.emplace_back(value.at(0).get<std::string>(), value_from(value.at(1)));
  return out;
}

}  // namespace

Frame error_frame(const Error& error) {
  const auto kind = std::ranges::find(kKinds, error.kind, &std::pair<ErrorKind, const char*>::first);
  Frame out{{{"error", error.message}, {"notes", error.notes}, {"kind", kind->second}}, {}};
  if (error.said) out.head["said"] = message_json(*error.said);
  return out;
}

bool is_error(const Frame& frame) {
  return frame.head.contains("error");
}

Error error_from(const Frame& frame) {
  const std::string name = frame.head.at("kind");
  const auto kind =
      std::ranges::find_if(kKinds, [&](const auto& candidate) { return candidate.second == name; });
  Error out{kind == kKinds.end() ? ErrorKind::System : kind->first,
            frame.head.at("error"),
            {},
            frame.head.at("notes")};
  if (frame.head.contains("said"))
    out.said = std::make_shared<const Message>(message_from(frame.head["said"]));
  return out;
}

int driver_code(const Error& error) {
  if (!error.said || error.said->key != "gpu.driver.failed") return 0;
  for (const auto& [name, value] : error.said->values)
    if (name == "code") return static_cast<int>(std::get<std::int64_t>(value));
  return 0;
}

}  // namespace warplens::gpu
