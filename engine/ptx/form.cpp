#include <algorithm>
#include <array>

#include "engine/ptx/module.h"

namespace warplens::ptx {
namespace {

// Opcodes that touch memory even when no modifier says which.
constexpr std::array<std::string_view, 17> kMemoryOpcodes{
    "ld",       "ldu",  "st",       "atom", "red",     "prefetch",      "prefetchu", "ldmatrix", "stmatrix",
    "mbarrier", "cvta", "isspacep", "cp",   "discard", "applypriority", "multimem",  "mapa"};
constexpr std::array<std::string_view, 9> kTextureOpcodes{"tex",   "tld4", "txq",     "suld",  "sust",
                                                          "sured", "suq",  "istypep", "suldst"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

int vector_width_of(std::string_view modifier) {
  if (modifier == "v2") return 2;
  if (modifier == "v4") return 4;
  if (modifier == "v8") return 8;
  return 0;
}

bool touches_memory(const Form& form) {
  if (contains(kMemoryOpcodes, form.opcode)) return true;
  return form.opcode == "wmma" && (form.has("load") || form.has("store"));
}

}  // namespace

bool Form::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

Form make_form(std::string_view text) {
  Form form;
  form.text = std::string(text);
  std::size_t start = text.find('.');
  form.opcode = std::string(text.substr(0, start));
  while (start != std::string_view::npos) {
    const std::size_t end = text.find('.', start + 1);
    const std::string_view modifier =
        text.substr(start + 1, end == std::string_view::npos ? end : end - start - 1);
    form.modifiers.emplace_back(modifier);
    if (const auto type = type_from_name(modifier)) form.types.push_back(*type);
    if (const auto space = space_from_name(modifier); space && form.space == StateSpace::None) {
      form.space = *space;
    }
    if (const int width = vector_width_of(modifier)) form.vector_width = width;
    start = end;
  }
  if (form.space == StateSpace::None && touches_memory(form)) form.space = StateSpace::Generic;
  if (contains(kTextureOpcodes, form.opcode)) form.space = StateSpace::Tex;
  return form;
}

}  // namespace warplens::ptx
