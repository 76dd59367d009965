#include "engine/analysis/model_constants.h"

#include <toml++/toml.h>

#include <array>
#include <utility>

#include "engine/base/assets.h"
#include "engine/base/message.h"
#include "engine/base/toml.h"

namespace warplens::analysis {
namespace {

using Field = std::pair<const char*, double ModelConstants::*>;
constexpr std::array kFields{
    Field{"l2_usable", &ModelConstants::l2_usable},
    Field{"l2_part_share", &ModelConstants::l2_part_share},
    Field{"dram_row_bytes", &ModelConstants::dram_row_bytes},
    Field{"sms_a_group", &ModelConstants::sms_a_group},
    Field{"sm_groups", &ModelConstants::sm_groups},
    Field{"first_sms", &ModelConstants::first_sms},
    Field{"combined_lines", &ModelConstants::combined_lines},
    Field{"code_bytes", &ModelConstants::code_bytes},
    Field{"launch_us", &ModelConstants::launch_us},
    Field{"sharpness", &ModelConstants::sharpness},
    Field{"start_cycles", &ModelConstants::start_cycles},
    Field{"start_sms", &ModelConstants::start_sms},
    Field{"block_cycles", &ModelConstants::block_cycles},
    Field{"warp_cycles", &ModelConstants::warp_cycles},
    Field{"fill_cycles", &ModelConstants::fill_cycles},
    Field{"turnover_cycles", &ModelConstants::turnover_cycles},
    Field{"branch_cycles", &ModelConstants::branch_cycles},
    Field{"result_cycles", &ModelConstants::result_cycles},
    Field{"request_cycles", &ModelConstants::request_cycles},
    Field{"queue_entries", &ModelConstants::queue_entries},
    Field{"special_entries", &ModelConstants::special_entries},
    Field{"aside_entries", &ModelConstants::aside_entries},
    Field{"special_hold", &ModelConstants::special_hold},
    Field{"load_entries", &ModelConstants::load_entries},
    Field{"pair_drain_each", &ModelConstants::pair_drain_each},
    Field{"pair_drain_most", &ModelConstants::pair_drain_most},
    Field{"load_queue", &ModelConstants::load_queue},
    Field{"store_queue", &ModelConstants::store_queue},
    Field{"store_buffer", &ModelConstants::store_buffer},
    Field{"store_entries", &ModelConstants::store_entries},
    Field{"fence_cycles", &ModelConstants::fence_cycles},
    Field{"fence_turn", &ModelConstants::fence_turn},
    Field{"guard_cycles", &ModelConstants::guard_cycles},
    Field{"far_cycles", &ModelConstants::far_cycles},
    Field{"cold_cycles", &ModelConstants::cold_cycles},
    Field{"cold_nearest", &ModelConstants::cold_nearest},
    Field{"full_cycles", &ModelConstants::full_cycles},
    Field{"instruction_miss", &ModelConstants::instruction_miss},
    Field{"instruction_filling", &ModelConstants::instruction_filling},
    Field{"instruction_second", &ModelConstants::instruction_second},
    Field{"instruction_alone", &ModelConstants::instruction_alone},
    Field{"instruction_jump", &ModelConstants::instruction_jump},
    Field{"instruction_kept_bytes", &ModelConstants::instruction_kept_bytes},
    Field{"instruction_cache_bytes", &ModelConstants::instruction_cache_bytes},
    Field{"instruction_near", &ModelConstants::instruction_near},
    Field{"instruction_far", &ModelConstants::instruction_far},
    Field{"instruction_cold", &ModelConstants::instruction_cold},
    Field{"constant_miss", &ModelConstants::constant_miss},
    Field{"constant_turn", &ModelConstants::constant_turn},
    Field{"parameter_wait", &ModelConstants::parameter_wait},
    Field{"parameter_turn", &ModelConstants::parameter_turn},
    Field{"queued_pause", &ModelConstants::queued_pause},
    Field{"constant_load_miss", &ModelConstants::constant_load_miss},
    Field{"named_dram", &ModelConstants::named_dram},
    Field{"table_line", &ModelConstants::table_line},
    Field{"table_l2", &ModelConstants::table_l2},
    Field{"table_dram", &ModelConstants::table_dram},
    Field{"dram_read_wait", &ModelConstants::dram_read_wait},
    Field{"dram_write_wait", &ModelConstants::dram_write_wait},
    Field{"dram_share", &ModelConstants::dram_share},
    Field{"dram_spare", &ModelConstants::dram_spare},
    Field{"dirty_share", &ModelConstants::dirty_share},
    Field{"dirty_l2", &ModelConstants::dirty_l2},
    Field{"l2_bytes_a_clock", &ModelConstants::l2_bytes_a_clock},
    Field{"l2_share", &ModelConstants::l2_share},
    Field{"l2_store_share", &ModelConstants::l2_store_share},
    Field{"l2_slices", &ModelConstants::l2_slices},
    Field{"slice_lines", &ModelConstants::slice_lines},
    Field{"atomic_cycles", &ModelConstants::atomic_cycles},
    Field{"address_cycles", &ModelConstants::address_cycles},
    Field{"float_cycles", &ModelConstants::float_cycles},
    Field{"store_cycles", &ModelConstants::store_cycles},
    Field{"stored_line", &ModelConstants::stored_line},
    Field{"stored_sector", &ModelConstants::stored_sector},
    Field{"stored_part", &ModelConstants::stored_part},
};

Status read(const toml::table& table, const std::string& file, ModelConstants& out) {
  for (const auto& [name, member] : kFields) {
    const std::optional<double> value = table[name].value<double>();
    if (!value || !(*value >= 0))
      return told(ErrorKind::Usage, {"toml.models.range", {{"key", value_of(name)}}}, {file});
    out.*member = *value;
  }
  return Done{};
}

}  // namespace

Result<ModelConstants> ModelConstants::load(std::string_view capability) {
  return load(capability, assets_folder() / "devices" / "models.toml");
}

// The first table is of the GPU that was measured best; it stands for capabilities without one.
Result<ModelConstants> ModelConstants::load(std::string_view capability, const std::filesystem::path& file) {
  const Result<std::string> text = read_text(file);
  if (!text) return text.error();
  const Result<toml::table> root = parse_toml(*text, file.string());
  if (!root) return root.error();
  const toml::array* list = (*root)["model"].as_array();
  const toml::table* chosen = nullptr;
  if (list != nullptr)
    for (const toml::node& node : *list) {
      const toml::table* table = node.as_table();
      if (table == nullptr) continue;
      const bool same = (*table)["capability"].value_or<std::string>("") == capability;
      if (chosen == nullptr || same) chosen = table;
      if (same) break;
    }
  if (chosen == nullptr) return told(ErrorKind::Usage, {"toml.models.none", {}}, {file.string()});
  ModelConstants out;
  out.capability = (*chosen)["capability"].value_or<std::string>("");
  out.measured = out.capability == capability;
  if (const Status s = read(*chosen, file.string(), out); !s) return s.error();
  return out;
}

}  // namespace warplens::analysis
