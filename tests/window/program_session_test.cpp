// A whole program in the window, without a window: an engine that makes up what the program does.
#include "app/window/session/program_session.h"

#include <gmock/gmock.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "tests/window/workbench_fixture.h"

namespace warplens::window {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Column = ProgramSession::Column;
using State = ProgramSession::State;
using Json = model::RunEvents::Json;
namespace fs = std::filesystem;

Json launch(std::uint64_t index, const std::string& kernel, std::uint64_t number, std::uint64_t sectors) {
  return {{"launch",
           {{"index", index},
            {"kernel", kernel + "(float*)"},
            {"number", number},
            {"grid", {4, 2, 1}},
            {"block", {64, 1, 1}},
            {"ending", "completed"},
            {"faults", Json::array()},
            {"global", {{"load", {{"sectors", sectors}, {"sectors_ideal", 100}}}}},
            {"warp_instructions", 1000},
            {"stream", 0},
            {"begin", 0.1 * static_cast<double>(index)},
            {"seconds", 0.05}}}};
}

// What the made-up program does, and what it was asked for.
struct Program {
  std::vector<Json> events;
  std::string prints, ending = "exited";
  int exit_code = 0;
  bool waits = false;    // until it is stopped
  bool changes = false;  // makes no launches when it runs again
  std::optional<Error> error;
  std::optional<model::MeasuredProgram> gpu;
  std::vector<ProgramWish> wishes;  // read while nothing runs
  std::atomic<bool> running{false};
  std::vector<std::pair<std::string, std::string>> taken;
};

// As the runtime keeps it: a file here, whose text the bench can open.
void keep(const ProgramWish& wish, Json& event) {
  Json& one = event["launch"];
  for (const runtime::KeptLaunches& kept : wish.settings.kept) {
    const bool named = kept.kernel == "*" || kept.kernel == one["kernel"].get<std::string>();
    if (!named || one["number"] < kept.first || one["number"] > kept.last) continue;
    const std::string name = "launch_" + one["index"].dump();
    EXPECT_TRUE(write_text(fs::path(wish.settings.keep_folder) / name, "__global__ void kept() {}\n"));
    one["kept"] = name;
  }
}

Result<model::ProgramEnd> run(Program& program, const ProgramWish& wish, ProgramDesk& desk) {
  program.wishes.push_back(wish);
  if (program.error) return *program.error;
  desk.on_compiled("a warning\n");
  desk.on_output(program.prints);
  std::string log;
  for (Json event : program.events) {
    if (program.changes && wish.same_program) break;
    if (event.contains("launch")) keep(wish, event);
    desk.on_event(event);
    log += event.dump() + "\n";
  }
  desk.on_turn(program.waits ? 5 : 0);
  program.running = true;
  model::ProgramEnd end;
  end.log = log;
  while (program.waits && desk.wish() == model::ProgramWatcher::Wish::GoOn)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  program.running = false;
  end.ending = program.waits ? "interrupted" : program.ending;
  end.exit_code = program.exit_code;
  end.every = wish.settings.every;
  if (wish.sources.on_gpu) end.measured = program.gpu;
  end.seconds = 0.5;
  return end;
}

class ProgramSessionTest : public testing::WorkbenchTest {
 protected:
  void SetUp() override {
    WorkbenchTest::SetUp();
    folder_ = fs::temp_directory_path() / ("warplens_program_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    main_ = (folder_ / "main.cu").string();
    ASSERT_TRUE(
        write_text(main_, "__global__ void scale(float*) {}\nint main(int n, char**) { return n; }\n"));
    for (std::uint64_t i = 0; i < 3; ++i) program_.events.push_back(launch(i, "scale", i, 150));
    program_.events.push_back(launch(3, "gather", 0, 800));
    program_.events.push_back(
        {{"copy", {{"kind", "host to device"}, {"bytes", 4096}, {"begin", 0.0}, {"seconds", 0.01}}}});
    program_.prints = "hello\n";
    session_.emplace(*bench_,
                     ProgramEngine{[this](const ProgramWish& wish, ProgramDesk& desk) {
                                     return run(program_, wish, desk);
                                   },
                                   [this](const fs::path& from, const fs::path& to) -> Result<model::Taken> {
                                     program_.taken.emplace_back(from.string(), to.string());
                                     return model::Taken{"scale", 0, 0};
                                   },
                                   [this]() -> Result<model::MeasuredProgram> {
                                     if (program_.gpu) return *program_.gpu;
                                     return told(ErrorKind::System, Message{"run.gpu.no_cupti", {}});
                                   }},
                     [] {});
  }
  void TearDown() override {
    session_.reset();
    WorkbenchTest::TearDown();
    fs::remove_all(folder_);
  }
  Engine make_engine() override {
    Engine e = WorkbenchTest::make_engine();
    e.inventory = [] { return Inventory{}; };  // looked for, and nothing is there
    return e;
  }
  void open(const std::string& file) {
    bench_->open_file(file, "");
    settle();
    session_->tick(0);
  }
  // The machine's devices are looked for in the background.
  void await_devices() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!session_->gpu() && std::chrono::steady_clock::now() < deadline) {
      bench_->tick(0);
      session_->tick(0);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(session_->gpu());
  }
  // Until what runs has ended, and what follows from it.
  void end() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    do {
      session_->tick(0);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } while ((session_->busy() || session_->awaited()) && std::chrono::steady_clock::now() < deadline);
    ASSERT_FALSE(session_->busy());
    expect_said();
  }
  void run_it() {
    open(main_);
    session_->agree();
    session_->run();
    end();
  }
  // Whatever is said exists in both languages.
  void expect_said() const {
    for (const char* language : {"en", "zh"}) {
      const auto text = Catalogue::load(language);
      ASSERT_TRUE(text);
      std::vector<Message> all = session_->notices();
      all.push_back(session_->state_line());
      for (const Message& message : all) EXPECT_TRUE(text->has(message.key)) << message.key;
    }
  }
  std::vector<std::string> notices() const {
    std::vector<std::string> keys;
    for (const Message& notice : session_->notices()) keys.push_back(notice.key);
    return keys;
  }
  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (const model::KernelSum& kernel : session_->kernels()) names.push_back(plain_kernel(kernel.name));
    return names;
  }

  Program program_;
  fs::path folder_;
  std::string main_;
  std::optional<ProgramSession> session_;
};

