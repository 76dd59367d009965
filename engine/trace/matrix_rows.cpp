#include "engine/trace/matrix_rows.h"

namespace warplens::trace {

LaneMask naming_lanes(const Site& site) {
  if (site.kind != SiteKind::MatrixLoad && site.kind != SiteKind::MatrixStore) return kFullMask;
  const ptx::Form form = ptx::make_form(site.op);
  if (form.opcode == ptx::Opcode::Wmma || form.has(ptx::Modifier::X4)) return kFullMask;
  return form.has(ptx::Modifier::X2) ? 0xffffu : 0xffu;
}

bool loads_matrices(const ptx::Form& wmma_load) {
  const bool a = wmma_load.has(ptx::Modifier::A);
  if (wmma_load.space != ptx::StateSpace::Shared || (!a && !wmma_load.has(ptx::Modifier::B))) return false;
  const int bytes = ptx::size_of(wmma_load.type());
  return bytes == 2 || (bytes == 1 && wmma_load.has(a ? ptx::Modifier::Row : ptx::Modifier::Col));
}

}  // namespace warplens::trace
