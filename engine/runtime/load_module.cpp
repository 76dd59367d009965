#include "engine/runtime/load_module.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>

namespace warplens::runtime {
namespace {

constexpr std::uint32_t kFatBinary = 0xba55ed50;
// CU_JIT_INFO_LOG_BUFFER and what follows it; each has its size behind it.
constexpr unsigned kInfoLog = 3, kErrorLog = 5;

int arch_of(std::string_view ptx) {
  const std::size_t at = ptx.find(".target sm_");
  return at == std::string_view::npos ? 0 : std::atoi(ptx.data() + at + 11);
}

Result<std::vector<Image>> images_of(const void* data) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, data, sizeof magic);
  if (magic == 0x466243b1) return read_fat_binary_wrapper(data);
  if (magic == kFatBinary) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, static_cast<const std::uint8_t*>(data) + 8, sizeof bytes);
    const auto* const begin = static_cast<const std::uint8_t*>(data);
    const std::vector<std::uint8_t>& copy = kept({begin, begin + bytes + 16});
    return read_fat_binary(copy.data(), copy.size());
  }
  if (std::memcmp(data,
                  "\x7f"
                  "ELF",
                  4) == 0) {
    Image machine_code;
    machine_code.arch = 90;
    return std::vector<Image>{machine_code};
  }
  const std::string_view text = static_cast<const char*>(data);
  const std::vector<std::uint8_t>& copy = kept({text.begin(), text.end()});
  Image ptx;
  ptx.is_ptx = true;
  ptx.arch = arch_of(text);
  ptx.payload = copy;
  return std::vector<Image>{ptx};
}

}  // namespace

std::vector<std::uint8_t>& kept(std::vector<std::uint8_t> bytes) {
  static auto* const all = new std::deque<std::vector<std::uint8_t>>;
  return all->emplace_back(std::move(bytes));
}

const void* read_module(const char* file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return nullptr;
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  bytes.resize(bytes.size() + 16);  // a text ends with zeros
  return kept(std::move(bytes)).data();
}

cudaError_t load_module(Context& all, Module*& module, const void* data, std::string* problem) {
  module = nullptr;
  if (data == nullptr) return cudaErrorInvalidValue;
  const auto say = [&](const std::string& sentence) {
    all.note(sentence);
    if (problem != nullptr) *problem = sentence;
  };
  auto images = images_of(data);
  if (!images) {
    say(images.error().text());
    return cudaErrorInvalidKernelImage;
  }
  Module* const made = all.modules.add(std::move(*images));
  if (const Status status = made->load(); !status) {
    say(status.error().text());
    return status.error().kind == ErrorKind::Unsupported ? cudaErrorNoKernelImageForDevice
                                                         : cudaErrorInvalidPtx;
  }
  module = made;
  return cudaSuccess;
}

void write_logs(const JitOptions& asked, const std::string& problem) {
  const auto value_of_option = [&](unsigned option) -> void** {
    const auto at = std::find(asked.options.begin(), asked.options.end(), option);
    return at == asked.options.end() ? nullptr : asked.values + (at - asked.options.begin());
  };
  for (const unsigned log : {kInfoLog, kErrorLog}) {
    void** const buffer = value_of_option(log);
    void** const size = value_of_option(log + 1);
    if (buffer == nullptr || *buffer == nullptr || size == nullptr) continue;
    const std::size_t room = reinterpret_cast<std::uintptr_t>(*size) & 0xffffffffu;
    if (room == 0) continue;
    const std::size_t filled = log == kErrorLog ? std::min(problem.size(), room - 1) : 0;
    auto* const text = static_cast<char*>(*buffer);
    std::copy_n(problem.data(), filled, text);
    text[filled] = 0;
    *size = reinterpret_cast<void*>(filled);
  }
}

}  // namespace warplens::runtime
