#include "app/model/gallery.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "app/model/expression.h"
#include "engine/base/assets.h"
#include "engine/base/toml.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;

// Collects the first thing that is wrong with a file; reading goes on with defaults, and the file is left
// out.
class Reader {
 public:
  explicit Reader(fs::path file) : file_(std::move(file)) {}

  void fail(const toml::node* node, const std::string& what) {
    if (problem_) return;
    Error error{ErrorKind::Usage, what, {file_.string(), 0, 0}, {}};
    if (node != nullptr) error.place.line = static_cast<int>(node->source().begin.line);
    problem_ = std::move(error);
  }
  const std::optional<Error>& problem() const { return problem_; }

  std::string text(const toml::table& table, std::string_view key, bool required) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (required) fail(&table, "'" + std::string(key) + "' is missing");
      return {};
    }
    if (const auto value = node->value<std::string>()) return *value;
    fail(node, "'" + std::string(key) + "' must be a text");
    return {};
  }
  std::vector<std::string> texts(const toml::table& table, std::string_view key, bool required) {
    std::vector<std::string> result;
    const toml::node* node = table.get(key);
    if (node == nullptr && required) fail(&table, "'" + std::string(key) + "' is missing");
    if (node == nullptr) return result;
    const toml::array* array = node->as_array();
    if (array == nullptr) fail(node, "'" + std::string(key) + "' must be a list");
    if (array == nullptr) return result;
    for (const toml::node& item : *array) {
      if (const auto value = item.value<std::string>())
        result.push_back(*value);
      else
        fail(&item, "'" + std::string(key) + "' must hold texts only");
    }
    return result;
  }
  // { en = "...", zh = "..." }
  std::map<std::string, std::string> languages(const toml::table& table, std::string_view key,
                                               bool required) {
    std::map<std::string, std::string> result;
    const toml::node* node = table.get(key);
    if (node == nullptr && required) fail(&table, "'" + std::string(key) + "' is missing");
    if (node == nullptr) return result;
    const toml::table* entries = node->as_table();
    if (entries == nullptr) fail(node, "'" + std::string(key) + "' must be { en = \"...\", zh = \"...\" }");
    if (entries == nullptr) return result;
    for (const auto& [language, value] : *entries)
      if (const auto content = value.value<std::string>()) result[std::string(language.str())] = *content;
    for (const char* language : {"en", "zh"})
      if (!result.contains(language))
        fail(node, "'" + std::string(key) + "' has no text in '" + language + "'");
    return result;
  }
  std::optional<std::int64_t> integer(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (const auto value = node->value_exact<std::int64_t>()) return *value;
    fail(node, "'" + std::string(key) + "' must be a whole number");
    return std::nullopt;
  }

 private:
  fs::path file_;
  std::optional<Error> problem_;
};

bool is_power_of_two(std::int64_t v) {
  return v > 0 && (v & (v - 1)) == 0;
}

// names = { en = [...], zh = [...] }: one for each choice.
void read_names(Reader& reader, const toml::table& table, Slider& slider) {
  const toml::node* node = table.get("names");
  if (node == nullptr) return;
  const toml::table* languages = node->as_table();
  if (languages == nullptr) return reader.fail(node, "'names' must be { en = [...], zh = [...] }");
  for (const char* language : {"en", "zh"}) {
    slider.names[language] = reader.texts(*languages, language, true);
    if (slider.names[language].size() != slider.choices.size())
      reader.fail(node, std::string("'names' must have one text in '") + language + "' for each choice");
  }
}

void read_choices(Reader& reader, const toml::table& table, Slider& slider) {
  slider.choices = reader.texts(table, "choices", false);
  read_names(reader, table, slider);
  slider.max = static_cast<std::int64_t>(slider.choices.size()) - 1;
  // The value may be written as the choice's name.
  if (const auto named = table["value"].value_exact<std::string>()) {
    const auto found = std::find(slider.choices.begin(), slider.choices.end(), *named);
    if (found == slider.choices.end())
      reader.fail(table.get("value"), "'" + *named + "' is not one of the choices");
    slider.value = found - slider.choices.begin();
  } else {
    slider.value = reader.integer(table, "value").value_or(0);
  }
}

