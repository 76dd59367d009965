#include "engine/analysis/fragment_moves.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "engine/base/work_limit.h"
#include "engine/ptx/facts/liveness.h"

namespace warplens::analysis {
namespace {

using ptx::Modifier;
using trace::Fragment;
using trace::SiteKind;
using Use = Fragment::Use;

constexpr std::size_t kMostSteps = std::size_t{1} << 20;
constexpr std::size_t kMostVisited = 256;  // registers that a value came through
// What ldmatrix fetches, when nothing says what for: 8x8 elements of 16 bits, two a lane.
constexpr Fragment kEightByEight{Use::C, 8, 8, 8, trace::Element::F16};

const std::vector<ptx::Operand>& parts_of(const ptx::Operand& operand, std::vector<ptx::Operand>& own) {
  if (operand.kind == ptx::OperandKind::Vector) return operand.elements;
  own.assign(1, operand);
  return own;
}

// Who writes each register of a function, as which part of its destination.
class Definitions {
 public:
  struct At {
    std::uint32_t instruction = 0;
    int part = 0;
  };

  Definitions(const ptx::Module& module, const ptx::Function& function)
      : module_(module), function_(function) {
    std::vector<ptx::Operand> own;
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      const ptx::Instruction& in = function.instructions[i];
      if (in.operands.empty()) continue;
      const ptx::Uses uses = ptx::uses_of(module, function, in);
      if (uses.writes.empty()) continue;
      int part = 0;
      for (const ptx::Operand& o : parts_of(in.operands[0], own)) {
        if (o.kind == ptx::OperandKind::Register) all_[o.reg].push_back({i, part});
        ++part;
      }
    }
  }

  // Where a value may come from, moves between registers left out.
  std::vector<At> origins(ptx::RegisterId reg) const {
    std::vector<At> out;
    std::set<ptx::RegisterId> seen{reg};
    std::vector<ptx::RegisterId> open{reg};
    while (!open.empty() && seen.size() < kMostVisited) {
      work_step();
      const ptx::RegisterId now = open.back();
      open.pop_back();
      const auto found = all_.find(now);
      if (found == all_.end()) continue;
      for (const At& at : found->second) {
        const ptx::Instruction& in = function_.instructions[at.instruction];
        const bool moves = module_.form(in).opcode == ptx::Opcode::Mov && in.operands.size() == 2 &&
                           in.operands[1].kind == ptx::OperandKind::Register;
        if (!moves)
          out.push_back(at);
        else if (seen.insert(in.operands[1].reg).second)
          open.push_back(in.operands[1].reg);
      }
    }
    return out;
  }

 private:
  const ptx::Module& module_;
  const ptx::Function& function_;
  std::unordered_map<ptx::RegisterId, std::vector<At>> all_;
};

class Finder {
 public:
  Finder(const ptx::Module& module, const trace::Trace& trace) : module_(module), trace_(trace) {}

  FragmentMoves run() {
    std::map<std::uint32_t, std::vector<const trace::Site*>> functions;
    for (const trace::Site& site : trace_.sites)
      if (site.function < module_.functions.size()) functions[site.function].push_back(&site);
    for (const auto& [index, sites] : functions) function(module_.functions[index], sites);
    std::erase_if(out_.sites, [](const FragmentSite& site) {
      return !site.movement && !site.rows &&
             std::ranges::all_of(site.registers, [](const FragmentRegister& r) { return r.product < 0; });
    });
    if (!out_.sites.empty()) steps();
    return std::move(out_);
  }

 private:
  void function(const ptx::Function& function, const std::vector<const trace::Site*>& sites) {
    std::map<std::uint32_t, std::size_t> products;  // by instruction
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      const ptx::Form& form = module_.form(function.instructions[i]);
      const auto shape = trace::matrix_product(form);
      if (!shape || function.instructions[i].operands.size() < 4) continue;
      products[i] = out_.products.size();
      out_.products.push_back({form.text, *shape});
    }
    std::map<std::uint32_t, std::size_t> movers;  // likewise
    for (const trace::Site* site : sites)
      if (auto mover = mover_of(function, *site, !products.empty())) {
        movers[site->instruction] = out_.sites.size();
        out_.sites.push_back(std::move(*mover));
      }
    if (products.empty() || movers.empty()) return;
    const Definitions definitions(module_, function);
    for (const auto& [i, product] : products) loads_of(function, i, product, movers, definitions);
    for (const auto& [i, site] : movers) stores_of(function, i, out_.sites[site], products, definitions);
  }

