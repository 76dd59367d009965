// The parser on hand-written PTX: every declaration, operand and directive, and what it says about errors.
#include "engine/ptx/syntax/parser.h"

#include <gmock/gmock.h>

#include <bit>
#include <string>

#include "engine/base/message.h"

namespace warplens::ptx {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kHeader = ".version 8.0\n.target sm_80\n.address_size 64\n";

Module parsed(const std::string& text) {
  Result<Module> module = parse(text);
  EXPECT_TRUE(module) << module.error().text();
  return module ? *std::move(module) : Module{};
}

// A kernel with the given body and a few registers.
Module kernel(const std::string& body) {
  return parsed(std::string(kHeader) +
                ".visible .entry k(.param .u64 p, .param .u32 n) {\n.reg .pred %p<4>;\n.reg .b32 %r<10>;\n"
                ".reg .f32 %f<10>;\n.reg .b64 %rd<10>;\n" +
                body + "\n}\n");
}

const Instruction& first(const Module& module) {
  return module.functions.at(0).instructions.at(0);
}

std::string error_of(const std::string& text) {
  const Result<Module> module = parse(text, {.file = "t.ptx"});
  return module ? "no error" : module.error().text();
}

std::string error_in_kernel(const std::string& body) {
  return error_of(std::string(kHeader) + ".entry k() {\n.reg .pred %p<4>;\n.reg .b32 %r<10>;\n" + body +
                  "\n}\n");
}

TEST(Parser, Header) {
  const Module module = parsed(".version 7.8\n.target sm_90a, debug\n.address_size 64\n");
  EXPECT_EQ(module.version_major, 7);
  EXPECT_EQ(module.version_minor, 8);
  EXPECT_EQ(module.target, "sm_90a");
  EXPECT_THAT(module.target_options, ElementsAre("debug"));
}

TEST(Parser, WideLoad) {
  const Module module = kernel("ld.global.nc.v4.f32 {%f1,%f2,_,%f4}, [%rd4+16];");
  const Instruction& load = first(module);
  const Form& form = module.form(load);
  EXPECT_EQ(form.opcode, Opcode::Ld);
  EXPECT_THAT(form.modifiers, ElementsAre(Modifier::Global, Modifier::Nc, Modifier::V4, Modifier::F32));
  EXPECT_EQ(form.type(), Type::F32);
  EXPECT_EQ(form.space, StateSpace::Global);
  EXPECT_EQ(form.vector_width, 4);
  ASSERT_EQ(load.operands.size(), 2u);
  ASSERT_EQ(load.operands[0].elements.size(), 4u);
  EXPECT_EQ(load.operands[0].elements[2].kind, OperandKind::Sink);
  EXPECT_EQ(load.operands[1].kind, OperandKind::Address);
  EXPECT_EQ(load.operands[1].value, 16);
  EXPECT_EQ(module.functions[0].registers[load.operands[1].reg].name, "%rd4");
  EXPECT_EQ(load.operands[1].type, Type::B64);
}

TEST(Parser, FormsAreStoredOnce) {
  const Module module = kernel("add.s32 %r1,%r2,%r3; add.s32 %r1,%r1,1; add .s32 %r1,%r1,1;");
  const auto& code = module.functions[0].instructions;
  EXPECT_EQ(code[0].form, code[1].form);
  EXPECT_EQ(module.form(code[2]).text, "add.s32");
}

TEST(Parser, GenericAndQualifiedSpaces) {
  const Module module = kernel(
      "ld.u32 %r1,[%rd1]; ld.shared::cta.u32 %r1,[%r2]; ld.param::entry.u32 %r1,[n]; add.u32 %r1,%r1,%r1;"
      "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f1,%f2}]; cp.async.ca.shared.global [%r1], [%rd1], 16;");
  const auto& code = module.functions[0].instructions;
  EXPECT_EQ(module.form(code[0]).space, StateSpace::Generic);
  EXPECT_EQ(module.form(code[1]).space, StateSpace::Shared);
  EXPECT_EQ(module.form(code[2]).space, StateSpace::Param);
  EXPECT_EQ(module.form(code[3]).space, StateSpace::None);
  EXPECT_EQ(module.form(code[4]).space, StateSpace::Tex);
  EXPECT_EQ(module.form(code[5]).space, StateSpace::Shared);
  ASSERT_EQ(code[4].operands[1].elements.size(), 1u);
  EXPECT_EQ(code[4].operands[1].elements[0].elements.size(), 2u);
}

TEST(Parser, Immediates) {
  const Module module = kernel(
      "mov.u32 %r1, 0x2A; mov.u32 %r1, 052; mov.u32 %r1, 0b101010; mov.u32 %r1, 42U; mov.s32 %r1, -42;"
      "mov.u64 %rd1, 18446744073709551615; mov.f32 %f1, 0f3F800000; mov.f32 %f1, 1.5; mov.f32 %f1, -2.5e-1;"
      "mov.u32 %r1, (4+4)*5+2; mov.u32 %r1, ~0; mov.u32 %r1, WARP_SZ; mov.u32 %r1, 1 << 4 | 2; mov.u32 %r1, "
      "7 > 3 ? 8 : 9;");
  const auto value = [&](std::size_t i) { return module.functions[0].instructions[i].operands[1].value; };
  for (const std::size_t i : {0u, 1u, 2u, 3u, 9u}) EXPECT_EQ(value(i), 42) << i;
  EXPECT_EQ(value(4), -42);
  EXPECT_EQ(value(5), -1);
  EXPECT_EQ(value(6), 0x3f800000);
  EXPECT_EQ(value(7), std::bit_cast<std::int32_t>(1.5f));
  EXPECT_EQ(value(8), std::bit_cast<std::uint32_t>(-0.25f));
  EXPECT_EQ(value(10), -1);
  EXPECT_EQ(value(11), 32);
  EXPECT_EQ(value(12), 18);
  EXPECT_EQ(value(13), 8);
  EXPECT_EQ(module.functions[0].instructions[7].operands[1].type, Type::F32);
}

TEST(Parser, OperandKinds) {
  const Module module = kernel(
      ".local .align 8 .b8 depot[64];\n"
      "setp.lt.and.s32 %p1|%p2, %r1, %tid.x, !%p3;\n"
      "mov.u64 %rd1, depot+8;\n"
      "ld.local.u32 %r1, [depot+-4];\n"
      "mov.b64 {%r1, %r2}, %rd1;\n"
      "atom.global.add.u32 _, [%rd1], 1;\n"
      "mov.u32 %r3, %envreg12;\n"
      "ld.global.u32 %r1, [0x100];\n"
      "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;");
  const auto& code = module.functions[0].instructions;
  EXPECT_TRUE(code[0].operands[0].is_pair);
  EXPECT_EQ(code[0].operands[2].special, SpecialRegister::TidX);
  EXPECT_TRUE(code[0].operands[3].negated);
  EXPECT_EQ(code[1].operands[1].kind, OperandKind::Symbol);
  EXPECT_EQ(code[1].operands[1].symbol, "depot");
  EXPECT_EQ(code[1].operands[1].value, 8);
  EXPECT_EQ(code[2].operands[1].symbol, "depot");
  EXPECT_EQ(code[2].operands[1].value, -4);
  EXPECT_EQ(code[3].operands[0].elements.size(), 2u);
  EXPECT_EQ(code[4].operands[0].kind, OperandKind::Sink);
  EXPECT_EQ(code[5].operands[1].special, SpecialRegister::EnvReg);
  EXPECT_EQ(code[5].operands[1].value, 12);
  EXPECT_EQ(code[6].operands[1].reg, kNone);
  EXPECT_EQ(code[6].operands[1].value, 256);
}

TEST(Parser, GuardsAndLabels) {
  const Module module = kernel("@%p1 bra DONE;\n@!%p2 add.s32 %r1,%r1,1;\nDONE:\nret;");
  const Function& function = module.functions[0];
  EXPECT_FALSE(function.instructions[0].guard.negated);
  EXPECT_TRUE(function.instructions[1].guard.negated);
  EXPECT_EQ(function.instructions[0].operands[0].kind, OperandKind::Label);
  EXPECT_EQ(function.instructions[0].operands[0].value, 2);
  EXPECT_EQ(function.labels.at("DONE"), 2u);
}

TEST(Parser, ScopesShadowRegistersAndLabels) {
  const Module module = kernel(
      "{ .reg .pred p; setp.eq.s32 p, %r1, 0; @p bra L; trap; L: }\n"
      "{ .reg .b32 p; mov.u32 p, 1; bra L; L: }\nret;");
  const Function& function = module.functions[0];
  const auto& code = function.instructions;
  EXPECT_EQ(function.registers[code[0].operands[0].reg].type, Type::Pred);
  EXPECT_EQ(function.registers[code[3].operands[0].reg].type, Type::B32);
  EXPECT_NE(function.registers[code[0].operands[0].reg].name,
            function.registers[code[3].operands[0].reg].name);
  EXPECT_EQ(code[1].operands[0].value, 3);
  EXPECT_EQ(code[4].operands[0].value, 5);
  EXPECT_NE(code[1].operands[0].symbol, code[4].operands[0].symbol);
}

TEST(Parser, RangesDeclareOnlyWhatIsUsed) {
  const Module module = kernel(".reg .b16 %h1<3>;\nmov.b16 %h12, 1;\nmov.u32 %r9, 2;");
  const Function& function = module.functions[0];
  ASSERT_EQ(function.registers.size(), 2u);
  EXPECT_EQ(function.registers[0].name, "%h12");
  EXPECT_EQ(function.registers[0].type, Type::B16);
}

TEST(Parser, Variables) {
  const Module module =
      parsed(std::string(kHeader) +
             ".extern .shared .align 16 .b8 dynamic[];\n"
             ".visible .const .align 8 .f64 table[2][3] = {{1.0, 2.0}, {0d4008000000000000}};\n"
             ".global .u32 a, b = 7;\n"
             ".global .align 8 .u64 pointer = generic(b)+4;\n"
             ".global .align 1 .b8 text[] = {104, 105, 0};\n"
             ".global .v4 .f32 four = {1.0, 2.0, 3.0, 4.0};\n"
             ".global .align 8 .b8 split[8] = {0xFF(b), 0xFF00(b), 0xFF0000(b), 0xFF000000(b), "
             "0xFF00000000(b), 0xFF0000000000(b), 0xFF000000000000(b), 0xFF00000000000000(b)};\n"
             ".weak .global .attribute(.managed) .f32 managed;\n");
  const Variable* dynamic = module.find_variable("dynamic");
  ASSERT_NE(dynamic, nullptr);
  EXPECT_TRUE(dynamic->is_extern);
  EXPECT_EQ(dynamic->count, 0u);
  EXPECT_EQ(dynamic->alignment, 16u);
  const Variable* table = module.find_variable("table");
  EXPECT_EQ(table->bytes(), 48u);
  ASSERT_EQ(table->initial.size(),
            32u);  // rows are filled in place: the fourth element is the second row's first
  EXPECT_EQ(table->initial[31], 0x40);
  EXPECT_EQ(table->initial[30], 0x08);
  EXPECT_EQ(module.find_variable("b")->initial, (std::vector<std::uint8_t>{7, 0, 0, 0}));
  const Relocation& pointer = module.find_variable("pointer")->relocations.at(0);
  EXPECT_TRUE(pointer.generic);
  EXPECT_EQ(pointer.symbol, "b");
  EXPECT_EQ(pointer.addend, 4);
  EXPECT_EQ(module.find_variable("text")->count, 3u);
  EXPECT_EQ(module.find_variable("four")->bytes(), 16u);
  EXPECT_EQ(module.find_variable("four")->initial[15], 0x40);
  ASSERT_EQ(module.find_variable("split")->relocations.size(), 1u);
  EXPECT_EQ(module.find_variable("split")->relocations[0].bytes, 8);
  EXPECT_TRUE(module.find_variable("managed")->is_weak);
  EXPECT_EQ(module.find_variable("managed")->attribute, ".managed");
}

TEST(Parser, ParametersWithPointers) {
  const Module module = parsed(std::string(kHeader) +
                               ".entry k(.param .u64 .ptr .global .align 4 a, .param .u64 .ptr .align 1 b, "
                               ".param .align 16 .b8 c[32]) .maxntid 256, 1, 1 .minnctapersm 2 .maxnreg 64 "
                               ".explicitcluster .reqnctapercluster 2, 1, 1 { ret; }");
  const Function& function = module.functions.at(0);
  EXPECT_EQ(function.parameters[0].pointee_space, StateSpace::Global);
  EXPECT_EQ(function.parameters[0].pointee_alignment, 4u);
  EXPECT_EQ(function.parameters[0].alignment, 8u);
  EXPECT_EQ(function.parameters[1].pointee_space, StateSpace::Generic);
  EXPECT_EQ(function.parameters[2].bytes(), 32u);
  EXPECT_THAT(function.max_threads, ElementsAre(256, 1, 1));
  EXPECT_EQ(function.min_blocks_per_sm, 2u);
  EXPECT_EQ(function.max_registers, 64u);
  EXPECT_THAT(function.directives, ElementsAre(".explicitcluster", ".reqnctapercluster 2, 1, 1"));
}

TEST(Parser, Calls) {
  const Module module = parsed(std::string(kHeader) +
                               ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
                               ".func (.param .b32 r) f(.param .b32 x);\n"
                               ".entry k() { .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
                               "{ .param .b32 p0; .param .b32 v; call.uni (v), f, (p0); }\n"
                               "{ .param .b32 p0; .param .b32 v; call (v), f, (p0); }\n"
                               "{ .param .b32 p0; proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                               "  .param .b32 v; call (v), %rd1, (p0), proto; }\n"
                               "call g; ret; }\n"
                               ".func g() { ret; }\n"
                               ".func (.param .b32 r) f(.param .b32 x) { ret; }\n");
  const Function* entry = module.find_function("k");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->locals.size(), 2u);  // the calls' parameters share their storage
  EXPECT_EQ(entry->instructions[0].operands[0].symbol, "f");
  EXPECT_EQ(entry->instructions[0].call_returns[0].symbol, "v");
  EXPECT_EQ(entry->instructions[2].operands[0].kind, OperandKind::Register);
  EXPECT_EQ(entry->instructions[2].prototype, "proto");
  EXPECT_THAT(entry->prototypes.at("proto"), HasSubstr("_ (.param .b32 _)"));
  EXPECT_EQ(entry->instructions[3].operands[0].symbol, "g");
  EXPECT_FALSE(module.find_function("f")->is_extern);
  EXPECT_TRUE(module.find_function("vprintf")->is_extern);
}

