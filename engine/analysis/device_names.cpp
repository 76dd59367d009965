// Which device of the list a GPU is, by what its driver calls it: "NVIDIA A100-SXM4-80GB" is "A100 80 SXM",
// "NVIDIA GeForce RTX 4090 Laptop GPU" is not "RTX 4090".
#include "engine/analysis/device_names.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "engine/analysis/device.h"

namespace warplens::analysis {
namespace {

using Words = std::vector<std::string>;

std::string in_capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

Words words_as_written(std::string_view name) {
  Words out;
  std::string word;
  for (const char c : std::string(name) + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word.push_back(c);
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  return out;
}

Words words_of(std::string_view name) {
  return words_as_written(in_capitals(std::string(name)));
}

bool is_number(const std::string& word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
}
bool is_form(const std::string& word) {
  return word.starts_with("SXM") || word.starts_with("PCI") || word == "NVL";
}
// What says nothing about which GPU it is.
bool is_ornament(const std::string& word) {
  for (const char* known : {"NVIDIA", "TESLA", "GEFORCE", "GPU", "GRAPHICS", "DEVICE"})
    if (word == known) return true;
  return word.starts_with("HBM") || is_form(word);
}
// The same, or what is compared in another way.
bool is_filling(const std::string& word) {
  return is_ornament(word) || (word.ends_with("GB") && word.size() > 2);
}

// "80" of "A100 80 SXM": the size of its memory, where the same GPU comes with several.
double gigabytes_of(const Hardware& hardware, const Words& words) {
  for (const std::string& word : words)
    if (word.ends_with("GB") && is_number(word.substr(0, word.size() - 2))) return std::stod(word);
  return static_cast<double>(hardware.memory_bytes) / 1e9;
}

// A number is the size of memory where the word before it names the GPU by itself: "A100 80", not "RTX 4090".
bool is_size(const Words& listed, std::size_t i) {
  const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  return i > 0 && is_number(listed[i]) && std::any_of(listed[i - 1].begin(), listed[i - 1].end(), digit);
}

bool is_it(const Device& device, const Hardware& hardware, const Words& words) {
  if (hardware.sms > 0 && device.sms > 0 && hardware.sms != device.sms) return false;
  const Words listed = words_of(device.name);
  const auto has = [](const Words& in, const std::string& word) {
    return std::find(in.begin(), in.end(), word) != in.end();
  };
  for (std::size_t i = 0; i < listed.size(); ++i) {
    if (is_size(listed, i)) {
      const double wanted = std::stod(listed[i]), there = gigabytes_of(hardware, words);
      if (there > 0 && std::abs(there - wanted) > 0.15 * wanted) return false;
    } else if (is_form(listed[i])) {
      const auto form = std::find_if(words.begin(), words.end(), is_form);
      if (form != words.end() && form->substr(0, 3) != listed[i].substr(0, 3)) return false;
    } else if (!has(words, listed[i])) {
      return false;
    }
  }
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return is_filling(word) || has(listed, word); });
}

}  // namespace

std::string brief_device_name(std::string_view name) {
  std::string out;
  for (const std::string& word : words_as_written(name))
    if (!is_ornament(in_capitals(word))) out += (out.empty() ? "" : " ") + word;
  return out.empty() ? std::string(name) : out;
}

const Device* DeviceCatalogue::of_hardware(const Hardware& hardware) const {
  const Words words = words_of(hardware.name);
  if (words.empty()) return nullptr;
  for (const Device& device : devices_)
    if (is_it(device, hardware, words)) return &device;
  return nullptr;
}

}  // namespace warplens::analysis
