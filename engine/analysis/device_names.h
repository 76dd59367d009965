// Names of GPUs where there is little room.
//
//   brief_device_name("NVIDIA A100-SXM4-80GB")   // "A100 80GB"
#pragma once

#include <string>
#include <string_view>

namespace warplens::analysis {

// What tells a GPU from others: "H200" of "H200 SXM" and of "NVIDIA H200". The whole name where nothing would
// be left.
std::string brief_device_name(std::string_view name);

}  // namespace warplens::analysis