  static std::size_t value_operand(SiteKind kind) { return trace::is_store(kind) ? 1 : 0; }

  std::optional<FragmentSite> mover_of(const ptx::Function& function, const trace::Site& site,
                                       bool has_products) const {
    if (site.instruction >= function.instructions.size()) return std::nullopt;
    const ptx::Instruction& in = function.instructions[site.instruction];
    const ptx::Form& form = module_.form(in);
    FragmentSite out;
    out.site = site.index;
    const std::size_t at = value_operand(site.kind);
    if (in.operands.size() < 2) return std::nullopt;
    std::vector<ptx::Operand> own;
    out.registers.resize(parts_of(in.operands[at], own).size());
    if (form.opcode == ptx::Opcode::Wmma) {
      out.movement = trace::fragment_movement(form);
      return out.movement ? std::optional(out) : std::nullopt;
    }
    if (form.opcode == ptx::Opcode::Ldmatrix || form.opcode == ptx::Opcode::Stmatrix) {
      out.rows = true;
      out.transposed = form.has(Modifier::Trans);
      return out;
    }
    const bool plain = has_products && (site.kind == SiteKind::Load || site.kind == SiteKind::Store) &&
                       (form.opcode == ptx::Opcode::Ld || form.opcode == ptx::Opcode::St);
    if (!plain) return std::nullopt;
    out.register_bytes = site.bytes / static_cast<int>(out.registers.size());
    return out;
  }

  static bool fits(const FragmentSite& site, const Fragment& fragment) {
    return site.movement || site.rows ||
           site.register_bytes == (fragment.element == trace::Element::F64 ? 8 : 4);
  }

  static void assign(FragmentSite& site, int part, const FragmentRegister& to) {
    if (part < 0 || static_cast<std::size_t>(part) >= site.registers.size()) return;
    FragmentRegister& reg = site.registers[static_cast<std::size_t>(part)];
    if (reg.product < 0) reg = to;
  }

  // What fills the registers that a product reads.
  void loads_of(const ptx::Function& function, std::uint32_t instruction, std::size_t product,
                const std::map<std::uint32_t, std::size_t>& movers, const Definitions& definitions) {
    const ptx::Instruction& in = function.instructions[instruction];
    const trace::MatrixProduct& shape = out_.products[product].shape;
    const Fragment* fragments[] = {&shape.a, &shape.b, &shape.c};
    std::vector<ptx::Operand> own;
    for (std::size_t use = 0; use < 3; ++use) {
      int part = 0;
      for (const ptx::Operand& o : parts_of(in.operands[use + 1], own)) {
        const FragmentRegister to{static_cast<int>(product), fragments[use]->use,
                                  part++ % fragments[use]->registers()};
        if (o.kind != ptx::OperandKind::Register) continue;
        for (const Definitions::At& at : definitions.origins(o.reg))
          if (const auto mover = movers.find(at.instruction); mover != movers.end())
            if (FragmentSite& site = out_.sites[mover->second]; fits(site, *fragments[use]))
              assign(site, at.part, to);
      }
    }
  }

  // Which result of a product a store takes.
  void stores_of(const ptx::Function& function, std::uint32_t instruction, FragmentSite& site,
                 const std::map<std::uint32_t, std::size_t>& products, const Definitions& definitions) {
    if (!trace::is_store(trace_.sites[site.site].kind)) return;
    std::vector<ptx::Operand> own;
    int part = 0;
    for (const ptx::Operand& o : parts_of(function.instructions[instruction].operands[1], own)) {
      const int here = part++;
      if (o.kind != ptx::OperandKind::Register) continue;
      for (const Definitions::At& at : definitions.origins(o.reg))
        if (const auto product = products.find(at.instruction); product != products.end()) {
          const Fragment& c = out_.products[product->second].shape.c;
          if (fits(site, c))
            assign(site, here, {static_cast<int>(product->second), Use::C, at.part % c.registers()});
        }
    }
  }

