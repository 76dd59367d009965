// wmma.load and wmma.store: a whole matrix between memory and the fragments of a warp, by the accesses that
// trace/fragments.h says.
#include <array>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/simt/memory/memory.h"
#include "engine/simt/ops/matrix.h"
#include "engine/simt/ops/op_table.h"
#include "engine/trace/fragments.h"

namespace warplens::simt {
namespace {

using ptx::Modifier;

constexpr int kMostRegisters = 32;

// What a form and its registers ask for.
struct Movement : trace::FragmentMovement {
  int registers = 0;              // as written: a multiple of the fragment's, which then repeats
  const Index* places = nullptr;  // places[access * 32 + lane]
};

// Where each lane's accesses are, for each text of a form once: they live as long as the program.
const trace::FragmentMovement::Index* kept_places(const std::string& text,
                                                  const trace::FragmentMovement& movement) {
  static std::mutex mutex;
  static std::unordered_map<std::string, std::vector<trace::FragmentMovement::Index>> all;
  const std::lock_guard lock(mutex);
  auto& places = all[text];
  if (places.empty()) {
    for (int access = 0; access < movement.accesses(); ++access)
      for (int lane = 0; lane < kWarpSize; ++lane) places.push_back(movement.index(access, lane));
  }
  return places.data();
}

// A lane's elements as bytes, one after the other.
struct LaneBytes {
  std::array<std::byte, 4 * kMostRegisters> bytes;
};

// Which lane and element of a fragment hold a place: index = row * columns + column.
struct Holder {
  std::uint8_t lane = 0, element = 0;
};
using Holders = std::array<Holder, std::size_t{32} * 16>;  // the largest of 16-bit elements
Holders holders(const Fragment& fragment) {
  Holders out{};
  for (int l = 0; l < kWarpSize; ++l)
    for (int e = 0; e < fragment.elements(); ++e) {
      const MatrixPlace place = fragment.place(l, e);
      out[static_cast<std::size_t>(place.row * fragment.columns() + place.column)] = {
          static_cast<std::uint8_t>(l), static_cast<std::uint8_t>(e)};
    }
  return out;
}

// The addresses of a step go to scratch rows, and an operation of its own moves them.
class StepAddresses {
 public:
  StepAddresses(const Op& op, Warp& warp) : op_(op), warp_(warp), access_(op) {
    access_.a = op.e;
    access_.imm = 0;
    access_.flags |= memory_flags::kWideAddress;
    const bool wide = (op.flags & memory_flags::kWideAddress) != 0;
    for (int l = 0; l < kWarpSize; ++l)
      base_[l] = op.imm + (op.a == kNoRow ? 0 : wide ? row<u64>(warp, op.a)[l] : row<u32>(warp, op.a)[l]);
  }
  // Of the first lanes.
  void take(const Movement& movement, int step, int lanes) const {
    u64* const addresses = row<u64>(warp_, op_.e);
    const Movement::Index* const places = movement.places + step * kWarpSize;
    const u32* const strides = row<u32>(warp_, op_.c);
    const auto bytes = static_cast<u64>(bits_of(movement.fragment.element)) / 8;
    for (int l = 0; l < lanes; ++l)
      addresses[l] =
          base_[l] +
          (static_cast<u64>(places[l].lines) * strides[l] + static_cast<u64>(places[l].elements)) * bytes;
  }
  const Op& access() const { return access_; }

