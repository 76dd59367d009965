#include "engine/analysis/cost_marks.h"

#include <algorithm>
#include <cmath>

namespace warplens::analysis {

bool is_worse(const AccessCost& access) {
  return access.per_request() > access.ideal() * 1.005;
}

std::vector<const AccessCost*> costs_apart(const std::vector<AccessCost>& accesses, Memory memory) {
  using Kind = AccessCost::Kind;
  std::vector<const AccessCost*> out;
  for (const Kind kind : {Kind::Load, Kind::Store, Kind::Atomic}) {
    const AccessCost* worst = nullptr;
    for (const AccessCost& a : accesses)
      if (a.kind == kind && a.memory == memory &&
          (!worst || a.per_request() * worst->ideal() > worst->per_request() * a.ideal()))
        worst = &a;
    if (worst) out.push_back(worst);
  }
  const bool alike = std::all_of(out.begin(), out.end(), [&](const AccessCost* a) {
    return std::abs(a->per_request() - out.front()->per_request()) < 0.05 &&
           is_worse(*a) == is_worse(*out.front());
  });
  if (alike && out.size() > 1) out.resize(1);
  return out;
}

}  // namespace warplens::analysis
