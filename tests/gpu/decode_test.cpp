#include "engine/gpu/decode.h"

#include <gmock/gmock.h>

#include <cstring>

#include "engine/gpu/instrument.h"

namespace warplens::gpu {
namespace {

// Writes down the events it gets.
class Diary : public trace::Listener {
 public:
  std::unique_ptr<trace::Listener> fork() const override { return std::make_unique<Diary>(); }
  void join(trace::Listener&) override {}
  Wants wants() const override { return {.accesses = true, .branches = true, .barriers = true}; }
  void on_block_begin(std::uint64_t block) override { lines.push_back("begin " + std::to_string(block)); }
  void on_block_end(std::uint64_t block) override { lines.push_back("end " + std::to_string(block)); }
  void on_access(const trace::Access& a) override {
    std::string line = "access site " + std::to_string(a.site) + " warp " + std::to_string(a.warp.warp);
    for (int lane = 0; lane < kWarpSize; ++lane)
      if ((a.active >> lane & 1u) != 0)
        line += " " + std::to_string(lane) + "@" + std::to_string(a.addresses[lane]);
    lines.push_back(line + (a.affine ? " stride " + std::to_string(a.stride) : ""));
  }
  void on_branch(const trace::Branch& b) override {
    lines.push_back("branch " + std::to_string(b.active) + " taken " + std::to_string(b.taken));
  }
  std::vector<std::string> lines;
};

class DecodeTest : public testing::Test {
 protected:
  void SetUp() override {
    sites_.resize(2);
    sites_[0].kind = trace::SiteKind::Load;
    sites_[0].bytes = 4;
    sites_[1].index = 1;
    sites_[1].kind = trace::SiteKind::Branch;
  }
  // A chunk of its own for each record, as large as it needs and `spare` bytes more.
  void add(RecordHead head, const std::vector<std::uint64_t>& addresses, std::uint32_t spare = 0) {
    head.addresses = static_cast<std::uint16_t>(addresses.size());
    const ChunkHead chunk{.bytes = static_cast<std::uint32_t>(sizeof chunk + head.bytes()) + spare};
    bytes_.resize(bytes_.size() + chunk.bytes);
    std::uint8_t* at = bytes_.data() + bytes_.size() - chunk.bytes;
    std::memcpy(at, &chunk, sizeof chunk);
    put(at + sizeof chunk, head, addresses);
  }
  static void put(std::uint8_t* at, const RecordHead& head, const std::vector<std::uint64_t>& addresses) {
    std::memcpy(at, &head, sizeof head);
    if (!addresses.empty()) std::memcpy(at + sizeof head, addresses.data(), 8 * addresses.size());
  }
  std::vector<std::string> decoded() {
    Diary diary;
    trace::Listener* listener = &diary;
    const auto result = decode(bytes_, sites_, {&listener, 1});
    EXPECT_TRUE(result.has_value());
    return diary.lines;
  }
  std::vector<trace::Site> sites_;
  std::vector<std::uint8_t> bytes_;
};

TEST_F(DecodeTest, SortsByBlockAndKeepsTheOrderInside) {
  // The chunk of another lane may lie in front although its records came later.
  add({.site = 0, .active = 0b1, .clock = 20, .block_low = 7, .warp = 2}, {64});
  add({.site = 1, .active = 3, .clock = 15, .block_low = 0, .detail = 1}, {});
  add({.site = 0, .active = 0b101, .clock = 10, .block_low = 7, .warp = 2}, {1000, 1008});
  EXPECT_THAT(decoded(), testing::ElementsAre("begin 0", "branch 3 taken 1", "end 0", "begin 7",
                                              "access site 0 warp 2 0@1000 2@1008 stride 4",
                                              "access site 0 warp 2 0@64 stride 0", "end 7"));
}

TEST_F(DecodeTest, AddressesWithoutAStrideAreNotAffine) {
  add({.site = 0, .active = 0b1011}, {0, 4, 100});
  EXPECT_EQ(decoded().at(1), "access site 0 warp 0 0@0 1@4 3@100");
}

TEST_F(DecodeTest, StopsAtTheZerosBehindTheLastRecord) {
  add({.site = 1, .active = 1}, {});
  bytes_.resize(bytes_.size() + 256);
  EXPECT_EQ(decoded().size(), 3u);
}

TEST_F(DecodeTest, AChunkHoldsManyRecordsAndEndsInZeros) {
  add({.site = 0, .active = 1, .clock = 1}, {64}, 160);
  put(bytes_.data() + sizeof(ChunkHead) + 48, {.site = 0, .active = 1, .clock = 2, .addresses = 1}, {68});
  add({.site = 0, .active = 2, .clock = 3}, {72});
  EXPECT_THAT(decoded(), testing::ElementsAre("begin 0", "access site 0 warp 0 0@64 stride 0",
                                              "access site 0 warp 0 0@68 stride 0",
                                              "access site 0 warp 0 1@72 stride 0", "end 0"));
}

TEST_F(DecodeTest, DamagedRecordsAreAnErrorNotACrash) {
  Diary diary;
  trace::Listener* listener = &diary;
  const auto is_damaged = [&] { return !decode(bytes_, sites_, {&listener, 1}).has_value(); };
  add({.site = 9, .active = 1}, {});
  EXPECT_TRUE(is_damaged());
  bytes_.clear();
  add({.site = 0, .active = 1, .detail = 100}, {64});  // no such space
  EXPECT_TRUE(is_damaged());
  bytes_.clear();
  add({.site = 0, .active = ~0u}, {64});
  put(bytes_.data() + sizeof(ChunkHead), {.site = 0, .active = ~0u, .addresses = 32},
      {});  // beyond its chunk
  EXPECT_TRUE(is_damaged());
  bytes_.clear();
  add({.site = 0, .active = 1}, {64});
  bytes_[0] += 16;  // a chunk beyond the buffer
  EXPECT_TRUE(is_damaged());
}

TEST(ChunkBytes, LeaveThreeQuartersOfTheBufferToRecords) {
  EXPECT_EQ(chunk_bytes(std::uint64_t{256} << 20, 256), 32768u);
  EXPECT_EQ(chunk_bytes(std::uint64_t{256} << 20, 16384), 4096u);
  EXPECT_EQ(chunk_bytes(std::uint64_t{2} << 30, std::uint64_t{4} << 20), 0u);
  EXPECT_EQ(chunk_bytes(0, 0), 0u);
}

}  // namespace
}  // namespace warplens::gpu
