#include "engine/simt/exec/builtins.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <optional>

#include "engine/simt/checks/shadow.h"
#include "engine/simt/exec/device_launch.h"
#include "engine/simt/memory/memory.h"

namespace warplens::simt {

namespace {

constexpr std::uint64_t kMaxOutput = std::uint64_t{1} << 20;  // as CUDA's own buffer
constexpr std::size_t kMaxString = 4096;

std::uint64_t argument(const BuiltinCall& call, unsigned lane, std::size_t index) {
  std::uint64_t value = 0;
  if (index >= call.info.arguments.size()) return 0;
  const Piece& piece = call.info.arguments[index];
  const std::byte* from = call.w.local.data() + std::size_t{lane} * call.worker.program->lane_local_bytes +
                          call.frame + piece.offset;
  std::memcpy(&value, from, std::min<std::size_t>(piece.bytes, sizeof(value)));
  return value;
}

void set_result(const BuiltinCall& call, unsigned lane, std::uint64_t value) {
  if (call.info.returns.empty()) return;
  const Piece& piece = call.info.returns[0];
  std::byte* to = call.w.local.data() + std::size_t{lane} * call.worker.program->lane_local_bytes +
                  call.frame + piece.offset;
  std::memcpy(to, &value, std::min<std::size_t>(piece.bytes, sizeof(value)));
}

std::string read_string(const BuiltinCall& call, unsigned lane, std::uint64_t address) {
  std::string text;
  while (text.size() < kMaxString) {
    const std::byte* at = host_of_generic(call.w.warp, lane, address + text.size(), 1);
    if (at == nullptr || *at == std::byte{0}) break;
    text.push_back(static_cast<char>(*at));
  }
  return text;
}

// Reads the packed arguments of vprintf: each at its natural alignment.
class Arguments {
 public:
  Arguments(const BuiltinCall& call, unsigned lane, std::uint64_t address)
      : call_(call), lane_(lane), address_(address) {}
  std::uint64_t next(unsigned bytes) {
    at_ = (at_ + bytes - 1) / bytes * bytes;
    std::uint64_t value = 0;
    if (const std::byte* from = host_of_generic(call_.w.warp, lane_, address_ + at_, bytes)) {
      std::memcpy(&value, from, bytes);
    }
    at_ += bytes;
    return value;
  }

