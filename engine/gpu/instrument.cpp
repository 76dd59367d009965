#include "engine/gpu/instrument.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "engine/ptx/printer.h"

namespace warplens::gpu {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;
using trace::Site;
using trace::SiteKind;
using trace::Space;

// Where a record's values come from, in the registers of the scope that `prologue` opens.
constexpr const char* kPrologue = R"(	.reg .b64 	%wl_control, %wl_block, %wl_first, %wl_count;
	.reg .b32 	%wl_warp, %wl_low, %wl_high;
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
	ld.global.v2.u64 	{%wl_first, %wl_count}, [%wl_control+16];
	sub.u64 	%wld0, %wl_block, %wl_first;
	setp.lt.u64 	%wl_on, %wld0, %wl_count;
	}
)";

// Reserves and writes one record for the lanes that execute it. {0} unique number, {1} site, {2} addresses a
// lane, {3} code that puts the detail word into %wlr7, {4} code that stores the addresses through %wld4 (this
// lane's first) and %wld5 (the distance to its second).
constexpr const char* kRecord = R"(	activemask.b32 	%wlr0;
	mov.u32 	%wlr1, %lanemask_lt;
	and.b32 	%wlr1, %wlr0, %wlr1;
	popc.b32 	%wlr2, %wlr1;
	popc.b32 	%wlr3, %wlr0;
	mul.lo.u32 	%wlr3, %wlr3, {2};
	shl.b32 	%wlr4, %wlr3, 3;
	add.u32 	%wlr4, %wlr4, 47;
	and.b32 	%wlr4, %wlr4, -16;
	cvt.u64.u32 	%wld1, %wlr4;
	brev.b32 	%wlr5, %wlr0;
	clz.b32 	%wlr5, %wlr5;
	setp.eq.u32 	%wlp0, %wlr2, 0;
	mov.u64 	%wld0, 0;
	@%wlp0 atom.global.add.u64 	%wld0, [%wl_control], %wld1;
	mov.b64 	{{%wlr8, %wlr9}}, %wld0;
	shfl.sync.idx.b32 	%wlr8, %wlr8, %wlr5, 31, %wlr0;
	shfl.sync.idx.b32 	%wlr9, %wlr9, %wlr5, 31, %wlr0;
	mov.b64 	%wld0, {{%wlr8, %wlr9}};
	ld.global.u64 	%wld2, [%wl_control+8];
	add.u64 	%wld3, %wld0, %wld1;
	setp.gt.u64 	%wlp1, %wld3, %wld2;
	@%wlp1 bra 	$wl_end_{0};
	add.u64 	%wld3, %wl_control, %wld0;
{3}	@%wlp0 st.global.v4.u32 	[%wld3+64], {{{1}, %wlr0, %wl_low, %wl_high}};
	@%wlp0 st.global.v4.u32 	[%wld3+80], {{%wl_warp, %wlr4, %wlr7, %wlr3}};
	mul.wide.u32 	%wld4, %wlr2, 8;
	add.u64 	%wld4, %wld4, %wld3;
	popc.b32 	%wlr6, %wlr0;
	mul.wide.u32 	%wld5, %wlr6, 8;
{4})";

constexpr const char* kScope =
    "\t{{\n\t.reg .pred \t%wlp<4>;\n\t.reg .b32 \t%wlr<10>;\n\t.reg .b64 \t%wld<8>;\n{}\t}}\n";

class Rewriter {
 public:
  Rewriter(const ptx::Module& module, const std::vector<Site>& sites) : module_(module) {
    for (const Site& site : sites) at_[{site.function, site.instruction}] = &site;
  }

  std::string before(const Function& function, std::uint32_t index) {
    const auto number = static_cast<std::uint32_t>(&function - module_.functions.data());
    const auto found = at_.find({number, index});
    if (found == at_.end()) return {};
    const Site& site = *found->second;
    const Instruction& instruction = function.instructions[index];
    switch (site.kind) {
      case SiteKind::Branch:
        return branch(function, instruction, site);
      case SiteKind::Barrier:
        return scoped(function, instruction, record(site, 0, constant_detail(0), ""));
      case SiteKind::Texture:
      case SiteKind::BulkCopy:
        return {};  // have no addresses of lanes
      default:
        return access(function, instruction, site);
    }
  }

 private:
  static std::string constant_detail(std::uint32_t value) {
    return fmt::format("\tmov.u32 \t%wlr7, {};\n", value);
  }

  std::string record(const Site& site, int addresses, const std::string& detail, const std::string& stores) {
    std::string text = fmt::format(fmt::runtime(kRecord), ++unique_, site.index, addresses, detail, stores);
    return text + fmt::format("$wl_end_{}:\n", unique_);
  }

  // The lanes whose guard is false and the blocks that do not record jump over the snippet.
  std::string scoped(const Function& function, const Instruction& instruction, const std::string& body) {
    const std::uint32_t skip = ++unique_;
    std::string text = fmt::format("\t@!%wl_on bra \t$wl_skip_{};\n", skip);
    if (instruction.guard.predicate != ptx::kNone)
      text += fmt::format("\t@{}{} bra \t$wl_skip_{};\n", instruction.guard.negated ? "" : "!",
                          function.registers[instruction.guard.predicate].name, skip);
    return fmt::format(fmt::runtime(kScope), text + body + fmt::format("$wl_skip_{}:\n", skip));
  }

