// What the subcommands of `warplens lesson` share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/lesson/shelf.h"
#include "app/model/recording/recording.h"

namespace warplens::cli {

struct School {
  model::Gallery gallery;
  model::Recordings recordings;
  lesson::Shelf shelf;
  static Result<std::unique_ptr<School>> open();
  // By its name or its folder.
  Result<const lesson::Lesson*> find(const std::string& name_or_folder);
};

// Each on standard error, with its notes.
void complain(const std::vector<Error>& problems);

void add_lesson_notes(CLI::App& group, Context& context);
void add_lesson_book(CLI::App& group, Context& context);

}  // namespace warplens::cli
