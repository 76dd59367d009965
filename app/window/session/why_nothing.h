// Before anything has run no view has something to show. What is the matter is said once, and nothing else:
// that it is being compiled, that it does not compile, that it was stopped.
#pragma once

#include <optional>
#include <string>

#include "app/window/session/workbench.h"

namespace warplens::window {

// The key of a headline, with "_advice" behind it of what to do; nothing: the view speaks for itself.
std::optional<std::string> why_nothing(const Workbench& bench, const visual::View& view);

}  // namespace warplens::window
