#include "app/lesson/book_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "app/lesson/boards.h"
#include "app/lesson/book_code.h"
#include "app/lesson/book_picture.h"
#include "app/lesson/glossary.h"
#include "app/lesson/grade.h"
#include "app/lesson/markdown.h"
#include "app/lesson/titled.h"
#include "app/model/gallery/slider_values.h"
#include "app/model/picture/embedded_picture.h"
#include "app/model/picture/picture.h"
#include "app/model/picture/recorded_views.h"
#include "app/model/text/comments.h"
#include "app/model/text/in_language.h"
#include "engine/base/assets.h"
#include "engine/base/markup.h"
#include "engine/base/typography.h"
#include "visual/export.h"
#include "visual/guess_board.h"

namespace warplens::lesson {
namespace {

class PageWriter {
 public:
  PageWriter(const PageMaking& making, const Lesson& lesson)
      : runs_(making.runs),
        lesson_(lesson),
        language_(making.language),
        catalogue_(making.catalogue),
        pictures_(making.pictures),
        glossary_(making.glossary),
        book_(making.book),
        words_(lesson.text(making.language)) {}

  std::string run() {
    std::string out = fmt::format("<h1>{}</h1>\n", escaped_markup(words_.title));
    out += text(nullptr, false, words_.body, "lead");
    if (lesson_.kind == Kind::Lesson)
      for (const Step& step : lesson_.steps) out += step_html(step);
    if (lesson_.kind == Kind::Challenge) out += challenge_html();
    if (lesson_.kind == Kind::Claim) out += claim_html();
    // Of a claim and of a challenge it is the answer.
    if (lesson_.kind == Kind::Lesson) out += section_html("remember", "lesson.remember");
    out += folded_html("teacher", "lesson.teacher", teachers_text(lesson_, language_));
    out += section_html("sources", "book.sources");
    return out;
  }

  // Every term: what it is called, in the other language too, what it means, and, with pictures, where it is
  // seen.
  std::string glossary(bool with_pictures) {
    std::string out = fmt::format("<h1>{}</h1>\n", say("book.glossary"));
    std::map<std::pair<std::string, std::string>, const Term*> drawn;
    for (const Term& term : glossary_.terms) {
      out += fmt::format("<article id=\"{}\"><h2>{}", term.id, escaped_markup(term.name.at(language_)));
      for (const auto& [other, name] : term.name)
        if (other != language_ && name != term.name.at(language_))
          out += fmt::format(" <small lang=\"{}\">{}</small>", other, escaped_markup(name));
      out += "</h2>\n";
      for (const auto* texts : {&term.plain, &term.text})
        if (const std::string own = model::in_language(*texts, language_);
            !own.empty() && own != term.name.at(language_))
          out += markdown_html(own, &glossary_);
      if (!term.counter.empty())
        out += fmt::format(
            "<p class=\"state\">{}</p>\n",
            titled(say("lesson.counter"), "<code>" + escaped_markup(term.counter) + "</code>", language_));
      if (const model::GalleryKernel* kernel = runs_.gallery().find(term.kernel);
          kernel != nullptr && with_pictures) {
        // Terms that are seen in one picture share it.
        const State at{kernel->id, seen_at(term, *kernel), term.view == "faults"};
        const auto [seen, first] = drawn.emplace(std::pair(state_text(*kernel, at), term.view), &term);
        out += first ? fmt::format("<details><summary>{}</summary>{}</details>\n", say("lesson.see_it"),
                                   state_html(at, {term.view}))
                     : fmt::format("<p><a href=\"#{}\">{}</a></p>\n", seen->second->id,
                                   titled(say("lesson.see_it"),
                                          escaped_markup(seen->second->name.at(language_)), language_));
      }
      out += "</article>\n";
    }
    return out;
  }

 private:
  std::string say(std::string_view key) const { return escaped_markup(catalogue_.text(key)); }

