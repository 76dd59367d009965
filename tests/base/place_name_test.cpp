#include "engine/base/place_name.h"

#include <gtest/gtest.h>

namespace warplens {
namespace {

TEST(PlaceName, IsReadAsItIsMade) {
  EXPECT_EQ(argument_name(2), "argument 2");
  EXPECT_EQ(argument_number("argument 2"), 2u);
  EXPECT_EQ(allocation_number(allocation_name(13)), 13u);
}

TEST(PlaceName, WhatSomebodyCalledSoIsNone) {
  for (const char* name : {"", "argument", "argument ", "argument x", "argument 2b", "arguments 2", "in"})
    EXPECT_FALSE(argument_number(name)) << name;
  EXPECT_FALSE(allocation_number("argument 2"));
  EXPECT_FALSE(allocation_number("allocation -1"));
}

}  // namespace
}  // namespace warplens
