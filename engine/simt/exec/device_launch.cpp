#include "engine/simt/exec/device_launch.h"

#include <cstring>
#include <mutex>
#include <span>
#include <vector>

#include "engine/simt/memory/memory.h"

namespace warplens::simt {
namespace {

// cudaError_t, as device code gets it.
constexpr std::uint64_t kSuccess = 0, kInvalidValue = 1, kOutOfMemory = 2, kInvalidDeviceFunction = 98,
                        kNotSupported = 801;
// What cudaRuntimeGetVersion answers in device code (an H200, driver 580).
constexpr std::int32_t kDeviceRuntime = 6000;
// A stream or an event that a kernel has made: launches of a block follow one another in any case.
constexpr std::uint64_t kOwnStream = 0x100;

bool copy_argument(const BuiltinCall& call, unsigned lane, std::size_t index, void* to, std::size_t bytes) {
  if (index >= call.info.arguments.size() || call.info.arguments[index].bytes < bytes) return false;
  const std::byte* from = call.w.local.data() + std::size_t{lane} * call.worker.program->lane_local_bytes +
                          call.frame + call.info.arguments[index].offset;
  std::memcpy(to, from, bytes);
  return true;
}

template <typename T>
T argument_of(const BuiltinCall& call, unsigned lane, std::size_t index) {
  T value{};
  copy_argument(call, lane, index, &value, sizeof value);
  return value;
}

Dim3 extent_of(const BuiltinCall& call, unsigned lane, std::size_t index) {
  std::uint32_t sizes[3] = {1, 1, 1};
  copy_argument(call, lane, index, sizes, sizeof sizes);
  return {sizes[0], sizes[1], sizes[2]};
}

std::uint64_t parameter_bytes(const ptx::Function& kernel) {
  std::uint64_t at = 0;
  for (const ptx::Variable& parameter : kernel.parameters) {
    const std::uint64_t alignment = std::max<std::uint64_t>(
        {1, parameter.alignment, static_cast<std::uint64_t>(ptx::size_of(parameter.type))});
    at = (at + alignment - 1) / alignment * alignment + parameter.bytes();
  }
  return at;
}

// The kernel that has this address in the calling one's module; nullptr: none.
const ptx::Function* kernel_at(const BuiltinCall& call, std::uint64_t address) {
  const auto& functions = call.worker.program->module->functions;
  const std::uint64_t index = (address - kKernelWindow) / 16;
  if (address < kKernelWindow || index >= functions.size() || !functions[index].is_entry) return nullptr;
  return &functions[index];
}

// (kernel, grid, block, shared bytes): the address of a buffer, 0 when there is none.
std::uint64_t open_launch(const BuiltinCall& call, unsigned lane) {
  const ptx::Function* const kernel = kernel_at(call, argument_of<std::uint64_t>(call, lane, 0));
  if (kernel == nullptr) return 0;
  const std::uint64_t bytes = parameter_bytes(*kernel);
  const std::uint64_t buffer = call.worker.state->memory->allocate(std::max<std::uint64_t>(bytes, 8));
  if (buffer == 0) return 0;
  DeviceLaunch& launch = call.worker.opened[buffer];
  launch.kernel = kernel->name;
  launch.grid = extent_of(call, lane, 1);
  launch.block = extent_of(call, lane, 2);
  launch.shared_bytes = argument_of<std::uint32_t>(call, lane, 3);
  launch.parameters.resize(bytes);
  return buffer;
}

// (buffer, stream)
std::uint64_t launch(const BuiltinCall& call, unsigned lane) {
  const auto buffer = argument_of<std::uint64_t>(call, lane, 0);
  auto opened = call.worker.opened.extract(buffer);
  if (opened.empty()) return kInvalidValue;
  DeviceLaunch& made = opened.mapped();
  const std::byte* from =
      made.parameters.empty() ? nullptr : host_of_generic(call.w.warp, lane, buffer, made.parameters.size());
  if (from != nullptr) std::memcpy(made.parameters.data(), from, made.parameters.size());
  call.worker.state->memory->release(buffer);
  if (from == nullptr && !made.parameters.empty()) return kInvalidDeviceFunction;
  made.stream = argument_of<std::uint64_t>(call, lane, 1);
  call.worker.launched[call.cta.block()].push_back(std::move(made));
  return kSuccess;
}

// (where to, flags)
std::uint64_t make_stream(const BuiltinCall& call, unsigned lane) {
  const auto address = argument_of<std::uint64_t>(call, lane, 0);
  std::byte* to = host_of_generic(call.w.warp, lane, address, sizeof kOwnStream);
  if (to == nullptr) return kInvalidValue;
  std::memcpy(to, &kOwnStream, sizeof kOwnStream);
  return kSuccess;
}

using Transfer = DeviceLaunch::Transfer;

std::uint64_t ask_for(const BuiltinCall& call, const Transfer& transfer, std::uint64_t stream) {
  if (transfer.bytes == 0 || transfer.rows == 0) return kSuccess;
  DeviceLaunch made;
  made.transfer = transfer;
  made.stream = stream;
  call.worker.launched[call.cta.block()].push_back(std::move(made));
  return kSuccess;
}

// (to, from, bytes, kind, stream)
std::uint64_t copy(const BuiltinCall& call, unsigned lane) {
  const auto word = [&](std::size_t i) { return argument_of<std::uint64_t>(call, lane, i); };
  return ask_for(call, {word(0), word(2), word(1), word(2), word(2), 1, 0}, word(4));
}

// (to, pitch, from, pitch, width, height, kind, stream)
std::uint64_t copy_rows(const BuiltinCall& call, unsigned lane) {
  const auto word = [&](std::size_t i) { return argument_of<std::uint64_t>(call, lane, i); };
  return ask_for(call, {word(0), word(1), word(2), word(3), word(4), word(5), 0}, word(7));
}

// (to, value, bytes, stream)
std::uint64_t fill(const BuiltinCall& call, unsigned lane) {
  const auto word = [&](std::size_t i) { return argument_of<std::uint64_t>(call, lane, i); };
  return ask_for(call, {word(0), word(2), 0, 0, word(2), 1, argument_of<int>(call, lane, 1)}, word(3));
}

// (to, pitch, value, width, height, stream)
std::uint64_t fill_rows(const BuiltinCall& call, unsigned lane) {
  const auto word = [&](std::size_t i) { return argument_of<std::uint64_t>(call, lane, i); };
  return ask_for(call, {word(0), word(1), 0, 0, word(3), word(4), argument_of<int>(call, lane, 2)}, word(5));
}

// (where to, bytes): of the heap from which malloc() takes as well.
std::uint64_t allocate_for(const BuiltinCall& call, unsigned lane) {
  std::byte* to =
      host_of_generic(call.w.warp, lane, argument_of<std::uint64_t>(call, lane, 0), sizeof(std::uint64_t));
  if (to == nullptr) return kInvalidValue;
  const auto bytes = argument_of<std::uint64_t>(call, lane, 1);
  const std::uint64_t address = call.worker.state->memory->allocate(bytes);
  if (address != 0 && call.worker.state->shadow != nullptr) call.worker.state->shadow->forget(address, bytes);
  std::memcpy(to, &address, sizeof address);
  return address != 0 ? kSuccess : kOutOfMemory;
}

std::uint64_t release_for(const BuiltinCall& call, unsigned lane) {
  const auto address = argument_of<std::uint64_t>(call, lane, 0);
  if (address == 0 || call.worker.state->memory->release(address)) return kSuccess;
  // On a GPU the kernel ends there (an H100, driver 580: a launch failure).
  report_fault(call.w.warp, call.op, trace::FaultKind::InvalidAddress, 1u << lane, {"fault.free", {}},
               address);
  return kInvalidValue;
}

// (error): the address of what it is called, or of what it means, for those that kernels get from us.
std::uint64_t text_of_error(const BuiltinCall& call, unsigned lane, bool name) {
  std::string_view text = "unrecognized error code";
  switch (argument_of<std::uint32_t>(call, lane, 0)) {
    case kSuccess:
      text = name ? "cudaSuccess" : "no error";
      break;
    case kInvalidValue:
      text = name ? "cudaErrorInvalidValue" : "invalid argument";
      break;
    case kOutOfMemory:
      text = name ? "cudaErrorMemoryAllocation" : "out of memory";
      break;
    case kInvalidDeviceFunction:
      text = name ? "cudaErrorInvalidDeviceFunction" : "invalid device function";
      break;
    default:
      break;
  }
  const std::uint64_t address = call.worker.state->memory->allocate(text.size() + 1);
  if (address == 0) return 0;
  std::byte* to = host_of_generic(call.w.warp, lane, address, text.size() + 1);
  if (to == nullptr) return 0;
  std::memcpy(to, text.data(), text.size());
  to[text.size()] = std::byte{0};
  return address;
}

// (handle, value)
std::uint64_t set_condition(const BuiltinCall& call, unsigned lane) {
  const auto value = argument_of<std::uint32_t>(call, lane, 1);
  std::byte* to = host_of_generic(call.w.warp, lane, argument_of<std::uint64_t>(call, lane, 0), sizeof value);
  if (to != nullptr) std::memcpy(to, &value, sizeof value);
  return kSuccess;
}

// The first argument says where the answer goes.
std::uint64_t put_answer(const BuiltinCall& call, unsigned lane, std::span<const std::uint8_t> answer) {
  std::byte* const to =
      host_of_generic(call.w.warp, lane, argument_of<std::uint64_t>(call, lane, 0), answer.size());
  if (to == nullptr) return kInvalidValue;
  std::memcpy(to, answer.data(), answer.size());
  return kSuccess;
}

std::uint64_t put_number(const BuiltinCall& call, unsigned lane, std::int32_t value) {
  std::uint8_t bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  return put_answer(call, lane, bytes);
}

std::uint64_t ask_device(const BuiltinCall& call, unsigned lane, DeviceQuestion::What what) {
  using What = DeviceQuestion::What;
  DeviceQuestion question;
  question.what = what;
  if (what == What::FunctionAttributes || what == What::Occupancy) {
    const ptx::Function* const kernel = kernel_at(call, argument_of<std::uint64_t>(call, lane, 1));
    if (kernel == nullptr) return kInvalidDeviceFunction;
    question.kernel = kernel->name;
    question.block = argument_of<int>(call, lane, 2);
    question.shared_bytes = argument_of<std::uint64_t>(call, lane, 3);
  } else {
    question.number = argument_of<int>(call, lane, 1);
    question.device = argument_of<int>(call, lane, 2);
  }
  const LastingMemory* const memory = call.worker.state->memory->lasting();
  if (memory == nullptr || !memory->answers) return kNotSupported;
  static std::mutex turn;
  const std::lock_guard lock(turn);
  std::vector<std::uint8_t> answer;
  const int error = memory->answers(question, answer);
  return error != 0 ? static_cast<std::uint64_t>(error) : put_answer(call, lane, answer);
}

}  // namespace

Builtin device_launch_named(std::string_view name) {
  constexpr std::string_view kPrefix = "__cudaCDP2";
  if (name == "cudaGraphSetConditional") return Builtin::SetCondition;
  if (!name.starts_with(kPrefix)) return Builtin::None;
  name.remove_prefix(kPrefix.size());
  constexpr std::string_view kPerThread = "_ptsz";
  if (name.ends_with(kPerThread)) name.remove_suffix(kPerThread.size());
  if (name == "GetParameterBufferV2") return Builtin::OpenLaunch;
  if (name == "LaunchDeviceV2") return Builtin::Launch;
  if (name == "StreamCreateWithFlags" || name == "EventCreateWithFlags") return Builtin::MakeStream;
  if (name == "MemcpyAsync") return Builtin::Copy;
  if (name == "Memcpy2DAsync") return Builtin::CopyRows;
  if (name == "MemsetAsync") return Builtin::Fill;
  if (name == "Memset2DAsync") return Builtin::FillRows;
  if (name == "Malloc") return Builtin::Allocate;
  if (name == "Free") return Builtin::Release;
  if (name == "GetErrorName") return Builtin::ErrorName;
  if (name == "GetErrorString") return Builtin::ErrorText;
  if (name == "DeviceGetAttribute") return Builtin::AskAttribute;
  if (name == "DeviceGetLimit") return Builtin::AskLimit;
  if (name == "GetDeviceCount") return Builtin::AskDeviceCount;
  if (name == "GetDevice") return Builtin::AskDevice;
  if (name == "RuntimeGetVersion") return Builtin::AskVersion;
  if (name == "DeviceGetCacheConfig" || name == "DeviceGetSharedMemConfig") return Builtin::AskPreference;
  if (name == "FuncGetAttributes") return Builtin::AskFunction;
  if (name.starts_with("OccupancyMaxActiveBlocksPerMultiprocessor")) return Builtin::AskOccupancy;
  // Nothing of a launch can have gone wrong when its thread asks: it runs later.
  for (const std::string_view done : {"StreamDestroy", "EventDestroy", "EventRecord", "EventRecordWithFlags",
                                      "StreamWaitEvent", "GetLastError", "PeekAtLastError"})
    if (name == done) return Builtin::Succeed;
  return Builtin::None;
}

std::uint64_t run_device_launch(const BuiltinCall& call, Builtin builtin, unsigned lane) {
  switch (builtin) {
    case Builtin::OpenLaunch:
      return open_launch(call, lane);
    case Builtin::Launch:
      return launch(call, lane);
    case Builtin::MakeStream:
      return make_stream(call, lane);
    case Builtin::Copy:
      return copy(call, lane);
    case Builtin::CopyRows:
      return copy_rows(call, lane);
    case Builtin::Fill:
      return fill(call, lane);
    case Builtin::FillRows:
      return fill_rows(call, lane);
    case Builtin::Allocate:
      return allocate_for(call, lane);
    case Builtin::Release:
      return release_for(call, lane);
    case Builtin::ErrorName:
    case Builtin::ErrorText:
      return text_of_error(call, lane, builtin == Builtin::ErrorName);
    case Builtin::SetCondition:
      return set_condition(call, lane);
    case Builtin::AskAttribute:
      return ask_device(call, lane, DeviceQuestion::What::Attribute);
    case Builtin::AskLimit:
      return ask_device(call, lane, DeviceQuestion::What::Limit);
    case Builtin::AskDeviceCount:
      return ask_device(call, lane, DeviceQuestion::What::DeviceCount);
    case Builtin::AskDevice:
      return ask_device(call, lane, DeviceQuestion::What::Device);
    case Builtin::AskFunction:
      return ask_device(call, lane, DeviceQuestion::What::FunctionAttributes);
    case Builtin::AskOccupancy:
      return ask_device(call, lane, DeviceQuestion::What::Occupancy);
    case Builtin::AskVersion:
      return put_number(call, lane, kDeviceRuntime);
    case Builtin::AskPreference:  // none, or banks of four bytes
      return put_number(call, lane, 0);
    default:
      return kSuccess;
  }
}

std::uint64_t kernel_address(std::size_t index_in_module) {
  return kKernelWindow + 16 * index_in_module;
}

}  // namespace warplens::simt
