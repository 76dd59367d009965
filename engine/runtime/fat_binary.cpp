#include "engine/runtime/fat_binary.h"

#include <dlfcn.h>

#include <cstring>

namespace warplens::runtime {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1, kHeaderMagic = 0xba55ed50, kZstandardMagic = 0xfd2fb528;
constexpr std::uint32_t kLinked = 2;  // version of a wrapper
constexpr std::uint16_t kPtx = 1, kMachineCode = 2;
constexpr std::uint64_t kCompressed = 0xb000;  // flags that ask for a decoder: 0x1000, 0x2000, 0x8000
constexpr std::uint64_t kMostUnpacked = std::uint64_t{1} << 30;

struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* file_name;
};
struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t payload_bytes;
};
struct EntryHeader {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;  // with padding
  std::uint32_t packed_bytes, options;
  std::uint16_t minor, major;
  std::uint32_t arch, name_offset, name_bytes;
  std::uint64_t flags, reserved, unpacked_bytes;
};
static_assert(sizeof(Header) == 16 && sizeof(EntryHeader) == 64);

Error broken(const char* what) {
  return {
      ErrorKind::Unsupported, std::string("the fat binary of the program cannot be read: ") + what, {}, {}};
}

template <typename T>
T read(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Image image_of(const EntryHeader& entry, const std::uint8_t* payload) {
  Image image;
  image.is_ptx = entry.kind == kPtx;
  image.arch = static_cast<int>(entry.arch);
  const bool packed = (entry.flags & kCompressed) != 0 && entry.packed_bytes != 0 &&
                      entry.packed_bytes <= entry.payload_bytes && entry.unpacked_bytes != 0;
  image.payload = {payload, packed ? entry.packed_bytes : static_cast<std::size_t>(entry.payload_bytes)};
  if (packed) {
    image.unpacked_bytes = entry.unpacked_bytes;
    image.zstandard = entry.packed_bytes >= 4 && read<std::uint32_t>(payload) == kZstandardMagic;
  }
  return image;
}

// A length of LZ4: 15 means that more bytes follow, the last of them below 255.
bool extend(std::span<const std::uint8_t> from, std::size_t& at, std::size_t& length) {
  if (length != 15) return true;
  for (std::uint8_t more = 255; more == 255; ++at) {
    if (at >= from.size()) return false;
    more = from[at];
    length += more;
  }
  return true;
}

// libzstd is part of every Debian and is asked for only by programs that were packed with it.
Result<std::vector<std::uint8_t>> unpack_zstandard(std::span<const std::uint8_t> packed,
                                                   std::uint64_t bytes) {
  using Decompress = std::size_t (*)(void*, std::size_t, const void*, std::size_t);
  static void* const library = ::dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto decompress =
      library == nullptr ? nullptr : reinterpret_cast<Decompress>(::dlsym(library, "ZSTD_decompress"));
  if (decompress == nullptr)
    return broken(
        "it is packed with Zstandard and libzstd.so.1 is not there; install libzstd1, or build with "
        "--compress-mode=none");
  std::vector<std::uint8_t> out(bytes);
  if (decompress(out.data(), out.size(), packed.data(), packed.size()) != bytes)
    return broken("what is packed with Zstandard is damaged");
  return out;
}

}  // namespace

Result<std::vector<std::uint8_t>> unpack_lz4(std::span<const std::uint8_t> packed, std::uint64_t bytes) {
  std::vector<std::uint8_t> out;
  out.reserve(bytes);
  std::size_t at = 0;
  while (at < packed.size()) {
    const std::uint8_t token = packed[at++];
    std::size_t literals = token >> 4;
    if (!extend(packed, at, literals) || literals > packed.size() - at || literals > bytes - out.size())
      return broken("a run of literals ends outside");
    out.insert(out.end(), packed.begin() + static_cast<std::ptrdiff_t>(at),
               packed.begin() + static_cast<std::ptrdiff_t>(at + literals));
    at += literals;
    if (at == packed.size() || out.size() == bytes) break;  // the last sequence has no match
    if (packed.size() - at < 2) return broken("a match has no distance");
    const std::size_t distance = read<std::uint16_t>(packed.data() + at);
    at += 2;
    std::size_t length = token & 15;
    if (!extend(packed, at, length)) return broken("a match has no length");
    length += 4;
    if (distance == 0 || distance > out.size() || length > bytes - out.size())
      return broken("a match begins outside");
    for (std::size_t i = 0, from = out.size() - distance; i < length; ++i) out.push_back(out[from + i]);
  }
  if (out.size() != bytes) return broken("it unpacks to another size than it says");
  return out;
}