TEST_F(ProgramSessionTest, OffersAFileWithAMainAndNothingElse) {
  open(file_.string());
  EXPECT_FALSE(session_->offers());
  EXPECT_EQ(session_->state(), State::None);
  open(main_);
  EXPECT_TRUE(session_->offers());
  EXPECT_EQ(session_->choices.folder, folder_.string());
  session_->decline();
  EXPECT_FALSE(session_->offers());
  EXPECT_TRUE(program_.wishes.empty());
}

TEST_F(ProgramSessionTest, NothingRunsBeforeSomebodyHasSaidYesToThisFile) {
  open(main_);
  session_->run();
  EXPECT_FALSE(session_->busy());
  session_->agree();
  session_->run();
  end();
  EXPECT_EQ(program_.wishes.size(), 1u);
  const std::string other = (folder_ / "other.cu").string();
  ASSERT_TRUE(write_text(other, "int main() {}\n"));
  // The bench finds no kernel in it; it is a program all the same.
  bench_->open_file(other, "");
  settle();
  session_->tick(0);
  EXPECT_EQ(session_->name(), "other.cu");
  EXPECT_FALSE(session_->agreed());
  EXPECT_TRUE(session_->launches().empty());
  open(main_);
  EXPECT_TRUE(session_->agreed());
}

TEST_F(ProgramSessionTest, ListsKernelsByWhatTheyLoseAndSortsThem) {
  run_it();
  EXPECT_EQ(session_->state(), State::Ended);
  EXPECT_FALSE(session_->failed());
  EXPECT_EQ(session_->launches().size(), 4u);
  EXPECT_THAT(kernels(), ElementsAre("gather", "scale"));
  session_->sort(Column::Launches);
  EXPECT_THAT(kernels(), ElementsAre("scale", "gather"));
  session_->sort(Column::Launches);
  EXPECT_THAT(kernels(), ElementsAre("gather", "scale"));
  session_->choose_kernel("scale(float*)");
  EXPECT_THAT(session_->listed(), ElementsAre(0, 1, 2));
  session_->choose_kernel("scale(float*)");
  EXPECT_EQ(session_->listed().size(), 4u);
  EXPECT_EQ(session_->spans().size(), 1u);
  EXPECT_THAT(session_->output().lines(), ElementsAre("a warning", "hello"));
}

TEST_F(ProgramSessionTest, AKeptLaunchOpensAtOnceAndTheListIsThereAfterwards) {
  run_it();
  EXPECT_EQ(program_.wishes[0].settings.kept.size(), 1u);
  session_->show(true);
  session_->open_launch(3);
  settle();
  EXPECT_FALSE(session_->shown());
  EXPECT_EQ(session_->open(), 3u);
  EXPECT_EQ(program_.wishes.size(), 1u);
  session_->tick(0);
  EXPECT_EQ(session_->launches().size(), 4u);
  EXPECT_EQ(session_->name(), "main.cu");
  bench_->open_kernel("strided");
  EXPECT_FALSE(session_->open());
}

