// With every check: host code that touches the device's memory, or managed memory that a kernel has changed
// and that nothing has waited for. A GPU's program ends with a segmentation fault at the first, and so does
// it here; at the second it finds whatever has arrived so far, which the emulator, where work is done when it
// is asked for, would never show.
//
//   HostGuard guard(all);
//   guard.enter();        // a call is carried out: everything is within reach
//   guard.leave(waited);  // between calls, pages of the device's memory are not
//
// Of a signal of the program's own process; for one Context, under its mutex.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warplens::runtime {

class Context;

class HostGuard {
 public:
  explicit HostGuard(Context& all);

  void enter();
  // `waited`: the call may have waited for all work, as each may that has launched nothing.
  void leave(bool waited);

  // Managed memory that a launch may change, as it is before it; what it then has changed.
  struct Seen {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Seen> look(const std::vector<std::uint8_t>& parameters) const;
  void compare(const std::vector<Seen>& before, const std::string& launch);

  // A segmentation fault of the program at this address, in the instruction at `from`. False: it is to end
  // it.
  bool explain(std::uint64_t address, std::uint64_t from);

 private:
  struct Pages {
    std::uint64_t begin = 0, end = 0;
  };
  void collect();

  Context& all_;
  int depth_ = 0;
  bool given_up_ = false;  // it costs too much
  double seconds_ = 0;
  std::vector<Pages> pages_;                      // out of reach now
  std::map<std::uint64_t, std::string> pending_;  // address of managed memory -> launch that has changed it
};

}  // namespace warplens::runtime
