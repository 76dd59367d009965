// All lessons, challenges and claims, in the order of the shelf.
//
//   order.toml:  [[topic]] id = "global_memory", title = { en = "...", zh = "..." }, lessons = ["coalescing"]
//
// `lessons` names folders of any kind. Topics and folders that it does not name come last.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/lesson/lesson.h"

namespace warplens::lesson {

struct ShelfTopic {
  std::string id;
  std::map<std::string, std::string> title;
  std::vector<std::string> names;
};

struct Shelf {
  std::vector<ShelfTopic> topics;
  std::vector<Lesson> lessons;  // of all kinds, in the order of the shelf
  std::vector<Error> problems;  // of folders that cannot be played; the rest is usable
  const Lesson* find(std::string_view name) const;
  std::vector<const Lesson*> of(Kind kind) const;
  // For whoever asked for one that is not there.
  Error without(std::string_view name) const;
};

// A lesson that is asked for by its name, or by its folder wherever that lies: then it comes to the shelf, in
// the place of another of that name. Returns its name, or what is wrong with the folder.
Result<std::string> ask_for(Shelf& shelf, const model::Gallery& gallery, const std::string& name_or_folder);
// Of those, some that have a word in common with what was asked for, "" where none has.
std::string names_like(std::string_view asked, const std::vector<std::string>& names);

std::filesystem::path lessons_folder();
// The topics of that folder's order.toml; what cannot be read of it is said among the problems.
std::vector<ShelfTopic> shelf_topics(const std::filesystem::path& folder, std::vector<Error>& problems);
Shelf load_shelf(const model::Gallery& gallery);
Shelf load_shelf(const model::Gallery& gallery, const std::filesystem::path& folder);

}  // namespace warplens::lesson
