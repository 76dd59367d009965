#include "engine/gpu/instrument_records.h"

#include <fmt/format.h>

#include <vector>

#include "engine/gpu/fragment_code.h"

namespace warplens::gpu {
namespace {

// Where a record's values come from, in the registers of the scope that `prologue` opens.
constexpr const char* kPrologue =
    R"(	.reg .b64 	%wl_control, %wl_block, %wl_first, %wl_count, %wl_cursor;
	.reg .b32 	%wl_warp, %wl_low, %wl_high, %wl_left, %wl_chunk, %wl_lower;
	.reg .pred 	%wl_on;
	{
	.reg .b32 	%wlr<10>;
	.reg .b64 	%wld<6>;
	ld.global.u64 	%wl_control, [warplens_control];
	mov.u32 	%wlr0, %ctaid.x;
	mov.u32 	%wlr1, %ctaid.y;
	mov.u32 	%wlr2, %ctaid.z;
	mov.u32 	%wlr3, %nctaid.x;
	mov.u32 	%wlr4, %nctaid.y;
	cvt.u64.u32 	%wld0, %wlr1;
	cvt.u64.u32 	%wld1, %wlr4;
	cvt.u64.u32 	%wld2, %wlr2;
	mad.lo.u64 	%wld0, %wld1, %wld2, %wld0;
	cvt.u64.u32 	%wld1, %wlr3;
	cvt.u64.u32 	%wld2, %wlr0;
	mad.lo.u64 	%wl_block, %wld0, %wld1, %wld2;
	mov.b64 	{%wl_low, %wl_high}, %wl_block;
	mov.u32 	%wlr0, %tid.x;
	mov.u32 	%wlr1, %tid.y;
	mov.u32 	%wlr2, %tid.z;
	mov.u32 	%wlr3, %ntid.x;
	mov.u32 	%wlr4, %ntid.y;
	mad.lo.u32 	%wlr1, %wlr4, %wlr2, %wlr1;
	mad.lo.u32 	%wlr0, %wlr3, %wlr1, %wlr0;
	shr.u32 	%wl_warp, %wlr0, 5;
	shl.b32 	%wl_warp, %wl_warp, 16;
	mov.u32 	%wl_lower, %lanemask_lt;
	mov.u64 	%wl_cursor, 0;
	mov.u32 	%wl_left, 0;
	ld.global.v2.u64 	{%wl_first, %wl_count}, [%wl_control+16];
	sub.u64 	%wld0, %wl_block, %wl_first;
	setp.lt.u64 	%wl_on, %wld0, %wl_count;
	}
)";

// The bytes of a chunk: in a function that is called a lane takes no more than it needs, because it forgets
// its chunk when it returns.
constexpr const char* kChunkOfKernel = "\tld.global.u32 \t%wl_chunk, [%wl_control+32];\n";
constexpr const char* kChunkOfFunction = "\tmov.u32 \t%wl_chunk, 0;\n";

// Takes and writes one record for the lanes that execute it. {0} unique number, {1} site, {2} addresses a
// lane, {3} code that puts the detail word into %wlr7, {4} code that stores the addresses through %wld4 (this
// lane's first) and %wld5 (the distance to its second).
constexpr const char* kRecord = R"(	activemask.b32 	%wlr0;
	and.b32 	%wlr1, %wlr0, %wl_lower;
	popc.b32 	%wlr2, %wlr1;
	popc.b32 	%wlr3, %wlr0;
	mul.lo.u32 	%wlr3, %wlr3, {2};
	shl.b32 	%wlr4, %wlr3, 3;
	add.u32 	%wlr4, %wlr4, 47;
	and.b32 	%wlr4, %wlr4, -16;
	brev.b32 	%wlr5, %wlr0;
	clz.b32 	%wlr5, %wlr5;
	setp.eq.u32 	%wlp0, %wlr2, 0;
	setp.lt.and.u32 	%wlp4, %wl_left, %wlr4, %wlp0;
	@!%wlp4 bra 	$wl_room_{0};
	add.u32 	%wlr6, %wlr4, 16;
	max.u32 	%wlr6, %wlr6, %wl_chunk;
	cvt.u64.u32 	%wld1, %wlr6;
	atom.global.add.u64 	%wld0, [%wl_control], %wld1;
	ld.global.u64 	%wld2, [%wl_control+8];
	add.u64 	%wld3, %wld0, %wld1;
	setp.le.u64 	%wlp5, %wld3, %wld2;
	mov.u32 	%wl_left, 0;
	add.u64 	%wld3, %wl_control, %wld0;
	@%wlp5 st.global.u32 	[%wld3+64], %wlr6;
	@%wlp5 sub.u32 	%wl_left, %wlr6, 16;
	add.u64 	%wl_cursor, %wld3, 16;
$wl_room_{0}:
	setp.ge.u32 	%wlp4, %wl_left, %wlr4;
	selp.b64 	%wld0, %wl_cursor, 0, %wlp4;
	and.pred 	%wlp5, %wlp4, %wlp0;
	cvt.u64.u32 	%wld1, %wlr4;
	@%wlp5 add.u64 	%wl_cursor, %wl_cursor, %wld1;
	@%wlp5 sub.u32 	%wl_left, %wl_left, %wlr4;
	mov.b64 	{{%wlr8, %wlr9}}, %wld0;
	shfl.sync.idx.b32 	%wlr8, %wlr8, %wlr5, 31, %wlr0;
	shfl.sync.idx.b32 	%wlr9, %wlr9, %wlr5, 31, %wlr0;
	mov.b64 	%wld3, {{%wlr8, %wlr9}};
	setp.eq.u64 	%wlp1, %wld3, 0;
	@%wlp1 bra 	$wl_end_{0};
	mov.u64 	%wld0, %clock64;
	mov.b64 	{{%wlr8, %wlr9}}, %wld0;
	or.b32 	%wlr6, %wlr3, %wl_warp;
{3}	@%wlp0 st.global.v4.u32 	[%wld3+64], {{{1}, %wlr0, %wlr8, %wlr9}};
	@%wlp0 st.global.v4.u32 	[%wld3+80], {{%wl_low, %wl_high, %wlr7, %wlr6}};
	mul.wide.u32 	%wld4, %wlr2, 8;
	add.u64 	%wld4, %wld4, %wld3;
	popc.b32 	%wlr6, %wlr0;
	mul.wide.u32 	%wld5, %wlr6, 8;
{4})";

