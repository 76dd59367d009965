#include "app/window/jobs/earlier.h"

#include <algorithm>
#include <string_view>

namespace warplens::window {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

const char* key_of(Pending why) {
  switch (why) {
    case Pending::Typing:
      return "window.earlier.typing";
    case Pending::Running:
      return "window.earlier.running";
    case Pending::NotCompiled:
      return "window.earlier.not_compiled";
    case Pending::Failed:
      return "window.earlier.failed";
    case Pending::Stopped:
      return "window.earlier.stopped";
  }
  return "window.earlier.running";
}

}  // namespace

ResultKey key_of(const Setup& setup, const std::string& device) {
  ResultKey key;
  // A user's file is the same before and after it was made playable.
  if (!setup.users_file.empty())
    key.kernel = setup.users_file + "\n" + setup.users_kernel;
  else if (setup.kernel)
    key.kernel = setup.kernel->id;
  key.text = setup.text;
  key.device = device;
  key.values = setup.values;
  for (const std::string& path : setup.compiler.include_paths) key.given += "I " + path + '\n';
  for (const auto& [name, value] : setup.compiler.defines) key.given += "D " + name + '=' + value + '\n';
  for (const auto& [what, text] : setup.given) key.given += what + ' ' + text + '\n';
  return key;
}

std::string earlier_words(const Earlier& earlier, const Setup& asked, const std::string& device,
                          const Catalogue& text, const std::string& language) {
  const ResultKey& of = earlier.of;
  std::string what;
  const auto add = [&](const std::string& part) {
    what += (what.empty() ? "" : text.text("window.earlier.and")) + part;
  };
  const ResultKey now = key_of(asked, device);
  if (of.kernel != now.kernel) {
    add(text.text("window.earlier.kernel"));
  } else {
    Setup shown = asked;
    shown.values = of.values;
    // Values that only one of them has say nothing to a reader.
    for (const auto& [name, value] : asked.values) shown.values.try_emplace(name, value);
    if (shown.values != asked.values) add(side_names(shown, asked, text, language).a.name);
    if (of.text != now.text) add(text.text("window.earlier.text"));
    if (of.given != now.given) add(text.text("window.earlier.given"));
    if (!of.device.empty() && of.device != now.device) add(of.device);
  }
  if (what.empty()) what = text.text("window.earlier.before");
  return text.text(Message{"window.earlier.line",
                           {{"what", value_of(what)}, {"why", value_of(text.text(key_of(earlier.why)))}}});
}

LineMap::LineMap(const std::string& then, const std::string& now) {
  if (then == now) return;
  same_ = false;
  const auto a = lines_of(then), b = lines_of(now);
  lines_then_ = static_cast<int>(a.size());
  lines_now_ = static_cast<int>(b.size());
  const auto common = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  before_ = static_cast<int>(common.first - a.begin());
  const int most = std::min(lines_then_, lines_now_) - before_;
  while (after_ < most && a[static_cast<std::size_t>(lines_then_ - 1 - after_)] ==
                              b[static_cast<std::size_t>(lines_now_ - 1 - after_)])
    ++after_;
}

int LineMap::then(int line) const {
  if (same_ || line <= before_) return line;
  return line > lines_now_ - after_ ? line - lines_now_ + lines_then_ : 0;
}

int LineMap::now(int line) const {
  if (same_ || line <= before_) return line;
  return line > lines_then_ - after_ ? line - lines_then_ + lines_now_ : 0;
}

}  // namespace warplens::window
