#include "engine/runtime/misuse.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>

namespace warplens::runtime {
namespace {

void tell(Context& all, const Message& text) {
  all.note(all.texts().text(text));
}

// The text that a pointer of the program may lead to, wherever it leads.
std::string text_at(const void* pointer) {
  std::array<char, 256> text{};
  const iovec to{text.data(), text.size() - 1}, from{const_cast<void*>(pointer), text.size() - 1};
  if (::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) <= 0) return {};
  return text.data();
}

MessageValue number_of(const Allocation& allocation) {
  return value_of(allocation.number);
}

}  // namespace

cudaError_t refuse_free(Context& all, const char* name, const void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  if (const Allocation* const in = all.arena.find(pointer); in != nullptr && in->number > 0) {
    const bool inside = in->address != address;
    tell(all, Message{inside ? "run.misuse.free_inside" : "run.misuse.free_other",
                      {{"call", value_of(name)},
                       {"number", number_of(*in)},
                       {"offset", value_of(address - in->address)}}});
  } else if (const Allocation* const gone = all.arena.freed(address); gone != nullptr) {
    tell(all,
         Message{"run.misuse.free_again",
                 {{"call", value_of(name)}, {"number", number_of(*gone)}, {"bytes", value_of(gone->bytes)}}});
  } else {
    tell(all, Message{"run.misuse.free_unknown", {{"call", value_of(name)}}});
  }
  return cudaErrorInvalidValue;
}

cudaError_t refuse_range(Context& all, const char* name, const void* pointer, std::uint64_t bytes,
                         bool device) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const Allocation* const in = all.arena.find(pointer);
  if (in != nullptr && bytes > in->end() - address) {
    tell(all, Message{"run.misuse.range_short",
                      {{"call", value_of(name)},
                       {"bytes", value_of(bytes)},
                       {"number", number_of(*in)},
                       {"left", value_of(in->end() - address)}}});
  } else if (const Allocation* const gone = all.arena.freed(address); in == nullptr && gone != nullptr) {
    tell(all,
         Message{"run.misuse.range_freed",
                 {{"call", value_of(name)}, {"number", number_of(*gone)}, {"bytes", value_of(gone->bytes)}}});
  } else if (in == nullptr && pointer == nullptr) {
    tell(all, Message{"run.misuse.range_null", {{"call", value_of(name)}}});
  } else if (in == nullptr && device && !Arena::covers(pointer)) {
    tell(all, Message{"run.misuse.range_host", {{"call", value_of(name)}}});
  } else if (in == nullptr) {
    tell(all, Message{"run.misuse.range_nothing",
                      {{"call", value_of(name)}, {"address", value_of(fmt::format("{:#x}", address))}}});
  }
  return cudaErrorInvalidValue;
}

cudaError_t refuse_device(Context& all, const char* name, int device) {
  tell(all, Message{"run.misuse.device",
                    {{"call", value_of(name)},
                     {"device", value_of(device)},
                     {"last", value_of(all.settings.devices - 1)},
                     {"count", value_of(all.settings.devices)}}});
  return cudaErrorInvalidDevice;
}

cudaError_t refuse_symbol(Context& all, const void* symbol) {
  const std::string text = text_at(symbol);
  if (!text.empty() && all.modules.has_variable(text))
    tell(all, Message{"run.misuse.symbol_text", {{"name", value_of(text)}}});
  else
    tell(all, Message{"run.misuse.symbol_unknown", {}});
  return cudaErrorInvalidSymbol;
}

cudaError_t refuse_symbol_size(Context& all, const std::string& name, std::uint64_t asked,
                               std::uint64_t has) {
  tell(all, Message{"run.misuse.symbol_size",
                    {{"name", value_of(name)}, {"asked", value_of(asked)}, {"has", value_of(has)}}});
  return cudaErrorInvalidValue;
}

cudaError_t refuse_launch(Context& all, const KernelLaunch& launch, cudaError_t error, Message why) {
  tell(all, Message{"run.misuse.launch",
                    {{"kernel", value_of(launch.function->shown_name())},
                     {"why", value_of(std::move(why))},
                     {"error", value_of(cudaGetErrorName(error))}}});
  return error;
}

void tell_if_freed(Context& all, std::uint64_t address) {
  if (all.arena.find(address) != nullptr) return;
  if (const Allocation* const gone = all.arena.freed(address); gone != nullptr)
    tell(all, Message{"run.misuse.used_freed",
                      {{"address", value_of(fmt::format("{:#x}", address))},
                       {"number", number_of(*gone)},
                       {"bytes", value_of(gone->bytes)}}});
}

}  // namespace warplens::runtime
