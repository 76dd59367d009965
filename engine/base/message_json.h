// A Message as JSON and back: for errors that go through a process's socket or stay in a cache.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/message.h"

namespace warplens {

inline nlohmann::json message_json(const Message& message);

inline nlohmann::json value_json(const MessageValue& value) {
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

inline nlohmann::json message_json(const Message& message) {
  nlohmann::json values = nlohmann::json::array();
  for (const auto& [name, value] : message.values) values.push_back({name, value_json(value)});
  return {{"key", message.key}, {"values", std::move(values)}};
}

// Throws nlohmann::json::exception where it is none.
inline Message message_from(const nlohmann::json& json);

inline MessageValue value_from(const nlohmann::json& json) {
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

inline Message message_from(const nlohmann::json& json) {
  Message out{json.at("key"), {}};
  for (const nlohmann::json& value : json.at("values"))
    out.values.emplace_back(value.at(0).get<std::string>(), value_from(value.at(1)));
  return out;
}

}  // namespace warplens
