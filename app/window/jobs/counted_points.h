// Points of curves that have been counted. Whoever goes back to a value, or to another language and back, has
// the curve at once; what is forgotten is counted again.
//
//   if (const SweptPoint* known = points.find(key)) swept.points.push_back(*known);
#pragma once

#include <compare>
#include <map>
#include <string>

#include "app/model/gallery/slider_values.h"
#include "app/window/jobs/sweep.h"

namespace warplens::model {
struct Program;  // app/model/run/pipeline.h
}

namespace warplens::window {

class CountedPoints {
 public:
  // Equal keys, equal counts. The program is known by its address: it must live until forget() has been told
  // of it.
  struct Key {
    const model::Program* program = nullptr;
    std::string kernel, given, device;  // as in ResultKey
    model::SliderValues values;         // that of the curve's slider among them
    bool whole = false;                 // of all blocks; else of block 0
    auto operator<=>(const Key&) const = default;
  };

  const SweptPoint* find(const Key& key) const;  // until the next keep() or forget()
  void keep(Key key, SweptPoint point);
  void forget(const model::Program* program);

 private:
  std::map<Key, SweptPoint> points_;
};

}  // namespace warplens::window
