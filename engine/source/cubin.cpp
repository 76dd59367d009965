#include "engine/source/cubin.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/message.h"

namespace warplens::source {
namespace {

using ptx::MachineFunction;
using ptx::MachineInstruction;
using ptx::MachineListing;
using ptx::MachineOp;
using ptx::MachinePipe;
using ptx::StateSpace;

// sm_80 to sm_90. Before, lanes that leave a loop vote on it, in several branches for one of the PTX.
// From 10.0 on branches of a whole warp have an encoding of their own, and ptxas gives them the line of
// whatever stands before them: which branch of the PTX they are cannot be told.
constexpr int kOldestTarget = 80, kNewestTarget = 90;

// Thrown inside of this file only: the bytes end, or point outside of themselves.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Bytes = std::span<const std::uint8_t>;

// Little-endian values at a place, checked.
template <typename T>
T read(Bytes bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) throw Broken("it ends too early");
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Bytes slice(Bytes bytes, std::uint64_t at, std::uint64_t size) {
  if (at > bytes.size() || bytes.size() - at < size) throw Broken("a part of it lies outside");
  return bytes.subspan(at, size);
}

std::string_view text_at(Bytes strings, std::uint64_t at) {
  if (at >= strings.size()) throw Broken("a name of it lies outside");
  const auto* const first = reinterpret_cast<const char*>(strings.data()) + at;
  return {first, strnlen(first, strings.size() - at)};
}

constexpr std::uint32_t kNoBits = 8;  // SHT_NOBITS
constexpr std::uint32_t kRela = 4;    // SHT_RELA
constexpr std::uint32_t kRel = 9;     // SHT_REL, of targets before 9.0: nothing is added
constexpr std::uint8_t kFunctionSymbol = 2;

struct Section {
  std::string_view name;
  std::uint32_t type = 0, link = 0, info = 0;
  Bytes bytes;
};

struct Symbol {
  std::string_view name;
  std::uint8_t type = 0;
  std::uint16_t section = 0;
  std::uint64_t value = 0, size = 0;
};

struct Elf {
  int target = 0;  // 90 of sm_90
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
};

// Since CUDA 13 (another number for the system) it stands a byte further up.
constexpr std::uint8_t kSystemSince13 = 0x41;

int target_of(Bytes file) {
  const auto flags = read<std::uint32_t>(file, 48);
  return static_cast<int>((file[7] == kSystemSince13 ? flags >> 8 : flags) & 0xff);
}

Elf read_elf(Bytes file) {
  constexpr std::array<std::uint8_t, 6> kMagic{0x7f, 'E', 'L', 'F', 2, 1};  // 64 bits, little-endian
  if (file.size() < 64 || !std::equal(kMagic.begin(), kMagic.end(), file.begin()))
    throw Broken("it is no 64-bit ELF file");
  const auto table = read<std::uint64_t>(file, 40);
  const auto count = read<std::uint16_t>(file, 60);
  const auto names = read<std::uint16_t>(file, 62);
  Elf elf;
  elf.target = target_of(file);
  std::vector<std::uint32_t> name_at;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Bytes header = slice(file, table + i * 64, 64);
    Section section;
    name_at.push_back(read<std::uint32_t>(header, 0));
    section.type = read<std::uint32_t>(header, 4);
    section.link = read<std::uint32_t>(header, 40);
    section.info = read<std::uint32_t>(header, 44);
    if (section.type != kNoBits)
      section.bytes = slice(file, read<std::uint64_t>(header, 24), read<std::uint64_t>(header, 32));
    elf.sections.push_back(section);
  }
  if (names >= elf.sections.size()) throw Broken("its sections have no names");
  for (std::size_t i = 0; i < elf.sections.size(); ++i)
    elf.sections[i].name = text_at(elf.sections[names].bytes, name_at[i]);
  for (const Section& section : elf.sections) {
    if (section.name != ".symtab") continue;
    if (section.link >= elf.sections.size()) throw Broken("its symbols have no names");
    const Bytes strings = elf.sections[section.link].bytes;
    for (std::uint64_t at = 0; at + 24 <= section.bytes.size(); at += 24)
      elf.symbols.push_back({text_at(strings, read<std::uint32_t>(section.bytes, at)),
                             static_cast<std::uint8_t>(read<std::uint8_t>(section.bytes, at + 4) & 15u),
                             read<std::uint16_t>(section.bytes, at + 6),
                             read<std::uint64_t>(section.bytes, at + 8),
                             read<std::uint64_t>(section.bytes, at + 16)});
  }
  return elf;
}

// From the address of an instruction to its line, one map a section.
using Lines = std::map<std::size_t, std::map<std::uint64_t, int>>;

// By the place of an address that a relocation fills in: section and distance.
using Starts = std::map<std::uint64_t, std::pair<std::size_t, std::uint64_t>>;

// A DWARF line program (version 2), as far as ptxas uses it.
class LineProgram {
 public:
  LineProgram(const Elf& elf, Bytes bytes, const Starts& starts, Lines& out)
      : elf_(elf), bytes_(bytes), starts_(starts), out_(out) {}

