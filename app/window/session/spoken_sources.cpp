#include "app/window/session/spoken_sources.h"

#include <algorithm>

#include "app/model/picture/view_data.h"

namespace warplens::window {
namespace {

constexpr std::size_t kKept = 2;  // the sides of a comparison

}  // namespace

std::shared_ptr<const visual::SourceText> SpokenSources::of(
    const std::shared_ptr<const model::Program>& program, const std::string& language) {
  const auto found = std::ranges::find_if(
      newest_, [&](const One& one) { return one.program == program && one.language == language; });
  if (found != newest_.end()) {
    newest_.splice(newest_.begin(), newest_, found);
  } else {
    newest_.push_front({program, language,
                        std::make_shared<const visual::SourceText>(model::source_text(*program, language))});
    if (newest_.size() > kKept) newest_.pop_back();
  }
  return newest_.front().text;
}

}  // namespace warplens::window