void read_numbers(Reader& reader, const toml::table& table, Slider& slider) {
  if (const toml::array* values = table["values"].as_array()) {
    for (const toml::node& item : *values) {
      if (const auto value = item.value_exact<std::int64_t>())
        slider.values.push_back(*value);
      else
        reader.fail(&item, "'values' must hold whole numbers");
    }
    if (slider.values.empty()) slider.values = {0};
    std::sort(slider.values.begin(), slider.values.end());
  }
  const auto lowest = reader.integer(table, "min"), highest = reader.integer(table, "max");
  if (slider.values.empty() && (!lowest || !highest))
    reader.fail(&table, "slider '" + slider.name + "' needs min and max, or values, or choices");
  slider.min = slider.values.empty() ? lowest.value_or(0) : slider.values.front();
  slider.max = slider.values.empty() ? highest.value_or(0) : slider.values.back();
  slider.value = reader.integer(table, "value").value_or(slider.min);
  const std::string scale = reader.text(table, "scale", false);
  slider.powers_of_two = scale == "pow2";
  if (!scale.empty() && scale != "pow2" && scale != "linear")
    reader.fail(table.get("scale"), "'scale' must be \"linear\" or \"pow2\"");
}

Slider read_slider(Reader& reader, const toml::table& table) {
  Slider slider;
  slider.name = reader.text(table, "name", true);
  slider.title = reader.languages(table, "title", true);
  slider.hint = reader.languages(table, "hint", false);
  slider.reason = reader.languages(table, "reason", false);
  if (table.contains("choices"))
    read_choices(reader, table, slider);
  else
    read_numbers(reader, table, slider);
  if (slider.min > slider.max || slider.value < slider.min || slider.value > slider.max)
    reader.fail(&table, "slider '" + slider.name + "': the value must lie between min and max");
  if (slider.powers_of_two &&
      (!is_power_of_two(slider.min) || !is_power_of_two(slider.max) || !is_power_of_two(slider.value)))
    reader.fail(&table, "slider '" + slider.name + "': a pow2 slider needs powers of two");
  if (!slider.values.empty() &&
      std::find(slider.values.begin(), slider.values.end(), slider.value) == slider.values.end())
    reader.fail(&table, "slider '" + slider.name + "': the value is not one of its values");
  return slider;
}

void check_extents(Reader& reader, const toml::table& table, const char* key,
                   const std::vector<std::string>& list) {
  if (list.empty() || list.size() > 3)
    reader.fail(table.get(key), std::string("'") + key + "' takes one to three expressions");
}

// How the kernel is timed: `measure`, `l2` and `reason`.
void read_measuring(Reader& reader, const toml::table& table, GalleryKernel& kernel) {
  kernel.reason = reader.languages(table, "reason", false);
  const std::string l2 = reader.text(table, "l2", false);
  if (!l2.empty() && l2 != "warm" && l2 != "flushed")
    reader.fail(table.get("l2"), "'l2' must be \"warm\" or \"flushed\"");
  kernel.measure_flushed = l2 == "flushed";
  const toml::node* node = table.get("measure");
  if (node == nullptr) return;
  const toml::table* values = node->as_table();
  if (values == nullptr) return reader.fail(node, "'measure' must be { SLIDER = NUMBER, ... }");
  for (const auto& [name, value] : *values) {
    const std::string slider(name.str());
    const auto found = std::find_if(kernel.sliders.begin(), kernel.sliders.end(),
                                    [&](const Slider& s) { return s.name == slider; });
    const auto number = value.value_exact<std::int64_t>();
    if (found == kernel.sliders.end() || !found->choices.empty())
      reader.fail(&value, "'measure' names '" + slider + "', which is no slider with numbers");
    else if (!number || *number < found->min)
      reader.fail(&value, "'measure': " + slider + " must be a whole number, not below the slider's min");
    else
      kernel.measure[slider] = *number;
  }
}

