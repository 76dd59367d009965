// Loaded into the compiler (HugePages.cmake): what GCC takes its own memory with, 2 MiB at a time, gets huge pages.
// Mapped one by one these pieces lie across the borders of huge pages, so they are cut from larger ones that do not.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20, kAtOnce = 16 * kHugePage;

void* map(void* address, std::size_t size, int protection, int flags, int file, off_t offset) {
  return reinterpret_cast<void*>(::syscall(SYS_mmap, address, size, protection, flags, file, offset));
}

thread_local char *next_piece = nullptr, *end_of_pieces = nullptr;

}  // namespace

extern "C" void* mmap(void* address, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  const bool is_piece = address == nullptr && flags == (MAP_PRIVATE | MAP_ANONYMOUS) &&
                        protection == (PROT_READ | PROT_WRITE) && size == kHugePage;
  if (!is_piece) return map(address, size, protection, flags, file, offset);
  if (next_piece == end_of_pieces) {
    void* const whole = map(nullptr, kAtOnce + kHugePage, protection, flags, file, offset);
    if (whole == MAP_FAILED) return whole;
    const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(whole) + kHugePage - 1) & ~(kHugePage - 1);
    next_piece = reinterpret_cast<char*>(first);
    end_of_pieces = next_piece + kAtOnce;
    ::madvise(next_piece, kAtOnce, MADV_HUGEPAGE);  // refused, they are pages as ever
  }
  char* const piece = next_piece;
  next_piece += kHugePage;
  return piece;
}
