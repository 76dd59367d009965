// Inside the worker: how long copies between host and device memory take (catalogue K3): pageable and pinned
// host memory, both directions, one large copy or many small ones of the same total.
//
// Events around the copies, so that the time includes what the driver does between them: with many small
// copies that is most of it.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "engine/gpu/driver.h"

namespace warplens::gpu {

struct TransferOptions {
  std::uint64_t least = 4096, most = std::uint64_t{1} << 30;  // sizes of single copies, in steps of 4
  std::uint64_t batch = 16u << 20;  // this much is also sent in small pieces; 0: not
  int runs = 12;
  double seconds = 0.3;  // a row; at least two runs are made
};

// `count` copies of `bytes` each, one after another.
struct TransferRow {
  std::uint64_t bytes = 0;
  int count = 1;
  bool pinned = false, to_device = true;
  std::vector<double> milliseconds;  // of all `count` together, one a run
};

// What is measured, smallest first (exposed for tests).
std::vector<TransferRow> planned_transfers(const TransferOptions& options);

Result<std::vector<TransferRow>> measure_transfers(const Driver& driver, const TransferOptions& options,
                                                   const std::function<bool(double)>& progress);

nlohmann::json to_json(const TransferOptions& options);
TransferOptions transfer_options_from(const nlohmann::json& json);
nlohmann::json to_json(const std::vector<TransferRow>& rows);
std::vector<TransferRow> transfers_from(const nlohmann::json& json);

}  // namespace warplens::gpu
