#include "engine/witness/memory.h"

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "engine/base/message_json.h"
#include "engine/base/place_name.h"
#include "engine/runtime/kept_files.h"
#include "engine/witness/log.h"

namespace warplens::witness {
namespace {

struct Allocation {
  std::uint64_t bytes = 0, number = 0;
  Kind kind = Kind::Device;
};

struct Memory {
  std::mutex mutex;
  std::map<std::uint64_t, Allocation> allocations;
  std::uint64_t number = 0;
  std::string elsewhere;
};
Memory& memory() {
  static Memory& instance = *new Memory;
  return instance;
}

Error failed(const char* what, CUresult result) {
  return untold(ErrorKind::System,
                {"run.keep.driver", {{"call", value_of(what)}, {"error", value_of(name_of(result))}}});
}

// Reads device memory through a buffer of its own, one allocation at a time.
class Copier {
 public:
  explicit Copier(const runtime::Settings& settings) : settings_(settings) {}

  // Its file, empty for zeros.
  Result<std::string> copy(std::uint64_t address, std::uint64_t bytes, Kind kind) {
    if (kind == Kind::Host) return keep({reinterpret_cast<const std::uint8_t*>(address), bytes});
    buffer_.resize(bytes);
    if (const CUresult result = driver().copy_to_host(buffer_.data(), address, bytes); result != CUDA_SUCCESS)
      return failed("cuMemcpyDtoH", result);
    return keep(buffer_);
  }
  // Those of copy() so far.
  const std::vector<std::string>& files() const { return files_; }

 private:
  Result<std::string> keep(std::span<const std::uint8_t> bytes) {
    auto file = runtime::keep_contents(settings_.keep_folder, bytes);
    if (file && !file->empty()) files_.push_back(*file);
    return file;
  }

  const runtime::Settings& settings_;
  std::vector<std::uint8_t> buffer_;
  std::vector<std::string> files_;
};

// How the driver knows parameter `i`; false: there is none.
bool parameter(CUfunction function, std::size_t i, std::size_t& offset, std::size_t& bytes) {
  const Driver& d = driver();
  if (d.function_parameter != nullptr && d.function_parameter(function, i, &offset, &bytes) == CUDA_SUCCESS)
    return true;
  // A program may launch what it got from a library of kernels as a function.
  return d.kernel_parameter != nullptr &&
         d.kernel_parameter(reinterpret_cast<CUkernel>(function), i, &offset, &bytes) == CUDA_SUCCESS;
}

const std::uint8_t* packed_arguments(void** extra) {
  for (void** at = extra; at != nullptr && *at != CU_LAUNCH_PARAM_END; at += 2)
    if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER) return static_cast<const std::uint8_t*>(at[1]);
  return nullptr;
}

std::optional<Json> arguments_of(const Launch& launch) {
  Json out = Json::array();
  const std::uint8_t* const packed = packed_arguments(launch.packed);
  std::size_t offset = 0, bytes = 0;
  for (std::size_t i = 0; parameter(launch.function, i, offset, bytes); ++i) {
    const std::uint8_t* const from = packed != nullptr ? packed + offset
                                     : launch.arguments != nullptr
                                         ? static_cast<std::uint8_t*>(launch.arguments[i])
                                         : nullptr;
    if (from == nullptr) return std::nullopt;
    out.push_back(runtime::hexadecimal({from, bytes}));
  }
  return out;
}

bool variable(CUfunction function, const char* name, CUdeviceptr& at, std::size_t& bytes) {
  const Driver& d = driver();
  CUmodule module = nullptr;
  if (d.module_of != nullptr && d.module_variable != nullptr &&
      d.module_of(&module, function) == CUDA_SUCCESS &&
      d.module_variable(&at, &bytes, module, name) == CUDA_SUCCESS)
    return true;
  CUlibrary library = nullptr;
  if (d.library_of == nullptr || d.library_of(&library, reinterpret_cast<CUkernel>(function)) != CUDA_SUCCESS)
    return false;
  return (d.library_variable != nullptr && d.library_variable(&at, &bytes, library, name) == CUDA_SUCCESS) ||
         (d.managed_variable != nullptr && d.managed_variable(&at, &bytes, library, name) == CUDA_SUCCESS);
}

Result<Json> variables_of(const Launch& launch, const runtime::Settings& settings, Copier& copier) {
  Json out = Json::array();
  for (const std::string& name : settings.variables) {
    CUdeviceptr at = 0;
    std::size_t bytes = 0;
    if (!variable(launch.function, name.c_str(), at, bytes)) continue;  // of another module, or dropped
    const auto file = copier.copy(at, bytes, Kind::Device);
    if (!file) return file.error();
    out.push_back({{"name", name}, {"address", at}, {"bytes", bytes}, {"file", *file}});
  }
  return out;
}

Result<Json> allocations_of(const runtime::Settings& settings, Copier& copier) {
  std::uint64_t all = 0;
  for (const auto& [address, allocation] : memory().allocations) all += allocation.bytes;
  if (all > settings.most_kept)
    return untold(ErrorKind::System,
                  {"run.keep.too_much",
                   {{"holds", value_of(all >> 20)}, {"most", value_of(settings.most_kept >> 20)}}});
  Json out = Json::array();
  for (const auto& [address, allocation] : memory().allocations) {
    const auto file = copier.copy(address, allocation.bytes, allocation.kind);
    if (!file) return file.error();
    out.push_back({{"address", address},
                   {"bytes", allocation.bytes},
                   {"name", allocation_name(allocation.number)},
                   {"file", *file}});
  }
  return out;
}

Result<Json> kept(const Launch& launch, const runtime::Settings& settings, Copier& copier) {
  const std::lock_guard lock(memory().mutex);
  if (!memory().elsewhere.empty())
    return untold(ErrorKind::Unsupported, {"run.keep.elsewhere", {{"what", value_of(memory().elsewhere)}}});
  if (const CUresult result = driver().synchronize(); result != CUDA_SUCCESS)
    return failed("cuCtxSynchronize", result);
  const auto arguments = arguments_of(launch);
  if (!arguments) return untold(ErrorKind::Unsupported, {"run.keep.no_arguments", {}});
  const auto allocations = allocations_of(settings, copier);
  if (!allocations) return allocations.error();
  const auto variables = variables_of(launch, settings, copier);
  if (!variables) return variables.error();
  return Json{{"arguments", *arguments}, {"allocations", *allocations}, {"variables", *variables}};
}

}  // namespace

void allocated(std::uint64_t address, std::uint64_t bytes, Kind kind) {
  const std::lock_guard lock(memory().mutex);
  memory().allocations[address] = {bytes, ++memory().number, kind};
}

void freed(std::uint64_t address) {
  const std::lock_guard lock(memory().mutex);
  memory().allocations.erase(address);
}

void allocated_elsewhere(const char* what) {
  const std::lock_guard lock(memory().mutex);
  if (memory().elsewhere.empty()) memory().elsewhere = what;
}

void keep(const Launch& launch, std::uint32_t id, const runtime::Settings& settings) {
  Copier copier(settings);
  auto all = kept(launch, settings, copier);
  if (!all) {
    const Message why{"run.keep.reason", {{"reason", with_place(all.error())}}};
    log().write({{"not_kept", {{"id", id}, {"reason", message_json(why)}, {"files", copier.files()}}}});
    return;
  }
  Json line{{"id", id}, {"shared_bytes", launch.shared_bytes}};
  if (launch.cluster[0] > 0) line["cluster"] = launch.cluster;
  line.update(*all);
  log().write({{"kept", line}});
}

}  // namespace warplens::witness
