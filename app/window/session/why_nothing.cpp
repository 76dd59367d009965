#include "app/window/session/why_nothing.h"

namespace warplens::window {

std::optional<std::string> why_nothing(const Workbench& bench, const visual::View& view) {
  const bool needs_run = view.basis == visual::Basis::Run || view.basis == visual::Basis::Model;
  if (bench.picture() || !needs_run) return std::nullopt;
  const std::optional<Error>& error = bench.error();
  if (!error) return bench.busy() ? std::optional<std::string>("window.stage.first_run") : std::nullopt;
  if (error->kind == ErrorKind::Cancelled) return "window.stage.stopped";
  return error->kind == ErrorKind::Compile ? "window.stage.not_compiled" : "window.stage.not_run";
}

}  // namespace warplens::window
