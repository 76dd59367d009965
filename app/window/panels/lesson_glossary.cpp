// The card of a term: what it is called, what it means, the profiler's name, and where it can be seen.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/lesson/glossary.h"
#include "app/model/text/in_language.h"
#include "app/window/panels/lesson_panels.h"

namespace warplens::window {
namespace {

using visual::Face;
using visual::Rect;
using visual::Role;

constexpr float kGlossaryWidth = 380, kGlossaryPad = 18;

const lesson::Glossary& glossary() {
  static const lesson::Glossary all = lesson::load_glossary();
  return all;
}

// Opens the kernel where the term is seen; the lesson keeps its page.
void show_it(const LessonUi& l, const lesson::Term& term) {
  if (!l.ui.bench.open_kernel(term.kernel)) return;
  for (const auto& [slider, value] : lesson::seen_at(term, *l.ui.bench.kernel()))
    if (l.ui.bench.value(slider) != value) l.ui.bench.set_value(slider, value);
  if (visual::find_view(term.view) != nullptr) {
    l.ui.bench.keep_views({term.view, term.view});
    l.ui.bench.settings.two_views = false;
  }
  l.session.show(LessonSession::Mode::Explore);
  l.ui.state.open_term.clear();
  l.ui.state.focused_slider.clear();
}

// A counter's name is longer than the card is wide: it goes on in the next line, behind a word of it.
std::vector<std::string_view> lines_of(Pen& pen, std::string_view counter, float width,
                                       const TextStyle& style) {
  std::vector<std::string_view> out;
  while (!counter.empty()) {
    std::size_t fits = counter.size();
    while (fits > 1 && pen.width(counter.substr(0, fits), style.size, style.face) > width) {
      const std::size_t before = counter.find_last_of("_. ", fits - 2);
      fits = before == std::string_view::npos ? 1 : before + 1;
    }
    out.push_back(counter.substr(0, fits));
    counter.remove_prefix(fits);
  }
  return out;
}

float draw_card(const LessonUi& l, Pen& pen, const lesson::Term& term, float width) {
  const std::string& language = l.ui.bench.settings.language;
  const std::string other = language == "zh" ? "en" : "zh";
  float y = kGlossaryPad;
  const std::string name = model::in_language(term.name, language),
                    also = model::in_language(term.name, other);
  const float room = width - kGlossaryPad - 50;  // before the button that closes
  const float size = pen.width(name, 22, Face::SansBold) > room ? 17 : 22;
  const float taken = pen.text({kGlossaryPad, y, 0, 28}, name, {.size = size, .face = Face::SansBold}) + 10;
  l.ui.fonts.need(also);  // of the other script only what an open card shows
  const bool beside = taken + pen.width(also, 13) <= room;
  if (also != name) {
    if (!beside) y += 28;
    pen.text({kGlossaryPad + (beside ? taken : 0), beside ? y + 4 : y, width - 2 * kGlossaryPad, 24}, also,
             {.role = Role::Dim});
    if (!beside) y -= 6;
  }
  if (icon_button(l.ui, pen, "close", Icon::Close, {width - 40, 10, 28, 28}, l.ui.say("lesson.close")))
    l.ui.state.open_term.clear();
  y += 36;
  const std::string plain = model::in_language(term.plain, language);
  if (plain != name)
    y += draw_markdown(l, pen, {kGlossaryPad, y, width - 2 * kGlossaryPad, 0}, plain, 14, Role::Dim) + 8;
  y += draw_markdown(l, pen, {kGlossaryPad, y, width - 2 * kGlossaryPad, 0},
                     model::in_language(term.text, language)) +
       12;
  if (!term.counter.empty()) {
    pen.text({kGlossaryPad, y, width - 2 * kGlossaryPad, 18}, l.ui.say("lesson.counter"),
             {.size = 11, .face = Face::SansBold, .role = Role::Dim});
    y += 18;
    const TextStyle mono{.size = 12, .face = Face::Mono};
    for (const std::string_view line : lines_of(pen, term.counter, width - 2 * kGlossaryPad, mono)) {
      pen.text({kGlossaryPad, y, width - 2 * kGlossaryPad, 18}, line, mono);
      y += 18;
    }
    y += 12;
  }
  if (!term.kernel.empty()) {
    const std::string see = l.ui.say("lesson.see_it");
    const bool clicked =
        filled_button(pen, "see", see, {kGlossaryPad, y, pen.width(see, 13, Face::SansBold) + 28, 30});
    // Enter is the one button of the card, unless somebody types.
    const bool entered = !ImGui::GetIO().WantTextInput &&
                         (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Enter), false) ||
                          ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_KeyPadEnter), false));
    if (clicked || entered) show_it(l, term);
    y += 42;
  }
  return y + 6;
}

}  // namespace

bool term_link(const Ui& ui, Pen& pen, const Rect& box, std::string_view text, const TextStyle& style,
               bool clicked) {
  const visual::Point mouse = pen.from(ImGui::GetIO().MousePos);
  if (!box.contains(mouse)) return false;
  const float width = pen.width(text, style.size, style.face);
  const float left = style.align == visual::Align::Left     ? box.x
                     : style.align == visual::Align::Centre ? box.x + (box.width - width) / 2
                                                            : box.right() - width;
  for (const lesson::Mention& mention : glossary().named_in(text)) {
    const float begin = left + pen.width(text.substr(0, mention.begin), style.size, style.face);
    const float end = begin + pen.width(text.substr(mention.begin, mention.length), style.size, style.face);
    if (mouse.x < begin || mouse.x >= end) continue;
    const float under = box.y + box.height / 2 + style.size * 0.5f + 1;
    pen.line({begin, under}, {end, under}, Role::Accent, 1, 0.8f);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (clicked) ui.state.open_term = mention.term->id;
    return true;
  }
  return false;
}

void need_glossary(Fonts& fonts, const std::string& language) {
  for (const lesson::Term& term : glossary().terms)
    for (const auto* texts : {&term.name, &term.plain, &term.text})
      fonts.need(model::in_language(*texts, language));
}

void draw_term(const LessonUi& l) {
  // Another page than the one that it was opened on has other things to show in its place.
  if (std::exchange(l.state.visit_of_term, l.session.visit()) != l.session.visit())
    l.ui.state.open_term.clear();
  if (l.ui.state.open_term.empty()) return;
  const lesson::Term* term = glossary().find(l.ui.state.open_term);
  if (term == nullptr) {
    l.ui.state.open_term.clear();
    return;
  }
  const float s = l.ui.scale();
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const Rect& page = l.ui.layout.bench;
  const float width = std::min(kGlossaryWidth, screen.x / s - 20);
  const float height = std::max(160.0f, l.state.term_height);
  const float x = std::min(page.right() + 8, screen.x / s - width - 8);
  ImGui::SetNextWindowPos({x * s, (kTopBarHeight + 12) * s});
  ImGui::SetNextWindowSize({width * s, height * s});
  ImGui::Begin("###term", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground);
  Pen pen(l.ui.fonts, l.ui.theme, *ImGui::GetWindowDrawList(), {x * s, (kTopBarHeight + 12) * s});
  pen.fill({0, 0, width, height}, Role::Panel, 10);
  pen.frame({0, 0, width, height}, Role::Accent, 10);
  l.state.term_height = draw_card(l, pen, *term, width);
  l.state.term_bottom = kTopBarHeight + 12 + l.state.term_height;
  l.state.term_written = std::all_of(term->name.begin(), term->name.end(),
                                     [&](const auto& name) { return l.ui.fonts.has(name.second); });
  ImGui::End();
}

}  // namespace warplens::window
