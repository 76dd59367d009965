// Programs that were built before: the same texts, options, compiler and stand-in of the runtime give the
// same program, which is kept in the cache folder, so that a second run with other arguments begins at once.
//
//   const ProgramCache kept(sources, nvcc, libraries);
//   if (auto found = kept.take(folder / "program")) return *found;
//   const source::CacheLock turn(kept.key(), seconds);  // who builds the same beside us is waited for
//   if (auto found = kept.take(folder / "program")) return *found;
//   ... kept.keep(folder / "program", folder / "program.d", what);
//
// What the user's own includes mean is looked for anew each time; of all other files that a compiler read an
// entry knows size and time. Kept are programs of one source file that link nothing of the user's.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/model/program/whole_program.h"
#include "engine/source/toolchain.h"

namespace warplens::model {

// What was said when it was built, and is said again.
struct SaidOfProgram {
  std::string warnings;
  std::vector<Message> notes;
};

class ProgramCache {
 public:
  ProgramCache(const ProgramSources& sources, const source::Tool& nvcc,
               const std::vector<std::string>& libraries);
  // Copies the program to `to`, when there is one that still holds.
  std::optional<SaidOfProgram> take(const std::filesystem::path& to) const;
  // Of what is kept; empty where nothing is.
  std::string key() const { return entry_.filename().string(); }
  // `read`: the compiler's list of what it has read, in make's words. Failures are ignored: a full disk costs
  // time, not correctness.
  void keep(const std::filesystem::path& program, const std::filesystem::path& read,
            const SaidOfProgram& said) const;

 private:
  std::filesystem::path entry_;  // empty: nothing is kept of such a program
};

}  // namespace warplens::model
