#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "app/cli/lesson_command.h"
#include "app/cli/watch.h"
#include "app/lesson/book.h"
#include "engine/base/message.h"

namespace warplens::cli {
namespace {

struct NotesCommand {
  std::string name, language = "en";
  bool follow = false;

  int execute() const {
    const auto school = School::open();
    if (!school) return fail(school.error());
    if (follow) return follow_window(**school);
    if (name.empty()) return fail(told(ErrorKind::Usage, {"cli.which_notes", {}}));
    const auto found = (*school)->find(name);
    if (!found) return fail(found.error());
    lesson::Runs runs((*school)->gallery, (*school)->recordings.best());
    std::fputs(lesson::notes_of(runs, **found, language).c_str(), stdout);
    return kDone;
  }

  // Page after page as the window turns them, until it is stopped. A terminal shows the one that is open;
  // what is not a terminal gets one after the other.
  int follow_window(const School& school) const {
    const auto catalogue = Catalogue::load(language);
    if (!catalogue) return fail(catalogue.error());
    lesson::Runs runs(school.gallery, school.recordings.best());
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    Progress progress;
    const Interruption interruption(progress);
    std::optional<lesson::OpenPage> shown;
    while (!progress.cancelled()) {
      const lesson::OpenPage open = lesson::read_open_page(lesson::open_page_file());
      if (!shown || !(*shown == open)) {
        const lesson::Lesson* found = open.lesson.empty() ? nullptr : school.shelf.find(open.lesson);
        std::fputs(terminal ? "\x1b[2J\x1b[3J\x1b[H" : shown ? "\n" : "", stdout);
        std::fputs(found == nullptr ? (catalogue->text("lesson.notes_wait") + "\n").c_str()
                                    : lesson::notes_of_page(runs, *found, open, language).c_str(),
                   stdout);
        std::fflush(stdout);
        shown = open;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
    }
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
    if (language == "all")
      options.languages.assign(kLanguages.begin(), kLanguages.end());
    else
      options.languages = {language};
    for (const std::string& one : names) {
      const auto name = lesson::ask_for((*school)->shelf, (*school)->gallery, one);
      if (!name) return fail(name.error());
      options.names.push_back(*name);
    }
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
  command->add_option("name", options->name, "Name of the lesson, or its folder")->type_name("NAME");
  command->add_flag("--follow", options->follow,
                    "Those of the page that stands in the window, page after page, until Ctrl-C");
  add_language(*command, options->language);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

void add_lesson_book(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand("book", "Write lessons as pages to read and to print");
  auto options = std::make_shared<BookCommand>();
  command->add_option("name", options->names, "Lessons, or folders of lessons; all when none is given")
      ->type_name("NAME");
  command->add_option("--out,-o", options->out, "Folder to write to")->required()->type_name("DIR");
  command->add_option("--language", options->language, "en, zh, or all of them, linked with each other")
      ->check(CLI::IsMember({"en", "zh", "all"}))
      ->capture_default_str();
  options->output.add_option(*command);
  command->callback([options, &context] { context.exit_code = options->execute(); });
}

}  // namespace warplens::cli
