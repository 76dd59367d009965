// Any line into what reads the small languages of the command line and of the gallery: arguments,
// expressions, sizes, sliders.
#include "app/model/text/expression.h"
#include "app/model/text/text_options.h"
#include "engine/trace/launch.h"
#include "tests/fuzz/target.h"

using namespace warplens;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  if (const auto argument = trace::parse_argument(text)) {
    if (argument->text != text) fuzz::complain("the text is lost", text);
    // Files are read elsewhere; what is too large to be worth a fuzzer's time is left.
    if (argument->init != trace::Init::File && argument->bytes() <= 4096) {
      const auto bytes = trace::initial_bytes(*argument);
      if (bytes && argument->bytes() != 0 && bytes->size() != argument->bytes())
        fuzz::complain("so many bytes were not asked for", text);
      if (bytes) (void)trace::checksum(argument->type, *bytes);
    }
  }
  (void)model::evaluate(text, {{"n", 1000}, {"block", 256}, {"least", INT64_MIN}, {"zero", 0}});
  (void)model::interpolate(text, {{"n", 1000}, {"block", 256}});
  (void)model::parse_size(text);
  (void)model::parse_slider(text);
  return 0;
}

std::vector<std::string> fuzz::seeds() {
  return {"i32:-5",
          "u64:0xffffffffffffffff",
          "f16:1e-4",
          "buf:f32:1024:iota",
          "buf:u8:100:const:255",
          "buf:f64:64:hash",
          "buf:i32:100:mod:7",
          "buf:i16:100:perm:3",
          "buf:f32:{n * block}:zero",
          "tex:f32:64x64:linear,clamp:hash",
          "tex:u8x4:16x8x4:norm,unit,wrap,layered:iota",
          "surf:u8x4:64x64:zero",
          "struct:f32:0.5,i32:3,u8:1,f64:2",
          "ceil(n / block) * (1 + 2 % 3)",
          "max(min(n, block), 7) >= 2 == 1",
          "ceil(1 / 3 / 5 + n / block - 2)",
          "stride=4",
          "1600x900"};
}
