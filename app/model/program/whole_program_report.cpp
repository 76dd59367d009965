// What a program's launches did, as JSON ("warplens.run/1") and as a table.
#include <fmt/format.h>

#include <algorithm>

#include "app/model/program/run_events.h"
#include "app/model/program/whole_program.h"

namespace warplens::model {
namespace {

using Json = RunEvents::Json;

// Nothing but times: nobody has counted.
Json measured_kernel_json(const KernelSum& k) {
  return {{"kernel", k.name},     {"launches", k.launches}, {"measured", k.measured},
          {"seconds", k.seconds}, {"shortest", k.shortest}, {"longest", k.longest}};
}

Json measured_json(const MeasuredProgram& gpu) {
  return {
      {"device", gpu.device}, {"driver", gpu.driver}, {"date", gpu.date}, {"overhead_seconds", gpu.overhead}};
}

Json kernel_json(const KernelSum& k) {
  return {{"kernel", k.name},
          {"launches", k.launches},
          {"skipped", k.skipped},
          {"warp_instructions", k.instructions},
          {"sectors", k.sectors},
          {"sectors_ideal", k.sectors_ideal},
          {"bank_conflicts", k.conflicts},
          {"branches", k.branches},
          {"divergent_branches", k.divergent},
          {"faults", k.faults},
          {"seconds", k.seconds}};
}

// What was not run, and why the totals are those of a part.
Json sampling_json(const ProgramEnd& end, const std::vector<Json>& launches) {
  const auto skipped = std::ranges::count_if(
      launches, [](const Json& launch) { return launch.value("ending", "") == "skipped"; });
  return {{"every", end.every}, {"skipped", skipped}};
}

}  // namespace

std::string run_json(const ProgramEnd& end) {
  const RunEvents events = events_of(end.log);
  Json kernels = Json::array();
  for (const KernelSum& k : kernels_of(events.launches))
    kernels.push_back(end.measured ? measured_kernel_json(k) : kernel_json(k));
  Json out{{"schema", "warplens.run/1"},
           {"backend", end.measured ? "gpu" : "emulator"},
           {"exit_code", end.exit_code},
           {"ending", end.ending},
           {"checks", end.checks},
           {"sampling", sampling_json(end, events.launches)},
           {"kernels", kernels},
           {"launches", events.launches},
           {"transfers", events.transfers},
           {"waits", events.waits},
           {"leaks", events.leaks},
           {"not_supported", events.not_supported},
           {"not_emulated", events.not_emulated},
           {"seconds", end.seconds}};
  if (end.measured) {
    out["measured"] = measured_json(*end.measured);
    out["errors"] = events.errors;
    for (const char* of_emulation : {"checks", "sampling", "leaks", "not_supported", "not_emulated"})
      out.erase(of_emulation);
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

namespace {

std::string measured_text(const ProgramEnd& end, const RunEvents& events) {
  std::string text = fmt::format(
      "{} launches in {:.2f} s, exit code {}; measured on {}, driver {}, {}; watching took {:.1f} ms\n",
      events.launches.size(), end.seconds, end.exit_code, end.measured->device, end.measured->driver,
      end.measured->date, end.measured->overhead * 1e3);
  if (!events.launches.empty())
    text += fmt::format("{:>8} {:>12} {:>12} {:>12} {:>12}  {}\n", "launches", "total us", "mean us",
                        "shortest us", "longest us", "kernel");
  for (const KernelSum& k : kernels_of(events.launches)) {
    const double mean = k.measured == 0 ? 0 : k.seconds / static_cast<double>(k.measured);
    text += fmt::format("{:>8} {:>12.2f} {:>12.2f} {:>12.2f} {:>12.2f}  {}", k.launches, k.seconds * 1e6,
                        mean * 1e6, k.shortest * 1e6, k.longest * 1e6, k.name);
    if (k.measured < k.launches)
      text += fmt::format(" ({} of its launches were not measured)", k.launches - k.measured);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string run_text(const ProgramEnd& end) {
  const RunEvents events = events_of(end.log);
  if (end.measured) return measured_text(end, events);
  std::string text = fmt::format("{} launches in {:.2f} s, exit code {}\n", events.launches.size(),
                                 end.seconds, end.exit_code);
  if (!events.launches.empty())
    text += fmt::format("{:>8} {:>14} {:>12} {:>12} {:>10} {:>9} {:>6}  {}\n", "launches", "warp instr.",
                        "sectors", "ideal", "conflicts", "divergent", "faults", "kernel");
  for (const KernelSum& k : kernels_of(events.launches)) {
    text += fmt::format("{:>8} {:>14} {:>12} {:>12} {:>10} {:>9} {:>6}  {}", k.launches, k.instructions,
                        k.sectors, k.sectors_ideal, k.conflicts, k.divergent, k.faults, k.name);
    if (k.skipped > 0) text += fmt::format(" ({} of its launches were not run)", k.skipped);
    text += '\n';
  }
  if (end.every > 1)
    text +=
        fmt::format("sampled: every {}th launch of each kernel was run, counts are of these\n", end.every);
  for (const std::string& name : events.not_emulated)
    text += fmt::format("computed on the CPU, not emulated: {}\n", name);
  for (const std::string& name : events.not_supported) text += fmt::format("not supported: {}\n", name);
  return text;
}

std::string kept_text(const ProgramEnd& end) {
  const RunEvents events = events_of(end.log);
  std::string text;
  for (const Json& launch : events.launches)
    if (launch.contains("kept"))
      text += fmt::format("kept: launch {} of {}: {}\n", launch.value("index", 0), launch.value("kernel", ""),
                          (end.folder / launch.value("kept", "")).string());
  bool not_kept = false;
  for (const Json& launch : events.launches) {
    if (!launch.contains("not_kept")) continue;
    not_kept = true;
    if (end.measured)  // the emulated runtime has said it itself
      text += fmt::format("not kept: launch {} of {}: {}\n", launch.value("index", 0),
                          launch.value("kernel", ""), launch.value("not_kept", ""));
  }
  if (!text.empty() || not_kept) return text;
  std::string launched;
  for (const KernelSum& k : kernels_of(events.launches))
    launched += fmt::format("{}{} ({} launches)", launched.empty() ? "" : ", ", k.name, k.launches);
  return "warplens: nothing was kept: --trace named no launch that was made; " +
         (launched.empty() ? "the program launched nothing" : "the program launched " + launched) + "\n";
}

}  // namespace warplens::model
