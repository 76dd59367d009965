#include "app/lesson/glossary.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "app/lesson/complaint.h"
#include "app/model/text/toml_reader.h"
#include "engine/base/assets.h"
#include "engine/base/toml.h"

namespace warplens::lesson {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

void read_set(model::TomlReader& reader, const toml::table& table, Term& term) {
  if (const toml::table* set = reader.table(table, "set"))
    for (const auto& [slider, value] : *set) {
      const auto number = value.value_exact<std::int64_t>();
      const auto choice = value.value_exact<std::string>();
      term.set[std::string(slider.str())] = number ? std::to_string(*number) : choice.value_or("");
    }
}

// The profiler's name of the reason is the term, in every language; what it means is in the messages already.
Term read_stall(model::TomlReader& reader, const toml::table& table,
                const std::vector<Catalogue>& languages) {
  reader.only(table, {"id", "kernel", "set", "linked"});
  Term term;
  term.id = reader.text(table, "id", true);
  std::string name = term.id;
  std::replace(name.begin(), name.end(), '_', ' ');
  for (const Catalogue& in : languages) {
    const std::string plain = in.text("counter.stall." + term.id);
    term.name[in.language()] = name;
    term.plain[in.language()] = plain;
    term.text[in.language()] = in.text("counter.stall_means." + term.id);
    // The whole phrase stands for nothing else.
    term.also.push_back(plain);
  }
  term.counter = "smsp__average_warps_issue_stalled_" + term.id + "_per_issue_active.ratio";
  term.kernel = reader.text(table, "kernel", true);
  term.view = "stalls";
  read_set(reader, table, term);
  term.linked = reader.flag(table, "linked").value_or(true);
  term.id = "stall_" + term.id;
  return term;
}

Term read_term(model::TomlReader& reader, const toml::table& table) {
  reader.only(table,
              {"id", "en", "zh", "plain", "counter", "text", "kernel", "view", "set", "also", "linked"});
  Term term;
  term.id = reader.text(table, "id", true);
  for (const char* language : kLanguages) term.name[language] = reader.text(table, language, true);
  // One plain word for both, or one each.
  if (const toml::node* plain = table.get("plain"); plain != nullptr && plain->is_string())
    term.plain["en"] = term.plain["zh"] = reader.text(table, "plain", true);
  else
    term.plain = reader.languages(table, "plain", true);
  term.counter = reader.text(table, "counter", false);
  term.text = reader.languages(table, "text", true);
  term.kernel = reader.text(table, "kernel", false);
  term.view = reader.text(table, "view", false);
  read_set(reader, table, term);
  term.also = reader.texts(table, "also", false);
  term.linked = reader.flag(table, "linked").value_or(true);
  return term;
}

}  // namespace

const Term* Glossary::find(std::string_view id) const {
  const std::string wanted = lower(id);
  const auto found = std::find_if(terms.begin(), terms.end(), [&](const Term& term) {
    return lower(term.id) == wanted || std::any_of(term.name.begin(), term.name.end(), [&](const auto& name) {
             return lower(name.second) == wanted;
           });
  });
  return found == terms.end() ? nullptr : &*found;
}

namespace {

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// How much of the text from here on is this word; 0: it is not.
std::size_t named_here(std::string_view text, std::size_t at, const std::string& word) {
  if (word.empty() || text.compare(at, word.size(), word) != 0) return 0;
  if (!is_letter(word.back())) return word.size();  // Chinese has no blanks
  if (at > 0 && is_letter(text[at - 1])) return 0;
  for (const char* ending : {"", "s", "es"}) {
    const std::string_view plural(ending);
    const std::size_t end = at + word.size() + plural.size();
    if (text.compare(at + word.size(), plural.size(), plural) == 0 &&
        (end >= text.size() || !is_letter(text[end])))
      return end - at;
  }
  return 0;
}

}  // namespace

std::vector<Mention> Glossary::named_in(std::string_view text) const {
  const std::string low = lower(text);
  std::vector<std::pair<std::string, const Term*>> words;
  for (const Term& term : terms) {
    if (term.linked)
      for (const auto& [language, name] : term.name) words.emplace_back(lower(name), &term);
    for (const std::string& word : term.also) words.emplace_back(lower(word), &term);
  }
  std::vector<Mention> out;
  for (std::size_t at = 0; at < low.size();) {
    Mention best;
    for (const auto& [word, term] : words)
      if (const std::size_t length = named_here(low, at, word); length > best.length)
        best = {term, at, length};
    if (best.term != nullptr) out.push_back(best);
    at += std::max<std::size_t>(1, best.length);
  }
  return out;
}

model::SliderValues seen_at(const Term& term, const model::GalleryKernel& kernel) {
  model::SliderValues out = model::default_values(kernel);
  for (const model::Slider& slider : kernel.sliders) {
    const auto set = term.set.find(slider.name);
    if (set == term.set.end()) continue;
    const auto choice = std::find(slider.choices.begin(), slider.choices.end(), set->second);
    if (choice != slider.choices.end())
      out[slider.name] = choice - slider.choices.begin();
    else
      std::from_chars(set->second.data(), set->second.data() + set->second.size(), out[slider.name]);
  }
  return out;
}

Glossary load_glossary() {
  return load_glossary(assets_folder() / "glossary.toml");
}

Glossary load_glossary(const std::filesystem::path& file) {
  Glossary out;
  const auto table = read_toml(file);
  if (!table) {
    out.problems.push_back(table.error());
    return out;
  }
  model::TomlReader reader(file);
  for (const toml::table* term : reader.tables(*table, "term")) {
    Term read = read_term(reader, *term);
    if (out.find(read.id) != nullptr) reader.fail(term, complaint("two_terms", "term", read.id));
    out.terms.push_back(std::move(read));
  }
  std::vector<Catalogue> languages;
  for (const char* language : kLanguages)
    if (auto catalogue = Catalogue::load(language)) languages.push_back(std::move(*catalogue));
  for (const toml::table* stall : reader.tables(*table, "stall"))
    out.terms.push_back(read_stall(reader, *stall, languages));
  out.problems = reader.problems();
  return out;
}

}  // namespace warplens::lesson
