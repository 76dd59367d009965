// Texts for people. Parts below the window never build a sentence: they return a Message (a key and named
// values), and a Catalogue turns it into English or Chinese.
//
//   Message m{"explain.stride", {{"stride", 2}, {"sectors", 8}}};
//   catalogue.text(m);  // "Stride 2: 32 lanes span 8 sectors ..."
//
// Catalogues are assets/messages/LANGUAGE/*.toml, one file a part of the program: tables of key = "text with
// {named} values"; a value may carry a format as in {ratio:.1f}, and {lanes?lane|lanes} is the first word
// where the value is one, else the second. A key that is missing in one language falls back to English, then
// to the key itself. A value that is itself a key is written as Key{"..."} and is translated before it is
// inserted; a value of several Messages is their texts one after another (none: nothing).
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/result.h"

namespace warplens {

// The languages of assets/messages. Where something must be said in each, it is said for each of these.
inline constexpr std::array<const char*, 2> kLanguages{"en", "zh"};
// What is the same in each: a name.
inline std::map<std::string, std::string> in_all_languages(const std::string& text) {
  std::map<std::string, std::string> out;
  for (const char* language : kLanguages) out[language] = text;
  return out;
}

struct Key {
  std::string name;
  bool operator==(const Key&) const = default;
};

struct Message;
using MessageValue = std::variant<std::int64_t, double, std::string, Key, std::vector<Message>>;

struct Message {
  std::string key;
  std::vector<std::pair<std::string, MessageValue>> values;
  bool operator==(const Message&) const = default;
};

// Helpers so that call sites need no casts.
inline MessageValue value_of(std::integral auto v) {
  return static_cast<std::int64_t>(v);
}
inline MessageValue value_of(double v) {
  return v;
}
inline MessageValue value_of(std::string v) {
  return v;
}
inline MessageValue value_of(const char* v) {
  return std::string(v);
}
inline MessageValue value_of(Key v) {
  return v;
}
inline MessageValue value_of(Message v) {
  return std::vector<Message>{std::move(v)};
}

// An error that can be told in every language. Its English sentence, for the command line and reports, is the
// catalogue's own: nothing is written twice. Errors of a machine without the catalogue's files carry the key.
Error told(ErrorKind kind, Message message, Place place = {});
// The same where no catalogue is at hand: whoever has one tells it, and its text is the key until then.
inline Error untold(ErrorKind kind, Message message, Place place = {}) {
  std::string key = message.key;
  return {kind, std::move(key), std::move(place), {}, std::make_shared<const Message>(std::move(message))};
}
// An error within another message: in the reader's language where it has a Message.
inline MessageValue value_of(const Error& error) {
  return error.said ? value_of(*error.said) : value_of(error.message);
}
// The same with its place in front: "report.json: cannot write here ...".
inline MessageValue with_place(const Error& error) {
  std::string place = Error{error.kind, {}, error.place, {}}.text();  // "report.json: "
  while (place.ends_with(' ') || place.ends_with(':')) place.pop_back();
  if (place.empty()) return value_of(error);
  return value_of(Message{"file.at", {{"place", value_of(std::move(place))}, {"what", value_of(error)}}});
}

class Catalogue {
 public:
  // assets/messages/<language>/*.toml over English; a program reads them once. Fails on unreadable files or
  // bad TOML.
  static Result<Catalogue> load(std::string_view language);
  // The same of another folder, read anew.
  static Result<Catalogue> load(std::string_view language, const std::filesystem::path& folder);

  std::string text(std::string_view key) const;
  std::string text(const Message& message) const;
  // What an error says in this language: its Message where it has one, else its English sentence.
  std::string text(const Error& error) const;
  bool has(std::string_view key) const;
  const std::string& language() const { return language_; }

  // Every character that any message uses: what a font atlas must hold.
  std::u32string characters() const;
  // Keys in alphabetical order (for tests that compare languages).
  std::vector<std::string> keys() const;

 private:
  using Texts = std::map<std::string, std::string, std::less<>>;

  using SharedTexts = std::shared_ptr<const Texts>;
  static Result<Catalogue> load(std::string_view language, const std::filesystem::path& folder,
                                Result<SharedTexts> (*read)(const std::filesystem::path&));

  std::string language_ = "en";
  SharedTexts texts_ = std::make_shared<const Texts>();
  SharedTexts fallback_ = texts_;
};

}  // namespace warplens
