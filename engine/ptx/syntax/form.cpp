#include <algorithm>
#include <charconv>

#include "engine/ptx/syntax/module.h"

namespace warplens::ptx {
namespace {

int vector_width_of(Modifier modifier) {
  if (modifier == Modifier::V2) return 2;
  if (modifier == Modifier::V4) return 4;
  return modifier == Modifier::V8 ? 8 : 0;
}

// "m16n8k16" as three numbers.
std::optional<MatrixShape> shape_from(std::string_view text) {
  MatrixShape shape;
  int* const numbers[] = {&shape.m, &shape.n, &shape.k};
  for (std::size_t i = 0; i < 3; ++i) {
    if (text.empty() || text.front() != "mnk"[i]) return std::nullopt;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), *numbers[i]);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return text.empty() ? std::optional(shape) : std::nullopt;
}

// The space of a form that names none.
StateSpace unnamed_space(const Form& form) {
  switch (form.effects().memory) {
    case MemoryUse::None:
      return StateSpace::None;
    case MemoryUse::Tile:
      return form.has(Modifier::Load) || form.has(Modifier::Store) ? StateSpace::Generic : StateSpace::None;
    default:
      return StateSpace::Generic;
  }
}

bool is_texture(MemoryUse use) {
  return use == MemoryUse::Texel || use == MemoryUse::Ask;
}

}  // namespace

bool Form::has(Modifier modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

bool Form::is_strong() const {
  return has(Modifier::Volatile) || has(Modifier::Relaxed) || has(Modifier::Acquire) ||
         has(Modifier::Release) || has(Modifier::AcqRel);
}

Form make_form(std::string_view text) {
  Form form;
  form.text = std::string(text);
  std::size_t start = text.find('.');
  form.opcode = opcode_from_name(text.substr(0, start));
  while (start != std::string_view::npos) {
    const std::size_t end = text.find('.', start + 1);
    const std::string_view word =
        text.substr(start + 1, end == std::string_view::npos ? end : end - start - 1);
    const Modifier modifier = form.modifiers.emplace_back(modifier_from_name(word));
    if (const auto type = type_from_name(word)) form.types.push_back(*type);
    if (const auto space = space_from_name(word); space && form.space == StateSpace::None) {
      form.space = *space;
    }
    if (const int width = vector_width_of(modifier)) form.vector_width = width;
    if (const auto shape = shape_from(word)) form.shape = shape;
    start = end;
  }
  if (form.space == StateSpace::None) form.space = unnamed_space(form);
  if (is_texture(form.effects().memory)) form.space = StateSpace::Tex;
  return form;
}

}  // namespace warplens::ptx