  void run() {
    while (unit_ + 4 < bytes_.size()) {
      const std::uint64_t end = unit_ + 4 + read<std::uint32_t>(bytes_, unit_);
      const std::uint64_t header_end = unit_ + 10 + read<std::uint32_t>(bytes_, unit_ + 6);
      unit_length_ = read<std::uint8_t>(bytes_, unit_ + 10);
      line_base_ = read<std::int8_t>(bytes_, unit_ + 12);
      line_range_ = read<std::uint8_t>(bytes_, unit_ + 13);
      opcode_base_ = read<std::uint8_t>(bytes_, unit_ + 14);
      if (line_range_ == 0 || end > bytes_.size()) throw Broken("its line table makes no sense");
      restart();
      for (at_ = header_end; at_ < end;) step();
      unit_ = end;
    }
  }

 private:
  void restart() {
    address_ = 0;
    line_ = 1;
    last_row_.reset();
  }

  std::uint64_t unsigned_number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = read<std::uint8_t>(bytes_, at_++);
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }

  std::int64_t signed_number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = read<std::uint8_t>(bytes_, at_++);
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }

  // A row ends where the next begins.
  void row() {
    fill(address_);
    last_row_ = {address_, static_cast<int>(line_)};
  }

  void fill(std::uint64_t until) {
    if (!last_row_ || section_ == nullptr) return;
    for (std::uint64_t address = last_row_->first; address < std::min(until, section_end_);
         address += kInstructionBytes)
      (*section_)[address] = last_row_->second;
  }

  void step() {
    const auto opcode = read<std::uint8_t>(bytes_, at_++);
    if (opcode >= opcode_base_) {
      const int adjusted = opcode - opcode_base_;
      address_ += static_cast<std::uint64_t>(adjusted / line_range_) * unit_length_;
      line_ += line_base_ + adjusted % line_range_;
      return row();
    }
    switch (opcode) {
      case 0:
        return extended();
      case 1:
        return row();
      case 2:
        address_ += unsigned_number() * unit_length_;
        return;
      case 3:
        line_ += signed_number();
        return;
      case 8:
        address_ += static_cast<std::uint64_t>((255 - opcode_base_) / line_range_) * unit_length_;
        return;
      case 9:
        address_ += read<std::uint16_t>(bytes_, at_);
        at_ += 2;
        return;
      case 4:
      case 5:
        unsigned_number();
        return;
      default:  // 6 and 7 have no operands
        return;
    }
  }

  void extended() {
    const std::uint64_t length = unsigned_number();
    const std::uint64_t next = at_ + length;
    const auto opcode = read<std::uint8_t>(bytes_, at_);
    if (opcode == 2) {
      address_ = read<std::uint64_t>(bytes_, at_ + 1);
      section_ = nullptr;
      if (const auto start = starts_.find(at_ + 1); start != starts_.end()) {
        if (start->second.first >= elf_.sections.size()) throw Broken("a section of it is missing");
        section_ = &out_[start->second.first];
        section_end_ = elf_.sections[start->second.first].bytes.size();
        address_ += start->second.second;
      }
    } else if (opcode == 1) {
      fill(address_);
      restart();
    }
    at_ = next;
  }

  static constexpr std::uint64_t kInstructionBytes = 16;
  const Elf& elf_;
  Bytes bytes_;
  const Starts& starts_;
  Lines& out_;
  std::map<std::uint64_t, int>* section_ = nullptr;
  std::uint64_t section_end_ = 0;
  std::optional<std::pair<std::uint64_t, int>> last_row_;
  std::uint64_t unit_ = 0, at_ = 0, address_ = 0, unit_length_ = 1;
  std::int64_t line_ = 1;
  int line_base_ = 0, line_range_ = 1, opcode_base_ = 10;
};

