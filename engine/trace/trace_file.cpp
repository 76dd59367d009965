// The trace file: "WARPTRC" and a version byte, then everything of a Trace in the order of Trace::save.
// Little-endian; a list is its length as 64 bits and then its elements; a text is a list of bytes.
// Nothing that is read is trusted: every length is checked against what is left of the file before memory is
// taken for it, and every index before the trace is handed out.

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <optional>
#include <type_traits>

#include "engine/base/message.h"
#include "engine/base/temporary_file.h"
#include "engine/trace/argument_error.h"
#include "engine/trace/step_codec.h"
#include "engine/trace/trace.h"

namespace warplens::trace {
namespace {

static_assert(std::endian::native == std::endian::little, "trace files are little-endian");
static_assert(std::is_trivially_copyable_v<StepForm>);
static_assert(std::has_unique_object_representations_v<StepForm>, "no byte of a file by chance");

constexpr std::array<char, 8> kMagic{'W', 'A', 'R', 'P', 'T', 'R', 'C', '\4'};
constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 20;

class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) {}
  void raw(const void* data, std::size_t bytes) {
    out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  }
  template <typename T>
  void value(T v) {
    static_assert(std::is_arithmetic_v<T>);
    raw(&v, sizeof v);
  }
  template <typename E>
  void named(E e) {
    value(static_cast<std::uint8_t>(e));
  }
  void text(const std::string& s) {
    value<std::uint64_t>(s.size());
    raw(s.data(), s.size());
  }
  void dim(Dim3 d) { value(d.x), value(d.y), value(d.z); }

 private:
  std::ostream& out_;
};

// Reads fail softly: after the first failure everything reads as zero and `failed` says so.
class Reader {
 public:
  Reader(std::istream& in, std::uint64_t bytes) : in_(in), left_(bytes) {}
  bool failed() const { return failed_; }
  std::uint64_t left() const { return left_; }
  void fail() { failed_ = true; }

  void raw(void* data, std::uint64_t bytes) {
    if (failed_ || bytes > left_ ||
        !in_.read(static_cast<char*>(data), static_cast<std::streamsize>(bytes))) {
      failed_ = true;
      std::memset(data, 0, bytes);
      return;
    }
    left_ -= bytes;
  }
  template <typename T>
  T value() {
    T v{};
    raw(&v, sizeof v);
    return v;
  }
  // An enumerator no greater than `last`.
  template <typename E>
  E named(E last) {
    const auto v = value<std::uint8_t>();
    if (v > static_cast<std::uint8_t>(last)) failed_ = true;
    return failed_ ? E{} : static_cast<E>(v);
  }
  bool flag() { return value<std::uint8_t>() != 0; }
  // A length whose elements take at least `element_bytes` each, so that it cannot exceed the file.
  std::uint64_t length(std::uint64_t element_bytes) {
    const auto n = value<std::uint64_t>();
    if (n > left_ / element_bytes) failed_ = true;
    return failed_ ? 0 : n;
  }
  std::string text() {
    const std::uint64_t n = length(1);
    if (n > kMostTextBytes) failed_ = true;
    std::string s(failed_ ? 0 : n, '\0');
    raw(s.data(), s.size());
    return s;
  }
  Dim3 dim() {
    Dim3 d;
    d.x = value<std::uint32_t>();
    d.y = value<std::uint32_t>();
    d.z = value<std::uint32_t>();
    return d;
  }

 private:
  std::istream& in_;
  std::uint64_t left_;
  bool failed_ = false;
};

void write(Writer& w, const Argument& a) {
  w.value<std::uint8_t>(a.is_buffer ? 1 : 0);
  w.named(a.type);
  w.value(a.count);
  w.named(a.init);
  w.value(a.parameter);
  w.value(a.integer);
  w.text(a.path);
  w.value(a.bits);
  w.text(a.text);
}

