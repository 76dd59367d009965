#include <gmock/gmock.h>
#include <sys/socket.h>

#include "engine/gpu/channel.h"
#include "engine/gpu/launch_json.h"
#include "engine/gpu/stopwatch.h"
#include "engine/gpu/timing_warnings.h"

namespace warplens::gpu {
namespace {

std::vector<Message> warnings_of(const Timing& timing, std::uint32_t blocks, bool flushed) {
  DeviceInfo device;
  device.sms = 132;
  device.l2_bytes = 60u << 20;
  trace::Launch launch;
  launch.grid.x = blocks;
  return timing_warnings(timing, device, launch, flushed);
}

std::vector<std::string> warned(const Timing& timing, std::uint32_t blocks = 10000, bool flushed = false) {
  std::vector<std::string> keys;
  for (const Message& message : warnings_of(timing, blocks, flushed)) keys.push_back(message.key);
  return keys;
}

Timing calm() {
  Timing t;
  t.median = 1.0;
  t.low = 0.99;
  t.high = 1.01;
  t.launch_overhead = 0.002;
  t.sm_clock_before_mhz = t.sm_clock_after_mhz = 1980;
  t.buffer_bytes = std::uint64_t{1} << 30;
  return t;
}

TEST(TimingWarnings, ACalmMeasurementHasNone) {
  EXPECT_THAT(warned(calm()), testing::IsEmpty());
}

TEST(TimingWarnings, EachComesFromItsEvidence) {
  Timing t = calm();
  t.median = t.low = t.high = 0.004;
  EXPECT_THAT(warned(t), testing::ElementsAre("timing.launch_bound"));
  EXPECT_THAT(warned(calm(), 100), testing::ElementsAre("timing.too_small"));
  t = calm();
  t.buffer_bytes = 1 << 20;
  EXPECT_THAT(warned(t), testing::ElementsAre("timing.fits_in_l2"));
  EXPECT_THAT(warned(t, 10000, true), testing::IsEmpty());
  t = calm();
  t.sm_clock_after_mhz = 1700;
  EXPECT_THAT(warned(t), testing::ElementsAre("timing.clock_changed"));
  t = calm();
  t.high = 1.2;
  EXPECT_THAT(warned(t), testing::ElementsAre("timing.wide_spread"));
}

TEST(TimingWarnings, TheSameCureIsToldOnceBehindTheLast) {
  Timing t = calm();
  t.median = t.low = t.high = 0.004;
  t.buffer_bytes = 1 << 20;
  for (const auto& [language, cure] :
       {std::pair{"en", "Make the problem larger"}, {"zh", "请增大问题规模"}}) {
    const Catalogue catalogue = *Catalogue::load(language);
    for (const bool flushed : {false, true}) {
      std::vector<std::string> texts;
      for (const Message& warning : warnings_of(t, 100, flushed)) texts.push_back(catalogue.text(warning));
      ASSERT_EQ(texts.size(), flushed ? 2u : 3u);
      for (const std::string& text : texts)
        EXPECT_EQ(text.find(cure) != std::string::npos, &text == &texts.back()) << text;
    }
  }
}

TEST(Stopwatch, PercentilesInterpolate) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({1, 2}), 1.5);
  EXPECT_DOUBLE_EQ(percentile({0, 10}, 0.05), 0.5);
  EXPECT_DOUBLE_EQ(percentile({}, 0.5), 0);
}

TEST(Channel, CarriesHeadAndBlobsAndNoticesTheEnd) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  auto near = std::make_unique<Channel>(ends[0]);
  Channel far(ends[1]);
  ASSERT_TRUE(near->send({{{"do", "run"}}, {{1, 2, 3}, {}}}).has_value());
  const auto frame = far.receive(1.0);
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->head["do"], "run");
  EXPECT_THAT(frame->blobs, testing::ElementsAre(testing::ElementsAre(1, 2, 3), testing::IsEmpty()));
  EXPECT_EQ(far.receive(0.01).error().kind, ErrorKind::Cancelled);
  near.reset();
  EXPECT_EQ(far.receive(1.0).error().kind, ErrorKind::System);
}

TEST(LaunchJson, ComesBackTheSame) {
  trace::Launch launch;
  launch.kernel = "copy";
  launch.grid = {4, 2, 1};
  launch.block = {32, 8, 1};
  launch.dynamic_shared_bytes = 512;
  for (const char* text : {"buf:f32:64:iota", "i32:-7"})
    launch.arguments.push_back(*trace::parse_argument(text));
  const auto back = launch_from_json(to_json(launch));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->grid, launch.grid);
  EXPECT_EQ(back->block, launch.block);
  EXPECT_EQ(back->arguments[0].bytes(), 256u);
  EXPECT_EQ(back->arguments[1].bits, launch.arguments[1].bits);
}

}  // namespace
}  // namespace warplens::gpu