TEST_F(ProgramSessionTest, AnotherLaunchIsKeptByASecondRunOfTheSameProgram) {
  session_->choices = {};
  run_it();
  session_->show(true);
  const auto at = session_->find("scale", 2);
  ASSERT_EQ(at, 2u);
  session_->open_launch(*at);
  EXPECT_EQ(session_->awaited(), 2u);
  EXPECT_EQ(session_->state_line().key, "program.state.again");
  end();
  settle();
  EXPECT_EQ(session_->open(), 2u);
  ASSERT_EQ(program_.wishes.size(), 2u);
  EXPECT_TRUE(program_.wishes[1].same_program);
  ASSERT_EQ(program_.wishes[1].settings.kept.size(), 1u);
  EXPECT_EQ(program_.wishes[1].settings.kept[0].kernel, "scale(float*)");
  EXPECT_EQ(program_.wishes[1].settings.kept[0].first, 2u);
  // The list is of the first run.
  EXPECT_EQ(session_->launches().size(), 4u);
  session_->open_launch(*at);
  EXPECT_FALSE(session_->busy());
}

TEST_F(ProgramSessionTest, SaysSoWhenTheLaunchDoesNotComeAgain) {
  program_.changes = true;
  run_it();
  session_->open_launch(2);
  end();
  EXPECT_FALSE(session_->open());
  ASSERT_TRUE(session_->refusal());
  EXPECT_EQ(session_->refusal()->key, "program.launch.not_made");
}

TEST_F(ProgramSessionTest, ASkippedLaunchIsMadeByARunThatLeavesOutNone) {
  program_.events[1]["launch"]["ending"] = "skipped";
  open(main_);
  session_->choices.every = "2";
  session_->agree();
  session_->run();
  end();
  EXPECT_EQ(program_.wishes[0].settings.every, 2u);
  EXPECT_THAT(notices(), Contains("run.page.sampled"));
  session_->open_launch(1);
  end();
  EXPECT_EQ(program_.wishes[1].settings.every, 1u);
}

TEST_F(ProgramSessionTest, StopsAndKeepsWhatWasCounted) {
  program_.waits = true;
  open(main_);
  session_->agree();
  session_->run();
  while (!program_.running) session_->tick(0);
  session_->tick(0);
  EXPECT_EQ(session_->state(), State::Running);
  EXPECT_THAT(notices(), Contains("program.todo.input"));
  session_->type("42");
  session_->end_input();
  EXPECT_THAT(notices(), Contains("program.todo.idle"));
  // A click on a launch waits for its run, and is forgotten with it.
  session_->open_launch(2);
  EXPECT_THAT(notices(), Contains("program.launch.waits"));
  session_->stop();
  end();
  EXPECT_EQ(session_->state_line().key, "program.state.stopped");
  EXPECT_FALSE(session_->failed());
  EXPECT_EQ(session_->launches().size(), 4u);
  EXPECT_EQ(program_.wishes.size(), 1u);
  // What was typed is typed again.
  program_.waits = false;
  session_->open_launch(2);
  end();
  EXPECT_EQ(program_.wishes[1].typed, "42\n\x04");
}

TEST_F(ProgramSessionTest, AFileThatIsOpenedMeanwhileTakesNothingAway) {
  program_.waits = true;
  open(main_);
  session_->agree();
  session_->run();
  while (!program_.running) session_->tick(0);
  const std::string other = (folder_ / "other.cu").string();
  ASSERT_TRUE(write_text(other, "__global__ void k() {}\nint main() {}\n"));
  open(other);
  session_->show(true);
  open(file_.string());  // kernels alone: they are on the bench
  EXPECT_FALSE(session_->shown());
  session_->stop();
  end();
  EXPECT_EQ(session_->name(), "main.cu");
  EXPECT_EQ(session_->launches().size(), 4u);
  open(other);
  EXPECT_TRUE(session_->offers());
}

TEST_F(ProgramSessionTest, ClosingEndsWhatRuns) {
  program_.waits = true;
  open(main_);
  session_->agree();
  session_->run();
  while (!program_.running) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  session_.reset();
  EXPECT_FALSE(program_.running);
}

