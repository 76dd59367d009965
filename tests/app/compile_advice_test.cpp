#include "app/model/run/compile_advice.h"

#include <gtest/gtest.h>

namespace warplens::model {
namespace {

std::string advice(const std::string& said, std::string_view text, ErrorKind kind = ErrorKind::Compile) {
  const auto found = compile_advice(Error{kind, said, {}, {}}, text);
  return found ? found->key : "";
}

TEST(CompileAdvice, BracesAreCountedOutsideCommentsAndLiterals) {
  EXPECT_EQ(open_braces("void f() { if (x) { y(); }"), 1);
  EXPECT_EQ(open_braces("{} }"), -1);
  EXPECT_EQ(open_braces("{ // {{\n /* { */ \"{\\\"{\" '{' }"), 0);
  EXPECT_EQ(open_braces("/* {"), 0);
  EXPECT_EQ(open_braces("\"{"), 0);
}

TEST(CompileAdvice, SaysWhatToDoWhereTheCompilerDoesNot) {
  EXPECT_EQ(advice("expected a \";\"", "void f() { g();"), "compile_advice.brace_missing");
  EXPECT_EQ(advice("expected a declaration", "void f() { } }"), "compile_advice.brace_too_many");
  EXPECT_EQ(advice("expected a \";\"", "void f() { g() }"), "");
  EXPECT_EQ(advice("identifier \"x\" is undefined", "void f() {"), "") << "the brace is not what it is about";
  EXPECT_EQ(advice("excessive recursion at instantiation of member \"S<N>::v\"", ""),
            "compile_advice.endless_template");
  EXPECT_EQ(advice("#include nested depth 200 exceeds maximum of 200", ""), "compile_advice.includes_itself");
  EXPECT_EQ(advice("Universal character is not allowed in device entity name", ""),
            "compile_advice.ascii_name");
  const auto of_no_kernel = compile_advice(told(ErrorKind::Usage, {"ptx.no_kernels", {}}), "");
  ASSERT_TRUE(of_no_kernel);
  EXPECT_EQ(of_no_kernel->key, "compile_advice.no_kernel");
  EXPECT_EQ(advice("expected a \";\"", "{", ErrorKind::Fault), "");
}

TEST(CompileAdvice, SaysWhichLineLacksItsEnd) {
  const auto missing = [](const std::string& text, int line) {
    const auto found =
        compile_advice(Error{ErrorKind::Compile, "expected a \";\"", {"a.cu", line, 1}, {}}, text);
    return found ? std::get<std::int64_t>(found->values.at(0).second) : 0;
  };
  EXPECT_EQ(missing("int a = 1\nint b;", 2), 1);
  EXPECT_EQ(missing("f(a)  // calls\n\n  // then\nint b;", 4), 1);
  EXPECT_EQ(missing("int a = 1;\nint b c;", 2), 0) << "that line is finished";
  EXPECT_EQ(missing("int b c;", 1), 0);
}

TEST(CompileAdvice, ThreePartsMakeNoIndex) {
  const auto name = [](const std::string& message, const std::string& text, int line) {
    const auto found = compile_advice(Error{ErrorKind::Compile, message, {"a.cu", line, 1}, {}}, text);
    return found ? std::get<std::string>(found->values.at(0).second) : std::string();
  };
  const std::string operands = "no operator \"+\" matches these operands",
                    converts = "no suitable conversion function from \"const uint3\" to \"int\" exists";
  EXPECT_EQ(name(operands, "{\nint i = blockIdx.x * blockDim.x + threadIdx;\n}", 2), "threadIdx");
  EXPECT_EQ(name(converts, "int i = blockIdx;", 1), "blockIdx");
  EXPECT_EQ(name(operands, "int i = threadIdx.x + v;", 1), "");
  EXPECT_EQ(name(operands, "", 7), "") << "a line of another file";
}

TEST(CompileAdvice, NamesOfCudaInOtherLettersAreFound) {
  const auto name = [](const std::string& written) {
    const auto found =
        compile_advice(Error{ErrorKind::Compile, "identifier \"" + written + "\" is undefined", {}, {}}, "");
    return found ? std::get<std::string>(found->values.at(0).second) : std::string();
  };
  EXPECT_EQ(name("blockidx"), "blockIdx");
  EXPECT_EQ(name("threadidx"), "threadIdx");
  EXPECT_EQ(name("syncthreads"), "__syncthreads");
  EXPECT_EQ(name("atomicadd"), "atomicAdd");
  EXPECT_EQ(name("block"), "");
}

}  // namespace
}  // namespace warplens::model
