// The program's own kernels, for tests that go through all of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/model/gallery/gallery.h"
#include "tests/support/places.h"

namespace warplens::model {

inline const Gallery& gallery() {
  static const Gallery loaded = load_gallery(std::filesystem::path(tests::source_dir()) / "kernels").value();
  return loaded;
}

inline std::vector<std::string> kernel_ids() {
  std::vector<std::string> ids;
  for (const GalleryKernel& kernel : gallery().kernels) ids.push_back(kernel.id);
  return ids;
}

}  // namespace warplens::model
