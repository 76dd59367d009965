// `warplens time`: a kernel measured on the GPU, once or over a slider; without a GPU the recording of one is
// played. Copies between host and GPU, and pieces over streams, where the gallery's kernel is about them.
#include <fmt/format.h>

#include <memory>

#include "app/cli/command.h"
#include "app/cli/time_report.h"
#include "app/model/recording/measure.h"
#include "app/model/recording/recording.h"
#include "app/model/recording/sweep_effect.h"
#include "app/model/run/gpu_run.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"

namespace warplens::cli {
namespace {

struct TimeCommand {
  RunOptions run;
  Output output;
  gpu::TimingOptions timing;
  std::string sweep, recording_file, language = "en";
  bool recorded = false, counters = false, instrumented = false, no_count = false, warm_l2 = false;
  int device = 0;

  int execute() {
    const auto catalogue = Catalogue::load(language);
    if (!catalogue) return fail(catalogue.error());
    const auto kernel = gallery_kernel(run.program.file);
    if (!kernel) return fail(kernel.error());
    if (*kernel && (*kernel)->measure_flushed && !warm_l2) timing.flush_l2 = true;
    const TimeReport report(*catalogue, timing.flush_l2);
    const bool play = recorded || !recording_file.empty() || gpu::discover().devices.empty();
    if (!play && device >= static_cast<int>(gpu::discover().devices.size()))
      return fail(told(ErrorKind::Usage, {"cli.no_gpu", {{"number", value_of(device)}}}));
    if (!*kernel) return play ? no_gpu() : one_launch(report);
    const auto shown = slider_values(**kernel, run.set);
    if (!shown) return fail(shown.error());
    const model::SliderValues values = model::measured_values(**kernel, *shown, asked_for());
    for (const auto& [name, value] : values)
      if (value != shown->at(name)) run.set.push_back(fmt::format("{}={}", name, value));
    return play ? play_recording(**kernel, values, report) : measure(**kernel, values, report);
  }

 private:
  // A slider that was named stays where it was put; the others of the kernel's `measure` go there.
  std::vector<std::string> asked_for() const {
    std::vector<std::string> names{sweep};
    for (const std::string& text : run.set) names.push_back(text.substr(0, text.find('=')));
    return names;
  }

  static int no_gpu() {
    return fail(
        told(ErrorKind::Usage, {"cli.no_gpu_to_measure", {{"reason", value_of(gpu::discover().reason)}}}));
  }

  int say(const Answer& answer) const { return output.write(answer.json, answer.text); }

  // ---- on the GPU ----
  int measure(const model::GalleryKernel& kernel, const model::SliderValues& values,
              const TimeReport& report) const {
    if (!sweep.empty()) return measure_sweep(kernel, values, report);
    if (counters || instrumented || kernel.kind.empty()) return one_launch(report);
    const gpu::DeviceInfo& gpu = gpu::discover().devices.at(static_cast<std::size_t>(device));
    if (kernel.kind == "transfers") {
      const auto rows = model::transfers_on_gpu(kernel, {}, device);
      if (!rows) return fail(rows.error());
      std::vector<model::RecordedTransfer> transfers;
      for (const gpu::TransferRow& row : *rows) transfers.push_back(model::recorded_transfer(row));
      return say(report.transfers(transfers, {gpu.name, nullptr}));
    }
    const auto times = model::streams_on_gpu(kernel, values, device);
    if (!times) return fail(times.error());
    return say(
        report.streams({model::recorded_streams(*times, count(values, "streams"), count(values, "chunks"))},
                       {gpu.name, nullptr}));
  }

  static int count(const model::SliderValues& values, const char* slider) {
    const auto found = values.find(slider);
    return found == values.end() ? 1 : static_cast<int>(found->second);
  }

  int one_launch(const TimeReport& report) const {
    RunOptions on_gpu = run;
    on_gpu.program.compile_for_gpu(device);
    const auto request = on_gpu.request();
    if (!request) return fail(request.error());
    const auto timed = model::time_on_gpu(*request, timing, device, nullptr, !no_count);
    if (!timed) return fail(timed.error());
    TimedLaunch launch;
    launch.kernel = request->launch.kernel;
    launch.launch = request->launch;
    launch.timing = timed->timing;
    launch.device = timed->device;
    launch.counted = timed->counted;
    launch.registers_per_thread = timed->registers_per_thread;
    if (counters) read_counters(*request, launch);
    if (instrumented) {
      const auto cost = model::instrumentation_cost(*request, device);
      if (!cost) return fail(cost.error());
      launch.instrumented = *cost;
    }
    return say(report.launch(launch, {timed->device.name, nullptr}));
  }

