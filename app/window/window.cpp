#include "app/window/window.h"

#include <fmt/format.h>

#include "app/window/session/lesson_session.h"
#include "app/window/session/program_session.h"
#include "app/window/shell/shell.h"
#include "engine/base/assets.h"

namespace warplens::window {
namespace {

void apply(const AppOptions& options, Settings& settings) {
  if (!options.theme.empty()) settings.theme = options.theme == "light" ? "light" : "dark";
  if (!options.language.empty()) settings.language = options.language;
  if (settings.language.empty()) settings.language = system_language();
  if (options.width > 0) settings.width = options.width;
  if (options.height > 0) settings.height = options.height;
}

// The settings that the window would have; `trouble`: why those that were kept could not be read.
Settings settings_for(const AppOptions& options, std::optional<Message>& trouble) {
  Settings settings = options.forget ? Settings{} : load_settings(settings_file(), trouble);
  apply(options, settings);
  return settings;
}

Error refuse(Message why) {
  return told(ErrorKind::Usage, std::move(why));
}

// What can be said before anything is opened.
Status check(const AppOptions& options) {
  std::string names;
  for (const visual::View& view : visual::all_views())
    names += (names.empty() ? "" : ", ") + std::string(view.id);
  for (const std::string& view : options.views)
    if (!visual::find_view(view))
      return refuse({"app.no_view", {{"view", value_of(view)}, {"names", value_of(names)}}});
  std::error_code failed;
  if (options.file.empty() &&
      !(options.kernel.empty() && options.include_paths.empty() && options.defines.empty()))
    return refuse({"app.without_file", {}});
  if (options.file.empty() || std::filesystem::exists(options.file, failed)) return Done{};
  if (visual::find_view(options.file))
    return refuse({"app.view_as_file", {{"view", value_of(options.file)}}});
  return refuse({"app.no_such_file", {{"file", value_of(options.file)}}});
}

Error no_slider(const model::GalleryKernel* kernel, const std::string& name) {
  std::string names;
  for (const model::Slider& s : kernel ? kernel->sliders : std::vector<model::Slider>())
    names += (names.empty() ? "" : ", ") + s.name;
  return refuse({names.empty() ? "app.no_sliders" : "app.no_slider",
                 {{"kernel", value_of(kernel ? kernel->id : std::string())},
                  {"name", value_of(name)},
                  {"names", value_of(names)}}});
}

// What to show first: what was asked for, else the last kernel, else the first one there is.
Status open_first(const AppOptions& options, bool by_folder, Workbench& bench, LessonSession& lessons) {
  if (!options.file.empty()) {
    bench.open_file(options.file, options.kernel, options.set, {options.include_paths, options.defines});
    return Done{};
  }
  if (!options.lesson.empty()) {
    // A kernel of the gallery wins over a lesson of its name, unless that was named by its folder.
    if ((by_folder || !bench.open_kernel(options.lesson)) && !lessons.open(options.lesson)) {
      if (const Error reason = bench.gallery().without(options.lesson); !reason.place.file.empty())
        return reason;
      std::vector<std::string> names;
      for (const lesson::Lesson& one : lessons.shelf().lessons) names.push_back(one.name);
      for (const model::GalleryKernel& k : bench.gallery().kernels)
        if (k.id.find('.') == std::string::npos) names.push_back(k.id);
      const std::string like = lesson::names_like(options.lesson, names);
      return refuse({like.empty() ? "app.no_lesson" : "app.no_such_lesson",
                     {{"name", value_of(options.lesson)}, {"like", value_of(like)}}});
    }
  } else if (!bench.open_kernel(bench.settings.kernel) && !bench.gallery().kernels.empty()) {
    const auto& topics = bench.gallery().topics;
    const bool by_topic = !topics.empty() && !topics.front().kernels.empty();
    bench.open_kernel(by_topic ? topics.front().kernels.front() : bench.gallery().kernels.front().id);
  }
  for (const auto& [name, value] : options.set) {
    if (!bench.values().contains(name)) return no_slider(bench.kernel(), name);
    bench.set_value(name, value);
  }
  return Done{};
}

Status open_sides_and_views(const AppOptions& options, Workbench& bench) {
  if (!options.views.empty()) {
    bench.keep_views({options.views.front(), options.views.back()});
    bench.settings.two_views = options.views.size() > 1;
  }
  if (options.compare_kernel.empty() && options.compare.empty()) return Done{};
  const std::string id =
      options.compare_kernel.empty() && bench.kernel() ? bench.kernel()->id : options.compare_kernel;
  if (const model::GalleryKernel* other = bench.gallery().find(id)) {
    const model::SliderValues known = model::default_values(*other);
    for (const auto& [name, value] : options.compare)
      if (!known.contains(name)) return no_slider(other, name);
  }
  if (bench.compare_with(id, options.compare)) return Done{};
  return refuse({"app.no_kernel_to_compare", {{"name", value_of(id)}}});
}

Result<int> open_as_asked(AppOptions options) {
  const bool screenshot = !options.screenshot.empty();
  std::vector<ScriptAction> actions;
  if (!options.script.empty()) {
    const auto text = read_text(options.script);
    if (!text) return text.error();
    auto parsed = parse_script(*text, options.script);
    if (!parsed) return parsed.error();
    actions = std::move(*parsed);
  }
  const std::filesystem::path file = settings_file();
  std::optional<Message> trouble;
  const Settings settings = settings_for(options, trouble);
  if (const Status usable = check(options); !usable) return usable.error();

  PlatformOptions wanted;
  wanted.width = settings.width;
  wanted.height = settings.height;
  wanted.maximised = settings.maximised && options.width <= 0;
  wanted.exact_size = screenshot || options.scrub_frames > 0 || !options.script.empty();
  auto platform = Platform::open(wanted);
  if (!platform) return platform.error();

  Fonts fonts;
  if (const Status loaded = fonts.load(); !loaded) return loaded.error();
  Result<model::Gallery> gallery = model::load_gallery();
  if (!gallery) return gallery.error();
  Result<analysis::DeviceCatalogue> devices = analysis::DeviceCatalogue::load();
  if (!devices) return devices.error();

  lesson::Shelf shelf = lesson::load_shelf(*gallery);
  for (const Error& problem : shelf.problems) fmt::print(stderr, "warplens: {}\n", problem.text());
  auto asked = lesson::ask_for(shelf, *gallery, options.lesson);
  if (!asked) return asked.error();
  const bool by_folder = options.lesson.find('/') != std::string::npos;
  options.lesson = *asked;
  add_lesson_kernels(shelf, *gallery);
  Workbench bench(std::move(*gallery), std::move(*devices), Engine::real(), [] { Platform::wake(); });
  const std::array<std::string, 2> remembered_views = settings.views;
  const std::string remembered_kernel = settings.kernel;
  bench.settings = settings;
  if (trouble) bench.note(*trouble);
  LessonSession lessons(bench, std::move(shelf), options.forget ? std::filesystem::path{} : progress_file(),
                        [] { Platform::wake(); });
  ProgramSession program(bench, ProgramEngine::real(), [] { Platform::wake(); });
  if (const Status opened = open_first(options, by_folder, bench, lessons); !opened) return opened.error();
  // Who has never been here is led to a first surprise; everything else is one click away.
  std::error_code ignored;
  const bool alone = options.lesson.empty() && options.file.empty() && options.script.empty() && !screenshot;
  if (alone && !options.forget && !std::filesystem::exists(file, ignored)) lessons.open("first_minute");
  if (bench.settings.kernel == remembered_kernel && options.lesson.empty() && options.file.empty()) {
    bench.keep_views(remembered_views);
  }

  if (const Status set = open_sides_and_views(options, bench); !set) return set.error();

  Shell shell(**platform, bench, fonts, options);
  shell.use(lessons);
  shell.use(program);
  if (options.scrub_frames > 0) {
    const Result<ScrubResult> scrubbed = shell.scrub(options.scrub_accesses, options.scrub_frames);
    if (!scrubbed) return scrubbed.error();
    fmt::print("{}\n", to_json(*scrubbed));
    return 0;
  }
  if (!options.script.empty()) {
    ScriptPlayer player(std::move(actions), options.script);
    player.use(lessons);
    player.use(program);
    const Status played = shell.play(std::move(player));
    if (!played) return played.error();
    return 0;
  }
  if (screenshot) {
    const Status written = shell.screenshot(options.screenshot, options.after_frames);
    if (!written) return written.error();
    return 0;
  }
  const Status ended = shell.run();
  if (!ended) return ended.error();
  lessons.close();  // what was typed into a challenge is kept
  if (!options.forget) {
    (*platform)->size(bench.settings.width, bench.settings.height);
    bench.settings.maximised = (*platform)->maximised();
    // Settings that cannot be written are no reason to fail when the user just closed the window.
    (void)save_settings(bench.settings, file);
  }
  return 0;
}

}  // namespace

std::string language_of(const AppOptions& options) {
  std::optional<Message> ignored;
  return settings_for(options, ignored).language;
}

Result<int> open(const AppOptions& options) {
  Result<int> opened = open_as_asked(options);
  if (opened) return opened;
  Error why = opened.error();
  if (const Result<Catalogue> text = Catalogue::load(language_of(options))) why.message = text->text(why);
  return why;
}

}  // namespace warplens::window
