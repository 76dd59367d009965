// What a keeper and the program say to each other (workroom.h is the program's side).
//
// A keeper is this program once more, in a session of its own, in two processes of which either ends
// everything when the other is killed. It makes a private folder, runs compilers in it one after another, and
// outlives the program by as long as it takes to end whatever a compiler has started and to remove the
// folder: so no signal that ends the program leaves a process or a file behind. A compiler's processes are
// found wherever they have gone (another process group, another session), because orphans become the keeper's
// children.
#pragma once

#include <sys/types.h>

namespace warplens::source::keeper {

// Compilers get `output` and `errors` as their streams. -1 when it cannot be started.
pid_t start_keeper(int socket, int output, int errors);

// From the keeper: its folder (no text: it could not be made), once at the start; the status of a command
// that has ended; the errno of one that could not be started.
inline constexpr char kFolder = 'f', kEnded = 'e', kNotStarted = 'n';
// From the program: memory in MiB, seconds of processor time, then the command.
inline constexpr char kRun = 'r';

}  // namespace warplens::source::keeper
