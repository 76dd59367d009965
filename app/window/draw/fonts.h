// The faces the window writes with, in every size and character that was asked for.
//
// Dear ImGui 1.86 keeps glyphs in one atlas that cannot grow while a frame is drawn. So a font or character
// that is not there yet is noted, the nearest one stands in for it, and prepare() - between two frames -
// builds the atlas anew with everything that was noted:
//
//   fonts.prepare(scale);                            // before ImGui::NewFrame()
//   const auto [font, pixels] = fonts.get(Face::Sans, 13);  // logical size; never null
//   fonts.need(catalogue.characters());
#pragma once

#include <imgui.h>

#include <bitset>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "visual/scene.h"

namespace warplens::window {

class Fonts {
 public:
  // Finds the font files (fontconfig) and reads them. Fails when the system has no font at all.
  Status load();

  void need(const std::u32string& characters);
  void need(std::string_view utf8);
  // Every character of it can be drawn as it is.
  bool has(std::string_view utf8);
  // Rebuilds the atlas when the scale or the needs changed; true when it did (the texture must be renewed).
  bool prepare(float scale);

  // The font and the size to hand to ImDrawList::AddText for a logical size.
  struct Sized {
    ImFont* font = nullptr;
    float pixels = 13;
  };
  Sized get(visual::Face face, float logical_size);
  // Monospaced with the line height of the source pane: glyphs of `logical_size` on lines of `line_height`.
  ImFont* editor(float logical_size, float line_height);
  float scale() const { return scale_; }
  int builds() const { return builds_; }  // how often the atlas was made

  visual::Size measure(std::string_view text, visual::Face face, float logical_size) const;

  // Texts of the window's own that had no room and were shortened since this was last asked.
  void note_cut(std::string_view text) { cut_.emplace(text); }
  std::set<std::string> take_cut() { return std::exchange(cut_, {}); }

 private:
  struct File {
    std::string path;
    int index = 0;
    std::vector<unsigned char> bytes;
    float line = 1.2f;  // ascent and descent together, in em: what ImGui calls the size of a font
  };
  struct Want {
    visual::Face face = visual::Face::Sans;
    int tenths = 130;     // logical size in tenths of a pixel
    int line_tenths = 0;  // other than 0: the line height is forced
    auto operator<=>(const Want&) const = default;
  };
  struct Made {
    ImFont* font = nullptr;
    float pixels = 13;  // the font's size as ImGui counts it
  };

  static File find(std::span<const char* const> families, int weight, bool chinese);
  static ImFont* lend(File& file, float pixels, ImFontConfig& config, const std::vector<ImWchar>& ranges);
  void add(const Want& want, float widest);  // widest: the largest em of Chinese characters
  const Made* nearest(const Want& want) const;

  File files_[4];  // index = visual::Face
  File chinese_;
  std::set<Want> wants_;
  std::map<Want, Made> made_;
  std::set<char32_t> characters_;
  std::bitset<0x10000> known_;                 // the same, for the question
  std::vector<ImWchar> ranges_, wide_ranges_;  // the atlas keeps pointers to them until it is built
  std::set<std::string> cut_;
  float scale_ = 0;
  int builds_ = 0;
  bool stale_ = true;
};

// How text will look in the window; scenes are laid out with it.
class ImGuiTextMeasure : public visual::TextMeasure {
 public:
  explicit ImGuiTextMeasure(const Fonts& fonts) : fonts_(fonts) {}
  visual::Size measure(std::string_view text, visual::Face face, float size) const override {
    return fonts_.measure(text, face, size);
  }

 private:
  const Fonts& fonts_;
};

}  // namespace warplens::window
