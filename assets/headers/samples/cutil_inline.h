// As cutil.h; the samples of CUDA 3 and 4 had both.
#pragma once

#include "cutil.h"
