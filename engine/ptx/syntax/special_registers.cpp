#include "engine/ptx/syntax/special_registers.h"

#include <array>
#include <unordered_map>
#include <utility>

namespace warplens::ptx {
namespace {

constexpr std::string_view kReservedShared = "%reserved_smem_offset_";

using Entry = std::pair<SpecialRegister, std::string_view>;
constexpr std::array kNames{
    Entry{SpecialRegister::TidX, "%tid.x"},
    Entry{SpecialRegister::TidY, "%tid.y"},
    Entry{SpecialRegister::TidZ, "%tid.z"},
    Entry{SpecialRegister::NtidX, "%ntid.x"},
    Entry{SpecialRegister::NtidY, "%ntid.y"},
    Entry{SpecialRegister::NtidZ, "%ntid.z"},
    Entry{SpecialRegister::CtaidX, "%ctaid.x"},
    Entry{SpecialRegister::CtaidY, "%ctaid.y"},
    Entry{SpecialRegister::CtaidZ, "%ctaid.z"},
    Entry{SpecialRegister::NctaidX, "%nctaid.x"},
    Entry{SpecialRegister::NctaidY, "%nctaid.y"},
    Entry{SpecialRegister::NctaidZ, "%nctaid.z"},
    Entry{SpecialRegister::LaneId, "%laneid"},
    Entry{SpecialRegister::WarpId, "%warpid"},
    Entry{SpecialRegister::NwarpId, "%nwarpid"},
    Entry{SpecialRegister::SmId, "%smid"},
    Entry{SpecialRegister::NsmId, "%nsmid"},
    Entry{SpecialRegister::GridId, "%gridid"},
    Entry{SpecialRegister::LanemaskEq, "%lanemask_eq"},
    Entry{SpecialRegister::LanemaskLe, "%lanemask_le"},
    Entry{SpecialRegister::LanemaskLt, "%lanemask_lt"},
    Entry{SpecialRegister::LanemaskGe, "%lanemask_ge"},
    Entry{SpecialRegister::LanemaskGt, "%lanemask_gt"},
    Entry{SpecialRegister::Clock, "%clock"},
    Entry{SpecialRegister::ClockHi, "%clock_hi"},
    Entry{SpecialRegister::Clock64, "%clock64"},
    Entry{SpecialRegister::GlobalTimer, "%globaltimer"},
    Entry{SpecialRegister::GlobalTimerLo, "%globaltimer_lo"},
    Entry{SpecialRegister::GlobalTimerHi, "%globaltimer_hi"},
    Entry{SpecialRegister::DynamicSmemSize, "%dynamic_smem_size"},
    Entry{SpecialRegister::TotalSmemSize, "%total_smem_size"},
    Entry{SpecialRegister::AggrSmemSize, "%aggr_smem_size"},
    Entry{SpecialRegister::IsExplicitCluster, "%is_explicit_cluster"},
    Entry{SpecialRegister::ClusterIdX, "%clusterid.x"},
    Entry{SpecialRegister::ClusterIdY, "%clusterid.y"},
    Entry{SpecialRegister::ClusterIdZ, "%clusterid.z"},
    Entry{SpecialRegister::NclusterIdX, "%nclusterid.x"},
    Entry{SpecialRegister::NclusterIdY, "%nclusterid.y"},
    Entry{SpecialRegister::NclusterIdZ, "%nclusterid.z"},
    Entry{SpecialRegister::ClusterCtaidX, "%cluster_ctaid.x"},
    Entry{SpecialRegister::ClusterCtaidY, "%cluster_ctaid.y"},
    Entry{SpecialRegister::ClusterCtaidZ, "%cluster_ctaid.z"},
    Entry{SpecialRegister::ClusterNctaidX, "%cluster_nctaid.x"},
    Entry{SpecialRegister::ClusterNctaidY, "%cluster_nctaid.y"},
    Entry{SpecialRegister::ClusterNctaidZ, "%cluster_nctaid.z"},
    Entry{SpecialRegister::ClusterCtarank, "%cluster_ctarank"},
    Entry{SpecialRegister::ClusterNctarank, "%cluster_nctarank"},
    Entry{SpecialRegister::CurrentGraphExec, "%current_graph_exec"},
    Entry{SpecialRegister::Unknown, "%reserved_smem_offset_begin"},
    Entry{SpecialRegister::Unknown, "%reserved_smem_offset_end"},
    Entry{SpecialRegister::Unknown, "%reserved_smem_offset_cap"},
};

const std::unordered_map<std::string_view, SpecialRegister>& by_name() {
  static const auto* const map = [] {
    auto* made = new std::unordered_map<std::string_view, SpecialRegister>;
    for (const auto& [which, text] : kNames) made->emplace(text, which);
    return made;
  }();
  return *map;
}

// The number behind a prefix: two digits at most, nothing after it.
std::optional<std::int64_t> numbered(std::string_view name, std::string_view prefix, std::int64_t count) {
  if (!name.starts_with(prefix)) return std::nullopt;
  const std::string_view digits = name.substr(prefix.size());
  if (digits.empty() || digits.size() > 2) return std::nullopt;
  std::int64_t n = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    n = n * 10 + (c - '0');
  }
  return n < count ? std::optional(n) : std::nullopt;
}

}  // namespace

std::optional<SpecialName> special_register(std::string_view name) {
  if (const auto found = by_name().find(name); found != by_name().end()) return SpecialName{found->second, 0};
  if (const auto n = numbered(name, "%envreg", 32)) return SpecialName{SpecialRegister::EnvReg, *n};
  if (name.ends_with("_64") && numbered(name.substr(0, name.size() - 3), "%pm", 8)) return SpecialName{};
  if (const auto n = numbered(name, "%pm", 8)) return SpecialName{SpecialRegister::Pm, *n};
  if (const auto n = numbered(name, kReservedShared, 2))
    return SpecialName{SpecialRegister::EnvReg, kReservedSharedRegister + *n};
  return std::nullopt;
}

std::string special_register_name(SpecialRegister which, std::int64_t index) {
  if (which == SpecialRegister::Unknown) return {};
  if (which == SpecialRegister::EnvReg && index >= kReservedSharedRegister)
    return std::string(kReservedShared) + std::to_string(index - kReservedSharedRegister);
  if (which == SpecialRegister::EnvReg) return "%envreg" + std::to_string(index);
  if (which == SpecialRegister::Pm) return "%pm" + std::to_string(index);
  for (const auto& [candidate, text] : kNames) {
    if (candidate == which) return std::string(text);
  }
  return {};
}

bool is_clock(SpecialRegister which) {
  switch (which) {
    case SpecialRegister::Clock:
    case SpecialRegister::ClockHi:
    case SpecialRegister::Clock64:
    case SpecialRegister::GlobalTimer:
    case SpecialRegister::GlobalTimerLo:
    case SpecialRegister::GlobalTimerHi:
    case SpecialRegister::Pm:
    case SpecialRegister::Unknown:
      return true;
    default:
      return false;
  }
}

}  // namespace warplens::ptx