TEST_F(ProgramSessionTest, EveryBadEndSaysWhatToDo) {
  const auto ends = [&](const char* state, const char* todo) {
    run_it();
    EXPECT_EQ(session_->state_line().key, state);
    EXPECT_THAT(notices(), Contains(todo)) << state;
    EXPECT_TRUE(session_->failed());
    program_.error.reset();
  };
  program_.error = Error{ErrorKind::Compile, "expected a ';'", {"main.cu", 2, 1}, {"main.cu(2): error"}};
  ends("program.state.not_compiled", "program.todo.compile");
  EXPECT_THAT(session_->compiler_lines(), ElementsAre("main.cu(2): error"));
  program_.error = Error{ErrorKind::System, "there is no nvcc", {}, {}};
  ends("program.state.not_started", "program.todo.system");
  program_.exit_code = 3;
  ends("program.state.exit", "program.todo.exit");
  program_.ending = "signalled";
  program_.exit_code = 139;
  ends("program.state.crashed", "program.todo.crashed");
  program_.ending = "budget";
  program_.exit_code = 5;
  ends("program.state.budget", "program.todo.budget");
  program_.ending = "exited";
  program_.exit_code = 0;
  program_.events.clear();
  run_it();
  EXPECT_THAT(notices(), Contains("program.todo.no_launch"));
  program_.events = {{{"not_supported", "cudaIpcGetMemHandle"}}, {{"not_emulated", "cublasSgemm"}}};
  run_it();
  EXPECT_THAT(notices(), Contains("program.not_supported"));
  EXPECT_THAT(notices(), Contains("program.not_emulated"));
}