Lines read_lines(const Elf& elf) {
  Lines lines;
  for (std::size_t i = 0; i < elf.sections.size(); ++i) {
    if (elf.sections[i].name != ".nv_debug_line_sass") continue;
    Starts starts;
    for (const Section& relocations : elf.sections) {
      if ((relocations.type != kRela && relocations.type != kRel) || relocations.info != i) continue;
      const bool adds = relocations.type == kRela;
      const std::uint64_t size = adds ? 24 : 16;
      for (std::uint64_t at = 0; at + size <= relocations.bytes.size(); at += size) {
        const auto symbol = read<std::uint64_t>(relocations.bytes, at + 8) >> 32;
        if (symbol >= elf.symbols.size()) throw Broken("a symbol of it is missing");
        const std::uint64_t added = adds ? read<std::uint64_t>(relocations.bytes, at + 16) : 0;
        starts[read<std::uint64_t>(relocations.bytes, at)] = {elf.symbols[symbol].section,
                                                              elf.symbols[symbol].value + added};
      }
    }
    LineProgram(elf, elf.sections[i].bytes, starts, lines).run();
  }
  return lines;
}

struct Opcode {
  std::uint16_t code;  // the lower nine bits; the three above choose the form of the operands
  MachineOp op;
  StateSpace space = StateSpace::None;
};
constexpr std::array kOpcodes{
    Opcode{0x180, MachineOp::Load, StateSpace::Generic},           // LD
    Opcode{0x181, MachineOp::Load, StateSpace::Global},            // LDG
    Opcode{0x183, MachineOp::Load, StateSpace::Local},             // LDL
    Opcode{0x184, MachineOp::Load, StateSpace::Shared},            // LDS
    Opcode{0x185, MachineOp::Store, StateSpace::Generic},          // ST
    Opcode{0x186, MachineOp::Store, StateSpace::Global},           // STG
    Opcode{0x187, MachineOp::Store, StateSpace::Local},            // STL
    Opcode{0x188, MachineOp::Store, StateSpace::Shared},           // STS
    Opcode{0x1a3, MachineOp::Atomic, StateSpace::Global},          // ATOMG, floats
    Opcode{0x1a8, MachineOp::Atomic, StateSpace::Global},          // ATOMG
    Opcode{0x1a9, MachineOp::Atomic, StateSpace::Global},          // ATOMG.CAS
    Opcode{0x18a, MachineOp::Atomic, StateSpace::Generic},         // ATOM
    Opcode{0x18b, MachineOp::Atomic, StateSpace::Generic},         // ATOM.CAS
    Opcode{0x1a2, MachineOp::Atomic, StateSpace::Generic},         // ATOM, floats
    Opcode{0x18c, MachineOp::Atomic, StateSpace::Shared},          // ATOMS
    Opcode{0x18d, MachineOp::Atomic, StateSpace::Shared},          // ATOMS.CAS, ATOMS.CAST.SPIN
    Opcode{0x18e, MachineOp::Reduction, StateSpace::Global},       // RED
    Opcode{0x1a6, MachineOp::Reduction, StateSpace::Global},       // RED, floats
    Opcode{0x1ae, MachineOp::AsyncCopy, StateSpace::Global},       // LDGSTS
    Opcode{0x03b, MachineOp::MatrixLoad, StateSpace::Shared},      // LDSM
    Opcode{0x182, MachineOp::ConstantLoad, StateSpace::Const},     // LDC
    Opcode{0x0b9, MachineOp::UniformConstant, StateSpace::Const},  // ULDC
    Opcode{0x147, MachineOp::Branch},
    Opcode{0x149, MachineOp::BranchTable},  // BRX
    Opcode{0x14d, MachineOp::Exit},
    Opcode{0x145, MachineOp::Meet},   // BSSY
    Opcode{0x141, MachineOp::Met},    // BSYNC
    Opcode{0x142, MachineOp::Leave},  // BREAK
    Opcode{0x143, MachineOp::Call},   // CALL.ABS
    Opcode{0x144, MachineOp::Call},   // CALL.REL
    Opcode{0x150, MachineOp::Return},
    Opcode{0x11d, MachineOp::Barrier},
    Opcode{0x189, MachineOp::Shuffle},
    Opcode{0x006, MachineOp::Vote},
};

