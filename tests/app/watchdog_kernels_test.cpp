#include "tests/app/watchdog_kernels.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace warplens::watchdog {
namespace {

constexpr int kBlocks = 3;

// How a block can end: one of these, and where it leads.
std::vector<std::string> endings() {
  std::vector<std::string> out{"", "ret;", "@%p1 ret;"};
  for (int to = 0; to < kBlocks; ++to) {
    out.push_back(fmt::format("bra B{};", to));
    out.push_back(fmt::format("@%p1 bra B{};", to));
  }
  return out;
}

constexpr std::string_view kPrologue = R"({
.reg .pred %p<9>;
.reg .b32 %r<20>;
.reg .b64 %rd<9>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
and.b32 %r2, %r1, 1;
setp.ne.u32 %p1, %r2, 0;
setp.ge.u32 %p2, %r1, 32;
setp.gt.u32 %p3, %r1, 4096;
mov.u32 %r3, 0;
)";

constexpr std::string_view kHealthy = R"(
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
mov.u32 %r4, 7;
st.global.u32 [%rd3], %r4;
ret;
)";

constexpr std::string_view kCallee = R"(.func {0}(.param .b32 x)
{{
.reg .pred %p<4>;
.reg .b32 %r<9>;
ld.param.u32 %r1, [x];
setp.gt.s32 %p1, %r1, 3;
{1}
}}
)";

std::string callee(std::string_view name, std::string_view body) {
  return fmt::format(kCallee, name, body);
}

std::string call(std::string_view name) {
  return fmt::format("{{ .param .b32 a; st.param.b32 [a], %r1; call.uni {}, (a); }}\n", name);
}

// Loops inside of each other, `deep` of them; the outermost has an exit or none.
std::string nest(int deep, bool exit) {
  std::string out;
  for (int i = 0; i < deep; ++i) out += fmt::format("N{}: add.u32 %r3, %r3, 1;\n", i);
  for (int i = deep; i-- > 1;)
    out += fmt::format("and.b32 %r4, %r3, {};\nsetp.ne.u32 %p4, %r4, 0;\n@%p4 bra N{};\n", 2 * i + 1, i);
  return out + (exit ? "@%p1 bra N0;\nret;\n" : "bra N0;\n");
}

// A block after the other that does nothing but jump on, in a ring or to an end.
std::string chain(int blocks, bool ring) {
  std::string out;
  for (int i = 0; i < blocks; ++i) out += fmt::format("C{}: bra C{};\n", i, ring ? (i + 1) % blocks : i + 1);
  return out + (ring ? "" : fmt::format("C{}: ret;\n", blocks));
}

std::string diamonds(int count) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += fmt::format("@%p1 bra E{0};\nadd.u32 %r3, %r3, 1;\nbra F{0};\nE{0}: add.u32 %r3, %r3, 2;\nF{0}:\n",
                       i);
  return out + "ret;\n";
}

std::string table(const std::vector<std::string>& targets, std::string_view behind) {
  std::string list;
  for (const std::string& target : targets) list += (list.empty() ? "" : ", ") + target;
  return fmt::format("and.b32 %r4, %r1, {};\nTABLE: .branchtargets {};\nbrx.idx %r4, TABLE;\n{}",
                     targets.size() - 1, list, behind);
}

