// How a page of the book looks, on a screen and on paper.
#pragma once

#include <string>

namespace warplens::lesson {

// A whole page around this body; `home` is what the link to index.html is called, none where it is empty.
std::string book_page(const std::string& title, const std::string& language, const std::string& body,
                      const std::string& home);

}  // namespace warplens::lesson
