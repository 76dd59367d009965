// How a page of the book looks, on a screen and on paper.
#pragma once

#include <string>
#include <vector>

namespace warplens::lesson {

struct BookLink {
  std::string file, title;
};
// A whole page around this body, with links to others above it.
std::string book_page(const std::string& title, const std::string& language, const std::string& body,
                      const std::vector<BookLink>& links);

}  // namespace warplens::lesson
