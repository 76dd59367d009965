#include "tests/app/gallery_references.h"

namespace warplens::model {

const std::map<std::string, Reference>& references() {
  static const std::map<std::string, Reference> kAll = [] {
    std::map<std::string, Reference> all = memory_references();
    all.merge(work_references());
    return all;
  }();
  return kAll;
}

}  // namespace warplens::model
