#include "app/lesson/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/lesson/outputs.h"
#include "app/lesson/sites.h"
#include "app/model/run/sampling.h"
#include "engine/base/assets.h"
#include "engine/base/json_text.h"
#include "engine/base/message.h"

namespace warplens::lesson {
namespace {

using model::GalleryKernel;

// Runs that are kept with their traces; a curve over a slider has up to this many points.
constexpr std::size_t kKept = 80;
// Thread instructions: a lesson that needs more is no lesson.
constexpr std::uint64_t kBudget = 200'000'000'000;

std::string values_text(const model::SliderValues& values) {
  std::string out;
  for (const auto& [name, value] : values) out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
  return out;
}

// An empty text is a text: it has no kernel, and is not that of the file.
std::string key_of_text(const Subject& subject) {
  return subject.text ? "text|" + *subject.text : "file";
}

std::string slider_names(const Subject& subject) {
  std::string out;
  for (const auto& [name, value] : subject.values) out += name + ", ";
  return out;
}

Error usage(const char* key, std::vector<std::pair<std::string, MessageValue>> values = {}) {
  return told(ErrorKind::Usage, {std::string("expression.") + key, std::move(values)});
}

Result<double> checksum(const analysis::Report& report, const std::string& name) {
  std::string there;
  for (const auto& buffer : report.buffers) {
    if (buffer.name == name) return buffer.checksum;
    there += (there.empty() ? "" : ", ") + buffer.name;
  }
  return usage("no_buffer", {{"name", warplens::value_of(name)}, {"known", warplens::value_of(there)}});
}

}  // namespace

// ---- runs ----

std::string Runs::key_of(const Subject& subject) {
  return fmt::format("{}|{}|{}|{}|{}|{}", subject.kernel->file.string(), subject.kernel->id,
                     values_text(subject.values), static_cast<int>(subject.checks), subject.block,
                     key_of_text(subject));
}

Result<std::shared_ptr<const model::Program>> Runs::program(const Subject& subject,
                                                            const model::BoundLaunch& bound) {
  model::ProgramRequest request = model::program_request(*subject.kernel, bound);
  request.text = subject.text;
  std::string key = request.file + "|" + key_of_text(subject);
  for (const auto& [name, value] : request.defines) key += fmt::format("|{}={}", name, value);
  for (const std::string& instance : request.instances) key += "|" + instance;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = programs_.find(key); found != programs_.end()) return found->second;
  }
  auto loaded = model::load_program(request, &progress_);
  if (!loaded) return loaded.error();
  const std::lock_guard lock(mutex_);
  programs_[key] = *loaded;
  return *loaded;
}

Result<Facts> Runs::execute(const Subject& subject) {
  const auto bound = model::launch_of(*subject.kernel, subject.values);
  if (!bound) return bound.error();
  const auto loaded = program(subject, *bound);
  if (!loaded) return loaded.error();
  model::RunRequest request;
  request.program = *loaded;
  request.launch = bound->launch;
  request.options.checks = subject.checks;
  request.options.budget = subject.budget != 0 ? subject.budget : kBudget;
  request.recorder.chosen = {subject.block};
  auto run = model::execute(request, &progress_);
  if (!run) return run.error();
  static const Catalogue kWithoutWords;
  Facts facts;
  facts.run = *run;
  facts.report =
      std::make_shared<const nlohmann::json>(parse_json(analysis::to_json((*run)->report, kWithoutWords)));
  return facts;
}

void Runs::keep(const std::string& key, const Facts& facts) {
  const std::lock_guard lock(mutex_);
  if (!facts_.emplace(key, facts).second) return;
  order_.push_back(key);
  if (order_.size() <= kKept) return;
  facts_.erase(order_.front());
  order_.erase(order_.begin());
}

Result<Facts> Runs::facts(const Subject& subject) {
  const std::string key = key_of(subject);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = facts_.find(key); found != facts_.end()) return found->second;
  }
  auto made = execute(subject);
  if (made) keep(key, *made);
  return made;
}

void Runs::add(const Subject& subject, std::shared_ptr<const model::Run> run) {
  static const Catalogue kWithoutWords;
  Facts facts;
  facts.report =
      std::make_shared<const nlohmann::json>(parse_json(analysis::to_json(run->report, kWithoutWords)));
  facts.run = std::move(run);
  keep(key_of(subject), facts);
}