Argument read_argument(Reader& r) {
  Argument a;
  a.is_buffer = r.flag();
  a.type = r.named(ElementType::F64);
  a.count = r.value<std::uint64_t>();
  a.init = r.named(Init::File);
  a.parameter = r.value<double>();
  a.integer = r.value<std::int64_t>();
  a.path = r.text();
  a.bits = r.value<std::uint64_t>();
  a.text = r.text();
  // A texture's shape and a structure's members are in the text alone.
  if (a.text.starts_with("tex:") || a.text.starts_with("surf:") || a.text.starts_with("struct:")) {
    auto parsed = parse_argument(a.text);
    if (parsed) {
      a.texture = parsed->texture;
      a.structure = std::move(parsed->structure);
    } else {
      r.fail();
    }
  }
  if (a.count > kMostElements) r.fail();
  return a;
}

void write(Writer& w, const Launch& launch) {
  w.text(launch.kernel);
  w.dim(launch.grid);
  w.dim(launch.block);
  w.value(launch.dynamic_shared_bytes);
  w.value<std::uint64_t>(launch.arguments.size());
  for (const Argument& argument : launch.arguments) write(w, argument);
}

Launch read_launch(Reader& r) {
  Launch launch;
  launch.kernel = r.text();
  launch.grid = r.dim();
  launch.block = r.dim();
  launch.dynamic_shared_bytes = r.value<std::uint32_t>();
  const std::uint64_t count = r.length(50);
  for (std::uint64_t i = 0; i < count && !r.failed(); ++i) launch.arguments.push_back(read_argument(r));
  return launch;
}

void write(Writer& w, const Site& site) {
  w.value(site.index);
  w.value(site.function);
  w.value(site.instruction);
  w.named(site.kind);
  w.named(site.space);
  w.text(site.op);
  w.value<std::int32_t>(site.bytes);
  w.named(site.type);
  w.text(site.file);
  w.value<std::int32_t>(site.line);
  w.value<std::int32_t>(site.column);
  w.value<std::int32_t>(site.ptx_line);
  w.text(site.text);
  w.named(site.known);
  w.value(site.leader);
  w.value<std::int32_t>(site.executed_bytes);
  w.value(site.executed_offset);
  w.value<std::uint8_t>(site.reduction ? 1 : 0);
  w.named(site.atomic_form);
  w.value<std::uint8_t>(site.leaves ? 1 : 0);
  w.value<std::uint8_t>(site.floating_shared_atomic ? 1 : 0);
  w.value<std::uint8_t>(site.in_registers ? 1 : 0);
}

Site read_site(Reader& r) {
  Site site;
  site.index = r.value<SiteId>();
  site.function = r.value<std::uint32_t>();
  site.instruction = r.value<std::uint32_t>();
  site.kind = r.named(SiteKind::Barrier);
  site.space = r.named(Space::None);
  site.op = r.text();
  site.bytes = r.value<std::int32_t>();
  site.type = r.named(ptx::Type::SurfRef);
  site.file = r.text();
  site.line = r.value<std::int32_t>();
  site.column = r.value<std::int32_t>();
  site.ptx_line = r.value<std::int32_t>();
  site.text = r.text();
  site.known = r.named(Known::MachineCode);
  site.leader = r.value<SiteId>();
  site.executed_bytes = r.value<std::int32_t>();
  site.executed_offset = r.value<std::int64_t>();
  site.reduction = r.flag();
  site.atomic_form = r.named(ptx::AtomicForm::CountLanes);
  site.leaves = r.flag();
  site.floating_shared_atomic = r.flag();
  site.in_registers = r.flag();
  const auto sane = [](int v, int most) { return v >= 0 && v <= most; };
  constexpr int kMostLines = 1 << 30;
  if (!sane(site.bytes, 255) || !sane(site.executed_bytes, 255) || !sane(site.line, kMostLines) ||
      !sane(site.column, kMostLines) || !sane(site.ptx_line, kMostLines))
    r.fail();
  return site;
}

