#include "engine/analysis/sm_accesses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>

#include "engine/analysis/patterns.h"
#include "engine/analysis/shared_banks.h"
#include "engine/analysis/sm_kinds.h"
#include "engine/analysis/typical_blocks.h"

namespace warplens::analysis {

using trace::SiteKind;
using trace::Space;

namespace {

const AccessLog::Block* find(const AccessLog& log, std::uint64_t block) {
  const auto found = std::ranges::find(log.blocks, block, &AccessLog::Block::block);
  return found == log.blocks.end() ? nullptr : &*found;
}

bool are_alike(std::size_t words, std::size_t others) {
  return static_cast<double>(std::max(words, others)) <=
         kBlocksAlike * static_cast<double>(std::min(words, others));
}

// The blocks of the sample that stand for all access about as much.
bool log_is_even(const AccessLog& log, std::span<const trace::BlockSteps> sample) {
  std::size_t least = ~std::size_t{0}, most = 0;
  for (const trace::BlockSteps& block : sample) {
    if (block.block == 0 && sample.size() > 1) continue;
    const AccessLog::Block* its = find(log, block.block);
    if (its == nullptr) continue;
    least = std::min(least, its->words.size());
    most = std::max(most, its->words.size());
  }
  return most == 0 || are_alike(least, most);
}

// With so many for each of them that access about as much as it does, from all over the launch.
std::vector<std::uint64_t> with_alike(const AccessLog& log, std::vector<std::uint64_t> out,
                                      std::size_t each) {
  const std::vector<std::uint64_t> own = out;
  for (const std::uint64_t block : own) {
    const AccessLog::Block* its = find(log, block);
    if (its == nullptr || its->words.empty() || (block == 0 && own.size() > 1)) continue;
    std::vector<std::uint64_t> alike;
    for (const AccessLog::Block& other : log.blocks)
      if (are_alike(other.words.size(), its->words.size()) && !std::ranges::binary_search(own, other.block))
        alike.push_back(other.block);
    for (std::size_t i = 0; i < std::min(each, alike.size()); ++i)
      out.push_back(alike[i * alike.size() / std::min(each, alike.size())]);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

}  // namespace

std::vector<std::uint64_t> blocks_to_ask(const AccessLog& log, std::span<const trace::BlockSteps> sample) {
  constexpr std::size_t kMostWords = std::size_t{1} << 20, kMostOthers = 7;  // of all; of each
  std::vector<std::uint64_t> out;
  for (const trace::BlockSteps& block : sample) out.push_back(block.block);
  std::ranges::sort(out);
  const std::size_t own = out.size(), parts = own - (own > 1 && out.front() == 0 ? 1 : 0);
  std::size_t words = 0;
  for (const AccessLog::Block& block : log.blocks) words += block.words.size();
  if (parts == 0 || log.blocks.size() < 2 * parts || words == 0) return out;
  const std::size_t each =
      std::min({kMostOthers, kMostWords * log.blocks.size() / words / parts, log.blocks.size() / parts - 1});
  if (!log_is_even(log, sample)) return with_alike(log, std::move(out), each);
  const auto step = static_cast<double>(log.blocks.size()) / static_cast<double>(parts * each);
  for (std::size_t i = 0; i < parts * each; ++i) {
    // Not in steps of a row of blocks, whose first ones may all be alike.
    const double within = anywhere(i);
    auto at = static_cast<std::size_t>(step * (static_cast<double>(i) + within));
    while (at < log.blocks.size() &&
           (std::binary_search(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(own),
                               log.blocks[at].block) ||
            out.back() == log.blocks[at].block))
      ++at;
    if (at < log.blocks.size()) out.push_back(log.blocks[at].block);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

// Which answer of the caches each access of the block has: they have them warp by warp, in its order.
void SmAccesses::begin(const trace::BlockSteps& block) {
  const auto found = std::ranges::find(caches_.served, block.block, &ServedBlock::block);
  served_ = found == caches_.served.end() ? nullptr : &*found;
  places_.clear();
  blocks_.push_back(block.block);
  auto& counts = counts_.emplace_back();
  for (std::size_t step = block.first; step < block.last; ++step) {
    if (trace_.steps()[step].kind != trace::StepKind::Access) continue;
    const trace::AccessView view = trace_.access(step);
    if (view.space != Space::Global && view.space != Space::Local) continue;
    if (view.site < trace_.sites.size() && trace_.sites[view.site].in_registers) continue;
    const ExecutedShape shape = shape_of(view);
    if (shape.merged_away || shape.active == 0) continue;
    if (view.warp >= counts.size()) counts.resize(view.warp + 1);
    places_[static_cast<std::uint32_t>(step)] = {view.warp, counts[view.warp]++};
  }
}

ExecutedShape SmAccesses::shape_of(const trace::AccessView& view) const {
  return view.site < trace_.sites.size()
             ? executed_shape(trace_.sites[view.site], view.bytes, view.active, view.addresses.data())
             : ExecutedShape{view.active, view.bytes, 0, false, false, false};
}

bool SmAccesses::add(std::uint32_t step, std::uint32_t& number) {
  const trace::AccessView view = trace_.access(step);
  const ExecutedShape shape = shape_of(view);
  if (shape.merged_away || shape.active == 0) return false;
  std::array<std::uint64_t, 32> at = view.addresses;
  for (std::uint64_t& a : at) a += static_cast<std::uint64_t>(shape.offset);
  SmAccess made;
  if (view.space == Space::Constant)
    constant(shape, at, made);
  else if (view.space == Space::Shared)
    made.cycles = static_cast<std::uint16_t>(
        std::max<std::uint64_t>(1, count_shared(view.kind, shape.bytes, shape.active, at.data()).wavefronts));
  else
    memory(view, shape, at, step, made);
  number = static_cast<std::uint32_t>(out_.accesses.size());
  out_.accesses.push_back(made);
  return true;
}

// Two cycles and eleven of latency for each further address (C2 of docs/VERIFICATION.md).
void SmAccesses::constant(const ExecutedShape& shape, std::array<std::uint64_t, 32> at, SmAccess& made) {
  std::size_t n = 0;
  for (int lane = 0; lane < kWarpSize; ++lane)
    if ((shape.active >> lane & 1u) != 0) at[n++] = at[static_cast<std::size_t>(lane)];
  std::sort(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(n));
  const auto different = std::unique(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(n)) - at.begin();
  made.cycles = static_cast<std::uint16_t>(2 * std::max<std::ptrdiff_t>(1, different));
  made.latency = static_cast<std::uint16_t>(kConstantLoad + 11 * (different - 1) - made.cycles);
  constexpr std::uint64_t kLine = 64;
  made.line = static_cast<std::uint32_t>(out_.table_lines.size());
  for (const std::uint64_t address : std::span(at).first(static_cast<std::size_t>(different)))
    if (const auto line = static_cast<std::uint32_t>(address / kLine);
        out_.table_lines.size() == made.line || out_.table_lines.back() != line)
      out_.table_lines.push_back(line);
  made.requests = static_cast<std::uint16_t>(out_.table_lines.size() - made.line);
}

void SmAccesses::memory(const trace::AccessView& view, const ExecutedShape& shape,
                        const std::array<std::uint64_t, 32>& at, std::uint32_t step, SmAccess& made) {
  const bool local = view.space == Space::Local;
  const GlobalCounts counts = local ? count_local(shape.bytes, shape.active, at.data())
                                    : count_global(view.kind, shape.bytes, shape.active, at.data());
  const int tags = local ? static_cast<int>(counts.requests)
                   : trace::is_atomic(view.kind)
                       ? visit_atomics(view.kind, shape.bytes, shape.active, at.data()).wavefronts
                       : tag_wavefronts(shape.bytes, shape.active, at.data());
  // The banks of L1's data are those of shared memory, across lines (G8 of docs/VERIFICATION.md).
  const std::uint64_t passes =
      local || trace::is_atomic(view.kind)
          ? (counts.sectors + 3) / 4
          : count_shared(SiteKind::Store, shape.bytes, shape.active, at.data()).wavefronts;
  made.cycles = static_cast<std::uint16_t>(std::clamp<std::uint64_t>(
      std::max<std::uint64_t>(static_cast<std::uint64_t>(std::max(1, tags)), passes), 1, 4096));
  made.tags = static_cast<std::uint16_t>(std::clamp(tags, 1, static_cast<int>(made.cycles)));
  if (!local && !trace::is_atomic(view.kind)) name_lines(shape, at, made);
  const bool atomic = trace::is_atomic(view.kind);
  made.lines = static_cast<std::uint16_t>(std::clamp<std::uint64_t>(counts.lines, 1, 65535));
  made.sparse = !local && counts.bytes_unique <= 4 * counts.sectors;
  if (atomic) {
    made.atomics = static_cast<std::uint16_t>(std::min<std::uint64_t>(counts.sectors, 65535));
    made.answered = view.site >= trace_.sites.size() || !trace_.sites[view.site].reduction;
  }
  Asked asked{{},
              static_cast<std::uint32_t>(out_.accesses.size()),
              static_cast<std::uint32_t>(blocks_.size() - 1),
              static_cast<std::uint16_t>(std::min<std::uint64_t>(counts.sectors, 65535)),
              trace::is_store(view.kind),
              local};
  const auto place = places_.find(step);
  if (place != places_.end()) {
    asked.place = place->second;
    asked_.push_back(asked);
  }
  if (place != places_.end() && served_ != nullptr && asked.place.warp < served_->warps.size() &&
      asked.place.nth < served_->warps[asked.place.warp].size())
    as_served(served_->warps[asked.place.warp][asked.place.nth], asked, made);
  else if (view.site < caches_.sites.size())
    as_on_average(view, counts, made);
  if (local) made.changed = 0;  // the next block in its place stores to the same lines, before DRAM has them
  set_latency(made);
}

void SmAccesses::set_latency(SmAccess& made) const {
  made.requests = std::min(made.from_l2, made.lines);
  made.cold = made.from_dram > 0;
  made.latency = static_cast<std::uint16_t>(
      made.cold           ? device_.dram_latency
      : made.from_l2 == 0 ? device_.l1_latency
                          : std::max(static_cast<int>(device_.l2_latency), static_cast<int>(made.coming)));
}

void SmAccesses::name_lines(const ExecutedShape& shape, const std::array<std::uint64_t, 32>& at,
                            SmAccess& made) {
  made.others = static_cast<std::uint32_t>(out_.other_lines.size());
  std::uint64_t before = ~std::uint64_t{0};
  for (LaneMask left = shape.active; left != 0; left &= left - 1) {
    const std::uint64_t line = at[static_cast<std::size_t>(std::countr_zero(left))] >> 7;
    if (std::exchange(before, line) == line) continue;  // as most lanes' neighbours
    const auto [known, fresh] = lines_.try_emplace(line, out_.line_count);
    if (fresh) ++out_.line_count;
    if (made.line == SmAccess::kNoLine) made.line = known->second;
    const auto others = std::span(out_.other_lines).subspan(made.others);
    if (known->second != made.line && std::ranges::find(others, known->second) == others.end())
      out_.other_lines.push_back(known->second);
  }
  made.other_count = static_cast<std::uint16_t>(out_.other_lines.size() - made.others);
}

void SmAccesses::as_served(const ServedAccess& served, const Asked& asked, SmAccess& made) {
  if (asked.store) {
    made.stored = served.stored;
    made.changed = asked.local ? std::uint16_t{0} : served.changed;
    return;
  }
  made.from_l2 = served.from_l2;
  made.from_dram = std::min(served.from_dram, served.from_l2);
  made.coming = served.coming;
}

// Could its accesses be those of a block that was begun?
bool SmAccesses::answers(const ServedBlock& other, std::size_t block) const {
  return std::ranges::equal(other.warps, counts_[block],
                            [](const auto& its, std::uint32_t count) { return its.size() == count; });
}

// Each block's others are those of its part of the launch; where one has another number of accesses, some
// that have not. Where there are none its answers are its own each time.
void SmAccesses::answer_as_others() {
  std::vector<const ServedBlock*> others;
  for (const ServedBlock& block : caches_.served)
    if (!std::ranges::binary_search(blocks_, block.block)) others.push_back(&block);
  std::ranges::sort(others, {}, &ServedBlock::block);
  const std::size_t apart = blocks_.size() > 1 && blocks_.front() == 0 ? 1 : 0;
  const std::size_t parts = blocks_.size() - std::min(apart, blocks_.size());
  if (parts == 0 || others.size() < parts) return;
  const std::size_t each = others.size() / parts, own = out_.accesses.size();
  std::vector<std::vector<const ServedBlock*>> alike(blocks_.size());
  for (std::size_t b = apart; b < blocks_.size(); ++b)
    for (const ServedBlock* other : others)
      if (answers(*other, b)) alike[b].push_back(other);
  // In an order in which the first few are from all over the part.
  std::vector<std::size_t> order(each);
  for (std::size_t i = 0; i < each; ++i) order[i] = i;
  std::ranges::sort(order, {}, anywhere);
  for (const std::size_t chosen : order) {
    out_.accesses.resize(own * (out_.answers + 1));
    std::copy_n(out_.accesses.begin(), own, out_.accesses.end() - static_cast<std::ptrdiff_t>(own));
    std::vector<const ServedBlock*> of_block(blocks_.size(), nullptr);
    for (std::size_t b = apart; b < blocks_.size(); ++b) {
      if (const ServedBlock* other = others[(b - apart) * each + chosen]; answers(*other, b))
        of_block[b] = other;
      else if (!alike[b].empty())
        of_block[b] = alike[b][chosen % alike[b].size()];
    }
    for (const Asked& asked : asked_) {
      const ServedBlock* other = of_block[asked.block];
      if (other == nullptr) continue;
      SmAccess& made = out_.accesses[out_.answers * own + asked.access];
      as_served(other->warps[asked.place.warp][asked.place.nth], asked, made);
      made.from_l2 = std::min(made.from_l2, asked.sectors);
      made.stored = std::min(made.stored, asked.sectors);
      set_latency(made);
    }
    ++out_.answers;
  }
}

// As many of the site's sectors as the caches found in each level, spread over its accesses.
void SmAccesses::as_on_average(const trace::AccessView& view, const GlobalCounts& counts, SmAccess& made) {
  const CacheReport::Site& site = caches_.sites[view.site];
  Debt& debt = debts_[view.site];
  const double sectors = static_cast<double>(counts.sectors);
  if (trace::is_store(view.kind)) {
    const double passed =
        site.l1.writes == 0 ? 1 : static_cast<double>(site.l2.writes) / static_cast<double>(site.l1.writes);
    made.stored = take(debt.stored, sectors * passed);
    if (caches_.l2.writes > 0)
      made.changed = static_cast<std::uint16_t>(made.stored * caches_.changed_sectors / caches_.l2.writes);
    return;
  }
  const bool atomic = trace::is_atomic(view.kind);
  const double asked = static_cast<double>(site.l1.reads);
  const double to_l2 = asked > 0 ? static_cast<double>(site.l1.reads - site.l1.read_hits) / asked : 1;
  const double reads = static_cast<double>(site.l2.reads);
  const double to_dram = reads > 0 ? static_cast<double>(site.l2.reads - site.l2.read_hits) / reads : 0;
  made.from_l2 = take(debt.l2, sectors * (atomic ? 1 : to_l2));
  made.from_dram = std::min(made.from_l2, take(debt.dram, sectors * (atomic ? 1 : to_l2) * to_dram));
}

std::uint16_t SmAccesses::take(double& debt, double more) {
  debt += more;
  const double whole = std::floor(debt + 0.5);
  debt -= whole;
  return static_cast<std::uint16_t>(std::clamp(whole, 0.0, 65535.0));
}

}  // namespace warplens::analysis
