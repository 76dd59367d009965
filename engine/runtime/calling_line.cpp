#include "engine/runtime/calling_line.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>

namespace warplens::runtime {
namespace {

// Where the program itself is loaded; 0: unknown.
std::uintptr_t program_base() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(::getauxval(AT_ENTRY)), &info) == 0) return 0;  // NOLINT
  return reinterpret_cast<std::uintptr_t>(info.dli_fbase);
}

// What addr2line counts from.
std::uintptr_t lowest_of(std::uintptr_t base) {
  return reinterpret_cast<const ElfW(Ehdr)*>(base)->e_type == ET_DYN ? base : 0;
}

// What addr2line takes for the calls that led here, the last one first.
std::string addresses_in_program() {
  const std::uintptr_t base = program_base();
  if (base == 0) return {};
  const std::uintptr_t lowest = lowest_of(base);
  std::array<void*, 48> frames{};
  const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  std::string out;
  for (int i = 0; i < count; ++i) {
    void* const frame = frames[static_cast<std::size_t>(i)];
    Dl_info info{};
    if (::dladdr(frame, &info) == 0 || reinterpret_cast<std::uintptr_t>(info.dli_fbase) != base) continue;
    // The call is in front of the place to which it returns.
    out += fmt::format(" {:#x}", reinterpret_cast<std::uintptr_t>(frame) - lowest - 1);
  }
  return out;
}

bool is_ours(const std::string& line) {
  return line.find("engine/runtime/") != std::string::npos;
}

// A header of the toolkit, whose templates (cudaMallocManaged of an int, cudaFuncSetAttribute of a kernel)
// call the runtime in the place of the line that uses them.
bool is_toolkits(const std::string& line) {
  constexpr std::string_view kFolder = "/include/";
  for (std::size_t at = line.find(kFolder); at != std::string::npos; at = line.find(kFolder, at + 1))
    if (::access((line.substr(0, at) + "/include/cuda_runtime_api.h").c_str(), F_OK) == 0) return true;
  return false;
}

// The first of these places that is a line of the program's; of a toolkit's header when there is none.
std::string line_at(const std::string& addresses) {
  std::array<char, 4096> program{};
  const ::ssize_t length = ::readlink("/proc/self/exe", program.data(), program.size() - 1);
  const std::string name(program.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  if (name.empty() || addresses.empty() || name.find('\'') != std::string::npos) return {};
  const std::string command = fmt::format("addr2line -e '{}'{} 2>/dev/null", name, addresses);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> said(::popen(command.c_str(), "r"), &::pclose);
  if (!said) return {};
  std::string in_header;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), said.get()) != nullptr) {
    std::string line(buffer.data());
    line.resize(line.find_last_not_of(" \n") + 1);
    if (const std::size_t more = line.find(" ("); more != std::string::npos) line.resize(more);
    if (line.starts_with("??") || line.ends_with(":0") || line.ends_with(":?") || is_ours(line)) continue;
    const std::string name_and_number = line.substr(line.rfind('/') + 1);
    if (!is_toolkits(line)) return name_and_number;
    if (in_header.empty()) in_header = name_and_number;
  }
  return in_header;
}

}  // namespace

std::string calling_line() {
  return line_at(addresses_in_program());
}

std::string calling_place() {
  return addresses_in_program();
}

std::string calling_place(std::uint64_t returns_to) {
  const std::uintptr_t base = program_base();
  return base == 0 ? std::string() : fmt::format(" {:#x}", returns_to - lowest_of(base) - 1);
}

std::string line_of_place(const std::string& place) {
  return line_at(place);
}

std::string line_of(std::uint64_t instruction) {
  Dl_info info{};
  const std::uintptr_t base = program_base();
  if (base == 0 || ::dladdr(reinterpret_cast<void*>(instruction), &info) == 0) return {};
  // In a library of the host's (memcpy, printf): who has called it.
  if (reinterpret_cast<std::uintptr_t>(info.dli_fbase) != base) return calling_line();
  return line_at(fmt::format(" {:#x}", instruction - lowest_of(base)));
}

}  // namespace warplens::runtime
