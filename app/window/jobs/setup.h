// What is open and how it stands, as plain data: so that it can be pinned beside another one, swapped with
// it, and put back by undo.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/model/gallery/gallery.h"
#include "app/model/opened/adopt.h"
#include "engine/base/message.h"
#include "visual/twin.h"

namespace warplens::window {

// As -I and -D on the command line.
struct CompilerChoices {
  std::vector<std::string> include_paths;
  std::vector<std::pair<std::string, std::string>> defines;
  bool operator==(const CompilerChoices&) const = default;
};

struct Setup {
  std::optional<model::GalleryKernel> kernel;
  std::string users_file, users_kernel;  // a file that is not of the gallery, and what to run of it
  model::SliderValues values;
  // What is edited and what stands on the disk, as they are compiled: with the comments that the program
  // knows in English, whatever language the editor shows them in.
  std::string text, file_text;
  // Of a user's file: what the compiler is given besides, what nobody said about the launch, and what the
  // user put in place of it (model::give()), by name.
  CompilerChoices compiler;
  std::vector<model::Assumption> assumed;
  std::map<std::string, std::string> given;

  bool edited() const { return text != file_text; }
};

// The program that both run is the same: then only sliders differ, and their instructions have the same
// numbers.
bool same_program(const Setup& a, const Setup& b);

// What tells two setups apart, for the heads of a comparison: "stride 2" and "stride 8"; two titles;
// "original" and "edited". `text` and `language` are the user's.
struct SideNames {
  visual::SideName a, b;
};
SideNames side_names(const Setup& a, const Setup& b, const Catalogue& text, const std::string& language);

}  // namespace warplens::window
