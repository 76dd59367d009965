#include "engine/ptx/facts/clusters.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "engine/ptx/syntax/parser.h"

namespace warplens::ptx {
namespace {

constexpr const char* kText =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    "// an .entry in a comment {\n"
    ".extern .entry elsewhere(.param .u64 p);\n"
    ".visible .entry plain(\n  .param .u64 p\n)\n{\n  ret;\n}\n"
    ".entry bounded()\n.maxntid 64, 1, 1\n{\n  ret;\n}\n";

TEST(Clusters, OfALaunchAreWrittenToEveryKernelOnItsOwnLine) {
  const auto text = with_clusters(kText, {2, 4, 1});
  EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(std::string_view(kText), '\n'));
  const auto module = parse(text, {.file = "clusters.ptx"});
  ASSERT_TRUE(module) << module.error().text();
  for (const char* name : {"plain", "bounded"})
    EXPECT_EQ(cluster_of(**module->find_entry(name)), (Dim3{2, 4, 1})) << name;
}

TEST(Clusters, OfOneBlockWithoutTheAttribute) {
  const auto module = parse(kText, {.file = "clusters.ptx"});
  ASSERT_TRUE(module);
  EXPECT_EQ(cluster_of(**module->find_entry("plain")), Dim3{});
}

// A program has kernels of both kinds in one file, and launches the others in clusters that it asks for.
TEST(Clusters, OfAKernelItselfStay) {
  const std::string own = std::string(kText) + ".entry own()\n.reqnctapercluster 4\n{\n  ret;\n}\n";
  const auto module = parse(with_clusters(own, {2, 1, 1}), {.file = "clusters.ptx"});
  ASSERT_TRUE(module) << module.error().text();
  EXPECT_EQ(cluster_of(**module->find_entry("own")), (Dim3{4, 1, 1}));
  EXPECT_EQ(cluster_of(**module->find_entry("plain")), (Dim3{2, 1, 1}));
}

}  // namespace
}  // namespace warplens::ptx
