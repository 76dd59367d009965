// What buffers hold: the bytes that a launch starts with (Init), and the checksum of those it leaves.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "engine/base/work_limit.h"
#include "engine/trace/argument_error.h"
#include "engine/trace/half.h"
#include "engine/trace/launch.h"

namespace warplens::trace {
namespace {

// Buffers of gigabytes take seconds: a cancel is looked for in between.
constexpr std::uint64_t kElementsAStep = 256;

template <typename T>
void put(std::uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// Element i becomes value(i), cut or rounded to T.
template <typename T, typename Value>
void fill_with(std::span<std::uint8_t> bytes, Value value) {
  const std::uint64_t count = bytes.size() / sizeof(T);
  std::uint64_t i = 0;
  // A loop of known length: the compiler makes vector code of it.
  for (; count - i >= kElementsAStep; i += kElementsAStep) {
    work_step();
    std::array<T, kElementsAStep> some;
    for (std::uint64_t k = 0; k < kElementsAStep; ++k) some[k] = static_cast<T>(value(i + k));
    std::memcpy(bytes.data() + i * sizeof(T), some.data(), sizeof some);
  }
  for (; i < count; ++i) put<T>(bytes.data() + i * sizeof(T), static_cast<T>(value(i)));
}

// Integers are produced as 64-bit values and cut to the type; floats as doubles and rounded once.
template <typename Integer, typename Real>
void fill(ElementType type, std::span<std::uint8_t> bytes, Integer integer, Real real) {
  switch (type) {
    case ElementType::F16:
      return fill_with<std::uint16_t>(bytes, [&](std::uint64_t i) { return to_half(real(i)); });
    case ElementType::F32:
      return fill_with<float>(bytes, real);
    case ElementType::F64:
      return fill_with<double>(bytes, real);
    default:
      break;
  }
  switch (size_of(type)) {
    case 1:
      return fill_with<std::uint8_t>(bytes, integer);
    case 2:
      return fill_with<std::uint16_t>(bytes, integer);
    case 4:
      return fill_with<std::uint32_t>(bytes, integer);
    default:
      return fill_with<std::uint64_t>(bytes, integer);
  }
}

// For initialisers whose elements are non-negative integers whatever the type.
template <typename Integer>
void fill_counting(ElementType type, std::span<std::uint8_t> bytes, Integer integer) {
  fill(type, bytes, integer,
       [&](std::uint64_t i) { return static_cast<double>(static_cast<std::int64_t>(integer(i))); });
}

std::uint32_t hash_of(std::uint64_t i) {
  return fmix32(static_cast<std::uint32_t>(i));
}

void fill_hash(ElementType type, std::span<std::uint8_t> bytes) {
  fill(
      type, bytes, [](std::uint64_t i) { return hash_of(i); },
      // h * 2^-31 - 1, exactly: processors turn signed integers into floats, not unsigned ones.
      [](std::uint64_t i) { return static_cast<std::int32_t>(hash_of(i) ^ 0x80000000u) * 0x1p-31; });
}

void fill_permutation(const Argument& argument, std::span<std::uint8_t> bytes) {
  // Stepping by A mod COUNT instead of multiplying: i * A may exceed 64 bits.
  const std::uint64_t step = static_cast<std::uint64_t>(argument.integer) % argument.count;
  std::uint64_t next = 0;
  const auto advance = [&](std::uint64_t) {
    const std::uint64_t now = next;
    next = next >= argument.count - step ? next - (argument.count - step) : next + step;
    return now;
  };
  fill_counting(argument.type, bytes, advance);
}

Status read_raw(const Argument& argument, std::span<std::uint8_t> bytes) {
  std::error_code failed;
  if (std::filesystem::exists(argument.path, failed) &&
      !std::filesystem::is_regular_file(argument.path, failed))
    return argument_error(argument.text, {"argument.no_regular_file", {{"file", value_of(argument.path)}}});
  std::ifstream in(argument.path, std::ios::binary);
  if (!in) return argument_error(argument.text, {"argument.unreadable", {{"file", value_of(argument.path)}}});
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::uint64_t>(in.gcount()) != bytes.size())
    return argument_error(argument.text, {"argument.file_too_short",
                                          {{"file", value_of(argument.path)},
                                           {"holds", value_of(static_cast<std::int64_t>(in.gcount()))},
                                           {"count", value_of(argument.count)},
                                           {"type", value_of(std::string(name(argument.type)))},
                                           {"needs", value_of(bytes.size())}}});
  return Done{};
}

Status fill(const Argument& argument, std::span<std::uint8_t> bytes) {
  switch (argument.init) {
    case Init::Zero:
      return Done{};
    case Init::Iota:
      fill_counting(argument.type, bytes, [](std::uint64_t i) { return i; });
      return Done{};
    case Init::Constant:
      fill(
          argument.type, bytes, [&](std::uint64_t) { return static_cast<std::uint64_t>(argument.integer); },
          [&](std::uint64_t) { return argument.parameter; });
      return Done{};
    case Init::Hash:
      fill_hash(argument.type, bytes);
      return Done{};
    case Init::Modulo: {
      if (argument.integer <= 0) return argument_error(argument.text, {"argument.mod_not_positive", {}});
      const auto modulus = static_cast<std::uint64_t>(argument.integer);
      fill_counting(argument.type, bytes, [&](std::uint64_t i) { return hash_of(i) % modulus; });
      return Done{};
    }
    case Init::Permutation:
      if (argument.count != 0) fill_permutation(argument, bytes);
      return Done{};
    case Init::File:
      return read_raw(argument, bytes);
  }
  return Done{};
}

template <typename T>
T element_of(std::span<const std::uint8_t> bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

// Calls it with a function that gives element i of `bytes` as a double, and with their number.
template <typename Use>
double with_elements(ElementType type, std::span<const std::uint8_t> bytes, Use use) {
  const auto as = [&]<typename T>(T, auto convert) {
    return use([&](std::size_t i) { return static_cast<double>(convert(element_of<T>(bytes, i))); },
               bytes.size() / sizeof(T));
  };
  const auto itself = [](auto value) { return value; };
  switch (type) {
    case ElementType::I8:
      return as(std::int8_t{}, itself);
    case ElementType::U8:
      return as(std::uint8_t{}, itself);
    case ElementType::I16:
      return as(std::int16_t{}, itself);
    case ElementType::U16:
      return as(std::uint16_t{}, itself);
    case ElementType::I32:
      return as(std::int32_t{}, itself);
    case ElementType::U32:
      return as(std::uint32_t{}, itself);
    case ElementType::I64:
      return as(std::int64_t{}, itself);
    case ElementType::U64:
      return as(std::uint64_t{}, itself);
    case ElementType::F16:
      return as(std::uint16_t{}, from_half);
    case ElementType::F32:
      return as(float{}, itself);
    case ElementType::F64:
      return as(double{}, itself);
  }
  return 0;
}

}  // namespace

Result<std::vector<std::uint8_t>> initial_bytes(const Argument& argument) {
  std::vector<std::uint8_t> bytes;
  if (!argument.structure.empty()) return argument.structure;
  if (!argument.is_buffer && !argument.texture) {
    bytes.resize(static_cast<std::size_t>(size_of(argument.type)));
    std::memcpy(bytes.data(), &argument.bits, bytes.size());
    return bytes;
  }
  if (argument.count > kMostElements) return argument_error(argument.text, {"argument.buffer_too_large", {}});
  try {
    bytes.resize(argument.bytes());
  } catch (const std::exception&) {  // bad_alloc or length_error
    return told(ErrorKind::System,
                {"argument.no_memory",
                 {{"argument", value_of(argument.text)}, {"bytes", value_of(argument.bytes())}}});
  }
  if (const Status status = fill(argument, bytes); !status) return status.error();
  return bytes;
}

Status fill_initial(const Argument& argument, std::span<std::uint8_t> to) {
  if (!argument.structure.empty()) {
    std::copy_n(argument.structure.begin(), std::min(argument.structure.size(), to.size()), to.begin());
    return Done{};
  }
  return fill(argument, to);
}

double checksum(ElementType type, std::span<const std::uint8_t> bytes) {
  return with_elements(type, bytes, [](auto element, std::size_t count) {
    double sum = 0;
    std::size_t weight = 1;
    for (std::size_t i = 0; i < count; ++i) {
      sum += element(i) * static_cast<double>(weight);
      weight = weight == 7 ? 1 : weight + 1;
    }
    return sum;
  });
}

double element_value(ElementType type, std::span<const std::uint8_t> bytes, std::size_t index) {
  return with_elements(type, bytes, [index](auto element, std::size_t) { return element(index); });
}

}  // namespace warplens::trace
