// libFuzzer target of the recording reader: any bytes end in an error, or in a recording that every question
// can be asked of and that is written in a form which reads back as the same.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "app/model/recording.h"

using namespace warplens::model;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto recording = parse_recording({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!recording) return 0;
  for (const RecordedKernel& recorded : recording->kernels) {
    GalleryKernel kernel;
    kernel.id = recorded.id;
    for (const RecordedPoint& point : recorded.points) {
      SliderValues values;
      for (std::size_t i = 0; i < point.values.size(); ++i) values[recorded.sliders[i]] = point.values[i];
      (void)recording->timing(kernel, recorded.source, values, {});
      (void)recording->counters(kernel, recorded.source, values);
      for (const std::string& slider : recorded.sliders)
        (void)recording->sweep(kernel, recorded.source, slider, values, true);
    }
  }
  for (int streams = 0; streams < 5; ++streams) (void)recording->timeline(streams);
  (void)recording->transfer_rates();
  const std::string text = recording_json(*recording);
  const auto again = parse_recording(text, "again");
  if (!again || recording_json(*again) != text) {
    std::fprintf(stderr, "written and read, it differs\n");
    std::abort();
  }
  return 0;
}