std::string constant_detail(std::uint32_t value) {
  return fmt::format("\tmov.u32 \t%wlr7, {};\n", value);
}

std::string detail_of(Space space) {
  return constant_detail(static_cast<std::uint32_t>(space));
}

}  // namespace

std::string RecordWriter::prologue(bool is_entry) {
  return std::string(kPrologue) + (is_entry ? kChunkOfKernel : kChunkOfFunction);
}

std::string RecordWriter::before(const Function& function, const Instruction& instruction, const Site& site) {
  switch (site.kind) {
    case SiteKind::Branch:
      return branch(function, instruction, site);
    case SiteKind::Barrier:
      return guarded(function, instruction.guard, record(site, 0, constant_detail(0), ""));
    case SiteKind::Texture:
    case SiteKind::BulkCopy:
      return {};  // have no addresses of lanes
    default:
      return access(function, instruction, site);
  }
}

std::string RecordWriter::record(const Site& site, int addresses, const std::string& detail,
                                 const std::string& stores) {
  const std::uint32_t number = labels_.next();
  return fmt::format(fmt::runtime(kRecord), number, site.index, addresses, detail, stores) +
         fmt::format("$wl_end_{}:\n", number);
}

// The lanes whose guard is false and the blocks that do not record jump over the snippet.
std::string RecordWriter::guarded(const Function& function, const ptx::Guard& guard,
                                  const std::string& body) {
  const std::uint32_t skip = labels_.next();
  return scoped(function, guard, skip, fmt::format("\t@!%wl_on bra \t$wl_skip_{};\n", skip), body);
}

