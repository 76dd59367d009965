// Liveness and the sharing of rows: handcrafted cases, and random graphs on which lanes run in any order on
// shared rows and must compute what each would with registers of its own.
#include "engine/ptx/facts/liveness.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "engine/base/assets.h"
#include "engine/ptx/syntax/parser.h"
#include "tests/support/places.h"

namespace warplens::ptx {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Module live_kernel(const std::string& body) {
  Result<Module> module = parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n.reg .pred %p<20>;\n.reg .b32 %r<40>;\n"
      ".reg .b64 %rd<20>;\n.reg .f32 %f<20>;\n" +
      body + "\n}\n");
  EXPECT_TRUE(module) << module.error().text() << body;
  return module ? *std::move(module) : Module{};
}

RegisterId reg(const Function& function, const std::string& name) {
  for (RegisterId i = 0; i < function.registers.size(); ++i) {
    if (function.registers[i].name == name) return i;
  }
  return kNone;
}

std::vector<std::string> names(const Function& function, const std::vector<RegisterId>& list) {
  std::vector<std::string> out;
  for (const RegisterId id : list) out.push_back(function.registers[id].name);
  return out;
}

TEST(Uses, DestinationsAndSources) {
  const Module module = live_kernel(
      "@%p1 add.s32 %r1, %r2, %r3;\nst.global.v2.u32 [%rd1+8], {%r1, %r2};\nsetp.lt.and.s32 %p2|%p3, %r1, "
      "%r2, !%p1;\n"
      "ld.global.v2.u32 {%r1, _}, [%rd1];\nbar.sync %r1;\nbar.red.popc.u32 %r4, 0, %p1;\nnanosleep.u32 %r1;\n"
      "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd2, {%r5}];\nshfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;\n"
      "red.global.add.u32 [%rd1], %r1;\natom.global.add.u32 %r2, [%rd1], %r1;");
  const Function& f = module.functions[0];
  const auto reads = [&](std::size_t i) { return names(f, uses_of(module, f, f.instructions[i]).reads); };
  const auto writes = [&](std::size_t i) { return names(f, uses_of(module, f, f.instructions[i]).writes); };
  EXPECT_THAT(reads(0), ElementsAre("%p1", "%r2", "%r3"));
  EXPECT_THAT(writes(0), ElementsAre("%r1"));
  EXPECT_THAT(reads(1), ElementsAre("%rd1", "%r1", "%r2"));
  EXPECT_THAT(writes(1), IsEmpty());
  EXPECT_THAT(writes(2), ElementsAre("%p2", "%p3"));
  EXPECT_THAT(writes(3), ElementsAre("%r1"));
  EXPECT_THAT(reads(4), ElementsAre("%r1"));
  EXPECT_THAT(writes(5), ElementsAre("%r4"));
  EXPECT_THAT(reads(6), ElementsAre("%r1"));
  EXPECT_THAT(writes(7), ElementsAre("%f1", "%f2", "%f3", "%f4"));
  EXPECT_THAT(reads(7), ElementsAre("%rd2", "%r5"));
  EXPECT_THAT(writes(8), ElementsAre("%r1", "%p1"));
  EXPECT_THAT(writes(9), IsEmpty());
  EXPECT_THAT(writes(10), ElementsAre("%r2"));
}

TEST(Liveness, AcrossALoop) {
  const Module module = live_kernel(
      "mov.u32 %r1, 0;\nmov.u32 %r2, 7;\nL: add.s32 %r1, %r1, %r2;\nmov.u32 %r3, %r1;\nsetp.lt.s32 %p1, %r3, "
      "90;\n"
      "@%p1 bra L;\nst.global.u32 [%rd1], %r1;\nret;");
  const Function& f = module.functions[0];
  const Liveness live = Liveness::compute(module, f);
  EXPECT_TRUE(live.live_in(1, reg(f, "%r1")));
  EXPECT_TRUE(live.live_in(1, reg(f, "%r2")));
  EXPECT_FALSE(live.live_in(2, reg(f, "%r2")));
  EXPECT_FALSE(live.live_in(1, reg(f, "%r3")));
  EXPECT_TRUE(live.live_in(0, reg(f, "%rd1")));  // never written
  EXPECT_EQ(live.pressure(), 5u);                // %r1, %r2, %r3 and %rd1, which counts two
}

