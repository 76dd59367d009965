// Several texts of PTX, of one program's files, linked to one: what one file declares .extern and another
// defines becomes the same thing.
//
//   link_texts({main_ptx, library_ptx})
//
// Of a .weak definition (a template, an inline function) that several files have, the first stays. What a
// file keeps to itself is renamed where another file has something of that name. Lines of source files keep
// their numbers; the numbers of files move.
#pragma once

#include <string>
#include <vector>

namespace warplens::ptx {

std::string link_texts(const std::vector<std::string>& texts);

}  // namespace warplens::ptx
