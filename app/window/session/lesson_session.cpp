#include "app/window/session/lesson_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/lesson/open_page.h"
#include "engine/base/assets.h"

namespace warplens::window {
namespace {

using lesson::Kind;
using lesson::PredictKind;
using lesson::Runs;

std::string own_id(const lesson::Lesson& lesson, const std::string& kernel) {
  return lesson.name + "." + kernel;
}

std::filesystem::path solution_file(const std::filesystem::path& progress, const std::string& name) {
  return progress.parent_path() / "solutions" / (name + ".cu");
}

}  // namespace

void add_lesson_kernels(const lesson::Shelf& shelf, model::Gallery& gallery) {
  for (const lesson::Lesson& one : shelf.lessons) {
    const auto add = [&](model::GalleryKernel kernel) {
      kernel.id = own_id(one, kernel.id);
      kernel.topic = one.topic;
      for (const auto& [language, words] : one.words)
        if (!kernel.title.contains(language)) kernel.title[language] = words.title;
      gallery.kernels.push_back(std::move(kernel));
    };
    // What a challenge is called is no name for its code: "only Make neighbours agree has branches".
    const auto add_named = [&](model::GalleryKernel kernel, const char* key) {
      for (const auto& [language, words] : one.words)
        if (const auto catalogue = Catalogue::load(language)) {
          kernel.title[language] = catalogue->text(key);
          kernel.title_within[language] = catalogue->text(std::string(key) + "_within");
        }
      add(std::move(kernel));
    };
    for (const model::GalleryKernel& kernel : one.kernels)
      if (one.kind == Kind::Challenge)
        add_named(kernel, "lesson.own_name");
      else
        add(kernel);
    if (one.reference) add_named(*one.reference, "lesson.reference_name");
  }
}

LessonSession::LessonSession(Workbench& bench, lesson::Shelf shelf, std::filesystem::path progress,
                             std::function<void()> wake)
    : bench_(bench),
      shelf_(std::move(shelf)),
      progress_(std::move(progress)),
      worker_(bench.gallery(), std::move(wake)) {
  if (progress_.empty()) return;
  std::optional<Message> trouble;
  book_ = load_progress(progress_, trouble);
  if (trouble) bench_.note(*trouble);
}

// ---- opening and pages ----

bool LessonSession::open(const std::string& name) {
  const lesson::Lesson* found = shelf_.find(name);
  if (found == nullptr) return false;
  if (lesson_ != nullptr) leave();
  lesson_ = found;
  mode_ = found->kind == Kind::Lesson ? Mode::Lessons : Mode::Challenges;
  speed_ = bench_.settings.speed;
  bench_.seek_what_if(false);
  bench_.keep_target(model::ProgramRequest().arch);  // what a lesson's answers are worked out for
  cold_ = bench_.view_options.cold;
  const auto been = book_.find(name);
  page_ = been == book_.end() || been->second.done ? 0 : std::clamp(been->second.page, 0, pages() - 1);
  enter();
  return true;
}

void LessonSession::close() {
  if (lesson_ == nullptr) return;
  leave();
  if (!progress_.empty()) (void)lesson::write_open_page(lesson::open_page_file(), {});
  lesson_ = nullptr;
  worker_.drop();
  ++ticket_;
}

void LessonSession::leave() {
  bench_.settings.speed = speed_;
  bench_.seek_what_if(true);
  bench_.set_cold(cold_);
  bench_.prefer_clock(false);
  if (bench_.pinned() != nullptr) bench_.stop_comparing();
  keep_solution();
}

// The text of the open challenge stands on the bench, and no other kernel's.
bool LessonSession::on_challenge() const {
  return lesson_ != nullptr && lesson_->kind == Kind::Challenge && bench_.kernel() != nullptr &&
         bench_.kernel()->id == bench_kernel(lesson_->kernels.front().id);
}

void LessonSession::keep_solution() {
  if (!on_challenge() || progress_.empty() || !bench_.edited()) return;
  const std::filesystem::path file = solution_file(progress_, lesson_->name);
  std::error_code ignored;  // write_text reports what matters
  std::filesystem::create_directories(file.parent_path(), ignored);
  if (const Status kept = write_text(file, bench_.text()); !kept)
    bench_.note({"lesson.not_kept", {{"why", with_place(kept.error())}}});
}

int LessonSession::pages() const {
  if (lesson_ == nullptr) return 0;
  return lesson_->kind == Kind::Lesson ? static_cast<int>(lesson_->steps.size()) + 2 : 1;
}

const lesson::Step* LessonSession::step() const {
  if (lesson_ == nullptr || lesson_->kind != Kind::Lesson || page_ < 1) return nullptr;
  const auto index = static_cast<std::size_t>(page_ - 1);
  return index < lesson_->steps.size() ? &lesson_->steps[index] : nullptr;
}

void LessonSession::go_to(int page) {
  if (lesson_ == nullptr) return;
  page_ = std::clamp(page, 0, pages() - 1);
  enter();
}

void LessonSession::next() {
  if (lesson_ == nullptr) return;
  if (asks() && !told_) {
    if (guessed())
      reveal();
    else if (marked_)
      put_marked();
    else if (nudged_)
      skip();
    else
      nudge();
    return;
  }
  if (page_ + 1 < pages()) go_to(page_ + 1);
}

void LessonSession::back() {
  if (marked_ && mark_another()) return;
  if (lesson_ != nullptr && page_ > 0) go_to(page_ - 1);
}

void LessonSession::enter() {
  worker_.drop();
  ++ticket_;
  nudged_ = told_ = goal_reached_ = reference_shown_ = cursor_due_ = false;
  board_ = true;
  hints_ = 0;
  guess_ = {};
  marked_.reset();
  placed_last_.clear();
  answer_.reset();
  trouble_.reset();
  why_.clear();
  before_.clear();
  after_.clear();
  done_.clear();
  timed_curve_.reset();
  grade_.reset();
  former_.reset();
  of_reference_.reset();
  judged_.reset();
  followed_.reset();
  if (const lesson::Step* now = step()) {
    show_state(now->state);
  } else if (lesson_->kind == Kind::Lesson && page_ == 0 && !lesson_->steps.empty()) {
    show_state(lesson_->steps.front().state);
  } else if (lesson_->kind == Kind::Challenge) {
    show_state({lesson_->kernels.front().id, model::default_values(lesson_->kernels.front())});
    if (const auto text = read_text(solution_file(progress_, lesson_->name)); text && !progress_.empty())
      bench_.set_text(bench_.in_my_language(*text), 0);
    ask_for_reference();
  } else if (lesson_->kind == Kind::Claim) {
    show_state(lesson_->claim.then);
    ask_for_verdict();
  }
  ask_for_answer();
  ask_for_texts();
  save();
}

void LessonSession::save() {
  LessonProgress& at = book_[lesson_->name];
  at.page = page_;
  at.furthest = std::max(at.furthest, page_);
  if (lesson_->kind == Kind::Lesson && page_ + 1 == pages()) at.done = true;
  if (lesson_->kind == Kind::Claim && told_) at.done = true;
  if (grade_ && grade_->stars > at.stars) {
    at.stars = grade_->stars;
    at.done = true;
  }
  if (progress_.empty()) return;
  // For who follows; nothing depends on it.
  (void)lesson::write_open_page(lesson::open_page_file(), {lesson_->name, page_, told_});
  std::error_code ignored;
  std::filesystem::create_directories(progress_.parent_path(), ignored);
  // Said once: the lesson goes on.
  const Status kept = write_text(progress_, to_toml(book_));
  if (!kept && !said_not_kept_) bench_.note({"lesson.not_kept", {{"why", with_place(kept.error())}}});
  said_not_kept_ = !kept;
}

// ---- the workbench ----

std::string LessonSession::bench_kernel(const std::string& kernel) const {
  const bool own =
      lesson_->own_kernel(kernel) != nullptr || (lesson_->reference && lesson_->reference->id == kernel);
  return own ? own_id(*lesson_, kernel) : kernel;
}

bool LessonSession::on_introduction() const {
  return lesson_->kind == Kind::Lesson && page_ == 0 && !lesson_->steps.empty();
}

std::vector<std::string> LessonSession::shown_views() const {
  // Shows nothing of what is asked.
  static const std::vector<std::string> kNeutral{"threads"};
  if (lesson_->kind == Kind::Claim) return told_ ? lesson_->claim.views : kNeutral;
  if (const lesson::Step* now = step()) return told_ ? now->revealed_views() : now->views;
  if (!on_introduction()) return {};
  const lesson::Step& first = lesson_->steps.front();
  return first.predict && first.predict->covers() ? kNeutral : first.views;
}

void LessonSession::show_state(const lesson::State& state) {
  const std::vector<std::string> views = shown_views();
  const bool times = std::any_of(views.begin(), views.end(), [](const std::string& id) {
    return visual::is_view_of(id, visual::Basis::Curve);
  });
  bench_.prefer_clock(times);
  const std::string id = bench_kernel(state.kernel);
  const bool same = bench_.kernel() != nullptr && bench_.kernel()->id == id && !bench_.edited();
  if (!same && !bench_.open_kernel(id)) return;
  // The L2 of the times that are spoken of is that of the kernel's file.
  bench_.set_cold(times && bench_.kernel()->measure_flushed);
  for (const auto& [name, value] : state.values)
    if (bench_.value(name) != value) bench_.set_value(name, value);
  bench_.clear_selection();  // a lane of the page before
  const lesson::At* at = shown_at();
  bench_.trace_block(at == nullptr ? 0 : at->block);
  const lesson::Step* now = step();
  if (now == nullptr && on_introduction()) now = &lesson_->steps.front();
  if (!views.empty()) {
    bench_.keep_views({views.front(), views.back()});
    bench_.settings.two_views = views.size() > 1;
  }
  if (now != nullptr && now->compare)
    bench_.compare_with(bench_kernel(now->compare->kernel), now->compare->values);
  else if (bench_.pinned() != nullptr)
    bench_.stop_comparing();
  if (now != nullptr) {
    bench_.settings.speed = now->pace;
    bench_.sweep_over(now->over.empty() ? slider_to_sweep(*bench_.kernel()) : now->over);
  }
  cursor_due_ = true;
}

bool LessonSession::shows_fault() const {
  if (!told_) return false;
  const lesson::Step* now = step();
  return !(now != nullptr && now->predict ? now->predict->faults : lesson_->claim.faults).empty();
}

const lesson::At* LessonSession::shown_at() const {
  const auto given = [](const std::optional<lesson::At>& at) { return at ? &*at : nullptr; };
  const lesson::Step* now = step();
  if (now == nullptr) return told_ ? given(lesson_->claim.at) : nullptr;
  return given(now->predict && told_ ? now->predict->then_at : now->at);
}

// Once the picture of this state is there: the cursor where the lesson wants it.
void LessonSession::stand() {
  const Picture* picture = bench_.picture();
  if (!bench_.settled() || picture == nullptr) return;
  cursor_due_ = false;
  if (!(picture->of == bench_.asked())) return;
  if (shows_fault()) {
    // A run that ends early need not come to where the cursor stood: what it shows is its fault.
    if (picture->report().faults.empty()) return;
    visual::Target target;
    target.line = picture->report().faults.front().line;
    return bench_.select(target);
  }
  if (const lesson::At* at = shown_at()) {
    const std::vector<std::string> views = shown_views();
    const std::string view = views.empty() ? std::string() : views.front();
    if (const auto found = lesson::find_step(picture->run->trace, *at, view)) bench_.go_to_step(*found);
    if (at->lane) {
      visual::Target target;
      target.lane = *at->lane;
      bench_.select(target);
    }
  }
  const lesson::Step* now = step();
  if (now == nullptr || covers()) return;
  if (now->play == lesson::Play::On) bench_.play(true);
  if (now->play == lesson::Play::Once) bench_.go_to_stop(bench_.stop(), true);
}

lesson::Subject LessonSession::subject() const {
  lesson::Subject out;
  if (bench_.kernel() != nullptr) out.kernel = bench_.gallery().find(bench_.kernel()->id);
  out.values = bench_.values();
  if (bench_.edited()) out.text = bench_.setup().text;
  return out;
}

// ---- predictions ----

bool LessonSession::asks() const {
  if (lesson_ == nullptr) return false;
  if (lesson_->kind == Kind::Claim) return true;
  return step() != nullptr && step()->predict.has_value();
}

bool LessonSession::covers() const {
  const lesson::Step* now = step();
  if (now == nullptr || !now->predict || told_) return false;
  return now->predict->covers();
}

bool LessonSession::guessed() const {
  if (guess_.skipped) return true;
  if (lesson_ != nullptr && lesson_->kind == Kind::Claim) return !guess_.option.empty();
  const lesson::Step* now = step();
  if (now == nullptr || !now->predict) return false;
  switch (now->predict->kind) {
    case PredictKind::Number:
      return guess_.number.has_value();
    case PredictKind::Choice:
      return !guess_.option.empty();
    case PredictKind::Order:
      return guess_.order.size() == now->predict->options.size();
    case PredictKind::Paint:
      return !guess_.marks.empty();
    case PredictKind::Curve:
      return guess_.curve.size() >= 2;
  }
  return false;
}

void LessonSession::guess_number(std::optional<double> value) {
  if (!told_) guess_.number = value;
}
void LessonSession::guess_option(const std::string& option) {
  if (!told_) guess_.option = option;
}
void LessonSession::toggle(std::uint64_t mark) {
  if (told_ || !answer_) return;
  const auto& offered = answer_->paint.offered;
  if (std::find(offered.begin(), offered.end(), mark) == offered.end()) return;
  if (guess_.marks.erase(mark) == 0) guess_.marks.insert(mark);
}
void LessonSession::draw(std::int64_t x, double y) {
  if (told_) return;
  const auto at =
      std::lower_bound(guess_.curve.begin(), guess_.curve.end(), x,
                       [](const auto& point, std::int64_t wanted) { return point.first < wanted; });
  if (at != guess_.curve.end() && at->first == x)
    at->second = y;
  else
    guess_.curve.insert(at, {x, y});
}

void LessonSession::reveal() {
  if (!asks() || told_ || !guessed()) return;
  told_ = true;
  nudged_ = false;
  followed_.reset();
  if (const lesson::Step* now = step()) show_state(now->revealed());
  if (lesson_->kind == Kind::Claim) show_state(lesson_->claim.then);
  save();
}

void LessonSession::skip() {
  if (!asks() || told_) return;
  guess_.skipped = true;
  reveal();
}

lesson::Judgement LessonSession::judgement() const {
  if (lesson_ != nullptr && lesson_->kind == Kind::Claim)
    return {judged_ && !guess_.skipped && guess_.option == lesson::name(judged_->verdict), 0, 0, 0};
  const lesson::Step* now = step();
  if (now == nullptr || !now->predict || !answer_) return {};
  return lesson::judge(*now->predict, *answer_, guess_);
}

void LessonSession::ask_for_answer() {
  const lesson::Step* now = step();
  if (now == nullptr || !now->predict) return;
  const lesson::Lesson* of = lesson_;
  worker_.ask([this, of, now, ticket = ticket_](Runs& runs) -> LessonWorker::Done {
    auto answer = lesson::answer_of(runs, *of, *now);
    return [this, ticket, answer] {
      if (ticket != ticket_) return;
      if (answer)
        answer_ = *answer;
      else
        trouble_ = answer.error();
    };
  });
}

bool LessonSession::pick(int number) {
  const auto at = static_cast<std::size_t>(number - 1);
  const lesson::Step* now = step();
  if (number < 1 || lesson_ == nullptr) return false;
  if (asks() && !told_) {
    if (lesson_->kind == Kind::Claim) {
      if (at >= std::size(kVerdicts)) return false;
      guess_.option = lesson::name(kVerdicts[at]);
      return true;
    }
    const lesson::Predict& predict = *now->predict;
    if (predict.kind == PredictKind::Number && at < predict.guesses.size())
      guess_number(predict.guesses[at]);
    else if (predict.kind == PredictKind::Choice && at < predict.options.size())
      guess_option(predict.options[at]);
    else if (predict.kind == PredictKind::Order && at < predict.options.size())
      guess_order(predict.options[at]);
    else
      return false;
    return true;
  }
  if (now == nullptr || !now->why || at >= now->why->options.size()) return false;
  choose_why(now->why->options[at]);
  return true;
}

void LessonSession::choose_why(const std::string& option) {
  const lesson::Step* now = step();
  if (now == nullptr || !now->why || (asks() && !told_)) return;
  const auto& options = now->why->options;
  if (std::find(options.begin(), options.end(), option) != options.end()) why_ = option;
}

// ---- time ----

bool LessonSession::tick(double now) {
  // The answers are those of one target; while one explores beside a lesson, the device's counts again.
  bench_.keep_target(lesson_ != nullptr && takes_bench() ? model::ProgramRequest().arch : std::string());
  bool changed = worker_.take();
  if (lesson_ == nullptr) return changed;
  if (cursor_due_) {
    stand();
    changed = changed || !cursor_due_;
  }
  if (language_ != bench_.settings.language) {
    ask_for_texts();
    changed = true;
  }
  // A solution without an end keeps the bench running for long; what is wrong is told before.
  constexpr double kPatience = 2;
  if (!asked_ || !(*asked_ == bench_.asked())) {
    asked_ = bench_.asked();
    asked_at_ = now;
  }
  if (bench_.settled() && !cursor_due_) {
    follow_goal();
    follow_challenge();
  } else if (now - asked_at_ > kPatience) {
    follow_challenge();
  }
  return changed;
}

}  // namespace warplens::window
