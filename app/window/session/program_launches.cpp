// From a launch of a program to the bench: those that were kept open at once, for the others the program runs
// again.
#include "app/model/program/run_page.h"
#include "app/window/session/program_session.h"
#include "engine/base/assets.h"

namespace warplens::window {
namespace {

namespace fs = std::filesystem;

MessageValue named(const std::string& kernel) {
  return value_of(plain_kernel(kernel));
}

}  // namespace

std::optional<std::size_t> ProgramSession::find(const std::string& kernel, std::uint64_t number) const {
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const std::string& name = launches_[i].kernel();
    const bool same = name == kernel || plain_kernel(name) == kernel;
    if (same && launches_[i].number == number) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> ProgramSession::awaited() const {
  return awaited_ ? std::optional(awaited_->at) : std::nullopt;
}

std::optional<std::size_t> ProgramSession::open() const {
  if (!opened_ || bench_.setup().users_file != opened_->second) return std::nullopt;
  return opened_->first;
}

void ProgramSession::open_launch(std::size_t at) {
  if (at >= launches_.size()) return;
  refusal_.reset();
  if (is_kept(at)) return show_launch(at);
  const ProgramLaunch& launch = launches_[at];
  await({launch.index, launch.number, launch.kernel(), at, ""});
}

void ProgramSession::take(std::size_t at, const std::string& to) {
  if (at >= launches_.size() || to.empty()) return;
  refusal_.reset();
  if (is_kept(at)) return take_now(at, to);
  const ProgramLaunch& launch = launches_[at];
  await({launch.index, launch.number, launch.kernel(), at, to});
}

std::string ProgramSession::take_folder(std::size_t at) const {
  std::string name = plain_kernel(launches_[at].kernel());
  name = name.substr(0, name.find('<'));
  if (const auto scope = name.rfind(':'); scope != std::string::npos) name.erase(0, scope + 1);
  std::error_code failed;
  return (fs::absolute(ran_, failed).parent_path() / (name + "_" + std::to_string(launches_[at].index)))
      .string();
}

// A launch that was not run left no data for those behind it; it is asked for all the same, in a run that
// leaves out none.
void ProgramSession::await(Awaited awaited) {
  if (launches_[awaited.at].ending == "refused") {
    refusal_ = Message{"program.launch.refused", {{"reason", value_of(launches_[awaited.at].trouble)}}};
    return;
  }
  if (!room_) {
    refusal_ = Message{"program.launch.no_folder", {}};
    return;
  }
  awaited_ = std::move(awaited);
  if (!busy()) run_again();
}

void ProgramSession::run_again() {
  ProgramWish again = wish_;
  again.same_program = true;
  again.settings.kept = {{awaited_->kernel, awaited_->number, awaited_->number}};
  if (launches_[awaited_->at].ending == "skipped") again.settings.every = 1;
  again.typed = typed_;
  if (!input_ended_) again.typed += "\x04";  // nobody types to this one
  again_ = true;
  again_output_.clear();
  start(std::move(again));
}

// A launch of the run that keeps one.
void ProgramSession::came(const ProgramLaunch& launch) {
  if (!awaited_ || launch.kernel() != awaited_->kernel || launch.number != awaited_->number) return;
  const Awaited wanted = *awaited_;
  awaited_.reset();
  if (launch.kept.empty()) {
    refusal_ = launch.not_kept.empty()
                   ? Message{"program.launch.not_kept", {}}
                   : Message{"program.launch.not_kept_reason", {{"reason", value_of(launch.not_kept)}}};
    return;
  }
  const ProgramLaunch& before = launches_[wanted.at];
  if (before.grid != launch.grid || before.block != launch.block || before.index != launch.index)
    bench_.note({"program.launch.other", {{"program", value_of(fs::path(ran_).filename().string())}}});
  kept_[wanted.index] = fs::path(wish_.settings.keep_folder) / launch.kept;
  wanted.take_to.empty() ? show_launch(wanted.at) : take_now(wanted.at, wanted.take_to);
}

void ProgramSession::finish_again(const Result<model::ProgramEnd>& end) {
  again_ = false;
  if (!awaited_) return;
  const Awaited wanted = *awaited_;
  awaited_.reset();
  if (!end)
    refusal_ = Message{"program.launch.not_run", {{"reason", value_of(end.error())}}};
  else if (end->ending == "interrupted")
    refusal_ = Message{"program.launch.stopped", {}};
  else
    refusal_ = Message{"program.launch.not_made",
                       {{"number", value_of(wanted.number)}, {"kernel", named(wanted.kernel)}}};
}

std::string ProgramSession::page_file() const {
  return (fs::path(choices.folder) / (fs::path(ran_).stem().string() + "-run.html")).string();
}

void ProgramSession::write_page(const std::string& to) {
  if (!has_page() || to.empty()) return;
  model::ProgramEnd end = *end_;
  end.command = fs::path(ran_).filename().string();
  const auto language = bench_.settings.language;
  background_.add({"program.page.writing", {}}, [this, to, end, language](Progress& progress) {
    const auto text = Catalogue::load(language);
    const Status written =
        text ? write_text(to, model::run_page(end, *text, &progress)) : Status(text.error());
    if (written)
      bench_.note({"program.page.written", {{"file", value_of(to)}}});
    else
      bench_.note({"program.page.not_written", {{"reason", with_place(written.error())}}});
  });
}

void ProgramSession::show_launch(std::size_t at) {
  const std::string folder = kept_.at(launches_[at].index).string();
  opened_ = {at, folder};
  shown_ = false;
  bench_.open_file(folder, "");
}

void ProgramSession::take_now(std::size_t at, const std::string& to) {
  const fs::path from = kept_.at(launches_[at].index);
  background_.add({"program.taking", {}}, [this, from, to, take = engine_.take](Progress&) {
    const auto taken = take(from, to);
    if (taken)
      bench_.note({"program.taken", {{"folder", value_of(to)}}});
    else
      bench_.note({"program.not_taken", {{"reason", value_of(taken.error())}}});
  });
}

}  // namespace warplens::window
