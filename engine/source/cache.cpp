#include "engine/source/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/base/assets.h"
#include "engine/base/json_text.h"
#include "engine/base/message_json.h"

namespace warplens::source {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostEntries = 2000;

// Empty where no folder can be trusted: nothing is kept then.
fs::path folder() {
  const fs::path cache = cache_folder();
  return cache.empty() ? cache : cache / "ptx";
}

// The oldest quarter goes when the cache is full.
void prune(const fs::path& where) {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(where, error))
    files.emplace_back(entry.last_write_time(error), entry.path());
  if (files.size() < kMostEntries) return;
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i < files.size() / 4; ++i) fs::remove(files[i].second, error);
}

}  // namespace

fs::path made_cache_entries() {
  const fs::path where = folder();
  std::error_code error;
  if (!where.empty()) fs::create_directories(where, error);
  return where;
}

void Hash::mix(unsigned char byte) {
  a_ = (a_ ^ byte) * 0x100000001b3u;
  b_ = (b_ ^ byte) * 0x3f58476d1ce4e5b9u;
  b_ ^= b_ >> 29;
}

Hash& Hash::add(std::string_view field) {
  for (std::size_t n = field.size(), i = 0; i < sizeof n; ++i) mix(static_cast<unsigned char>(n >> (8 * i)));
  for (const char c : field) mix(static_cast<unsigned char>(c));
  return *this;
}

std::string Hash::text() const {
  return fmt::format("{:016x}{:016x}", a_, b_);
}

namespace {

using Json = nlohmann::json;

// A line with the check sum of what follows, so that half an entry, or one that was written over, is noticed.
Json load(const std::string& key) {
  const fs::path where = folder();
  if (where.empty()) return {};
  const auto text = read_text(where / key);
  const std::size_t line = text ? text->find('\n') : std::string::npos;
  if (line == std::string::npos) return {};
  const std::string_view body = std::string_view(*text).substr(line + 1);
  if (Hash().add(key).add(body).text() != std::string_view(*text).substr(0, line)) return {};
  return parse_json(body);
}

void store(const std::string& key, const Json& json) {
  const fs::path where = made_cache_entries();
  if (where.empty()) return;
  const std::string body = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  prune(where);
  static_cast<void>(write_text(where / key, Hash().add(key).add(body).text() + "\n" + body));
}

Json to_json(const Place& place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

Place place_from(const Json& json) {
  return {json.at("file").get<std::string>(), json.at("line").get<int>(), json.at("column").get<int>()};
}

// Nothing when the entry is not of the kind that `read` expects: another version wrote it.
template <typename Read>
auto read_entry(const std::string& key, Read read) -> std::optional<decltype(read(Json()))> {
  const Json json = load(key);
  if (!json.is_object()) return std::nullopt;
  try {
    return read(json);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Ptx> load_cached(const std::string& key) {
  return read_entry(key, [](const Json& json) {
    Ptx ptx;
    ptx.text = json.at("ptx").get<std::string>();
    ptx.compiler = static_cast<Compiler>(json.at("compiler").get<int>());
    ptx.compiler_version = json.at("version").get<std::string>();
    for (const Json& w : json.at("warnings"))
      ptx.warnings.push_back(
          {Diagnostic::Severity::Warning, place_from(w.at("place")), w.at("message").get<std::string>()});
    ptx.from_cache = true;
    return ptx;
  });
}

void store_cached(const std::string& key, const Ptx& ptx) {
  Json warnings = Json::array();
  for (const Diagnostic& w : ptx.warnings)
    warnings.push_back({{"place", to_json(w.place)}, {"message", w.message}});
  store(key, {{"ptx", ptx.text},
              {"compiler", static_cast<int>(ptx.compiler)},
              {"version", ptx.compiler_version},
              {"warnings", warnings}});
}

std::optional<Error> load_failure(const std::string& key) {
  return read_entry(key, [](const Json& json) {
    Error error{ErrorKind::Compile, json.at("failure").get<std::string>(), place_from(json.at("place")),
                json.at("notes").get<std::vector<std::string>>()};
    if (json.contains("said")) error.said = std::make_shared<const Message>(message_from(json.at("said")));
    return error;
  });
}

void store_failure(const std::string& key, const Error& error) {
  Json entry{{"failure", error.message}, {"place", to_json(error.place)}, {"notes", error.notes}};
  if (error.said) entry["said"] = message_json(*error.said);
  store(key, entry);
}

}  // namespace warplens::source
