#include "app/cli/wrong_words.h"

#include <optional>
#include <string_view>

namespace warplens::cli {
namespace {

using Values = std::vector<std::pair<std::string, MessageValue>>;

// The two sides of a separator; nothing: it is not there.
struct Sides {
  std::string left, right;
};
std::optional<Sides> split(const std::string& text, std::string_view separator) {
  const auto at = text.find(separator);
  if (at == std::string::npos) return std::nullopt;
  return Sides{text.substr(0, at), text.substr(at + separator.size())};
}

std::string behind_front(std::string text, std::string_view front) {
  return text.starts_with(front) ? text.substr(front.size()) : text;
}

// "{dark,light}" as a list to read.
std::string list_of(std::string set) {
  std::erase_if(set, [](char c) { return c == '{' || c == '}' || c == '[' || c == ']'; });
  std::string out;
  for (const char c : set) out += c == ',' ? std::string(", ") : std::string(1, c);
  return out;
}

// "1 to 1024", which newer versions of CLI11 write "[1 - 1024]".
std::optional<Sides> ends_of(const std::string& range) {
  if (const auto ends = split(range, " to ")) return ends;
  const auto ends = split(range, " - ");
  if (!ends) return std::nullopt;
  return Sides{behind_front(ends->left, "["), ends->right.substr(0, ends->right.find(']'))};
}

// What a check says of a value: CLI11's own, and those of command.h.
Message wrong_value(const std::string& option, const std::string& why) {
  const auto said = [&](const char* key, Values values) {
    values.insert(values.begin(), {"option", value_of(option)});
    return Message{key, std::move(values)};
  };
  for (const std::string_view separator : {" not in range ", " is not in "})
    if (const auto sides = split(why, separator))
      if (const auto ends = ends_of(sides->right))
        return said("cli.not_in_range", {{"value", value_of(behind_front(sides->left, "Value "))},
                                         {"least", value_of(ends->left)},
                                         {"most", value_of(ends->right)}});
  if (const auto sides = split(why, " not in "))
    return said("cli.not_one_of",
                {{"value", value_of(sides->left)}, {"values", value_of(list_of(sides->right))}});
  if (const auto sides = split(why, " is negative"))
    return said("cli.negative", {{"value", value_of(sides->left)}});
  if (const auto sides = split(why, " is not above 0"))
    return said("cli.not_above_zero", {{"value", value_of(sides->left)}});
  return said("cli.wrong_value", {{"why", value_of(why)}});
}

// The command that was named, with its name in front of its group's.
std::string command_of(const CLI::App& app) {
  std::string command = "warplens";
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  return command;
}

std::optional<Message> unknown_command(const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining();
  if (!app.get_subcommands().empty() || unknown.empty() || unknown.front().starts_with('-'))
    return std::nullopt;
  std::string names;
  for (const CLI::App* one : app.get_subcommands({}))
    if (!one->get_name().empty() && !one->get_group().empty())
      names += (names.empty() ? "" : ", ") + one->get_name();
  return Message{"cli.unknown_command", {{"name", value_of(unknown.front())}, {"names", value_of(names)}}};
}

std::optional<Message> known_problem(const std::string& kind, const std::string& text) {
  // This one bears the name of the command.
  if (const auto sides = split(text, " not expected: "))
    return Message{"cli.unknown_words", {{"words", value_of(sides->right)}}};
  if (kind == "RequiredError") {
    if (text.starts_with("A subcommand is")) return Message{"cli.which_command", {}};
    if (const auto sides = split(text, " is required"))
      return Message{"cli.missing", {{"option", value_of(sides->left)}}};
  } else if (kind == "ExcludesError") {
    if (const auto sides = split(text, " excludes "))
      return Message{"cli.not_both", {{"one", value_of(sides->left)}, {"other", value_of(sides->right)}}};
  } else if (kind == "ConversionError") {
    if (const auto sides = split(behind_front(text, "Could not convert: "), " = "))
      return Message{"cli.no_number", {{"option", value_of(sides->left)}, {"value", value_of(sides->right)}}};
  } else if (kind == "ArgumentMismatch") {
    if (const auto sides = split(text, ": "))
      return Message{text.ends_with(" missing") ? "cli.no_value" : "cli.other_number_of_values",
                     {{"option", value_of(sides->left)}}};
  } else if (kind == "ValidationError") {
    if (const auto sides = split(text, ": ")) return wrong_value(sides->left, sides->right);
  }
  return std::nullopt;
}

}  // namespace

Message what_is_wrong(const CLI::App& app, const CLI::Error& error) {
  if (auto unknown = unknown_command(app)) return *unknown;
  const auto known = known_problem(error.get_name(), error.what());
  const MessageValue problem = known ? value_of(*known) : value_of(error.what());
  return {"cli.wrong", {{"problem", problem}, {"command", value_of(command_of(app))}}};
}

std::string language_asked_for(int argc, const char* const* argv) {
  constexpr std::string_view kOption = "--language";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;
    if (word == kOption && i + 1 < argc) return argv[i + 1];
    if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('='))
      return std::string(word.substr(kOption.size() + 1));
  }
  return "en";
}

}  // namespace warplens::cli
