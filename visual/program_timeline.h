// What a whole program did when: a row a stream, its launches above and its copies and fills below, and a row
// in which the host waits. Pure, as the views are; a launch's bar carries its number as target.step.
//
//   const Scene scene = program_timeline(context, {.rows = {"default stream"}, .spans = spans, .end = 2.5});
//   scene.hit(mouse)->target.step        // the launch that a click opens
//
// Times are the host's, of the emulation: who shows it says so.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "visual/view.h"

namespace warplens::visual {

struct ProgramTimeline {
  enum class Work : std::uint8_t { Launch, Copy, Wait };
  struct Span {
    double begin = 0, end = 0;  // seconds
    std::uint32_t row = 0;
    Work work = Work::Launch;
    std::uint8_t colour =
        0;  // of a launch: a place in `kernels`; what lies behind them has no colour of its own
    bool faulted = false;
    std::uint64_t launch = 0;
  };
  std::vector<std::string> rows;             // of streams, in order; the waits' is the last, if there are any
  std::vector<std::string> kernels;          // that have a colour of their own, five at most
  bool more_kernels = false;                 // there are others
  std::vector<Span> spans;                   // by begin in each row
  double begin = 0, end = 1;                 // what is seen
  std::uint64_t marked = ~std::uint64_t{0};  // this launch is outlined
  // What a bar says when pointed at: its first span, and how many more are in it.
  std::function<std::string(const Span& first, std::uint64_t more)> tell;
};
inline constexpr std::size_t kTimelineKernels = 5;
// How high it would like to be.
float program_timeline_height(std::size_t rows, bool waits);
Scene program_timeline(const ViewContext& context, const ProgramTimeline& line);

}  // namespace warplens::visual
