// CUPTI opened at run time: the toolkit's own place, the loader's path, or $WARPLENS_CUPTI.
#pragma once

#include <string>

namespace warplens::gpu {

class CountersLibrary {
 public:
  // Once a process; null when there is none.
  static CountersLibrary* open();

  template <typename Function>
  Function symbol(const char* name) const {
    return reinterpret_cast<Function>(find(name));
  }

 private:
  void* find(const char* name) const;
  void* handle_ = nullptr;
};

}  // namespace warplens::gpu
