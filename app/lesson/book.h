// Lessons as pages to read and to print: self-contained HTML, one file a lesson, the glossary and an index.
//
// Text, code, pictures of both states of each prediction, the reveal behind a <details>, exercises, teacher's
// notes. Pictures are inside of the pages, nothing is fetched. In several languages each has a folder, en/
// and zh/, every page links to itself in the others, and a run that both show happens once.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/lesson/open_page.h"
#include "app/lesson/runs.h"
#include "app/lesson/shelf.h"

namespace warplens::lesson {

struct BookOptions {
  std::filesystem::path folder = "book";
  std::vector<std::string> languages = {"en"};
  std::vector<std::string> names;  // empty: all
  // Called before each page: its number, how many there are, its title.
  std::function<void(int, int, const std::string&)> on_page;
};
struct Book {
  int pages = 0, pictures = 0;
  std::vector<Error> problems;  // pictures and pages that could not be made; the rest is there
};
// Fails only when nothing can be written at all, or a name is not known.
Result<Book> write_book(Runs& runs, const Shelf& shelf, const BookOptions& options);

// The speaker's notes of a lesson as Markdown: what to say at each step, with timing and questions.
std::string notes_of(Runs& runs, const Lesson& lesson, const std::string& language);

// The notes of one page as they help while it is shown: what to say and to ask; once told, what to say then.
std::string notes_of_page(Runs& runs, const Lesson& lesson, const OpenPage& open,
                          const std::string& language);

// The section for teachers, as Markdown: the minutes of each page in every plan, then what is written.
std::string teachers_text(const Lesson& lesson, const std::string& language);

// A text of a lesson with its numbers; "?" where one cannot be had. What it quotes the time of is added to
// `timed`.
std::string filled_text(Runs& runs, const Lesson& lesson, const Step* step, bool revealed,
                        const std::string& text, std::vector<Subject>* timed = nullptr);

}  // namespace warplens::lesson
