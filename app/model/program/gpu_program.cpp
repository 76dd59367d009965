#include "app/model/program/gpu_program.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "app/model/program/gpu_kept.h"
#include "app/model/program/run_events.h"
#include "engine/base/message_json.h"
#include "engine/gpu/counters_library.h"
#include "engine/gpu/device.h"
#include "engine/ptx/syntax/module.h"
#include "engine/runtime/kept_files.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;
using Json = RunEvents::Json;

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

std::uint64_t id_of(const Json& event) {
  return event.value("id", std::uint64_t{0});
}

// The witness's lines by what they are of.
struct Witnessed {
  std::vector<Json> asked, others;
  std::map<std::uint64_t, std::vector<Json>> ran;  // several: a graph's kernels
  std::map<std::uint64_t, Json> refused, kept, not_kept;
  std::map<std::uint64_t, std::uint64_t> streams;  // CUPTI's number to ours
  double overhead = 0;
  std::string blind;
};

void sort_in(const Json& line, Witnessed& to) {
  for (const auto& [what, list] :
       {std::pair{"refused", &to.refused}, std::pair{"kept", &to.kept}, std::pair{"not_kept", &to.not_kept}})
    if (line.contains(what)) (*list)[id_of(line[what])] = line[what];
  if (line.contains("asked")) to.asked.push_back(line["asked"]);
  if (line.contains("ran")) to.ran[id_of(line["ran"])].push_back(line["ran"]);
  if (line.contains("stream")) to.streams[id_of(line["stream"])] = line["stream"].value("number", 0);
  if (line.contains("overhead")) to.overhead += line["overhead"].value("seconds", 0.0);
  if (line.contains("blind")) to.blind = line.value("blind", "");
  for (const char* what : {"copy", "fill", "wait", "error"})
    if (line.contains(what)) to.others.push_back(line);
}

Witnessed read(const std::string& text) {
  Witnessed out;
  for_each_event(text, [&](const Json& line) { sort_in(line, out); });
  return out;
}

// A launch and what is known of it: as it was called, as it was measured, or both.
struct Met {
  std::uint64_t id = 0;
  const Json* asked = nullptr;
  const Json* ran = nullptr;
};

// In the order of the calls; a graph's kernels where the graph was launched, by when they began.
std::vector<Met> in_order(Witnessed& all) {
  std::vector<Met> out;
  for (auto& [id, kernels] : all.ran)
    std::ranges::stable_sort(kernels, {}, [](const Json& one) { return one.value("begin", 0.0); });
  for (const Json& one : all.asked) {
    const auto found = all.ran.find(id_of(one));
    out.push_back({id_of(one), &one, found == all.ran.end() ? nullptr : &found->second.front()});
  }
  std::ranges::stable_sort(out, {}, &Met::id);
  for (const auto& [id, kernels] : all.ran) {
    if (std::ranges::binary_search(out, id, {}, &Met::id)) continue;
    std::vector<Met> graph;
    for (const Json& one : kernels) graph.push_back({id, nullptr, &one});
    out.insert(std::ranges::upper_bound(out, id, {}, &Met::id), graph.begin(), graph.end());
  }
  return out;
}

class Teller {
 public:
  Teller(Witnessed all, const fs::path& program, fs::path folder, const MeasuredProgram& gpu,
         const Catalogue& text)
      : all_(std::move(all)), folder_(std::move(folder)), gpu_(gpu), text_(text) {
    if (!all_.kept.empty()) ptx_ = read_program_ptx(program);
  }

  std::string tell() {
    std::string out;
    std::vector<Met> launches = in_order(all_);
    doubt_last(launches);
    for (const Met& met : launches)
      out += Json{{"launch", launch(met)}}.dump(-1, ' ', false, kReplace) + "\n";
    for (Json line : all_.others) {
      for (auto& [what, event] : line.items())
        if (event.contains("stream")) event["stream"] = stream(event);
      out += line.dump(-1, ' ', false, kReplace) + "\n";
    }
    remove_unused(folder_, copied_);
    return out;
  }

