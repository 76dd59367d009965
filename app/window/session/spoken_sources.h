// Source texts of the pictures on the stage, with their comments in the reader's language. What runs has the
// English ones, so that another language needs no new run: only these lines are made again.
#pragma once

#include <list>
#include <memory>
#include <string>

#include "app/model/run/pipeline.h"
#include "visual/view.h"

namespace warplens::window {

class SpokenSources {
 public:
  // Made once for a program and a language; the newest few are kept.
  std::shared_ptr<const visual::SourceText> of(const std::shared_ptr<const model::Program>& program,
                                               const std::string& language);

 private:
  struct One {
    std::shared_ptr<const model::Program> program;
    std::string language;
    std::shared_ptr<const visual::SourceText> text;
  };
  std::list<One> newest_;  // first
};

}  // namespace warplens::window
