#include "app/cli/lesson_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/lesson/check.h"
#include "app/lesson/grade.h"
#include "app/lesson/shelf.h"
#include "app/model/recording/recording.h"
#include "app/model/run/compile_advice.h"
#include "app/model/text/in_language.h"
#include "engine/analysis/fault_text.h"
#include "engine/base/assets.h"

namespace warplens::cli {

Result<std::unique_ptr<School>> School::open() {
  auto gallery = model::load_gallery();
  if (!gallery) return gallery.error();
  auto out = std::make_unique<School>();
  out->gallery = std::move(*gallery);
  out->recordings = model::load_recordings();
  out->shelf = lesson::load_shelf(out->gallery);
  return out;
}

Result<const lesson::Lesson*> School::find(const std::string& name_or_folder) {
  const auto name = lesson::ask_for(shelf, gallery, name_or_folder);
  if (!name) return name.error();
  if (const lesson::Lesson* found = shelf.find(*name)) return found;
  return shelf.without(*name);
}

void complain(const std::vector<Error>& problems) {
  for (const Error& problem : problems)
    std::fprintf(stderr, "%s\n", in_answer_language(problem).text().c_str());
}

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int kNotMet = 1;

std::string goal_text(const lesson::Lesson& challenge) {
  std::string out;
  for (const lesson::Goal& goal : challenge.goals) out += goal.value + " " + goal.wanted + " and ";
  return out + "output.matches";
}

// The first paragraph as one line.
std::string first_paragraph(const std::string& text) {
  std::string out = text.substr(0, text.find("\n\n"));
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

struct ListCommand {
  Output output;
  std::string language = "en";

  int execute() const {
    const auto school = School::open();
    if (!school) return fail(school.error());
    const lesson::Shelf& shelf = (*school)->shelf;
    complain(shelf.problems);
    lesson::Runs runs((*school)->gallery, (*school)->recordings.best());
    Json lessons = Json::array(), challenges = Json::array(), claims = Json::array();
    std::string text;
    for (const lesson::Lesson& one : shelf.lessons) {
      const lesson::Words& words = one.text(language);
      if (one.kind == lesson::Kind::Lesson) {
        Json predictions = Json::array();
        for (const lesson::Step& step : one.steps)
          if (step.predict) predictions.push_back(lesson::name(step.predict->kind));
        text += fmt::format("{:<28} {:>3} min  {}\n", one.name, one.minutes, words.title);
        lessons.push_back({{"name", one.name},
                           {"topic", one.topic},
                           {"title", words.title},
                           {"minutes", one.minutes},
                           {"predictions", predictions}});
      } else if (one.kind == lesson::Kind::Challenge) {
        text += fmt::format("{:<28} challenge {}\n", one.name, words.title);
        challenges.push_back({{"name", one.name}, {"title", words.title}, {"goal", goal_text(one)}});
      } else {
        const auto judged = lesson::judge_claim(runs, one);
        if (!judged) complain({judged.error()});
        const Json verdict = judged ? Json(lesson::name(judged->verdict)) : Json(nullptr);
        text += fmt::format("{:<28} {:<9} {}\n", one.name, judged ? lesson::name(judged->verdict) : "unknown",
                            words.title);
        claims.push_back(
            {{"name", one.name}, {"statement", first_paragraph(words.body)}, {"verdict", verdict}});
      }
    }
    const Json answer{{"schema", "warplens.lessons/1"},
                      {"lessons", lessons},
                      {"challenges", challenges},
                      {"claims", claims}};
    return output.write(answer.dump(2) + "\n", text);
  }
};

struct CheckCommand {
  Output output;
  std::string language = "en";
  std::vector<std::string> folders;

  // All that are there when none is named; a name stands for its folder.
  std::vector<fs::path> chosen() const {
    std::vector<fs::path> out;
    std::error_code ignored;
    for (const std::string& one : folders) {
      const fs::path named = lesson::lessons_folder() / one;
      out.push_back(!fs::exists(one, ignored) && fs::exists(named, ignored) ? named : fs::path(one));
    }
    if (folders.empty())
      for (const auto& entry : fs::directory_iterator(lesson::lessons_folder(), ignored))
        if (entry.is_directory(ignored)) out.push_back(entry.path());
    std::sort(out.begin(), out.end());
    return out;
  }

  static Json errors_json(const std::vector<Error>& errors) {
    Json out = Json::array();
    for (const Error& e : errors)
      out.push_back({{"file", e.place.file},
                     {"line", e.place.line},
                     {"column", e.place.column},
                     {"message", in_answer_language(e).message}});
    return out;
  }

  int execute() const {
    const auto gallery = model::load_gallery();
    if (!gallery) return fail(gallery.error());
    const auto say = Catalogue::load(language);
    if (!say) return fail(say.error());
    const model::Recordings recordings = model::load_recordings();
    Json checked = Json::array();
    std::string text;
    bool all = true;
    for (const fs::path& folder : chosen()) {
      lesson::Runs runs(*gallery, recordings.best());
      const lesson::Checked found = lesson::check_lesson(runs, folder);
      complain(found.problems);
      for (const Error& remark : found.remarks)
        std::fprintf(stderr, "%s\n", say->text({"check.remark", {{"what", with_place(remark)}}}).c_str());
      const auto mistakes = static_cast<std::int64_t>(found.problems.size());
      text += say->text({mistakes == 0 ? "check.good" : "check.mistakes",
                         {{"name", value_of(found.name)}, {"mistakes", value_of(mistakes)}}}) +
              "\n";
      all = all && found.ok();
      checked.push_back({{"name", found.name},
                         {"ok", found.ok()},
                         {"errors", errors_json(found.problems)},
                         {"remarks", errors_json(found.remarks)}});
    }
    const Json answer{{"schema", "warplens.lesson_check/1"}, {"checked", checked}};
    const int written = output.write(answer.dump(2) + "\n", text);
    return written != kDone ? written : all ? kDone : kNotCompiled;
  }
};

struct GradeCommand {
  Output output;
  std::string name, file, language = "en";
  std::vector<std::string> set;

  static Json json(const lesson::Grade& grade, const std::string& language,
                   const std::vector<std::string>& problems) {
    Json goals = Json::array();
    for (const lesson::GoalResult& goal : grade.goals) {
      goals.push_back({{"text", model::in_language(goal.goal->text, language, goal.goal->value)},
                       {"value", goal.value ? Json(*goal.value) : Json(nullptr)},
                       {"wanted", goal.goal->wanted},
                       {"met", goal.met}});
    }
    return {{"compiles", grade.compiles},
            {"output_matches", grade.output_matches},
            {"goals", goals},
            {"stars", grade.stars},
            {"problems", problems}};
  }

  // A compiler names the file that the text stood in for.
  static void name_the_solution(Error& problem, const std::string& stood_in_for, const std::string& file) {
    if (problem.place.file == stood_in_for) problem.place.file = file;
    for (std::string& note : problem.notes)
      if (note.starts_with(stood_in_for + ":")) note.replace(0, stood_in_for.size(), file);
  }

  static std::vector<std::string> troubles(const lesson::Grade& grade, const std::string& solution,
                                           const Catalogue& catalogue) {
    std::vector<std::string> out;
    if (grade.differs) out.push_back(catalogue.text(*grade.differs));
    for (const Error& problem : grade.problems) {
      out.push_back(in_answer_language(problem).text());
      if (const auto advice = model::compile_advice(problem, solution))
        out.push_back(catalogue.text(*advice));
    }
    if (grade.run != nullptr)
      for (const trace::Fault& fault : grade.run->report.faults)
        out.push_back(catalogue.text(analysis::fault_message(fault)));
    return out;
  }

  static std::string text(const lesson::Grade& grade, const std::string& language,
                          const Catalogue& catalogue) {
    const auto yes_or_no = [&](bool yes) { return value_of(Key{yes ? "grade.yes" : "grade.no"}); };
    std::string out = catalogue.text({"grade.compiles", {{"answer", yes_or_no(grade.compiles)}}}) + "\n" +
                      catalogue.text({"grade.output", {{"answer", yes_or_no(grade.output_matches)}}}) + "\n";
    for (const lesson::GoalResult& goal : grade.goals) {
      const MessageValue value =
          goal.value ? value_of(lesson::number_text(*goal.value)) : value_of(Key{"grade.unknown"});
      out += catalogue.text(
                 {goal.met ? "grade.met" : "grade.not_met",
                  {{"goal", value_of(model::in_language(goal.goal->text, language, goal.goal->value))},
                   {"value", value},
                   {"wanted", value_of(goal.goal->wanted)}}}) +
             "\n";
    }
    return out + catalogue.text({"grade.stars", {{"stars", value_of(grade.stars)}}}) + "\n";
  }

  int execute() const {
    const auto school = School::open();
    if (!school) return fail(school.error());
    const auto found = (*school)->find(name);
    if (!found) return fail(found.error());
    const lesson::Lesson* challenge = *found;
    if (challenge->kind != lesson::Kind::Challenge)
      return fail(told(ErrorKind::Usage, {"grade.no_challenge", {{"name", value_of(name)}}}));
    const auto solution = read_text(file, Streams::Wait);
    if (!solution) return fail(solution.error());
    const auto catalogue = Catalogue::load(language);
    if (!catalogue) return fail(catalogue.error());
    auto values = slider_values(challenge->kernels.front(), set);
    if (!values) return fail(values.error());
    lesson::Runs runs((*school)->gallery, (*school)->recordings.best());
    auto graded = lesson::grade(runs, *challenge, *solution, *values);
    if (!graded) return fail(graded.error());
    for (Error& problem : graded->problems)
      name_the_solution(problem, challenge->kernels.front().file.string(), file);
    const std::vector<std::string> problems = troubles(*graded, *solution, *catalogue);
    for (const std::string& problem : problems) std::fprintf(stderr, "%s\n", problem.c_str());
    const int written =
        output.write(json(*graded, language, problems).dump(2) + "\n", text(*graded, language, *catalogue));
    return written != kDone ? written : graded->all_met() ? kDone : kNotMet;
  }
};

void add_list(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand("list", "Lessons, challenges and claims there are");
  auto options = std::make_shared<ListCommand>();
  add_language(*command, options->language);
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

void add_check(CLI::App& group, Context& context) {
  CLI::App* command =
      group.add_subcommand("check", "Say what is wrong with lessons, with file, line and column");
  auto options = std::make_shared<CheckCommand>();
  command->add_option("folder", options->folders, "Folders, or names of lessons; all when none is given")
      ->type_name("DIR");
  add_language(*command, options->language);
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

void add_grade(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand("grade", "Say what a solution to a challenge is worth");
  auto options = std::make_shared<GradeCommand>();
  command->add_option("name", options->name, "Name of the challenge, or its folder")
      ->required()
      ->type_name("NAME");
  command->add_option("file", options->file, "The solution")->required()->type_name("FILE.cu");
  command->add_option("--set", options->set, "Set a slider of the challenge")
      ->type_name("SLIDER=VALUE")
      ->allow_extra_args(false);
  add_language(*command, options->language);
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace

void add_lesson(CLI::App& app, Context& context) {
  CLI::App* group =
      app.add_subcommand("lesson", "Lessons, challenges and claims: list, check, grade, notes, book");
  group->require_subcommand(1);
  add_list(*group, context);
  add_check(*group, context);
  add_grade(*group, context);
  add_lesson_notes(*group, context);
  add_lesson_book(*group, context);
}

}  // namespace warplens::cli