const std::vector<Shape>& loops() {
  static const std::vector<Shape> shapes{
      {"self_loop", "", "A: bra A;\n"},
      {"self_loop_some", "", "A: @%p1 bra A;\nret;\n"},
      {"self_loop_others", "", "A: @!%p1 bra A;\nret;\n"},
      {"self_loop_never", "", "A: @%p3 bra A;\nret;\n"},
      {"self_loop_at_end", "", "A: @%p1 bra A;\n"},
      {"ring_of_two", "", "A: add.u32 %r3, %r3, 1;\nbra B;\nB: add.u32 %r3, %r3, 2;\nbra A;\n"},
      {"ring_of_many", "", chain(50, true)},
      {"chain_of_jumps", "", chain(50, false)},
      {"next_instruction", "", "bra A;\nA: @%p1 bra B;\nB: @%p1 bra C;\nC: ret;\n"},
      {"nest_without_exit", "", nest(6, false)},
      {"nest_with_exit", "", nest(6, true)},
      {"deep_nest", "", nest(40, false)},
      {"exit_in_the_middle", "", "A: add.u32 %r3, %r3, 1;\n@%p1 bra B;\nbra A;\nB: ret;\n"},
      {"two_exits", "",
       "A: @%p1 bra B;\nadd.u32 %r3, %r3, 1;\n@%p2 bra C;\nbra A;\nB: st.global.u32 [%rd1], %r3;\nret;\nC: "
       "st.global.u32 [%rd1+4], %r3;\nret;\n"},
      {"exit_inside", "", "A: add.u32 %r3, %r3, 1;\n@%p1 exit;\nbra A;\n"},
      {"ret_inside", "", "A: add.u32 %r3, %r3, 1;\n@%p1 ret;\nbra A;\n"},
      {"two_entries", "", "@%p1 bra B;\nA: add.u32 %r3, %r3, 1;\nbra B;\nB: add.u32 %r3, %r3, 1;\nbra A;\n"},
      {"two_entries_and_exit", "",
       "@%p1 bra B;\nA: add.u32 %r3, %r3, 1;\n@%p2 bra C;\nB: add.u32 %r3, %r3, 1;\nbra A;\nC: ret;\n"},
      {"three_entries", "",
       "@%p1 bra B;\n@%p2 bra C;\nA: bra B;\nB: @%p1 bra C;\nbra A;\nC: @%p2 bra A;\nbra B;\n"},
      {"crossing_loops", "", "A: add.u32 %r3, %r3, 1;\nB: @%p1 bra A;\nC: @%p2 bra B;\nbra C;\n"},
      {"counted", "", "A: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p4, %r3, 9;\n@%p4 bra A;\nret;\n"},
      {"counted_past_its_bound", "",
       "A: add.u32 %r3, %r3, 2;\nsetp.ne.u32 %p4, %r3, 9;\n@%p4 bra A;\nret;\n"},
      {"writes_for_ever", "", "A: st.global.u32 [%rd1], %r3;\nadd.u32 %r3, %r3, 1;\nbra A;\n"},
      {"reads_for_ever", "", "A: ld.global.u32 %r4, [%rd1];\nbra A;\n"},
      {"polls_for_ever", "",
       "A: ld.volatile.global.u32 %r4, [%rd1];\nsetp.ne.u32 %p4, %r4, 12345;\n@%p4 bra A;\nret;\n"},
      {"sleeps_for_ever", "", "A: nanosleep.u32 100;\nbra A;\n"},
      {"locks_for_ever", "",
       "A: atom.global.cas.b32 %r4, [%rd1], 77, 1;\nsetp.ne.u32 %p4, %r4, 77;\n@%p4 bra A;\nret;\n"},
      {"adds_for_ever", "",
       "A: atom.global.add.u32 %r4, [%rd1], 0;\nsetp.eq.u32 %p4, %r4, 0;\n@%p4 bra A;\nbra A;\n"},
      {"votes_for_ever", "", "A: vote.sync.ballot.b32 %r4, %p1, 0xffffffff;\nbra A;\n"},
      {"shuffles_for_ever", "", "A: shfl.sync.idx.b32 %r3, %r1, 0, 31, 0xffffffff;\n@%p1 bra A;\nbra A;\n"},
      {"many_diamonds", "", diamonds(60)},
  };
  return shapes;
}

