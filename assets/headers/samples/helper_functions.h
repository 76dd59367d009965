// The headers of the toolkit's samples that do not need CUDA.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"
