#include "engine/trace/fragments.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace warplens::trace {

using ptx::Modifier;

namespace {

constexpr std::pair<ptx::Modifier, Element> kNames[] = {
    {ptx::Modifier::F16, Element::F16},   {ptx::Modifier::Bf16, Element::BF16},
    {ptx::Modifier::Tf32, Element::TF32}, {ptx::Modifier::F32, Element::F32},
    {ptx::Modifier::F64, Element::F64},   {ptx::Modifier::S32, Element::S32},
    {ptx::Modifier::S8, Element::S8},     {ptx::Modifier::U8, Element::U8},
    {ptx::Modifier::S4, Element::S4},     {ptx::Modifier::U4, Element::U4},
    {ptx::Modifier::B1, Element::B1},     {ptx::Modifier::E4m3, Element::E4M3},
    {ptx::Modifier::E5m2, Element::E5M2}};

// Element e of a lane in an A tile of 16 (or 8) rows: registers go down the tile's two halves first, then
// along k in steps of four registers' elements.
MatrixPlace place_in_a(int lane, int e, int per_register, bool eight_rows) {
  const int r = e / per_register, i = e % per_register, halves = eight_rows ? 1 : 2;
  return {lane / 4 + 8 * (r % halves), (lane % 4) * per_register + i + 4 * per_register * (r / halves)};
}

MatrixPlace place_in_b(int lane, int e, int per_register) {
  const int r = e / per_register, i = e % per_register;
  return {(lane % 4) * per_register + i + 4 * per_register * r, lane / 4};
}

// C holds two neighbours a row, in rows l/4 and l/4 + 8.
MatrixPlace place_in_c(int lane, int e) {
  return {lane / 4 + 8 * (e / 2), (lane % 4) * 2 + e % 2};
}

// Elements of one register that are neighbours in memory: along k (A by rows, B by columns), or C's pairs.
int step_of(const Fragment& fragment, bool row_major) {
  using Use = Fragment::Use;
  const bool along = fragment.use == Use::B ? !row_major : row_major;
  if (!along) return 1;
  return fragment.use == Use::C ? 2 : fragment.per_register();
}

}  // namespace

int bits_of(Element element) {
  switch (element) {
    case Element::F64:
      return 64;
    case Element::TF32:
    case Element::F32:
    case Element::S32:
      return 32;
    case Element::F16:
    case Element::BF16:
      return 16;
    case Element::S4:
    case Element::U4:
      return 4;
    case Element::B1:
      return 1;
    default:
      return 8;
  }
}

std::string_view name(Element element) {
  constexpr std::string_view kTexts[] = {"f16", "bf16", "tf32", "f32", "f64",  "s32", "s8",
                                         "u8",  "s4",   "u4",   "b1",  "e4m3", "e5m2"};
  return kTexts[static_cast<std::size_t>(element)];
}

std::optional<Element> element_from(ptx::Modifier modifier) {
  for (const auto& [name, element] : kNames)
    if (name == modifier) return element;
  return std::nullopt;
}

MatrixPlace Fragment::place(int lane, int element_index) const {
  const int tile_rows = m == 8 ? 8 : 16;
  if (use == Use::A) {
    const int per_tile = tile_rows * k / 32, tile = element_index / per_tile;
    MatrixPlace place = place_in_a(lane, element_index % per_tile, per_register(), m == 8);
    place.row += tile_rows * tile;
    return place;
  }
  if (use == Use::B) {
    const int per_tile = 8 * k / 32;
    MatrixPlace place = place_in_b(lane, element_index % per_tile, per_register());
    place.column += 8 * (element_index / per_tile);
    return place;
  }
  const int per_tile = tile_rows * 8 / 32, tile = element_index / per_tile, across = n / 8;
  MatrixPlace place = place_in_c(lane, element_index % per_tile);
  place.row += tile_rows * (tile / across);
  place.column += 8 * (tile % across);
  return place;
}

std::optional<MatrixProduct> matrix_product(const ptx::Form& form) {
  const bool wmma = form.opcode == ptx::Opcode::Wmma;
  if (!form.shape || (form.opcode != ptx::Opcode::Mma && !(wmma && form.has(Modifier::Mma))))
    return std::nullopt;
  std::vector<Element> types;
  for (const Modifier modifier : form.modifiers)
    if (const auto element = element_from(modifier)) types.push_back(*element);
  // D A B C; wmma.mma of halves names D and C alone.
  if (types.size() == 2) types = {types[0], Element::F16, Element::F16, types[1]};
  const auto [m, n, k] = *form.shape;
  if (types.size() != 4 || m < 8 || n < 8) return std::nullopt;
  using Use = Fragment::Use;
  const MatrixProduct product{
      {Use::A, m, n, k, types[1]}, {Use::B, m, n, k, types[2]}, {Use::C, m, n, k, types[0]}};
  for (const Fragment* f : {&product.a, &product.b, &product.c})
    if (f->elements() < f->per_register()) return std::nullopt;
  return product;
}

