#include "engine/analysis/access_log.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "engine/analysis/coalescing.h"
#include "engine/analysis/executed.h"
#include "engine/analysis/patterns.h"
#include "engine/trace/executed_as.h"

namespace warplens::analysis {
namespace {

using trace::SiteKind;
using trace::Space;
using Op = LoggedAccess::Op;

constexpr int kLineShift = 7, kSectorShift = 5;
constexpr std::uint64_t kLocalLines = std::uint64_t{1} << 58;  // above every global line

// The word in front of an access: site, warp, op, local, same lanes, in part, lines, lanes less one, waits,
// kind of value, sectors.
constexpr int kWarpAt = 20, kOpAt = 26, kLocalAt = 29, kSameAt = 30, kInPartAt = 31, kLinesAt = 32,
              kLanesAt = 40, kWaitsAt = 45, kFloatAt = 46, kWideAt = 47, kSectorsAt = 48;
constexpr std::uint64_t kSiteMask = (1u << kWarpAt) - 1;

bool on_floats(const trace::Site& site) {
  const ptx::Form form = ptx::make_form(site.op);
  return !form.types.empty() && ptx::is_float(form.type());
}

Op op_of(SiteKind kind, const trace::Site* site, bool past_l1) {
  switch (kind) {
    case SiteKind::Store:
    case SiteKind::MatrixStore:
      return Op::Store;
    case SiteKind::Atomic:
    case SiteKind::CompareAndSwap:
      return site != nullptr && site->reduction ? Op::Reduction : Op::Atomic;
    case SiteKind::Reduction:
      return Op::Reduction;
    case SiteKind::AsyncCopy:
      return past_l1 ? Op::LoadPastL1 : Op::Copy;
    case SiteKind::BulkCopy:
      return Op::LoadPastL1;
    default:
      return past_l1 ? Op::LoadPastL1 : Op::Load;
  }
}

// Lines with their sectors, few and mostly in order: one beyond all others is new, any other is looked for
// from the end.
class Lines {
 public:
  void add(std::uint64_t line, std::uint64_t sectors) {
    const bool beyond = count_ == 0 || line > last_;
    for (int i = beyond ? 0 : count_; i-- > 0;)
      if (entries_[static_cast<std::size_t>(i)] >> 4 == line) {
        entries_[static_cast<std::size_t>(i)] |= sectors;
        return;
      }
    if (count_ >= kMost) return;
    entries_[static_cast<std::size_t>(count_++)] = line << 4 | sectors;
    if (beyond)
      last_ = line;
    else
      in_order_ = false;
  }
  std::span<std::uint64_t> sorted() {
    if (!in_order_) std::sort(entries_.begin(), entries_.begin() + count_);
    return {entries_.data(), static_cast<std::size_t>(count_)};
  }