 private:
  const Op& op_;
  Warp& warp_;
  Op access_;
  u64 base_[kWarpSize];
};

// Calls move(lane, host address, first element) for every lane and step.
template <typename F>
void for_steps(const Op& op, Warp& warp, LaneMask mask, const Movement& movement, F move) {
  const StepAddresses addresses(op, warp);
  for (int step = 0; step < movement.accesses(); ++step) {
    addresses.take(movement, step, kWarpSize);
    Prepared prepared;
    for (LaneMask left = mask; left != 0; left &= ~prepared.served) {
      prepare(addresses.access(), warp, left, prepared);
      prepared.spell_out();
      for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
        if (lane_in(prepared.mask, l)) move(l, prepared.base + prepared.offset[l], step * movement.step);
    }
  }
}

std::size_t element_bytes(const Movement& movement) {
  return static_cast<std::size_t>(bits_of(movement.fragment.element)) / 8;
}

// Each register of the fragment is one matrix of eight rows of 16 bytes; lane 8m + i names row i of the m-th.
// Lane l gets bytes 4(l%4).. of row l/4 or, transposed, element l/4 of rows 2(l%4) and 2(l%4) + 1.
void fetch_matrices(const Op& op, Warp& warp, const Movement& movement, LaneMask mask, const u32* rows) {
  const StepAddresses addresses(op, warp);
  const LaneMask naming = movement.naming();
  const int distinct = movement.fragment.registers();
  for (int step = 0; step < movement.accesses(); ++step) {
    addresses.take(movement, step, 8 * movement.matrices);
    Prepared p;
    prepare(addresses.access(), warp, naming, p);
    if (p.mask != naming) return;
    for (int m = 0; m < movement.matrices; ++m) {
      alignas(16) u16 fetched[8][8];
      for (unsigned i = 0; i < 8; ++i)
        std::memcpy(fetched[i],
                    reinterpret_cast<const void*>(p.base + p.address(8 * static_cast<unsigned>(m) + i)), 16);
      alignas(64) u32 words[kWarpSize];
      if (!movement.transposed)
        std::memcpy(words, fetched, sizeof words);
      else
        for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
          words[l] = u32{fetched[2 * (l % 4)][l / 4]} | u32{fetched[2 * (l % 4) + 1][l / 4]} << 16;
      for (int r = step * movement.matrices + m; r < movement.registers; r += distinct)
        write_lanes(row<u32>(warp, rows[r]), mask, mask == kFullMask, [&](unsigned l) { return words[l]; });
    }
  }
}

// Where each access fills whole registers of its lane. They wait in a place of their own: the rows that they
// go to may be those of the address.
template <typename Word>
void load_words(const Op& op, Warp& warp, LaneMask mask, const Movement& movement, const u32* rows) {
  alignas(64) Word loaded[kMostRegisters][kWarpSize];
  const auto distinct = static_cast<std::size_t>(movement.fragment.registers());
  std::memset(loaded, 0, distinct * sizeof loaded[0]);
  const std::size_t step_bytes = element_bytes(movement) * static_cast<std::size_t>(movement.step);
  const std::size_t words = step_bytes / sizeof(Word);
  const StepAddresses addresses(op, warp);
  for (int step = 0; step < movement.accesses(); ++step) {
    Word(*const to)[kWarpSize] = loaded + static_cast<std::size_t>(step) * words;
    addresses.take(movement, step, kWarpSize);
    Prepared p;
    for (LaneMask left = mask; left != 0; left &= ~p.served) {
      prepare(addresses.access(), warp, left, p);
      p.spell_out();
      for (std::size_t w = 0; w < words; ++w) {
        const std::uintptr_t at = p.base + w * sizeof(Word);
        const auto fetch = [&](unsigned l) {
          std::memcpy(&to[w][l], reinterpret_cast<const void*>(at + p.offset[l]), sizeof(Word));
        };
        for (unsigned l = 0; l < unsigned(kWarpSize); ++l)
          if (p.mask == kFullMask || lane_in(p.mask, l)) fetch(l);
      }
    }
  }
  for (std::size_t r = 0; r < static_cast<std::size_t>(movement.registers); ++r) {
    const Word* const from = loaded[r % distinct];
    write_lanes(row<Word>(warp, rows[r]), mask, mask == kFullMask, [=](unsigned l) { return from[l]; });
  }
}

// A copy: lists are of words, so that what lies in one may begin at any word.
Movement movement_of(const Op& op, const Warp& warp) {
  Movement movement;
  std::memcpy(static_cast<void*>(&movement), warp.lists + op.list, sizeof(Movement));
  return movement;
}

void load_handler(const Op& op, Warp& warp, LaneMask mask) {
  const Movement movement = movement_of(op, warp);
  const u32* rows = warp.lists + op.list + sizeof(Movement) / sizeof(u32);
  if (movement.matrices != 0) return fetch_matrices(op, warp, movement, mask, rows);
  const std::size_t size = element_bytes(movement), step = size * static_cast<std::size_t>(movement.step);
  const bool doubles = movement.fragment.element == Element::F64;
  if (doubles && !movement.turned) return load_words<u64>(op, warp, mask, movement, rows);
  if (step % 4 == 0 && !movement.turned) return load_words<u32>(op, warp, mask, movement, rows);
  LaneBytes lanes[kWarpSize] = {};
  const auto holder = movement.turned ? holders(movement.fragment) : Holders{};
  const auto take = [&](unsigned l, std::uintptr_t at, int e) {
    if (!movement.turned) {
      std::memcpy(lanes[l].bytes.data() + size * static_cast<std::size_t>(e),
                  reinterpret_cast<const void*>(at), step);
      return;
    }
    for (int i = 0; i < movement.step; ++i) {
      const MatrixPlace place = movement.turned_place(static_cast<int>(l), e + i);
      const Holder& to =
          holder[static_cast<std::size_t>(place.row * movement.fragment.columns() + place.column)];
      std::memcpy(lanes[to.lane].bytes.data() + size * to.element,
                  reinterpret_cast<const void*>(at + size * static_cast<std::size_t>(i)), size);
    }
  };
  for_steps(op, warp, mask, movement, take);
  const std::size_t width = doubles ? 8 : 4;
  const auto distinct = static_cast<std::size_t>(movement.fragment.registers());
  for (std::size_t r = 0; r < static_cast<std::size_t>(movement.registers); ++r)
    for (std::size_t l = 0; l < kWarpSize; ++l)
      if (lane_in(mask, static_cast<unsigned>(l)))
        std::memcpy(warp.registers + rows[r] + l * width, lanes[l].bytes.data() + (r % distinct) * width,
                    width);
}

void store_handler(const Op& op, Warp& warp, LaneMask mask) {
  const Movement movement = movement_of(op, warp);
  const u32* rows = warp.lists + op.list + sizeof(Movement) / sizeof(u32);
  const std::size_t size = element_bytes(movement), step = size * static_cast<std::size_t>(movement.step);
  const std::size_t width = movement.fragment.element == Element::F64 ? 8 : 4;
  LaneBytes lanes[kWarpSize] = {};
  for (std::size_t r = 0; r < static_cast<std::size_t>(movement.fragment.registers()); ++r)
    for (std::size_t l = 0; l < kWarpSize; ++l)
      std::memcpy(lanes[l].bytes.data() + r * width, warp.registers + rows[r] + l * width, width);
  for_steps(op, warp, mask, movement, [&](unsigned l, std::uintptr_t at, int e) {
    std::memcpy(reinterpret_cast<void*>(at), lanes[l].bytes.data() + size * static_cast<std::size_t>(e),
                step);
  });
}

// The shape must be one of wmma's: a fragment of it is asked for with fitting types.
bool is_known(const Fragment& fragment) {
  const ptx::MatrixShape shape{fragment.m, fragment.n, fragment.k};
  constexpr Element inputs[] = {Element::F16, Element::BF16, Element::TF32,
                                Element::F64, Element::S8,   Element::U8};
  constexpr Element sums[] = {Element::F16, Element::F32, Element::F64, Element::S32};
  for (const Element input : inputs)
    for (const Element sum : sums) {
      const bool fits =
          fragment.use == Fragment::Use::C ? sum == fragment.element : input == fragment.element;
      if (fits && matrix_form(shape, input, input, sum, sum)) return true;
    }
  return false;
}

bool decode_movement(DecodeContext& context, const ptx::Form& form, const ptx::Instruction& in, Op& op) {
  if (!form.has(Modifier::Load) && !form.has(Modifier::Store)) return false;
  const auto asked = trace::fragment_movement(form);
  if (!asked || !is_known(asked->fragment) || !context.count(in, 2, 3)) return false;
  Movement movement{*asked};
  const ptx::Operand& address = in.operands[movement.stores ? 0 : 1];
  const ptx::Operand& registers = in.operands[movement.stores ? 1 : 0];
  const bool vector = registers.kind == ptx::OperandKind::Vector;
  const std::size_t count = vector ? registers.elements.size() : 1;
  const auto distinct = static_cast<std::size_t>(movement.fragment.registers());
  if (count < distinct || count % distinct != 0 || count > kMostRegisters) return false;
  movement.registers = static_cast<int>(count);
  movement.places = kept_places(form.text, movement);
  const auto bytes = static_cast<unsigned>(movement.bytes());
  if (!decode_address(context, form, address, op, bytes, 1)) return false;
  op.c = in.operands.size() == 3 ? source_row(context, in.operands[2], Type::B32)
                                 : context.constant(movement.default_stride(), 4);
  op.e = context.scratch(2);
  // The description travels in front of the rows.
  std::vector<u32> list(sizeof(Movement) / sizeof(u32));
  std::memcpy(list.data(), &movement, sizeof(Movement));
  const Type type = movement.fragment.element == Element::F64 ? Type::F64 : Type::B32;
  for (std::size_t i = 0; i < count; ++i) {
    const ptx::Operand& part = vector ? registers.elements[i] : registers;
    list.push_back(movement.stores ? source_row(context, part, type) : destination_row(context, part, type));
  }
  static_assert(sizeof(Movement) % sizeof(u32) == 0 && std::is_trivially_copyable_v<Movement>);
  op.list = context.list(list);
  op.flags |= kConvergesWarp;
  op.set(both(movement.stores ? &store_handler : &load_handler));
  return context.ok();
}

constexpr OpcodeEntry kEntries[] = {{ptx::Opcode::Wmma, decode_movement}};

}  // namespace

std::span<const OpcodeEntry> wmma_entries() {
  return kEntries;
}

}  // namespace warplens::simt
