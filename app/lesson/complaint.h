// What is wrong with a lesson, in the reader's language: assets/messages/*/check.toml has a text for each
// key.
//
//   reader.fail(&node, complaint("no_slider", "kernel", kernel.id, "name", name, "known", known));
#pragma once

#include <string>
#include <vector>

#include "engine/base/message.h"

namespace warplens::lesson {

inline MessageValue complaint_value(MessageValue value) {
  return value;
}
inline MessageValue complaint_value(std::vector<Message> messages) {
  return messages;
}
template <typename T>
MessageValue complaint_value(const T& value) requires requires {
  warplens::value_of(value);
}
{ return warplens::value_of(value); }

inline void add_values(Message&) {}
template <typename T, typename... Rest>
void add_values(Message& message, const char* name, const T& value, const Rest&... rest) {
  message.values.emplace_back(name, complaint_value(value));
  add_values(message, rest...);
}

// Names and values in turns.
template <typename... Values>
Message complaint(const char* key, const Values&... values) {
  Message out{std::string("check.") + key, {}};
  add_values(out, values...);
  return out;
}

// What an error says, for another one that is told elsewhere: its Message, or its English sentence.
inline Message message_of(const Error& error) {
  return error.said ? *error.said : complaint("as_it_is", "what", error.message);
}

}  // namespace warplens::lesson
