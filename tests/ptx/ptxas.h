// What this machine's ptxas makes of a text, to hold the rules that foretell it against it again.
//
//   if (follow_ptxas(text, module)) EXPECT_EQ(lower(module, function).accesses[0].bytes, 8);
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "engine/ptx/syntax/machine_code.h"
#include "engine/ptx/syntax/module.h"
#include "engine/source/compile.h"

namespace warplens::ptx {

// False where there is no ptxas; a text that it refuses fails the test.
inline bool follow_ptxas(const std::string& text, Module& module) {
  if (std::system("ptxas --version > /dev/null 2>&1") != 0) return false;
  const auto made = source::assemble(text, "sm_90");
  EXPECT_TRUE(made) << made.error().text() << "\n" << text;
  if (!made) return false;
  attach(made->machine, module);
  return true;
}

}  // namespace warplens::ptx
