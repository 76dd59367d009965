#include "engine/runtime/stream_order.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/runtime/calling_line.h"
#include "engine/runtime/context.h"

namespace warplens::runtime {
namespace {

constexpr std::uint64_t kPerThread = 1;  // waits for the legacy stream, as the ones that are made do
// Of operations without an order: the oldest are forgotten.
constexpr std::size_t kMostDone = 512, kMostRanges = std::size_t{1} << 23;
constexpr std::uint64_t kMostKept = 64 << 20;  // bytes as they were before an operation
constexpr std::size_t kMostTold = 10;

void join(Moment& into, const Moment& other) {
  for (const auto& [stream, number] : other) into[stream] = std::max(into[stream], number);
}

const std::uint8_t* bytes_at(std::uint64_t address) {
  return reinterpret_cast<const std::uint8_t*>(address);
}

bool has(const ByteRanges& ranges, std::uint64_t begin, std::uint64_t end) {
  const auto behind = std::ranges::upper_bound(ranges, begin, {}, &ByteRange::end);
  return behind != ranges.end() && behind->begin < end;
}

Message name_of(std::uint64_t stream) {
  if (stream == StreamOrder::kLegacy) return {"run.order.default_stream", {}};
  return {"run.order.stream", {{"number", value_of(stream)}}};
}

Message with_line(const StreamOrder::Operation& operation) {
  const std::string line = line_of_place(operation.place);
  if (line.empty()) return operation.what;
  return {"run.order.at", {{"what", value_of(operation.what)}, {"line", value_of(line)}}};
}

}  // namespace

void StreamOrder::made(std::uint64_t stream, bool waits_for_legacy) {
  (waits_for_legacy ? with_legacy_ : alone_).insert(stream);
}

Moment StreamOrder::moment(std::uint64_t stream) {
  Moment now = moments_[stream];
  join(now, host_);
  if (stream == kPerThread) with_legacy_.insert(stream);
  if (stream == kLegacy)
    for (const std::uint64_t one : with_legacy_) join(now, moments_[one]);
  else if (with_legacy_.contains(stream))
    join(now, moments_[kLegacy]);
  return now;
}

void StreamOrder::wait(std::uint64_t stream, const Moment& moment) {
  join(moments_[stream], moment);
}

void StreamOrder::host_waits(const Moment& moment) {
  join(host_, moment);
  drop_ordered();
}

void StreamOrder::host_waits_for_all() {
  done_.clear();
  moments_.clear();
  host_.clear();
}

bool StreamOrder::is_before(const Done& done, const Moment& moment) const {
  const auto found = moment.find(done.stream);
  return found != moment.end() && found->second >= done.number;
}

// All that comes is behind what the host has waited for.
void StreamOrder::drop_ordered() {
  std::erase_if(done_, [&](const Done& done) { return is_before(done, host_); });
}

StreamOrder::Begun StreamOrder::begin(std::uint64_t stream, const ByteRanges* writes) {
  Begun begun;
  begun.stream = stream;
  Moment now = moment(stream);
  begun.number = now[stream] = ++numbers_[stream];
  begun.after = moments_[stream] = std::move(now);
  std::uint64_t kept = 0;
  const auto keep = [&](const ByteRange& range) {
    const std::uint64_t bytes = range.end - range.begin;
    if (kept + bytes > kMostKept || all_.arena.find(range.begin) == nullptr) return true;
    kept += bytes;
    begun.before.push_back({range, {bytes_at(range.begin), bytes_at(range.end)}});
    return true;
  };
  for (const Done& done : done_) {
    if (is_before(done, begun.after)) continue;
    if (writes != nullptr)
      for_overlaps(done.operation.touched.writes, *writes, keep);
    else
      std::ranges::for_each(done.operation.touched.writes, keep);
  }
  return begun;
}

void StreamOrder::end(const Begun& begun, Operation operation) {
  for (const Done& done : done_)
    if (!is_before(done, begun.after)) look(done, begun, operation);
  // A kernel that writes where the host can look may have told it that it has ended.
  const Touched& touched = operation.touched;
  const bool told_host =
      operation.kernel && std::ranges::any_of(all_.arena.all(), [&](const auto& entry) {
        const Allocation& one = entry.second;
        const bool of_host = one.kind == Kind::Pinned || one.kind == Kind::Registered;
        return (of_host && has(touched.writes, one.address, one.end())) ||
               ((of_host || one.kind == Kind::Managed) && has(touched.signals, one.address, one.end()));
      });
  if (told_host) return host_waits(begun.after);
  keep(begun, std::move(operation));
}

void StreamOrder::look(const Done& first, const Begun& begun, const Operation& second) {
  const Touched &a = first.operation.touched, &b = second.touched;
  if (overlap(a.signals, b.looks) || overlap(b.signals, a.looks)) return;
  // What `reads` has plainly and the other side changes; atomics on both sides are no conflict.
  const auto conflict = [&](const ByteRanges& x, const ByteRanges& y, Conflict kind,
                            const ByteRanges* unless = nullptr) {
    bool told = false;
    if (!overlap(x, y)) return told;
    for_overlaps(x, y, [&](const ByteRange& both) {
      if (unless == nullptr || !has(*unless, both.begin, both.end))
        told = is_told(first, begun, second, kind, both);
      return !told;
    });
    return told;
  };
  if (conflict(a.writes, b.reads, Conflict::Read) || conflict(a.writes, b.looks, Conflict::Read) ||
      conflict(a.signals, b.reads, Conflict::Read, &b.signals))
    return;
  if (conflict(a.reads, b.writes, Conflict::Overwritten) ||
      conflict(a.looks, b.writes, Conflict::Overwritten) ||
      conflict(a.reads, b.signals, Conflict::Overwritten, &a.signals))
    return;
  if (conflict(a.writes, b.signals, Conflict::BothChange) ||
      conflict(a.signals, b.writes, Conflict::BothChange))
    return;
  conflict(a.writes, b.writes, Conflict::BothWrite);
}

// False: these bytes are none of which to tell.
bool StreamOrder::is_told(const Done& first, const Begun& begun, const Operation& second, Conflict conflict,
                          ByteRange bytes) {
  const Allocation* const holds = all_.arena.find(bytes.begin);
  if (holds == nullptr || holds->number > first.newest) return false;
  if (conflict == Conflict::BothWrite) {  // of the same it does not matter who comes first
    const auto before = std::ranges::find_if(begun.before, [&](const Begun::Before& one) {
      return one.range.begin <= bytes.begin && bytes.end <= one.range.end;
    });
    if (before == begun.before.end()) return false;
    const std::uint8_t* const was = before->bytes.data() + (bytes.begin - before->range.begin);
    const auto size = static_cast<std::ptrdiff_t>(bytes.end - bytes.begin);
    const auto differs = std::mismatch(was, was + size, bytes_at(bytes.begin)).first - was;
    if (differs == size) return false;
    bytes.begin += static_cast<std::uint64_t>(differs);
  }
  static constexpr const char* kNames[] = {"read", "overwritten", "both", "both"};
  const std::string name = second.kind == "free" ? "freed" : kNames[static_cast<std::size_t>(conflict)];
  if (told_.size() >= kMostTold) return true;
  if (!told_.insert(first.operation.kind + '|' + second.kind + '|' + name).second) return true;
  const auto place = [&](std::uint64_t at) { return value_of(at - holds->address); };
  const Message where =
      holds->number == 0 ? Message{"run.order.variable",
                                   {{"name", value_of(all_.arena.places().places().at(holds->address).name)}}}
                         : Message{"run.order.bytes",
                                   {{"first", place(bytes.begin)},
                                    {"last", place(bytes.end - 1)},
                                    {"number", value_of(holds->number)}}};
  const bool default_and_alone = (first.stream == kLegacy && alone_.contains(begun.stream)) ||
                                 (begun.stream == kLegacy && alone_.contains(first.stream));
  const Message hint{default_and_alone ? "run.order.alone" : "fault.nothing", {}};
  const std::string told = all_.texts().text(Message{"run.order." + name,
                                                     {{"first", value_of(with_line(first.operation))},
                                                      {"first_stream", value_of(name_of(first.stream))},
                                                      {"second", value_of(with_line(second))},
                                                      {"second_stream", value_of(name_of(begun.stream))},
                                                      {"bytes", value_of(where)},
                                                      {"hint", value_of(hint)}}});
  all_.note(told);
  all_.log.write({{"unordered",
                   {{"conflict", name},
                    {"streams", {first.stream, begun.stream}},
                    {"allocation", holds->number},
                    {"begin", bytes.begin - holds->address},
                    {"end", bytes.end - holds->address},
                    {"text", told}}}});
  return true;
}

std::size_t StreamOrder::size_of(const Operation& operation) {
  const Touched& touched = operation.touched;
  return touched.reads.size() + touched.writes.size() + touched.looks.size() + touched.signals.size();
}

void StreamOrder::keep(const Begun& begun, Operation operation) {
  const Touched& touched = operation.touched;
  if (touched == Touched{}) return;
  // Whatever comes and is not ordered with the same operation earlier in this stream is not with this one.
  std::erase_if(done_, [&](const Done& one) {
    return one.stream == begun.stream && one.operation.kind == operation.kind &&
           one.operation.touched == touched;
  });
  std::size_t ranges = size_of(operation);
  for (const Done& done : done_) ranges += size_of(done.operation);
  while (!done_.empty() && (done_.size() >= kMostDone || ranges > kMostRanges)) {
    ranges -= size_of(done_.front().operation);
    done_.erase(done_.begin());
  }
  done_.push_back({begun.stream, begun.number, all_.arena.newest(), std::move(operation)});
}

}  // namespace warplens::runtime
