// What the hardware would say of a fixture: made up, but as the profiler and a clock have it.
#pragma once

#include "visual/hardware.h"

namespace warplens::visual {

HardwareCounters hardware(bool differs);
TransferRates copies();

}  // namespace warplens::visual
