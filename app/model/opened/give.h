// What a user puts in place of something that was assumed about a file, as text.
//
//   give(adopted, "grid", "64,64");              the launch
//   give(adopted, "n", "100000");                a number; what is made of it follows
//   give(adopted, "in", "4 * n");                the size of a buffer
//   give(adopted, "in", "buf:f32:{n}:zero");     a whole argument, as --arg takes it
#pragma once

#include <string>

#include "app/model/opened/adopt.h"

namespace warplens::model {

// Changes the kernel, and the assumption's reason to "yours". Errors say what was expected; nothing has
// changed then.
Status give(Adopted& adopted, const std::string& what, const std::string& text);

// Adds what the buffers hold to the list of what was assumed, one entry a buffer whose size is the file's
// own; entries about an argument then show it whole, as --arg takes it.
void list_arguments(const Program& program, Adopted& adopted);

}  // namespace warplens::model