Result<double> Runs::time(const Subject& subject, bool flushed) const {
  const GalleryKernel& kernel = *subject.kernel;
  if (recording_ == nullptr) return usage("no_recording");
  const model::RecordedKernel* recorded = recording_->kernel(kernel.id);
  if (recorded == nullptr || subject.text)
    return usage("no_time", {{"kernel", warplens::value_of(kernel.id)}});
  const auto text = read_text(kernel.file);
  if (!text) return text.error();
  const model::SliderValues values = model::measured_values(kernel, subject.values, subject.keep);
  const model::RecordedPoint* point = recording_->find(kernel, model::source_hash(kernel, *text), values);
  if (point == nullptr)
    return usage("no_time_at", {{"kernel", warplens::value_of(kernel.id)},
                                {"values", warplens::value_of(values_text(values))}});
  if (flushed && !point->cold) return usage("no_flushed_time", {{"kernel", warplens::value_of(kernel.id)}});
  return 1000.0 * (flushed ? point->cold->median : point->warm.median);
}

Result<double> Runs::library_time(const Subject& subject) const {
  const GalleryKernel& kernel = *subject.kernel;
  if (recording_ == nullptr) return usage("no_recording");
  const auto size = model::product_of(kernel, model::measured_values(kernel, subject.values, subject.keep));
  if (!size) return usage("no_product", {{"kernel", warplens::value_of(kernel.id)}});
  const model::RecordedProduct* product = recording_->product(*size);
  if (product == nullptr)
    return usage("no_library_time", {{"m", warplens::value_of(size->m)},
                                     {"n", warplens::value_of(size->n)},
                                     {"k", warplens::value_of(size->k)}});
  return 1000.0 * product->time.median;
}

Result<bool> Runs::output_matches(const Subject& subject, const Subject& reference) {
  const auto mine = facts(subject), wanted = facts(reference);
  if (!mine) return mine.error();
  if (!wanted) return wanted.error();
  if (mine->run->report.ending != analysis::Ending::Completed) return false;
  return !first_difference(*mine->run, *wanted->run, subject.kernel->outputs);
}

// ---- names ----

Result<RunScope::Meant> RunScope::meant(const Reference& reference) const {
  Meant out{current_ ? &*current_ : nullptr, reference};
  if (!reference.path.empty() && (!reference.site || reference.site_at > 0))
    for (const NamedSubject& named : named_)
      if (named.name == reference.path.front()) {
        out.subject = &named.subject;
        out.rest.path.erase(out.rest.path.begin());
        if (out.rest.site) --out.rest.site_at;
        break;
      }
  if (out.subject == nullptr) {
    std::string known;
    for (const NamedSubject& named : named_) known += (known.empty() ? "" : ", ") + named.name;
    return usage(known.empty() ? "no_runs" : "no_run",
                 {{"name", warplens::value_of(reference.text())}, {"known", warplens::value_of(known)}});
  }
  if (out.rest.path.empty()) return usage("run_alone", {{"name", warplens::value_of(reference.text())}});
  return out;
}

namespace {

// runs: the names of those that could have been meant, each with a comma behind it.
Result<double> report_value(const nlohmann::json& report, const Reference& reference, const Subject& subject,
                            const std::string& runs) {
  const nlohmann::json* at = &report;
  std::string walked;
  for (const std::string& part : reference.path) {
    if (!at->is_object() || !at->contains(part)) {
      std::string known;
      if (at->is_object())
        for (const auto& [key, value] : at->items())
          if (value.is_number() || value.is_object()) known += (known.empty() ? "" : ", ") + key;
      if (walked.empty()) known = runs + slider_names(subject) + known;
      return usage(known.empty()    ? "no_report_number"
                   : walked.empty() ? "no_field"
                                    : "no_field_below",
                   {{"name", warplens::value_of(reference.text())},
                    {"below", warplens::value_of(walked)},
                    {"known", warplens::value_of(known)}});
    }
    at = &at->at(part);
    walked += (walked.empty() ? "" : ".") + part;
  }
  if (at->is_number()) return at->get<double>();
  return usage("no_report_number", {{"name", warplens::value_of(reference.text())}});
}

const model::Slider* slider_of(const Subject& subject, const std::string& name) {
  for (const model::Slider& slider : subject.kernel->sliders)
    if (slider.name == name) return &slider;
  return nullptr;
}

}  // namespace

