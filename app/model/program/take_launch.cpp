#include "app/model/program/take_launch.h"

#include <set>

#include "app/model/run/kept_launch.h"
#include "engine/base/assets.h"
#include "engine/base/text.h"

namespace warplens::model {
namespace {

namespace fs = std::filesystem;

Status copy_to(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(to.parent_path(), failed);
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, failed);
  if (!failed) return Done{};
  return told(ErrorKind::System, {"file.not_copied", {{"why", value_of(failed.message())}}},
              {from.string(), 0, 0});
}

}  // namespace

Result<Taken> take_launch(const fs::path& launch, const fs::path& to) {
  const auto kept = read_kept_launch(launch);
  if (!kept) return kept.error();
  std::error_code ignored;
  if (fs::exists(to, ignored) && !fs::is_empty(to, ignored) && !is_kept_launch(to))
    return told(ErrorKind::Usage, {"file.other_folder", {}}, {to.string(), 0, 0});
  const fs::path from = (*kept)->file.parent_path();
  auto text = read_text((*kept)->file);
  if (!text) return text.error();
  const auto taken_along = [&](const fs::path& file, const std::string& as) -> Status {
    const Status copied = copy_to(file, to / as);
    // As launch.toml names it: between quotes, relative to its own folder.
    replace_all(*text, '"' + file.lexically_relative(from.lexically_normal()).generic_string() + '"',
                '"' + as + '"');
    return copied;
  };
  Taken out{(*kept)->name, 0, 0};
  if (Status status = taken_along((*kept)->ptx, "kernel.ptx"); !status) return status.error();
  if (!(*kept)->source.empty())
    if (Status status = taken_along((*kept)->source, (*kept)->source.filename().string()); !status)
      return status.error();
  std::set<fs::path> done;
  for (const KeptLaunch::Allocation& one : (*kept)->allocations) {
    out.bytes += one.bytes;
    if (one.file.empty() || !done.insert(one.file).second) continue;
    ++out.files;
    if (Status status = taken_along(one.file, "memory/" + one.file.filename().string()); !status)
      return status.error();
  }
  if (Status status = write_text(to / "launch.toml", *text); !status) return status.error();
  return out;
}

}  // namespace warplens::model
