// C++ text as tokens with positions: just enough of the language to tell host code from device code, find
// launches and evaluate constants. Comments vanish; a preprocessor line is one token.
//
//   for (const Token& t : tokenize("int x = 0x10; // why"))  ->  int  x  =  0x10  ;
//
// Tokens point into the text they were made from, which must outlive them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace warplens::source {

enum class TokenKind : unsigned char {
  Identifier,
  Number,
  String,
  Character,
  Punctuation,  // one character, or one of  ::  ->  <<<  >>>  <<  >>  ==  !=  <=  >=  &&  ||
  Directive,    // a whole preprocessor line with its continuations, from the '#'
};

struct Token {
  std::string_view text;
  std::size_t begin = 0;  // byte offset
  int line = 0;           // counts from 1
  TokenKind kind = TokenKind::Punctuation;
  bool is(std::string_view t) const { return text == t && kind != TokenKind::String; }
  std::size_t end() const { return begin + text.size(); }
};

// A word of a declaration whose brackets hold no parameters: __launch_bounds__(256), alignas(16).
bool is_attribute(std::string_view word);
// What may stand in front of the '=' of an assignment.
bool is_compound(std::string_view operation);

// Never fails: an unterminated string or comment ends with its line or the text.
std::vector<Token> tokenize(std::string_view text);

// Without what stands between  #if 0  and its #else or #endif: it may be anything.
std::vector<Token> without_disabled(std::vector<Token> tokens);

// For each ( [ { the index of the token that closes it, for every other token (and where nothing closes it)
// the number of tokens. The branches of #if / #else start from the same depth, so that
// a brace opened in both is closed once.
std::vector<std::size_t> match_brackets(const std::vector<Token>& tokens);

// "if" of "#  ifdef X": the word after the '#', and the rest of the line without comments at its end.
struct DirectiveParts {
  std::string_view word, rest;
};
DirectiveParts split_directive(std::string_view directive);

}  // namespace warplens::source
