#include "app/window/session/open_program.h"

#include <filesystem>

#include "app/model/opened/give.h"
#include "app/model/run/kept_launch.h"
#include "app/model/text/comments.h"
#include "engine/base/assets.h"

namespace warplens::window {
namespace {

constexpr double kKeyPause = 0.3;  // seconds after the last key, before an edit is compiled

}  // namespace

Status OpenProgram::open(const model::GalleryKernel& kernel) {
  Setup setup;
  setup.kernel = kernel;
  setup.values = model::default_values(kernel);
  const Result<std::string> text = read_text(kernel.file);
  if (text) setup.file_text = setup.text = model::comments_in("en", *text, kernel.file);
  restore(std::move(setup));
  if (!text) return text.error();
  return Done{};
}

Status OpenProgram::open_file(const std::string& path, const std::string& kernel_name,
                              const model::SliderValues& values, CompilerChoices compiler) {
  const Result<std::string> text = model::text_to_edit(path);
  if (!text) return text.error();
  Setup setup;
  setup.users_file = path;
  setup.users_kernel = kernel_name;
  setup.kernel = model::GalleryKernel{};
  setup.kernel->id = std::filesystem::path(path).filename().string();
  setup.kernel->file = path;
  setup.kernel->title["en"] = setup.kernel->id;
  setup.values = values;
  setup.file_text = setup.text = model::comments_in("en", *text, path);
  setup.compiler = std::move(compiler);
  restore(std::move(setup));
  return Done{};
}

void OpenProgram::adopt(model::Adopted adopted, model::SliderValues values) {
  setup_.kernel = std::move(adopted.kernel);
  setup_.assumed = std::move(adopted.assumed);
  setup_.values = std::move(values);
}

void OpenProgram::restore(Setup setup) {
  setup_ = std::move(setup);
  text_due_.reset();
  show();
}

bool OpenProgram::compile_with(CompilerChoices compiler) {
  if (!is_users_file() || compiler == setup_.compiler) return false;
  setup_.compiler = std::move(compiler);
  setup_.kernel->kernel.clear();  // made from the file once more; sliders that still exist keep their values
  return true;
}

Status OpenProgram::give(const std::string& what, const std::string& text) {
  model::Adopted adopted{*setup_.kernel, setup_.assumed, false};
  if (const Status fits = model::give(adopted, what, text); !fits) return fits;
  setup_.given[what] = text;
  setup_.kernel = std::move(adopted.kernel);
  setup_.assumed = std::move(adopted.assumed);
  // What was given wins over where the sliders stood.
  for (const model::Slider& s : setup_.kernel->sliders)
    if (s.name == what || !setup_.values.contains(s.name)) setup_.values[s.name] = s.value;
  return Done{};
}

bool OpenProgram::take_back(const std::string& what) {
  if (!setup_.kernel || !setup_.given.contains(what)) return false;
  setup_.given.erase(what);
  setup_.values.erase(what);
  setup_.kernel->kernel.clear();
  return true;
}

bool OpenProgram::read_again(const std::string& text) {
  const bool follow = !setup_.edited();
  setup_.file_text = in_english(text);
  if (!follow) return false;
  setup_.text = setup_.file_text;
  show();
  if (setup_.kernel) setup_.kernel->kernel.clear();  // made from the file once more
  return true;
}

bool OpenProgram::set_text(std::string text, double now) {
  if (text == shown_) return false;
  setup_.text = in_english(text);
  shown_ = std::move(text);
  text_due_ = now + kKeyPause;
  return true;
}

bool OpenProgram::revert_text() {
  if (!setup_.edited()) return false;
  setup_.text = setup_.file_text;
  show();
  text_due_.reset();
  return true;
}

bool OpenProgram::typed(double now) {
  if (!text_due_ || now < *text_due_) return false;
  text_due_.reset();
  return true;
}

std::string OpenProgram::in_english(const std::string& text) const {
  return setup_.kernel ? model::comments_in("en", text, setup_.kernel->file) : text;
}

void OpenProgram::show() {
  shown_ = setup_.kernel ? model::comments_in(language_, setup_.text, setup_.kernel->file) : setup_.text;
}

void OpenProgram::speak(const std::string& language) {
  language_ = language;
  show();
}

}  // namespace warplens::window
