// Requests to end: the window closes as by its button, and leaves neither processes nor files behind.
#include "app/window/shell/end_request.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/window/screen.h"

namespace warplens::window {
namespace {

using namespace std::chrono_literals;

template <typename Condition>
void wait_until(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(5ms);
}

TEST(EndRequests, TheFirstWakesTheWindowAndTheNextEndsTheProgram) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = ::fork();
    if (child == 0) {
      std::atomic<int> woken = 0;
      const EndRequests ends([&] { ++woken; });
      if (ends.came()) ::_exit(1);
      ::raise(signal);
      wait_until([&] { return woken > 0; });
      if (!ends.came()) ::_exit(2);
      ::raise(signal);
      ::_exit(3);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    EXPECT_EQ(WTERMSIG(status), signal);
  }
}

TEST(EndRequests, WhoDoesNotWantAHangupIsNotAskedToHangUp) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGHUP, SIG_IGN);  // nohup
    const EndRequests ends([] {});
    ::raise(SIGHUP);
    ::_exit(ends.came() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

class EndedWindow : public testing::ScreenTest {};

TEST_F(EndedWindow, ClosesByItselfAndLeavesNothing) {
  const std::filesystem::path places = folder_ / "tmp";
  std::filesystem::create_directories(places);
  std::ofstream(folder_ / "script") << "open copy_strided\nwait settled 600\nscreenshot " + shot("up.png") +
                                           "\nmonkey 3 600\nscreenshot " + shot("over.png") + "\n";
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    // A shell without job control has what it starts in the background ignore SIGINT, and so would the
    // window.
    const testing::Finished end = testing::run_shell(
        "TMPDIR=" + places.string() + " XDG_CONFIG_HOME=" + folder_.string() +
        " LIBGL_ALWAYS_SOFTWARE=1 xvfb-run -a -s '-screen 0 1280x720x24' sh -c 'env --default-signal=INT " +
        tests::program() + " app --forget --size 1280x720 --script " + (folder_ / "script").string() +
        " & window=$!; until [ -e " + shot("up.png") +
        " ]; do kill -0 $window || break; sleep 0.1; done; kill -" + signal +
        " $window; wait $window; echo $? > " + testing::beside(".code").string() + "'");
    EXPECT_EQ(end.code, 0) << signal << end.error;
    EXPECT_FALSE(std::filesystem::exists(shot("over.png"))) << signal << ": it went on to its script's end";
    std::filesystem::remove(shot("up.png"));
    // Compilers end within moments, with their folders.
    wait_until([&] { return std::filesystem::is_empty(places); });
  }
}

}  // namespace
}  // namespace warplens::window
