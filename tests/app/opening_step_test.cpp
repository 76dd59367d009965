// Where a kernel opens: at the access that its numbers are about, for every kernel of the gallery.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "app/model/gallery/gallery.h"
#include "app/model/picture/picture.h"
#include "engine/analysis/access_costs.h"
#include "tests/app/whole_gallery.h"
#include "visual/views.h"

namespace warplens::model {
namespace {

std::string squeezed(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out),
               [](unsigned char c) { return std::isspace(c) == 0; });
  return out;
}

std::string_view kind_name(trace::SiteKind kind) {
  return trace::is_atomic(kind) ? "atomic" : trace::is_store(kind) ? "store" : "load";
}

// Read from the TOML's words alone, not through what chooses the step.
bool is_named(const trace::Site& site, trace::Space space, const analysis::About& about) {
  const bool shared = space == trace::Space::Shared;
  return (about.memory.empty() || (about.memory == "shared") == shared) &&
         (about.op.empty() || about.op == kind_name(site.kind) || site.op.starts_with(about.op)) &&
         squeezed(site.text).find(squeezed(about.text)) != std::string::npos;
}

// The views that the window opens the kernel with.
std::vector<std::string> opening_views(const GalleryKernel& kernel, const Run& run) {
  visual::ViewInput input;
  input.report = &run.report;
  input.trace = &run.trace;
  std::vector<std::string> out;
  for (const std::string& id : kernel.views)
    if (const visual::View* view = visual::find_view(id); view && out.size() < 2)
      if (view->basis == visual::Basis::Run && view->applies(input)) out.push_back(id);
  return out;
}

class OpeningStep : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, OpeningStep, testing::ValuesIn(kernel_ids()),
                         [](const auto& test) { return test.param; });

TEST_P(OpeningStep, IsAnAccessThatTheNumbersAreAbout) {
  const GalleryKernel& kernel = *gallery().find(GetParam());
  const auto bound = launch_of(kernel, default_values(kernel));
  ASSERT_TRUE(bound) << bound.error().text();
  const auto program = load_program(program_request(kernel, *bound));
  if (!program) GTEST_SKIP() << "no compiler for it here: " << program.error().text();
  RunRequest request;
  request.program = *program;
  request.launch = bound->launch;
  const auto ran = execute(request);
  ASSERT_TRUE(ran) << ran.error().text();
  const model::Run& run = **ran;
  const std::vector<std::string> views = opening_views(kernel, run);
  const analysis::Focus focus = analysis::focus_of(run.report);
  if (views.empty() || !focus.first()) return;  // shows no access at all

  const std::size_t step = telling_step(run, views);
  ASSERT_LT(step, run.trace.size());
  ASSERT_EQ(run.trace.steps()[step].kind, trace::StepKind::Access);
  const trace::AccessView access = run.trace.access(step);
  const trace::Site& site = run.trace.sites.at(access.site);
  using analysis::Memory;
  const auto memory_of = [](const std::string& view) -> std::optional<Memory> {
    if (view == "bank-view") return Memory::Shared;
    if (view == "constants") return Memory::Constant;
    return view == "address-map" || view == "matrix" ? std::optional(Memory::Global) : std::nullopt;
  };
  const auto shows = [&](const std::string& view, const analysis::AccessCost& cost) {
    if (cost.local && view == "matrix") return false;
    return memory_of(view).value_or(cost.memory) == cost.memory;
  };
  const analysis::AccessCost& first = *focus.first();
  if (!kernel.about.empty()) {
    const bool shown = std::ranges::any_of(views, [&](const auto& view) { return shows(view, first); });
    EXPECT_TRUE(shown) << "opens with views that do not show the access it names: "
                       << testing::PrintToString(views);
    if (!shown) return;
    // A low window has room for one view: it is one of those that show the access.
    EXPECT_TRUE(shows(views.front(), first)) << views.front() << " alone does not show it";
  }
  // Without a name it is the access of the memory that the first view shows.
  const auto& expected = kernel.about.empty() && !shows(views.front(), first)
                             ? focus.of(*memory_of(views.front()))
                             : std::optional(first);
  ASSERT_TRUE(expected);
  EXPECT_EQ(access.space == trace::Space::Shared, expected->memory == Memory::Shared);
  EXPECT_EQ(access.space == trace::Space::Constant, expected->memory == Memory::Constant);
  EXPECT_TRUE(expected->holds(site)) << site.op << " of line " << site.line << " instead of " << expected->op
                                     << " of line " << expected->line;
  if (kernel.about.empty()) return;
  EXPECT_TRUE(
      std::ranges::any_of(kernel.about, [&](const auto& a) { return is_named(site, access.space, a); }))
      << "opens on " << site.op << ": " << site.text;
}

}  // namespace
}  // namespace warplens::model
