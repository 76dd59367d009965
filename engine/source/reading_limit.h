// How long Warplens' own passes over a CUDA text may take: finding launches, setting the host part aside.
// They are linear in what people write, but a text made to keep them busy must end in a message as well.
//
//   const ReadingLimit limit({.seconds = 60}, progress);   // of this thread, until it goes out of scope
//   try { ...reading_step() now and then... } catch (const ReadingStopped& stopped) { ... }
//
// Counted is this thread's processor time: waiting for a compiler in between is no reading. Inner limits
// replace outer ones for as long as they live. Without any limit reading_step() does nothing.
//
// A text as tokens is the most of what reading needs in memory, and the rest grows with it: so the number of
// tokens says when it is too much.
#pragma once

#include <exception>
#include <string>

#include "engine/base/progress.h"
#include "engine/base/result.h"
#include "engine/source/compile.h"

namespace warplens::source {

struct ReadingStopped : std::exception {
  enum class Why { Cancelled, TooLong, TooLarge };
  explicit ReadingStopped(Why reason) : why(reason) {}
  const char* what() const noexcept override { return "reading a text was stopped"; }
  Why why;
};

class ReadingLimit {
 public:
  explicit ReadingLimit(const CompileLimits& limits, const Progress* progress = nullptr);
  ~ReadingLimit();
  ReadingLimit(const ReadingLimit&) = delete;
  ReadingLimit& operator=(const ReadingLimit&) = delete;

  void hold(std::size_t tokens) const;  // throws ReadingStopped when they are too many
  void step();  // throws ReadingStopped; looks at the clock once in a few thousand calls

  // What to tell the user: the file, what happened, what to do.
  Error error(const ReadingStopped& stopped, const std::string& file) const;

 private:
  CompileLimits limits_;
  double end_;
  const Progress* progress_;
  int until_look_ = 0;
  ReadingLimit* outer_;
};

// One small piece of work on a text: throws ReadingStopped when this thread's limit is reached.
void reading_step();
// So many tokens are in memory at once.
void reading_holds(std::size_t tokens);

}  // namespace warplens::source