  std::string text(const Step* step, bool revealed, const std::string& markdown, const char* css = "") {
    if (markdown.empty()) return {};
    return fmt::format(
        "<div class=\"{}\">{}</div>\n", css,
        markdown_html(filled_text(runs_, lesson_, step, revealed, markdown, &timed_), &glossary_));
  }
  // Under what quoted times since the last one.
  std::string timed_html() {
    const auto note = timed_note(runs_.recording(), std::exchange(timed_, {}), language_);
    return note ? fmt::format("<p class=\"state\">{}</p>\n", escaped_markup(catalogue_.text(*note)))
                : std::string();
  }
  std::string part(const Step& step, const std::string& kind, const std::string& name, const char* css = "") {
    const Section* section = words_.section(step.id);
    const Part* found = section == nullptr ? nullptr : section->part(kind, name);
    const bool before = kind == "ask" || kind == "choose" || kind == "note";
    return found == nullptr ? std::string() : text(&step, !before, found->body, css);
  }

  std::string section_html(const std::string& id, const char* key) {
    const Section* section = words_.section(id);
    if (section == nullptr || section->body.empty()) return {};
    return fmt::format("<h2>{}</h2>{}\n", say(key),
                       text(nullptr, false, section->body, id.c_str()) + timed_html());
  }
  std::string folded_html(const char* css, const char* key, const std::string& markdown) {
    if (markdown.empty()) return {};
    return fmt::format("<details><summary>{}</summary>{}</details>\n", say(key),
                       text(nullptr, false, markdown, css) + timed_html());
  }

  // ---- pictures ----
  // In a box of its own: on a narrow screen it scrolls in there rather than to be too small to read.
  // What a page has shown already is not drawn again: the step before often stands where this one begins.
  std::string picture(const visual::Scene& scene) {
    auto html = model::embedded_picture(scene, visual::Theme::light());
    if (!html) {
      problem(html.error());
      return {};
    }
    const auto [seen, first] = drawn_.emplace(std::hash<std::string>{}(*html), drawn_.size() + 1);
    if (!first)
      return fmt::format("<p class=\"state\"><a href=\"#picture-{}\">{}</a></p>\n", seen->second,
                         say("book.same_picture"));
    ++book_.pictures;
    return fmt::format("<div class=\"picture\" id=\"picture-{}\">{}</div>\n", seen->second, *html);
  }
  void problem(const Error& error) const {
    Error of_lesson = told(
        error.kind,
        {"lesson.of", {{"lesson", warplens::value_of(lesson_.name)}, {"why", warplens::value_of(error)}}},
        error.place);
    of_lesson.notes = error.notes;
    book_.problems.push_back(std::move(of_lesson));
  }

  std::string state_html(const State& state, const std::vector<std::string>& views,
                         const std::optional<At>& at = {}, const std::string& over = {},
                         const State* before = nullptr) {
    const auto subject = subject_of(lesson_, runs_.gallery(), state);
    const auto facts = subject ? runs_.facts(standing(*subject, at)) : Result<Facts>(subject.error());
    if (!facts) {
      problem(facts.error());
      return {};
    }
    // What is seen stands over the first picture, on paper too.
    std::string above = fmt::format("<p class=\"state\">{}</p>\n",
                                    escaped_markup(state_text(*subject->kernel, state, before)));
    std::string out;
    for (const std::string& view : views) {
      model::PictureOptions options;
      options.view = view;
      if (at)
        if (const auto stands = find_step(facts->run->trace, *at, view)) options.step = *stands;
      const visual::View* const drawn = visual::find_view(view);
      if (drawn != nullptr && runs_.recording() != nullptr)
        if (const auto source = read_text(subject->kernel->file)) {
          options.recorded = model::recorded_for(*drawn, *runs_.recording(), *subject->kernel, *source,
                                                 state.values, &facts->run->report, catalogue_, {}, over);
          // A point under a roof is of the picture's own size: the time of a launch so small would be mostly
          // launch, and is left out.
          if (drawn->of_own_size && model::timed_values(*runs_.recording(), *subject->kernel, *source,
                                                        state.values) != state.values)
            options.recorded.time.reset();
        }
      const auto scene = whole_picture(pictures_, *facts->run, options);
      if (!scene)
        problem(scene.error());
      else if (above.empty())
        out += picture(*scene);
      else
        out += fmt::format("<div class=\"shown\">{}{}</div>\n", std::exchange(above, {}), picture(*scene));
    }
    return above + out;
  }

