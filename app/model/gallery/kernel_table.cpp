#include "app/model/gallery/kernel_table.h"

#include <algorithm>
#include <set>

namespace warplens::model {
namespace {

// A message of [toml.kernel] about the value of a key, a slider, ...
Message about_kernel(const char* what, std::vector<std::pair<std::string, MessageValue>> values = {}) {
  return {std::string("toml.kernel.") + what, std::move(values)};
}

bool is_power_of_two(std::int64_t v) {
  return v > 0 && (v & (v - 1)) == 0;
}

void fail_slider(TomlReader& reader, const toml::table& table, const char* what, const Slider& slider) {
  reader.fail(&table, about_kernel(what, {{"slider", value_of(slider.name)}}));
}

// names = { en = [...], zh = [...] }: one for each choice.
void read_names(TomlReader& reader, const toml::table& table, Slider& slider) {
  const toml::node* node = table.get("names");
  if (node == nullptr) return;
  const toml::table* languages = node->as_table();
  if (languages == nullptr) return reader.fail(node, about_kernel("names"));
  for (const char* language : kLanguages) {
    slider.names[language] = reader.texts(*languages, language, true);
    if (slider.names[language].size() != slider.choices.size())
      reader.fail(node, about_kernel("count_of_names", {{"language", value_of(language)}}));
  }
}

void read_choices(TomlReader& reader, const toml::table& table, Slider& slider) {
  slider.choices = reader.texts(table, "choices", false);
  read_names(reader, table, slider);
  slider.max = static_cast<std::int64_t>(slider.choices.size()) - 1;
  // The value may be written as the choice's name.
  if (const auto named = table["value"].value_exact<std::string>()) {
    const auto found = std::find(slider.choices.begin(), slider.choices.end(), *named);
    if (found == slider.choices.end())
      reader.fail(table.get("value"), about_kernel("no_choice", {{"value", value_of(*named)}}));
    slider.value = found - slider.choices.begin();
  } else {
    slider.value = reader.integer(table, "value").value_or(0);
  }
}

void read_numbers(TomlReader& reader, const toml::table& table, Slider& slider) {
  if (const toml::array* values = table["values"].as_array()) {
    for (const toml::node& item : *values) {
      if (const auto value = item.value_exact<std::int64_t>())
        slider.values.push_back(*value);
      else
        reader.fail(&item, about_kernel("values"));
    }
    if (slider.values.empty()) slider.values = {0};
    std::sort(slider.values.begin(), slider.values.end());
  }
  const auto lowest = reader.integer(table, "min"), highest = reader.integer(table, "max");
  if (slider.values.empty() && (!lowest || !highest)) fail_slider(reader, table, "no_bounds", slider);
  slider.min = slider.values.empty() ? lowest.value_or(0) : slider.values.front();
  slider.max = slider.values.empty() ? highest.value_or(0) : slider.values.back();
  slider.value = reader.integer(table, "value").value_or(slider.min);
  slider.powers_of_two = reader.word(table, "scale", {"linear", "pow2"}) == "pow2";
}

Slider read_slider(TomlReader& reader, const toml::table& table) {
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
    fail_slider(reader, table, "outside", slider);
  if (slider.powers_of_two &&
      (!is_power_of_two(slider.min) || !is_power_of_two(slider.max) || !is_power_of_two(slider.value)))
    fail_slider(reader, table, "no_power", slider);
  if (!slider.values.empty() &&
      std::find(slider.values.begin(), slider.values.end(), slider.value) == slider.values.end())
    fail_slider(reader, table, "no_value", slider);
  return slider;
}

void check_extents(TomlReader& reader, const toml::table& table, const char* key,
                   const std::vector<std::string>& list) {
  if (list.empty() || list.size() > 3)
    reader.fail(table.get(key), about_kernel("extents", {{"key", value_of(key)}}));
}

// How the kernel is timed: `measure`, `l2`, `reason` and `product`.
void read_measuring(TomlReader& reader, const toml::table& table, GalleryKernel& kernel) {
  kernel.reason = reader.languages(table, "reason", false);
  kernel.measure_flushed = reader.word(table, "l2", {"warm", "flushed"}) == "flushed";
  kernel.product = reader.texts(table, "product", false);
  if (!kernel.product.empty() && kernel.product.size() != 3)
    reader.fail(table.get("product"), about_kernel("product"));
  const toml::node* node = table.get("measure");
  if (node == nullptr) return;
  const toml::table* values = node->as_table();
  if (values == nullptr) return reader.fail(node, about_kernel("measure"));
  for (const auto& [name, value] : *values) {
    const std::string slider(name.str());
    const Slider* const found = kernel.slider(slider);
    const auto number = value.value_exact<std::int64_t>();
    if (found == nullptr || !found->choices.empty())
      reader.fail(&value, about_kernel("measures_no_number", {{"slider", value_of(slider)}}));
    else if (!number || *number < found->min)
      reader.fail(&value, about_kernel("measures_below", {{"slider", value_of(slider)}}));
    else
      kernel.measure[slider] = *number;
  }
}

analysis::About read_about(TomlReader& reader, const toml::table& table) {
  analysis::About about{reader.text(table, "text", true), reader.text(table, "op", false),
                        reader.word(table, "memory", {"", "global", "shared", "constant"})};
  const bool is_class = about.op.empty() || about.op == "load" || about.op == "store" || about.op == "atomic";
  if (!is_class && about.op.find('.') == std::string::npos) reader.fail(table.get("op"), about_kernel("op"));
  return about;
}

// about = { text = "...", op = "..." }, or a list of them; matrices = { a = "n" }.
void read_abouts(TomlReader& reader, const toml::table& table, GalleryKernel& kernel) {
  if (const toml::table* matrices = table["matrices"].as_table())
    for (const auto& [key, value] : *matrices)
      kernel.matrices.emplace_back(std::string(key.str()), value.value<std::string>().value_or(""));
  const toml::node* node = table.get("about");
  if (node == nullptr) return;
  if (const toml::table* one = node->as_table()) kernel.about.push_back(read_about(reader, *one));
  if (const toml::array* list = node->as_array())
    for (const toml::node& item : *list)
      if (const toml::table* one = item.as_table()) kernel.about.push_back(read_about(reader, *one));
  if (kernel.about.empty()) reader.fail(node, about_kernel("about"));
}

void check_names(TomlReader& reader, const toml::table& table, const GalleryKernel& kernel) {
  std::set<std::string> names;
  for (const Slider& slider : kernel.sliders)
    if (!names.insert(slider.name).second) fail_slider(reader, table, "two_sliders", slider);
  for (const int output : kernel.outputs)
    if (output < 0 || output >= static_cast<int>(kernel.arguments.size()))
      reader.fail(table.get("outputs"), about_kernel("no_output"));
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(kernel.file, ignored))
    reader.fail(table.get("file"), about_kernel("no_file", {{"file", value_of(kernel.file.string())}}));
}

}  // namespace

GalleryKernel read_kernel_table(TomlReader& reader, const toml::table& table, GalleryKernel kernel,
                                bool titled) {
  kernel.title = reader.languages(table, "title", titled);
  kernel.summary = reader.languages(table, "summary", titled);
  kernel.catalogue = reader.texts(table, "catalogue", false);
  kernel.kind = reader.word(table, "kind", {"", "transfers", "streams"});
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
  read_abouts(reader, table, kernel);
  check_names(reader, table, kernel);
  return kernel;
}

}  // namespace warplens::model
