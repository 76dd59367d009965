// tex, tld4, suld and sust on texture and surface objects. The handle is a 64-bit register; one warp may read
// several textures at once, so that lanes are served handle by handle.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/simt/buffers/texture.h"
#include "engine/simt/launch/worker.h"
#include "engine/simt/memory/memory.h"
#include "engine/simt/memory/memory_tables.h"

namespace warplens::simt {

namespace {

using ptx::OperandKind;
using trace::FaultKind;

// What Op::imm of these operations holds.
struct Texels {
  unsigned dimensions = 0;  // of the coordinates
  bool whole = false;       // integer coordinates
  unsigned elements = 0;    // registers read or written
  unsigned bytes = 0;       // surfaces: of an element
  unsigned component = 0;   // tld4
  bool layered = false;     // the first coordinate is the layer
  bool cube = false;        // the three coordinates are a direction
  enum class Outside : unsigned { Trap, Clamp, Zero } outside = Outside::Trap;

  std::uint64_t pack() const {
    return dimensions | (whole ? 4u : 0u) | elements << 3 | bytes << 6 | component << 10 |
           static_cast<unsigned>(outside) << 12 | (layered ? 1u << 14 : 0u) | (cube ? 1u << 15 : 0u);
  }
  static Texels of(const Op& op) {
    const auto word = static_cast<unsigned>(op.imm);
    Texels shape;
    shape.dimensions = word & 3;
    shape.whole = (word & 4) != 0;
    shape.elements = word >> 3 & 7;
    shape.bytes = word >> 6 & 15;
    shape.component = word >> 10 & 3;
    shape.outside = static_cast<Outside>(word >> 12 & 3);
    shape.layered = (word >> 14 & 1) != 0;
    shape.cube = (word >> 15 & 1) != 0;
    return shape;
  }
  // Of the texels, not of the coordinates.
  int texture_dimensions() const { return cube ? 2 : static_cast<int>(dimensions); }
};

// Op::list holds the rows of the coordinates (three, unused ones zero) and of the layer, then those of the
// elements.
constexpr std::size_t kLayer = 3, kFirstElement = 4;

const std::uint32_t* rows_of(const Op& op, const Warp& warp) {
  return warp.lists + op.list;
}

// "2-D layered texture"
MessageValue form_text(bool surface, bool cube, int dimensions, bool layered) {
  return value_of(Message{"fault.texture.object",
                          {{"kind", Key{surface ? "fault.texture.surface"
                                        : cube  ? "fault.texture.cubemap"
                                                : "fault.texture.texture"}},
                           {"layered", Key{layered ? "fault.texture.layered" : "fault.nothing"}},
                           {"dimensions", value_of(dimensions)}}});
}

// Whether a texture answers to a function for another form, as an H100 (driver 580.159.04, CUDA 13.0,
// 2026-11-28) does: one and two dimensions and layers of two do for each other, as many programs take
// for granted that make an array of height 1 and read it with tex1D().
bool answers(const trace::Texture& found, const Texels& shape) {
  const auto flat = [](int dimensions, bool layered, bool cube) {
    return !cube && (dimensions == 2 || (dimensions == 1 && !layered));
  };
  return !found.surface && !found.linear_memory && !shape.whole &&
         flat(found.dimensions(), found.layered, found.cube) &&
         flat(shape.texture_dimensions(), shape.layered, shape.cube);
}

// What a function may be given: the form that it is for, or one that answers as well.
enum class Given : std::uint8_t { Texture, ExactTexture, Surface };

// Who names no row reads the middle of the first.
float first_row(const BoundTexture& texture) {
  return texture.format.normalised ? 0.5f / static_cast<float>(texture.extent(1)) : 0.5f;
}

// The texture behind the handle of the first lane of `left`, and the lanes that use it. A handle that names
// none, or one that does not answer, ends the launch.
BoundTexture& texture_of(const Op& op, Warp& warp, LaneMask left, LaneMask& served, Given given) {
  const bool surface = given == Given::Surface;
  const u64* const handles = row<u64>(warp, op.a);
  const u64 handle = handles[std::countr_zero(left)];
  served = left & mask_of([&](unsigned l) { return handles[l] == handle; });
  BoundTexture* found = find_texture(warp.worker->state->textures, handle);
  const Texels shape = Texels::of(op);
  if (found == nullptr) {
    report_fault(warp, op, FaultKind::InvalidAddress, served, {"fault.texture.handle", {}}, handle);
    throw StopBlock{StopBlock::Why::Fault};
  }
  fill_texture(*found, warp.worker->state->filling_textures);
  const bool fits = found->format.surface == surface &&
                    found->format.dimensions() == shape.texture_dimensions() &&
                    found->format.layered == shape.layered && found->format.cube == shape.cube;
  if (!fits && !(given == Given::Texture && answers(found->format, shape))) {
    report_fault(warp, op, FaultKind::InvalidAddress, served,
                 {"fault.texture.form",
                  {{"found", form_text(found->format.surface, found->format.cube, found->format.dimensions(),
                                       found->format.layered)},
                   {"wanted", form_text(surface, shape.cube, shape.texture_dimensions(), shape.layered)}}},
                 handle);
    throw StopBlock{StopBlock::Why::Fault};
  }
  return *found;
}

// Tells the listeners which texels the lanes asked for: byte offsets in the texture, row after row.
void emit_texels(const Op& op, Warp& warp, LaneMask lanes, unsigned bytes, const u64* offsets) {
  const std::vector<trace::Listener*>& listeners = warp.worker->events.accesses;
  if (listeners.empty()) return;
  trace::Access access;
  access.site = warp.worker->program->instructions[op.instruction].site;
  access.warp = {warp.cta->block(), warp.index};
  access.kind = trace::SiteKind::Texture;
  access.space = trace::Space::Texture;
  access.bytes = static_cast<std::uint8_t>(bytes);
  access.active = lanes;
  access.addresses = offsets;
  find_stride(offsets, lanes, access);
  for (trace::Listener* listener : listeners) listener->on_access(access);
}

template <bool kGather>
void read_texture(const Op& op, Warp& warp, LaneMask mask) {
  const Texels shape = Texels::of(op);
  const std::uint32_t* const rows = rows_of(op, warp);
  for (LaneMask left = mask; left != 0;) {
    LaneMask served = 0;
    const BoundTexture& texture =
        texture_of(op, warp, left, served, kGather ? Given::ExactTexture : Given::Texture);
    left &= ~served;
    alignas(64) u64 offsets[kWarpSize] = {};
    Texel out[kWarpSize];
    for (LaneMask lanes = served; lanes != 0; lanes &= lanes - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(lanes));
      Coordinates at{0, shape.dimensions == 1 ? first_row(texture) : 0, 0};
      TexelIndex index{};
      for (std::size_t i = 0; i < shape.dimensions; ++i) {
        if (shape.whole) {
          index[i] = row<s32>(warp, rows[i])[l];
        } else {
          at[i] = row<float>(warp, rows[i])[l];
        }
      }
      u64 layer = shape.layered ? row<u32>(warp, rows[kLayer])[l] : 0;
      if (shape.cube) {
        const CubePlace place = on_cube(at);
        at = place.at;
        layer = std::min(layer, texture.layers() - 1) * 6 + place.face;
      }
      offsets[l] = shape.whole ? texel_offset(texture, index) : texel_offset(texture, at, layer);
      if constexpr (kGather) {
        out[l] = gather(texture, at, shape.component);
      } else {
        out[l] = shape.whole ? fetch(texture, index) : sample(texture, at, layer);
      }
    }
    emit_texels(op, warp, served, static_cast<unsigned>(texture.texel_bytes()), offsets);
    for (std::size_t c = 0; c < shape.elements; ++c) {
      u32* const d = row<u32>(warp, rows[kFirstElement + c]);
      for (LaneMask lanes = served; lanes != 0; lanes &= lanes - 1) {
        const auto l = static_cast<unsigned>(std::countr_zero(lanes));
        d[l] = out[l][c];
      }
    }
  }
  // Everything is resident.
  if (op.d != kNoRow) write_predicate(warp, op.d, mask, mask);
}

// The bytes that a lane of a surface access means; nullptr: outside, where nothing is read or written.
std::uint8_t* surface_bytes(const Op& op, Warp& warp, BoundTexture& surface, const Texels& shape, unsigned l,
                            u64& offset) {
  const std::uint32_t* const rows = rows_of(op, warp);
  const std::int64_t access = std::int64_t{shape.bytes} * shape.elements;
  std::int64_t at[3] = {0, 0, 0};
  for (std::size_t i = 0; i < shape.dimensions; ++i) {
    const std::int64_t x = row<s32>(warp, rows[i])[l];
    const std::int64_t size = static_cast<std::int64_t>(surface.extent(static_cast<int>(i))) *
                              (i == 0 ? static_cast<std::int64_t>(surface.texel_bytes()) : 1);
    const std::int64_t last = i == 0 ? size - access : size - 1;
    if (i == 0 && x % access != 0) {
      report_fault(warp, op, FaultKind::Misaligned, 1u << l,
                   {"fault.texture.misaligned", {{"x", value_of(x)}, {"bytes", value_of(access)}}});
      return nullptr;
    }
    at[i] = x;
    if (x >= 0 && x <= last) continue;
    if (shape.outside == Texels::Outside::Trap || last < 0) {
      report_fault(warp, op, FaultKind::OutOfBounds, 1u << l,
                   {"fault.texture.outside", {{"x", value_of(x)}, {"last", value_of(last)}}});
      return nullptr;
    }
    if (shape.outside == Texels::Outside::Zero) return nullptr;
    at[i] = x < 0 ? 0 : last;
  }
  const auto width = static_cast<u64>(surface.extent(0)) * surface.texel_bytes();
  u64 plane = static_cast<u64>(at[2]);
  if (shape.layered) {
    plane = row<u32>(warp, rows[kLayer])[l];
    if (plane >= surface.layers()) {
      report_fault(
          warp, op, FaultKind::OutOfBounds, 1u << l,
          {"fault.texture.layer", {{"layer", value_of(plane)}, {"layers", value_of(surface.layers())}}});
      return nullptr;
    }
  }
  offset = (plane * surface.extent(1) + static_cast<u64>(at[1])) * width + static_cast<u64>(at[0]);
  return surface.texels.data() + offset;
}

// Bytes of an element of a row: surfaces move 8-bit elements through 16-bit registers.
std::size_t lane_bytes(const Texels& shape) {
  return shape.bytes == 1 ? 2 : shape.bytes;
}

template <bool kWrite>
void access_surface(const Op& op, Warp& warp, LaneMask mask) {
  const Texels shape = Texels::of(op);
  const std::uint32_t* const rows = rows_of(op, warp);
  const std::size_t step = lane_bytes(shape);
  for (LaneMask left = mask; left != 0;) {
    LaneMask served = 0;
    BoundTexture& surface = texture_of(op, warp, left, served, Given::Surface);
    left &= ~served;
    alignas(64) u64 offsets[kWarpSize] = {};
    for (LaneMask lanes = served; lanes != 0; lanes &= lanes - 1) {
      const auto l = static_cast<unsigned>(std::countr_zero(lanes));
      std::uint8_t* texel = surface_bytes(op, warp, surface, shape, l, offsets[l]);
      for (std::size_t c = 0; c < shape.elements; ++c) {
        std::byte* element = warp.registers + rows[kFirstElement + c] + l * step;
        if constexpr (kWrite) {
          if (texel != nullptr) std::memcpy(texel + c * shape.bytes, element, shape.bytes);
        } else {
          std::memset(element, 0, step);
          if (texel != nullptr) std::memcpy(element, texel + c * shape.bytes, shape.bytes);
        }
      }
    }
    emit_texels(op, warp, served, shape.bytes * shape.elements, offsets);
  }
}

// ---- decoding

unsigned dimensions_of(const ptx::Form& form) {
  if (form.has(ptx::Modifier::OneD) || form.has(ptx::Modifier::A1d)) return 1;
  if (form.has(ptx::Modifier::TwoD) || form.has(ptx::Modifier::A2d)) return 2;
  return form.has(ptx::Modifier::ThreeD) || form.has(ptx::Modifier::Cube) || form.has(ptx::Modifier::Acube)
             ? 3
             : 0;
}

// [%rd1, {%f1, %f2}]: the handle's register and the coordinates' rows. Samplers of their own ([tex, smp,
// {...}]) and variables (.texref) belong to the texture references that CUDA 12 took away.
bool decode_place(DecodeContext& context, const ptx::Operand& operand, const Texels& shape, Op& op,
                  std::vector<std::uint32_t>& rows) {
  if (operand.kind != OperandKind::Address || operand.reg == ptx::kNone || operand.value != 0 ||
      operand.elements.size() != 1)
    return false;
  ptx::Operand handle;
  handle.kind = OperandKind::Register;
  handle.reg = operand.reg;
  if (context.width(handle, ptx::Type::U64) != 8) return false;
  op.a = context.source(handle, ptx::Type::U64);
  const ptx::Operand& coordinates = operand.elements[0];
  const bool vector = coordinates.kind == OperandKind::Vector;
  const std::size_t first = shape.layered ? 1 : 0;
  if ((vector ? coordinates.elements.size() : 1) < shape.dimensions + first) return false;
  const ptx::Type type = shape.whole ? ptx::Type::S32 : ptx::Type::F32;
  for (std::size_t i = 0; i < 3; ++i) {
    if (i >= shape.dimensions) {
      rows.push_back(0);
      continue;
    }
    const ptx::Operand& coordinate = vector ? coordinates.elements[first + i] : coordinates;
    if (context.width(coordinate, type) != 4) return false;
    rows.push_back(context.source(coordinate, type));
  }
  rows.push_back(shape.layered ? context.source(coordinates.elements[0], ptx::Type::U32) : 0);
  return context.ok();
}

bool decode_elements(DecodeContext& context, const ptx::Operand& operand, bool writes, int width,
                     Texels& shape, std::vector<std::uint32_t>& rows) {
  const bool vector = operand.kind == OperandKind::Vector && !operand.is_pair;
  if (operand.is_pair) return false;
  const std::size_t n = vector ? operand.elements.size() : 1;
  if (n > 4) return false;
  for (std::size_t i = 0; i < n; ++i) {
    const ptx::Operand& element = vector ? operand.elements[i] : operand;
    const ptx::Type type = width == 2 ? ptx::Type::U16 : width == 4 ? ptx::Type::U32 : ptx::Type::U64;
    if (element.kind != OperandKind::Sink && context.width(element, type) != width) return false;
    rows.push_back(writes ? context.destination(element) : context.source(element, type));
  }
  shape.elements = static_cast<unsigned>(n);
  return context.ok();
}

// What is written, without the predicate of {a, b, c, d}|p.
const ptx::Operand& texel_operand(DecodeContext& context, const ptx::Operand& operand, Op& op) {
  if (!operand.is_pair || operand.elements.size() != 2) return operand;
  op.d = context.predicate_destination(operand.elements[1]);
  return operand.elements[0];
}

// {d}, [t, {coordinates}]: what a fetch and a gather of four texels have in common.
template <bool kGather>
bool decode_texels(DecodeContext& context, const ptx::Instruction& in, Texels& shape, Op& op) {
  std::vector<std::uint32_t> rows;
  if (!decode_place(context, in.operands[1], shape, op, rows) ||
      !decode_elements(context, texel_operand(context, in.operands[0], op), true, 4, shape, rows))
    return false;
  op.list = context.list(rows);
  op.imm = shape.pack();
  op.set(both(&read_texture<kGather>));
  return context.ok();
}

// Arrays bound here have one level: tex.level and tex.grad read it whatever they ask for.
bool decode_tex(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  const bool level = form.has(ptx::Modifier::Level), grad = form.has(ptx::Modifier::Grad);
  if (!context.count(in, 2, 2 + (level ? 1 : 0) + (grad ? 2 : 0)) || form.types.size() != 2) return false;
  Texels shape;
  shape.dimensions = dimensions_of(form);
  shape.whole = form.type(1) == ptx::Type::S32;
  shape.cube = form.has(ptx::Modifier::Cube) || form.has(ptx::Modifier::Acube);
  shape.layered =
      form.has(ptx::Modifier::A1d) || form.has(ptx::Modifier::A2d) || form.has(ptx::Modifier::Acube);
  if (shape.whole && (shape.layered || shape.cube)) return false;
  const bool known = form.vector_width == 4 && ptx::size_of(form.type(0)) == 4 &&
                     form.type(0) != ptx::Type::F16x2 && (shape.whole || form.type(1) == ptx::Type::F32);
  if (shape.dimensions == 0 || !known) return false;
  return decode_texels<false>(context, in, shape, op);
}

bool decode_tld4(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 2, 2) || form.types.size() != 2 || form.type(1) != ptx::Type::F32) return false;
  Texels shape;
  shape.dimensions = dimensions_of(form);
  shape.component = form.has(ptx::Modifier::R)   ? 0
                    : form.has(ptx::Modifier::G) ? 1
                    : form.has(ptx::Modifier::B) ? 2
                                                 : 3;
  if (shape.dimensions != 2 || form.vector_width != 4 || ptx::size_of(form.type(0)) != 4) return false;
  return decode_texels<true>(context, in, shape, op);
}

