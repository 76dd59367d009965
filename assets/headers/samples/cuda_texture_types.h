// Which CUDA 12 has taken out with the texture references that it declared.
#pragma once

#include <texture_types.h>
