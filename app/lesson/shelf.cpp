#include "app/lesson/shelf.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/lesson/complaint.h"
#include "app/model/text/toml_reader.h"
#include "engine/base/assets.h"
#include "engine/base/toml.h"

namespace warplens::lesson {
namespace {

namespace fs = std::filesystem;

// Where a lesson stands: the number of its topic, its place in it.
std::pair<std::size_t, std::size_t> place_of(const Shelf& shelf, const Lesson& lesson) {
  for (std::size_t t = 0; t < shelf.topics.size(); ++t) {
    const auto& names = shelf.topics[t].names;
    const auto at = std::find(names.begin(), names.end(), lesson.name);
    if (at != names.end()) return {t, static_cast<std::size_t>(at - names.begin())};
  }
  for (std::size_t t = 0; t < shelf.topics.size(); ++t)
    if (shelf.topics[t].id == lesson.topic) return {t, shelf.topics[t].names.size()};
  return {shelf.topics.size(), 0};
}

void arrange(Shelf& shelf) {
  for (const Lesson& lesson : shelf.lessons)
    if (std::none_of(shelf.topics.begin(), shelf.topics.end(),
                     [&](const ShelfTopic& t) { return t.id == lesson.topic; }))
      shelf.topics.push_back({lesson.topic, in_all_languages(lesson.topic), {}});
  std::stable_sort(shelf.lessons.begin(), shelf.lessons.end(),
                   [&](const Lesson& a, const Lesson& b) { return place_of(shelf, a) < place_of(shelf, b); });
}

}  // namespace

const Lesson* Shelf::find(std::string_view name) const {
  const auto found =
      std::find_if(lessons.begin(), lessons.end(), [&](const Lesson& l) { return l.name == name; });
  return found == lessons.end() ? nullptr : &*found;
}

std::vector<const Lesson*> Shelf::of(Kind kind) const {
  std::vector<const Lesson*> out;
  for (const Lesson& lesson : lessons)
    if (lesson.kind == kind) out.push_back(&lesson);
  return out;
}

Error Shelf::without(std::string_view name) const {
  for (const Error& problem : problems)
    if (fs::path(problem.place.file).parent_path().filename() == name) return problem;
  std::vector<std::string> names;
  for (const Lesson& lesson : lessons) names.push_back(lesson.name);
  const std::string like = names_like(name, names);
  return told(ErrorKind::Usage,
              complaint(like.empty() ? "no_lesson" : "no_such_lesson", "name", std::string(name), "like",
                        like, "folder", lessons_folder().string()));
}

std::string names_like(std::string_view asked, const std::vector<std::string>& names) {
  constexpr std::size_t kWord = 4, kMost = 6;  // letters that say which; names that are still read
  std::vector<std::string> near;
  for (const std::string& name : names) {
    bool like = false;
    for (std::size_t at = 0; at < asked.size() && !like;) {
      const std::string_view word = asked.substr(at, asked.find('_', at) - at);
      like = word.size() >= kWord && name.find(word.substr(0, kWord)) != std::string::npos;
      at += word.size() + 1;
    }
    if (like && near.size() < kMost) near.push_back(name);
  }
  return fmt::format("{}", fmt::join(near, ", "));
}

Result<std::string> ask_for(Shelf& shelf, const model::Gallery& gallery, const std::string& name_or_folder) {
  std::error_code ignored;
  const fs::path folder = fs::weakly_canonical(name_or_folder, ignored);
  const bool by_folder = name_or_folder.find('/') != std::string::npos;
  if (shelf.find(name_or_folder) != nullptr) return name_or_folder;
  if (!fs::is_regular_file(folder / "lesson.toml", ignored)) {
    if (!by_folder) return name_or_folder;
    return told(ErrorKind::Usage, complaint("no_lesson_there", "folder", name_or_folder));
  }
  Reading reading = read_lesson(folder, gallery);
  if (!reading.ok()) return reading.problems.front();
  std::string name = reading.lesson->name;
  std::erase_if(shelf.lessons, [&](const Lesson& one) { return one.name == name; });
  shelf.lessons.push_back(std::move(*reading.lesson));
  arrange(shelf);
  return name;
}

fs::path lessons_folder() {
  return assets_folder() / "lessons";
}

std::vector<ShelfTopic> shelf_topics(const fs::path& folder, std::vector<Error>& problems) {
  const fs::path file = folder / "order.toml";
  std::vector<ShelfTopic> out;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return out;
  const auto table = read_toml(file);
  if (!table) {
    problems.push_back(table.error());
    return out;
  }
  model::TomlReader reader(file);
  for (const toml::table* topic : reader.tables(*table, "topic")) {
    ShelfTopic read{reader.text(*topic, "id", true), reader.languages(*topic, "title", true), {}};
    for (const char* kind : {"lessons", "challenges", "claims"})
      for (std::string& name : reader.texts(*topic, kind, false)) read.names.push_back(std::move(name));
    out.push_back(std::move(read));
  }
  problems.insert(problems.end(), reader.problems().begin(), reader.problems().end());
  return out;
}

Shelf load_shelf(const model::Gallery& gallery) {
  return load_shelf(gallery, lessons_folder());
}

Shelf load_shelf(const model::Gallery& gallery, const fs::path& folder) {
  Shelf shelf;
  shelf.topics = shelf_topics(folder, shelf.problems);
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (fs::is_regular_file(entry.path() / "lesson.toml", ignored)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const fs::path& one : folders) {
    Reading reading = read_lesson(one, gallery);
    shelf.problems.insert(shelf.problems.end(), reading.problems.begin(), reading.problems.end());
    if (reading.ok()) shelf.lessons.push_back(std::move(*reading.lesson));
  }
  arrange(shelf);
  return shelf;
}

}  // namespace warplens::lesson