Result<GalleryKernel> read_kernel(const fs::path& file) {
  Reader reader(file);
  const Result<toml::table> parsed = read_toml(file);
  if (!parsed) return parsed.error();
  const toml::table& table = *parsed;
  GalleryKernel kernel;
  kernel.id = file.stem().string();
  kernel.topic = file.parent_path().filename().string();
  kernel.file = fs::path(file).replace_extension(".cu");
  kernel.title = reader.languages(table, "title", true);
  kernel.summary = reader.languages(table, "summary", true);
  kernel.catalogue = reader.texts(table, "catalogue", false);
  kernel.kind = reader.text(table, "kind", false);
  if (!kernel.kind.empty() && kernel.kind != "transfers" && kernel.kind != "streams")
    reader.fail(table.get("kind"), "'kind' must be \"transfers\" or \"streams\"");
  kernel.kernel = reader.text(table, "kernel", true);
  kernel.grid = reader.texts(table, "grid", true);
  kernel.block = reader.texts(table, "block", true);
  check_extents(reader, table, "grid", kernel.grid);
  check_extents(reader, table, "block", kernel.block);
  if (table.contains("shared")) kernel.shared = reader.text(table, "shared", true);
  kernel.arguments = reader.texts(table, "args", true);
  kernel.views = reader.texts(table, "views", false);
  if (const toml::table* defines = table["defines"].as_table())
    for (const auto& [key, value] : *defines)
      kernel.defines.emplace_back(std::string(key.str()), value.value<std::string>().value_or(""));
  if (const toml::array* outputs = table["outputs"].as_array())
    for (const toml::node& item : *outputs)
      kernel.outputs.push_back(static_cast<int>(item.value<std::int64_t>().value_or(-1)));
  if (const toml::array* sliders = table["slider"].as_array())
    for (const toml::node& item : *sliders)
      if (item.is_table()) kernel.sliders.push_back(read_slider(reader, *item.as_table()));
  read_measuring(reader, table, kernel);

  std::set<std::string> names;
  for (const Slider& slider : kernel.sliders)
    if (!names.insert(slider.name).second)
      reader.fail(&table, "two sliders are called '" + slider.name + "'");
  for (const int output : kernel.outputs)
    if (output < 0 || output >= static_cast<int>(kernel.arguments.size()))
      reader.fail(table.get("outputs"), "'outputs' names an argument that is not there");
  std::error_code ignored;
  if (!fs::is_regular_file(kernel.file, ignored)) reader.fail(nullptr, "there is no " + kernel.file.string());
  if (reader.problem()) return *reader.problem();
  // What the first picture needs must work; every other setting is checked when it is chosen.
  for (const SliderValues& values : {default_values(kernel), measured_values(kernel, default_values(kernel))})
    if (auto bound = launch_of(kernel, values); !bound) return bound.error();
  return kernel;
}

// topics.toml:  [[topic]] id = "...", title = {...}, kernels = ["...", ...]
Result<std::vector<Topic>> read_topics(const fs::path& file) {
  Reader reader(file);
  std::vector<Topic> topics;
  const Result<toml::table> table = read_toml(file);
  if (!table) return table.error();
  if (const toml::array* list = (*table)["topic"].as_array())
    for (const toml::node& item : *list)
      if (const toml::table* entry = item.as_table())
        topics.push_back({reader.text(*entry, "id", true), reader.languages(*entry, "title", true),
                          reader.texts(*entry, "kernels", true)});
  if (reader.problem()) return *reader.problem();
  return topics;
}

// Kernels and topics that topics.toml does not name are not lost: they come last.
void add_unnamed(Gallery& gallery) {
  for (const GalleryKernel& kernel : gallery.kernels) {
    auto topic = std::find_if(gallery.topics.begin(), gallery.topics.end(),
                              [&](const Topic& t) { return t.id == kernel.topic; });
    if (topic == gallery.topics.end()) {
      gallery.topics.push_back({kernel.topic, {{"en", kernel.topic}, {"zh", kernel.topic}}, {}});
      topic = gallery.topics.end() - 1;
    }
    if (std::find(topic->kernels.begin(), topic->kernels.end(), kernel.id) == topic->kernels.end())
      topic->kernels.push_back(kernel.id);
  }
}