  void read_counters(const model::RunRequest& request, TimedLaunch& launch) const {
    const auto entry = request.program->module->find_entry(request.launch.kernel);
    auto session = gpu::Session::open(request.program->module, device);
    if (!entry || !session) return;
    trace::Launch named = request.launch;
    named.kernel = (*entry)->name;
    auto reading = (*session)->counters(named, nullptr);
    if (reading)
      launch.counters = std::move(*reading);
    else
      launch.counters_reason = reading.error().message;
  }

  int measure_sweep(const model::GalleryKernel& kernel, const model::SliderValues& values,
                    const TimeReport& report) const {
    model::MeasureRequest request;
    request.kernel = &kernel;
    request.points = model::sweep_points(kernel, values, sweep, model::kEveryValue, model::Steps::Notable);
    if (request.points.empty()) return no_slider(kernel, sweep);
    request.timing = timing;
    request.device = device;
    std::vector<SweptPoint> points;
    const auto problems = model::measure_points(request, [&](const model::MeasuredPoint& point) {
      points.push_back(
          {point.values.at(sweep), model::spread_of(point.timing.milliseconds), point.timing.warnings});
      return true;
    });
    for (const Error& problem : problems) std::fprintf(stderr, "warplens: %s\n", problem.text().c_str());
    if (points.empty()) return problems.empty() ? kUsage : fail(problems.front());
    const std::string name = gpu::discover().devices.at(static_cast<std::size_t>(device)).name;
    return say(report.sweep(kernel, sweep, values, points, {name, nullptr}));
  }

  static int no_slider(const model::GalleryKernel& kernel, const std::string& wanted) {
    std::string names;
    for (const model::Slider& slider : kernel.sliders) names += (names.empty() ? "" : ", ") + slider.name;
    return fail(told(
        ErrorKind::Usage,
        {"cli.no_slider",
         {{"kernel", value_of(kernel.id)}, {"slider", value_of(wanted)}, {"sliders", value_of(names)}}}));
  }

  // ---- from a recording ----
  int play_recording(const model::GalleryKernel& kernel, const model::SliderValues& values,
                     const TimeReport& report) const {
    model::Recordings all;
    if (!recording_file.empty()) {
      auto chosen = model::load_recording(recording_file);
      if (!chosen) return fail(chosen.error());
      all.all.push_back(std::move(*chosen));
    } else {
      all = model::load_recordings();
      for (const Error& problem : all.problems)
        std::fprintf(stderr, "warplens: %s\n", problem.text().c_str());
    }
    const model::Recording* recording = all.best();
    if (recording == nullptr)
      return fail(
          told(ErrorKind::Usage, {"cli.nothing_to_play", {{"reason", value_of(gpu::discover().reason)}}}));
    const auto text = read_text(kernel.file);
    if (!text) return fail(text.error());
    const std::string source = model::source_hash(kernel, *text);
    const Origin origin{recording->device.name, recording, kernel.id};
    if (!recorded && recording_file.empty())
      std::fprintf(stderr, "warplens: no live measurement: %s; this is a recording\n",
                   gpu::discover().reason.message.c_str());
    if (!sweep.empty()) return play_sweep(kernel, values, source, report, origin);
    if (!counters && kernel.kind == "transfers" && !recording->transfers.empty())
      return say(report.transfers(recording->transfers, origin));
    if (!counters && kernel.kind == "streams") return play_streams(values, report, origin);
    return play_launch(kernel, values, source, report, origin);
  }

  int play_streams(const model::SliderValues& values, const TimeReport& report, const Origin& origin) const {
    std::vector<model::RecordedStreams> chosen;
    for (const model::RecordedStreams& one : origin.recording->streams)
      if (one.streams == count(values, "streams") && one.chunks == count(values, "chunks"))
        chosen.push_back(one);
    return chosen.empty() ? not_recorded(origin) : say(report.streams(chosen, origin));
  }