TEST(Liveness, GuardedWritesKeepTheOldValue) {
  const Module module =
      live_kernel("mov.u32 %r1, 1;\nbra A;\nA: @%p1 mov.u32 %r1, 2;\nst.global.u32 [%rd1], %r1;");
  const Function& f = module.functions[0];
  EXPECT_TRUE(Liveness::compute(module, f).live_in(1, reg(f, "%r1")));
}

TEST(AssignRows, SharesDisjointLifetimes) {
  const Module module = live_kernel(
      "mov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\nmul.lo.u32 %r3, %r2, %r2;\nmul.lo.u32 %r4, %r3, %r3;\n"
      "st.global.u32 [%rd1], %r4;");
  const Function& f = module.functions[0];
  const RowAssignment rows = assign_rows(module, f);
  const auto row = [&](const char* name) { return rows.row[reg(f, name)]; };
  EXPECT_NE(row("%r1"), row("%r2"));  // a destination is apart from its sources
  EXPECT_EQ(row("%r1"), row("%r3"));
  EXPECT_EQ(row("%r2"), row("%r4"));
  EXPECT_EQ(rows.rows, 4u);  // two for %rd1, which is live throughout
}

TEST(AssignRows, WideRegistersTakeAnEvenPair) {
  const Module module = live_kernel(
      "mov.u32 %r1, 1;\nmov.u64 %rd1, 2;\nmov.u32 %r2, 3;\nst.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1], "
      "%r2;\n"
      "mov.u64 %rd2, 5;\nst.global.u64 [%rd2], %rd2;");
  const Function& f = module.functions[0];
  const RowAssignment rows = assign_rows(module, f);
  EXPECT_EQ(rows.row[reg(f, "%rd1")] % 2, 0u);
  EXPECT_EQ(rows.row[reg(f, "%rd2")] % 2, 0u);
  EXPECT_NE(rows.row[reg(f, "%r1")] / 2, rows.row[reg(f, "%rd1")] / 2);
  EXPECT_LE(rows.rows, 6u);
}

// Stored as 32 times 8 bytes, a wide register's first lanes lie over all lanes of its first row.
TEST(AssignRows, WidthsNeverShare) {
  const Module module = live_kernel(
      "mov.u32 %r1, 1;\nst.global.u32 [0], %r1;\nmov.u64 %rd1, 2;\nst.global.u64 [0], %rd1;\nmov.u32 %r2, "
      "1;\n"
      "st.global.u32 [0], %r2;\nmov.u64 %rd2, 2;\nst.global.u64 [0], %rd2;");
  const Function& f = module.functions[0];
  const RowAssignment rows = assign_rows(module, f);
  EXPECT_EQ(rows.rows, 4u);
  EXPECT_EQ(rows.row[reg(f, "%rd1")], rows.row[reg(f, "%rd2")]);
  EXPECT_NE(rows.row[reg(f, "%r1")] / 2, rows.row[reg(f, "%rd1")] / 2);
}

// What a warp's registers are stored in: rows of 128 bytes, a wide register's 32 lanes one after another over
// two.
struct Storage {
  std::map<std::uint32_t, std::uint8_t> bytes;
  std::map<std::uint32_t, std::uint64_t> masks;
};

// Runs `mov`, `add`, `setp`, `st` and `bra` of a function for one lane, on shared rows or on registers of its
// own.
class Lane {
 public:
  Lane(const Module& module, const Function& function, std::uint32_t lane,
       const RowAssignment* rows = nullptr, Storage* storage = nullptr)
      : module_(module),
        function_(function),
        rows_(rows),
        storage_(storage),
        lane_(lane),
        seed_(lane * 77 + 1) {}
  // False when it has left.
  bool step() {
    const Instruction& in = function_.instructions[pc_];
    const Opcode opcode = module_.form(in).opcode;
    if (opcode == Opcode::Ret || ++steps_ > 400) return false;
    const bool on = in.guard.predicate == kNone ||
                    (get(in.guard.predicate) & 1) != static_cast<std::uint64_t>(in.guard.negated);
    std::uint32_t next = pc_ + 1;
    if (on && opcode == Opcode::Bra) next = static_cast<std::uint32_t>(in.operands[0].value);
    if (on && opcode != Opcode::Bra) execute(in, opcode);
    pc_ = next;
    return true;
  }
  const std::vector<std::uint64_t>& log() const { return log_; }

