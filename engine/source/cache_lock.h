// One makes what belongs in the cache under a key; whoever wants the same meanwhile, in this process or
// another, waits and reads what was kept.
//
//   const CacheLock lock(key, limits.seconds, progress);
//   if (auto cached = load_cached(key)) return *cached;
//   ... compile, store_cached(key, ptx)
//
// The system lets go of the lock of a process that ends, however it ends. Without a lock (no cache folder, a
// file system that has none, patience at its end, a task that was cancelled) two make the same, which costs
// time alone.
#pragma once

#include <filesystem>
#include <string>

#include "engine/base/progress.h"

namespace warplens::source {

class CacheLock {
 public:
  // Waits for so many seconds at most, and for no task that was cancelled.
  CacheLock(const std::string& key, double seconds, const Progress* progress = nullptr);
  ~CacheLock();
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;

  bool held() const { return file_ >= 0; }

 private:
  std::filesystem::path name_;
  int file_ = -1;
};

}  // namespace warplens::source
