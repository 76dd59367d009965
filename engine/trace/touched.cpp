#include "engine/trace/touched.h"

#include <algorithm>
#include <bit>

namespace warplens::trace {

std::optional<ByteRange> overlap(const ByteRanges& a, const ByteRanges& b) {
  std::optional<ByteRange> found;
  if (a.empty() || b.empty() || a.back().end <= b.front().begin || b.back().end <= a.front().begin)
    return found;
  for_overlaps(a, b, [&](const ByteRange& both) {
    found = both;
    return false;
  });
  return found;
}

TouchLog::TouchLog(const std::vector<Site>& sites, std::uint64_t begin, std::uint64_t reach)
    : first_page_(begin >> kPageBits), table_pages_(reach >> kPageBits) {
  std::vector<Order> orders;
  for (const Site& site : sites) {
    Order order = Order::Plain;
    if (is_atomic(site.kind))
      order = site.kind == SiteKind::Reduction || site.reduction ? Order::Strong : Order::Result;
    else if (site.strong)
      order = Order::Strong;
    orders.push_back(order);
  }
  orders_ = std::make_shared<const std::vector<Order>>(std::move(orders));
}

std::unique_ptr<Listener> TouchLog::fork() const {
  return std::unique_ptr<Listener>(new TouchLog(orders_, first_page_, table_pages_));
}

void TouchLog::clear() {
  pages_.clear();
  for (Table& table : tables_) table.reset();
}

void TouchLog::on_launch(const Launch&, std::span<const std::uint64_t>) {
  clear();
  too_much_ = false;
}

void TouchLog::join(Listener& other) {
  auto& from = static_cast<TouchLog&>(other);
  too_much_ |= from.too_much_;
  for (auto& [number, page] : from.pages_)
    for (unsigned way = 0; way < kWays; ++way) {
      if (!page.bits[way]) continue;
      Bits* const to = bits_of(static_cast<Way>(way), number);
      if (to == nullptr) return;
      for (unsigned w = 0; w < kWords; ++w) (*to)[w] |= (*page.bits[way])[w];
    }
}

TouchLog::Bits* TouchLog::bits_of(Way way, std::uint64_t page) {
  const std::uint64_t at = page - first_page_;
  if (at < table_pages_) {
    if (!tables_[way]) tables_[way].reset(static_cast<Bits**>(std::calloc(table_pages_, sizeof(Bits*))));
    if (tables_[way] && tables_[way][at] != nullptr) return tables_[way][at];
  }
  if (pages_.size() >= kMostPages && !pages_.contains(page)) {
    too_much_ = true;
    return nullptr;
  }
  auto& bits = pages_[page].bits[way];
  if (!bits) bits = std::make_unique<Bits>();
  if (at < table_pages_ && tables_[way]) tables_[way][at] = bits.get();
  return bits.get();
}

void TouchLog::mark(Way way, std::uint64_t begin, std::uint64_t bytes) {
  while (bytes > 0) {
    Bits* const bits = bits_of(way, begin >> kPageBits);
    if (bits == nullptr) return;
    const auto bit = static_cast<unsigned>(begin % 64);
    const std::uint64_t here = std::min<std::uint64_t>(bytes, 64 - bit);
    const std::uint64_t ones = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
    (*bits)[(begin >> 6) % kWords] |= ones << bit;
    begin += here;
    bytes -= here;
  }
}

void TouchLog::mark(Way way, const Access& access) {
  const auto first = static_cast<unsigned>(std::countr_zero(access.active));
  const LaneMask side_by_side = access.active >> first;
  const bool whole = access.affine && (side_by_side & (side_by_side + 1)) == 0;
  if (whole && access.stride == 0) return mark(way, access.addresses[first], access.bytes);
  if (whole && access.stride == access.bytes)
    return mark(way, access.addresses[first],
                static_cast<std::uint64_t>(std::popcount(access.active)) * access.bytes);
  for (LaneMask left = access.active; left != 0; left &= left - 1)
    mark(way, access.addresses[std::countr_zero(left)], access.bytes);
}

void TouchLog::on_access(const Access& access) {
  if (access.space != Space::Global || access.active == 0 || too_much_) return;
  if (access.kind == SiteKind::Texture || access.kind == SiteKind::BulkCopy) return;
  const Order order = access.site < orders_->size() ? (*orders_)[access.site] : Order::Strong;
  if (is_atomic(access.kind)) {
    mark(Signals, access);
    if (order == Order::Result) mark(Looks, access);
  } else if (is_store(access.kind)) {
    mark(order == Order::Plain ? Writes : Signals, access);
  } else {
    mark(order == Order::Plain ? Reads : Looks, access);
  }
}

ByteRanges TouchLog::ranges(Way way, const std::vector<std::uint64_t>& pages) {
  ByteRanges out;
  for (const std::uint64_t number : pages) {
    const auto& bits = pages_.at(number).bits[way];
    if (!bits) continue;
    for (unsigned w = 0; w < kWords; ++w) {
      const std::uint64_t from = (number << kPageBits) + 64 * w;
      std::uint64_t word = (*bits)[w];
      while (word != 0) {
        const auto begin = static_cast<unsigned>(std::countr_zero(word));
        const auto ones = static_cast<unsigned>(std::countr_one(word >> begin));
        if (!out.empty() && out.back().end == from + begin)
          out.back().end += ones;
        else
          out.push_back({from + begin, from + begin + ones});
        if (begin + ones == 64) break;
        word &= ~std::uint64_t{0} << (begin + ones);
      }
    }
    if (out.size() > kMostRanges) too_much_ = true;
    if (too_much_) break;
  }
  return out;
}

Touched TouchLog::take() {
  std::vector<std::uint64_t> pages;
  for (const auto& [number, page] : pages_) pages.push_back(number);
  std::ranges::sort(pages);
  Touched out{ranges(Reads, pages), ranges(Writes, pages), ranges(Looks, pages), ranges(Signals, pages)};
  clear();
  return too_much_ ? Touched{} : out;
}

}  // namespace warplens::trace
