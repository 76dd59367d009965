// The access to a fragment that is shown, what it costs at the banks, and the words that say it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "engine/analysis/fragment_moves.h"
#include "engine/analysis/shared_banks.h"
#include "visual/layout.h"

namespace warplens::visual {

class FragmentAccess {
 public:
  static constexpr int kExample = 5;  // the lane that is followed while none is pointed at

  struct Register {  // of one lane: a box in its tile
    int tile = 0, lane = 0, reg = 0;
    bool operator<(const Register& o) const {
      return std::tie(tile, lane, reg) < std::tie(o.tile, o.lane, o.reg);
    }
  };

  // Of the access at the cursor of the input, or the nearest.
  explicit FragmentAccess(const ViewInput& input);

  bool found() const { return !move.tiles.empty(); }
  bool stores() const { return trace::is_store(move.access.kind); }
  bool faded(int other) const { return focus != 0 && other != lane; }

  std::string tile_name(const Draft& draft, int tile) const;  // "A", "matrix 2"
  std::string register_name(int tile, int reg) const;         // "a3"
  std::string place_text(const Draft& draft, std::uint64_t address) const;
  // Elements of a register as places: "A[1][2–3]".
  std::string elements_text(const Draft& draft, int tile, int holder, int reg) const;
  std::string sentence(const Draft& draft) const;

  analysis::FragmentMove move;
  std::optional<analysis::BankDetail> banks;  // of an access to shared memory
  std::map<int, int> pass_of;                 // by the lane that names: the last that serves it
  LaneMask waits = 0;                         // lanes that are not served in the first pass of their phase
  std::set<Register> moved;                   // by this access
  LaneMask focus = 0;                         // lanes that are pointed at
  int lane = kExample;                        // the one that is followed

 private:
  char letter_of(int tile) const;
  const trace::Trace* trace_ = nullptr;
};

}  // namespace warplens::visual