 private:
  static constexpr int kMost = 4 * kWarpSize;  // 16 bytes of local memory in each lane
  std::array<std::uint64_t, kMost> entries_;
  int count_ = 0;
  std::uint64_t last_ = 0;  // the largest
  bool in_order_ = true;
};

struct Stretch {
  std::uint64_t first = 0, end = 0;  // bytes
  bool empty() const { return first == end; }
};

// What the lanes touch, where they follow each other without a gap from where a sector begins to where one
// ends, as in most accesses; else empty.
Stretch whole_sectors(const ExecutedShape& shape, const std::uint64_t* addresses) {
  const auto bytes = static_cast<std::uint64_t>(std::max(1, shape.bytes));
  const std::uint64_t first =
      addresses[std::countr_zero(shape.active)] + static_cast<std::uint64_t>(shape.offset);
  std::uint64_t end = first;
  for (LaneMask left = shape.active; left != 0; left &= left - 1, end += bytes)
    if (addresses[std::countr_zero(left)] + static_cast<std::uint64_t>(shape.offset) != end) return {};
  return first % 32 == 0 && end % 32 == 0 ? Stretch{first, end} : Stretch{};
}

void add_stretch(const Stretch& stretch, Lines& lines) {
  for (std::uint64_t line = stretch.first >> kLineShift; line << kLineShift < stretch.end; ++line) {
    const std::uint64_t begin = std::max(stretch.first, line << kLineShift) >> kSectorShift,
                        end = std::min(stretch.end, (line + 1) << kLineShift) >> kSectorShift;
    lines.add(line, ((std::uint64_t{1} << (end - begin)) - 1) << (begin & 3u));
  }
}

// A bit for each four bytes of 64, of which there is a bit for each: whether all of them are there, or some.
std::uint64_t words_of_bytes(std::uint64_t bytes, bool all) {
  std::uint64_t out =
      all ? bytes & bytes >> 1 & bytes >> 2 & bytes >> 3 : bytes | bytes >> 1 | bytes >> 2 | bytes >> 3;
  out &= 0x1111111111111111u;  // of each four the lowest; moved together, by two, four, eight and sixteen
  out = (out | out >> 3) & 0x0303030303030303u;
  out = (out | out >> 6) & 0x000f000f000f000fu;
  out = (out | out >> 12) & 0x000000ff000000ffu;
  return (out | out >> 24) & 0xffffu;
}

// As LoggedAccess has them: the words that lanes touch, of a store those that they write all bytes of.
void add_words(const ExecutedShape& shape, const std::uint64_t* addresses,
               std::span<const std::uint64_t> lines, bool store, std::vector<std::uint64_t>& out) {
  std::array<std::array<std::uint64_t, 2>, 4 * kWarpSize> bytes_of;  // a bit each; no access has more lines
  std::fill_n(bytes_of.begin(), lines.size(), std::array<std::uint64_t, 2>{});
  std::size_t at = 0;  // the line of the lane before is most often this one's
  for (LaneMask left = shape.active; left != 0; left &= left - 1) {
    std::uint64_t byte = addresses[std::countr_zero(left)] + static_cast<std::uint64_t>(shape.offset);
    const std::uint64_t end = byte + static_cast<std::uint64_t>(std::max(1, shape.bytes));
    while (byte < end) {  // half a line at a time
      const std::uint64_t n = std::min(end - byte, 64 - (byte & 63u)), line = byte >> kLineShift;
      if (lines[at] >> 4 != line) {
        const auto found = std::ranges::lower_bound(lines, line << 4);
        if (found == lines.end() || *found >> 4 != line) break;
        at = static_cast<std::size_t>(found - lines.begin());
      }
      bytes_of[at][byte >> 6 & 1u] |= ~std::uint64_t{0} >> (64 - n) << (byte & 63u);
      byte += n;
    }
  }
  out.resize((lines.size() + 1) / 2);
  for (std::size_t i = 0; i < lines.size(); ++i)
    out[i / 2] |= (words_of_bytes(bytes_of[i][0], store) | words_of_bytes(bytes_of[i][1], store) << 16)
                  << (32 * (i % 2));
}

void add_global(const ExecutedShape& shape, const std::uint64_t* addresses, Lines& lines) {
  for (LaneMask left = shape.active; left != 0; left &= left - 1) {
    const std::uint64_t first = addresses[std::countr_zero(left)] + static_cast<std::uint64_t>(shape.offset);
    const std::uint64_t last = first + static_cast<std::uint64_t>(std::max(1, shape.bytes)) - 1;
    for (std::uint64_t sector = first >> kSectorShift; sector <= last >> kSectorShift; ++sector)
      lines.add(sector >> (kLineShift - kSectorShift), std::uint64_t{1} << (sector & 3u));
  }
}

// Local memory is interleaved by word: word k of all lanes is a line (L1 of docs/VERIFICATION.md).
void add_local(const ExecutedShape& shape, const trace::Access& access, Lines& lines) {
  const std::uint64_t region = kLocalLines + access.warp.block * AccessLog::kLocalLinesOfBlock +
                               (std::uint64_t{access.warp.warp} << 17);
  for (LaneMask left = shape.active; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t first = access.addresses[lane] + static_cast<std::uint64_t>(shape.offset);
    for (int byte = 0; byte < std::max(1, shape.bytes); byte += 4)
      lines.add(region + ((first + static_cast<std::uint64_t>(byte)) / 4 & 0x1ffffu),
                std::uint64_t{1} << (lane / 8));
  }
}

// The same of local memory, where a lane has the same word of every line. Lanes may differ in the lines that
// they touch, which is not told apart here.
void add_local_words(const ExecutedShape& shape, std::size_t lines, bool store,
                     std::vector<std::uint64_t>& out) {
  const std::uint64_t its = store && shape.bytes < 4 ? 0 : shape.active;
  out.resize((lines + 1) / 2, its << 32 | its);
}

std::uint32_t sectors_in(std::span<const std::uint64_t> lines) {
  std::uint32_t n = 0;
  for (const std::uint64_t line : lines) n += static_cast<std::uint32_t>(std::popcount(line & 15u));
  return n;
}

}  // namespace

LoggedAccess AccessLog::read(const Block& block, std::size_t at, std::size_t& next) {
  const std::uint64_t head = block.words[at];
  LoggedAccess out;
  out.site = static_cast<trace::SiteId>(head & kSiteMask);
  out.warp = static_cast<std::uint32_t>(head >> kWarpAt & 63u);
  out.op = static_cast<Op>(head >> kOpAt & 7u);
  out.local = (head >> kLocalAt & 1u) != 0;
  out.same_lanes = (head >> kSameAt & 1u) != 0;
  out.waits = (head >> kWaitsAt & 1u) != 0;
  out.is_float = (head >> kFloatAt & 1u) != 0;
  out.wide = (head >> kWideAt & 1u) != 0;
  out.lanes = static_cast<std::uint32_t>(head >> kLanesAt & 31u) + 1;
  out.sectors = static_cast<std::uint32_t>(head >> kSectorsAt);
  const std::size_t count = head >> kLinesAt & 0xffu;
  out.lines = {block.words.data() + at + 1, count};
  next = at + 1 + count;
  if ((head >> kInPartAt & 1u) != 0) {
    out.words = {block.words.data() + next, (count + 1) / 2};
    next += out.words.size();
  }
  return out;
}

std::size_t AccessLog::accesses_of(const Block& block) {
  std::size_t n = 0;
  for (std::size_t at = 0, next = 0; at < block.words.size(); at = next, ++n) read(block, at, next);
  return n;
}

AccessLogger::AccessLogger(const std::vector<trace::Site>& sites, AccessLogOptions options)
    : AccessLogger(std::make_shared<const std::vector<trace::Site>>(sites), nullptr, options,
                   std::make_shared<Together>()) {
  auto past = std::make_shared<std::vector<bool>>();
  for (const trace::Site& site : sites) past->push_back(bypasses_l1(site));
  past_l1_ = std::move(past);
}

AccessLogger::AccessLogger(std::shared_ptr<const std::vector<trace::Site>> sites,
                           std::shared_ptr<const std::vector<bool>> past_l1, AccessLogOptions options,
                           std::shared_ptr<Together> together)
    : sites_(std::move(sites)),
      past_l1_(std::move(past_l1)),
      options_(options),
      together_(std::move(together)) {}

std::unique_ptr<trace::Listener> AccessLogger::fork() const {
  return std::unique_ptr<trace::Listener>(new AccessLogger(sites_, past_l1_, options_, together_));
}

void AccessLogger::join(trace::Listener& other) {
  auto& from = dynamic_cast<AccessLogger&>(other);
  log_.blocks_run += from.log_.blocks_run;
  log_.textures = log_.textures || from.log_.textures;
  log_.local_lines = std::max(log_.local_lines, from.log_.local_lines);
  words_ += from.words_;
  std::ranges::move(from.log_.blocks, std::back_inserter(log_.blocks));
  last_ = ~std::uint64_t{0};
}

bool AccessLogger::wants_block(std::uint64_t block) {
  const bool fresh = log_.blocks.empty() || block > log_.blocks.back().block;
  return fresh ? keeps(block) : block < together_->end.load();
}

// Is a block that begins still kept? Where it is the newest, all words told so far are of blocks before it;
// when they are used up the log ends before it, whatever the other threads still add.
bool AccessLogger::keeps(std::uint64_t block) {
  together_->words += words_ - std::exchange(told_, words_);
  const bool used_up = together_->words > options_.words;
  std::uint64_t newest = together_->newest, end = together_->end;
  if (used_up && block > newest)
    while (block < end && !together_->end.compare_exchange_weak(end, block)) {
    }
  while (block > newest && !together_->newest.compare_exchange_weak(newest, block)) {
  }
  return block < together_->end;
}

void AccessLogger::on_block_begin(std::uint64_t block) {
  ++log_.blocks_run;
  last_ = ~std::uint64_t{0};
  if (!keeps(block)) return;
  lanes_.fill(0);
  needed_.fill(trace::kNoSite);
  last_ = log_.blocks.size();
  log_.blocks.push_back({block, 0, {}});
}

void AccessLogger::on_access(const trace::Access& access) {
  if (access.space == Space::Texture) log_.textures = true;
  if (access.space != Space::Global && access.space != Space::Local) return;
  if (access.warp.block >= together_->end) return;
  const trace::Site* site = access.site < sites_->size() ? &(*sites_)[access.site] : nullptr;
  if (site != nullptr && site->in_registers) return;
  // Blocks of one worker may take turns.
  if (last_ >= log_.blocks.size() || log_.blocks[last_].block != access.warp.block) {
    const auto found = std::find_if(log_.blocks.rbegin(), log_.blocks.rend(),
                                    [&](const auto& b) { return b.block == access.warp.block; });
    if (found == log_.blocks.rend()) return;
    last_ = static_cast<std::uint64_t>(log_.blocks.rend() - found) - 1;
  }
  append(log_.blocks[last_], access, site);
}

void AccessLogger::append(AccessLog::Block& block, const trace::Access& access, const trace::Site* site) {
  ExecutedShape shape{access.active, access.bytes, 0, false, false, false};
  if (site != nullptr) shape = executed_shape(*site, access.bytes, access.active, access.addresses);
  if (shape.merged_away || shape.active == 0) return;
  Lines found;
  Stretch whole;
  if (access.space == Space::Local) {
    add_local(shape, access, found);
  } else {
    whole = whole_sectors(shape, access.addresses);
    if (whole.empty())
      add_global(shape, access.addresses, found);
    else
      add_stretch(whole, found);
  }
  const std::span<std::uint64_t> lines = found.sorted();
  const Op op = op_of(access.kind, site, site != nullptr && (*past_l1_)[access.site]);
  std::uint64_t sectors = sectors_in(lines), value = 0;
  if (op == Op::Atomic || op == Op::Reduction) {
    sectors = visit_atomics(access.kind, shape.bytes, shape.active, access.addresses).sectors;
    value = std::uint64_t{site != nullptr && on_floats(*site)} << kFloatAt |
            std::uint64_t{shape.bytes > 4} << kWideAt |
            static_cast<std::uint64_t>(std::popcount(shape.active) - 1) << kLanesAt;
  }
  in_part_.clear();
  if (op == Op::Load || op == Op::Store || op == Op::Copy) {
    const bool store = op == Op::Store;
    if (access.space != Space::Local) {
      if (whole.empty()) add_words(shape, access.addresses, lines, store, in_part_);
    } else if (shape.active != kFullMask || (store && shape.bytes < 4)) {
      add_local_words(shape, lines.size(), store, in_part_);
    }
  }
  const std::uint64_t local = access.space == Space::Local ? 1 : 0;
  LaneMask& before = lanes_[access.warp.warp % lanes_.size()];
  const std::uint64_t same = before == shape.active ? 1 : 0;
  before = shape.active;
  // In another block than what was loaded is needed in, or there again, the warp has waited for it.
  trace::SiteId& needed = needed_[access.warp.warp % needed_.size()];
  const bool waits = site != nullptr && needed != trace::kNoSite &&
                     (site->index <= needed || site->basic_block != (*sites_)[needed].basic_block ||
                      site->function != (*sites_)[needed].function);
  if (waits) needed = trace::kNoSite;
  if (site != nullptr && site->needed_in_block) needed = site->index;
  block.warps = std::max(block.warps, access.warp.warp + 1);
  const std::size_t words = block.words.size();
  block.words.push_back(
      (std::uint64_t{access.site} & kSiteMask) | std::uint64_t{access.warp.warp & 63u} << kWarpAt |
      static_cast<std::uint64_t>(op) << kOpAt | local << kLocalAt | same << kSameAt | value |
      std::uint64_t{waits} << kWaitsAt | std::uint64_t{!in_part_.empty()} << kInPartAt |
      std::uint64_t{lines.size()} << kLinesAt | std::min<std::uint64_t>(sectors, 0xffff) << kSectorsAt);
  block.words.insert(block.words.end(), lines.begin(), lines.end());
  block.words.insert(block.words.end(), in_part_.begin(), in_part_.end());
  words_ += block.words.size() - words;
  if (local != 0)
    for (const std::uint64_t entry : lines)
      log_.local_lines = std::max(log_.local_lines, (entry >> 4 & 0x1ffffu) + 1);
}

AccessLog AccessLogger::take() {
  std::ranges::sort(log_.blocks, {}, &AccessLog::Block::block);
  std::size_t words = 0, kept = 0;
  while (kept < log_.blocks.size() && (kept == 0 || words <= options_.words))
    words += log_.blocks[kept++].words.size();
  log_.blocks.resize(kept);
  return std::move(log_);
}

AccessLog log_of(const trace::Trace& trace) {
  AccessLogger logger(trace.sites, {.words = std::size_t{1} << 23});
  for (const trace::BlockSteps& block : trace.blocks()) {
    logger.on_block_begin(block.block);
    for (std::size_t step = block.first; step < block.last; ++step) {
      if (trace.steps()[step].kind != trace::StepKind::Access) continue;
      const trace::AccessView view = trace.access(step);
      trace::Access access;
      access.site = view.site;
      access.warp = {block.block, view.warp};
      access.kind = view.kind;
      access.space = view.space;
      access.bytes = static_cast<std::uint8_t>(view.bytes);
      access.active = view.active;
      access.addresses = view.addresses.data();
      logger.on_access(access);
    }
  }
  return logger.take();
}

}  // namespace warplens::analysis
