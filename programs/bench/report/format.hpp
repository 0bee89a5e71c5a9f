// Numbers and texts of every report.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <string>

#include "programs/common/text/json.hpp"

namespace vsh::bench {

// JSON of the benchmark: each value is on a line of its own.
class Object : public cli::JsonObject {
 public:
  Object(std::initializer_list<Member> members) : JsonObject(members, cli::JsonLayout::lines) {}
};
class List : public cli::JsonArray {
 public:
  List() : JsonArray(cli::JsonLayout::lines) {}
  template <std::ranges::input_range Values>
  explicit List(const Values& values) : JsonArray(values, cli::JsonLayout::lines) {}
};

// printf into a string, cut off at 400 bytes.
template <class... Args>
std::string format(const char* pattern, Args... args) {
  char text[400];
  std::snprintf(text, sizeof text, pattern, args...);
  return text;
}

// Three significant digits: 0.501, 11.1, 1320.
inline std::string short_number(double x) {
  return format(x < 1 ? "%.3f" : x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x);
}

// Adds an item to a list with commas.
inline void append(std::string& list, const std::string& item) {
  if (!list.empty()) list += ", ";
  list += item;
}

// For text and attributes of XML and HTML. Control characters, which XML does not allow, become blanks.
inline std::string escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') escaped += "&amp;";
    else if (c == '<') escaped += "&lt;";
    else if (c == '>') escaped += "&gt;";
    else if (c == '"') escaped += "&quot;";
    else if (c == '\'') escaped += "&#39;";
    else escaped += static_cast<unsigned char>(c) < ' ' && c != '\n' ? ' ' : c;
  }
  return escaped;
}

}  // namespace vsh::bench
