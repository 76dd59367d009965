#include "engine/gpu/error_frame.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/message_json.h"

namespace warplens::gpu {

namespace {

constexpr std::array<std::pair<ErrorKind, const char*>, 6> kKinds{{{ErrorKind::Usage, "usage"},
                                                                   {ErrorKind::Compile, "compile"},
                                                                   {ErrorKind::Unsupported, "unsupported"},
                                                                   {ErrorKind::Fault, "fault"},
                                                                   {ErrorKind::Cancelled, "cancelled"},
                                                                   {ErrorKind::System, "system"}}};

}  // namespace

Frame error_frame(const Error& error) {
  const auto kind = std::ranges::find(kKinds, error.kind, &std::pair<ErrorKind, const char*>::first);
  Frame out{{{"error", error.message}, {"notes", error.notes}, {"kind", kind->second}}, {}};
  if (error.said) out.head["said"] = message_json(*error.said);
  return out;
}

bool is_error(const Frame& frame) {
  return frame.head.contains("error");
}

Error error_from(const Frame& frame) {
  const std::string name = frame.head.at("kind");
  const auto kind =
      std::ranges::find_if(kKinds, [&](const auto& candidate) { return candidate.second == name; });
  Error out{kind == kKinds.end() ? ErrorKind::System : kind->first,
            frame.head.at("error"),
            {},
            frame.head.at("notes")};
  if (frame.head.contains("said"))
    out.said = std::make_shared<const Message>(message_from(frame.head["said"]));
  return out;
}

int driver_code(const Error& error) {
  if (!error.said || error.said->key != "gpu.driver.failed") return 0;
  for (const auto& [name, value] : error.said->values)
    if (name == "code") return static_cast<int>(std::get<std::int64_t>(value));
  return 0;
}

}  // namespace warplens::gpu
