// Reads the TOML of kernels and lessons key by key, and collects what is wrong with it.
//
//   TomlReader reader(file);
//   const std::string title = reader.text(table, "title", true);
//   if (reader.problem()) return *reader.problem();
//
// Reading goes on with defaults after a problem, so that all of them can be said at once.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/message.h"

namespace warplens::model {

class TomlReader {
 public:
  explicit TomlReader(std::filesystem::path file) : file_(std::move(file)) {}

  // node: where; null: the file as a whole.
  void fail(const toml::node* node, Message what);
  std::optional<Error> problem() const;  // the first
  const std::vector<Error>& problems() const { return problems_; }
  const std::filesystem::path& file() const { return file_; }
  Place place(const toml::node* node) const;

  std::string text(const toml::table& table, std::string_view key, bool required);
  std::vector<std::string> texts(const toml::table& table, std::string_view key, bool required);
  // { en = "...", zh = "..." }
  std::map<std::string, std::string> languages(const toml::table& table, std::string_view key, bool required);
  std::optional<std::int64_t> integer(const toml::table& table, std::string_view key);
  std::optional<double> number(const toml::table& table, std::string_view key);
  std::optional<bool> flag(const toml::table& table, std::string_view key);
  // The text of a key that takes one of a few words; the first, which may be empty, when it is not there.
  std::string word(const toml::table& table, std::string_view key, std::initializer_list<const char*> words);
  const toml::table* table(const toml::table& table, std::string_view key);
  // Tables of [[key]], in order; also of a list of inline tables.
  std::vector<const toml::table*> tables(const toml::table& table, std::string_view key);
  // A key that nobody reads is a typing mistake: says which there are.
  void only(const toml::table& table, std::initializer_list<std::string_view> keys);

 private:
  std::filesystem::path file_;
  std::vector<Error> problems_;
};

}  // namespace warplens::model