// What executes the others, by the same nine bits.
struct Piped {
  MachinePipe pipe;
  std::array<std::uint16_t, 32> codes;  // 0: no more
};
constexpr std::array kPipes{
    // MOV P2R R2P CS2R SEL FSEL FMNMX FSET FSETP ISETP IADD3 LEA LOP3 IABS PRMT IMNMX SHF SGXT BMSK PLOP3
    // VIADD VIADDMNMX VIMNMX I2FP F2FP VABSDIFF I2I I2IP R2UR LEPC FCHK
    Piped{MachinePipe::Alu, {0x002, 0x003, 0x004, 0x005, 0x007, 0x008, 0x009, 0x00a, 0x00b, 0x00c,
                             0x010, 0x011, 0x012, 0x013, 0x014, 0x016, 0x017, 0x019, 0x01a, 0x01b,
                             0x01c, 0x036, 0x038, 0x039, 0x03e, 0x045, 0x046, 0x048, 0x1c2, 0x14e}},
    Piped{MachinePipe::Fma, {0x020, 0x021, 0x023}},  // FMUL FADD FFMA
    Piped{MachinePipe::FmaHeavy, {0x024, 0x026}},    // IMAD IDP
    Piped{MachinePipe::Wide, {0x025, 0x027}},        // IMAD.WIDE IMAD.HI
    Piped{MachinePipe::Half,
          {0x030, 0x031, 0x032, 0x033, 0x034, 0x035, 0x040}},  // HADD2 HFMA2 HMUL2 HSET2 HSETP2 HMNMX2
    Piped{MachinePipe::Double, {0x028, 0x029, 0x02a, 0x02b}},  // DMUL DADD DSETP DFMA
    // FLO BREV FCHK F2F F2I I2F FRND MUFU POPC, and those of 64 bits
    Piped{MachinePipe::Special,
          {0x100, 0x101, 0x102, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x110, 0x111, 0x112, 0x113}},
    Piped{MachinePipe::Tensor, {0x037, 0x03c, 0x03f, 0x03a}},  // IMMA HMMA DMMA MOVM
    // UMOV UP2UR USEL UISETP UIADD3 ULEA ULOP3 UPRMT USHF UPLOP3 UIMAD VOTEU ...
    Piped{MachinePipe::Uniform,
          {0x082, 0x083, 0x084, 0x086, 0x087, 0x08c, 0x090, 0x091, 0x092, 0x096, 0x099,
           0x09a, 0x09b, 0x09c, 0x0a4, 0x0bb, 0x0be, 0x0ca, 0x0a5, 0x0a7, 0x0bd, 0x0bf}},
    Piped{MachinePipe::SpecialRegister, {0x119}},  // S2R
    Piped{MachinePipe::SpecialOfWarp, {0x1c3}},    // S2UR
    Piped{MachinePipe::Match, {0x1a1}},            // MATCH
    Piped{MachinePipe::Sync, {0x148}},             // WARPSYNC
    // NOP YIELD BMOV
    Piped{MachinePipe::Control, {0x118, 0x146, 0x155, 0x156, 0x157}},
};

