// Functions that the device's runtime provides: printf, assert, malloc and free.
#pragma once

#include "engine/simt/exec/cta.h"
#include "engine/simt/launch/worker.h"

namespace warplens::simt {

struct BuiltinCall {
  WarpControl& w;
  Cta& cta;
  Worker& worker;
  const CallInfo& info;
  const Op& op;
  LaneMask lanes = 0;
  std::uint32_t frame = 0;  // of the caller: arguments and results lie in its .param variables
};

Builtin builtin_named(std::string_view name);
void run_builtin(const BuiltinCall& call, Builtin builtin);

}  // namespace warplens::simt