  // "Strided copy: stride 2, elements 65536": what differs from the defaults, or from what was seen before.
  std::string state_text(const model::GalleryKernel& kernel, const State& state,
                         const State* before = nullptr) const {
    const std::string otherwise = lesson_.own_kernel(kernel.id) == nullptr ? kernel.id : words_.title;
    const std::string name = model::in_language(kernel.title, language_, otherwise);
    std::vector<std::string> stands;
    for (const model::Slider& slider : kernel.sliders) {
      const auto value = state.values.find(slider.name);
      if (value == state.values.end()) continue;
      const bool moved = before != nullptr && before->values.contains(slider.name) &&
                         before->values.at(slider.name) != value->second;
      if (value->second == slider.value && !moved) continue;
      stands.push_back(fmt::format("{} {}", model::title_of(slider, language_),
                                   model::value_name(slider, value->second, language_)));
    }
    return stands.empty() ? name : titled(name, listed(stands, language_), language_);
  }

  // An empty board to think over, or the filled one.
  std::string board(const Step& step, const Answer& answer, bool told) {
    const Predict& predict = *step.predict;
    visual::ViewContext context{kPicture, catalogue_, visual::cairo_text_measure()};
    // On paper nobody has guessed: what is right is laid out alone.
    const Guess guess = told && predict.kind == PredictKind::Paint ? right_guess(answer) : Guess{};
    const BoardText text{catalogue_, language_, runs_.recording()};
    if (predict.kind == PredictKind::Paint) {
      // As high as its rows need: a line of four sectors each, or all 32 banks or lanes.
      const std::size_t rows = predict.of == Painted::Sectors ? answer.paint.offered.size() / 4 : 2;
      context.size.height = std::min(kPicture.height, 160 + 58 * static_cast<float>(rows));
      visual::PaintBoard board = paint_board_of(predict, answer, guess, told);
      if (predict.of == Painted::Sectors) name_rows(board, predict.then);
      return picture(visual::paint_board(context, board));
    }
    if (predict.kind == PredictKind::Order) {
      std::vector<std::string> names;
      for (const std::string& option : predict.options) names.push_back(choice_text(step, option));
      context.size.height = std::min(kPicture.height, 150 + 64 * static_cast<float>(names.size()));
      return picture(
          visual::order_board(context, order_board_of(predict, names, answer, guess, told, text)).scene);
    }
    const model::GalleryKernel* kernel = kernel_of(lesson_, runs_.gallery(), step.state);
    const auto board = curve_board_of(predict, kernel, answer, guess, told, text);
    return picture(visual::curve_board(context, board).scene);
  }

  // Each 128-byte line by the element that it begins with, as in the window.
  void name_rows(visual::PaintBoard& board, const State& state) {
    const auto subject = subject_of(lesson_, runs_.gallery(), state);
    if (!subject) return;
    if (const auto facts = runs_.facts(*subject)) name_lines(board, facts->run->trace);
  }

  std::string choice_text(const Step& step, const std::string& option) {
    const Section* section = words_.section(step.id);
    const Part* part = section == nullptr ? nullptr : section->part("choose", option);
    return part == nullptr ? option : filled_text(runs_, lesson_, &step, false, part->body);
  }

  // ---- steps ----
  std::string answer_line(const Step& step, const Answer& answer) {
    std::string out;
    const auto choice = [&](const std::string& option) { return part(step, "choose", option); };
    switch (step.predict->kind) {
      case PredictKind::Number:
        out = fmt::format("<p class=\"number\">{}</p>", number_text(answer.number));
        break;
      case PredictKind::Choice:
        out = choice(answer.option);
        break;
      default:
        break;
    }
    return out;
  }

