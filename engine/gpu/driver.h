// The part of the CUDA driver that this program uses, opened at run time. Types are declared here as the
// driver's binary interface defines them, so that neither a toolkit at build time nor a driver at run time is
// required.
//
//   Result<const Driver*> driver = Driver::load();
//   if (!driver) return driver.error();              // says why, and what would help
//   check(**driver, (*driver)->mem_alloc(&pointer, bytes), "reserve memory")
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/base/result.h"

namespace warplens::gpu {

using CudaResult = int;
using DeviceOrdinal = int;
using DevicePointer = std::uint64_t;
using ContextHandle = void*;
using ModuleHandle = void*;
using FunctionHandle = void*;
using EventHandle = void*;
using StreamHandle = void*;
using ArrayHandle = void*;
using ObjectHandle = std::uint64_t;  // of a texture or surface: what the kernel's parameter holds
struct ArrayShape;                   // the descriptions below are those of device_texture.cpp
struct ArrayCopy;
struct ResourceShape;
struct TextureShape;

// Numbers of the driver's interface (cuda.h of CUDA 13).
inline constexpr int kDeviceAttributeClockRate = 13;
inline constexpr int kDeviceAttributeMultiprocessors = 16;
inline constexpr int kDeviceAttributeMemoryClockRate = 36;
inline constexpr int kDeviceAttributeL2Bytes = 38;
inline constexpr int kDeviceAttributeMajor = 75;
inline constexpr int kDeviceAttributeMinor = 76;
inline constexpr int kDeviceAttributeSharedOptin = 97;
inline constexpr int kFunctionStaticShared = 1;
inline constexpr int kFunctionLocalBytes = 3;
inline constexpr int kFunctionRegisters = 4;
inline constexpr int kFunctionMaxDynamicShared = 8;
inline constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6, kJitOptimisation = 7;
inline constexpr CudaResult kIllegalInstruction = 715;
inline constexpr CudaResult kUnsupportedPtxVersion = 222;

struct Driver {
  CudaResult (*init)(unsigned flags);
  CudaResult (*driver_version)(int* version);
  CudaResult (*error_string)(CudaResult error, const char** text);
  CudaResult (*device_count)(int* count);
  CudaResult (*device_get)(DeviceOrdinal* device, int ordinal);
  CudaResult (*device_name)(char* name, int length, DeviceOrdinal device);
  CudaResult (*device_memory)(std::size_t* bytes, DeviceOrdinal device);
  CudaResult (*device_attribute)(int* value, int attribute, DeviceOrdinal device);
  CudaResult (*device_bus_id)(char* text, int length, DeviceOrdinal device);
  CudaResult (*primary_retain)(ContextHandle* context, DeviceOrdinal device);
  CudaResult (*set_current)(ContextHandle context);
  CudaResult (*synchronize)();
  CudaResult (*module_load)(ModuleHandle* module, const void* image, unsigned count, int* options,
                            void** values);
  CudaResult (*module_unload)(ModuleHandle module);
  CudaResult (*module_function)(FunctionHandle* function, ModuleHandle module, const char* name);
  CudaResult (*module_global)(DevicePointer* pointer, std::size_t* bytes, ModuleHandle module,
                              const char* name);
  CudaResult (*function_attribute)(int* value, int attribute, FunctionHandle function);
  CudaResult (*function_set_attribute)(FunctionHandle function, int attribute, int value);
  CudaResult (*mem_alloc)(DevicePointer* pointer, std::size_t bytes);
  CudaResult (*mem_free)(DevicePointer pointer);
  CudaResult (*mem_info)(std::size_t* free, std::size_t* total);
  CudaResult (*copy_to_device)(DevicePointer to, const void* from, std::size_t bytes);
  CudaResult (*copy_to_host)(void* to, DevicePointer from, std::size_t bytes);
  CudaResult (*copy_on_device)(DevicePointer to, DevicePointer from, std::size_t bytes);
  CudaResult (*copy_to_device_async)(DevicePointer to, const void* from, std::size_t bytes,
                                     StreamHandle stream);
  CudaResult (*copy_to_host_async)(void* to, DevicePointer from, std::size_t bytes, StreamHandle stream);
  CudaResult (*fill_bytes)(DevicePointer to, unsigned char value, std::size_t bytes);
  CudaResult (*host_alloc)(void** pointer, std::size_t bytes);
  CudaResult (*host_free)(void* pointer);
  CudaResult (*array_create)(ArrayHandle* array, const ArrayShape* shape);
  CudaResult (*array_destroy)(ArrayHandle array);
  CudaResult (*array_copy)(const ArrayCopy* copy);
  CudaResult (*texture_create)(ObjectHandle* texture, const ResourceShape* resource,
                               const TextureShape* shape, const void* view);
  CudaResult (*texture_destroy)(ObjectHandle texture);
  CudaResult (*surface_create)(ObjectHandle* surface, const ResourceShape* resource);
  CudaResult (*surface_destroy)(ObjectHandle surface);
  CudaResult (*launch)(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                       StreamHandle stream, void** arguments, void** extra);
  // All blocks run at the same time, or the launch fails: what grid.sync() needs.
  CudaResult (*launch_cooperative)(FunctionHandle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned shared_bytes, StreamHandle stream, void** arguments);
  CudaResult (*stream_create)(StreamHandle* stream, unsigned flags);
  CudaResult (*stream_destroy)(StreamHandle stream);
  CudaResult (*stream_synchronize)(StreamHandle stream);
  CudaResult (*event_create)(EventHandle* event, unsigned flags);
  CudaResult (*event_destroy)(EventHandle event);
  CudaResult (*event_record)(EventHandle event, StreamHandle stream);
  CudaResult (*event_synchronize)(EventHandle event);
  CudaResult (*event_elapsed)(float* milliseconds, EventHandle from, EventHandle to);

  // Opens libcuda and initialises it, once a process.
  static Result<const Driver*> load();

  // Error of kind System (or Fault for errors that a kernel causes) with the driver's own words; `doing` is
  // what was asked of it, a key of gpu.doing ("read_event"), or a Message under it that has values.
  Error error(CudaResult code, const char* doing) const;
  Error error(CudaResult code, Message doing) const;
};

}  // namespace warplens::gpu
