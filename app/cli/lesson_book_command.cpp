#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/lesson_command.h"
#include "app/lesson/book.h"

namespace warplens::cli {
namespace {

struct NotesCommand {
  std::string name, language = "en";

  int execute() const {
    const auto school = School::open();
    if (!school) return fail(school.error());
    const lesson::Lesson* found = (*school)->shelf.find(name);
    if (found == nullptr) return fail((*school)->shelf.without(name));
    lesson::Runs runs((*school)->gallery, (*school)->recordings.best());
    std::fputs(lesson::notes_of(runs, *found, language).c_str(), stdout);
    return kDone;
  }
};

struct BookCommand {
  Output output;
  std::vector<std::string> names;
  std::string out, language = "en";

  int execute() const {
    const auto school = School::open();
    if (!school) return fail(school.error());
    complain((*school)->shelf.problems);
    lesson::Runs runs((*school)->gallery, (*school)->recordings.best());
    lesson::BookOptions options;
    options.folder = out;
    options.language = language;
    options.names = names;
    options.on_page = [](int number, int count, const std::string& title) {
      std::fprintf(stderr, "[%d/%d] %s\n", number, count, title.c_str());
    };
    const auto book = lesson::write_book(runs, (*school)->shelf, options);
    if (!book) return fail(book.error());
    complain(book->problems);
    const std::string index = (std::filesystem::path(out) / "index.html").string();
    const nlohmann::ordered_json answer{{"file", index},
                                        {"pages", book->pages},
                                        {"pictures", book->pictures},
                                        {"problems", book->problems.size()}};
    const int written = output.write(answer.dump(2) + "\n", index + "\n");
    return written != kDone || book->problems.empty() ? written : kNotCompiled;
  }
};

}  // namespace

void add_lesson_notes(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand("notes", "The speaker's notes of a lesson, as Markdown");
  auto options = std::make_shared<NotesCommand>();
  command->add_option("name", options->name, "Name of the lesson")->required()->type_name("NAME");
  add_language(*command, options->language);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

void add_lesson_book(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand("book", "Write lessons as pages to read and to print");
  auto options = std::make_shared<BookCommand>();
  command->add_option("name", options->names, "Lessons; all when none is given")->type_name("NAME");
  command->add_option("--out,-o", options->out, "Folder to write to")->required()->type_name("DIR");
  add_language(*command, options->language);
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
