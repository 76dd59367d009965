// The launch of a kernel tried out at other values, or with another text: run, counted, its time modelled.
//
//   const Trials trials(kernel, device, capability, load, &progress);
//   if (const auto run = trials.run(values)) trials.us(*run);
//
// A launch that is too long to be run whole is run by its first blocks, which then stand for the others.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/model/gallery/gallery.h"
#include "app/model/run/pipeline.h"
#include "engine/analysis/device.h"

namespace warplens::model {

// The programs of other values are compiled by this, which may keep them. A request without a text is of the
// text that is open.
using LoadProgram = std::function<Result<std::shared_ptr<const Program>>(const ProgramRequest&, Progress*)>;

class Trials {
 public:
  // All outlive it.
  Trials(const GalleryKernel& kernel, const analysis::Device& device,
         const analysis::ComputeCapability& capability, const LoadProgram& load, Progress* progress)
      : kernel_(kernel), device_(device), capability_(capability), load_(load), progress_(progress) {}

  // Null where that is no launch, or does not compile.
  std::shared_ptr<const Run> run(const SliderValues& values,
                                 const std::optional<std::string>& text = {}) const;
  // Of its first blocks, as many as about so many thread instructions execute; one at least. How many that
  // are is told by `like`, whose threads do about the same, or else by the first block, which is run for it:
  // most of what a part of a large launch costs is filling its buffers. It has no buffers itself.
  std::shared_ptr<const Run> part(const SliderValues& values, std::uint64_t thread_instructions,
                                  const std::optional<std::string>& text = {},
                                  const Run* like = nullptr) const;
  // Modelled, of the whole launch, in µs; 0 where nothing can be said.
  double us(const Run& run) const;
  bool cancelled() const { return progress_ != nullptr && progress_->cancelled(); }

 private:
  std::optional<RunRequest> request(const SliderValues& values, const std::optional<std::string>& text) const;
  std::shared_ptr<const Run> execute_it(const RunRequest& request) const;

  const GalleryKernel& kernel_;
  const analysis::Device& device_;
  const analysis::ComputeCapability& capability_;
  const LoadProgram& load_;
  Progress* progress_;
};

}  // namespace warplens::model
