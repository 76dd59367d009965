// Headers of ours that stand in for those of the toolkit's samples and of books (assets/headers), where
// programs came without them.
#pragma once

#include <string>
#include <vector>

namespace warplens::model {

std::string headers_folder();  // where they lie
std::string
stand_in_folder();  // as the last folder of a compiler, it serves them by the names that programs use
bool have_header(const std::string& name);

// Names of headers that a text includes, that we have, and that lie neither beside its file nor in `folders`.
std::vector<std::string> missed_headers(const std::string& file, const std::string& text,
                                        const std::vector<std::string>& folders);

}  // namespace warplens::model
