// Processes that this program starts of itself: one that keeps compilers, one that is NVRTC. A part of the
// program takes over in them before main(), so that nothing there may need what main() sets up.
//
//   int ends[2];
//   if (make_socket_pair(ends)) pid_t child = start_this_program("compile-keeper", "--keep", {ends[1]});
//
//   [[gnu::constructor]] void become_a_keeper(int argc, char** argv, char**) {
//     if (is_started_as(argc, argv, "--keep")) { become_background_process("compile-keeper"); ... }
//   }
#pragma once

#include <sys/types.h>

#include <vector>

namespace warplens::source {

// The first of the descriptors that start_this_program() hands over; the others follow it.
inline constexpr int kFirstHandedOver = 3;

// Two connected sockets, closed by an exec; false when the system has none left.
bool make_socket_pair(int (&ends)[2]);

// Starts this program with one argument, in a session of its own, so that no key of a terminal and no signal
// to our process group reaches it. Lists of processes show it under `name`. -1 when it fails.
pid_t start_this_program(const char* name, const char* argument, const std::vector<int>& files);
bool is_started_as(int argc, char** argv, const char* argument);

// What such a process does first: its name, no standard streams, no core, nothing open beyond what was handed
// over, none of which reaches a program that it starts.
void become_background_process(const char* name, int files);

// Waits for a child, at most so long: then it is killed.
void wait_for_end(pid_t child, double seconds);

}  // namespace warplens::source
