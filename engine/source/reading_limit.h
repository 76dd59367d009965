// How long Warplens' own passes over a CUDA text may take: finding launches, setting the host part aside.
// They are linear in what people write, but a text made to keep them busy must end in a message as well.
//
//   const ReadingLimit limit(60, progress);   // of this thread, until it goes out of scope
//   try { ...reading_step() now and then... } catch (const ReadingStopped& stopped) { ... }
//
// Counted is this thread's processor time: waiting for a compiler in between is no reading. Inner limits
// replace outer ones for as long as they live. Without any limit reading_step() does nothing.
#pragma once

#include <exception>
#include <string>

#include "engine/base/progress.h"
#include "engine/base/result.h"

namespace warplens::source {

struct ReadingStopped : std::exception {
  explicit ReadingStopped(bool by_user) : cancelled(by_user) {}
  const char* what() const noexcept override { return cancelled ? "cancelled" : "reading took too long"; }
  bool cancelled;
};

class ReadingLimit {
 public:
  explicit ReadingLimit(double seconds, const Progress* progress = nullptr);
  ~ReadingLimit();
  ReadingLimit(const ReadingLimit&) = delete;
  ReadingLimit& operator=(const ReadingLimit&) = delete;

  void step();  // throws ReadingStopped; looks at the clock once in a few thousand calls

  // What to tell the user: the file, what happened, what to do.
  Error error(const ReadingStopped& stopped, const std::string& file) const;

 private:
  double seconds_, end_;
  const Progress* progress_;
  int until_look_ = 0;
  ReadingLimit* outer_;
};

// One small piece of work on a text: throws ReadingStopped when this thread's limit is reached.
void reading_step();

}  // namespace warplens::source
