// What a program is asked for, read from what somebody typed; how it is going, and what to do about it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "app/window/session/program_session.h"

namespace warplens::window {
namespace {

namespace fs = std::filesystem;

constexpr double kLong = 60, kMayWait = 2;  // seconds

// A whole number; nothing: it is none.
std::optional<std::uint64_t> number(const std::string& text, std::uint64_t otherwise) {
  if (text.empty()) return otherwise;
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = failed == std::errc{} && end == text.data() + text.size() && value > 0;
  return whole ? std::optional(value) : std::nullopt;
}

// "-Ifolder", or "-I" and the next word.
void add_option(model::ProgramSources& sources, const std::vector<std::string>& words, std::size_t& at,
                const fs::path& folder) {
  const std::string& word = words[at];
  const auto placed = [&](const std::string& path) {
    return fs::path(path).is_absolute() ? path : (folder / path).string();
  };
  for (const auto& [letter, list, is_path] :
       {std::tuple{"-I", &sources.include_paths, true}, std::tuple{"-D", &sources.defines, false},
        std::tuple{"-L", &sources.library_paths, true}, std::tuple{"-l", &sources.libraries, false}}) {
    if (!word.starts_with(letter)) continue;
    std::string value = word.substr(2);
    if (value.empty() && at + 1 < words.size()) value = words[++at];
    list->push_back(is_path ? placed(value) : value);
    return;
  }
  if (word.starts_with("-std="))
    sources.standard = word.substr(5);
  else if (word.starts_with("-"))
    sources.nvcc_options.push_back(word);
  else
    sources.files.push_back(placed(word));
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::optional<std::vector<std::string>> split_words(const std::string& text) {
  std::vector<std::string> out;
  std::string word;
  bool begun = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      begun = true;
    } else if (quote != 0) {
      c == quote ? static_cast<void>(quote = 0) : word.push_back(c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      begun = true;
    } else if (c != ' ' && c != '\t') {
      word += c;
      begun = true;
    } else if (begun) {
      out.push_back(std::exchange(word, {}));
      begun = false;
    }
  }
  if (quote != 0) return std::nullopt;
  if (begun) out.push_back(word);
  return out;
}

std::string plain_kernel(const std::string& name) {
  // What stands between angle brackets may hold parentheses of its own.
  int depth = 0;
  std::size_t end = 0;
  for (; end < name.size() && (depth > 0 || name[end] != '(' || name.substr(end, 3) == "(an"); ++end)
    depth += name[end] == '<' ? 1 : name[end] == '>' ? -1 : 0;
  const std::size_t begin = name.starts_with("void ") ? 5 : 0;
  return name.substr(begin, end - begin);
}

std::optional<ProgramWish> ProgramSession::wish(Message* wrong) const {
  const auto refuse = [&](Message why) {
    if (wrong != nullptr) *wrong = std::move(why);
    return std::nullopt;
  };
  ProgramWish out;
  std::error_code failed;
  const fs::path file = fs::absolute(file_, failed);
  out.sources.files.push_back(file.string());
  const auto arguments = split_words(choices.arguments), more = split_words(choices.more);
  if (!arguments || !more) return refuse({"program.wrong.quote", {}});
  out.arguments = *arguments;
  for (std::size_t i = 0; i < more->size(); ++i) add_option(out.sources, *more, i, file.parent_path());
  if (bench_.setup().users_file == file_) {
    const CompilerChoices& with = bench_.setup().compiler;
    out.sources.include_paths.insert(out.sources.include_paths.end(), with.include_paths.begin(),
                                     with.include_paths.end());
    for (const auto& [name, value] : with.defines) out.sources.defines.push_back(name + "=" + value);
  }
  out.folder = choices.folder.empty() ? file.parent_path() : fs::path(choices.folder);
  if (!fs::is_directory(out.folder, failed))
    return refuse({"program.wrong.folder", {{"folder", value_of(out.folder.string())}}});
  const auto every = number(choices.every, 1), budget = number(choices.budget, out.settings.budget);
  if (!every || !budget)
    return refuse({"program.wrong.number", {{"text", value_of(every ? choices.budget : choices.every)}}});
  if (choices.on_gpu) {
    if (!has_gpu()) return refuse({"program.wrong.no_gpu", {}});
    out.sources.on_gpu = true;
  } else {
    out.settings.every = *every;
    out.settings.budget = *budget;
    out.settings.checks = choices.all_checks ? simt::Checks::All : simt::Checks::Memory;
    out.settings.strict = choices.strict;
    out.settings.count = out.settings.progress = out.settings.model = true;
  }
  if (choices.keep_first) out.settings.kept = {{"*", 0, 0}};
  return out;
}

// Said by the name of what is missing; the command line's words are others.
Message ProgramSession::no_gpu() const {
  if (!gpu_) return {"program.place.looking", {}};
  if (*gpu_) return {};
  const Error& why = gpu_->error();
  if (why.said && why.said->key.starts_with("run.gpu."))
    return {"program.place." + why.said->key.substr(8), why.said->values};
  return {"program.place.none", {{"reason", value_of(why)}}};
}

std::optional<Message> ProgramSession::wrong() const {
  Message why;
  return wish(&why) ? std::nullopt : std::optional(why);
}

bool ProgramSession::failed() const {
  if (state_ != State::Ended) return false;
  if (error_) return error_->kind != ErrorKind::Cancelled;
  // Who stopped it knows.
  return !end_ || (end_->ending != "interrupted" && (end_->ending != "exited" || end_->exit_code != 0));
}

Message ProgramSession::ended_line() const {
  if (error_ && error_->kind == ErrorKind::Cancelled) return {"program.state.not_run", {}};
  if (error_ && error_->kind == ErrorKind::Compile) return {"program.state.not_compiled", {}};
  if (error_ || !end_) return {"program.state.not_started", {}};
  std::vector<std::pair<std::string, MessageValue>> values{{"launches", value_of(launches_.size())},
                                                           {"seconds", value_of(end_->seconds)},
                                                           {"code", value_of(end_->exit_code)}};
  if (end_->ending == "signalled") {
    const char* signal = ::sigabbrev_np(end_->exit_code - 128);
    values.emplace_back("signal", value_of(signal != nullptr ? "SIG" + std::string(signal) : "?"));
    return {"program.state.crashed", std::move(values)};
  }
  if (end_->ending == "interrupted") return {"program.state.stopped", std::move(values)};
  if (end_->ending == "budget") return {"program.state.budget", std::move(values)};
  return {end_->exit_code == 0 ? "program.state.ended" : "program.state.exit", std::move(values)};
}

Message ProgramSession::state_line() const {
  const auto whole = static_cast<int>(seconds());
  const auto& running = (again_ ? again_output_ : output_).running();
  if (again_) {
    const std::string kernel = awaited_ ? awaited_->kernel : std::string();
    if (!awaited_) return {"program.state.again_ends", {{"seconds", value_of(whole)}}};
    return {"program.state.again",
            {{"kernel", value_of(plain_kernel(kernel))},
             {"number", value_of(awaited_->number)},
             {"now", value_of(running ? std::to_string(running->index) : "–")},
             {"seconds", value_of(whole)}}};
  }
  switch (state_) {
    case State::None:
      return {"program.state.none", {}};
    case State::Ready:
      return {"program.state.ready", {}};
    case State::Compiling:
      return {"program.state.compiling", {{"seconds", value_of(whole)}}};
    case State::Running:
      if (running)
        return {"program.state.launch",
                {{"index", value_of(running->index)},
                 {"kernel", value_of(running->kernel)},
                 {"percent", value_of(static_cast<int>(running->fraction * 100))},
                 {"seconds", value_of(whole)}}};
      if (measured_)
        return {"program.state.on_gpu",
                {{"device", value_of(measured_->device)},
                 {"launches", value_of(asked_)},
                 {"seconds", value_of(whole)}}};
      return {"program.state.running",
              {{"launches", value_of(launches_.size())}, {"seconds", value_of(whole)}}};
    case State::Ended:
      return ended_line();
  }
  return {};
}

void ProgramSession::say_error(std::vector<Message>& out) const {
  if (!error_ || error_->kind == ErrorKind::Cancelled) return;
  if (error_->kind == ErrorKind::Compile) {
    std::string place;
    if (error_->place.line > 0)
      place = fmt::format("{}:{}: ", fs::path(error_->place.file).filename().string(), error_->place.line);
    out.push_back({"program.todo.compile", {{"message", value_of(place + error_->message)}}});
    return;
  }
  const bool here = error_->kind == ErrorKind::System;
  out.push_back({here ? "program.todo.system" : "program.todo.start", {{"message", with_place(*error_)}}});
}

void ProgramSession::say_end(std::vector<Message>& out) const {
  if (!end_) return;
  std::uint64_t faults = 0;
  for (const model::KernelSum& kernel : kernels_) faults += kernel.faults;
  if (end_->ending == "signalled") out.push_back({"program.todo.crashed", {}});
  if (!faults_.empty())
    out.push_back({"program.todo.gpu_fault",
                   {{"call", value_of(faults_.front().first)}, {"error", value_of(faults_.front().second)}}});
  if (end_->ending == "budget") out.push_back({"program.todo.budget", {}});
  if (faults > 0) out.push_back({"program.todo.faults", {{"count", value_of(faults)}}});
  if (end_->ending == "exited" && end_->exit_code != 0 && faults == 0 && faults_.empty())
    out.push_back({"program.todo.exit", {{"code", value_of(end_->exit_code)}}});
  if (launches_.empty() && end_->ending == "exited") out.push_back({"program.todo.no_launch", {}});
  if (end_->every > 1) out.push_back({"run.page.sampled", {{"every", value_of(end_->every)}}});
}

void ProgramSession::say_running(std::vector<Message>& out) const {
  if (state_ != State::Running) return;
  const bool still = idle_ > kMayWait && !output_.running();
  if (still) out.push_back({input_ended_ ? "program.todo.idle" : "program.todo.input", {}});
  if (!still && !measured_ && seconds() > kLong) out.push_back({"program.todo.long", {}});
}

std::vector<Message> ProgramSession::notices() const {
  std::vector<Message> out;
  if (refusal_) out.push_back(*refusal_);
  if (awaited_ && !again_) out.push_back({"program.launch.waits", {}});
  say_error(out);
  say_end(out);
  say_running(out);
  out.insert(out.end(), older_.begin(), older_.end());
  if (!not_supported_.empty())
    out.push_back({"program.not_supported", {{"names", value_of(joined(not_supported_))}}});
  if (!not_emulated_.empty())
    out.push_back({"program.not_emulated", {{"names", value_of(joined(not_emulated_))}}});
  if (bench_.edited() && bench_.setup().users_file == file_) out.push_back({"program.todo.edited", {}});
  return out;
}

nlohmann::ordered_json ProgramSession::report() const {
  static constexpr const char* kStates[] = {"none", "ready", "compiling", "running", "ended"};
  nlohmann::ordered_json out{{"file", file_},
                             {"offers", offers()},
                             {"shown", shown_},
                             {"on", choices.on_gpu ? "gpu" : "emulator"},
                             {"state", kStates[static_cast<std::size_t>(state_)]},
                             {"said", state_line().key},
                             {"launches", launches_.size()},
                             {"lines", output_.lines().size()}};
  if (measured_) out["measured"] = measured_->device;
  if (end_) out["exit_code"] = end_->exit_code;
  for (const model::KernelSum& kernel : kernels_) out["kernels"].push_back(kernel.name);
  for (const Message& notice : notices()) out["notices"].push_back(notice.key);
  if (const auto at = open())
    out["open"] = {{"kernel", launches_[*at].kernel()}, {"number", launches_[*at].number}};
  if (!output_.lines().empty()) out["last_line"] = output_.lines().back();
  return out;
}

}  // namespace warplens::window
