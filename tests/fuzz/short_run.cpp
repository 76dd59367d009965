// The main function of a fuzz target where there is no libFuzzer: a short run that is the same every time, as
// part of ./test.
//
//   fuzz_NAME ROUNDS          every seed, then so many mutated ones
//   fuzz_NAME FILE...         these inputs
//   fuzz_NAME --seeds FOLDER  writes the seeds, a corpus to start libFuzzer from
//
// An input that ends the program is left in fuzz_NAME.crash in the folder it was started in.
#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tests/fuzz/mutator.h"
#include "tests/fuzz/target.h"

namespace {

using namespace warplens;

std::string current;     // the input in hand
std::string crash_file;  // where it goes

extern "C" void keep_input(int signal) {
  if (std::FILE* file = std::fopen(crash_file.c_str(), "wb")) {
    std::fwrite(current.data(), 1, current.size(), file);
    std::fclose(file);
  }
  std::fprintf(stderr, "the input that did it is in %s\n", crash_file.c_str());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(std::string input) {
  current = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

int write_seeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const std::string& seed : fuzz::seeds())
    if (!write_text(folder / ("seed" + std::to_string(number++)), seed)) return 1;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  crash_file = std::filesystem::path(argv[0]).filename().string() + ".crash";
  if (argc == 3 && std::strcmp(argv[1], "--seeds") == 0) return write_seeds(argv[2]);
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) std::signal(signal, keep_input);
  const bool is_number =
      argc == 2 && std::string_view(argv[1]).find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) {
    for (int i = 1; i < argc; ++i) {
      const auto text = read_text(argv[i]);
      if (!text) return 1;
      run(*text);
    }
    return 0;
  }
  const std::vector<std::string> seeds = fuzz::seeds();
  if (seeds.empty()) {
    std::fprintf(stderr, "there are no seeds\n");
    return 1;
  }
  for (const std::string& seed : seeds) run(seed);
  fuzz::Mutator mutator(1);
  const auto count = static_cast<unsigned>(seeds.size());
  for (int rounds = std::atoi(argv[1]); rounds > 0; --rounds) {
    const unsigned first = mutator.random(count), second = mutator.random(count);
    run(mutator.mutate(seeds[first], seeds[second]));
  }
  return 0;
}
