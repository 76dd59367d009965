#include "app/model/text/toml_reader.h"

#include <algorithm>

namespace warplens::model {
namespace {

Message about(const char* what, std::string_view key) {
  return {std::string("toml.") + what, {{"key", value_of(std::string(key))}}};
}

std::string list_of(const auto& words) {
  std::string out;
  for (const std::string_view word : words)
    if (!word.empty()) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

}  // namespace

Place TomlReader::place(const toml::node* node) const {
  if (node == nullptr) return {file_.string(), 0, 0};
  const auto begin = node->source().begin;
  return {file_.string(), static_cast<int>(begin.line), static_cast<int>(begin.column)};
}

void TomlReader::fail(const toml::node* node, Message what) {
  problems_.push_back(told(ErrorKind::Usage, std::move(what), place(node)));
}

std::optional<Error> TomlReader::problem() const {
  return problems_.empty() ? std::nullopt : std::optional<Error>(problems_.front());
}

std::string TomlReader::text(const toml::table& table, std::string_view key, bool required) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    if (required) fail(&table, about("missing", key));
    return {};
  }
  if (const auto value = node->value<std::string>()) return *value;
  fail(node, about("no_text", key));
  return {};
}

std::vector<std::string> TomlReader::texts(const toml::table& table, std::string_view key, bool required) {
  std::vector<std::string> result;
  const toml::node* node = table.get(key);
  if (node == nullptr && required) fail(&table, about("missing", key));
  if (node == nullptr) return result;
  const toml::array* array = node->as_array();
  if (array == nullptr) fail(node, about("no_list", key));
  if (array == nullptr) return result;
  for (const toml::node& item : *array) {
    if (const auto value = item.value<std::string>())
      result.push_back(*value);
    else
      fail(&item, about("no_texts", key));
  }
  return result;
}

std::map<std::string, std::string> TomlReader::languages(const toml::table& table, std::string_view key,
                                                         bool required) {
  std::map<std::string, std::string> result;
  const toml::node* node = table.get(key);
  if (node == nullptr && required) fail(&table, about("missing", key));
  if (node == nullptr) return result;
  const toml::table* entries = node->as_table();
  if (entries == nullptr) fail(node, about("no_languages", key));
  if (entries == nullptr) return result;
  for (const auto& [language, value] : *entries)
    if (const auto content = value.value<std::string>()) result[std::string(language.str())] = *content;
  for (const char* language : kLanguages)
    if (!result.contains(language))
      fail(node,
           {"toml.no_language", {{"key", value_of(std::string(key))}, {"language", value_of(language)}}});
  return result;
}

std::optional<std::int64_t> TomlReader::integer(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  if (const auto value = node->value_exact<std::int64_t>()) return *value;
  fail(node, about("no_whole_number", key));
  return std::nullopt;
}

std::optional<double> TomlReader::number(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  if (const auto value = node->value<double>(); value && node->is_number()) return *value;
  fail(node, about("no_number", key));
  return std::nullopt;
}

std::optional<bool> TomlReader::flag(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  if (const auto value = node->value_exact<bool>()) return *value;
  fail(node, about("no_flag", key));
  return std::nullopt;
}

std::string TomlReader::word(const toml::table& table, std::string_view key,
                             std::initializer_list<const char*> words) {
  const std::string given = text(table, key, false);
  if (given.empty()) return *words.begin();
  if (std::find(words.begin(), words.end(), given) != words.end()) return given;
  fail(table.get(key), {"toml.no_word",
                        {{"key", value_of(std::string(key))},
                         {"value", value_of(given)},
                         {"words", value_of(list_of(words))}}});
  return *words.begin();
}

const toml::table* TomlReader::table(const toml::table& from, std::string_view key) {
  const toml::node* node = from.get(key);
  if (node == nullptr) return nullptr;
  if (const toml::table* found = node->as_table()) return found;
  fail(node, about("no_table", key));
  return nullptr;
}

std::vector<const toml::table*> TomlReader::tables(const toml::table& from, std::string_view key) {
  std::vector<const toml::table*> out;
  const toml::node* node = from.get(key);
  if (node == nullptr) return out;
  const toml::array* list = node->as_array();
  if (list == nullptr) fail(node, about("no_list_of_tables", key));
  if (list == nullptr) return out;
  for (const toml::node& item : *list) {
    if (const toml::table* entry = item.as_table())
      out.push_back(entry);
    else
      fail(&item, about("no_tables", key));
  }
  return out;
}

void TomlReader::only(const toml::table& from, std::initializer_list<std::string_view> keys) {
  for (const auto& [key, value] : from) {
    if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
    fail(&value,
         {"toml.unknown", {{"key", value_of(std::string(key.str()))}, {"keys", value_of(list_of(keys))}}});
  }
}

}  // namespace warplens::model