Result<double> RunScope::value(const Reference& reference) const {
  const auto found = meant(reference);
  if (!found) return found.error();
  const Subject& subject = *found->subject;
  const Reference& rest = found->rest;
  if (rest.site) {
    if (rest.site_at != 0 || rest.path.size() != 1)
      return usage("no_site_number", {{"name", warplens::value_of(reference.text())}});
    const auto facts = runs_.facts(subject);
    if (!facts) return facts.error();
    return site_value(facts->run->report, *rest.site, rest.path.front());
  }
  const std::string& first = rest.path.front();
  if (rest.path.size() == 1) {
    if (const auto value = subject.values.find(first); value != subject.values.end())
      return static_cast<double>(value->second);
    if (first == "time" || first == "time_flushed") {
      timed_.push_back(subject);
      return runs_.time(subject, first == "time_flushed");
    }
    if (first == "library_time") {
      timed_.push_back(subject);
      return runs_.library_time(subject);
    }
  }
  if (first == "output" && rest.path.size() == 2 && rest.path[1] == "matches") {
    Subject reference_of = subject.reference ? *subject.reference : subject;
    if (!subject.reference) reference_of.text.reset();
    const auto same = runs_.output_matches(subject, reference_of);
    if (!same) return same.error();
    return *same ? 1.0 : 0.0;
  }
  const auto facts = runs_.facts(subject);
  if (!facts) return facts.error();
  if (rest.path.size() == 1 && first == "faults") return static_cast<double>(facts->run->report.faults_total);
  if (rest.path.size() == 2 && first == "checksum") return checksum(facts->run->report, rest.path[1]);
  std::string runs;
  if (rest.path.size() == reference.path.size())
    for (const NamedSubject& named : named_) runs += named.name + ", ";
  return report_value(*facts->report, rest, subject, runs);
}

Result<double> RunScope::choice(const Reference& reference, const std::string& name) const {
  const auto found = meant(reference);
  if (!found) return found.error();
  const model::Slider* slider = found->rest.site || found->rest.path.size() != 1
                                    ? nullptr
                                    : slider_of(*found->subject, found->rest.path[0]);
  if (slider == nullptr || slider->choices.empty())
    return usage("no_choices",
                 {{"name", warplens::value_of(reference.text())}, {"choice", warplens::value_of(name)}});
  const auto choice = std::find(slider->choices.begin(), slider->choices.end(), name);
  if (choice == slider->choices.end())
    return usage("no_choice",
                 {{"name", warplens::value_of(slider->name)},
                  {"choice", warplens::value_of(name)},
                  {"known", warplens::value_of(fmt::format("{}", fmt::join(slider->choices, ", ")))}});
  return static_cast<double>(choice - slider->choices.begin());
}

// ---- of a lesson ----

Result<Subject> subject_of(const Lesson& lesson, const model::Gallery& gallery, const State& state) {
  Subject out;
  out.kernel = kernel_of(lesson, gallery, state);
  if (out.kernel == nullptr) return usage("no_kernel", {{"name", warplens::value_of(state.kernel)}});
  out.values = state.values;
  if (state.all_checks) out.checks = simt::Checks::All;
  return out;
}

Result<RunScope> scope_of(Runs& runs, const Lesson& lesson, const Step* step,
                          std::optional<Subject> current) {
  std::vector<NamedSubject> named;
  const auto add = [&](const std::vector<NamedRun>& list) -> Status {
    for (const NamedRun& run : list) {
      auto subject = subject_of(lesson, runs.gallery(), run.state);
      if (!subject) return subject.error();
      named.push_back({run.name, std::move(*subject)});
    }
    return Done{};
  };
  if (step != nullptr)
    if (const Status added = add(step->runs); !added) return added.error();
  if (const Status added = add(lesson.runs); !added) return added.error();
  return RunScope(runs, std::move(current), std::move(named));
}

Result<RunScope> scope_at(Runs& runs, const Lesson& lesson, const Step* step, const State& state) {
  auto subject = subject_of(lesson, runs.gallery(), state);
  if (!subject) return subject.error();
  return scope_of(runs, lesson, step, std::move(*subject));
}

}  // namespace warplens::lesson