TEST(Parser, BranchTable) {
  const Module module = kernel("ts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA: add.s32 %r1,%r1,1;\nB: ret;");
  const Function& function = module.functions[0];
  EXPECT_EQ(function.instructions[0].prototype, "ts");
  EXPECT_THAT(function.target_lists.at("ts"), ElementsAre("A", "B"));
  EXPECT_THAT(function.blocks[0].successors, ElementsAre(1u, 2u));
}

TEST(Parser, SourceLinesWithInlining) {
  const Module module =
      parsed(std::string(kHeader) +
             ".entry k() { .reg .b32 %r<3>;\n.loc 1 8 0\nmov.u32 %r1, 1;\n"
             ".loc 1 9 2\n.loc 2 122 3, function_name $L__s0, inlined_at 1 9 2\n"
             ".loc 2 115 4, function_name $L__s0+4, inlined_at 2 122 3\nmov.u32 %r1, 2; ret; }\n"
             ".file 1 \"a.cu\"\n.file 2 \"b.h\", 12, 34\n"
             ".section .debug_str {\n$L__s0:\n.b8 102,111,111,0\n.b8 98,0\n}\n"
             ".section .debug_info { .b32 $L__s0 { } \"}\" }\n");
  EXPECT_THAT(module.files, ElementsAre("", "a.cu", "b.h"));
  const Function& function = module.functions[0];
  EXPECT_EQ(function.source_lines[function.instructions[0].source].line, 8);
  const SourceLine& inner = function.source_lines[function.instructions[1].source];
  EXPECT_EQ(inner.function, "b");
  EXPECT_EQ(inner.line, 115);
  const SourceLine& middle = function.source_lines[inner.inlined_at];
  EXPECT_EQ(middle.function, "foo");
  EXPECT_EQ(middle.file, 2);
  const SourceLine& outer = function.source_lines[middle.inlined_at];
  EXPECT_EQ(outer.line, 9);
  EXPECT_EQ(outer.inlined_at, kNone);
}

