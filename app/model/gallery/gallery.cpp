#include "app/model/gallery/gallery.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "app/model/gallery/kernel_table.h"
#include "app/model/text/expression.h"
#include "app/model/text/in_language.h"
#include "app/model/text/toml_reader.h"
#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/base/number_text.h"
#include "engine/base/toml.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;

Result<GalleryKernel> read_kernel(const fs::path& file) {
  TomlReader reader(file);
  const Result<toml::table> table = read_toml(file);
  if (!table) return table.error();
  GalleryKernel kernel;
  kernel.id = file.stem().string();
  kernel.topic = file.parent_path().filename().string();
  kernel.file = fs::path(file).replace_extension(".cu");
  kernel = read_kernel_table(reader, *table, std::move(kernel), true);
  if (reader.problem()) return *reader.problem();
  // What the first picture needs must work; every other setting is checked when it is chosen.
  for (const SliderValues& values : {default_values(kernel), measured_values(kernel, default_values(kernel))})
    if (auto bound = launch_of(kernel, values); !bound) return bound.error();
  return kernel;
}

// topics.toml:  [[topic]] id = "...", title = {...}, kernels = ["...", ...]
Result<std::vector<Topic>> read_topics(const fs::path& file) {
  TomlReader reader(file);
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
      gallery.topics.push_back({kernel.topic, in_all_languages(kernel.topic), {}});
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
        gallery.problems.push_back(told(
            ErrorKind::Usage,
            {"toml.kernel.no_kernel_of_topic", {{"topic", value_of(topic.id)}, {"kernel", value_of(id)}}},
            {file.string(), 0, 0}));
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

Result<Dim3> extents(const char* what, const std::vector<std::string>& expressions,
                     const SliderValues& values) {
  std::array<std::uint32_t, 3> e{1, 1, 1};
  for (std::size_t i = 0; i < expressions.size() && i < 3; ++i) {
    const auto value = evaluate(expressions[i], values);
    if (!value) return value.error();
    if (*value < 1 || *value > std::numeric_limits<std::int32_t>::max())
      return told(ErrorKind::Usage, {std::string("open.no_size_of_") + what,
                                     {{"text", value_of(expressions[i])}, {"value", value_of(*value)}}});
    e[i] = static_cast<std::uint32_t>(*value);
  }
  return Dim3{e[0], e[1], e[2]};
}

Result<SliderValues> complete(const GalleryKernel& kernel, const SliderValues& given) {
  SliderValues values = default_values(kernel);
  for (const auto& [name, value] : given) {
    const Slider* const slider = kernel.slider(name);
    if (slider == nullptr)
      return told(ErrorKind::Usage,
                  {"open.no_slider", {{"name", value_of(name)}, {"kernel", value_of(kernel.id)}}});
    const auto measured = kernel.measure.find(name);
    const std::int64_t most =
        measured == kernel.measure.end() ? slider->max : std::max(slider->max, measured->second);
    if (value < slider->min || value > most)
      return told(ErrorKind::Usage, {"open.beyond_slider",
                                     {{"name", value_of(name)},
                                      {"least", value_of(slider->min)},
                                      {"most", value_of(most)},
                                      {"value", value_of(value)}}});
    values[name] = value;
  }
  return values;
}

Result<BoundLaunch> bind_complete(const GalleryKernel& kernel, const SliderValues& values) {
  BoundLaunch bound;
  auto entry = interpolate_names(kernel, kernel.kernel, values);
  if (!entry) return entry.error();
  bound.launch.kernel = std::move(*entry);
  const auto grid = extents("grid", kernel.grid, values), block = extents("block", kernel.block, values);
  if (!grid) return grid.error();
  if (!block) return block.error();
  bound.launch.grid = *grid;
  bound.launch.block = *block;
  const auto shared = evaluate(kernel.shared, values);
  if (!shared) return shared.error();
  if (*shared < 0 || *shared > (1 << 20))
    return told(ErrorKind::Usage, {"open.no_shared_bytes", {{"text", value_of(kernel.shared)}}});
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

const Slider* GalleryKernel::slider(std::string_view name) const {
  const auto found = std::ranges::find(sliders, name, &Slider::name);
  return found == sliders.end() ? nullptr : &*found;
}

Slider* GalleryKernel::slider(std::string_view name) {
  return const_cast<Slider*>(std::as_const(*this).slider(name));
}

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
  return told(ErrorKind::Usage,
              {"open.no_gallery_kernel", {{"name", value_of(std::string(id))}, {"names", value_of(names)}}});
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

std::optional<gpu::ProductSize> product_of(const GalleryKernel& kernel, const SliderValues& values) {
  if (kernel.product.size() != 3) return {};
  std::array<int, 3> size{};
  for (std::size_t i = 0; i < size.size(); ++i) {
    const auto value = evaluate(kernel.product[i], values);
    if (!value || *value < 1 || *value > std::numeric_limits<int>::max()) return {};
    size[i] = static_cast<int>(*value);
  }
  return gpu::ProductSize{size[0], size[1], size[2]};
}

std::string reason_of(const GalleryKernel& kernel, const std::string& slider, const std::string& language) {
  const auto own = std::find_if(kernel.sliders.begin(), kernel.sliders.end(),
                                [&](const Slider& s) { return s.name == slider && !s.reason.empty(); });
  const auto& reasons = own == kernel.sliders.end() ? kernel.reason : own->reason;
  return in_language(reasons, language);
}

std::string value_name(const Slider& slider, std::int64_t value, const std::string& language) {
  const auto index = static_cast<std::size_t>(value);
  if (value < 0 || index >= slider.choices.size()) return plain_number(static_cast<double>(value));
  const std::vector<std::string>* const names = find_in_language(slider.names, language);
  return names == nullptr || index >= names->size() ? slider.choices[index] : (*names)[index];
}

Result<BoundLaunch> launch_of(const GalleryKernel& kernel, const SliderValues& given) {
  const auto values = complete(kernel, given);
  Result<BoundLaunch> bound = values ? bind_complete(kernel, *values) : Result<BoundLaunch>(values.error());
  if (bound) return bound;
  Error error = bound.error();
  // A file that somebody opened has no such description.
  const fs::path description = fs::path(kernel.file).replace_extension(".toml");
  std::error_code ignored;
  error.place = {fs::exists(description, ignored) ? description.string() : kernel.file.string(), 0, 0};
  return error;
}

Result<Gallery> load_gallery() {
  return load_gallery(kernels_folder());
}

Result<Gallery> load_gallery(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return told(ErrorKind::System, {"open.no_gallery", {{"folder", value_of(folder.string())}}});
  Gallery gallery;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error))
    if (entry.path().extension() == ".toml" && entry.path().parent_path() != folder &&
        !entry.path().filename().string().starts_with("comments."))
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    auto kernel = read_kernel(file);
    if (!kernel)
      gallery.problems.push_back(kernel.error());
    else if (gallery.find(kernel->id) != nullptr)
      gallery.problems.push_back(told(ErrorKind::Usage,
                                      {"toml.kernel.two_kernels", {{"kernel", value_of(kernel->id)}}},
                                      {file.string(), 0, 0}));
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