  std::string branch(const Function& function, const Instruction& instruction, const Site& site) {
    // All lanes that arrive are recorded, whatever their guard: who jumps is the record's detail.
    std::string detail = "\tmov.u32 \t%wlr7, %wlr0;\n";
    if (instruction.guard.predicate != ptx::kNone)
      detail =
          fmt::format("\tvote.sync.ballot.b32 \t%wlr7, {}{}, %wlr0;\n", instruction.guard.negated ? "!" : "",
                      function.registers[instruction.guard.predicate].name);
    Instruction unguarded = instruction;
    unguarded.guard = {};
    return scoped(function, unguarded, record(site, 0, detail, ""));
  }

  // Code that puts the address of an operand into %wld6, in the operand's own space; nullopt for operands
  // whose base this rewrite does not know.
  std::optional<std::string> address_into(const Function& function, const Operand& operand) {
    if (!operand.symbol.empty())
      return fmt::format("\tmov.u64 \t%wld6, {};\n\tadd.s64 \t%wld6, %wld6, {};\n", operand.symbol,
                         operand.value);
    if (operand.reg == ptx::kNone) return fmt::format("\tmov.u64 \t%wld6, {};\n", operand.value);
    const ptx::Register& base = function.registers[operand.reg];
    const bool wide = ptx::size_of(base.type) == 8;
    return fmt::format("\t{} \t%wld6, {};\n\tadd.s64 \t%wld6, %wld6, {};\n", wide ? "mov.b64" : "cvt.u64.u32",
                       base.name, operand.value);
  }

  std::string access(const Function& function, const Instruction& instruction, const Site& site) {
    std::vector<std::string> addresses;
    for (const Operand& operand : instruction.operands) {
      if (operand.kind != OperandKind::Address) continue;
      if (auto code = address_into(function, operand)) addresses.push_back(std::move(*code));
    }
    if (addresses.empty()) return {};
    if (site.kind == SiteKind::AsyncCopy && addresses.size() >= 2) {
      const std::string stores = addresses[1] + "\tst.global.u64 \t[%wld4+96], %wld6;\n" + addresses[0] +
                                 "\tadd.u64 \t%wld4, %wld4, %wld5;\n\tst.global.u64 \t[%wld4+96], %wld6;\n";
      return scoped(function, instruction, record(site, 2, detail_of(Space::Global), stores));
    }
    if (site.space == Space::Generic) return generic(function, instruction, site, addresses[0]);
    const std::string stores = addresses[0] + "\tst.global.u64 \t[%wld4+96], %wld6;\n";
    return scoped(function, instruction, record(site, 1, detail_of(site.space), stores));
  }

  static std::string detail_of(Space space) { return constant_detail(static_cast<std::uint32_t>(space)); }

  // One record a space: only the run tells where a generic address points.
  std::string generic(const Function& function, const Instruction& instruction, const Site& site,
                      const std::string& address) {
    std::string body = address + "\tisspacep.shared \t%wlp2, %wld6;\n\tisspacep.local \t%wlp3, %wld6;\n";
    struct Case {
      Space space;
      const char* skip;     // lanes that do not belong
      const char* convert;  // address in the space itself
    };
    const Case cases[] = {{Space::Shared, "@!%wlp2", "\tcvta.to.shared.u64 \t%wld7, %wld6;\n"},
                          {Space::Local, "@!%wlp3", "\tcvta.to.local.u64 \t%wld7, %wld6;\n"},
                          {Space::Global, nullptr, "\tmov.u64 \t%wld7, %wld6;\n"}};
    for (const Case& c : cases) {
      const std::uint32_t next = ++unique_;
      const std::string skip =
          c.skip != nullptr
              ? fmt::format("\t{} bra \t$wl_case_{};\n", c.skip, next)
              : fmt::format("\t@%wlp2 bra \t$wl_case_{0};\n\t@%wlp3 bra \t$wl_case_{0};\n", next);
      const std::string stores = std::string(c.convert) + "\tst.global.u64 \t[%wld4+96], %wld7;\n";
      body += skip + record(site, 1, detail_of(c.space), stores) + fmt::format("$wl_case_{}:\n", next);
    }
    return scoped(function, instruction, body);
  }

  const ptx::Module& module_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, const Site*> at_;
  std::uint32_t unique_ = 0;
};

}  // namespace

Result<Instrumented> instrument(const ptx::Module& module, const std::string& entry) {
  const auto function = module.find_entry(entry);
  if (!function) return function.error();
  Instrumented out;
  out.sites = trace::collect_sites(module, **function);

  // The recorder's variable must be declared in front of every function.
  ptx::Module with_control = module;
  ptx::Variable control;
  control.name = kControlVariable;
  control.space = ptx::StateSpace::Global;
  control.type = ptx::Type::U64;
  control.alignment = 8;
  control.is_visible = true;
  with_control.variables.insert(with_control.variables.begin(), std::move(control));

  Rewriter rewriter(with_control, out.sites);
  ptx::PrintOptions options;
  options.source_lines = false;
  options.prologue = [](const Function&) { return std::string(kPrologue); };
  options.before = [&](const Function& f, std::uint32_t index) { return rewriter.before(f, index); };
  out.ptx = ptx::print(with_control, options);
  return out;
}

}  // namespace warplens::gpu
