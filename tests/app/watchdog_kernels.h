// Small PTX kernels with every shape of control flow that PTX can say, for tests that ask one thing: does
// whatever is done with them come to an end?
#pragma once

#include <string>
#include <vector>

namespace warplens::watchdog {

struct Shape {
  std::string name;       // of the kernel, in the module as well
  std::string functions;  // that it calls
  std::string body;       // %p1 differs by lane, %p2 by warp, %p3 never holds, %r1 is the thread, %rd1 memory
};

// Every way in which three blocks can end: on to the next, to any of the three always or for some lanes, the
// end of the thread.
std::vector<Shape> generated_shapes();
// What needs more than that: tables, calls, recursion, barriers, traps, code that is never reached.
std::vector<Shape> written_shapes();

// One module of them all, and of a kernel `healthy` that writes 7 for every thread of a block.
std::string module_of(const std::vector<Shape>& shapes);

}  // namespace warplens::watchdog
