#include "app/window/session/program_session.h"

#include <algorithm>
#include <tuple>

#include "app/model/run/kept_launch.h"
#include "engine/base/assets.h"
#include "engine/source/host_code.h"

namespace warplens::window {
namespace {

namespace fs = std::filesystem;

// The runtime's output is followed by eyes: so often is enough.
constexpr double kFollow = 0.1;

bool may_be_program(const std::string& file) {
  const std::string extension = fs::path(file).extension().string();
  return extension == ".cu" || extension == ".cuh" || extension == ".cpp" || extension == ".cc";
}

}  // namespace

ProgramSession::ProgramSession(Workbench& bench, ProgramEngine engine, std::function<void()> wake)
    : bench_(bench), engine_(engine), background_(wake), run_(std::move(engine), std::move(wake)) {}

std::string ProgramSession::name() const {
  return fs::path(file_).filename().string();
}

// Looked at once for each file that is opened: a kept launch, or a file of kernels alone, changes nothing.
void ProgramSession::follow_bench() {
  const std::string& now = bench_.setup().users_file;
  if (now == bench_file_) return;
  bench_file_ = now;
  if (now.empty() || now == file_) return;
  const auto text = may_be_program(now) ? read_text(now) : Result<std::string>(std::string());
  const bool program = text && source::has_main(*text);
  // What is no program is looked at on the bench, whoever opened it.
  if (!program) shown_ = false;
  // What runs is not taken away by a file that is opened meanwhile.
  if (!program || busy()) return;
  std::error_code failed;
  const fs::path absolute = fs::absolute(now, failed);
  forget_run();
  file_ = now;
  ran_.clear();
  choices = {};
  choices.folder = absolute.parent_path().string();
  state_ = State::Ready;
}

bool ProgramSession::offers() const {
  return !file_.empty() && bench_.setup().users_file == file_ && ran_ != file_ &&
         !declined_.contains(file_) && !busy();
}

void ProgramSession::run() {
  if (file_.empty() || !agreed() || busy()) return;
  const auto asked = wish(nullptr);
  if (!asked) return;
  forget_run();
  if (asked->sources.on_gpu) measured_ = **gpu_;
  ran_ = file_;
  state_ = State::Compiling;
  wish_ = *asked;
  begin();
  start(wish_);
}

// A folder for what this run keeps. Those of earlier runs go, except for the one whose launch is open.
void ProgramSession::begin() {
  if (!room_)
    if (auto made = source::PrivateFolder::make()) room_.emplace(std::move(*made));
  if (!room_) {
    wish_.settings.kept.clear();
    return;
  }
  std::error_code ignored;
  const std::string& open = bench_.setup().users_file;
  for (const auto& entry : fs::directory_iterator(room_->path(), ignored))
    if (entry.path().filename().string().starts_with("run") && !open.starts_with(entry.path().string() + "/"))
      fs::remove_all(entry.path(), ignored);
  const fs::path folder = room_->path() / ("run" + std::to_string(++runs_));
  fs::create_directories(folder, ignored);
  wish_.settings.keep_folder = folder.string();
}

void ProgramSession::forget_run() {
  end_.reset();
  error_.reset();
  compiler_lines_.clear();
  output_.clear();
  typed_.clear();
  input_ended_ = false;
  idle_ = 0;
  launches_.clear();
  spans_.clear();
  not_supported_.clear();
  not_emulated_.clear();
  sums_.clear();
  kernels_.clear();
  listed_.clear();
  chosen_.clear();
  instructions_ = 0;
  last_second_ = 0;
  kept_.clear();
  awaited_.reset();
  refusal_.reset();
  opened_.reset();
  measured_.reset();
  asked_ = 0;
  faults_.clear();
  older_.clear();
  // Columns of counts are none of times.
  column_ = Column::Worst;
  reversed_ = false;
  ++serial_;
}

void ProgramSession::start(ProgramWish wish) {
  wish.settings.language = bench_.settings.language;
  run_.start(std::move(wish));
}

void ProgramSession::stop() {
  if (!again_) awaited_.reset();
  run_.stop();
}

void ProgramSession::type(const std::string& line) {
  if (!busy() || input_ended_) return;
  typed_ += line + "\n";
  run_.type(line + "\n");
  output_.add("› " + line + "\n");
}

void ProgramSession::end_input() {
  if (!busy() || input_ended_) return;
  input_ended_ = true;
  typed_ += "\x04";
  run_.type("\x04");
}

bool ProgramSession::take_news(ProgramNews news) {
  const bool something = news.compiled || !news.output.empty() || !news.launches.empty() ||
                         !news.spans.empty() || news.asked > 0 || news.idle.has_value();
  if (news.idle) idle_ = *news.idle;
  if (again_) {
    // Of the run that keeps a launch only its progress is followed.
    again_output_.add(news.output);
    for (const ProgramLaunch& launch : news.launches) came(launch);
    return something;
  }
  if (news.compiled) {
    state_ = State::Running;
    output_.add(news.warnings);
    older_ = std::move(news.notes);
  }
  asked_ += news.asked;
  faults_.insert(faults_.end(), news.faults.begin(), news.faults.end());
  output_.lost(news.output_lost);
  output_.add(news.output);
  if (!news.launches.empty() || !news.spans.empty()) ++serial_;
  for (ProgramSpan& span : news.spans) {
    last_second_ = std::max(last_second_, span.begin + span.seconds);
    spans_.push_back(std::move(span));
  }
  const bool more = !news.launches.empty();
  for (ProgramLaunch& launch : news.launches) add(std::move(launch));
  if (more) order_kernels();
  for (const auto& [from, to] :
       {std::pair{&news.not_supported, &not_supported_}, std::pair{&news.not_emulated, &not_emulated_}})
    for (const std::string& one : *from)
      if (std::ranges::find(*to, one) == to->end()) to->push_back(one);
  return something;
}

void ProgramSession::add(ProgramLaunch launch) {
  model::KernelSum& sum = sums_[launch.kernel()];
  sum.name = launch.kernel();
  sum.add(launch.counts);
  instructions_ += launch.counts.instructions;
  last_second_ = std::max(last_second_, launch.begin + launch.seconds);
  if (!launch.kept.empty()) kept_[launch.index] = fs::path(wish_.settings.keep_folder) / launch.kept;
  if (chosen_.empty() || chosen_ == launch.kernel()) listed_.push_back(launches_.size());
  launches_.push_back(std::move(launch));
}

bool ProgramSession::tick(double) {
  follow_bench();
  if (!gpu_ && state_ != State::None && bench_.inventory() != nullptr) gpu_.emplace(engine_.gpu());
  bool changed = take_news(run_.take());
  if (auto ended = run_.take_end()) {
    take_news(std::move(ended->rest));
    again_ ? finish_again(ended->end) : finish(ended->end);
    changed = true;
  }
  if (awaited_ && !busy()) run_again();
  return changed;
}

double ProgramSession::next_wake() const {
  return busy() || background_.busy() ? kFollow : 1e300;
}

void ProgramSession::finish(const Result<model::ProgramEnd>& end) {
  state_ = State::Ended;
  if (end) {
    end_ = *end;
    if (end_->measured) measured_ = end_->measured;
    return;
  }
  error_ = end.error();
  compiler_lines_ = end.error().notes;
}

void ProgramSession::sort(Column column) {
  reversed_ = column == column_ && column != Column::Worst && !reversed_;
  column_ = column;
  order_kernels();
}

void ProgramSession::order_kernels() {
  kernels_.clear();
  for (const auto& [name, sum] : sums_) kernels_.push_back(sum);
  std::ranges::sort(kernels_, model::loses_more);
  const auto ratio = [](std::uint64_t a, std::uint64_t b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
  };
  const auto value = [&](const model::KernelSum& k) -> double {
    switch (column_) {
      case Column::Launches:
        return static_cast<double>(k.launches);
      case Column::Share:
        return static_cast<double>(k.instructions);
      case Column::Lost:
        return static_cast<double>(k.lost());
      case Column::Sectors:
        return static_cast<double>(k.sectors);
      case Column::Ratio:
        return ratio(k.sectors, k.sectors_ideal);
      case Column::Conflicts:
        return static_cast<double>(k.conflicts);
      case Column::Divergence:
        return ratio(k.divergent, k.branches);
      case Column::Faults:
        return static_cast<double>(k.faults);
      case Column::Time:
        return k.seconds;
      case Column::Mean:
        return k.measured == 0 ? 0 : k.seconds / static_cast<double>(k.measured);
      case Column::Shortest:
        return k.shortest;
      case Column::Longest:
        return k.longest;
      default:
        return 0;
    }
  };
  if (column_ == Column::Kernel)
    std::ranges::stable_sort(kernels_, {}, &model::KernelSum::name);
  else if (column_ != Column::Worst)
    std::ranges::stable_sort(kernels_, std::greater{}, value);
  if (reversed_) std::ranges::reverse(kernels_);
}

void ProgramSession::choose_kernel(const std::string& name) {
  chosen_ = chosen_ == name ? "" : name;
  list();
}

void ProgramSession::list() {
  listed_.clear();
  for (std::size_t i = 0; i < launches_.size(); ++i)
    if (chosen_.empty() || launches_[i].kernel() == chosen_) listed_.push_back(i);
}

}  // namespace warplens::window