void drop_missing(Gallery& gallery, const fs::path& file) {
  for (Topic& topic : gallery.topics)
    std::erase_if(topic.kernels, [&](const std::string& id) {
      if (gallery.find(id) != nullptr) return false;
      const bool reported = std::any_of(gallery.problems.begin(), gallery.problems.end(),
                                        [&](const Error& e) { return fs::path(e.place.file).stem() == id; });
      if (!reported)
        gallery.problems.push_back({ErrorKind::Usage,
                                    "topic '" + topic.id + "' names '" + id + "', which is not there",
                                    {file.string(), 0, 0},
                                    {}});
      return true;
    });
}

// "{variant}" of a choice slider is the choice's name; every other {expression} a number.
Result<std::string> interpolate_names(const GalleryKernel& kernel, std::string text,
                                      const SliderValues& values) {
  for (const Slider& slider : kernel.sliders) {
    if (slider.choices.empty()) continue;
    const std::string placeholder = "{" + slider.name + "}";
    const auto index = static_cast<std::size_t>(values.at(slider.name));
    for (std::size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder, at)) {
      text.replace(at, placeholder.size(), slider.choices[index]);
      at += slider.choices[index].size();
    }
  }
  return interpolate(text, values);
}

Result<Dim3> extents(const std::vector<std::string>& expressions, const SliderValues& values) {
  std::array<std::uint32_t, 3> e{1, 1, 1};
  for (std::size_t i = 0; i < expressions.size() && i < 3; ++i) {
    const auto value = evaluate(expressions[i], values);
    if (!value) return value.error();
    if (*value < 1 || *value > std::numeric_limits<std::int32_t>::max())
      return Error{ErrorKind::Usage,
                   "'" + expressions[i] + "' is " + std::to_string(*value) + ", which is no size",
                   {},
                   {}};
    e[i] = static_cast<std::uint32_t>(*value);
  }
  return Dim3{e[0], e[1], e[2]};
}

Result<SliderValues> complete(const GalleryKernel& kernel, const SliderValues& given) {
  SliderValues values = default_values(kernel);
  for (const auto& [name, value] : given) {
    const auto slider = std::find_if(kernel.sliders.begin(), kernel.sliders.end(),
                                     [&name = name](const Slider& s) { return s.name == name; });
    if (slider == kernel.sliders.end())
      return Error{ErrorKind::Usage, "'" + name + "' is not a slider of " + kernel.id, {}, {}};
    const auto measured = kernel.measure.find(name);
    const std::int64_t most =
        measured == kernel.measure.end() ? slider->max : std::max(slider->max, measured->second);
    if (value < slider->min || value > most)
      return Error{ErrorKind::Usage,
                   "slider '" + name + "' goes from " + std::to_string(slider->min) + " to " +
                       std::to_string(most) + ", not to " + std::to_string(value),
                   {},
                   {}};
    values[name] = value;
  }
  return values;
}

Result<BoundLaunch> bind_complete(const GalleryKernel& kernel, const SliderValues& values) {
  BoundLaunch bound;
  auto entry = interpolate_names(kernel, kernel.kernel, values);
  if (!entry) return entry.error();
  bound.launch.kernel = std::move(*entry);
  const auto grid = extents(kernel.grid, values), block = extents(kernel.block, values);
  if (!grid) return grid.error();
  if (!block) return block.error();
  bound.launch.grid = *grid;
  bound.launch.block = *block;
  const auto shared = evaluate(kernel.shared, values);
  if (!shared) return shared.error();
  if (*shared < 0 || *shared > (1 << 20))
    return Error{ErrorKind::Usage, "'" + kernel.shared + "' is no number of shared bytes", {}, {}};
  bound.launch.dynamic_shared_bytes = static_cast<std::uint32_t>(*shared);
  for (const std::string& argument : kernel.arguments) {
    const auto text = interpolate_names(kernel, argument, values);
    if (!text) return text.error();
    auto parsed = trace::parse_argument(*text);
    if (!parsed) return parsed.error();
    bound.launch.arguments.push_back(std::move(*parsed));
  }
  for (const auto& [macro, expression] : kernel.defines) {
    const auto value = evaluate(expression, values);
    if (!value) return value.error();
    bound.defines.emplace_back(macro, std::to_string(*value));
  }
  return bound;
}

}  // namespace

