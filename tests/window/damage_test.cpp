// What is drawn anew must hold every pixel that differs: frames of random boxes are painted here as OpenGL
// would, and compared.
#include "app/window/draw/damage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <random>

namespace warplens::window {
namespace {

constexpr int kWidth = 120, kHeight = 80;
constexpr std::uint32_t kGround = 0xff101010u;

struct Box {
  PixelRect at;
  std::uint32_t colour = 0;
};
struct Command {
  PixelRect clip{0, 0, kWidth, kHeight};
  std::vector<Box> boxes;
};

class Frame {
 public:
  explicit Frame(const std::vector<Command>& commands) : picture_(kWidth * kHeight, kGround) {
    ImDrawList& list = lists_.emplace_back(nullptr);
    for (const Command& command : commands) {
      ImDrawCmd draw;
      const PixelRect& c = command.clip;
      draw.ClipRect = {static_cast<float>(c.left), static_cast<float>(c.top), static_cast<float>(c.right),
                       static_cast<float>(c.bottom)};
      draw.IdxOffset = static_cast<unsigned>(list.IdxBuffer.Size);
      for (const Box& box : command.boxes) add(list, box, c);
      draw.ElemCount = static_cast<unsigned>(list.IdxBuffer.Size) - draw.IdxOffset;
      list.CmdBuffer.push_back(draw);
    }
    pointer_ = &list;
    data_.CmdLists = &pointer_;
    data_.CmdListsCount = 1;
  }
  const ImDrawData& data() const { return data_; }
  const std::vector<std::uint32_t>& picture() const { return picture_; }

 private:
  void add(ImDrawList& list, const Box& box, const PixelRect& clip) {
    const auto first = static_cast<ImDrawIdx>(list.VtxBuffer.Size);
    for (const auto& [x, y] : {std::pair{box.at.left, box.at.top}, std::pair{box.at.right, box.at.top},
                               std::pair{box.at.right, box.at.bottom}, std::pair{box.at.left, box.at.bottom}})
      list.VtxBuffer.push_back({{static_cast<float>(x), static_cast<float>(y)}, {}, box.colour});
    for (const int corner : {0, 1, 2, 0, 2, 3})
      list.IdxBuffer.push_back(static_cast<ImDrawIdx>(first + corner));
    const PixelRect seen = common(common(box.at, clip), {0, 0, kWidth, kHeight});
    for (int y = seen.top; y < seen.bottom; ++y)
      for (int x = seen.left; x < seen.right; ++x)
        picture_[static_cast<std::size_t>(y * kWidth + x)] = box.colour;
  }

  std::deque<ImDrawList> lists_;
  ImDrawList* pointer_ = nullptr;
  ImDrawData data_;
  std::vector<std::uint32_t> picture_;
};

std::int64_t area(const std::vector<PixelRect>& parts) {
  std::int64_t sum = 0;
  for (const PixelRect& part : parts) sum += part.area();
  return sum;
}

void expect_covered(const Frame& before, const Frame& now, const std::vector<PixelRect>& parts) {
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const auto i = static_cast<std::size_t>(y * kWidth + x);
      if (before.picture()[i] == now.picture()[i]) continue;
      const bool inside = std::any_of(parts.begin(), parts.end(), [&](const PixelRect& p) {
        return x >= p.left && x < p.right && y >= p.top && y < p.bottom;
      });
      ASSERT_TRUE(inside) << "pixel " << x << ", " << y << " is left as it was";
    }
}

TEST(Damage, NothingChangedNothingDrawn) {
  const std::vector<Command> commands{{.boxes = {{{10, 10, 50, 40}, 1}}}};
  Damage damage;
  EXPECT_EQ(damage.since_last(Frame(commands).data(), kWidth, kHeight, kGround),
            (std::vector<PixelRect>{{0, 0, kWidth, kHeight}}));
  EXPECT_TRUE(damage.since_last(Frame(commands).data(), kWidth, kHeight, kGround).empty());
  EXPECT_EQ(area(damage.since_last(Frame(commands).data(), kWidth, kHeight, kGround + 1)), kWidth * kHeight);
  EXPECT_EQ(area(damage.since_last(Frame(commands).data(), kWidth, kHeight - 1, kGround + 1)),
            kWidth * (kHeight - 1));
  damage.forget();
  EXPECT_EQ(area(damage.since_last(Frame(commands).data(), kWidth, kHeight - 1, kGround + 1)),
            kWidth * (kHeight - 1));
}

TEST(Damage, OneBoxOfManyCostsItsOwnPixels) {
  std::vector<Command> commands{{}};
  for (int i = 0; i < 10; ++i) commands[0].boxes.push_back({{i * 12, 0, i * 12 + 10, 70}, 7u});
  Damage damage;
  (void)damage.since_last(Frame(commands).data(), kWidth, kHeight, kGround);
  commands[0].boxes[4].colour = 8;
  EXPECT_EQ(damage.since_last(Frame(commands).data(), kWidth, kHeight, kGround),
            (std::vector<PixelRect>{{48, 0, 58, 70}}));
  commands[0].boxes.erase(commands[0].boxes.begin() + 4);
  EXPECT_EQ(damage.since_last(Frame(commands).data(), kWidth, kHeight, kGround),
            (std::vector<PixelRect>{{48, 0, 58, 70}}));
}

TEST(Damage, HoldsEveryPixelThatDiffers) {
  std::mt19937 random(3);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto rect = [&] {
    const int x = below(kWidth) - 10, y = below(kHeight) - 10;
    return PixelRect{x, y, x + 1 + below(40), y + 1 + below(30)};
  };
  std::vector<Command> commands(3);
  Damage damage;
  std::optional<Frame> before;
  std::int64_t drawn = 0;
  for (int round = 0; round < 2000; ++round) {
    for (int edits = below(3); edits > 0; --edits) {
      std::vector<Box>& boxes =
          commands[static_cast<std::size_t>(below(static_cast<int>(commands.size())))].boxes;
      const auto place = boxes.begin() + below(static_cast<int>(boxes.size()) + 1);
      const int what = below(8);
      if (what == 0 && commands.size() < 6) {
        commands.insert(commands.begin() + below(static_cast<int>(commands.size())), Command{rect(), {}});
      } else if (what == 1 && commands.size() > 2) {
        commands.erase(commands.begin() + below(static_cast<int>(commands.size())));
      } else if (what == 2) {
        std::swap(commands.front(), commands.back());
      } else if (place == boxes.end() || (what < 5 && boxes.size() < 12)) {
        boxes.insert(place, {rect(), static_cast<std::uint32_t>(random())});
      } else if (what == 5) {
        boxes.erase(place);
      } else {
        *place = {rect(), static_cast<std::uint32_t>(random())};
      }
    }
    Frame now(commands);
    const std::vector<PixelRect> parts = damage.since_last(now.data(), kWidth, kHeight, kGround);
    drawn += area(parts);
    if (before) expect_covered(*before, now, parts);
    if (HasFatalFailure()) return;
    before.emplace(commands);
  }
  EXPECT_LT(drawn, std::int64_t{2000} * kWidth * kHeight / 2);  // and it saves something
}

}  // namespace
}  // namespace warplens::window
