// Copies, streams and counters: what can be said of them without a GPU.
#include "engine/gpu/streams.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "engine/gpu/counters.h"
#include "engine/gpu/device.h"
#include "engine/gpu/execution.h"
#include "engine/gpu/transfers.h"
#include "engine/ptx/syntax/parser.h"

namespace warplens::gpu {
namespace {

using testing::HasSubstr;

// Two streams, four pieces: each reaches its stream when the piece before it there is done.
std::vector<std::array<double, 4>> two_streams() {
  return {{0, 1, 2, 3}, {0, 2, 3, 4}, {3, 4, 5, 6}, {4, 5, 6, 7}};
}

TEST(Streams, CopiesInOneDirectionFollowEachOther) {
  const auto operations = operations_of_events(two_streams(), 2);
  ASSERT_EQ(operations.size(), 12u);
  EXPECT_EQ(check_operations(operations, 2, 4), "");
  for (const StreamOperation& o : operations) {
    // The second piece's stream was ready at 0, but its copy had to wait for the first piece's.
    if (o.work == StreamWork::CopyIn && o.chunk == 1) {
      EXPECT_DOUBLE_EQ(o.begin, 1);
    }
    if (o.work == StreamWork::CopyIn && o.chunk == 2) {
      EXPECT_DOUBLE_EQ(o.begin, 3);
    }
    if (o.work == StreamWork::Compute && o.chunk == 1) {
      EXPECT_DOUBLE_EQ(o.begin, 2);
    }
    if (o.work == StreamWork::CopyOut && o.chunk == 1) {
      EXPECT_DOUBLE_EQ(o.begin, 3);
    }
  }
  EXPECT_TRUE(std::is_sorted(operations.begin(), operations.end(),
                             [](const auto& a, const auto& b) { return a.begin < b.begin; }));
}

TEST(Streams, WhatCannotBeIsNamed) {
  const auto good = operations_of_events(two_streams(), 2);
  const auto broken = [&](auto change) {
    auto operations = good;
    change(operations);
    return check_operations(operations, 2, 4);
  };
  EXPECT_THAT(broken([](auto& o) { o.pop_back(); }), HasSubstr("11 operations"));
  EXPECT_THAT(broken([](auto& o) { o[0].stream = 1; }), HasSubstr("in stream 1"));
  EXPECT_THAT(broken([](auto& o) { o[3].end = o[3].begin - 1; }), HasSubstr("before it begins"));
  EXPECT_THAT(broken([](auto& o) { o[1] = o[0]; }), HasSubstr("twice"));
  EXPECT_THAT(broken([](auto& operations) {
                for (auto& o : operations)
                  if (o.chunk == 3 && o.work == StreamWork::Compute) o.begin = 0;
              }),
              HasSubstr("before it is ready"));
  EXPECT_THAT(broken([](auto& operations) {
                for (auto& o : operations)
                  if (o.chunk == 2) o.begin = std::max(0.0, o.begin - 2.5);
                for (auto& o : operations)
                  if (o.chunk == 2) o.end = std::max(o.begin, o.end - 2.5);
              }),
              HasSubstr("two things at once"));
}

TEST(Streams, ComeBackThroughTheChannelTheSame) {
  StreamTimes times{1 << 20, {3, 2.5}, operations_of_events(two_streams(), 2), "events"};
  const StreamTimes back = stream_times_from(to_json(times));
  EXPECT_EQ(back.bytes, times.bytes);
  EXPECT_EQ(back.totals, times.totals);
  EXPECT_EQ(back.clock, "events");
  ASSERT_EQ(back.operations.size(), times.operations.size());
  EXPECT_EQ(back.operations[5].work, times.operations[5].work);
  EXPECT_EQ(back.operations[5].end, times.operations[5].end);
  StreamOptions options;
  options.chunks = 8;
  EXPECT_EQ(stream_options_from(to_json(options)).chunks, 8);
}

TEST(Transfers, ThePlanHasEverySizeBothWaysAndBatchesOfOneTotal) {
  const auto rows = planned_transfers({});
  std::set<std::uint64_t> single;
  std::size_t batches = 0;
  for (const TransferRow& row : rows) {
    if (row.count == 1) {
      single.insert(row.bytes);
      continue;
    }
    ++batches;
    EXPECT_EQ(row.bytes * static_cast<std::uint64_t>(row.count), 16u << 20);
  }
  EXPECT_EQ(single.size(), 10u);  // 4 KiB to 1 GiB in steps of 4
  EXPECT_EQ(*single.begin(), 4096u);
  EXPECT_EQ(*single.rbegin(), std::uint64_t{1} << 30);
  EXPECT_EQ(rows.size(), 4 * single.size() + batches);
  EXPECT_EQ(batches, 4u * 3);  // 4 KiB, 64 KiB, 1 MiB
  TransferOptions little;
  little.most = 4096;
  EXPECT_EQ(planned_transfers(little).size(), 4u);
}

TEST(Transfers, ComeBackThroughTheChannelTheSame) {
  const std::vector<TransferRow> rows{{4096, 16, true, false, {0.5, 0.25}}};
  const auto back = transfers_from(to_json(rows));
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].count, 16);
  EXPECT_TRUE(back[0].pinned);
  EXPECT_FALSE(back[0].to_device);
  EXPECT_EQ(back[0].milliseconds, rows[0].milliseconds);
}

