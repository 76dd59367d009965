#include "engine/trace/matrix_rows.h"

#include "engine/trace/fragments.h"

namespace warplens::trace {

LaneMask naming_lanes(const Site& site) {
  if (site.kind != SiteKind::MatrixLoad && site.kind != SiteKind::MatrixStore) return kFullMask;
  const ptx::Form form = ptx::make_form(site.op);
  if (const auto movement = fragment_movement(form)) return movement->naming();
  if (form.opcode == ptx::Opcode::Wmma || form.has(ptx::Modifier::X4)) return kFullMask;
  return form.has(ptx::Modifier::X2) ? 0xffffu : 0xffu;
}

}  // namespace warplens::trace
