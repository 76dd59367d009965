// What stands on a page of the book, as HTML: a lesson with its steps, questions and pictures, and the
// glossary.
//
//   lesson_html({runs, "en", catalogue, pictures, glossary, book}, lesson)     // "<h1>Strides</h1> ..."
//
// The page around it, its links and the index are the book's (book.h).
#pragma once

#include <string>

#include "app/lesson/book.h"
#include "app/lesson/glossary.h"
#include "app/model/picture/picture.h"

namespace warplens::lesson {

// What all pages of an edition are made with. Pictures that could not be drawn are noted in `book`.
struct PageMaking {
  Runs& runs;
  const std::string& language;
  const Catalogue& catalogue;
  const model::Pictures& pictures;
  const Glossary& glossary;
  Book& book;
};

std::string lesson_html(const PageMaking& making, const Lesson& lesson);
// Every term; `with_pictures`: also where it is seen.
std::string glossary_html(const PageMaking& making, bool with_pictures);

}  // namespace warplens::lesson
