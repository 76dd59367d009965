#pragma once

#include "../check.h"

constexpr int kBase = 40;
void double_all(int* data, int n);
