#include "app/model/program/kept_program.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/base/assets.h"
#include "engine/base/json_text.h"
#include "engine/base/message_json.h"
#include "engine/source/cache.h"
#include "engine/source/source_tree.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostKeptBytes = 256u
                                          << 20;  // the programs; what goes first was asked for longest ago
constexpr const char* kSaidEnding = ".json";

// What nvcc and the host's compiler take from the environment.
constexpr const char* kVariables[] = {"PATH",
                                      "CPATH",
                                      "C_INCLUDE_PATH",
                                      "CPLUS_INCLUDE_PATH",
                                      "LIBRARY_PATH",
                                      "COMPILER_PATH",
                                      "GCC_EXEC_PREFIX",
                                      "SOURCE_DATE_EPOCH",
                                      "NVCC_CCBIN",
                                      "NVCC_PREPEND_FLAGS",
                                      "NVCC_APPEND_FLAGS"};

bool is_source(const std::string& file) {
  static constexpr std::string_view kEndings[] = {".cu", ".cpp", ".cc", ".cxx", ".c"};
  return std::ranges::find(kEndings, fs::path(file).extension().string()) != std::end(kEndings);
}

// A program that says when it was built is built each time.
bool asks_for_the_time(const std::string& text) {
  return text.find("__DATE__") != std::string::npos || text.find("__TIME") != std::string::npos;
}

// Size and time of a file: a compiler's header, a library.
std::string state_of(const fs::path& file) {
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(file, failed);
  const auto changed = fs::last_write_time(file, failed).time_since_epoch().count();
  return failed ? std::string() : std::to_string(size) + " " + std::to_string(changed);
}

// "program : main.cu \ /usr/include/stdio.h \ ...": the files, a space in a name behind a backslash.
std::vector<std::string> files_in_rule(const std::string& rule) {
  std::vector<std::string> out;
  std::string word;
  for (std::size_t at = std::min(rule.find(':'), rule.size()); ++at < rule.size();) {
    const bool escaped = rule[at] == '\\' && at + 1 < rule.size() && rule[at + 1] != '\n';
    const bool ends = !escaped && (rule[at] == ' ' || rule[at] == '\n' || rule[at] == '\\');
    if (escaped) ++at;
    if (!ends) word += rule[at];
    if (ends && !word.empty()) out.push_back(std::exchange(word, {}));
  }
  if (!word.empty()) out.push_back(word);
  return out;
}

std::optional<std::string> key_of(const ProgramSources& sources, const source::Tool& nvcc,
                                  const std::vector<std::string>& libraries) {
  if (sources.files.size() != 1 || !is_source(sources.files[0]) || !sources.library_paths.empty()) return {};
  std::error_code failed;
  const std::string file = fs::absolute(sources.files[0], failed).lexically_normal().string();
  const auto text = read_text(file);
  if (!text || asks_for_the_time(*text)) return {};
  source::Hash hash;
  hash.add("warplens-program-1").add(nvcc.path).add(state_of(nvcc.path)).add(nvcc.version);
  hash.add(sources.arch).add(sources.standard).add(sources.on_gpu ? "gpu" : "emulator");
  std::vector<std::string> folders;
  for (const std::string& path : sources.include_paths)
    folders.push_back(fs::absolute(path, failed).string());
  using Words = std::vector<std::string>;
  for (const Words* words : std::initializer_list<const Words*>{&sources.defines, &sources.nvcc_options,
                                                                &sources.libraries, &folders, &libraries}) {
    hash.add(std::to_string(words->size()));
    for (const std::string& word : *words) hash.add(word);
  }
  if (!libraries.empty()) hash.add(state_of(libraries.front()));
  for (const char* const name : kVariables)
    if (const char* const value = std::getenv(name); value != nullptr) hash.add(name).add(value);
  const source::SourceTree tree = source::read_source_tree(file, *text, folders);
  hash.add(tree.file).add(tree.text);
  for (const source::UserHeader& header : tree.headers) {
    if (asks_for_the_time(header.text)) return {};
    hash.add(header.path).add(header.text);
  }
  return hash.text();
}

// Programs that nobody has asked for lately.
void remove_oldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> programs;
  std::uintmax_t bytes = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == kSaidEnding) continue;
    bytes += entry.file_size(failed);
    programs.emplace_back(entry.last_write_time(failed), entry.path());
  }
  std::sort(programs.begin(), programs.end());
  for (const auto& [used, program] : programs) {
    if (bytes <= kMostKeptBytes) break;
    bytes -= std::min(bytes, fs::file_size(program, failed));
    fs::remove(program.string() + kSaidEnding, failed);
    fs::remove(program, failed);
  }
}

bool still_holds(const nlohmann::json& entry, const std::string& program) {
  for (const nlohmann::json& file : entry.at("read"))
    if (state_of(file.at(0).get<std::string>()) != file.at(1)) return false;
  return source::Hash().add(program).text() == entry.at("program");
}

}  // namespace

ProgramCache::ProgramCache(const ProgramSources& sources, const source::Tool& nvcc,
                           const std::vector<std::string>& libraries) {
  const fs::path cache = cache_folder();
  if (cache.empty()) return;
  if (const auto key = key_of(sources, nvcc, libraries)) entry_ = cache / "programs" / *key;
}

std::optional<SaidOfProgram> ProgramCache::take(const fs::path& to) const {
  const auto text = entry_.empty() ? std::nullopt : std::optional(read_text(entry_.string() + kSaidEnding));
  if (!text || !*text) return {};
  const auto program = read_text(entry_);
  const nlohmann::json entry = parse_json(**text);
  if (!program || !entry.is_object()) return {};
  try {
    if (!still_holds(entry, *program)) return {};
    SaidOfProgram said{entry.at("warnings"), {}};
    for (const nlohmann::json& note : entry.at("notes")) said.notes.push_back(message_from(note));
    if (!write_text(to, *program)) return {};
    std::error_code failed;
    fs::permissions(to, fs::perms::owner_all, failed);
    fs::last_write_time(entry_, fs::file_time_type::clock::now(), failed);
    return said;
  } catch (const nlohmann::json::exception&) {
    return {};  // another version wrote it
  }
}

void ProgramCache::keep(const fs::path& program, const fs::path& read, const SaidOfProgram& said) const {
  if (entry_.empty()) return;
  const auto bytes = read_text(program), rule = read_text(read);
  if (!bytes || !rule) return;
  auto files = nlohmann::json::array(), notes = nlohmann::json::array();
  for (const std::string& name : files_in_rule(*rule)) {
    std::error_code failed;
    const fs::path file = fs::canonical(read.parent_path() / name, failed);
    if (failed) return;  // a name that was read wrongly
    files.push_back(nlohmann::json::array({file.string(), state_of(file)}));
  }
  for (const Message& note : said.notes) notes.push_back(message_json(note));
  const nlohmann::json entry{{"program", source::Hash().add(*bytes).text()},
                             {"read", std::move(files)},
                             {"warnings", said.warnings},
                             {"notes", std::move(notes)}};
  std::error_code failed;
  fs::create_directories(entry_.parent_path(), failed);
  remove_oldest(entry_.parent_path());
  if (!write_text(entry_, *bytes)) return;
  static_cast<void>(write_text(entry_.string() + kSaidEnding,
                               entry.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

}  // namespace warplens::model
