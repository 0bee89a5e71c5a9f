// Names of devices, as in vsh_options.device.
#pragma once

#include <algorithm>
#include <string_view>

namespace vsh::cli {

// "cuda:N", "opencl:P", "opencl:P.D".
inline bool is_device_name(std::string_view word) {
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.size() <= 4 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const size_t colon = word.find(':');
  if (colon == word.npos) return false;
  const std::string_view back_end = word.substr(0, colon), number = word.substr(colon + 1);
  const size_t point = number.find('.');
  if (back_end == "cuda") return is_number(number);
  return back_end == "opencl" && is_number(number.substr(0, point)) &&
         (point == number.npos || is_number(number.substr(point + 1)));
}

// Device for large requests: those names, or "cpu", "auto", "all".
inline bool is_device_word(std::string_view word) {
  return word == "cpu" || word == "auto" || word == "all" || is_device_name(word);
}

}  // namespace vsh::cli