TEST(Counters, ARefusalSaysWhatToDo) {
  EXPECT_THAT(counters_error(35, "x").message, HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(counters_error(40, "x").message, HasSubstr("Run as root"));
  EXPECT_THAT(counters_error(27, "x").message, HasSubstr("gives no hardware counters"));
  EXPECT_THAT(counters_error(999, "read_counters").message,
              HasSubstr("could not read the counters (CUPTI error 999)"));
}

TEST(Counters, NamesAreEachThereOnceAndValuesComeBack) {
  std::set<std::string> names(counter_names().begin(), counter_names().end());
  EXPECT_EQ(names.size(), counter_names().size());
  CounterReading reading{{{"a", 2.0}, {"b", 0.5}}, 15};
  const CounterReading back = counters_from(to_json(reading));
  EXPECT_EQ(back.values, reading.values);
  EXPECT_EQ(back.passes, 15);
  EXPECT_TRUE(back.has("a"));
  EXPECT_EQ(back.value("c", -1), -1);
}

// On a machine with a GPU only.
class OnTheGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (discover().devices.empty()) GTEST_SKIP() << discover().reason.message;
    if (std::getenv("WARPLENS_WORKER") == nullptr)
      GTEST_SKIP() << "WARPLENS_WORKER does not name the program that can be a worker";
    auto module = ptx::parse(R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 p, .param .u32 n)
{
  .reg .pred %p1;
  .reg .b32 %r<6>;
  .reg .f32 %f<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd2, %r5, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  add.f32 %f1, %f1, %f1;
  st.global.f32 [%rd3], %f1;
DONE:
  ret;
}
)");
    ASSERT_TRUE(module.has_value()) << module.error().text();
    auto session = Session::open(std::make_shared<ptx::Module>(std::move(*module)), 0);
    ASSERT_TRUE(session.has_value()) << session.error().text();
    session_ = std::move(*session);
    launch_.kernel = "twice";
    launch_.grid.x = 64;
    launch_.block.x = 256;
    for (const char* text : {"buf:f32:16384:iota", "i32:16384"})
      launch_.arguments.push_back(*trace::parse_argument(text));
  }
  std::unique_ptr<Session> session_;
  trace::Launch launch_;
};

TEST_F(OnTheGpu, StreamsOverlapInOrder) {
  StreamOptions options{3, 6, 6u << 20, 5};
  const auto times = session_->streams(launch_, options, nullptr);
  ASSERT_TRUE(times.has_value()) << times.error().text();
  EXPECT_EQ(times->totals.size(), 5u);
  EXPECT_EQ(check_operations(times->operations, 3, 6), "");
}

TEST_F(OnTheGpu, CopiesTakeTime) {
  TransferOptions options;
  options.most = 1 << 20;
  options.batch = 1 << 20;
  const auto rows = session_->transfers(options, nullptr);
  ASSERT_TRUE(rows.has_value()) << rows.error().text();
  EXPECT_EQ(rows->size(), planned_transfers(options).size());
  for (const TransferRow& row : *rows)
    for (const double ms : row.milliseconds) EXPECT_GT(ms, 0);
}

// An H200 makes at most 67 TFLOP/s of FP32, and a product of this size keeps it busy.
TEST_F(OnTheGpu, TheLibraryMultipliesAtTheSpeedOfTheMachine) {
  const auto times = session_->library_product({2048, 2048, 2048}, 10, 0.5, nullptr);
  if (!times) GTEST_SKIP() << times.error().message;
  EXPECT_EQ(times->version.rfind("cuBLAS ", 0), 0u) << times->version;
  ASSERT_FALSE(times->milliseconds.empty());
  const double flop = 2.0 * 2048 * 2048 * 2048;
  for (const double ms : times->milliseconds) EXPECT_LT(flop / (ms / 1000), 200e12);
  EXPECT_GT(flop / (times->milliseconds.back() / 1000), 1e12);
}

TEST_F(OnTheGpu, CountersCountWhatTheKernelDoes) {
  const auto reading = session_->counters(launch_, nullptr);
  if (!reading) GTEST_SKIP() << reading.error().message;
  EXPECT_EQ(reading->value("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 512);
  EXPECT_EQ(reading->value("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"), 2048);
}

}  // namespace
}  // namespace warplens::gpu
