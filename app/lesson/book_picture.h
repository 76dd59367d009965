// A picture of the book, as tall as what it says needs: on paper nobody points at words that were left out.
//
//   const auto scene = whole_picture(pictures, *facts.run, options);
#pragma once

#include "app/model/picture/picture.h"
#include "engine/base/result.h"

namespace warplens::lesson {

inline constexpr visual::Size kPicture{800, 420};  // its smallest words are read on paper as well

// At kPicture, else as much taller as takes the last sentence, within half as tall again.
Result<visual::Scene> whole_picture(const model::Pictures& pictures, const model::Run& run,
                                    model::PictureOptions options);

}  // namespace warplens::lesson
