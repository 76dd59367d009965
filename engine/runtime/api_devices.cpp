// Choosing one of several devices, and what they are to each other.
#include <fmt/format.h>

#include <cstring>
#include <set>
#include <utility>

#include "engine/runtime/devices.h"
#include "engine/runtime/misuse.h"

using namespace warplens;
using namespace warplens::runtime;

namespace {

// Who may use whose memory, as the program has asked: only its answers depend on it.
std::set<std::pair<int, int>>& peers() {
  static std::set<std::pair<int, int>> all;
  return all;
}

}  // namespace

namespace warplens::runtime {

int& current_device() {
  thread_local int device = 0;
  return device;
}

bool is_device(const Context& all, int device) {
  return device >= 0 && device < all.settings.devices;
}

}  // namespace warplens::runtime

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return call([&](Context& all) {
    if (all.settings.devices > 1)
      all.note(all.texts().text(Message{"run.devices", {{"count", value_of(all.settings.devices)}}}));
    *count = all.settings.devices;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call([&](Context&) {
    *device = current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return call([&](Context& all) {
    if (!is_device(all, device)) return refuse_device(all, "cudaSetDevice", device);
    current_device() = device;
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return call([&](Context& all) {
    return is_device(all, device) ? cudaSuccess : refuse_device(all, "cudaInitDevice", device);
  });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return call([&](Context& all) {
    for (int i = 0; i < count; ++i)
      if (!is_device(all, devices[i])) return cudaErrorInvalidDevice;
    return cudaSuccess;
  });
}

// All are equally near to what is wished for.
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  return call([&](Context&) {
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  return call([&](Context& all) {
    if (!is_device(all, device) || bytes < 13) return cudaErrorInvalidValue;
    std::strncpy(text, fmt::format("0000:{:02x}:00.0", device).c_str(), static_cast<std::size_t>(bytes));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return call([&](Context& all) {
    for (int i = 0; i < all.settings.devices; ++i)
      if (std::strstr(text, fmt::format("{:02x}:00", i).c_str()) != nullptr) return *device = i, cudaSuccess;
    return cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call([&](Context& all) {
    if (!is_device(all, device) || !is_device(all, peer)) return cudaErrorInvalidDevice;
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
  return call([&](Context& all) {
    if (!is_device(all, device) || !is_device(all, peer) || device == peer) return cudaErrorInvalidDevice;
    *value = attribute == cudaDevP2PAttrPerformanceRank ? 0 : 1;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return call([&](Context& all) {
    if (!is_device(all, peer) || peer == current_device()) return cudaErrorInvalidDevice;
    return peers().insert({current_device(), peer}).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call([&](Context&) {
    return peers().erase({current_device(), peer}) > 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

}  // extern "C"
#pragma GCC visibility pop
