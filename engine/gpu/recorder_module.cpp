#include "engine/gpu/recorder_module.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/ptx/syntax/parser.h"

namespace warplens::gpu {
namespace {

constexpr std::pair<std::string_view, std::string_view> kFile[] = {
#include "recorder_ptx.inc"
};
constexpr std::string_view kText = kFile[0].second;

// 75 for "sm_75", 90 for "sm_90a"; 0 when it says nothing of the kind.
int number_of(std::string_view target) {
  int number = 0;
  if (target.starts_with("sm_")) std::from_chars(target.data() + 3, target.data() + target.size(), number);
  return number;
}

}  // namespace

std::string_view recorder_ptx() {
  return kText;
}

Status append_recorder(ptx::Module& module) {
  static const Result<ptx::Module> recorder = ptx::parse(kText, {.file = "recorder.ptx"});
  if (!recorder) return recorder.error();
  const auto first_form = static_cast<ptx::FormId>(module.forms.size());
  module.forms.insert(module.forms.end(), recorder->forms.begin(), recorder->forms.end());
  for (ptx::Function function : recorder->functions) {
    for (ptx::Instruction& instruction : function.instructions) {
      instruction.form += first_form;
      instruction.source = ptx::kNone;
    }
    function.source_lines.clear();
    function.is_visible = false;
    module.functions.push_back(std::move(function));
  }
  if (number_of(module.target) < number_of(recorder->target)) module.target = recorder->target;
  if (std::tie(module.version_major, module.version_minor) <
      std::tie(recorder->version_major, recorder->version_minor)) {
    module.version_major = recorder->version_major;
    module.version_minor = recorder->version_minor;
  }
  return Done{};
}

}  // namespace warplens::gpu