// suld.b {d}, [s, {x, y}]   sust.b [s, {x, y}], {v}
bool decode_surface(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!context.count(in, 2, 2) || !form.has(ptx::Modifier::B)) return false;
  const bool writes = form.opcode == ptx::Opcode::Sust;
  Texels shape;
  shape.dimensions = dimensions_of(form);
  shape.whole = true;
  shape.bytes = static_cast<unsigned>(ptx::size_of(form.type()));
  shape.outside = form.has(ptx::Modifier::Zero)    ? Texels::Outside::Zero
                  : form.has(ptx::Modifier::Clamp) ? Texels::Outside::Clamp
                                                   : Texels::Outside::Trap;
  shape.layered = form.has(ptx::Modifier::A1d) || form.has(ptx::Modifier::A2d);
  if (shape.dimensions == 0 || shape.bytes == 0 || shape.bytes > 8) return false;
  std::vector<std::uint32_t> rows;
  if (!decode_place(context, in.operands[writes ? 0 : 1], shape, op, rows) ||
      !decode_elements(context, in.operands[writes ? 1 : 0], !writes, static_cast<int>(lane_bytes(shape)),
                       shape, rows) ||
      shape.elements == 0 || shape.elements == 3)
    return false;
  op.list = context.list(rows);
  op.imm = shape.pack();
  op.set(both(writes ? &access_surface<true> : &access_surface<false>));
  return context.ok();
}

