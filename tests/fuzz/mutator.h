// Changes texts as they get damaged in practice: bytes changed, lines removed, doubled and moved, numbers
// replaced, one text continued by another, cut off. The same seed gives the same changes.
#pragma once

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <utility>

namespace warplens::fuzz {

class Mutator {
 public:
  explicit Mutator(unsigned seed) : engine_(seed) {}

  unsigned random(unsigned n) { return (static_cast<unsigned>(engine_()) >> 1) % n; }

  // `other` is where foreign lines come from.
  std::string mutate(std::string text, const std::string& other) {
    for (unsigned n = 1 + random(4); n-- > 0 && !text.empty();) change(text, other);
    return text;
  }

 private:
  void change(std::string& text, const std::string& other) {
    const auto [first, last] = line(text);
    switch (random(8)) {
      case 0:
        text[at(text)] = static_cast<char>(random(256));
        return;
      case 1:
        text[at(text)] = kInteresting[random(static_cast<unsigned>(kInteresting.size()))];
        return;
      case 2:
        if (random(8) == 0) text.resize(at(text));
        return;
      case 3:
        text.erase(first, last - first);
        return;
      case 4: {
        const std::string copy = text.substr(first, last - first);
        text.insert(line(text).first, copy);
        return;
      }
      case 5: {  // what stands between two signs, from elsewhere in the text
        const auto [from, to] = word(text);
        const auto [begin, end] = word(text);
        text.replace(begin, end - begin, std::string(text, from, to - from));
        return;
      }
      case 6: {
        if (other.empty()) return;
        const auto [from, to] = line(other);
        text.insert(first, other, from, to - from);
        return;
      }
      default: {
        std::size_t begin = text.find_first_of("0123456789", at(text));
        if (begin == std::string::npos) return;
        std::size_t end = begin;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
        const bool known = random(2) == 0;
        text.replace(begin, end - begin,
                     known ? std::string(kNumbers[random(static_cast<unsigned>(kNumbers.size()))])
                           : std::to_string(random(4096)));
      }
    }
  }
  std::size_t at(const std::string& text) { return random(static_cast<unsigned>(text.size())); }
  std::pair<std::size_t, std::size_t> line(const std::string& text) {
    if (text.empty()) return {0, 0};
    const std::size_t middle = at(text);
    const std::size_t start = text.rfind('\n', middle), end = text.find('\n', middle);
    return {start == std::string::npos ? 0 : start, end == std::string::npos ? text.size() : end};
  }
  std::pair<std::size_t, std::size_t> word(const std::string& text) {
    if (text.empty()) return {0, 0};
    constexpr std::string_view kBetween = " \t\n,;:=()[]{}<>\"";
    const std::size_t middle = at(text);
    const std::size_t start = text.find_last_of(kBetween, middle), end = text.find_first_of(kBetween, middle);
    const std::size_t begin = start == std::string::npos ? 0 : start + 1;
    return {begin, std::max(begin, end == std::string::npos ? text.size() : end)};
  }

  static constexpr std::string_view kInteresting = "{}[]()<>;:,.@%!|+-*/~\"'0\n_";
  static constexpr std::array<std::string_view, 12> kNumbers{"0",
                                                             "1",
                                                             "31",
                                                             "32",
                                                             "255",
                                                             "65536",
                                                             "2147483647",
                                                             "2147483648",
                                                             "4294967295",
                                                             "4294967296",
                                                             "9223372036854775807",
                                                             "18446744073709551615"};
  std::minstd_rand engine_;
};

}  // namespace warplens::fuzz
