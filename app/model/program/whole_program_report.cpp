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
           {"unordered", events.unordered},
           {"not_supported", events.not_supported},
           {"not_emulated", events.not_emulated},
           {"seconds", end.seconds}};
  if (end.refused) out["refused"] = end.refused->text();
  if (end.program_exit_code) out["program_exit_code"] = *end.program_exit_code;
  if (end.measured) {
    out["measured"] = measured_json(*end.measured);
    out["errors"] = events.errors;
    for (const char* of_emulation :
         {"checks", "sampling", "leaks", "unordered", "not_supported", "not_emulated"})
      out.erase(of_emulation);
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

namespace {

// What the table says of its rows, in the catalogue's words; columns are as wide as they are drawn, where a
// Chinese character takes two (fmt's width).
class Words {
 public:
  explicit Words(const Catalogue& catalogue) : catalogue_(catalogue) {}
  std::string operator()(const std::string& key,
                         std::vector<std::pair<std::string, MessageValue>> values = {}) const {
    return catalogue_.text(Message{"run.table." + key, std::move(values)});
  }
  std::string line(const std::string& key, std::vector<std::pair<std::string, MessageValue>> values) const {
    return (*this)(key, std::move(values)) + '\n';
  }

 private:
  const Catalogue& catalogue_;
};

std::string measured_text(const ProgramEnd& end, const RunEvents& events, const Words& words) {
  std::string text =
      words.line("measured", {{"launches", value_of(events.launches.size())},
                              {"seconds", value_of(fmt::format("{:.2f}", end.seconds))},
                              {"code", value_of(end.exit_code)},
                              {"device", value_of(end.measured->device)},
                              {"driver", value_of(end.measured->driver)},
                              {"date", value_of(end.measured->date)},
                              {"overhead", value_of(fmt::format("{:.1f}", end.measured->overhead * 1e3))}});
  if (!events.launches.empty())
    text += fmt::format("{:>8} {:>12} {:>12} {:>12} {:>12}  {}\n", words("launches"), words("total"),
                        words("mean"), words("shortest"), words("longest"), words("kernel"));
  for (const KernelSum& k : kernels_of(events.launches)) {
    const double mean = k.measured == 0 ? 0 : k.seconds / static_cast<double>(k.measured);
    text += fmt::format("{:>8} {:>12.2f} {:>12.2f} {:>12.2f} {:>12.2f}  {}", k.launches, k.seconds * 1e6,
                        mean * 1e6, k.shortest * 1e6, k.longest * 1e6, k.name);
    if (k.measured < k.launches)
      text += ' ' + words("not_measured", {{"count", value_of(k.launches - k.measured)}});
    text += '\n';
  }
  return text;
}

}  // namespace

std::string run_text(const ProgramEnd& end, const Catalogue& catalogue) {
  const RunEvents events = events_of(end.log);
  const Words words(catalogue);
  if (end.measured) return measured_text(end, events, words);
  std::string text = words.line("emulated", {{"launches", value_of(events.launches.size())},
                                             {"seconds", value_of(fmt::format("{:.2f}", end.seconds))},
                                             {"code", value_of(end.exit_code)}});
  if (!events.launches.empty())
    text += fmt::format("{:>8} {:>14} {:>12} {:>12} {:>10} {:>9} {:>6}  {}\n", words("launches"),
                        words("instructions"), words("sectors"), words("ideal"), words("conflicts"),
                        words("divergent"), words("faults"), words("kernel"));
  for (const KernelSum& k : kernels_of(events.launches)) {
    text += fmt::format("{:>8} {:>14} {:>12} {:>12} {:>10} {:>9} {:>6}  {}", k.launches, k.instructions,
                        k.sectors, k.sectors_ideal, k.conflicts, k.divergent, k.faults, k.name);
    if (k.skipped > 0) text += ' ' + words("not_run", {{"count", value_of(k.skipped)}});
    text += '\n';
  }
  if (end.every > 1) text += words.line("sampled", {{"every", value_of(end.every)}});
  for (const std::string& name : events.not_emulated)
    text += words.line("on_cpu", {{"name", value_of(name)}});
  for (const std::string& name : events.not_supported)
    text += words.line("not_supported", {{"name", value_of(name)}});
  return text;
}

std::string kept_text(const ProgramEnd& end, const Catalogue& catalogue) {
  const RunEvents events = events_of(end.log);
  const Words words(catalogue);
  const auto of = [](const Json& launch) {
    return std::vector<std::pair<std::string, MessageValue>>{
        {"launch", value_of(launch.value("index", 0))}, {"kernel", value_of(launch.value("kernel", ""))}};
  };
  std::string text;
  for (const Json& launch : events.launches)
    if (launch.contains("kept")) {
      auto values = of(launch);
      values.emplace_back("file", value_of((end.folder / launch.value("kept", "")).string()));
      text += words.line("kept", std::move(values));
    }
  bool not_kept = false;
  for (const Json& launch : events.launches) {
    if (!launch.contains("not_kept")) continue;
    not_kept = true;
    if (!end.measured) continue;  // the emulated runtime has said it itself
    auto values = of(launch);
    values.emplace_back("why", value_of(launch.value("not_kept", "")));
    text += words.line("not_kept", std::move(values));
  }
  if (!text.empty() || not_kept) return text;
  std::string launched;
  for (const KernelSum& k : kernels_of(events.launches))
    launched += (launched.empty() ? "" : words("between")) +
                words("so_often", {{"kernel", value_of(k.name)}, {"count", value_of(k.launches)}});
  return "warplens: " + (launched.empty() ? words.line("nothing_launched", {})
                                          : words.line("nothing_kept", {{"launched", value_of(launched)}}));
}

}  // namespace warplens::model
