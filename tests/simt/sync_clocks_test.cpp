#include "engine/simt/checks/sync_clocks.h"

#include <gtest/gtest.h>

namespace warplens::simt {
namespace {

TEST(SyncClocks, NothingIsOrderedUntilSomebodyTells) {
  SyncClocks clocks;
  clocks.reset(3, 0, 1);
  EXPECT_FALSE(clocks.orders(1, 0, 0, 0));
  EXPECT_TRUE(clocks.known_of_block(1).empty());
  clocks.meet(10);  // a barrier of the block needs no clocks
  EXPECT_FALSE(clocks.orders(1, 0, 0, 5));
}

TEST(SyncClocks, AWaitTakesWhatTheArrivalLeft) {
  SyncClocks clocks;
  clocks.reset(3, 0, 1);
  clocks.tell(0, 8, clocks.counted(1));
  EXPECT_FALSE(clocks.orders(1, 0, 0, 7)) << "before the wait";
  clocks.take(1, clocks.counted(1));
  EXPECT_TRUE(clocks.orders(1, 0, 0, 7));
  EXPECT_FALSE(clocks.orders(1, 0, 0, 8)) << "done after the arrival";
  EXPECT_FALSE(clocks.orders(2, 0, 0, 7)) << "warp 2 has not waited";
  EXPECT_FALSE(clocks.orders(0, 0, 1, 0)) << "an arrival learns nothing";
  EXPECT_EQ(clocks.known_of_block(1)[0], 8u);
}

TEST(SyncClocks, KnowledgeIsHandedOn) {
  SyncClocks clocks;
  clocks.reset(3, 0, 1);
  clocks.tell(0, 8, clocks.flag(64));
  clocks.take(1, clocks.flag(64));
  clocks.tell(1, 12, clocks.flag(68));
  clocks.take(2, clocks.flag(68));
  EXPECT_TRUE(clocks.orders(2, 0, 0, 7));
  EXPECT_TRUE(clocks.orders(2, 0, 1, 11));
  EXPECT_FALSE(clocks.orders(2, 0, 1, 12));
  EXPECT_EQ(clocks.flag_if_any(72), nullptr);
}

TEST(SyncClocks, SeveralThatArriveAreJoined) {
  SyncClocks clocks;
  clocks.reset(3, 0, 1);
  clocks.tell(0, 20, clocks.counted(2));
  clocks.tell(1, 5, clocks.counted(2));
  clocks.tell(0, 8, clocks.counted(2));  // an older time takes nothing back
  clocks.take(2, clocks.counted(2));
  EXPECT_TRUE(clocks.orders(2, 0, 0, 19));
  EXPECT_TRUE(clocks.orders(2, 0, 1, 4));
  EXPECT_FALSE(clocks.orders(2, 0, 1, 5));
}

TEST(SyncClocks, APhaseThatIsNotOverOrdersNothing) {
  SyncClocks clocks;
  clocks.reset(2, 0, 1);
  clocks.tell(0, 6, clocks.phases(0).arriving);
  clocks.take(1, clocks.phases(0).over);
  EXPECT_FALSE(clocks.orders(1, 0, 0, 5));
  clocks.end_phase(0);
  EXPECT_TRUE(clocks.phases(0).arriving.empty());
  clocks.take(1, clocks.phases(0).over);
  EXPECT_TRUE(clocks.orders(1, 0, 0, 5));
  // Whoever waits for the second phase knows the first too.
  clocks.tell(1, 9, clocks.phases(0).arriving);
  clocks.end_phase(0);
  clocks.take(0, clocks.phases(0).over);
  EXPECT_TRUE(clocks.orders(0, 0, 1, 8));
}

TEST(SyncClocks, AtABarrierOfTheBlockAllLearnWhatOneKnew) {
  SyncClocks clocks;
  clocks.reset(3, 0, 2);
  Clock message(7);     // 2 blocks of 3 warps, and the stamp
  message[3 + 2] = 40;  // warp 2 of block 1 up to 40
  clocks.take(0, message);
  clocks.acquire(1, 77);
  clocks.meet(50);
  for (std::uint32_t warp = 0; warp < 3; ++warp) {
    EXPECT_TRUE(clocks.orders(warp, 1, 2, 39));
    EXPECT_FALSE(clocks.orders(warp, 1, 2, 40));
    EXPECT_TRUE(clocks.orders(warp, 0, (warp + 1) % 3, 49));
    EXPECT_EQ(clocks.acquired(warp), 77u);
  }
}

TEST(SyncClocks, TimesOfManyBillionsKeepTheirOrder) {
  SyncClocks clocks;
  clocks.reset(2, 0, 1);
  constexpr std::uint64_t kLate = 0xfffffff0u;
  clocks.tell(0, kLate, clocks.counted(0));
  clocks.take(1, clocks.counted(0));
  EXPECT_TRUE(clocks.orders(1, 0, 0, kLate - 1));
  EXPECT_FALSE(clocks.orders(1, 0, 0, kLate));
  clocks.reset(2, 0, 1);
  EXPECT_FALSE(clocks.orders(1, 0, 0, 0));
}

}  // namespace
}  // namespace warplens::simt
