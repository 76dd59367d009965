#include "engine/base/compiled_by.h"

namespace warplens {

std::string in_words(const CompiledBy& by, const Catalogue& text) {
  std::string out = by.version;
  if (by.origin == CompiledBy::Origin::GivenPtx) out = text.text("compile.made.given_ptx");
  if (by.origin == CompiledBy::Origin::ProgramPtx) out = text.text("compile.made.program_ptx");
  for (const Message& remark : by.remarks)
    out = text.text(Message{"compile.made.remark", {{"by", value_of(out)}, {"remark", value_of(remark)}}});
  return out;
}

}  // namespace warplens
