// The gallery, the recordings and the runs that tests of lessons share: what two of them run happens once.
#pragma once

#include <gtest/gtest.h>

#include "app/lesson/runs.h"
#include "engine/base/assets.h"

namespace warplens::lesson {

struct LessonRuns : testing::Test {
  static const model::Gallery& gallery() {
    static const auto loaded = model::load_gallery();
    return *loaded;
  }
  static const model::Recordings& recordings() {
    static const model::Recordings all = model::load_recordings({assets_folder() / "recordings", {}});
    return all;
  }
  static Runs& runs() {
    static Runs all(gallery(), recordings().best());
    return all;
  }
};

}  // namespace warplens::lesson
