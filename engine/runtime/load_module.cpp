#include "engine/runtime/load_module.h"

#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>

namespace warplens::runtime {
namespace {

constexpr std::uint32_t kFatBinary = 0xba55ed50;

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

cudaError_t load_module(Context& all, Module*& module, const void* data) {
  module = nullptr;
  if (data == nullptr) return cudaErrorInvalidValue;
  auto images = images_of(data);
  if (!images) {
    all.note(images.error().text());
    return cudaErrorInvalidKernelImage;
  }
  Module* const made = all.modules.add(std::move(*images));
  if (const Status status = made->load(); !status) {
    all.note(status.error().text());
    return status.error().kind == ErrorKind::Unsupported ? cudaErrorNoKernelImageForDevice
                                                         : cudaErrorInvalidPtx;
  }
  module = made;
  return cudaSuccess;
}

}  // namespace warplens::runtime
