// libFuzzer target of the recording reader: any bytes end in an error, or in a recording that every question
// can be asked of and that is written in a form which reads back as the same.
#include "app/model/recording/recording.h"
#include "tests/fuzz/target.h"

using namespace warplens;
using namespace warplens::model;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto recording = parse_recording(fuzz::text_of(data, size), "fuzz");
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
  if (!again || recording_json(*again) != text) fuzz::complain("written and read, it differs", text);
  return 0;
}

// The program's own recording, a few points of it: whole it is half a megabyte.
std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> out;
  for (const std::string& text : files_in("assets/recordings", ".json", 10000000)) {
    auto recording = parse_recording(text, "own");
    if (!recording) continue;
    for (std::size_t begin = 0; begin < recording->kernels.size(); begin += 8) {
      Recording part = *recording;
      const auto first = recording->kernels.begin() + static_cast<std::ptrdiff_t>(begin);
      part.kernels.assign(first, first + 1);
      for (RecordedKernel& kernel : part.kernels) {
        kernel.points.resize(std::min<std::size_t>(kernel.points.size(), 4));
        kernel.counters.resize(std::min<std::size_t>(kernel.counters.size(), 1));
        for (RecordedCounters& counters : kernel.counters)
          if (counters.reading.values.size() > 6) counters.reading.values.resize(6);
      }
      if (begin != 0) part.transfers.clear(), part.streams.clear();
      if (part.transfers.size() > 6) part.transfers.resize(6);
      if (part.streams.size() > 2) part.streams.resize(2);
      out.push_back(recording_json(part));
    }
  }
  return out;
}
