#include "engine/trace/launch.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "engine/trace/event.h"
#include "engine/trace/half.h"

namespace warplens::trace {
namespace {

using testing::HasSubstr;

Argument parsed(std::string_view text) {
  const auto argument = parse_argument(text);
  EXPECT_TRUE(argument) << argument.error().message;
  return argument ? *argument : Argument{};
}

template <typename T>
std::vector<T> elements(std::string_view text) {
  const auto bytes = initial_bytes(parsed(text));
  EXPECT_TRUE(bytes) << bytes.error().message;
  if (!bytes) return {};
  std::vector<std::uint8_t> in_place(bytes->size());
  EXPECT_TRUE(fill_initial(parsed(text), in_place));
  EXPECT_EQ(in_place, *bytes);
  std::vector<T> out(bytes->size() / sizeof(T));
  std::memcpy(out.data(), bytes->data(), bytes->size());
  return out;
}

TEST(ParseArgument, ScalarsKeepTheirBits) {
  EXPECT_EQ(parsed("i32:1048576").bits, 1048576u);
  EXPECT_EQ(parsed("i32:-1").bits, 0xffffffffu);
  EXPECT_EQ(parsed("u8:0xff").bits, 0xffu);
  EXPECT_EQ(parsed("i64:-9223372036854775808").bits, 0x8000000000000000u);
  EXPECT_EQ(parsed("u64:18446744073709551615").bits, ~std::uint64_t{0});
  EXPECT_EQ(parsed("f32:0.5").bits, 0x3f000000u);
  EXPECT_EQ(parsed("f64:-2").bits, 0xc000000000000000u);
  EXPECT_EQ(parsed("f16:1").bits, 0x3c00u);
  EXPECT_EQ(parsed("f32:1e99").bits, 0x7f800000u);
  EXPECT_EQ(parsed("f64:1e-9999").bits, 0u);
}

TEST(ParseArgument, BuffersKeepTypeCountAndInit) {
  const Argument a = parsed("buf:f32:1024:perm:17");
  EXPECT_TRUE(a.is_buffer);
  EXPECT_EQ(a.type, ElementType::F32);
  EXPECT_EQ(a.count, 1024u);
  EXPECT_EQ(a.bytes(), 4096u);
  EXPECT_EQ(a.init, Init::Permutation);
  EXPECT_EQ(a.integer, 17);
  EXPECT_EQ(a.text, "buf:f32:1024:perm:17");
  EXPECT_EQ(parsed("buf:u8:3:file:data/a:b.bin").path, "data/a:b.bin");
}

TEST(ParseArgument, TexturesKeepShapeAndHowTheyAreRead) {
  const Argument a = parsed("tex:u8x4:64x32:linear,mirror,norm,unit:mod:200");
  ASSERT_TRUE(a.texture);
  EXPECT_FALSE(a.is_buffer);
  EXPECT_FALSE(a.is_output());
  EXPECT_EQ(a.type, ElementType::U8);
  EXPECT_EQ(a.texture->channels, 4u);
  EXPECT_EQ(a.texture->width, 64u);
  EXPECT_EQ(a.texture->height, 32u);
  EXPECT_EQ(a.texture->dimensions(), 2);
  EXPECT_EQ(a.texture->filter, Texture::Filter::Linear);
  EXPECT_EQ(a.texture->edge, Texture::Edge::Mirror);
  EXPECT_TRUE(a.texture->normalised && a.texture->unit);
  EXPECT_FALSE(a.texture->linear_memory || a.texture->surface);
  EXPECT_EQ(a.init, Init::Modulo);
  EXPECT_EQ(a.integer, 200);
  EXPECT_EQ(a.bytes(), 64u * 32 * 4);
  EXPECT_EQ(a.parameter_bytes(), 8u);
  EXPECT_TRUE(parsed("tex:f32:100:iota").texture->linear_memory);
  EXPECT_FALSE(parsed("tex:f32:100:array:iota").texture->linear_memory);
  EXPECT_EQ(parsed("tex:f16:4x4x4:hash").texture->dimensions(), 3);
  EXPECT_TRUE(parsed("surf:f32x2:8x8:zero").is_output());
  EXPECT_EQ(parsed("tex:f32:8x8:file:a:b").path, "a:b");
}

TEST(ParseArgument, StructuresLayMembersOutAsCDoes) {
  const Argument a = parsed("struct:f32:0.5,i8:-1,f64:2");
  EXPECT_EQ(a.parameter_bytes(), 16u);
  const std::vector<std::uint8_t> want{0, 0, 0, 0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40};
  EXPECT_EQ(a.structure, want);
  EXPECT_EQ(initial_bytes(a).value(), want);
  EXPECT_EQ(parsed("struct:i64:1,i8:1").parameter_bytes(), 16u);
}

struct BadArgument {
  const char* text;
  const char* part;  // what the message must name
};
class BadArguments : public testing::TestWithParam<BadArgument> {};
TEST_P(BadArguments, NameWhatIsWrong) {
  const auto argument = parse_argument(GetParam().text);
  ASSERT_FALSE(argument) << GetParam().text;
  EXPECT_EQ(argument.error().kind, ErrorKind::Usage);
  EXPECT_THAT(argument.error().message, HasSubstr(GetParam().part));
  if (*GetParam().text != '\0') {
    EXPECT_THAT(argument.error().message, HasSubstr(GetParam().text));
  }
}
INSTANTIATE_TEST_SUITE_P(
    All, BadArguments,
    testing::Values(
        BadArgument{"", "TYPE:VALUE"}, BadArgument{"i32", "TYPE:VALUE"},
        BadArgument{"i33:1", "'i33' is not an element type"}, BadArgument{"i32:", "'' is not a whole number"},
        BadArgument{"i32:1.5", "'1.5'"}, BadArgument{"i32:2147483648", "-2147483648 to 2147483647"},
        BadArgument{"u8:-1", "0 to 255"}, BadArgument{"u64:18446744073709551616", "whole number"},
        BadArgument{"f32:abc", "'abc' is not a number"}, BadArgument{"buf:f32", "COUNT:INIT"},
        BadArgument{"buf:f32:8", "INIT is missing"}, BadArgument{"buf:f31:8:zero", "'f31'"},
        BadArgument{"buf:f32:0:zero", "element count"}, BadArgument{"buf:f32:-4:zero", "element count"},
        BadArgument{"buf:f32:99999999999999999:zero", "element count"},
        BadArgument{"buf:f32:8:nought", "'nought'"}, BadArgument{"buf:f32:8:mod", "needs a value"},
        BadArgument{"buf:f32:8:mod:0", "'0' after mod"}, BadArgument{"buf:f32:8:zero:1", "takes no value"},
        BadArgument{"buf:u8:8:const:256", "0 to 255"}, BadArgument{"tex:f32:8x0:zero", "'8x0' is no size"},
        BadArgument{"tex:f32:8x8x8x8:zero", "is no size"}, BadArgument{"tex:f32x3:8x8:zero", "'3' channels"},
        BadArgument{"tex:f64:8x8:zero", "textures of f64"}, BadArgument{"tex:f32:8x8", "INIT is"},
        BadArgument{"tex:f32:8x8:linear,bent:zero", "'bent' is no option"},
        BadArgument{"tex:u8:8x8:linear:zero", "needs the option unit"},
        BadArgument{"tex:f32:8x8:unit:zero", "'unit' reads integers"},
        BadArgument{"tex:f32:200000x2:zero", "200,000 texels are too many"},
        BadArgument{"surf:f32:8x8:linear:zero", "takes no option"},
        BadArgument{"struct:", "struct:TYPE:VALUE"}, BadArgument{"struct:f32", "'f32' is no member"},
        BadArgument{"struct:i8:300", "300 does not fit"}));

TEST(InitialBytes, EveryWayToFill) {
  EXPECT_THAT(elements<std::int32_t>("buf:i32:4:iota"), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(elements<float>("buf:f32:3:const:-2.5"), testing::Each(-2.5f));
  EXPECT_THAT(elements<std::uint16_t>("buf:i16:2:const:-2"), testing::Each(0xfffe));
  EXPECT_THAT(elements<std::uint64_t>("buf:u64:2:zero"), testing::Each(0u));
  EXPECT_THAT(elements<std::uint32_t>("buf:u32:5:perm:3"), testing::ElementsAre(0, 3, 1, 4, 2));
  EXPECT_THAT(elements<std::uint8_t>("buf:u8:258:iota")[257], 1);
  // fmix32(1) and fmix32(2) of MurmurHash3.
  EXPECT_THAT(elements<std::uint32_t>("buf:u32:3:hash"), testing::ElementsAre(0u, 0x514e28b7u, 0x30f4c306u));
  EXPECT_THAT(elements<std::uint32_t>("buf:u32:3:mod:10"),
              testing::ElementsAre(0u, 0x514e28b7u % 10, 0x30f4c306u % 10));
  EXPECT_THAT(elements<float>("buf:f32:3:mod:10")[1], static_cast<float>(0x514e28b7u % 10));
  const auto hashed = elements<double>("buf:f64:2:hash");
  EXPECT_DOUBLE_EQ(hashed[0], -1.0);
  EXPECT_DOUBLE_EQ(hashed[1], static_cast<double>(0x514e28b7u) / 2147483648.0 - 1.0);
  EXPECT_EQ(elements<float>("buf:f32:2:hash")[1], static_cast<float>(hashed[1]));
}

TEST(InitialBytes, PermutationDoesNotOverflow) {
  const auto values = elements<std::uint64_t>("buf:u64:3:perm:4611686018427387904");
  EXPECT_THAT(values, testing::ElementsAre(0u, (std::uint64_t{1} << 62) % 3, (std::uint64_t{1} << 63) % 3));
}

TEST(InitialBytes, FilesMustBeLongEnough) {
  const auto file = std::filesystem::temp_directory_path() / ("warplens_raw_" + std::to_string(::getpid()));
  std::ofstream(file, std::ios::binary).write("\1\2\3\4", 4);
  EXPECT_THAT(elements<std::uint8_t>("buf:u8:3:file:" + file.string()), testing::ElementsAre(1, 2, 3));
  const auto longer = initial_bytes(parsed("buf:u16:3:file:" + file.string()));
  ASSERT_FALSE(longer);
  EXPECT_THAT(longer.error().message, HasSubstr("holds 4 bytes"));
  std::filesystem::remove(file);
  const auto missing = initial_bytes(parsed("buf:u8:3:file:" + file.string()));
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("cannot read"));
}

TEST(InitialBytes, AHugeBufferIsAnErrorNotACrash) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers end the program where new would throw";
#endif
  const auto bytes = initial_bytes(parsed("buf:f64:281474976710656:zero"));
  ASSERT_FALSE(bytes);
  EXPECT_THAT(bytes.error().message, HasSubstr("no memory"));
}

TEST(Checksum, WeighsByIndexModuloSeven) {
  const auto iota = initial_bytes(parsed("buf:f32:9:iota"));
  // 0*1 + 1*2 + ... + 6*7 + 7*1 + 8*2
  EXPECT_DOUBLE_EQ(checksum(ElementType::F32, *iota), 2 + 6 + 12 + 20 + 30 + 42 + 7 + 16);
  const auto negative = initial_bytes(parsed("buf:i8:2:const:-3"));
  EXPECT_DOUBLE_EQ(checksum(ElementType::I8, *negative), -9);
  EXPECT_DOUBLE_EQ(checksum(ElementType::U8, *negative), 253 * 3);
  const auto half = initial_bytes(parsed("buf:f16:2:const:1.5"));
  EXPECT_DOUBLE_EQ(checksum(ElementType::F16, *half), 4.5);
  EXPECT_DOUBLE_EQ(checksum(ElementType::F64, {}), 0);
  EXPECT_DOUBLE_EQ(element_value(ElementType::F32, *iota, 3), 3);
  EXPECT_DOUBLE_EQ(element_value(ElementType::I8, *negative, 0), -3);
  EXPECT_DOUBLE_EQ(element_value(ElementType::F16, *half, 1), 1.5);
  EXPECT_DOUBLE_EQ(element_value(ElementType::U8, *negative, 1), 253);
}

TEST(Half, RoundTripsEveryFiniteValue) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if (((bits >> 10) & 31u) == 31u && (bits & 1023u) != 0) continue;  // NaN
    EXPECT_EQ(to_half(from_half(static_cast<std::uint16_t>(bits))), bits);
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(to_half(2049.0), 0x6800);  // halfway between 2048 and 2050: to the even 2048
  EXPECT_EQ(to_half(2051.0), 0x6802);  // halfway between 2050 and 2052: to 2052
  EXPECT_EQ(to_half(65519.9), 0x7bff);
  EXPECT_EQ(to_half(65520.0), 0x7c00);
  EXPECT_EQ(to_half(-1e30), 0xfc00);
  EXPECT_EQ(to_half(0x1p-25), 0x0000);  // halfway to the smallest denormal
  EXPECT_EQ(to_half(0x1.8p-25), 0x0001);
  EXPECT_EQ(to_half(0x1.ffep-15), 0x0400);  // carries from the denormals into the normals
  EXPECT_TRUE(std::isnan(from_half(to_half(std::numeric_limits<double>::quiet_NaN()))));
}

TEST(FaultKinds, NamesAndSeverity) {
  EXPECT_EQ(name(FaultKind::OutOfBounds), "out_of_bounds");
  EXPECT_EQ(name(FaultKind::IllegalInstruction), "illegal_instruction");
  EXPECT_TRUE(is_fatal(FaultKind::Deadlock));
  EXPECT_FALSE(is_fatal(FaultKind::Race));
}

}  // namespace
}  // namespace warplens::trace