TEST_F(ProgramSessionTest, TakesALaunchOutAlsoOneThatWasNotKept) {
  run_it();
  session_->take(0, "/somewhere");
  session_->take(2, "/elsewhere");
  end();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (session_->taking().busy() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(program_.taken.size(), 2u);
  EXPECT_EQ(program_.taken[1].second, "/elsewhere");
  EXPECT_EQ(fs::path(program_.taken[1].first).filename(), "launch_2");
  EXPECT_EQ(session_->take_folder(2), (folder_ / "scale_2").string());
  EXPECT_FALSE(session_->open());
}

TEST_F(ProgramSessionTest, ReadsWhatIsTyped) {
  open(main_);
  session_->choices.arguments = "1024 \"my data\" a\\ b ''";
  session_->choices.more = "helper.cu -I include -DN=4 -lcublas -std=c++17 -rdc=true";
  session_->choices.budget = "500";
  session_->choices.keep_first = false;
  session_->choices.strict = true;
  session_->agree();
  session_->run();
  end();
  const ProgramWish& wish = program_.wishes[0];
  EXPECT_THAT(wish.arguments, ElementsAre("1024", "my data", "a b", ""));
  EXPECT_THAT(wish.sources.files, ElementsAre(main_, (folder_ / "helper.cu").string()));
  EXPECT_THAT(wish.sources.include_paths, ElementsAre((folder_ / "include").string()));
  EXPECT_THAT(wish.sources.defines, ElementsAre("N=4"));
  EXPECT_THAT(wish.sources.libraries, ElementsAre("cublas"));
  EXPECT_THAT(wish.sources.nvcc_options, ElementsAre("-rdc=true"));
  EXPECT_EQ(wish.sources.standard, "c++17");
  EXPECT_EQ(wish.settings.budget, 500u);
  EXPECT_TRUE(wish.settings.strict);
  EXPECT_FALSE(runtime::Settings().strict) << "nobody has to ask for what a GPU does";
  EXPECT_THAT(wish.settings.kept, IsEmpty());
  const auto changed = [](std::string ProgramChoices::*what, const char* text) {
    ProgramChoices out;
    out.*what = text;
    return out;
  };
  for (const auto& [choices, key] :
       {std::pair{changed(&ProgramChoices::arguments, "\"open"), "program.wrong.quote"},
        std::pair{changed(&ProgramChoices::folder, "/no/such"), "program.wrong.folder"},
        std::pair{changed(&ProgramChoices::every, "-3"), "program.wrong.number"}}) {
    session_->choices = choices;
    ASSERT_TRUE(session_->wrong()) << key;
    EXPECT_EQ(session_->wrong()->key, key);
    session_->run();
    EXPECT_EQ(program_.wishes.size(), 1u);
  }
}

TEST_F(ProgramSessionTest, WithoutAGpuItIsSaidWhyAndNothingRunsThere) {
  open(main_);
  await_devices();
  EXPECT_FALSE(session_->has_gpu());
  EXPECT_EQ(session_->no_gpu().key, "program.place.no_cupti");
  for (const char* language : {"en", "zh"})
    EXPECT_THAT(Catalogue::load(language)->text(session_->no_gpu()), ::testing::HasSubstr("libcupti"));
  session_->run_on(true);
  EXPECT_FALSE(session_->choices.on_gpu);
  session_->choices.on_gpu = true;  // of an earlier machine, say
  ASSERT_TRUE(session_->wrong());
  EXPECT_EQ(session_->wrong()->key, "program.wrong.no_gpu");
  session_->agree();
  session_->run();
  EXPECT_FALSE(session_->busy());
  EXPECT_TRUE(program_.wishes.empty());
}

TEST_F(ProgramSessionTest, ARunOnAGpuIsOfTimesAndItsKeptLaunchesOpen) {
  program_.gpu = model::MeasuredProgram{"NVIDIA H200", "580", "2026-11-23", 0.001};
  for (std::size_t i = 0; i < 4; ++i) {
    Json& one = program_.events[i]["launch"];
    one["registers_per_thread"] = 24;
    one["seconds"] = 1e-6 * static_cast<double>(i + 1);
    one.erase("global");
    one.erase("warp_instructions");
  }
  program_.events.insert(program_.events.begin(), {{"asked", {{"id", 1}}}});
  open(main_);
  await_devices();
  session_->run_on(true);
  session_->choices.every = "7";  // the emulator's alone
  session_->agree();
  session_->run();
  ASSERT_TRUE(session_->measured());
  EXPECT_EQ(session_->state_line().key, "program.state.compiling");
  end();
  ASSERT_EQ(program_.wishes.size(), 1u);
  EXPECT_TRUE(program_.wishes[0].sources.on_gpu);
  EXPECT_EQ(program_.wishes[0].settings.every, 1u);
  EXPECT_FALSE(program_.wishes[0].settings.count);
  EXPECT_EQ(session_->measured()->device, "NVIDIA H200");
  EXPECT_EQ(session_->launches()[0].registers, 24u);
  EXPECT_THAT(kernels(), ElementsAre("scale", "gather"));  // by time: 6 µs and 4
  session_->sort(Column::Mean);
  EXPECT_THAT(kernels(), ElementsAre("gather", "scale"));
  session_->open_launch(3);
  settle();
  EXPECT_EQ(session_->open(), 3u);
  // Another one: the program runs on the GPU again.
  session_->open_launch(2);
  end();
  ASSERT_EQ(program_.wishes.size(), 2u);
  EXPECT_TRUE(program_.wishes[1].sources.on_gpu);
  settle();
  EXPECT_EQ(session_->open(), 2u);
  // A fault there says what to do.
  program_.events = {{{"error", {{"call", "cuCtxSynchronize"}, {"error", "CUDA_ERROR_ILLEGAL_ADDRESS"}}}}};
  program_.exit_code = 1;
  session_->run();
  end();
  EXPECT_THAT(notices(), Contains("program.todo.gpu_fault"));
  EXPECT_EQ(session_->report()["measured"], "NVIDIA H200");
  // Back to the emulator.
  session_->run_on(false);
  session_->run();
  end();
  EXPECT_FALSE(session_->measured());
  EXPECT_FALSE(program_.wishes.back().sources.on_gpu);
}

TEST(PlainKernel, IsWithoutItsParameters) {
  EXPECT_EQ(plain_kernel("scale(float*, int)"), "scale");
  EXPECT_EQ(plain_kernel("void a::scale<float, (int)4>(float*)"), "a::scale<float, (int)4>");
  EXPECT_EQ(plain_kernel("(anonymous namespace)::scale(float*)"), "(anonymous namespace)::scale");
}

TEST_F(ProgramSessionTest, TheRunIsSavedAsAPageInTheLanguageOfTheWindow) {
  bench_->settings.language = "zh";
  open(main_);
  EXPECT_FALSE(session_->has_page());
  session_->agree();
  session_->run();
  end();
  ASSERT_TRUE(session_->has_page());
  EXPECT_EQ(fs::path(session_->page_file()).filename(), "main-run.html");
  const std::string file = (folder_ / "run.html").string();
  session_->write_page(file);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!fs::exists(file) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto page = read_text(file);
  ASSERT_TRUE(page);
  EXPECT_THAT(*page, ::testing::HasSubstr("scale(float*)"));
  EXPECT_THAT(*page, ::testing::HasSubstr("main.cu"));
  EXPECT_THAT(*page, ::testing::HasSubstr("zh-Hans"));
}

}  // namespace
}  // namespace warplens::window
