#include "engine/base/message.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/assets.h"
#include "engine/base/number_text.h"
#include "engine/base/toml.h"
#include "engine/base/typography.h"

namespace warplens {
namespace {

void flatten(const toml::table& table, const std::string& prefix,
             std::map<std::string, std::string, std::less<>>& out) {
  for (const auto& [key, node] : table) {
    const std::string full = prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      flatten(*inner, full, out);
    } else if (const auto text = node.value<std::string>()) {
      out[full] = *text;
    }
  }
}

using Texts = std::map<std::string, std::string, std::less<>>;

Status read_file(const std::filesystem::path& file, Texts& out) {
  const Result<std::string> text = read_text(file);
  if (!text) return text.error();
  const Result<toml::table> table = parse_toml(*text, file.string());
  if (table) return flatten(*table, "", out), Done{};
  Error error = table.error();
  error.message = fmt::format("this message catalogue is not valid TOML: {}", error.message);
  error.said.reset();
  return error;
}

using SharedTexts = std::shared_ptr<const Texts>;

Result<SharedTexts> read_catalogue(const std::filesystem::path& folder) {
  std::error_code failed;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == ".toml") files.insert(entry.path());
  if (files.empty())
    return Error{ErrorKind::Usage,
                 "no message catalogue (*.toml) in this folder; reinstall, or set WARPLENS_ASSETS",
                 {folder.string()},
                 {}};
  auto out = std::make_shared<Texts>();
  for (const auto& file : files)
    if (const Status status = read_file(file, *out); !status) return status.error();
  return SharedTexts(std::move(out));
}

// Read once, however often a language is asked for.
Result<SharedTexts> kept_catalogue(const std::filesystem::path& folder) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, SharedTexts> known;
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(folder); found != known.end()) return found->second;
  }
  // Not under the lock: what goes wrong is told in the words of a catalogue.
  auto texts = read_catalogue(folder);
  const std::lock_guard lock(mutex);
  if (texts) known.emplace(folder, *texts);
  return texts;
}

// A bit for each character.
class CharacterSet {
 public:
  void insert(char32_t c) {
    if (c < kMost) has_[c] = true;
  }
  std::u32string all() const {
    std::u32string out;
    for (std::size_t c = 0; c < kMost; ++c)
      if (has_[c]) out += static_cast<char32_t>(c);
    return out;
  }

 private:
  static constexpr std::size_t kMost = 0x110000;
  std::vector<bool> has_ = std::vector<bool>(kMost);
};

void add_characters(std::string_view utf8, CharacterSet& out) {
  for (std::size_t i = 0; i < utf8.size();) {
    const std::size_t length = character_length(utf8.substr(i));
    const auto lead = static_cast<unsigned char>(utf8[i]);
    char32_t c = length == 1 ? lead : lead & (0xffu >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) c = (c << 6) | (static_cast<unsigned char>(utf8[i + k]) & 0x3fu);
    out.insert(c);
    i += length;
  }
}

// Whether a value is exactly one of something: 1, or a text that says so.
bool is_one(const Message& message, std::string_view name) {
  for (const auto& [own, value] : message.values) {
    if (own != name) continue;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole == 1;
    if (const auto* text = std::get_if<std::string>(&value)) return *text == "1";
    return false;
  }
  throw fmt::format_error("argument not found");
}

// "lanes?lane|lanes" without its braces: the word that goes with the number of lanes. Nothing for other
// fields.
std::optional<std::string_view> word_of_number(std::string_view field, const Message& message) {
  const std::size_t ask = field.find('?');
  if (ask == std::string_view::npos) return std::nullopt;
  const std::size_t bar = field.find('|', ask);
  if (bar == std::string_view::npos) throw fmt::format_error("two words with | between them are missing");
  return is_one(message, field.substr(0, ask)) ? field.substr(ask + 1, bar - ask - 1) : field.substr(bar + 1);
}

// A pattern with its values. Where Chinese of the one meets Latin of the other stands a blank: a pattern does
// not know what its values begin with. Throws what fmt throws.
std::string filled(std::string_view pattern, const Message& message,
                   const fmt::dynamic_format_arg_store<fmt::format_context>& values) {
  std::string out, literal;
  for (std::size_t i = 0; i < pattern.size();) {
    const std::string_view rest = pattern.substr(i);
    const bool doubled = rest.starts_with("{{") || rest.starts_with("}}");
    if (doubled || (rest[0] != '{' && rest[0] != '}')) {
      literal += rest[0];
      i += doubled ? 2 : 1;
      continue;
    }
    const std::size_t end = std::min(rest.find('}'), rest.size() - 1) + 1;
    if (const auto word = word_of_number(rest.substr(1, end - 2), message)) {
      literal += *word;
      i += end;
      continue;
    }
    append_text(out, literal);
    literal.clear();
    append_text(out, fmt::vformat(rest.substr(0, end), values));
    i += end;
  }
  append_text(out, literal);
  return out;
}

