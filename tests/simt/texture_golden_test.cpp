// What an H200's texture units answered, coordinate by coordinate, against the emulator's.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <sstream>

#include "engine/simt/buffers/texture.h"
#include "tests/support/places.h"

namespace warplens::simt {
namespace {

float number(const std::string& bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(std::stoul(bits, nullptr, 16)));
}

// A file of textures, each followed by the places where it was read: a line "tex:..." is an argument as the
// command line takes it, other lines are four floats as bits: x, y, z and the value.
TEST(TextureGolden, EveryValueIsTheHardwares) {
  const std::string path = tests::source_dir() + "/tests/simt/golden/textures.txt";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  trace::Launch launch;
  std::vector<BoundTexture> textures;
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("tex:")) {
      const auto argument = trace::parse_argument(line);
      ASSERT_TRUE(argument.has_value()) << line;
      launch.arguments = {*argument};
      textures.clear();
      ASSERT_TRUE(bind_textures(launch, 1 << 20, textures)) << line;
      continue;
    }
    ASSERT_FALSE(textures.empty());
    std::istringstream words(line);
    std::string x, y, z, value;
    words >> x >> y >> z >> value;
    const Coordinates at{number(x), number(y), number(z)};
    const float expected = number(value), found = std::bit_cast<float>(sample(textures[0], at)[0]);
    // The sum of the weighted texels is rounded in the unit's own way.
    EXPECT_NEAR(found, expected, 1e-6f * std::max(1.0f, std::abs(expected)))
        << launch.arguments[0].text << " at " << at[0] << ", " << at[1] << ", " << at[2];
    ++compared;
  }
  EXPECT_GT(compared, 1000);
}

// The same for directions: x, y, z, the layer and the value.
TEST(TextureGolden, EveryDirectionMeetsTheCubeWhereTheHardwareSays) {
  const std::string path = tests::source_dir() + "/tests/simt/golden/cubemaps.txt";
  std::ifstream file(path);
  ASSERT_TRUE(file) << path;
  trace::Launch launch;
  std::vector<BoundTexture> textures;
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("tex:")) {
      const auto argument = trace::parse_argument(line);
      ASSERT_TRUE(argument.has_value()) << line;
      launch.arguments = {*argument};
      textures.clear();
      ASSERT_TRUE(bind_textures(launch, 1 << 20, textures)) << line;
      continue;
    }
    ASSERT_FALSE(textures.empty());
    std::istringstream words(line);
    std::string x, y, z, value;
    std::int32_t layer = 0;
    words >> x >> y >> z >> layer >> value;
    const Coordinates direction{number(x), number(y), number(z)};
    const CubePlace place = on_cube(direction);
    const std::uint64_t cube =
        std::min<std::uint64_t>(static_cast<std::uint32_t>(layer), textures[0].layers() - 1);
    const float expected = number(value),
                found = std::bit_cast<float>(sample(textures[0], place.at, cube * 6 + place.face)[0]);
    EXPECT_NEAR(found, expected, 1e-6f * std::max(1.0f, std::abs(expected)))
        << launch.arguments[0].text << " towards " << direction[0] << ", " << direction[1] << ", "
        << direction[2] << " in layer " << layer;
    ++compared;
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace warplens::simt
