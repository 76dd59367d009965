// The files of a user: what a folder offers, what was open last, and what another editor writes meanwhile.
#include "app/window/session/user_files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "app/window/panels/text_field.h"
#include "app/window/session/settings.h"
#include "engine/base/assets.h"
#include "tests/window/workbench_fixture.h"

namespace warplens::window::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class UserFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warplens_user_files_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "exercises");
    fs::create_directories(folder_ / ".hidden");
    fs::create_directories(folder_ / "kept");
    for (const char* name : {"saxpy.cu", "notes.txt", "kernel.ptx", "common.cuh", "kept/launch.toml"})
      ASSERT_TRUE(write_text(folder_ / name, "// text\n"));
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(UserFiles, AFolderOffersWhatCanBeOpened) {
  std::vector<std::string> names;
  for (const FolderEntry& entry : list_folder(folder_))
    names.push_back(entry.name + (entry.folder ? "/" : ""));
  EXPECT_THAT(names, ElementsAre("exercises/", "common.cuh", "kept", "kernel.ptx", "saxpy.cu"));
  EXPECT_TRUE(list_folder(folder_ / "nowhere").empty());
}

TEST_F(UserFiles, TheLastOneIsTheFirstOfTheRecent) {
  std::vector<std::string> recent;
  remember_file(recent, "/a.cu");
  remember_file(recent, "/b.cu");
  remember_file(recent, "/folder/../a.cu");
  EXPECT_THAT(recent, ElementsAre("/a.cu", "/b.cu"));
  for (int i = 0; i < 20; ++i) remember_file(recent, "/" + std::to_string(i) + ".cu");
  EXPECT_EQ(recent.size(), kMostRecent);
  EXPECT_EQ(recent.front(), "/19.cu");

  Settings settings;
  settings.recent = recent;
  EXPECT_EQ(parse_settings(to_toml(settings)).recent, recent);
}

TEST_F(UserFiles, AFileThatIsWrittenElsewhereIsSeenOnce) {
  const std::string file = (folder_ / "saxpy.cu").string();
  FileWatch watch;
  EXPECT_FALSE(watch.changed(file, 0));
  EXPECT_FALSE(watch.changed(file, 2));
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(5));
  EXPECT_FALSE(watch.changed(file, 2.5)) << "looks once a second";
  EXPECT_TRUE(watch.changed(file, 4));
  EXPECT_FALSE(watch.changed(file, 6));
  fs::remove(file);
  EXPECT_FALSE(watch.changed(file, 8)) << "an editor may be writing it anew";
  ASSERT_TRUE(write_text(file, "// new\n"));
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(9));
  EXPECT_TRUE(watch.changed(file, 10));
}

TEST(TextField, ANewLineBeginsWhereTheOldOneDid) {
  EXPECT_EQ(indent_after("  int i = 0;\n"), "  ");
  EXPECT_EQ(indent_after("__global__ void f() {\n  if (i < n) {  \n"), "    ");
  EXPECT_EQ(indent_after("a\n"), "");
  EXPECT_EQ(indent_after("\t x;\n\n"), "");
  EXPECT_EQ(indent_after("\n"), "");
  EXPECT_EQ(indent_after(""), "");
}

TEST_F(WorkbenchTest, SavesWhatIsTypedAndTakesWhatAnotherEditorWrites) {
  bench_->open_file(file_.string(), "");
  settle();
  const std::string first = bench_->text(), second = first + "// second\n", third = first + "// third\n";
  bench_->set_text(second, 0);
  ASSERT_TRUE(bench_->edited());
  ASSERT_TRUE(bench_->save_text(file_.string()));
  EXPECT_FALSE(bench_->edited());
  EXPECT_EQ(read_text(file_).value(), second);
  settle(10);

  ASSERT_TRUE(write_text(file_, third));
  bench_->read_again();
  EXPECT_EQ(bench_->text(), third);
  settle(20);
  EXPECT_EQ(bench_->picture()->of.text, third) << "runs what is on the disk";

  bench_->set_text(first, 30);
  ASSERT_TRUE(write_text(file_, second));
  bench_->read_again();
  EXPECT_EQ(bench_->text(), first) << "an edit stays";
  EXPECT_TRUE(bench_->edited());
  bench_->revert_text();
  EXPECT_EQ(bench_->text(), second);
  EXPECT_FALSE(bench_->save_text("/nowhere/at/all.cu"));
}

// Undo is about what stands in the editor; what the file holds it neither forgets nor writes.
TEST_F(WorkbenchTest, AReloadAndASaveAreTakenBackInTheEditorOnly) {
  bench_->open_file(file_.string(), "");
  settle();
  const std::string first = bench_->text(), second = first + "// second\n";
  ASSERT_TRUE(write_text(file_, second));
  bench_->read_again();
  ASSERT_EQ(bench_->text(), second);
  settle(10);
  bench_->undo();
  EXPECT_EQ(bench_->text(), first);
  EXPECT_TRUE(bench_->edited()) << "the file has the other text";
  settle(20);
  EXPECT_EQ(bench_->picture()->of.text, first);
  bench_->read_again();
  EXPECT_EQ(bench_->text(), first) << "nothing has been written since";
  bench_->redo();
  EXPECT_EQ(bench_->text(), second);
  EXPECT_FALSE(bench_->edited());

  bench_->set_text(first, 30);
  ASSERT_TRUE(bench_->save_text(file_.string()));
  bench_->undo();
  EXPECT_EQ(bench_->text(), second);
  EXPECT_TRUE(bench_->edited());
  bench_->revert_text();
  EXPECT_EQ(bench_->text(), first);
  settle(40);
}

}  // namespace
}  // namespace warplens::window::testing