Result<std::vector<Image>> read_fat_binary(const void* data, std::uint64_t bytes) {
  const auto* const begin = static_cast<const std::uint8_t*>(data);
  std::vector<Image> images;
  // Several may stand one behind the other.
  for (std::uint64_t at = 0; bytes - at >= sizeof(Header);) {
    const auto header = read<Header>(begin + at);
    if (header.magic != kHeaderMagic) break;
    at += header.header_bytes;
    if (header.header_bytes < sizeof(Header) || at > bytes) return broken("its header is too short");
    const std::uint64_t end = header.payload_bytes > bytes - at ? bytes : at + header.payload_bytes;
    while (end - at >= sizeof(EntryHeader)) {
      const auto entry = read<EntryHeader>(begin + at);
      if (entry.header_bytes < sizeof(EntryHeader) || entry.header_bytes > end - at ||
          entry.payload_bytes > end - at - entry.header_bytes)
        return broken("an entry ends outside");
      if (entry.kind == kPtx || entry.kind == kMachineCode)
        images.push_back(image_of(entry, begin + at + entry.header_bytes));
      at += entry.header_bytes + entry.payload_bytes;
    }
    at = end;
  }
  return images;
}

namespace {

Result<std::vector<Image>> read_whole(const void* data) {
  const auto header = read<Header>(static_cast<const std::uint8_t*>(data));
  return read_fat_binary(data, header.payload_bytes + header.header_bytes);
}

}  // namespace

Result<std::vector<Image>> read_fat_binary_wrapper(const void* wrapper) {
  const auto& at = *static_cast<const Wrapper*>(wrapper);
  if (at.magic != kWrapperMagic || at.data == nullptr) return broken("it has no known header");
  auto images = read_whole(at.data);
  if (!images || at.version != kLinked || at.file_name == nullptr) return images;
  // What nvlink made is machine code; the PTX of each file that it linked is listed beside it.
  int file = 0;
  for (auto* part = static_cast<const void* const*>(at.file_name); *part != nullptr; ++part) {
    const auto inside = read_whole(*part);
    if (!inside) return inside.error();
    ++file;
    for (Image image : *inside) {
      if (!image.is_ptx) continue;
      image.file = file;
      images->push_back(image);
    }
  }
  return images;
}

Result<std::vector<std::uint8_t>> bytes_of(const Image& image) {
  if (image.unpacked_bytes == 0) return std::vector<std::uint8_t>(image.payload.begin(), image.payload.end());
  if (image.unpacked_bytes > kMostUnpacked) return broken("it says that it unpacks to more than 1 GiB");
  return image.zstandard ? unpack_zstandard(image.payload, image.unpacked_bytes)
                         : unpack_lz4(image.payload, image.unpacked_bytes);
}

std::vector<std::uint8_t> make_fat_binary(std::span<const char> ptx, std::span<const char> machine_code) {
  constexpr std::uint32_t kArch = 90;
  std::vector<std::uint8_t> out(sizeof(Header));
  const auto add = [&](const void* from, std::size_t bytes, std::size_t room) {
    const std::size_t at = out.size();
    out.resize(at + room);
    std::memcpy(out.data() + at, from, bytes);
  };
  for (const auto& [kind, text] : {std::pair{kPtx, ptx}, std::pair{kMachineCode, machine_code}}) {
    if (text.empty()) continue;
    EntryHeader entry{};
    entry.kind = kind;
    entry.version = 0x101;
    entry.header_bytes = sizeof entry;
    entry.payload_bytes = (text.size() + 7) / 8 * 8;
    entry.arch = kArch;
    add(&entry, sizeof entry, sizeof entry);
    add(text.data(), text.size(), entry.payload_bytes);
  }
  const Header header{kHeaderMagic, 1, sizeof(Header), out.size() - sizeof(Header)};
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

}  // namespace warplens::runtime