  std::string question_html(const Step& step) {
    const Predict& predict = *step.predict;
    const auto answer = answer_of(runs_, lesson_, step);
    std::string out = fmt::format("<section class=\"ask\"><h3>{}</h3>", say("lesson.predict"));
    const bool drawn = has_board(predict.kind);
    if (!answer) problem(answer.error());
    // The options of an order are listed below. On paper an empty board stands beside its question.
    if (answer && drawn && predict.kind != PredictKind::Order)
      out += "<div class=\"asked\">" + part(step, "ask", "") + board(step, *answer, false) + "</div>\n";
    else
      out += part(step, "ask", "");
    if (predict.kind == PredictKind::Choice || predict.kind == PredictKind::Order) {
      out += "<ul class=\"options\">";
      for (const std::string& option : predict.options)
        out += "<li>" + part(step, "choose", option) + "</li>";
      out += "</ul>";
    }
    out += fmt::format("<details><summary>{}</summary>", say("lesson.reveal"));
    if (answer) out += answer_line(step, *answer);
    if (answer && drawn) out += board(step, *answer, true);
    if (const auto curve = timed_curve(lesson_, runs_.gallery(), step)) timed_.push_back(*curve);
    out += part(step, "reveal", "");
    out += code_html(predict.then) +
           state_html(predict.then, predict.views, predict.then_at, step.over, &step.state);
    return out + wrong_html(step) + "</details></section>\n";
  }

  // What is said to each wrong guess; nobody knows which was the reader's.
  std::string wrong_html(const Step& step) {
    const Section* section = words_.section(step.id);
    std::string out;
    if (section == nullptr) return out;
    for (const Part& one : section->parts) {
      if (one.kind != "wrong") continue;
      std::string guess = part(step, "choose", one.name);
      if (guess.empty()) guess = one.name.empty() ? say("lesson.was_wrong") : escaped_markup(one.name);
      out += fmt::format("<div class=\"wrong\"><div class=\"guess\">{}</div>{}</div>\n", guess,
                         text(&step, true, one.body));
    }
    return out;
  }

  std::string why_html(const Step& step) {
    std::string out = fmt::format("<section class=\"ask\"><h3>{}</h3>{}<ul class=\"options\">",
                                  say("lesson.why"), part(step, "why", ""));
    for (const std::string& option : step.why->options) {
      out += fmt::format("<li>{}<details><summary>{}</summary><div class=\"{}\">{}</div></details></li>",
                         part(step, "option", option), say("book.is_it"),
                         option == step.why->right ? "right" : "wrong", part(step, "answer", option));
    }
    return out + "</ul></section>\n";
  }

  std::string step_html(const Step& step) {
    const Section* section = words_.section(step.id);
    if (section == nullptr) return {};
    // A heading and what it is about stay on one sheet of paper.
    std::string out = fmt::format("<article><div class=\"opening\"><h2>{}</h2>\n{}</div>\n",
                                  escaped_markup(section->title), text(&step, false, section->body));
    // A plot of times goes through all values of a slider, that of the reveal among them.
    std::vector<std::string> views = step.views;
    if (step.predict)
      std::erase_if(views,
                    [](const std::string& id) { return visual::is_view_of(id, visual::Basis::Curve); });
    if (!views.empty() && !(step.predict && step.predict->covers()))
      out += state_html(step.state, views, step.at, step.over);
    out += code_html(step.state);
    if (step.predict) out += question_html(step);
    if (step.why) out += why_html(step);
    if (!step.goal.empty())
      out += fmt::format("<section class=\"try\"><h3>{}</h3>{}</section>\n", say("lesson.try"),
                         part(step, "goal", ""));
    return out + timed_html() + "</article>\n";
  }

