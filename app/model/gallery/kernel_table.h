// A kernel as TOML describes it: launch, arguments, sliders. The same keys in the gallery's NAME.toml and in
// a [[kernel]] of a lesson.
#pragma once

#include "app/model/gallery/gallery.h"
#include "app/model/text/toml_reader.h"

namespace warplens::model {

// id, topic and file (the CUDA C++) come from the caller. Problems are left in the reader.
// titled: title and summary must be there, as the gallery's need to be.
GalleryKernel read_kernel_table(TomlReader& reader, const toml::table& table, GalleryKernel known,
                                bool titled);

}  // namespace warplens::model