std::string RecordWriter::branch(const Function& function, const Instruction& instruction, const Site& site) {
  // All lanes that arrive are recorded, whatever their guard: who jumps is the record's detail.
  std::string detail = "\tmov.u32 \t%wlr7, %wlr0;\n";
  if (instruction.guard.predicate != ptx::kNone)
    detail =
        fmt::format("\tvote.sync.ballot.b32 \t%wlr7, {}{}, %wlr0;\n", instruction.guard.negated ? "!" : "",
                    function.registers[instruction.guard.predicate].name);
  return guarded(function, {}, record(site, 0, detail, ""));
}

std::string RecordWriter::access(const Function& function, const Instruction& instruction, const Site& site) {
  if (const auto fragment = fragment_of(site)) {
    std::string body;
    for (int i = 0; i < fragment->accesses(); ++i)
      body += one_space_each(site, fragment_address(function, instruction, *fragment, i));
    return guarded(function, instruction.guard, body);
  }
  std::vector<std::string> addresses;
  for (const Operand& operand : instruction.operands)
    if (operand.kind == OperandKind::Address) addresses.push_back(address_into(function, operand));
  if (addresses.empty()) return {};
  if (site.kind == SiteKind::AsyncCopy && addresses.size() >= 2) {
    const std::string stores = addresses[1] + "\tst.global.u64 \t[%wld4+96], %wld6;\n" + addresses[0] +
                               drop_rank("%wld6") +
                               "\tadd.u64 \t%wld4, %wld4, %wld5;\n\tst.global.u64 \t[%wld4+96], %wld6;\n";
    return guarded(function, instruction.guard, record(site, 2, detail_of(Space::Global), stores));
  }
  if (clusters_ && in_cluster_window(module_, site)) {
    const std::uint32_t far = labels_.next();
    const std::string own = addresses[0] + skip_other_blocks(far);
    return guarded(function, instruction.guard, own + one_space_each(site, "") + far_label(far));
  }
  return guarded(function, instruction.guard, one_space_each(site, addresses[0]));
}

// A record of the addresses that `address` puts into %wld6, or one for each space that they may lie in.
std::string RecordWriter::one_space_each(const Site& site, const std::string& address) {
  if (site.space == Space::Generic) return generic(site, address);
  std::string store = "\tst.global.u64 \t[%wld4+96], %wld6;\n";
  if (site.space == Space::Shared) store = drop_rank("%wld6") + store;
  return record(site, 1, detail_of(site.space), address + store);
}

// One record a space: only the run tells where a generic address points, and whose shared memory that is.
std::string RecordWriter::generic(const Site& site, const std::string& address) {
  const std::uint32_t far = labels_.next();
  std::string body = address + sort_generic(clusters_, far);
  struct Case {
    Space space;
    const char* skip;     // lanes that do not belong
    std::string convert;  // address in the space itself
  };
  const Case cases[] = {
      {Space::Shared, "@!%wlp2", "\tcvta.to.shared.u64 \t%wld7, %wld6;\n" + drop_rank("%wld7")},
      {Space::Local, "@!%wlp3", "\tcvta.to.local.u64 \t%wld7, %wld6;\n"},
      {Space::Global, nullptr, "\tmov.u64 \t%wld7, %wld6;\n"}};
  for (const Case& c : cases) {
    const std::uint32_t next = labels_.next();
    const std::string skip =
        c.skip != nullptr ? fmt::format("\t{} bra \t$wl_case_{};\n", c.skip, next)
                          : fmt::format("\t@%wlp2 bra \t$wl_case_{0};\n\t@%wlp3 bra \t$wl_case_{0};\n", next);
    const std::string stores = c.convert + "\tst.global.u64 \t[%wld4+96], %wld7;\n";
    body += skip + record(site, 1, detail_of(c.space), stores) + fmt::format("$wl_case_{}:\n", next);
  }
  return clusters_ ? body + far_label(far) : body;
}

}  // namespace warplens::gpu
