// What is kept between runs is trusted by the next: so only this user may have put it there.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "engine/base/assets.h"

namespace warplens {
namespace {

namespace fs = std::filesystem;

// No HOME and nothing else that names a place, as in a container or under a service manager.
class CacheFolderWithoutHome : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("warplens_no_home_" + std::to_string(::getpid()));
    fs::create_directories(root_);
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      if (const char* set = std::getenv(kNames[i])) before_[i] = set;
      ::unsetenv(kNames[i]);
    }
    ::setenv("TMPDIR", root_.c_str(), 1);
  }
  void TearDown() override {
    for (std::size_t i = 0; i < kNames.size(); ++i)
      before_[i] ? ::setenv(kNames[i], before_[i]->c_str(), 1) : ::unsetenv(kNames[i]);
    fs::remove_all(root_);
  }
  fs::path expected() const { return root_ / ("warplens-" + std::to_string(::geteuid())); }

  static constexpr std::array<const char*, 4> kNames{"HOME", "XDG_CACHE_HOME", "WARPLENS_CACHE", "TMPDIR"};
  std::array<std::optional<std::string>, 4> before_;
  fs::path root_;
};

TEST_F(CacheFolderWithoutHome, IsThisUsersAlone) {
  EXPECT_EQ(cache_folder(), expected());
  EXPECT_EQ(fs::status(expected()).permissions(), fs::perms::owner_all);
}

TEST_F(CacheFolderWithoutHome, IsClosedToOthersWhenItWasNot) {
  fs::create_directory(expected());
  fs::permissions(expected(), fs::perms::all);
  EXPECT_EQ(cache_folder(), expected());
  EXPECT_EQ(fs::status(expected()).permissions(), fs::perms::owner_all);
}

TEST_F(CacheFolderWithoutHome, IsRefusedWhereAnotherThingStandsInItsPlace) {
  fs::create_directory(root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", expected());
  EXPECT_TRUE(cache_folder().empty());
  EXPECT_TRUE(fs::is_empty(root_ / "elsewhere"));
}

TEST_F(CacheFolderWithoutHome, IsRefusedWhenItIsAnothers) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  fs::create_directory(expected());
  ASSERT_EQ(::chown(expected().c_str(), 65534, 65534), 0);
  EXPECT_TRUE(cache_folder().empty());
}

}  // namespace
}  // namespace warplens