 private:
  void execute(const Instruction& in, Opcode opcode) {
    if (opcode == Opcode::St) {
      log_.push_back(get(in.operands[1].reg));
    } else if (opcode == Opcode::Mov) {
      set(in.operands[0].reg, seed_ = seed_ * 1664525u + 1013904223u);
    } else {  // add, setp: any function of the sources does
      std::uint64_t value = 17;
      for (std::size_t i = 1; i < in.operands.size(); ++i) value = value * 31 + get(in.operands[i].reg);
      set(in.operands[0].reg, value >> (opcode == Opcode::Setp ? 3 : 0));
    }
  }
  std::uint32_t size(RegisterId id) const {
    return static_cast<std::uint32_t>(size_of(function_.registers[id].type));
  }
  bool is_predicate(RegisterId id) const { return function_.registers[id].type == Type::Pred; }
  std::uint64_t get(RegisterId id) {
    if (rows_ == nullptr) return own_[id];
    if (is_predicate(id)) return storage_->masks[rows_->row[id]] >> lane_ & 1;
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < size(id); ++i)
      value |= std::uint64_t{storage_->bytes[place(id) + i]} << (8 * i);
    return value;
  }
  void set(RegisterId id, std::uint64_t value) {
    if (is_predicate(id)) value &= 1;
    if (!is_predicate(id) && size(id) == 4) value &= 0xffffffffu;
    if (rows_ == nullptr) {
      own_[id] = value;
    } else if (is_predicate(id)) {
      std::uint64_t& mask = storage_->masks[rows_->row[id]];
      mask = (mask & ~(std::uint64_t{1} << lane_)) | value << lane_;
    } else {
      for (std::uint32_t i = 0; i < size(id); ++i) {
        storage_->bytes[place(id) + i] = static_cast<std::uint8_t>(value >> (8 * i));
      }
    }
  }
  std::uint32_t place(RegisterId id) const { return rows_->row[id] * 128 + lane_ * size(id); }

  const Module& module_;
  const Function& function_;
  const RowAssignment* rows_;
  Storage* storage_;
  std::uint32_t lane_, seed_;
  std::uint32_t pc_ = 0, steps_ = 0;
  std::map<RegisterId, std::uint64_t> own_;
  std::vector<std::uint64_t> log_;
};

std::string random_body(std::minstd_rand& engine) {
  const auto random = [&](unsigned n) { return (static_cast<unsigned>(engine()) >> 6) % n; };
  const unsigned blocks = 2 + random(7);
  std::string body;
  const auto r = [&] { return "%r" + std::to_string(random(10)); };
  const auto wide = [&] { return "%rd" + std::to_string(random(5)); };
  const auto p = [&] { return "%p" + std::to_string(random(4)); };
  for (unsigned i = 0; i < 10; ++i) body += "mov.u32 %r" + std::to_string(i) + ", 1;\n";
  for (unsigned i = 0; i < 5; ++i) body += "mov.u64 %rd" + std::to_string(i) + ", 1;\n";
  for (unsigned i = 0; i < 4; ++i) body += "setp.eq.s32 %p" + std::to_string(i) + ", %r1, %r2;\n";
  for (unsigned b = 0; b < blocks; ++b) {
    body += "B" + std::to_string(b) + ":\n";
    for (unsigned i = random(6); i-- > 0;) {
      const std::string guard = random(4) == 0 ? "@" + p() + " " : "";
      switch (random(6)) {
        case 0:
          body += guard + "mov.u32 " + r() + ", 1;\n";
          break;
        case 1:
          body += guard + "add.s32 " + r() + ", " + r() + ", " + r() + ";\n";
          break;
        case 2:
          body += guard + "add.s64 " + wide() + ", " + wide() + ", " + wide() + ";\n";
          break;
        case 3:
          body += "setp.eq.s32 " + p() + ", " + r() + ", " + r() + ";\n";
          break;
        case 4:
          body += "st.global.u32 [0], " + r() + ";\n";
          break;
        default:
          body += "st.global.u64 [0], " + wide() + ";\n";
      }
    }
    if (random(3) != 0) body += "@" + p() + " bra B" + std::to_string(random(blocks)) + ";\n";
    if (random(6) == 0) body += "bra B" + std::to_string(random(blocks)) + ";\n";
  }
  return body + "ret;";
}