// A whole number as a text has it: in groups of three, but for that of a line, and unless the pattern gives
// its format, as {code:d}.
bool is_grouped(std::string_view name, std::int64_t value, std::string_view pattern) {
  constexpr std::int64_t kLong = 1000;
  if (value > -kLong && value < kLong) return false;
  return name != "line" && name != "ptx_line" &&
         pattern.find(fmt::format("{{{}:", name)) == std::string_view::npos;
}

std::string grouped(std::int64_t value) {
  const auto size = static_cast<std::uint64_t>(value);
  return value < 0 ? "-" + group_digits(0 - size) : group_digits(size);
}

// The catalogue of what is written to the command line and into reports. Without its files a sentence is its
// key, which names the failure still.
const Catalogue& english() {
  // What cannot be read while the catalogue itself is read is told by its key.
  thread_local bool reads = false;
  static const Catalogue none;
  if (reads) return none;
  reads = true;
  static const Catalogue catalogue = [] {
    Result<Catalogue> loaded = Catalogue::load("en");
    return loaded ? std::move(*loaded) : Catalogue();
  }();
  reads = false;
  return catalogue;
}

}  // namespace

Error told(ErrorKind kind, Message message, Place place) {
  return {kind,
          english().text(message),
          std::move(place),
          {},
          std::make_shared<const Message>(std::move(message))};
}

Result<Catalogue> Catalogue::load(std::string_view language) {
  return load(language, assets_folder() / "messages", kept_catalogue);
}

Result<Catalogue> Catalogue::load(std::string_view language, const std::filesystem::path& folder) {
  return load(language, folder, read_catalogue);
}

Result<Catalogue> Catalogue::load(std::string_view language, const std::filesystem::path& folder,
                                  Result<SharedTexts> (*read)(const std::filesystem::path&)) {
  Catalogue catalogue;
  catalogue.language_ = language;
  auto english = read(folder / "en");
  if (!english) return english.error();
  catalogue.texts_ = catalogue.fallback_ = *english;
  if (language == "en") return catalogue;
  auto own = read(folder / language);
  if (!own) return own.error();
  catalogue.texts_ = *own;
  return catalogue;
}

std::string Catalogue::text(std::string_view key) const {
  if (const auto own = texts_->find(key); own != texts_->end()) return own->second;
  if (const auto english = fallback_->find(key); english != fallback_->end()) return english->second;
  return std::string(key);
}

std::string Catalogue::text(const Message& message) const {
  const std::string pattern = text(message.key);
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const auto& entry : message.values) {
    const std::string& name = entry.first;  // a name that clang can capture
    std::visit(
        [&](const auto& v) {
          using V = std::decay_t<decltype(v)>;
          if constexpr (std::is_same_v<V, Key>) {
            arguments.push_back(fmt::arg(name.c_str(), text(v.name)));
          } else if constexpr (std::is_same_v<V, std::vector<Message>>) {
            std::string all;
            for (const Message& part : v) append_text(all, text(part));
            arguments.push_back(fmt::arg(name.c_str(), all));
          } else if constexpr (std::is_same_v<V, std::string>) {
            arguments.push_back(fmt::arg(name.c_str(), with_numbers_listed(v, language_)));
          } else {
            if constexpr (std::is_same_v<V, std::int64_t>)
              if (is_grouped(name, v, pattern))
                return arguments.push_back(fmt::arg(name.c_str(), grouped(v)));
            arguments.push_back(fmt::arg(name.c_str(), v));
          }
        },
        entry.second);
  }
  try {
    return filled(pattern, message, arguments);
  } catch (const fmt::format_error&) {
    // A translator's slip must not take the window down: show the raw sentence instead.
    return pattern;
  }
}

std::string Catalogue::text(const Error& error) const {
  return error.said ? text(*error.said) : error.message;
}

bool Catalogue::has(std::string_view key) const {
  return texts_->find(key) != texts_->end();
}

std::u32string Catalogue::characters() const {
  CharacterSet set;
  for (const auto& [key, value] : *texts_) add_characters(value, set);
  for (const auto& [key, value] : *fallback_) add_characters(value, set);
  return set.all();
}

std::vector<std::string> Catalogue::keys() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : *texts_) out.push_back(key);
  return out;
}

}  // namespace warplens
