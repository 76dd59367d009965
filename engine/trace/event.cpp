#include "engine/trace/event.h"

#include <array>

namespace warplens::trace {
namespace {

struct FaultRow {
  FaultKind kind;
  std::string_view name;
  bool fatal;
};

// Fatal are those after which a GPU could not go on either. A race, an uninitialised read or a shuffle that
// reads an inactive lane leaves undefined values but the kernel continues.
constexpr std::array<FaultRow, 12> kFaults{{
    {FaultKind::OutOfBounds, "out_of_bounds", true},
    {FaultKind::Misaligned, "misaligned", true},
    {FaultKind::UninitialisedRead, "uninitialised_read", false},
    {FaultKind::Race, "race", false},
    {FaultKind::DivergentBarrier, "divergent_barrier", true},
    {FaultKind::Deadlock, "deadlock", true},
    {FaultKind::InactiveLaneRead, "inactive_lane_read", false},
    {FaultKind::Trap, "trap", true},
    {FaultKind::Assertion, "assertion", true},
    {FaultKind::StackOverflow, "stack_overflow", true},
    {FaultKind::InvalidAddress, "invalid_address", true},
    {FaultKind::IllegalInstruction, "illegal_instruction", true},
}};

}  // namespace

std::string_view name(FaultKind kind) {
  return kFaults[static_cast<std::size_t>(kind)].name;
}

bool is_fatal(FaultKind kind) {
  return kFaults[static_cast<std::size_t>(kind)].fatal;
}

}  // namespace warplens::trace
