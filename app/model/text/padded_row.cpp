#include "app/model/text/padded_row.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "app/model/text/shared_declarations.h"

namespace warplens::model {
namespace {

constexpr std::int64_t kWord = 4, kVector = 16, kBankTurn = 32;

// Of types whose size the text alone tells; 0: it does not.
std::int64_t bytes_of(const std::string& type) {
  struct Named {
    std::string_view name;
    std::int64_t bytes;
  };
  static constexpr std::array<Named, 18> kTypes{{{"float", 4},
                                                 {"int", 4},
                                                 {"unsigned", 4},
                                                 {"unsigned int", 4},
                                                 {"double", 8},
                                                 {"float2", 8},
                                                 {"int2", 8},
                                                 {"float4", 16},
                                                 {"int4", 16},
                                                 {"char", 1},
                                                 {"unsigned char", 1},
                                                 {"short", 2},
                                                 {"half", 2},
                                                 {"__half", 2},
                                                 {"half2", 4},
                                                 {"__nv_bfloat16", 2},
                                                 {"int32_t", 4},
                                                 {"uint32_t", 4}}};
  const auto found = std::ranges::find(kTypes, std::string_view(type), &Named::name);
  return found == kTypes.end() ? 0 : found->bytes;
}

// A sum needs no brackets around these.
bool is_plain(std::string_view extent) {
  return extent.find_first_of("?<>=&|^%!~,") == std::string_view::npos;
}

// What stands between the last brackets, a sum now.
std::string longer(std::string_view extent, int elements) {
  const std::string more = " + " + std::to_string(elements);
  return is_plain(extent) ? std::string(extent) + more : "(" + std::string(extent) + ")" + more;
}

const SharedDeclaration* find(const std::vector<SharedDeclaration>& all, const Padding& padding) {
  const auto found = std::ranges::find_if(all, [&](const SharedDeclaration& d) {
    return d.function == padding.function && d.name == padding.array && d.extents.size() > 1;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Padding> paddings(const std::string& text, const Defines& defines, const std::string& function) {
  std::vector<Padding> out;
  for (const SharedDeclaration& d : shared_declarations(text, defines)) {
    if (d.extents.size() < 2 || !d.extents.back() || d.last_end <= d.last_begin) continue;
    if (!d.function.empty() && d.function != function) continue;
    const std::int64_t bytes = bytes_of(d.type);
    if (bytes == 0 || *d.extents.back() * bytes % kBankTurn != 0) continue;
    std::int64_t before = 0;
    for (const std::int64_t more : {kWord, kVector}) {
      const std::int64_t elements = std::max<std::int64_t>(1, more / bytes);
      if (elements == before) continue;
      before = elements;
      Padding p{d.function, d.name, static_cast<int>(elements), d.line, {}, {}};
      const std::string_view extent = std::string_view(text).substr(d.last_begin, d.last_end - d.last_begin);
      const std::string head = text.substr(d.begin, d.last_begin - d.begin);
      p.was = head + std::string(extent) + "]";
      p.becomes = head + longer(extent, p.elements) + "]";
      out.push_back(std::move(p));
    }
  }
  return out;
}

std::optional<std::string> with_padding(const std::string& text, const Defines& defines,
                                        const Padding& padding) {
  const auto all = shared_declarations(text, defines);
  const SharedDeclaration* d = find(all, padding);
  if (d == nullptr || d->last_end <= d->last_begin) return std::nullopt;
  const std::string_view extent = std::string_view(text).substr(d->last_begin, d->last_end - d->last_begin);
  return text.substr(0, d->last_begin) + longer(extent, padding.elements) + text.substr(d->last_end);
}

}  // namespace warplens::model