void write(Writer& w, const BufferPlacement& buffer) {
  w.value(buffer.argument);
  w.text(buffer.name);
  w.value(buffer.base);
  w.value(buffer.bytes);
  w.named(buffer.type);
}

BufferPlacement read_buffer(Reader& r) {
  BufferPlacement buffer;
  buffer.argument = r.value<std::uint32_t>();
  buffer.name = r.text();
  buffer.base = r.value<std::uint64_t>();
  buffer.bytes = r.value<std::uint64_t>();
  buffer.type = r.named(ElementType::F64);
  if (buffer.base + buffer.bytes < buffer.base) r.fail();
  return buffer;
}

constexpr std::uint64_t kChunk = std::uint64_t{1} << 16;  // elements between looks at the progress

Error cancelled() {
  return told(ErrorKind::Cancelled, {"file.trace.stopped", {}});
}

template <typename T>
void write_many(Writer& w, const std::vector<T>& list) {
  w.value<std::uint64_t>(list.size());
  w.raw(list.data(), list.size() * sizeof(T));
}

// Fills `out` with `count` elements straight from the file, reporting from `begin` to `end` of the progress.
template <typename T>
bool read_many(Reader& r, std::vector<T>& out, Progress* progress, double begin, double end) {
  const std::uint64_t count = r.length(sizeof(T));
  out.resize(count);
  for (std::uint64_t done = 0; done < count && !r.failed(); done += kChunk) {
    if (progress != nullptr) {
      if (progress->cancelled()) return false;
      progress->report(begin + (end - begin) * static_cast<double>(done) / static_cast<double>(count));
    }
    r.raw(out.data() + done, std::min(kChunk, count - done) * sizeof(T));
  }
  return true;
}

// What is wrong with it: the end of a key below file.trace; null: nothing.
const char* fault_of(const StepForm& form, const std::vector<Site>& sites) {
  if (form.kind > StepKind::Mask || form.lanes_in_pool > 1 || form.fixed > 1) return "step_kind";
  if (form.kind != StepKind::Mask && form.site != kNoSite && form.site >= sites.size()) return "step_site";
  if (form.kind == StepKind::Barrier && form.detail > static_cast<std::uint8_t>(Barrier::Phase::WarpSync))
    return "barrier_phase";
  return nullptr;
}

const char* fault_of(const std::vector<BlockSteps>& blocks, std::size_t steps) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i].first != next || blocks[i].last < next || blocks[i].last > steps) return "block_steps";
    if (i > 0 && blocks[i].block <= blocks[i - 1].block) return "block_order";
    next = blocks[i].last;
  }
  return next == steps ? nullptr : "steps_without_block";
}

}  // namespace

Status Trace::save(const std::filesystem::path& file) const {
  TemporaryFile part(file);
  std::ofstream out(part.path(), std::ios::binary | std::ios::trunc);
  Writer w(out);
  w.raw(kMagic.data(), kMagic.size());
  write(w, launch);
  w.text(std::string(name(backend)));
  w.value(blocks_total);
  w.value<std::uint8_t>(truncated_ ? 1 : 0);
  w.value<std::uint64_t>(sites.size());
  for (const Site& site : sites) write(w, site);
  w.value<std::uint64_t>(buffers.size());
  for (const BufferPlacement& buffer : buffers) write(w, buffer);
  w.value<std::uint64_t>(blocks_.size());
  for (const BlockSteps& block : blocks_) {
    w.value(block.block);
    w.value<std::uint64_t>(block.first);
    w.value<std::uint64_t>(block.last);
  }
  write_many(w, store_.forms);
  write_many(w, store_.pool);
  write_many(w, store_.heads());
  write_many(w, store_.values());
  out.close();
  if (out && !part.take_its_place()) return Done{};
  return told(ErrorKind::System, {"file.not_written", {}}, {file.string()});
}

