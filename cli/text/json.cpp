#include "cli/text/json.hpp"

#include <cstdio>

namespace vsh::cli {

Json::Json(std::string_view text) : text_("\"") {
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      text_ += escape;
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

Json Json::fixed(double value, int decimals) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  Json json;
  json.text_ = text;
  return json;
}

void Json::append(const std::string& item, bool own_line) {
  const char bracket = text_.back();
  const bool is_first = text_.size() == 2;
  text_.pop_back();
  if (!own_line) {
    text_ += (is_first ? "" : ", ") + item + bracket;
    return;
  }
  if (!is_first) text_.pop_back();  // the newline before the bracket
  text_ += is_first ? "\n  " : ",\n  ";
  for (const char c : item) {
    text_ += c;
    if (c == '\n') text_ += "  ";
  }
  text_ += '\n';
  text_ += bracket;
}

}  // namespace vsh::cli
