// For programs that expect it beside them.
#pragma once

#include "../common/book.h"
