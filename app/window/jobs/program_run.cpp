#include "app/window/jobs/program_run.h"

#include <chrono>

#include "app/window/jobs/background.h"

namespace warplens::window {
namespace {

using Json = model::RunEvents::Json;

// More of its output than this, between two frames, nobody reads: the newest half of it stays.
constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr double kIdle = 1;  // seconds

Dim3 extent(const Json& launch, const char* key) {
  const auto found = launch.find(key);
  if (found == launch.end() || !found->is_array() || found->size() != 3) return {};
  return {found->at(0).get<std::uint32_t>(), found->at(1).get<std::uint32_t>(),
          found->at(2).get<std::uint32_t>()};
}

std::string first_fault(const Json& launch) {
  const Json faults = launch.value("faults", Json::array());
  return faults.empty() ? launch.value("error", "") : faults.front().value("message", "");
}

ProgramSpan span_of(const Json& event, bool waits) {
  return {event.value(waits ? "call" : "kind", ""),
          waits,
          event.value("bytes", std::uint64_t{0}),
          event.value("stream", std::uint64_t{0}),
          event.value("begin", 0.0),
          event.value("seconds", 0.0)};
}

// The program that was compiled last stays until the next one is, so that it can run again as it was.
struct LastBuilt {
  std::optional<model::BuiltProgram> program;
};

Result<model::ProgramEnd> run_really(LastBuilt& last, const ProgramWish& wish, ProgramDesk& desk) {
  std::optional<model::MeasuredProgram> gpu;
  if (wish.sources.on_gpu) {
    auto found = model::gpu_for_programs();
    if (!found) return found.error();
    gpu = std::move(*found);
  }
  if (!wish.same_program || !last.program) {
    last.program.reset();
    model::ProgramSources sources = wish.sources;
    if (gpu) sources.arch = model::architecture_of_gpu();
    auto built = model::build_program(sources, &desk.compiling());
    if (!built) return built.error();
    last.program = std::move(*built);
  }
  desk.on_compiled(last.program->warnings, last.program->notes);
  desk.type(wish.typed);
  std::vector<std::string> command{last.program->file};
  command.insert(command.end(), wish.arguments.begin(), wish.arguments.end());
  const std::filesystem::path room = last.program->room->folder();
  if (gpu) return model::run_on_gpu_watched(command, wish.folder, wish.settings, room, std::move(*gpu), desk);
  return model::run_watched(command, wish.folder, wish.settings, room, desk);
}

}  // namespace

ProgramLaunch launch_of(const Json& launch) {
  ProgramLaunch out;
  out.index = launch.value("index", std::uint64_t{0});
  out.number = launch.value("number", std::uint64_t{0});
  out.counts = model::sum_of(launch);
  out.grid = extent(launch, "grid");
  out.block = extent(launch, "block");
  out.ending = launch.value("ending", "");
  out.trouble = first_fault(launch);
  out.kept = launch.value("kept", "");
  out.not_kept = launch.value("not_kept", "");
  out.stream = launch.value("stream", std::uint64_t{0});
  out.begin = launch.value("begin", 0.0);
  out.seconds = launch.value("seconds", 0.0);
  out.modelled_us = launch.value("modelled_us", 0.0);
  out.registers = launch.value("registers_per_thread", std::uint64_t{0});
  return out;
}

void ProgramDesk::on_compiled(const std::string& warnings, const std::vector<Message>& notes) {
  {
    const std::lock_guard lock(mutex_);
    news_.compiled = true;
    news_.warnings = warnings;
    news_.notes = notes;
  }
  wake_();
}

void ProgramDesk::on_output(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  news_.output += bytes;
  told_ = true;
  if (news_.output.size() <= kMostOutput) return;
  const std::size_t lost = news_.output.size() - kMostOutput / 2;
  news_.output.erase(0, lost);
  news_.output_lost += lost;
}

void ProgramDesk::on_event(const Json& line) {
  const std::lock_guard lock(mutex_);
  told_ = true;
  try {
    for (const auto& [what, event] : line.items()) {
      if (what == "launch") news_.launches.push_back(launch_of(event));
      if (what == "copy" || what == "fill") news_.spans.push_back(span_of(event, false));
      if (what == "wait") news_.spans.push_back(span_of(event, true));
      if (what == "asked") ++news_.asked;
      if (what == "error") news_.faults.emplace_back(event.value("call", ""), event.value("error", ""));
      if (what == "not_supported") news_.not_supported.push_back(event.get<std::string>());
      if (what == "not_emulated") news_.not_emulated.push_back(event.get<std::string>());
    }
  } catch (const Json::exception&) {
    return;  // a program may write into its own log what it likes
  }
}

void ProgramDesk::on_turn(double idle) {
  bool tell = false;
  {
    const std::lock_guard lock(mutex_);
    tell = std::exchange(told_, false) || idle > kIdle || news_.idle.value_or(0) > kIdle;
    news_.idle = idle;
  }
  if (tell) wake_();
}

model::ProgramWatcher::Wish ProgramDesk::wish() {
  const std::lock_guard lock(mutex_);
  return wish_;
}

std::string ProgramDesk::typed() {
  const std::lock_guard lock(mutex_);
  return std::exchange(typed_, {});
}

ProgramNews ProgramDesk::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

void ProgramDesk::ask(Wish wish) {
  const std::lock_guard lock(mutex_);
  compiling_.cancel();
  if (wish_ != Wish::Kill) wish_ = wish;
}

void ProgramDesk::type(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  typed_ += bytes;
}

ProgramEngine ProgramEngine::real() {
  return {[last = std::make_shared<LastBuilt>()](const ProgramWish& wish, ProgramDesk& desk) {
            return run_really(*last, wish, desk);
          },
          model::take_launch};
}

ProgramRun::ProgramRun(ProgramEngine engine, std::function<void()> wake)
    : engine_(std::move(engine)), wake_(std::move(wake)) {}

ProgramRun::~ProgramRun() {
  if (desk_) desk_->ask(model::ProgramWatcher::Wish::Kill);
  if (thread_.joinable()) thread_.join();
}

void ProgramRun::start(ProgramWish wish) {
  if (running()) return;
  desk_ = std::make_unique<ProgramDesk>(wake_);
  started_ = now();
  thread_ = std::thread([this, wish = std::move(wish)] {
    Result<model::ProgramEnd> end = told(ErrorKind::System, {"run.out_of_memory", {}});
    try {
      end = engine_.run(wish, *desk_);
    } catch (const std::bad_alloc&) {
      // said as it stands
    } catch (const std::exception& failed) {
      end = told(ErrorKind::System, {"window.run.failed", {{"what", value_of(failed.what())}}});
    }
    {
      const std::lock_guard lock(mutex_);
      end_ = std::move(end);
    }
    wake_();
  });
}

double ProgramRun::seconds() const {
  return running() ? now() - started_ : 0;
}

void ProgramRun::stop() {
  if (desk_) desk_->ask(model::ProgramWatcher::Wish::Interrupt);
}

void ProgramRun::type(std::string_view bytes) {
  if (desk_) desk_->type(bytes);
}

ProgramNews ProgramRun::take() {
  return desk_ ? desk_->take() : ProgramNews{};
}

std::optional<ProgramRun::Ended> ProgramRun::take_end() {
  std::optional<Result<model::ProgramEnd>> end;
  {
    const std::lock_guard lock(mutex_);
    end = std::exchange(end_, std::nullopt);
  }
  if (!end) return std::nullopt;
  thread_.join();
  Ended out{std::move(*end), desk_->take()};
  desk_.reset();
  return out;
}

}  // namespace warplens::window
