// Whose clock or counters gave a measured number. It travels with the number as its badge does, so that what
// one GPU did never stands under the name or the roofs of another.
#pragma once

#include <string>
#include <string_view>

namespace warplens {

struct MeasuredOn {
  std::string hardware = {};  // as its driver calls it: "NVIDIA H200"; empty: nothing was measured
  std::string device = {};    // the same GPU in the device list: "H200 SXM"; empty: it is not in there

  bool empty() const { return hardware.empty(); }
  // Whether a number that is modelled for this device of the list is about the same GPU.
  bool is(std::string_view listed) const { return !device.empty() && device == listed; }
  // "H200": where there is little room.
  std::string short_name() const {
    constexpr std::string_view kMaker = "NVIDIA ";
    return hardware.starts_with(kMaker) ? hardware.substr(kMaker.size()) : hardware;
  }
  bool operator==(const MeasuredOn&) const = default;
};

}  // namespace warplens