MachinePipe pipe_of(std::uint64_t low) {
  const auto code = static_cast<std::uint16_t>(low & 0x1ff);
  for (const Piped& piped : kPipes)
    if (std::ranges::find(piped.codes, code) != piped.codes.end() && code != 0) return piped.pipe;
  return MachinePipe::Unknown;
}

// From bit 105 on: four of the cycles, one that keeps others from going first, three and three of
// scoreboards, six.
ptx::MachineSchedule schedule_of(std::uint64_t high) {
  const auto bits = [&](unsigned first, unsigned count) {
    return static_cast<unsigned>(high >> (first - 64)) & ((1u << count) - 1);
  };
  return ptx::MachineSchedule::of(std::max(1u, bits(105, 4)), bits(116, 6), bits(110, 3), bits(113, 3),
                                  bits(109, 1) == 0);
}

const Opcode* opcode_of(std::uint64_t low) {
  const auto found = std::ranges::find(kOpcodes, low & 0x1ff, &Opcode::code);
  return found == kOpcodes.end() ? nullptr : &*found;
}

// Bits `first` to `first + count - 1`, as a signed number.
std::int64_t signed_bits(std::uint64_t low, std::uint64_t high, unsigned first, unsigned count) {
  std::uint64_t value = first < 64 ? low >> first : high >> (first - 64);
  if (first < 64 && first + count > 64) value |= high << (64 - first);
  const unsigned unused = 64 - count;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

// In bytes from the next instruction. The low byte of a branch's distance moved with 9.0.
std::int64_t jump_of(MachineOp op, int target, std::uint64_t low, std::uint64_t high) {
  if (op == MachineOp::Meet) return signed_bits(low, high, 34, 30) * 4;
  const std::int64_t distance = signed_bits(low, high, 34, 48);
  if (target < 90) return distance * 4;
  return (distance * 256 + static_cast<std::int64_t>(low >> 16 & 0xff)) * 4;
}

constexpr std::array<std::uint8_t, 8> kWidths{1, 1, 2, 2, 4, 8, 16, 0};  // U8 S8 U16 S16 32 64 128
constexpr std::uint64_t kAlways = 7;                                     // predicate PT
constexpr std::uint64_t kParameterBank = 0;
constexpr std::uint64_t kConstantLine = 64;  // bytes

// Where a constant stands: LDC, ULDC and operands name it in the same bits.
std::uint64_t bank_of(std::uint64_t low) {
  return low >> 54 & 31;
}
std::uint16_t constant_line(std::uint64_t low) {
  return static_cast<std::uint16_t>((low >> 40 & 0x3fff) * 4 / kConstantLine);
}

// The three bits above the opcode: the second or the third operand is a constant.
bool has_constant_operand(std::uint64_t low) {
  const std::uint64_t form = low >> 9 & 7;
  return form == 3 || form == 5;
}

bool names_register(std::uint64_t low) {
  return (low >> 9 & 7) == 1;
}

// `at`, `begin`, `end`: addresses of the instruction and of its function.
MachineInstruction decode(int target, std::uint64_t low, std::uint64_t high, std::uint64_t at,
                          std::uint64_t begin, std::uint64_t end) {
  MachineInstruction out;
  const Opcode* const known = opcode_of(low);
  out.guarded = (low >> 12 & 15) != kAlways;
  out.schedule = schedule_of(high);
  if (known == nullptr) {
    out.pipe = pipe_of(low);
    if (out.pipe == MachinePipe::Sync && !names_register(low)) out.pipe = MachinePipe::Control;
    if (has_constant_operand(low) && bank_of(low) == kParameterBank) {
      out.parameter = ptx::ParameterRead::Immediate;
      out.constant_line = constant_line(low) & MachineInstruction::kLastConstantLine;
    }
    return out;
  }
  out.op = known->op;
  out.space = known->space;
  if (known->space != StateSpace::None) out.bytes = kWidths[high >> 9 & 7];
  if (known->space == StateSpace::Const && bank_of(low) == kParameterBank) {
    const bool loaded = known->op == MachineOp::ConstantLoad;
    out.op = MachineOp::Other;
    out.space = StateSpace::None;
    out.bytes = 0;
    out.parameter = loaded ? ptx::ParameterRead::Loaded : ptx::ParameterRead::Immediate;
    if (!loaded) out.pipe = MachinePipe::Uniform;
    out.constant_line = constant_line(low) & MachineInstruction::kLastConstantLine;
  } else if (out.op == MachineOp::Branch || out.op == MachineOp::Meet) {
    if (out.op == MachineOp::Branch && (high >> 27 & 1) != 0) out.op = MachineOp::BranchDivided;
    // A second predicate, beside the guard.
    if (out.op == MachineOp::Branch && (high >> 23 & 15) != kAlways) out.guarded = true;
    const std::int64_t to = static_cast<std::int64_t>(at) + 16 + jump_of(known->op, target, low, high);
    if (to >= static_cast<std::int64_t>(begin) && to < static_cast<std::int64_t>(end))
      out.target = static_cast<std::uint32_t>((static_cast<std::uint64_t>(to) - begin) / 16);
  }
  return out;
}

// A kernel's section holds the kernel, then the functions it calls ("$kernel$function") and ptxas's own
// routines ("$__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath").
std::string function_name(std::string_view symbol, std::string_view kernel) {
  if (symbol == kernel) return std::string(kernel);
  const std::string prefix = "$" + std::string(kernel) + "$";
  return symbol.starts_with(prefix) ? std::string(symbol.substr(prefix.size())) : std::string();
}

void read_section(const Elf& elf, std::size_t index, const std::map<std::uint64_t, int>& lines,
                  std::set<std::string>& seen, MachineListing& out) {
  const Section& section = elf.sections[index];
  const std::string_view kernel = section.name.substr(std::string_view(".text.").size());
  std::vector<Symbol> symbols;
  for (const Symbol& symbol : elf.symbols)
    if (symbol.section == index && symbol.type == kFunctionSymbol) symbols.push_back(symbol);
  std::ranges::sort(symbols, {}, &Symbol::value);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const std::uint64_t begin = symbols[i].value;
    // The kernel's own symbol spans the whole section.
    std::uint64_t end = i + 1 < symbols.size() ? symbols[i + 1].value : section.bytes.size();
    end = std::min<std::uint64_t>(end, section.bytes.size());
    MachineFunction function;
    function.name = function_name(symbols[i].name, kernel);
    if (function.name.empty() || !seen.insert(function.name).second) continue;
    for (std::uint64_t at = begin; at + 16 <= end; at += 16) {
      function.instructions.push_back(decode(elf.target, read<std::uint64_t>(section.bytes, at),
                                             read<std::uint64_t>(section.bytes, at + 8), at, begin, end));
      const auto line = lines.find(at);
      if (line != lines.end()) function.instructions.back().line = line->second;
    }
    if (function.name == kernel)
      function.others = static_cast<std::uint32_t>(section.bytes.size() / 16 - function.instructions.size());
    out.functions.push_back(std::move(function));
  }
}

}  // namespace

Result<MachineListing> read_cubin(Bytes bytes) {
  try {
    const Elf elf = read_elf(bytes);
    MachineListing out;
    if (elf.target < kOldestTarget || elf.target > kNewestTarget) return out;
    const Lines lines = read_lines(elf);
    std::set<std::string> seen;
    for (std::size_t i = 0; i < elf.sections.size(); ++i) {
      const auto found = lines.find(i);
      if (elf.sections[i].name.starts_with(".text.") && found != lines.end())
        read_section(elf, i, found->second, seen, out);
    }
    return out;
  } catch (const Broken& broken) {
    return told(ErrorKind::System, {"compile.cubin_unreadable", {{"why", value_of(broken.what())}}});
  }
}

}  // namespace warplens::source
