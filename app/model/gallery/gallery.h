// The gallery: the kernels in kernels/TOPIC/NAME.cu, each with NAME.toml beside it that says how it is
// launched and which sliders it has. A kernel is added without touching C++.
//
//   title = { en = "Strided copy", zh = "跨步拷贝" }
//   catalogue = ["B3"]                     # rows of the catalogue it covers
//   kind = "transfers"                     # optional: besides the kernel itself, `time` measures copies
//                                          # between host and GPU ("transfers"), or the kernel over pieces in
//                                          # several streams ("streams", sliders `streams` and `chunks`)
//   kernel = "copy_strided"                # entry; may depend on a choice slider: "{variant}"
//   grid = ["ceil(n / block)"]             # up to three expressions over the slider values
//   block = ["block"]
//   shared = "0"                           # dynamic shared bytes
//   args = ["buf:f32:{n * stride}:iota", "buf:f32:{n}:zero", "i32:{n}", "i32:{stride}"]
//   defines = { TILE = "tile" }            # optional; a change recompiles
//   views = ["address-map", "bank-view"]   # what to show first
//   outputs = [1]                          # arguments the host reference checks
//   about = { text = "in[i * stride]", op = "load" }
//                                          # optional: the access that numbers, curves and sentences are of;
//                                          # `text` stands in its source line (blanks do not matter), `op` is
//                                          # load, store, atomic or how the PTX instruction begins, `memory`
//                                          # "global", "shared" or "constant" where several would match. A
//                                          # list of them where variants have lines of their own: the first
//                                          # that is executed. Without: the access that wastes most
//   matrices = { a = "k", b = "n" }        # optional: parameters that are matrices, and how many elements a
//   row
//                                          # has: a number, or the name of an integer parameter
//   measure = { n = 16777216 }             # optional: where sliders stand when the kernel is timed, also
//                                          # beyond their ends; what suits a picture is mostly launch
//   l2 = "flushed"                         # optional: the L2 that suits its time best; else "warm"
//   product = ["m", "n", "k"]              # optional: it multiplies an m x k by a k x n matrix of FP32; what
//                                          # cuBLAS takes for that is recorded and drawn as a line
//   reason = { en = "...", zh = "..." }    # optional: why no slider changes the time, where that is so;
//                                          # in a slider: why this one does not
//   [[slider]]
//   name = "stride"
//   title = { en = "stride", zh = "步长" }
//   min = 1
//   max = 64
//   value = 2
//   scale = "linear"                       # or "pow2"
//   # instead of these three: values = [8, 16, 32], or choices = ["padded", "swizzled"], which are part of
//   # other texts as they stand here, and names = { en = ["padded", ...], zh = ["加填充", ...] } for people
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/model/run/pipeline.h"
#include "engine/gpu/product_size.h"

namespace warplens::model {

struct Slider {
  std::string name;
  std::map<std::string, std::string> title;  // language -> text
  std::map<std::string, std::string> hint;
  std::map<std::string, std::string> reason;  // why the time stays as it is; mostly empty
  std::int64_t min = 0, max = 0, value = 0;
  bool powers_of_two = false;
  std::vector<std::int64_t> values;  // discrete values; empty: every integer from min to max
  std::vector<std::string> choices;  // named choices; value is the index
  // language -> a name for each of the choices; empty: as they are called above
  std::map<std::string, std::vector<std::string>> names;
};
// What a value is called in this language: a choice's name, else the number.
std::string value_name(const Slider& slider, std::int64_t value, const std::string& language);

struct GalleryKernel {
  std::string id;     // file stem, unique: "copy_strided"
  std::string topic;  // folder: "global_memory"
  std::filesystem::path file;
  std::map<std::string, std::string> title, summary;
  std::map<std::string, std::string> title_within;  // inside a sentence, where that is another
  std::vector<std::string> catalogue;
  std::string kind;  // "" (a kernel and nothing else), "transfers" or "streams"
  std::string kernel;
  std::vector<std::string> grid, block;
  std::string shared = "0";
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> views;
  std::vector<int> outputs;
  std::vector<analysis::About> about;
  std::vector<std::pair<std::string, std::string>> matrices;
  std::map<std::string, std::int64_t> measure;  // slider -> its value when the kernel is timed
  bool measure_flushed = false;                 // with an L2 that was flushed before each run
  std::map<std::string, std::string> reason;    // language -> why the time stays as it is; mostly empty
  std::vector<std::string> product;  // expressions for m, n, k; empty: it is no product of matrices
  std::vector<Slider> sliders;
  const Slider* slider(std::string_view name) const;  // null: there is none
  Slider* slider(std::string_view name);
};

struct Topic {
  std::string id;
  std::map<std::string, std::string> title;  // from kernels/topics.toml, which also orders topics and kernels
  std::vector<std::string> kernels;
};

struct Gallery {
  std::vector<Topic> topics;
  std::vector<GalleryKernel> kernels;
  const GalleryKernel* find(std::string_view id) const;
  // For whoever asked for a kernel that is not there: its name, and as a note the names that there are.
  Error without(std::string_view id) const;
  // Kernels that could not be read are left out and named here, the rest is usable.
  std::vector<Error> problems;
};
Result<Gallery> load_gallery();
Result<Gallery> load_gallery(const std::filesystem::path& folder);

using SliderValues = std::map<std::string, std::int64_t>;
// Why a slider changes no time: its own reason, else the kernel's; empty where none is given.
std::string reason_of(const GalleryKernel& kernel, const std::string& slider, const std::string& language);

SliderValues default_values(const GalleryKernel& kernel);
// The values that these are timed at: those of `measure` instead of what is shown, but for the sliders in
// `keep` (one that is swept, or was asked for by name).
SliderValues measured_values(const GalleryKernel& kernel, SliderValues shown,
                             const std::vector<std::string>& keep = {});

// The launch (and the defines) that slider values mean. Errors name the expression and the file.
struct BoundLaunch {
  trace::Launch launch;
  std::vector<std::pair<std::string, std::string>> defines;
};
Result<BoundLaunch> launch_of(const GalleryKernel& kernel, const SliderValues& values);

// The product of matrices that the kernel makes at these values; nothing when it makes none.
std::optional<gpu::ProductSize> product_of(const GalleryKernel& kernel, const SliderValues& values);

// How the program of a bound kernel is compiled: its file, its defines, and the template instance it
// launches.
ProgramRequest program_request(const GalleryKernel& kernel, const BoundLaunch& bound);

}  // namespace warplens::model