  void steps() {
    std::vector<int> site_of(trace_.sites.size(), -1);
    for (std::size_t i = 0; i < out_.sites.size() && i < 0xffff; ++i)
      site_of[out_.sites[i].site] = static_cast<int>(i);
    const auto& steps = trace_.steps();
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      const trace::Step& step = steps[i];
      if (step.kind != trace::StepKind::Access || step.active == 0 || step.site >= site_of.size() ||
          site_of[step.site] < 0)
        continue;
      if (out_.steps.size() == kMostSteps) {
        out_.partial = true;
        return;
      }
      out_.steps.push_back(
          {static_cast<std::uint32_t>(i), static_cast<std::uint16_t>(site_of[step.site]), part_of(i, step)});
    }
  }

  // The accesses of one wmma instruction stand beside each other in the trace.
  std::uint16_t part_of(std::size_t i, const trace::Step& step) const {
    if (out_.steps.empty()) return 0;
    const FragmentMoves::Step& before = out_.steps.back();
    const FragmentSite& site = out_.sites[before.site];
    const trace::Step& earlier = trace_.steps()[before.step];
    if (!site.movement || before.step + 1 != i || earlier.site != step.site || earlier.warp != step.warp)
      return 0;
    return static_cast<std::uint16_t>((before.part + 1) % std::max(1, site.movement->accesses()));
  }

  const ptx::Module& module_;
  const trace::Trace& trace_;
  FragmentMoves out_;
};

// Spells out one access.
class Speller {
 public:
  Speller(const FragmentMoves& moves, const FragmentSite& site, FragmentMove& move)
      : site_(site), move_(move) {
    for (const FragmentRegister& r : site.registers)
      if (product_ < 0) product_ = r.product;
    if (product_ >= 0) {
      move_.product = &moves.products[static_cast<std::size_t>(product_)];
      const trace::MatrixProduct& shape = move_.product->shape;
      move_.tiles = {shape.a, shape.b, shape.c};
    }
  }

  void run() {
    if (site_.movement)
      wmma(*site_.movement);
    else if (site_.rows)
      matrices();
    else
      plain();
  }

 private:
  bool active(int lane) const { return move_.access.active >> lane & 1u; }
  std::uint64_t address(int lane) const { return move_.access.addresses[static_cast<std::size_t>(lane)]; }

  static int tile_of(Use use) { return use == Use::A ? 0 : use == Use::B ? 1 : 2; }

  // Eight rows of 16 bytes become one register of all lanes.
  void matrix(const Fragment& fragment, int tile, int reg, int number, bool transposed) {
    const int bits = trace::bits_of(fragment.element), per = fragment.per_register();
    for (int i = 0; i < 8; ++i) {
      const int lane = 8 * number + i;
      if (lane >= kWarpSize || !active(lane)) continue;
      FragmentRow row{lane, address(lane), bits, {}};
      for (int j = 0; j < 128 / bits; ++j) {
        const int unit = j * bits / 16;  // of 16 bits, which is what the instruction moves
        const int holder = transposed ? 4 * unit + i / 2 : 4 * i + unit / 2;
        const int inside =
            j % std::max(1, 16 / bits) + (transposed ? i % 2 : unit % 2) * std::max(1, 16 / bits);
        const int element = reg * per + (bits > 16 ? 0 : inside);
        row.cells.push_back(
            {tile, tile < 0 ? trace::MatrixPlace{} : fragment.place(holder, element), holder, reg});
      }
      move_.rows.push_back(std::move(row));
    }
  }