Result<Trace> Trace::load(const std::filesystem::path& file, Progress* progress) {
  std::error_code failed;
  // Of a pipe there is no size, and opening it would wait.
  const std::uint64_t bytes = std::filesystem::file_size(file, failed);
  std::ifstream in;
  if (!failed) in.open(file, std::ios::binary);
  if (failed || !in) return told(ErrorKind::Usage, {"file.not_readable", {}}, {file.string()});
  return load(in, bytes, file.string(), progress);
}

Result<Trace> Trace::load(std::istream& in, std::uint64_t bytes, const std::string& name,
                          Progress* progress) {
  const auto bad = [&](const char* key, std::vector<std::pair<std::string, MessageValue>> values = {}) {
    const Message what{std::string("file.trace.") + key, std::move(values)};
    return told(ErrorKind::Usage, {"file.trace.wrong", {{"what", value_of(what)}}}, {name});
  };
  Reader r(in, bytes);
  std::array<char, 8> magic{};
  r.raw(magic.data(), magic.size());
  if (r.failed() || !std::equal(magic.begin(), magic.end() - 1, kMagic.begin())) return bad("no_trace");
  if (magic.back() != kMagic.back())
    return bad("other_version", {{"version", value_of(static_cast<int>(magic.back()))},
                                 {"ours", value_of(static_cast<int>(kMagic.back()))}});
  Trace trace;
  try {
    trace.launch = read_launch(r);
    const std::string ran_on = r.text();
    const std::optional<Backend> backend = backend_named(ran_on);
    if (!r.failed() && !backend) return bad("no_back_end", {{"name", value_of(ran_on)}});
    if (backend) trace.backend = *backend;
    trace.blocks_total = r.value<std::uint64_t>();
    trace.truncated_ = r.flag();
    for (std::uint64_t n = r.length(70); n > 0 && !r.failed(); --n) trace.sites.push_back(read_site(r));
    for (std::uint64_t n = r.length(29); n > 0 && !r.failed(); --n) trace.buffers.push_back(read_buffer(r));
    for (std::uint64_t n = r.length(24); n > 0 && !r.failed(); --n) {
      BlockSteps& block = trace.blocks_.emplace_back();
      block.block = r.value<std::uint64_t>();
      block.first = r.value<std::uint64_t>();
      block.last = r.value<std::uint64_t>();
    }
    StepStore& store = trace.store_;
    if (!read_many(r, store.forms, progress, 0.0, 0.1)) return cancelled();
    if (!read_many(r, store.pool, progress, 0.1, 0.4)) return cancelled();
    std::vector<std::uint32_t> heads, values;
    if (!read_many(r, heads, progress, 0.4, 0.6)) return cancelled();
    if (!read_many(r, values, progress, 0.6, 0.8)) return cancelled();
    if (!r.failed() && !store.assign(std::move(heads), std::move(values))) return bad("steps");
  } catch (const std::bad_alloc&) {
    return told(ErrorKind::System, {"file.trace.memory", {}}, {name});
  }
  if (r.failed()) return bad("cut_off");
  if (r.left() != 0) return bad("goes_on");
  for (const Site& site : trace.sites)
    if (site.leader != kNoSite && site.leader >= trace.sites.size()) return bad("no_site");
  for (const BufferPlacement& buffer : trace.buffers)
    if (buffer.argument >= trace.launch.arguments.size()) return bad("no_argument");
  if (const char* fault = fault_of(trace.blocks_, trace.size())) return bad(fault);
  for (const StepForm& form : trace.store_.forms)
    if (const char* fault = fault_of(form, trace.sites)) return bad(fault);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (!is_sound(trace.store_, i)) return bad("step_addresses");
    if (progress == nullptr || i % kChunk != 0) continue;
    if (progress->cancelled()) return cancelled();
    progress->report(0.8 + 0.2 * static_cast<double>(i) / static_cast<double>(trace.size()));
  }
  if (progress != nullptr) progress->report(1.0);
  return trace;
}

}  // namespace warplens::trace
