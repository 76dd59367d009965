// What a CUDA file declares, read from its tokens: functions, kernels, structures, templates, names of types.
// The base on which HostMachine executes the host code.
//
//   HostProgram program = read_host_program(tree, defines);
//   program.kernels  ->  {name "scale", parameters {{"data", ...}, {"n", ...}}, line 3}
//
// Not a C++ parser: what is not understood is passed over, and headers that are missing are not missed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/source/preprocess.h"

namespace warplens::source {

// Half-open range of token indexes.
struct TokenRange {
  std::size_t first = 0, last = 0;
  bool empty() const { return first >= last; }
};

struct TemplateParameter {
  bool is_type = false, is_pack = false;
  std::string name;
  TokenRange default_value;
};

struct HostParameter {
  TokenRange type;  // with stars and references, without the name
  std::string name;
  TokenRange default_value;
  bool by_reference = false;
};

struct HostFunction {
  std::string name;  // without namespaces
  std::vector<TemplateParameter> templates;
  std::vector<HostParameter> parameters;
  TokenRange body;      // inside the braces; empty for a declaration
  TokenRange initials;  // of a constructor, after the ':'
  TokenRange result;    // tokens before the name
  bool is_kernel = false, is_device_only = false, is_explicit_instance = false;
  std::string instance;  // "<float>" of an explicit instantiation or specialization, as written
  std::string scope;     // "ns::" of the namespaces it stands in
  int line = 0;
  bool in_main_file = true;
};

struct HostField {
  TokenRange type, extents, initial;
  std::string name;
};

struct HostStructure {
  std::string name;
  std::vector<TemplateParameter> templates;
  std::vector<HostField> fields;
  std::multimap<std::string, HostFunction, std::less<>> methods;  // constructors under the structure's name
  std::vector<std::string> bases;
  bool is_union = false;
};

struct HostProgram {
  std::shared_ptr<const SourceTree> tree;  // tokens point into it
  Preprocessed text;
  std::vector<std::size_t> match;  // of tokens: what closes a bracket, or their number
  std::multimap<std::string, HostFunction, std::less<>> functions;  // no kernels
  std::vector<HostFunction> kernels;                                // in the order of the file
  std::map<std::string, std::shared_ptr<const HostStructure>, std::less<>> structures;
  std::map<std::string, std::vector<TemplateParameter>, std::less<>> alias_templates;
  std::map<std::string, TokenRange, std::less<>> aliases;  // using A = ..., typedef ... A
  std::map<std::string, TokenRange, std::less<>> enumerators;
  std::vector<TokenRange> globals;  // declarations of variables, in order

  const std::vector<Token>& tokens() const { return text.tokens; }
  const HostFunction* kernel(std::string_view name) const;  // the first of that name, definitions first
  std::string source_of(TokenRange range) const;            // tokens, with blanks where two words meet
};

// A structure's head and body that begin at `first`; where it ends is written to `end`. Also for structures
// inside of functions; those within it are remembered with the others.
std::shared_ptr<HostStructure> read_structure(HostProgram& program, std::size_t first, std::size_t last,
                                              std::size_t& end);

// After the '>' that closes the '<' at `open`, or `last` when nothing within reach does.
std::size_t after_angles(const HostProgram& program, std::size_t open, std::size_t last);
// Ranges between commas outside all brackets; <...> counts as one when `angles`.
std::vector<TokenRange> split_at_commas(const HostProgram& program, TokenRange range, bool angles);
std::vector<TemplateParameter> read_template_parameters(const HostProgram& program, TokenRange range);
std::vector<HostParameter> read_parameters(const HostProgram& program, TokenRange range);

HostProgram read_host_program(SourceTree tree,
                              const std::vector<std::pair<std::string, std::string>>& defines);

}  // namespace warplens::source