TEST(AssignRows, LanesInAnyOrderComputeWhatTheyWouldAlone) {
  std::minstd_rand engine(11);
  std::size_t shared = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string body = random_body(engine);
    const Module module = live_kernel(body);
    const Function& f = module.functions[0];
    const RowAssignment rows = assign_rows(module, f);
    if (rows.rows < f.registers.size()) ++shared;
    Storage storage;
    std::vector<Lane> together;
    for (const std::uint32_t lane : {0u, 1u, 2u, 15u, 31u})
      together.emplace_back(module, f, lane, &rows, &storage);
    std::vector<std::size_t> running{0, 1, 2, 3, 4};
    while (!running.empty()) {  // a few steps of one lane, then of another
      const std::size_t pick = static_cast<std::size_t>(engine()) % running.size();
      for (int i = 0; i < 3; ++i) {
        if (together[running[pick]].step()) continue;
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(pick));
        break;
      }
    }
    std::size_t n = 0;
    for (const std::uint32_t lane : {0u, 1u, 2u, 15u, 31u}) {
      Lane alone(module, f, lane);
      while (alone.step()) {
      }
      ASSERT_EQ(alone.log(), together[n++].log()) << "lane " << lane << "\n" << body;
    }
  }
  EXPECT_GT(shared, 60u);  // the test means something only if rows are shared
}

// No two registers that are live at one instruction have a row in common, by a definition without sharing any
// code with the allocator: live means that a path leads to a read without an unguarded write in between.
bool is_live(const Module& module, const Function& f, std::uint32_t at, RegisterId id) {
  std::vector<bool> seen(f.instructions.size(), false);
  std::vector<std::uint32_t> open{at};
  while (!open.empty()) {
    const std::uint32_t i = open.back();
    open.pop_back();
    if (i >= f.instructions.size() || seen[i]) continue;
    seen[i] = true;
    const Instruction& in = f.instructions[i];
    const Uses uses = uses_of(module, f, in);
    if (std::count(uses.reads.begin(), uses.reads.end(), id) != 0) return true;
    if (in.guard.predicate == kNone && std::count(uses.writes.begin(), uses.writes.end(), id) != 0) continue;
    if (i + 1 < f.blocks[f.block_of[i]].last) {
      open.push_back(i + 1);
    } else {
      for (const std::uint32_t b : f.blocks[f.block_of[i]].successors) open.push_back(f.blocks[b].first);
    }
  }
  return false;
}

TEST(AssignRows, NoOverlapOnCompiledCode) {
  const auto text = read_text(std::filesystem::path(tests::source_dir()) / "tests/ptx/data/clang_sm86.ptx");
  ASSERT_TRUE(text);
  const Result<Module> module = parse(*text);
  ASSERT_TRUE(module);
  for (const Function& f : module->functions) {
    const RowAssignment rows = assign_rows(*module, f);
    EXPECT_LT(rows.rows, f.registers.size());
    for (std::uint32_t i = 0; i < f.instructions.size(); ++i) {
      std::map<std::uint32_t, RegisterId> used;
      for (RegisterId id = 0; id < f.registers.size(); ++id) {
        if (f.registers[id].type == Type::Pred || !is_live(*module, f, i, id)) continue;
        const int count = std::max(1, size_of(f.registers[id].type) / 4);
        for (int k = 0; k < count; ++k) {
          const auto [other, fresh] = used.emplace(rows.row[id] + static_cast<std::uint32_t>(k), id);
          EXPECT_TRUE(fresh) << f.registers[id].name << " and " << f.registers[other->second].name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace warplens::ptx
