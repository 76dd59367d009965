#include "app/model/text/toml_reader.h"

#include <algorithm>

namespace warplens::model {
namespace {

std::string in_quotes(std::string_view key) {
  return "'" + std::string(key) + "'";
}

}  // namespace

Place TomlReader::place(const toml::node* node) const {
  if (node == nullptr) return {file_.string(), 0, 0};
  const auto begin = node->source().begin;
  return {file_.string(), static_cast<int>(begin.line), static_cast<int>(begin.column)};
}

void TomlReader::fail(const toml::node* node, const std::string& what) {
  problems_.push_back({ErrorKind::Usage, what, place(node), {}});
}

std::optional<Error> TomlReader::problem() const {
  return problems_.empty() ? std::nullopt : std::optional<Error>(problems_.front());
}

std::string TomlReader::text(const toml::table& table, std::string_view key, bool required) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    if (required) fail(&table, in_quotes(key) + " is missing");
    return {};
  }
  if (const auto value = node->value<std::string>()) return *value;
  fail(node, in_quotes(key) + " must be a text");
  return {};
}

std::vector<std::string> TomlReader::texts(const toml::table& table, std::string_view key, bool required) {
  std::vector<std::string> result;
  const toml::node* node = table.get(key);
  if (node == nullptr && required) fail(&table, in_quotes(key) + " is missing");
  if (node == nullptr) return result;
  const toml::array* array = node->as_array();
  if (array == nullptr) fail(node, in_quotes(key) + " must be a list");
  if (array == nullptr) return result;
  for (const toml::node& item : *array) {
    if (const auto value = item.value<std::string>())
      result.push_back(*value);
    else
      fail(&item, in_quotes(key) + " must hold texts only");
  }
  return result;
}

std::map<std::string, std::string> TomlReader::languages(const toml::table& table, std::string_view key,
                                                         bool required) {
  std::map<std::string, std::string> result;
  const toml::node* node = table.get(key);
  if (node == nullptr && required) fail(&table, in_quotes(key) + " is missing");
  if (node == nullptr) return result;
  const toml::table* entries = node->as_table();
  if (entries == nullptr) fail(node, in_quotes(key) + " must be { en = \"...\", zh = \"...\" }");
  if (entries == nullptr) return result;
  for (const auto& [language, value] : *entries)
    if (const auto content = value.value<std::string>()) result[std::string(language.str())] = *content;
  for (const char* language : {"en", "zh"})
    if (!result.contains(language)) fail(node, in_quotes(key) + " has no text in " + in_quotes(language));
  return result;
}

std::optional<std::int64_t> TomlReader::integer(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  if (const auto value = node->value_exact<std::int64_t>()) return *value;
  fail(node, in_quotes(key) + " must be a whole number");
  return std::nullopt;
}

std::optional<double> TomlReader::number(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  if (const auto value = node->value<double>(); value && node->is_number()) return *value;
  fail(node, in_quotes(key) + " must be a number");
  return std::nullopt;
}

std::optional<bool> TomlReader::flag(const toml::table& table, std::string_view key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  if (const auto value = node->value_exact<bool>()) return *value;
  fail(node, in_quotes(key) + " must be true or false");
  return std::nullopt;
}

std::string TomlReader::word(const toml::table& table, std::string_view key,
                             std::initializer_list<const char*> words) {
  const std::string given = text(table, key, false);
  if (given.empty()) return *words.begin();
  if (std::find(words.begin(), words.end(), given) != words.end()) return given;
  std::string known;
  for (const char* word : words) known += (known.empty() ? "" : ", ") + in_quotes(word);
  fail(table.get(key), in_quotes(key) + " is " + in_quotes(given) + "; it takes " + known);
  return *words.begin();
}

const toml::table* TomlReader::table(const toml::table& from, std::string_view key) {
  const toml::node* node = from.get(key);
  if (node == nullptr) return nullptr;
  if (const toml::table* found = node->as_table()) return found;
  fail(node, in_quotes(key) + " must be a table");
  return nullptr;
}

std::vector<const toml::table*> TomlReader::tables(const toml::table& from, std::string_view key) {
  std::vector<const toml::table*> out;
  const toml::node* node = from.get(key);
  if (node == nullptr) return out;
  const toml::array* list = node->as_array();
  if (list == nullptr)
    fail(node, in_quotes(key) + " must be a list of tables, each written [[" + std::string(key) + "]]");
  if (list == nullptr) return out;
  for (const toml::node& item : *list) {
    if (const toml::table* entry = item.as_table())
      out.push_back(entry);
    else
      fail(&item, in_quotes(key) + " must hold tables only");
  }
  return out;
}

void TomlReader::only(const toml::table& from, std::initializer_list<std::string_view> keys) {
  for (const auto& [key, value] : from) {
    if (std::find(keys.begin(), keys.end(), key.str()) != keys.end()) continue;
    std::string known;
    for (const std::string_view one : keys) known += (known.empty() ? "" : ", ") + std::string(one);
    fail(&value, in_quotes(key.str()) + " is not known here; there are " + known);
  }
}

}  // namespace warplens::model
