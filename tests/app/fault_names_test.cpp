#include "app/model/run/fault_names.h"

#include <gtest/gtest.h>

#include "engine/base/message.h"

namespace warplens::model {
namespace {

Message of_tile(std::int64_t byte, std::int64_t bytes) {
  Message element{"fault.as_element",
                  {{"name", "tile"},
                   {"index", "[" + std::to_string(byte / 4) + "]"},
                   {"width", value_of(4)},
                   {"byte", value_of(byte)},
                   {"bytes", value_of(bytes)}}};
  return {"fault.place.shared_array",
          {{"byte", value_of(byte)}, {"name", "tile"}, {"element", value_of(std::move(element))}}};
}

std::string told(Message message, const std::string& text) {
  Program program;
  program.text = text;
  Message whole{"fault.unwritten", {{"place", value_of(std::move(message))}}};
  name_fault(program, {"k", "k", {{"out", "float*"}, {"width", "int"}, {"argument 2", ".u32"}}}, whole);
  return Catalogue::load("en").value().text(whole);
}

TEST(FaultNames, AllIndexesOfAnArrayOfSeveralDimensions) {
  const std::string text = "constexpr int T = 16;\n__shared__ float tile[T][T + 1];";
  EXPECT_NE(told(of_tile(4 * (3 * 17 + 5), 16 * 17 * 4), text).find("tile[3][5] in"), std::string::npos);
  EXPECT_NE(told(of_tile(-4, 16 * 17 * 4), text).find("tile[-1][16] in"), std::string::npos);
  EXPECT_NE(told(of_tile(4 * 56, 16 * 16 * 4), text).find("tile[56] in"), std::string::npos);
  EXPECT_NE(told(of_tile(4 * 56, 16 * 17 * 4), "__shared__ float tile[272];").find("tile[56] in"),
            std::string::npos);
}

TEST(FaultNames, ArgumentsByTheirNames) {
  const auto argument = [](int index) { return Message{"fault.argument", {{"index", value_of(index)}}}; };
  const auto in = [&](int index) {
    return told({"fault.place.element", {{"index", value_of(7)}, {"name", value_of(argument(index))}}}, "");
  };
  EXPECT_NE(in(0).find("element 7 of out"), std::string::npos);
  EXPECT_NE(in(1).find("element 7 of width"), std::string::npos);
  EXPECT_NE(in(2).find("element 7 of argument 2"), std::string::npos);
  EXPECT_NE(in(9).find("element 7 of argument 9"), std::string::npos);
}

}  // namespace
}  // namespace warplens::model
