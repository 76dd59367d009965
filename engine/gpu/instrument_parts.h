// Pieces of PTX that both rewrites of instrument.h are made of: records (instrument_records.h) and totals
// (instrument_totals.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/ptx/syntax/module.h"
#include "engine/trace/site.h"

namespace warplens::gpu {

// What both rewrites read.
using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;
using trace::Site;
using trace::SiteKind;
using trace::Space;

// Numbers for labels, unique in one rewritten module.
class Labels {
 public:
  std::uint32_t next() { return ++last_; }

 private:
  std::uint32_t last_ = 0;
};

// Opens a scope with %wlp0..5, %wlr0..9 and %wld0..7, in which `body` runs for the lanes whose guard holds.
// `condition`: lines in front of it that may jump to "$wl_skip_{skip}".
std::string scoped(const Function& function, const ptx::Guard& guard, std::uint32_t skip,
                   const std::string& condition, const std::string& body);

// Code after which `predicate` holds in all lanes that are here when it held in one of them (any), or in none
// when it did not hold in one (all). %wlr0 names the lanes that are here; changes %wlr9.
std::string any_of_lanes(const char* predicate);
std::string all_of_lanes(const char* predicate);

// Blocks from which the instruction can be reached, its own among them.
std::vector<bool> blocks_before(const Function& function, std::uint32_t instruction);

// Code that puts the address of an operand into %wld6, in the operand's own space.
std::string address_into(const Function& function, const Operand& operand);

// Whether addresses of shared memory may name another block of the cluster: only `mapa` makes such. What
// lies there is neither recorded nor counted (docs/SUPPORT.md, clusters).
bool reaches_other_blocks(const ptx::Module& module);
// The site's addresses are of the cluster's window, of which the block's own memory is a part.
bool in_cluster_window(const ptx::Module& module, const Site& site);

// Code that sorts a generic address in %wld6: %wlp2 when it is in the block's shared memory, %wlp3 when it is
// local. `clusters`: lanes that point into another block jump to "$wl_far_{far}", which far_label() sets.
std::string sort_generic(bool clusters, std::uint32_t far);
// The same for an address in %wld6 that is known to lie in the cluster's window.
std::string skip_other_blocks(std::uint32_t far);
std::string far_label(std::uint32_t far);
// Turns an address of the block's own shared memory into an offset in it. In a cluster every such
// address, also one that the kernel has from no mapa, holds the block's rank above the offset.
std::string drop_rank(const char* address);

}  // namespace warplens::gpu
