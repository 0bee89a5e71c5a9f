#include "cli/text/json.hpp"

#include <cstdio>

#include "cli/text/hex.hpp"
#include "cli/text/text.hpp"

namespace vsh::cli {

Json::Json(std::string_view text) : text_("\"") {
  for (const char c : to_utf8(text)) {
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

JsonObject& add_file(JsonObject& object, std::string_view name) {
  object.add("file", name);
  if (to_utf8(name) != name) {
    object.add("file_hex", encode_hex({reinterpret_cast<const uint8_t*>(name.data()), name.size()}));
  }
  return object;
}

JsonObject& add_error(JsonObject& object, const Failure& failure) {
  if (failure.error_number() == 0) return object.add("error", "failed");
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
  const char* const text = ::strerrordesc_np(failure.error_number());  // strerror() is translated
#else
  const char* const text = std::strerror(failure.error_number());
#endif
  return object.add("error", text != nullptr ? text : "unknown error");
}

}  // namespace vsh::cli
