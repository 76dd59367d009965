#include "engine/ptx/facts/derived.h"

#include <functional>

namespace warplens::ptx {

Derived::Derived() : kept_(std::make_unique<Kept>()) {}
Derived::Derived(const Derived&) : Derived() {}
Derived& Derived::operator=(const Derived&) {
  forget();
  return *this;
}
Derived::~Derived() = default;

void Derived::forget() {
  kept_ = std::make_unique<Kept>();
}

std::shared_ptr<Derived::Kept::OfFunction> Derived::Kept::of(const Module& module, const Function& function) {
  const Function* const first = module.functions.data();
  if (std::less<>{}(&function, first) || !std::less<>{}(&function, first + module.functions.size()))
    return nullptr;
  const Stamp stamp{reinterpret_cast<std::size_t>(&function), function.instructions.size(),
                    function.blocks.size(), function.machine.size()};
  const std::lock_guard lock(mutex);
  std::shared_ptr<OfFunction>& entry = functions[static_cast<std::size_t>(&function - first)];
  if (entry == nullptr || entry->stamp != stamp) {
    entry = std::make_shared<OfFunction>();
    entry->stamp = stamp;
    entry->facts = std::make_shared<const FunctionFacts>(module, function);
  }
  return entry;
}

std::shared_ptr<const FunctionFacts> facts_of(const Module& module, const Function& function) {
  if (const auto entry = module.derived.kept().of(module, function)) return entry->facts;
  return std::make_shared<const FunctionFacts>(module, function);
}

}  // namespace warplens::ptx