int FragmentMovement::accesses() const {
  return matrices != 0 ? fragment.registers() / matrices : fragment.elements() / step;
}

LaneMask FragmentMovement::naming() const {
  return matrices == 0 || matrices == 4 ? kFullMask : (LaneMask{1} << 8 * matrices) - 1;
}

MatrixPlace FragmentMovement::turned_place(int lane, int element) const {
  const MatrixPlace place = fragment.place(lane, element);
  return {(place.row & ~7) | (place.column & 7), (place.column & ~7) | (place.row & 7)};
}

// With ldmatrix each register of the fragment is one matrix of eight rows of 16 bytes; lane 8m + i names row
// i of the m-th, where the lane that gets the row's first element would look for it.
FragmentMovement::Index FragmentMovement::index(int access, int lane) const {
  int holder = lane, element = access * step;
  if (matrices != 0) {
    const int matrix = lane / 8 % matrices, row = lane % 8;
    element = (access * matrices + matrix) * fragment.per_register() + (transposed ? row & 1 : 0);
    holder = transposed ? row / 2 : 4 * row;
  }
  const MatrixPlace place = turned ? turned_place(holder, element) : fragment.place(holder, element);
  return row_major ? Index{place.row, place.column} : Index{place.column, place.row};
}

std::uint64_t FragmentMovement::offset(const Index& at, std::uint64_t stride) const {
  return (static_cast<std::uint64_t>(at.lines) * stride + static_cast<std::uint64_t>(at.elements)) *
         static_cast<std::uint64_t>(bits_of(fragment.element)) / 8;
}

std::optional<FragmentMovement> fragment_movement(const ptx::Form& form) {
  FragmentMovement movement;
  movement.stores = form.has(Modifier::Store);
  if (form.opcode != ptx::Opcode::Wmma || (!movement.stores && !form.has(Modifier::Load)))
    return std::nullopt;
  // wmma.load.a.sync.aligned.row.m16n16k16{.space}.f16: fragment, layout, shape, type; the order is fixed.
  const Modifier use = form.modifiers.size() > 1 ? form.modifiers[1] : Modifier::Unknown;
  const bool a = use == Modifier::A, b = use == Modifier::B;
  movement.fragment.use = a ? Fragment::Use::A : b ? Fragment::Use::B : Fragment::Use::C;
  if (!a && !b && use != (movement.stores ? Modifier::D : Modifier::C)) return std::nullopt;
  movement.row_major = form.has(Modifier::Row);
  if (movement.row_major == form.has(Modifier::Col)) return std::nullopt;
  std::optional<Element> element;
  for (std::size_t i = 2; i < form.modifiers.size(); ++i)
    if (const auto found = element_from(form.modifiers[i])) element = found;
  if (form.shape) {
    movement.fragment.m = form.shape->m;
    movement.fragment.n = form.shape->n;
    movement.fragment.k = form.shape->k;
  }
  if (!element || movement.fragment.m == 0 || bits_of(*element) < 8) return std::nullopt;
  movement.fragment.element = *element;
  movement.step = step_of(movement.fragment, movement.row_major);
  const Fragment& fragment = movement.fragment;
  if (fragment.elements() == 0) return std::nullopt;
  if (!movement.stores && loads_matrices(form)) {
    movement.matrices = std::min(bits_of(*element) == 16 ? 4 : 2, fragment.registers());
    movement.transposed = movement.step == 1;
    return movement;
  }
  movement.turned = movement.step == 1 && fragment.use != Fragment::Use::C && bits_of(*element) == 16;
  if (movement.turned) movement.step = fragment.per_register();
  return movement;
}

bool loads_matrices(const ptx::Form& wmma_load) {
  const bool a = wmma_load.has(Modifier::A);
  if (wmma_load.space != ptx::StateSpace::Shared || (!a && !wmma_load.has(Modifier::B))) return false;
  const int bytes = ptx::size_of(wmma_load.type());
  return bytes == 2 || (bytes == 1 && wmma_load.has(a ? Modifier::Row : Modifier::Col));
}

}  // namespace warplens::trace
