// What data flow and the graph say of a function, each worked out once, when it is first asked for, and kept
// with the module. Whatever asks "who writes this register", "is it the same in all lanes" or "what dominates
// this block" asks here.
//
//   const auto facts = facts_of(module, function);
//   if (facts->uniformity().uniform(reg)) ...
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/ptx/facts/data_dependence.h"
#include "engine/ptx/facts/liveness.h"
#include "engine/ptx/facts/machine_blocks.h"
#include "engine/ptx/facts/reached_code.h"
#include "engine/ptx/facts/shared_layout.h"
#include "engine/ptx/facts/steered_loops.h"
#include "engine/ptx/facts/uniformity.h"
#include "engine/ptx/facts/unrolled_loops.h"

namespace warplens::ptx {

// Any number of threads may ask. It refers to the module and the function, which must live as long and stay
// as they are.
class FunctionFacts {
 public:
  FunctionFacts(const Module& module, const Function& function) : module_(module), function_(function) {}

  const std::vector<Uses>& uses() const;                 // of each instruction
  const std::vector<std::uint32_t>& dominators() const;  // the immediate one of each block (dominators.h)
  const Liveness& liveness() const;
  const Uniformity& uniformity() const;
  const std::vector<bool>& parted() const;  // parted_blocks()
  const ReachedCode& reached() const;       // from this function
  const SharedLayout& shared() const;
  const MachineBlocks& machine_blocks() const;
  const std::vector<UnrolledLoop>& loops() const;
  const SteeredLoops& steered() const;
  const DataDependence& dependence() const;  // on what buffers hold; of an entry

 private:
  template <typename T>
  struct Lazy {
    std::once_flag once;
    std::optional<T> value;
    template <typename Make>
    const T& get(const Make& make) {
      std::call_once(once, [&] { value.emplace(make()); });
      return *value;
    }
  };

  const Module& module_;
  const Function& function_;
  mutable Lazy<std::vector<Uses>> uses_;
  mutable Lazy<std::vector<std::uint32_t>> dominators_;
  mutable Lazy<Liveness> liveness_;
  mutable Lazy<Uniformity> uniformity_;
  mutable Lazy<std::vector<bool>> parted_;
  mutable Lazy<ReachedCode> reached_;
  mutable Lazy<SharedLayout> shared_;
  mutable Lazy<MachineBlocks> machine_blocks_;
  mutable Lazy<std::vector<UnrolledLoop>> loops_;
  mutable Lazy<SteeredLoops> steered_;
  mutable Lazy<DataDependence> dependence_;
};

// Of a function of the module; of another one (a copy, say) they are made anew each time.
std::shared_ptr<const FunctionFacts> facts_of(const Module& module, const Function& function);

}  // namespace warplens::ptx
