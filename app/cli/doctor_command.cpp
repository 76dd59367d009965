#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/model/machine/system.h"

namespace warplens::cli {
namespace {

int examine(const Output& output) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  std::string text;
  for (const model::Finding& finding : model::examine_system()) {
    parts.push_back({{"part", finding.part},
                     {"found", finding.found},
                     {"detail", finding.detail},
                     {"gives", finding.gives}});
    text +=
        fmt::format("{:<8} {:<16} {}\n", finding.found ? "found" : "missing", finding.part, finding.detail);
    if (!finding.found) text += fmt::format("{:<25} would give: {}\n", "", finding.gives);
  }
  return output.write(nlohmann::ordered_json{{"parts", std::move(parts)}}.dump(2), text);
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("doctor", "Say what this machine offers and what is missing");
  auto output = std::make_shared<Output>();
  output->add_option(*command);
  command->callback([output, &context] { context.exit_code = examine(*output); });
}

}  // namespace warplens::cli
