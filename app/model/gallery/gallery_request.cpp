#include "app/model/gallery/gallery.h"

namespace warplens::model {

ProgramRequest program_request(const GalleryKernel& kernel, const BoundLaunch& bound) {
  ProgramRequest request;
  request.file = kernel.file.string();
  request.defines = bound.defines;
  if (bound.launch.kernel.find('<') != std::string::npos) request.instances.push_back(bound.launch.kernel);
  request.about = kernel.about;
  request.matrices = kernel.matrices;
  return request;
}

}  // namespace warplens::model