 private:
  static constexpr auto kReplace = Json::error_handler_t::replace;

  // After a fault nobody knows the end of the launch that began last.
  void doubt_last(std::vector<Met>& launches) const {
    const bool faulted =
        std::ranges::any_of(all_.others, [](const Json& line) { return line.contains("error"); });
    const auto begin = [](const Met& met) {
      return met.ran == nullptr ? -1.0 : met.ran->value("begin", 0.0);
    };
    const auto last = std::ranges::max_element(launches, {}, begin);
    if (faulted && last != launches.end() && last->asked != nullptr) last->ran = nullptr;
  }

  std::uint64_t stream(const Json& event) const {
    const auto id = event.value("stream", std::uint64_t{0});
    const auto found = all_.streams.find(id);
    return found == all_.streams.end() ? id : found->second;
  }

  Json launch(const Met& met) {
    const Json& from = met.asked != nullptr ? *met.asked : *met.ran;
    const std::string kernel = from.value("kernel", "");
    const std::uint64_t index = index_++;
    Json out{{"index", index},
             {"kernel", ptx::demangle(kernel)},
             {"number", numbers_[kernel]++},
             {"grid", from["grid"]},
             {"block", from["block"]},
             {"shared_bytes", from.value("shared_bytes", 0)},
             {"ending", "completed"},
             {"faults", Json::array()}};
    if (met.ran == nullptr) out["ending"] = "not_measured";
    if (const auto refused = all_.refused.find(met.id); refused != all_.refused.end()) {
      out["ending"] = "refused";
      out["error"] = refused->second.value("error", "");
    }
    keep(met, index, kernel, out);
    if (met.ran != nullptr) {
      out["registers_per_thread"] = met.ran->value("registers_per_thread", 0);
      out["stream"] = stream(*met.ran);
      out["begin"] = met.ran->value("begin", 0.0);
      out["seconds"] = met.ran->value("seconds", 0.0);
    } else {
      out["begin"] = from.value("begin", 0.0);
    }
    return out;
  }

  void keep(const Met& met, std::uint64_t index, const std::string& kernel, Json& out) {
    if (const auto why = all_.not_kept.find(met.id); why != all_.not_kept.end()) {
      copied_.push_back(why->second);
      out["not_kept"] = text_.text(message_from(why->second["reason"]));
    }
    const auto found = all_.kept.find(met.id);
    if (found == all_.kept.end() || met.asked == nullptr) return;
    copied_.push_back(found->second);
    if (all_.refused.contains(met.id)) {
      out["not_kept"] = text_.text(Message{"run.keep.refused", {}});
      return;
    }
    std::string measured = fmt::format("{}, driver {}, {}", gpu_.device, gpu_.driver, gpu_.date);
    if (met.ran != nullptr) measured += fmt::format(": {:.2f} us", met.ran->value("seconds", 0.0) * 1e6);
    const auto name = write_kept({kernel, index, *met.asked, found->second, measured}, ptx_, folder_);
    if (name)
      out["kept"] = *name;
    else
      out["not_kept"] = text_.text(Message{"run.keep.reason", {{"reason", with_place(name.error())}}});
  }

  Witnessed all_;
  fs::path folder_;
  const MeasuredProgram& gpu_;
  const Catalogue& text_;
  std::vector<Json> copied_;  // the lines that name files of the witness's
  ProgramPtx ptx_;
  std::uint64_t index_ = 0;
  std::map<std::string, std::uint64_t> numbers_;
};

// Between a program on a GPU and its watcher: what the witness writes means something only together.
class Unmeasured : public ProgramWatcher {
 public:
  explicit Unmeasured(ProgramWatcher& to) : to_(to) {}
  void on_output(std::string_view bytes) override { to_.on_output(bytes); }
  void on_event(const Json& line) override {
    if (line.contains("asked")) to_.on_event(line);
  }
  void on_turn(double idle) override { to_.on_turn(idle); }
  Wish wish() override { return to_.wish(); }
  std::string typed() override { return to_.typed(); }

