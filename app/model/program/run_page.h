// A run as a page that needs no other file: what its streams did when, its kernels by what they lose, faults,
// and pictures of the launches that were kept.
#pragma once

#include <string>

#include "app/model/program/whole_program.h"
#include "engine/base/message.h"
#include "engine/base/progress.h"

namespace warplens::model {

// Kept launches are run again for their pictures; one that cannot be drawn is named with the reason.
std::string run_page(const ProgramEnd& end, const Catalogue& text, Progress* progress = nullptr);

}  // namespace warplens::model