  void matrices() {
    move_.rows_named = true;
    move_.transposed = site_.transposed;
    for (std::size_t i = 0; i < site_.registers.size(); ++i) {
      const FragmentRegister& r = site_.registers[i];
      const auto number = static_cast<int>(i);
      if (product_ < 0) {
        move_.loose = true;
        move_.tiles.push_back(kEightByEight);
        matrix(kEightByEight, number, 0, number, site_.transposed);
      } else if (r.product != product_) {
        ++move_.elsewhere;
        matrix(kEightByEight, -1, number, number, site_.transposed);
      } else {
        const int tile = tile_of(r.use);
        matrix(move_.tiles[static_cast<std::size_t>(tile)], tile, r.index, number, site_.transposed);
      }
    }
  }

  void wmma(const trace::FragmentMovement& movement) {
    const Fragment& fragment = movement.fragment;
    int tile = tile_of(fragment.use);
    if (product_ < 0) {
      move_.tiles = {fragment};
      tile = 0;
    }
    move_.parts = movement.accesses();
    if (movement.matrices != 0) {
      move_.rows_named = true;
      move_.transposed = movement.transposed;
      for (int m = 0; m < movement.matrices; ++m)
        matrix(fragment, tile, move_.part * movement.matrices + m, m, movement.transposed);
      return;
    }
    const auto holders = movement.turned ? fragment_holders(fragment) : std::vector<FragmentHolder>{};
    const int bits = trace::bits_of(fragment.element);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      if (!active(lane)) continue;
      FragmentRow row{lane, address(lane), bits, {}};
      for (int s = 0; s < movement.step; ++s) {
        const int element = move_.part * movement.step + s;
        FragmentCell cell{tile, fragment.place(lane, element), lane, element / fragment.per_register()};
        if (movement.turned) {
          cell.place = movement.turned_place(lane, element);
          const FragmentHolder& to =
              holders[static_cast<std::size_t>(cell.place.row * fragment.columns() + cell.place.column)];
          cell.lane = to.lane;
          cell.reg = to.reg;
        }
        row.cells.push_back(cell);
      }
      move_.rows.push_back(std::move(row));
    }
  }

  void plain() {
    for (std::size_t i = 0; i < site_.registers.size(); ++i) {
      const FragmentRegister& r = site_.registers[i];
      if (r.product != product_) {
        ++move_.elsewhere;
        continue;
      }
      const int tile = tile_of(r.use);
      const Fragment& fragment = move_.tiles[static_cast<std::size_t>(tile)];
      for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!active(lane)) continue;
        FragmentRow row{lane,
                        address(lane) + i * static_cast<std::uint64_t>(site_.register_bytes),
                        trace::bits_of(fragment.element),
                        {}};
        for (int e = 0; e < fragment.per_register(); ++e)
          row.cells.push_back(
              {tile, fragment.place(lane, r.index * fragment.per_register() + e), lane, r.index});
        move_.rows.push_back(std::move(row));
      }
    }
  }

  const FragmentSite& site_;
  FragmentMove& move_;
  int product_ = -1;
};

}  // namespace

FragmentMoves fragment_moves(const ptx::Module& module, const trace::Trace& trace) {
  return Finder(module, trace).run();
}

std::optional<FragmentMove> move_at(const FragmentMoves& moves, const trace::Trace& trace,
                                    std::size_t cursor) {
  if (moves.steps.empty()) return std::nullopt;
  auto at = std::upper_bound(moves.steps.begin(), moves.steps.end(), cursor,
                             [](std::size_t step, const FragmentMoves::Step& s) { return step < s.step; });
  if (at != moves.steps.begin()) --at;
  FragmentMove move;
  move.step = at->step;
  move.part = at->part;
  move.access = trace.access(at->step);
  Speller(moves, moves.sites[at->site], move).run();
  return move;
}

std::vector<FragmentHolder> fragment_holders(const trace::Fragment& fragment) {
  std::vector<FragmentHolder> out(static_cast<std::size_t>(fragment.rows() * fragment.columns()));
  for (int lane = 0; lane < kWarpSize; ++lane)
    for (int e = 0; e < fragment.elements(); ++e) {
      const trace::MatrixPlace place = fragment.place(lane, e);
      const auto at = static_cast<std::size_t>(place.row * fragment.columns() + place.column);
      if (at < out.size()) out[at] = {lane, e / fragment.per_register()};
    }
  return out;
}

}  // namespace warplens::analysis