 private:
  const BuiltinCall& call_;
  unsigned lane_;
  std::uint64_t address_, at_ = 0;
};

// One conversion, "%-8.3lf" split into what the host's printf needs.
struct Conversion {
  std::string flags;  // flags, width and precision, stars replaced
  unsigned bytes = 4;
  char letter = 'd';
  std::size_t length = 0;
};

std::optional<Conversion> parse_conversion(std::string_view text, Arguments& arguments) {
  Conversion c;
  std::size_t at = 1;
  while (at < text.size() && std::strchr("-+ #0123456789.*", text[at]) != nullptr) {
    if (text[at] == '*') {
      c.flags += std::to_string(static_cast<std::int32_t>(arguments.next(4)));
    } else {
      c.flags += text[at];
    }
    ++at;
  }
  // A width that the text spells out could ask for gigabytes of blanks.
  if (c.flags.size() > 16) return std::nullopt;
  std::size_t number = 0;
  for (const char ch : c.flags) {
    number = ch >= '0' && ch <= '9' ? number * 10 + static_cast<std::size_t>(ch - '0') : 0;
    if (number > kMaxString) return std::nullopt;
  }
  while (at < text.size() && std::strchr("hlLjzt", text[at]) != nullptr) {
    if (text[at] != 'h') c.bytes = 8;
    ++at;
  }
  if (at >= text.size()) return std::nullopt;
  c.letter = text[at];
  c.length = at + 1;
  return c;
}

template <typename T>
std::string print(const std::string& format, T value) {
  char buffer[2 * kMaxString];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int n = std::snprintf(buffer, sizeof(buffer), format.c_str(), value);
#pragma GCC diagnostic pop
  return n > 0 ? std::string(buffer, std::min<std::size_t>(static_cast<std::size_t>(n), sizeof(buffer) - 1))
               : std::string();
}

std::string convert(const BuiltinCall& call, unsigned lane, const Conversion& c, Arguments& arguments) {
  const std::string head = "%" + c.flags;
  switch (c.letter) {
    case 'd':
    case 'i': {
      const std::uint64_t bits = arguments.next(c.bytes);
      const auto value =
          c.bytes == 8 ? static_cast<std::int64_t>(bits) : std::int64_t{static_cast<std::int32_t>(bits)};
      return print(head + "lld", static_cast<long long>(value));
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return print(head + "ll" + c.letter, static_cast<unsigned long long>(arguments.next(c.bytes)));
    case 'c':
      return print(head + "c", static_cast<int>(arguments.next(4) & 0xff));
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return print(head + c.letter, std::bit_cast<double>(arguments.next(8)));
    case 's':
      return print(head + "s", read_string(call, lane, arguments.next(8)).c_str());
    case 'p':
      return print(head + "p", reinterpret_cast<const void*>(arguments.next(8)));  // NOLINT
    default:
      return {};
  }
}

void print_lane(const BuiltinCall& call, unsigned lane) {
  if (call.worker.output_bytes >= kMaxOutput) return;  // a flood costs no more than the calls
  const std::string format = read_string(call, lane, argument(call, lane, 0));
  Arguments arguments(call, lane, argument(call, lane, 1));
  std::string text;
  std::uint64_t converted = 0;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text.push_back(format[at++]);
      continue;
    }
    if (at + 1 < format.size() && format[at + 1] == '%') {
      text.push_back('%');
      at += 2;
      continue;
    }
    const std::optional<Conversion> c = parse_conversion(std::string_view(format).substr(at), arguments);
    if (!c) break;
    text += convert(call, lane, *c, arguments);
    at += c->length;
    ++converted;
  }
  set_result(call, lane, converted);
  Worker& worker = call.worker;
  if (worker.output_bytes + text.size() > kMaxOutput) {
    worker.notes.insert({"note.printf_cut", 0});
    worker.output_bytes = kMaxOutput;
    return;
  }
  worker.output_bytes += text.size();
  worker.output[call.cta.block()] += text;
}

void fail_assertion(const BuiltinCall& call, unsigned lane) {
  const std::string condition = read_string(call, lane, argument(call, lane, 0));
  const std::string file = read_string(call, lane, argument(call, lane, 1));
  const auto line = static_cast<std::uint32_t>(argument(call, lane, 2));
  const std::string function = read_string(call, lane, argument(call, lane, 3));
  report_fault(call.w.warp, call.op, trace::FaultKind::Assertion, 1u << lane,
               {"fault.assertion",
                {{"condition", value_of(condition)},
                 {"function", value_of(function)},
                 {"file", value_of(file)},
                 {"at", value_of(line)}}});
}

void allocate(const BuiltinCall& call, unsigned lane) {
  const std::uint64_t bytes = argument(call, lane, 0);
  const std::uint64_t address = call.worker.state->memory->allocate(bytes);
  if (address != 0 && call.worker.state->shadow != nullptr) {
    call.worker.state->shadow->forget(address, bytes);
  }
  set_result(call, lane, address);
}

}  // namespace

Builtin builtin_named(std::string_view name) {
  if (name == "vprintf") return Builtin::Printf;
  if (name == "__assertfail") return Builtin::Assert;
  if (name == "malloc") return Builtin::Malloc;
  if (name == "free") return Builtin::Free;
  return Builtin::None;
}

void run_builtin(const BuiltinCall& call, Builtin builtin) {
  for (LaneMask left = call.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    switch (builtin) {
      case Builtin::Printf:
        print_lane(call, lane);
        break;
      case Builtin::Assert:
        fail_assertion(call, lane);
        break;
      case Builtin::Malloc:
        allocate(call, lane);
        break;
      case Builtin::Free: {
        const std::uint64_t address = argument(call, lane, 0);
        if (address != 0 && !call.worker.state->memory->release(address)) {
          report_fault(call.w.warp, call.op, trace::FaultKind::InvalidAddress, 1u << lane, {"fault.free", {}},
                       address);
        }
        break;
      }
      case Builtin::None:
        break;
      default:
        set_result(call, lane, run_device_launch(call, builtin, lane));
        break;
    }
  }
}

}  // namespace warplens::simt