 private:
  ProgramWatcher& to_;
};

// What the witness wrote becomes what was measured.
Result<ProgramEnd> measured_end(Result<ProgramEnd> end, const std::vector<std::string>& command,
                                const runtime::Settings& settings, MeasuredProgram gpu) {
  if (!end) return end;
  MeasuredLog log = measured_log(end->log, command.front(), settings.keep_folder, gpu, settings.language);
  if (log.blind) return told(ErrorKind::System, Message{"run.gpu.blind", {{"what", value_of(log.reason)}}});
  end->log = std::move(log.log);
  gpu.overhead = log.overhead;
  end->measured = std::move(gpu);
  return end;
}

}  // namespace

Result<MeasuredProgram> gpu_for_programs() {
  const gpu::Discovery& found = gpu::discover();
  if (found.devices.empty())
    return told(ErrorKind::System, Message{"run.gpu.none", {{"reason", value_of(found.reason)}}});
  if (witness_library().empty()) return told(ErrorKind::System, Message{"run.gpu.no_witness", {}});
  if (gpu::CountersLibrary::open() == nullptr)
    return told(ErrorKind::System, Message{"run.gpu.no_cupti", {}});
  return MeasuredProgram{found.devices.front().name, found.driver_version, today(), 0};
}

std::string architecture_of_gpu() {
  const gpu::Discovery& found = gpu::discover();
  if (found.devices.empty()) return {};
  return found.devices.front().target();
}

Status can_run_on_gpu(const std::string& program) {
  if (!holds_our_runtime(program)) return Done{};
  return told(ErrorKind::Usage, Message{"run.gpu.our_runtime", {}}, {program, 0, 0});
}

void ask_for_variables(const fs::path& program, runtime::Settings& settings) {
  if (settings.kept.empty()) return;
  for (const std::string& text : read_program_ptx(program).texts) {
    const bool wanted = std::ranges::any_of(kernels_in(text), [&](const std::string& kernel) {
      return std::ranges::any_of(settings.kept, [&](const runtime::KeptLaunches& kept) {
        return runtime::is_called(ptx::demangle(kernel), kernel, kept.kernel);
      });
    });
    if (!wanted) continue;
    for (std::string& name : variables_in(text))
      if (std::ranges::find(settings.variables, name) == settings.variables.end())
        settings.variables.push_back(std::move(name));
  }
}

Result<ProgramEnd> run_on_gpu(const std::vector<std::string>& command, runtime::Settings settings,
                              const fs::path& private_folder, MeasuredProgram gpu) {
  settings.on_gpu = true;
  ask_for_variables(command.front(), settings);
  return measured_end(run_program(command, settings, private_folder), command, settings, std::move(gpu));
}

Result<ProgramEnd> run_on_gpu_watched(const std::vector<std::string>& command, const fs::path& folder,
                                      runtime::Settings settings, const fs::path& private_folder,
                                      MeasuredProgram gpu, ProgramWatcher& watcher) {
  settings.on_gpu = true;
  ask_for_variables(command.front(), settings);
  Unmeasured between(watcher);
  auto end = measured_end(run_watched(command, folder, settings, private_folder, between), command, settings,
                          std::move(gpu));
  if (end) for_each_event(end->log, [&](const Json& line) { watcher.on_event(line); });
  return end;
}

MeasuredLog measured_log(const std::string& witnessed, const fs::path& program, const fs::path& folder,
                         const MeasuredProgram& gpu, const std::string& language) {
  const auto text = Catalogue::load(language);
  Witnessed all = read(witnessed);
  MeasuredLog out;
  out.overhead = all.overhead;
  out.blind = !all.blind.empty();
  out.reason = all.blind;
  out.log = Teller(std::move(all), program, folder, gpu, text ? *text : Catalogue()).tell();
  return out;
}

}  // namespace warplens::model