TEST(Parser, BodiesEndInAReturn) {
  const Module module = kernel("@%p1 bra END;\nmov.u32 %r1, 1;\nEND:");
  const Function& function = module.functions[0];
  ASSERT_EQ(function.instructions.size(), 3u);
  EXPECT_EQ(module.form(function.instructions[2]).opcode, Opcode::Ret);
  EXPECT_EQ(function.instructions[0].operands[0].value, 2);
}

TEST(Parser, UnknownOpcodesAreKept) {
  const Module module = kernel("frobnicate.sync.b32 %r1, [%rd1], {%r2, %r3}, 5;");
  EXPECT_EQ(module.form(first(module)).opcode, Opcode::Unknown);
  EXPECT_EQ(module.form(first(module)).text, "frobnicate.sync.b32");
}

TEST(Parser, Errors) {
  EXPECT_EQ(error_of(""), "t.ptx:1:1: expected .version, found a text without it: is this PTX?");
  EXPECT_THAT(error_of("int main() {}"), HasSubstr("t.ptx:1:1: expected a directive such as .entry"));
  EXPECT_THAT(error_in_kernel("add.s32 %r1, %r2, %x;"),
              HasSubstr("t.ptx:7:19: the register '%x' is not declared"));
  EXPECT_THAT(error_in_kernel("add.s32 %r1, %r2 %r3;"),
              HasSubstr("t.ptx:7:18: expected ';' after an instruction"));
  EXPECT_THAT(error_in_kernel("bra NOWHERE;"), HasSubstr("t.ptx:7:5: the label 'NOWHERE' is not declared"));
  EXPECT_THAT(error_in_kernel("mov.u32 %r10, 1;"), HasSubstr("the register '%r10' is not declared"));
  EXPECT_THAT(error_in_kernel("mov.u32 %r1, nothing;"), HasSubstr("t.ptx:7:14: 'nothing' is not declared"));
  EXPECT_THAT(error_in_kernel("@%r1 bra L; L:"), HasSubstr("is not a .pred register"));
  EXPECT_THAT(error_in_kernel("mov.u32 %r1, 99999999999999999999;"),
              HasSubstr("is not a number that fits 64 bits"));
  EXPECT_THAT(error_in_kernel("ld.global.u32 %r1, [%r1+1.5];"), HasSubstr("expected an integer offset"));
  EXPECT_THAT(error_in_kernel("L: L:"), HasSubstr("the label 'L' is declared twice"));
  EXPECT_THAT(error_of(std::string(kHeader) + ".entry k() { ret;"), HasSubstr("found the end of the text"));
  EXPECT_THAT(error_of(std::string(kHeader) + ".global .b8 x[999999999999][9];"),
              HasSubstr("larger than 2^40 bytes"));
}

