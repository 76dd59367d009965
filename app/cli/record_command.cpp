// `warplens record`: measures the gallery on a GPU and writes one file.
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/watch.h"
#include "app/model/recording/recorder.h"
#include "app/model/recording/sweep_effect.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/gpu/device.h"

namespace warplens::cli {
namespace {

std::string today() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

// "NVIDIA H200" -> "nvidia-h200"
std::string file_name(const std::string& device) {
  std::string out;
  for (const char c : device) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += c;
    else if (c >= 'A' && c <= 'Z')
      out += static_cast<char>(c - 'A' + 'a');
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "gpu" : out;
}

struct RecordCommand {
  model::RecorderSettings settings;
  std::string out, sweeps;
  bool update = false;
  Output output;

  int execute() {
    if (!sweeps.empty()) return write_sweeps();
    settings.date = today();
    const gpu::Discovery& found = gpu::discover();
    if (settings.device < 0 || settings.device >= static_cast<int>(found.devices.size()))
      return fail(
          told(ErrorKind::Usage, found.devices.empty()
                                     ? Message{"cli.no_gpu_to_record", {{"reason", value_of(found.reason)}}}
                                     : Message{"cli.no_gpu", {{"number", value_of(settings.device)}}}));
    std::filesystem::path file = out;
    if (out.empty()) {
      file = model::own_recordings_folder() /
             (file_name(found.devices[static_cast<std::size_t>(settings.device)].name) + ".json");
      std::error_code ignored;  // writing says what is wrong
      std::filesystem::create_directories(file.parent_path(), ignored);
    }

    if (update) {
      auto before = model::load_recording(file);
      if (!before) return fail(before.error());
      settings.base = std::move(*before);
    }

    Progress progress;
    const Interruption interruption(progress);
    std::optional<Error> unwritten;
    settings.on_step = [&](const model::Recording& recording, std::size_t done, std::size_t all,
                           const std::string& line) {
      std::fprintf(stderr, "[%zu/%zu] %s\n", done, all, line.c_str());
      // Written at every step: a machine that goes away takes only the kernel in hand with it.
      if (const Status written = write_text(file, model::recording_json(recording)); !written)
        unwritten = written.error();
      if (unwritten) progress.cancel();
    };
    const auto recording = model::record_gpu(settings, &progress);
    if (unwritten) return fail(*unwritten);
    if (!recording) return fail(recording.error());
    if (const Status written = write_text(file, model::recording_json(*recording)); !written)
      return fail(written.error());
    std::size_t points = 0;
    for (const model::RecordedKernel& kernel : recording->kernels) points += kernel.points.size();
    if (!recording->counters_reason.empty())
      std::fprintf(stderr, "warplens: no hardware counters in it: %s\n", recording->counters_reason.c_str());
    if (!recording->note.empty()) std::fprintf(stderr, "warplens: %s\n", recording->note.c_str());
    std::string text =
        fmt::format("{}: {} kernels, {} points, {} transfers, {} timelines of {}\n", file.string(),
                    recording->kernels.size(), points, recording->transfers.size(), recording->streams.size(),
                    recording->device.name);
    nlohmann::ordered_json answer{{"file", file.string()},
                                  {"device", recording->device.name},
                                  {"kernels", recording->kernels.size()},
                                  {"points", points},
                                  {"transfers", recording->transfers.size()},
                                  {"streams", recording->streams.size()}};
    if (update) {
      const bool added = recording->updates.size() > settings.base->updates.size();
      const model::RecordedUpdate done = added ? recording->updates.back() : model::RecordedUpdate{};
      text += fmt::format(
          "measured now: {} points, counters of {}, {} transfers, {} timelines, {} products by the library\n",
          done.points, done.counters, done.transfers, done.streams, done.products);
      answer["measured_now"] = {{"points", done.points},
                                {"counters", done.counters},
                                {"transfers", done.transfers},
                                {"streams", done.streams},
                                {"products", done.products}};
    }
    return output.write(answer.dump(2), text);
  }

  // Of a recording that is there: the file of --out, else the one that plays.
  int write_sweeps() const {
    const auto gallery = model::load_gallery();
    if (!gallery) return fail(gallery.error());
    model::Recordings all;
    if (out.empty()) {
      all = model::load_recordings();
    } else {
      auto chosen = model::load_recording(out);
      if (!chosen) return fail(chosen.error());
      all.all.push_back(std::move(*chosen));
    }
    const model::Recording* recording = all.best();
    if (recording == nullptr) return fail(told(ErrorKind::Usage, {"cli.no_recording", {}}));
    const std::string page = model::sweeps_page(*gallery, *recording);
    if (sweeps == "-") {
      std::fputs(page.c_str(), stdout);
      return kDone;
    }
    const Status written = write_text(sweeps, page);
    return written ? kDone : fail(written.error());
  }
};

}  // namespace

void add_record(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "record", "Measure the gallery on this machine's GPU and keep it as a file that plays without one");
  auto options = std::make_shared<RecordCommand>();
  command
      ->add_option("--sweeps", options->sweeps,
                   "Measure nothing: write what each slider does in the recording that is there, as a table")
      ->type_name("FILE");
  command
      ->add_option("--out", options->out,
                   "File to write; without it the program's own folder, from where it plays by itself")
      ->type_name("FILE");
  command->add_option("--kernel", options->settings.kernels, "Record only this kernel; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_flag("--update", options->update,
                    "Keep what the file has; measure only what it lacks or what was edited since");
  command->add_option("--gpu", options->settings.device, "Number of the GPU")
      ->check(not_negative())
      ->capture_default_str();
  command->add_flag("--quick", options->settings.quick, "Fewer points and runs");
  command->add_option("--seconds", options->settings.max_seconds, "Stop after this time with what there is")
      ->check(not_negative());
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
