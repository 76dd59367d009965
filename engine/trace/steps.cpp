#include "engine/trace/steps.h"

#include <utility>

namespace warplens::trace {

void StepStore::note(std::size_t step, bool valued) {
  if (step % kGroup == 0) {
    valued_.push_back(0);
    first_value_.push_back(static_cast<std::uint32_t>(values_.size()));
  }
  if (valued) valued_.back() |= std::uint64_t{1} << step % kGroup;
}

void StepStore::push(std::uint32_t form, std::uint32_t warp, std::uint32_t value) {
  const bool valued = forms[form].fixed == 0;
  note(heads_.size(), valued);
  heads_.push_back(form << kWarpBits | (warp & ((1u << kWarpBits) - 1)));
  if (valued) values_.push_back(value);
}

void StepStore::pop() {
  const bool valued = form_of(size() - 1).fixed == 0;
  heads_.pop_back();
  if (valued) values_.pop_back();
  if (heads_.size() % kGroup == 0) {
    valued_.pop_back();
    first_value_.pop_back();
  } else {
    valued_.back() &= (std::uint64_t{1} << heads_.size() % kGroup) - 1;
  }
}

bool StepStore::assign(std::vector<std::uint32_t> heads, std::vector<std::uint32_t> values) {
  heads_ = std::move(heads);
  values_.clear();
  valued_.clear();
  first_value_.clear();
  std::uint32_t used = 0;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    if (form_number(i) >= forms.size()) return false;
    const bool valued = form_of(i).fixed == 0;
    note(i, valued);
    if (i % kGroup == 0) first_value_.back() = used;
    used += valued ? 1 : 0;
  }
  if (used != values.size()) return false;
  values_ = std::move(values);
  return true;
}

std::size_t StepStore::bytes() const {
  return (heads_.size() + values_.size() + first_value_.size() + pool.size()) * sizeof(std::uint32_t) +
         valued_.size() * sizeof(std::uint64_t) + forms.size() * sizeof(StepForm);
}

void StepStore::shrink() {
  forms.shrink_to_fit();
  pool.shrink_to_fit();
  heads_.shrink_to_fit();
  values_.shrink_to_fit();
}

}  // namespace warplens::trace
