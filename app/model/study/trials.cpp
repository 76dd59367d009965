#include "app/model/study/trials.h"

#include <algorithm>

#include "app/model/study/modelled.h"

namespace warplens::model {
namespace {

constexpr std::size_t kModelWords = std::size_t{1} << 18;
// More blocks than any GPU of the list holds at once tell no more.
constexpr std::uint64_t kMostBlocks = 4096;

std::uint64_t of_a_thread(const analysis::Report& report) {
  const std::uint64_t threads = report.blocks_run * report.launch.block.volume();
  return report.execution.thread_instructions / std::max<std::uint64_t>(1, threads);
}

}  // namespace

std::optional<RunRequest> Trials::request(const SliderValues& values,
                                          const std::optional<std::string>& text) const {
  const auto bound = launch_of(kernel_, values);
  if (!bound) return std::nullopt;
  ProgramRequest wanted = program_request(kernel_, *bound);
  wanted.text = text;
  const auto program = load_(wanted, progress_);
  if (!program) return std::nullopt;
  RunRequest out;
  out.program = *program;
  out.launch = bound->launch;
  out.device = device_.name;
  out.recorder.blocks = 0;
  out.options.checks = simt::Checks::Memory;
  out.options.block_seconds = 1;
  out.model_words = kModelWords;
  return out;
}

std::shared_ptr<const Run> Trials::execute_it(const RunRequest& request) const {
  const auto run = execute(request, progress_);
  return run ? *run : nullptr;
}

std::shared_ptr<const Run> Trials::run(const SliderValues& values,
                                       const std::optional<std::string>& text) const {
  const auto wanted = request(values, text);
  return wanted ? execute_it(*wanted) : nullptr;
}

std::shared_ptr<const Run> Trials::part(const SliderValues& values, std::uint64_t thread_instructions,
                                        const std::optional<std::string>& text, const Run* like) const {
  auto wanted = request(values, text);
  if (!wanted) return nullptr;
  wanted->options.keep_buffers = false;  // of some blocks alone they would say nothing
  const std::uint64_t total = wanted->launch.grid.volume();
  std::uint64_t each = 0;
  if (like != nullptr) {
    each = of_a_thread(like->report) * wanted->launch.block.volume();
  } else {
    wanted->options.only_blocks = {0};
    const std::shared_ptr<const Run> first = execute_it(*wanted);
    if (!first || first->report.ending != analysis::Ending::Completed) return nullptr;
    each = first->report.execution.thread_instructions;
    if (thread_instructions / std::max<std::uint64_t>(1, each) <= 1 || total == 1) return first;
  }
  const std::uint64_t count = std::clamp<std::uint64_t>(
      thread_instructions / std::max<std::uint64_t>(1, each), 1, std::min(total, kMostBlocks));
  wanted->options.only_blocks = {0};
  if (count == total)
    wanted->options.only_blocks.clear();
  else
    for (std::uint64_t block = 1; block < count; ++block) wanted->options.only_blocks.push_back(block);
  return execute_it(*wanted);
}

double Trials::us(const Run& run) const {
  const auto m = model_run(run, device_, capability_, {}, progress_);
  return m && m->time ? m->time->us : 0;
}

}  // namespace warplens::model