// Each failure of a module is told in Chinese too, every part of it.
TEST(Parser, ErrorsAreToldInTheReadersLanguage) {
  const Catalogue chinese = Catalogue::load("zh").value();
  const auto told_of = [&](const std::string& text) {
    const Result<Module> module = parse(text);
    EXPECT_FALSE(module) << text;
    return module ? std::string() : chinese.text(module.error());
  };
  const auto in_kernel = [&](const std::string& body) {
    return told_of(std::string(kHeader) + ".entry k() {\n.reg .b32 %r<10>;\n" + body + "\n}");
  };
  EXPECT_EQ(in_kernel("add.s32 %r1, %r2 %r3;"), "这里应为指令后面的“;”，却是“%r3;”");
  EXPECT_EQ(in_kernel("bra NOWHERE;"), "标号“NOWHERE”没有声明");
  EXPECT_EQ(told_of(std::string(kHeader) + ".entry k() { ret;"), "这里应为指令、标号或“}”，文本却已结束");
  EXPECT_EQ(told_of(std::string(kHeader) + ".address_size 65"), ".address_size 必须是 0 到 64 之间的整数");
  for (const char* body :
       {"mov.u32 %r1, nothing;", "@%r1 bra L; L:", "mov.u32 %r1, 99999999999999999999;",
        "L: L:", "ld.global.u32 %r1, [%r1+1.5];", ".reg .b32 %r<10>;", "mov.u32 %r1, -%r2;", "call 5;", "bra",
        ".pragma 5;", ".local .align 3 .b8 x[4];", ".local .b8 x[4] = {1, 2, 3, 4, 5};"}) {
    const std::string told = in_kernel(body);
    EXPECT_THAT(told, Not(HasSubstr("ptx."))) << body;
    EXPECT_THAT(told, AnyOf(HasSubstr("应为"), HasSubstr("没有"), HasSubstr("不"), HasSubstr("两次"),
                            HasSubstr("必须"), HasSubstr("多")))
        << body;
  }
}

