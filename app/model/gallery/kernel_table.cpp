#include "app/model/gallery/kernel_table.h"

#include <algorithm>
#include <set>

namespace warplens::model {
namespace {

bool is_power_of_two(std::int64_t v) {
  return v > 0 && (v & (v - 1)) == 0;
}

// names = { en = [...], zh = [...] }: one for each choice.
void read_names(TomlReader& reader, const toml::table& table, Slider& slider) {
  const toml::node* node = table.get("names");
  if (node == nullptr) return;
  const toml::table* languages = node->as_table();
  if (languages == nullptr) return reader.fail(node, "'names' must be { en = [...], zh = [...] }");
  for (const char* language : kLanguages) {
    slider.names[language] = reader.texts(*languages, language, true);
    if (slider.names[language].size() != slider.choices.size())
      reader.fail(node, std::string("'names' must have one text in '") + language + "' for each choice");
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
      reader.fail(table.get("value"), "'" + *named + "' is not one of the choices");
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
    reader.fail(&table, "slider '" + slider.name + "': the value must lie between min and max");
  if (slider.powers_of_two &&
      (!is_power_of_two(slider.min) || !is_power_of_two(slider.max) || !is_power_of_two(slider.value)))
    reader.fail(&table, "slider '" + slider.name + "': a pow2 slider needs powers of two");
  if (!slider.values.empty() &&
      std::find(slider.values.begin(), slider.values.end(), slider.value) == slider.values.end())
    reader.fail(&table, "slider '" + slider.name + "': the value is not one of its values");
  return slider;
}

void check_extents(TomlReader& reader, const toml::table& table, const char* key,
                   const std::vector<std::string>& list) {
  if (list.empty() || list.size() > 3)
    reader.fail(table.get(key), std::string("'") + key + "' takes one to three expressions");
}

// How the kernel is timed: `measure`, `l2`, `reason` and `product`.
void read_measuring(TomlReader& reader, const toml::table& table, GalleryKernel& kernel) {
  kernel.reason = reader.languages(table, "reason", false);
  const std::string l2 = reader.text(table, "l2", false);
  if (!l2.empty() && l2 != "warm" && l2 != "flushed")
    reader.fail(table.get("l2"), "'l2' must be \"warm\" or \"flushed\"");
  kernel.measure_flushed = l2 == "flushed";
  kernel.product = reader.texts(table, "product", false);
  if (!kernel.product.empty() && kernel.product.size() != 3)
    reader.fail(table.get("product"), "'product' takes three expressions: m, n and k");
  const toml::node* node = table.get("measure");
  if (node == nullptr) return;
  const toml::table* values = node->as_table();
  if (values == nullptr) return reader.fail(node, "'measure' must be { SLIDER = NUMBER, ... }");
  for (const auto& [name, value] : *values) {
    const std::string slider(name.str());
    const Slider* const found = kernel.slider(slider);
    const auto number = value.value_exact<std::int64_t>();
    if (found == nullptr || !found->choices.empty())
      reader.fail(&value, "'measure' names '" + slider + "', which is no slider with numbers");
    else if (!number || *number < found->min)
      reader.fail(&value, "'measure': " + slider + " must be a whole number, not below the slider's min");
    else
      kernel.measure[slider] = *number;
  }
}

analysis::About read_about(TomlReader& reader, const toml::table& table) {
  analysis::About about{reader.text(table, "text", true), reader.text(table, "op", false),
                        reader.text(table, "memory", false)};
  const bool is_class = about.op.empty() || about.op == "load" || about.op == "store" || about.op == "atomic";
  if (!is_class && about.op.find('.') == std::string::npos)
    reader.fail(table.get("op"),
                "'op' must be \"load\", \"store\", \"atomic\" or the begin of a PTX instruction");
  if (!about.memory.empty() && about.memory != "global" && about.memory != "shared" &&
      about.memory != "constant")
    reader.fail(table.get("memory"), "'memory' must be \"global\", \"shared\" or \"constant\"");
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
  if (kernel.about.empty()) reader.fail(node, "'about' must be { text = \"...\" }, or a list of such");
}

void check_names(TomlReader& reader, const toml::table& table, const GalleryKernel& kernel) {
  std::set<std::string> names;
  for (const Slider& slider : kernel.sliders)
    if (!names.insert(slider.name).second)
      reader.fail(&table, "two sliders are called '" + slider.name + "'");
  for (const int output : kernel.outputs)
    if (output < 0 || output >= static_cast<int>(kernel.arguments.size()))
      reader.fail(table.get("outputs"), "'outputs' names an argument that is not there");
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(kernel.file, ignored))
    reader.fail(table.get("file"), "there is no " + kernel.file.string());
}

}  // namespace

GalleryKernel read_kernel_table(TomlReader& reader, const toml::table& table, GalleryKernel kernel,
                                bool titled) {
  kernel.title = reader.languages(table, "title", titled);
  kernel.summary = reader.languages(table, "summary", titled);
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
  read_abouts(reader, table, kernel);
  check_names(reader, table, kernel);
  return kernel;
}

}  // namespace warplens::model
