#include "app/lesson/book.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "app/lesson/book_pages.h"
#include "app/lesson/book_style.h"
#include "app/lesson/glossary.h"
#include "app/model/picture/picture.h"
#include "app/model/text/in_language.h"
#include "engine/base/assets.h"
#include "engine/base/markup.h"
#include "engine/base/typography.h"

namespace warplens::lesson {
namespace {

namespace fs = std::filesystem;

std::string title_in(const ShelfTopic& topic, const std::string& language) {
  return escaped_markup(model::in_language(topic.title, language, topic.id));
}

class BookWriter {
 public:
  BookWriter(Runs& runs, const Shelf& shelf, const BookOptions& options, std::vector<const Lesson*> chosen)
      : runs_(runs), shelf_(shelf), options_(options), chosen_(std::move(chosen)) {}

  Result<Book> run() {
    for (const std::string& language : options_.languages) {
      auto catalogue = Catalogue::load(language);
      if (!catalogue) return catalogue.error();
      editions_.push_back({language, std::make_unique<Catalogue>(std::move(*catalogue)), {}, {}});
      Edition& edition = editions_.back();
      auto pictures = model::Pictures::make(*edition.catalogue);
      if (!pictures) return pictures.error();
      edition.pictures.emplace(std::move(*pictures));
      edition.folder = several() ? options_.folder / language : options_.folder;
      std::error_code ignored;  // write_text says what matters
      fs::create_directories(edition.folder, ignored);
    }
    // First, so that whoever stops it half-way has what is there.
    if (several())
      if (const Status done = write_text(options_.folder / "index.html", both_html()); !done)
        return done.error();
    for (const Edition& edition : editions_)
      if (const Status done =
              write(edition, "index", edition.catalogue->text("book.title"), index_html(edition));
          !done)
        return done.error();
    // A lesson in every language before the next one: what both run is at hand.
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const Lesson& one = *chosen_[i];
      if (options_.on_page)
        options_.on_page(static_cast<int>(i) + 1, static_cast<int>(chosen_.size()),
                         one.text(editions_.front().language).title);
      for (const Edition& edition : editions_) {
        if (const Status done =
                write(edition, one.name, one.text(edition.language).title, lesson_html(making(edition), one));
            !done)
          return done.error();
        ++book_.pages;
      }
    }
    for (const Edition& edition : editions_)
      if (const Status done = write(edition, "glossary", edition.catalogue->text("book.glossary"),
                                    glossary_html(making(edition), options_.names.empty()));
          !done)
        return done.error();
    return std::move(book_);
  }

 private:
  struct Edition {
    std::string language;
    std::unique_ptr<Catalogue> catalogue;
    std::optional<model::Pictures> pictures;
    fs::path folder;
  };

  bool several() const { return options_.languages.size() > 1; }
  PageMaking making(const Edition& edition) {
    return {runs_, edition.language, *edition.catalogue, *edition.pictures, glossary_, book_};
  }

  Status write(const Edition& edition, const std::string& name, const std::string& title,
               const std::string& body) const {
    std::vector<BookLink> links;
    const Catalogue& say = *edition.catalogue;
    if (name != "index") links.push_back({"index.html", "‹ " + say.text("book.title")});
    if (name != "glossary") links.push_back({"glossary.html", say.text("book.glossary")});
    for (const Edition& other : editions_)
      if (&other != &edition)
        links.push_back(
            {fmt::format("../{}/{}.html", other.language, name), other.catalogue->text("book.language")});
    return write_text(edition.folder / (name + ".html"), book_page(title, edition.language, body, links));
  }

  // Calls `item` for each page of a topic, topics in the order of the shelf.
  template <class Item>
  std::string by_topic(const std::function<std::string(const ShelfTopic&)>& heading, const Item& item) const {
    std::string out;
    for (const ShelfTopic& topic : shelf_.topics) {
      std::string list;
      for (const Lesson* one : chosen_)
        if (one->topic == topic.id ||
            std::find(topic.names.begin(), topic.names.end(), one->name) != topic.names.end())
          list += "<li>" + item(*one) + "</li>\n";
      if (!list.empty())
        out += fmt::format("<h2>{}</h2><ul class=\"index\">\n{}</ul>\n", heading(topic), list);
    }
    return out;
  }
  static std::string kind_html(const Lesson& one, const Catalogue& say) {
    if (one.kind == Kind::Lesson)
      return escaped_markup(say.text({"lesson.minutes", {{"minutes", std::int64_t{one.minutes}}}}));
    return escaped_markup(say.text(one.kind == Kind::Claim ? "lesson.a_claim" : "lesson.a_challenge"));
  }
  std::string index_html(const Edition& edition) const {
    const Catalogue& say = *edition.catalogue;
    std::string about = escaped_markup(say.text("book.about"));
    if (const model::Recording* recording = runs_.recording())
      append_sentence(about,
                      escaped_markup(say.text({"book.about_times", {{"device", recording->device.name}}})));
    return fmt::format("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", escaped_markup(say.text("book.title")),
                       about) +
           by_topic([&](const ShelfTopic& topic) { return title_in(topic, edition.language); },
                    [&](const Lesson& one) {
                      return fmt::format("<a href=\"{}.html\">{}</a> <small>{}</small>", one.name,
                                         escaped_markup(one.text(edition.language).title),
                                         kind_html(one, *edition.catalogue));
                    });
  }
  // Every page once, under its title in each language.
  std::string both_html() const {
    const auto in_all = [&](const auto& text) {
      std::string out;
      for (const Edition& edition : editions_)
        out += fmt::format("<span lang=\"{}\">{}</span>\n", edition.language, text(edition));
      return out;
    };
    std::string body = "<h1 class=\"both\">" + in_all([](const Edition& e) {
                         return fmt::format("<a href=\"{}/index.html\">{}</a>", e.language,
                                            escaped_markup(e.catalogue->text("book.title")));
                       }) +
                       "</h1>\n";
    body += by_topic(
        [&](const ShelfTopic& topic) {
          return in_all([&](const Edition& e) { return title_in(topic, e.language); });
        },
        [&](const Lesson& one) {
          return in_all([&](const Edition& e) {
            return fmt::format("<a href=\"{}/{}.html\">{}</a>", e.language, one.name,
                               escaped_markup(one.text(e.language).title));
          });
        });
    return book_page(editions_.front().catalogue->text("book.title"), editions_.front().language, body, {});
  }

  Runs& runs_;
  const Shelf& shelf_;
  const BookOptions& options_;
  std::vector<const Lesson*> chosen_;
  std::vector<Edition> editions_;
  const Glossary glossary_ = load_glossary();
  Book book_;
};

}  // namespace

Result<Book> write_book(Runs& runs, const Shelf& shelf, const BookOptions& options) {
  std::vector<const Lesson*> chosen;
  for (const std::string& name : options.names) {
    const Lesson* found = shelf.find(name);
    if (found == nullptr) return shelf.without(name);
    chosen.push_back(found);
  }
  if (options.names.empty())
    for (const Lesson& one : shelf.lessons) chosen.push_back(&one);
  return BookWriter(runs, shelf, options, std::move(chosen)).run();
}

}  // namespace warplens::lesson
