#include "app/model/gpu_fault.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/analysis/fault_text.h"

namespace warplens::model {
namespace {

// Thread instructions that the check may take: a few seconds.
constexpr std::uint64_t kCheckBudget = 4'000'000'000;

std::string without_full_stop(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text;
}

// Errors are told in English.
std::string english(const trace::Fault& fault) {
  const Result<Catalogue> catalogue = Catalogue::load("en");
  return catalogue ? catalogue->text(analysis::fault_message(fault)) : fault.what.key;
}

}  // namespace

FaultDiagnosis diagnose_fault(const Error& error, const RunRequest& request, Progress* progress) {
  FaultDiagnosis out{error, {}};
  RunRequest check = request;
  check.options.checks = std::max(check.options.checks, simt::Checks::Memory);
  check.options.budget = std::min(check.options.budget, kCheckBudget);
  check.recorder.blocks = 0;
  check.recorder.chosen.clear();
  const auto run = execute(check, progress);
  std::string found;
  if (!run) {
    found = "the emulator cannot check it: " + run.error().message;
  } else if (!(*run)->report.faults.empty()) {
    out.faults = (*run)->report.faults;
    found = "the emulator's check of the same launch found: " + english(out.faults.front());
  } else if ((*run)->report.ending == analysis::Ending::Budget) {
    found = fmt::format(
        "the emulator's check of the same launch stopped after {} instructions in {} of {} blocks and found "
        "no "
        "bad address until then",
        check.options.budget, (*run)->report.blocks_run, (*run)->report.blocks_total);
  } else {
    found = "the emulator's check of the same launch found nothing";
  }
  out.error.message = without_full_stop(error.message) + "; " + found;
  return out;
}

}  // namespace warplens::model
