// Textures of memory that is there already: a launch takes the texels of those that it asks for, and no
// others.
#include <gtest/gtest.h>

#include <numeric>

#include "engine/simt/buffers/texture.h"
#include "engine/simt/lasting_memory.h"

namespace warplens::simt {
namespace {

LastingTexture of(std::vector<std::uint8_t>& memory, std::uint64_t width, std::uint64_t height,
                  std::uint64_t row_bytes) {
  LastingTexture out;
  out.format.width = width;
  out.format.height = height;
  out.format.channels = 1;
  out.type = trace::ElementType::U8;
  out.texels = memory.data();
  out.row_bytes = row_bytes;
  return out;
}

TEST(LastingTextures, OnlyWhatIsAskedForIsTaken) {
  std::vector<std::uint8_t> memory(64);
  std::iota(memory.begin(), memory.end(), std::uint8_t{0});
  const std::vector<LastingTexture> made{of(memory, 3, 2, 16), {}, of(memory, 4, 1, 0)};
  std::vector<BoundTexture> textures;
  bind_lasting(made, textures);
  ASSERT_EQ(textures.size(), 3u);
  EXPECT_EQ(find_texture(textures, texture_handle(0)), &textures[0]);
  EXPECT_EQ(find_texture(textures, texture_handle(1)), nullptr) << "the object is gone";
  for (const BoundTexture& texture : textures) EXPECT_TRUE(texture.texels.empty());

  std::mutex filling;
  fill_texture(textures[0], filling);
  EXPECT_EQ(textures[0].texels, (std::vector<std::uint8_t>{0, 1, 2, 16, 17, 18})) << "rows 16 bytes apart";
  EXPECT_TRUE(textures[2].texels.empty());
  memory[1] = 99;  // what changes behind it is not seen
  fill_texture(textures[0], filling);
  EXPECT_EQ(textures[0].texels[1], 1);
}

TEST(LastingTextures, SurfacesThatWereAskedForAreKept) {
  std::vector<std::uint8_t> memory(8, 5);
  std::vector<LastingTexture> made{of(memory, 4, 1, 0), of(memory, 4, 2, 0)};
  for (LastingTexture& one : made) one.format.surface = true;
  std::vector<BoundTexture> textures;
  bind_lasting(made, textures);
  std::mutex filling;
  fill_texture(textures[0], filling);
  textures[0].texels[2] = 7;
  keep_surfaces(textures);
  EXPECT_EQ(memory, (std::vector<std::uint8_t>{5, 5, 7, 5, 5, 5, 5, 5}));
}

}  // namespace
}  // namespace warplens::simt
