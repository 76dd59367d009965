#include <algorithm>

#include "engine/analysis/report.h"
#include "engine/base/told_name.h"

namespace warplens::analysis {
namespace {

Message fill_of(const trace::Argument& argument) {
  switch (argument.init) {
    case trace::Init::Zero:
      return {"explain.fill.zero", {}};
    case trace::Init::Iota:
      return {"explain.fill.iota", {}};
    case trace::Init::Constant:
      return {"explain.fill.const", {}};
    case trace::Init::Hash:
      return {"explain.fill.hash", {}};
    case trace::Init::Modulo:
      return {"explain.fill.mod", {{"m", value_of(argument.integer)}}};
    case trace::Init::Permutation:
      return {"explain.fill.perm", {}};
    case trace::Init::File:
      return {"explain.fill.file", {}};
  }
  return {"explain.fill.zero", {}};
}

MessageValue name_of(const Report& report, int argument) {
  for (const BufferReport& buffer : report.buffers)
    if (buffer.argument == argument && !buffer.name.empty()) return told_name(buffer.name);
  return std::to_string(argument);
}

}  // namespace

std::optional<Message> data_sentence(const Report& report) {
  std::vector<int> deciding = report.data.addresses;
  deciding.insert(deciding.end(), report.data.branches.begin(), report.data.branches.end());
  std::ranges::sort(deciding);
  deciding.erase(std::ranges::unique(deciding).begin(), deciding.end());
  std::vector<Message> buffers;
  for (const int i : deciding) {
    if (i < 0 || static_cast<std::size_t>(i) >= report.launch.arguments.size()) continue;
    const trace::Argument& argument = report.launch.arguments[static_cast<std::size_t>(i)];
    if (argument.init == trace::Init::File) continue;
    buffers.push_back({buffers.empty() ? "explain.data_buffer" : "explain.data_next_buffer",
                       {{"name", name_of(report, i)}, {"fill", value_of(fill_of(argument))}}});
  }
  if (buffers.empty()) return std::nullopt;
  const char* key = report.data.addresses.empty()  ? "explain.data_branches"
                    : report.data.branches.empty() ? "explain.data_addresses"
                                                   : "explain.data_both";
  return Message{key, {{"buffers", MessageValue(std::move(buffers))}}};
}

}  // namespace warplens::analysis
