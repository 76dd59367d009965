// What is open: a kernel of the gallery or of a user's file, its text as it is edited, what the compiler is
// given, and what stands in place of something assumed. It runs nothing: each change says whether there was
// one.
#pragma once

#include <optional>
#include <string>

#include "app/model/gallery/gallery.h"
#include "app/window/jobs/setup.h"
#include "engine/base/result.h"

namespace warplens::window {

class OpenProgram {
 public:
  explicit OpenProgram(model::Gallery gallery) : gallery_(std::move(gallery)) {}

  const model::Gallery& gallery() const { return gallery_; }
  const Setup& setup() const { return setup_; }
  const model::GalleryKernel* kernel() const { return setup_.kernel ? &*setup_.kernel : nullptr; }
  bool is_users_file() const { return !setup_.users_file.empty(); }

  // The kernel is open also where its file cannot be read.
  Status open(const model::GalleryKernel& kernel);
  // On an error nothing has changed.
  Status open_file(const std::string& path, const std::string& kernel_name, const model::SliderValues& values,
                   CompilerChoices compiler);
  // What the runner made of a user's file.
  void adopt(model::Adopted adopted, model::SliderValues values);
  // As it stood at another time or on the other side.
  void restore(Setup setup);

  bool compile_with(CompilerChoices compiler);
  Status give(const std::string& what, const std::string& text);
  bool take_back(const std::string& what);
  void set_value(const std::string& slider, std::int64_t value) { setup_.values[slider] = value; }

  // What is typed now stands in the file.
  void saved() { setup_.file_text = setup_.text; }
  // The user's file has another text on the disk. True: it is open now; false: what has been typed stays, and
  // revert_text() goes there.
  bool read_again(const std::string& text);
  void found_on_disk(const std::string& text) { setup_.file_text = in_english(text); }
  bool is_on_disk(const std::string& text) const { return setup_.file_text == in_english(text); }
  // As it is typed, its comments in any language.
  bool set_text(std::string text, double now);
  bool revert_text();
  // Keys were pressed and nobody has compiled since; until when one waits for more of them.
  std::optional<double> text_due() const { return text_due_; }
  // The pause after the last key is over: true once.
  bool typed(double now);

  // The text as the editor shows it: comments in the language last spoken, or as somebody has typed them.
  // Nothing runs anew for another language, since the setup keeps one text for all.
  const std::string& text() const { return shown_; }
  void speak(const std::string& language);
  const std::string& language() const { return language_; }

 private:
  std::string in_english(const std::string& text) const;
  void show();

  model::Gallery gallery_;
  Setup setup_;
  std::string language_ = "en";
  std::string shown_;
  std::optional<double> text_due_;
};

}  // namespace warplens::window