// txq and suq: a size of the texture behind the handle. Op::imm is the axis, 3 for the layers.
void query(const Op& op, Warp& warp, LaneMask mask) {
  const u64* const handles = row<u64>(warp, op.a);
  u32* const d = row<u32>(warp, op.d);
  for (LaneMask lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const auto l = static_cast<unsigned>(std::countr_zero(lanes));
    const BoundTexture* texture = find_texture(warp.worker->state->textures, handles[l]);
    if (texture == nullptr) {
      report_fault(warp, op, FaultKind::InvalidAddress, 1u << l, {"fault.texture.size_of", {}}, handles[l]);
      return;
    }
    d[l] = static_cast<u32>(op.imm == 3 ? texture->layers() : texture->extent(static_cast<int>(op.imm)));
  }
}

bool decode_query(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  constexpr ptx::Modifier kSizes[] = {ptx::Modifier::Width, ptx::Modifier::Height, ptx::Modifier::Depth,
                                      ptx::Modifier::ArraySize};
  if (!context.count(in, 2, 2) || form.modifiers.size() != 2) return false;
  const auto size = std::find(std::begin(kSizes), std::end(kSizes), form.modifiers[0]);
  const ptx::Operand& place = in.operands[1];
  if (size == std::end(kSizes) || place.kind != OperandKind::Address || place.reg == ptx::kNone ||
      place.value != 0)
    return false;
  ptx::Operand handle;
  handle.kind = OperandKind::Register;
  handle.reg = place.reg;
  if (context.width(handle, ptx::Type::U64) != 8 || context.width(in.operands[0], ptx::Type::U32) != 4)
    return false;
  op.a = context.source(handle, ptx::Type::U64);
  op.d = context.destination(in.operands[0]);
  op.imm = static_cast<std::uint64_t>(size - std::begin(kSizes));
  op.set(both(&query));
  return context.ok();
}

constexpr OpcodeEntry kTextureOpcodes[] = {
    {ptx::Opcode::Tex, decode_tex},      {ptx::Opcode::Tld4, decode_tld4},
    {ptx::Opcode::Suld, decode_surface}, {ptx::Opcode::Sust, decode_surface},
    {ptx::Opcode::Txq, decode_query},    {ptx::Opcode::Suq, decode_query}};

}  // namespace

std::span<const OpcodeEntry> texture_family() {
  return kTextureOpcodes;
}

}  // namespace warplens::simt