const std::vector<Shape>& ends() {
  static const std::vector<Shape> shapes{
      {"empty", "", ""},
      {"only_ret", "", "ret;\n"},
      {"no_ret", "", "add.u32 %r3, %r3, 1;\n"},
      {"no_ret_label", "", "@%p1 bra A;\nadd.u32 %r3, %r3, 1;\nA: add.u32 %r3, %r3, 1;\n"},
      {"only_trap", "", "trap;\n"},
      {"trap_some", "", "@%p1 trap;\nret;\n"},
      {"trap_never", "", "@%p3 trap;\nret;\n"},
      {"trap_in_loop", "", "A: add.u32 %r3, %r3, 1;\n@%p3 trap;\nbra A;\n"},
      {"exits", "", "@%p1 exit;\n@%p2 exit;\nexit;\n"},
      {"behind_ret", "", "ret;\nA: add.u32 %r3, %r3, 1;\nbra A;\n"},
      {"never_reached_ring", "", "ret;\nA: bra B;\nB: bra A;\n"},
      {"never_reached_way_in", "", "A: @%p1 bra A;\nret;\nB: @%p2 bra B;\nbra A;\n"},
      {"never_reached_latch", "",
       "bra H;\nU: @%p2 bra H;\nbra Q;\nH: ld.global.u32 %r4, [%rd1];\nQ: add.u32 %r3, %r3, 1;\nsetp.lt.u32 "
       "%p4, %r3, 5;\n@%p4 bra H;\nret;\n"},
      {"never_reached_into_entry", "", "A: @%p1 bra A;\nret;\nX: @%p2 bra X;\nY: bra A;\n"},
      {"brkpt", "", "brkpt;\nret;\n"},
  };
  return shapes;
}

const std::vector<Shape>& tables() {
  static const std::vector<Shape> shapes{
      {"table", "", table({"A", "B"}, "A: add.u32 %r3, %r3, 1;\nB: ret;\n")},
      {"table_of_one", "", table({"A"}, "A: ret;\n")},
      {"table_of_the_same", "", table({"A", "A", "A", "A"}, "A: ret;\n")},
      {"table_back", "", "S: add.u32 %r3, %r3, 1;\n" + table({"S", "A"}, "A: ret;\n")},
      {"table_only_back", "", "S: add.u32 %r3, %r3, 1;\n" + table({"S", "S"}, "")},
      {"table_into_itself", "",
       "S:\n" + table({"A", "B", "S", "C"}, "A: bra S;\nB: bra A;\nC: @%p1 bra B;\nret;\n")},
      {"table_some", "",
       "A: and.b32 %r4, %r1, 1;\nTABLE: .branchtargets A, B;\n@%p1 brx.idx %r4, TABLE;\nB: ret;\n"},
      {"table_beyond_its_end", "",
       "mov.u32 %r4, 9;\nTABLE: .branchtargets A, B;\nbrx.idx %r4, TABLE;\nA: ret;\nB: ret;\n"},
  };
  return shapes;
}

const std::vector<Shape>& calls() {
  static const std::vector<Shape> shapes{
      {"call", callee("c1", "ret;"), call("c1") + "ret;\n"},
      {"call_that_never_returns", callee("c2", "A: bra A;"), call("c2") + "ret;\n"},
      {"call_that_exits", callee("c3", "exit;"), call("c3") + "ret;\n"},
      {"call_that_traps", callee("c4", "@%p1 trap;\nret;"), call("c4") + "ret;\n"},
      {"call_without_ret", callee("c5", "add.u32 %r2, %r1, 1;"), call("c5") + "ret;\n"},
      {"call_in_endless_loop", callee("c6", "ret;"), "A:\n" + call("c6") + "bra A;\n"},
      {"call_some", callee("c7", "@%p1 ret;\nA: @%p1 bra A;\nret;"),
       "@%p1 bra A;\n" + call("c7") + "A: ret;\n"},
      {"recursion_without_end", "", "@CALL_SELF"},
      {"recursion_that_ends", "", "@CALL_COUNT"},
      {"mutual_recursion", "", "@CALL_EACH_OTHER"},
  };
  return shapes;
}