TEST(Parser, RefusesLongTexts) {
  const Result<Module> module = parse("12345", {.max_bytes = 4});
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().message, HasSubstr("at most 4"));
}

TEST(FindEntry, PlainMangledAndTemplateNames) {
  const Module module = parsed(
      std::string(kHeader) +
      ".entry _Z5scalePfi() { ret; }\n.entry _Z4sizeIfLi4EEvPT_i() { ret; }\n"
      ".entry _Z4sizeIfLi8EEvPT_i() { ret; }\n.entry _ZN2ns1kIjEEvPT_() { ret; }\n.entry raw() { ret; }");
  EXPECT_EQ((*module.find_entry("scale"))->name, "_Z5scalePfi");
  EXPECT_EQ((*module.find_entry("scale"))->demangled, "scale(float*, int)");
  EXPECT_EQ((*module.find_entry("_Z5scalePfi"))->name, "_Z5scalePfi");
  EXPECT_EQ((*module.find_entry("size<float,8>"))->name, "_Z4sizeIfLi8EEvPT_i");
  EXPECT_EQ((*module.find_entry("ns::k<unsigned int>"))->name, "_ZN2ns1kIjEEvPT_");
  EXPECT_EQ((*module.find_entry("k"))->name, "_ZN2ns1kIjEEvPT_");
  EXPECT_EQ((*module.find_entry("raw"))->name, "raw");
  const Module pointers = parsed(std::string(kHeader) +
                                 ".entry _Z3mapIXadL_Z2sqfEEEvPf() { ret; }\n"
                                 ".entry _Z3mapIXadL_Z4cubefEEEvPf() { ret; }");
  for (const char* name : {"map<cube>", "map<&cube>", "map<&(cube(float))>", "map< & (cube(float)) >"})
    EXPECT_EQ((*pointers.find_entry(name))->name, "_Z3mapIXadL_Z4cubefEEEvPf") << name;
  const auto ambiguous = module.find_entry("size");
  ASSERT_FALSE(ambiguous);
  EXPECT_THAT(ambiguous.error().message, HasSubstr("size<float, 4>, size<float, 8>"));
  const auto missing = module.find_entry("nothing");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message,
              HasSubstr("there is no kernel 'nothing'; there are: scale, size<float, 4>"));
}

// The C++ library gives up above 1,024 characters.
TEST(Names, LongOnesAreReadAsFarAsAPersonNamesThem) {
  const std::string longest(1300, 'k'), values = [] {
    std::string out;
    for (int i = 0; i < 200; ++i) out += "Li" + std::to_string(100000 + i) + "E";
    return out;
  }();
  EXPECT_EQ(demangle("_Z1300" + longest + "Pf"), longest);
  EXPECT_EQ(demangle("_Z4fillI1LIJ" + values + "EEEvPf"), "fill<...>");
  EXPECT_EQ(demangle("_ZN2ns4fillI1LIJ" + values + "EEEEvPf"), "ns::fill<...>");
  EXPECT_EQ(demangle("_Z9999" + longest), "_Z9999" + longest) << "it is shorter than it says";
}

}  // namespace
}  // namespace warplens::ptx
