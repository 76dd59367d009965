// What the witness writes for `warplens run`, a line of JSON an event, as it learns of it
// (app/model/program/gpu_program.h reads it):
//
//   {"asked": {"id": 12, "kernel": "_Z5scalePfi", "grid": [8, 1, 1], "begin": 0.2, ...}}  a launch was called
//   {"ran":   {"id": 12, "kernel": "_Z5scalePfi", "stream": 7, "begin": 0.2, "seconds": 4e-6, ...}} measured
//   {"refused": {"id": 12, "error": "CUDA_ERROR_INVALID_VALUE"}}
//   {"kept": {"id": 12, "arguments": ["00..."], "allocations": [...], "variables": [...]}}
//   {"not_kept": {"id": 12, "reason": {"key": "run.keep.driver", ...}, "files": ["../memory/..."]}}
//                                                        what was written before it went wrong
//   {"stream": {"id": 7, "number": 0}}
//   {"copy": ...} {"fill": ...} {"wait": ...}            as engine/runtime/run_log.h has them
//   {"error": {"call": "cuCtxSynchronize", "error": "CUDA_ERROR_ILLEGAL_ADDRESS"}}
//   {"overhead": {"seconds": 0.01}}                      spent in the witness's own code
//
// Seconds count from the program's start; those of the device come from CUPTI's clock, which is the same.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace warplens::witness {

using Json = nlohmann::ordered_json;

class Log {
 public:
  void open(const std::string& file);
  void write(const Json& event);
  // Several lines in one go.
  void write(const std::string& lines);
  static std::string line(const Json& event);

 private:
  int file_ = -1;
};

Log& log();

}  // namespace warplens::witness