const std::vector<Shape>& barriers() {
  static const std::vector<Shape> shapes{
      {"barrier", "", "bar.sync 0;\nret;\n"},
      {"barrier_in_endless_loop", "", "A: bar.sync 0;\nbra A;\n"},
      {"barrier_that_one_warp_misses", "", "@%p2 bra A;\nbar.sync 0;\nA: ret;\n"},
      {"barrier_that_some_lanes_miss", "", "@%p1 bra A;\nbar.sync 0;\nA: ret;\n"},
      {"barrier_while_one_warp_loops", "",
       "@%p2 bra A;\nbar.sync 0;\nret;\nA: add.u32 %r3, %r3, 1;\nbra A;\n"},
      {"barrier_in_divergent_loop", "",
       "A: bar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p4, %r3, %r1;\n@%p4 bra A;\nret;\n"},
      {"barriers_of_two_names", "", "@%p2 bra A;\nbar.sync 1, 64;\nret;\nA: bar.sync 2, 64;\nret;\n"},
      {"barrier_of_too_many", "", "bar.sync 1, 1024;\nret;\n"},
      {"arrive_without_wait", "", "A: bar.arrive 1, 64;\n@%p1 bra A;\nret;\n"},
      {"warp_barrier_in_loop", "", "A: bar.warp.sync 0xffffffff;\n@%p1 bra A;\nbra A;\n"},
      {"warp_barrier_that_some_miss", "", "@%p1 bra A;\nbar.warp.sync 0xffffffff;\nA: ret;\n"},
      {"reducing_barrier_in_loop", "",
       "A: bar.red.popc.u32 %r3, 0, %p1;\nsetp.ne.u32 %p4, %r3, 3;\n@%p4 bra A;\nret;\n"},
  };
  return shapes;
}

// Functions that call functions need their declarations first.
Shape with_recursion(Shape shape) {
  const auto again = [](std::string_view name, std::string_view callee_name, std::string_view first) {
    return callee(name, fmt::format("{}\nadd.u32 %r2, %r1, 1;\n{{ .param .b32 a; st.param.b32 [a], %r2; "
                                    "call.uni {}, (a); }}\nret;",
                                    first, callee_name));
  };
  if (shape.body == "@CALL_SELF") {
    shape.functions = ".func self(.param .b32 x);\n" + again("self", "self", "");
    shape.body = call("self") + "ret;\n";
  } else if (shape.body == "@CALL_COUNT") {
    shape.functions = ".func count(.param .b32 x);\n" + again("count", "count", "@%p1 ret;");
    shape.body = call("count") + "ret;\n";
  } else if (shape.body == "@CALL_EACH_OTHER") {
    shape.functions = ".func ping(.param .b32 x);\n.func pong(.param .b32 x);\n" + again("ping", "pong", "") +
                      again("pong", "ping", "");
    shape.body = call("ping") + "ret;\n";
  }
  return shape;
}

}  // namespace

std::vector<Shape> generated_shapes() {
  const std::vector<std::string> ways = endings();
  std::vector<Shape> shapes;
  std::array<std::size_t, kBlocks> chosen{};
  for (;;) {
    Shape shape;
    shape.name = "g";
    for (int b = 0; b < kBlocks; ++b) {
      const std::size_t way = chosen[static_cast<std::size_t>(b)];
      shape.name += fmt::format("_{}", way);
      shape.body += fmt::format("B{}: add.u32 %r3, %r3, {};\n{}\n", b, b + 1, ways[way]);
    }
    shapes.push_back(std::move(shape));
    int b = 0;
    while (b < kBlocks && ++chosen[static_cast<std::size_t>(b)] == ways.size())
      chosen[static_cast<std::size_t>(b++)] = 0;
    if (b == kBlocks) return shapes;
  }
}

std::vector<Shape> written_shapes() {
  std::vector<Shape> shapes;
  for (const auto* group : {&loops(), &ends(), &tables(), &calls(), &barriers()})
    for (const Shape& shape : *group) shapes.push_back(with_recursion(shape));
  return shapes;
}

std::string module_of(const std::vector<Shape>& shapes) {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  const auto kernel = [&](std::string_view name, std::string_view body) {
    text += fmt::format(".visible .entry {}(.param .u64 out)\n{}{}}}\n", name, kPrologue, body);
  };
  for (const Shape& shape : shapes) {
    text += shape.functions;
    kernel(shape.name, shape.body);
  }
  kernel("healthy", kHealthy);
  return text;
}

}  // namespace warplens::watchdog
