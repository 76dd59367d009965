// Where the toolkit had this before CUDA 13; it needs no library any more.
#pragma once

#include <nvtx3/nvToolsExt.h>