const GalleryKernel* Gallery::find(std::string_view id) const {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const GalleryKernel& k) { return k.id == id; });
  return found == kernels.end() ? nullptr : &*found;
}

Error Gallery::without(std::string_view id) const {
  // One that is there and cannot be used: why not.
  for (const Error& problem : problems)
    if (const fs::path file = problem.place.file; file.extension() == ".toml" && file.stem() == id)
      return problem;
  std::string names;
  for (const GalleryKernel& kernel : kernels) names += (names.empty() ? "" : ", ") + kernel.id;
  return {
      ErrorKind::Usage, fmt::format("the gallery has no kernel '{}'", id), {}, {"its kernels are " + names}};
}

SliderValues default_values(const GalleryKernel& kernel) {
  SliderValues values;
  for (const Slider& slider : kernel.sliders) values[slider.name] = slider.value;
  return values;
}

SliderValues measured_values(const GalleryKernel& kernel, SliderValues shown,
                             const std::vector<std::string>& keep) {
  for (const auto& [name, value] : kernel.measure)
    if (std::find(keep.begin(), keep.end(), name) == keep.end()) shown[name] = value;
  return shown;
}

std::string reason_of(const GalleryKernel& kernel, const std::string& slider, const std::string& language) {
  const auto own = std::find_if(kernel.sliders.begin(), kernel.sliders.end(),
                                [&](const Slider& s) { return s.name == slider && !s.reason.empty(); });
  const auto& reasons = own == kernel.sliders.end() ? kernel.reason : own->reason;
  const auto found = reasons.find(language);
  return found == reasons.end() ? std::string() : found->second;
}

std::string value_name(const Slider& slider, std::int64_t value, const std::string& language) {
  const auto index = static_cast<std::size_t>(value);
  if (value < 0 || index >= slider.choices.size()) return std::to_string(value);
  const auto names = slider.names.find(language);
  return names == slider.names.end() || index >= names->second.size() ? slider.choices[index]
                                                                      : names->second[index];
}

Result<BoundLaunch> launch_of(const GalleryKernel& kernel, const SliderValues& given) {
  const auto values = complete(kernel, given);
  Result<BoundLaunch> bound = values ? bind_complete(kernel, *values) : Result<BoundLaunch>(values.error());
  if (bound) return bound;
  Error error = bound.error();
  error.place = {fs::path(kernel.file).replace_extension(".toml").string(), 0, 0};
  return error;
}

Result<Gallery> load_gallery() {
  return load_gallery(kernels_folder());
}

Result<Gallery> load_gallery(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return Error{ErrorKind::System, "the kernels are not there: no folder " + folder.string(), {}, {}};
  Gallery gallery;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error))
    if (entry.path().extension() == ".toml" && entry.path().parent_path() != folder)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    auto kernel = read_kernel(file);
    if (!kernel)
      gallery.problems.push_back(kernel.error());
    else if (gallery.find(kernel->id) != nullptr)
      gallery.problems.push_back(
          {ErrorKind::Usage, "two kernels are called '" + kernel->id + "'", {file.string(), 0, 0}, {}});
    else
      gallery.kernels.push_back(std::move(*kernel));
  }
  const fs::path topics_file = folder / "topics.toml";
  if (fs::exists(topics_file, error)) {
    auto topics = read_topics(topics_file);
    if (topics)
      gallery.topics = std::move(*topics);
    else
      gallery.problems.push_back(topics.error());
  }
  drop_missing(gallery, topics_file);
  add_unnamed(gallery);
  return gallery;
}

}  // namespace warplens::model