  int play_sweep(const model::GalleryKernel& kernel, const model::SliderValues& values,
                 const std::string& source, const TimeReport& report, const Origin& origin) const {
    if (!values.contains(sweep)) return no_slider(kernel, sweep);
    std::vector<SweptPoint> points;
    if (const model::RecordedKernel* recorded_kernel = origin.recording->kernel(kernel.id))
      for (const model::RecordedPoint& point : recorded_kernel->points) {
        model::SliderValues at;
        for (std::size_t i = 0; i < point.values.size(); ++i)
          at[recorded_kernel->sliders[i]] = point.values[i];
        const std::int64_t x = at.contains(sweep) ? at.at(sweep) : 0;
        model::SliderValues wanted = values;
        wanted[sweep] = x;
        if (at != wanted) continue;
        const auto bound = model::launch_of(kernel, at);
        if (!bound) continue;
        const auto timed = origin.recording->timing(kernel, source, at, bound->launch, timing.flush_l2);
        if (timed) points.push_back({x, timing.flush_l2 ? *point.cold : point.warm, timed->warnings});
      }
    return points.empty() ? not_recorded(origin) : say(report.sweep(kernel, sweep, values, points, origin));
  }

  int play_launch(const model::GalleryKernel& kernel, const model::SliderValues& values,
                  const std::string& source, const TimeReport& report, const Origin& origin) const {
    const auto bound = model::launch_of(kernel, values);
    if (!bound) return fail(bound.error());
    const auto timed = origin.recording->timing(kernel, source, values, bound->launch, timing.flush_l2);
    if (!timed) return not_recorded(origin);
    TimedLaunch launch;
    launch.kernel = bound->launch.kernel;
    launch.launch = bound->launch;
    launch.timing = *timed;
    launch.device = origin.recording->device;
    const model::RecordedPoint* point = origin.recording->find(kernel, source, values);
    launch.spread = timing.flush_l2 ? *point->cold : point->warm;
    if (counters) {
      if (const gpu::CounterReading* reading = origin.recording->counters(kernel, source, values))
        launch.counters = *reading;
      else
        launch.counters_reason = origin.recording->counters_reason.empty()
                                     ? "the recording holds counters at the default values only"
                                     : origin.recording->counters_reason;
    }
    // What it moves is counted here and now; without a compiler that number is left out.
    if (const auto request = run.request(); request && !no_count)
      if (const auto counted = model::execute(*request)) launch.counted = *counted;
    return say(report.launch(launch, origin));
  }

  int not_recorded(const Origin& origin) const {
    return fail(told(ErrorKind::Usage,
                     {"cli.not_recorded",
                      {{"reason", value_of(gpu::discover().reason)}, {"device", value_of(origin.device)}}}));
  }
};

}  // namespace

void add_time(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "time", "Measure a kernel on the GPU; without one, play the recording of a kernel of the gallery");
  auto options = std::make_shared<TimeCommand>();
  options->run.add_options(*command);
  command->add_option("--runs", options->timing.runs, "Runs at most")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--warmup", options->timing.warmup, "Runs before the first that counts")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->add_option("--seconds", options->timing.max_seconds, "Stop after this time")
      ->capture_default_str();
  CLI::Option* flushed =
      command->add_flag("--flush-l2", options->timing.flush_l2, "Evict the L2 cache before each run");
  command
      ->add_flag(
          "--warm-l2", options->warm_l2,
          "Keep what is in L2 from run to run, also where the kernel's own file asks for a flushed one")
      ->excludes(flushed);
  command->add_option("--sweep", options->sweep, "Measure a gallery kernel at every value of this slider")
      ->type_name("SLIDER");
  command->add_flag("--counters", options->counters, "Read hardware counters too, beside what is counted");
  command->add_flag("--no-count", options->no_count,
                    "Leave out the bytes moved, which the emulator counts: quicker for large launches");
  command->add_flag("--instrumented", options->instrumented,
                    "Also measure the kernel while it counts, and while it records, what its warps do");
  command->add_flag("--recorded", options->recorded, "Play the recording even if there is a GPU");
  command->add_option("--recording", options->recording_file, "Play this recording")->type_name("FILE");
  command->add_option("--gpu", options->device, "Number of the GPU")
      ->check(not_negative())
      ->capture_default_str();
  add_language(*command, options->language, "Language of what is printed");
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