  // A kernel's text stands once, where it is first spoken of: of a long file what this launch runs, with the
  // whole of it folded behind.
  std::string code_html(const State& state) {
    const model::GalleryKernel* kernel = kernel_of(lesson_, runs_.gallery(), state);
    if (kernel == nullptr) return {};
    const auto source = read_text(kernel->file);
    if (!source) return {};
    std::string text = model::comments_in(language_, *source, kernel->file);
    // What the gallery says of a kernel is what its lesson asks for.
    if (lesson_.kind == Kind::Lesson && lesson_.own_kernel(kernel->id) == nullptr)
      while ((text.starts_with("//") || text.starts_with("\n")) && text.find('\n') + 1 < text.size())
        text.erase(0, text.find('\n') + 1);
    const auto values = model::default_values(*kernel);
    const auto launch = model::launch_of(*kernel, state.values.empty() ? values : state.values);
    const std::string part = launch ? code_of(text, launch->launch.kernel) : text;
    const auto html = [](const std::string& code) {
      return fmt::format("<pre><code>{}</code></pre>\n", escaped_markup(code));
    };
    std::string out;
    if (shown_.insert(kernel->id + '\n' + part).second) out = html(part);
    if (part.size() < text.size() && shown_.insert(kernel->id).second)
      out += fmt::format(
          "<details class=\"whole\"><summary>{}</summary>{}</details>\n",
          escaped_markup(catalogue_.text({"book.whole_file",
                                          {{"file", warplens::value_of(kernel->file.filename().string())},
                                           {"lines", std::count(text.begin(), text.end(), '\n')}}})),
          html(text));
    return out;
  }

  std::string challenge_html() {
    std::string out = code_html({lesson_.kernels.front().id, {}});
    out += fmt::format("<section class=\"try\"><h3>{}</h3><ul>", say("lesson.goals"));
    for (const Goal& goal : lesson_.goals) {
      out +=
          "<li>" + markdown_html(model::in_language(goal.text, language_, goal.value), &glossary_) + "</li>";
    }
    out += "</ul></section>\n";
    for (int i = 1; i <= 3; ++i)
      if (const Section* hint = words_.section(fmt::format("hint {}", i)))
        out += fmt::format("<details><summary>{}</summary>{}</details>\n",
                           escaped_markup(catalogue_.text({"book.hint", {{"number", std::int64_t{i}}}})),
                           text(nullptr, false, hint->body));
    if (!lesson_.reference) return out;
    const Section* solution = words_.section("solution");
    return out + fmt::format("<details><summary>{}</summary>{}{}{}</details>\n", say("lesson.reference"),
                             code_html({lesson_.reference->id, {}}),
                             solution == nullptr ? "" : text(nullptr, true, solution->body),
                             section_html("remember", "lesson.remember"));
  }

  std::string claim_html() {
    const auto judged = judge_claim(runs_, lesson_);
    if (!judged) {
      problem(judged.error());
      return {};
    }
    const std::string verdict(name(judged->verdict));
    std::string out = fmt::format("<details><summary>{}</summary><p class=\"number\">{}</p><table>",
                                  say("book.verdict"), say("lesson.claim_" + verdict));
    for (std::size_t i = 0; i < judged->evidence.size(); ++i) {
      const std::string* label = show_label(words_, i + 1);
      out +=
          fmt::format("<tr><td class=\"number\">{}</td><td>{}</td></tr>", judged->evidence[i].shown,
                      markdown_html(label == nullptr ? judged->evidence[i].expression : *label, &glossary_));
    }
    out += "</table>";
    if (const Section* section = words_.section(verdict)) out += text(nullptr, false, section->body);
    // Comments of a kernel may tell what it shows.
    out += timed_html() + code_html(lesson_.claim.then) +
           state_html(lesson_.claim.then, lesson_.claim.views, lesson_.claim.at) +
           section_html("remember", "lesson.remember");
    return out + "</details>\n";
  }

  Runs& runs_;
  const Lesson& lesson_;
  const std::string& language_;
  const Catalogue& catalogue_;
  const model::Pictures& pictures_;
  const Glossary& glossary_;
  Book& book_;
  const Words& words_;
  std::set<std::string> shown_;               // texts of kernels
  std::map<std::size_t, std::size_t> drawn_;  // what was drawn -> its number on the page
  std::vector<Subject> timed_;
};

}  // namespace

std::string lesson_html(const PageMaking& making, const Lesson& lesson) {
  return PageWriter(making, lesson).run();
}

std::string glossary_html(const PageMaking& making, bool with_pictures) {
  const Lesson none;
  return PageWriter(making, none).glossary(with_pictures);
}

}  // namespace warplens::lesson
