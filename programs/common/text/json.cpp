#include "programs/common/text/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "programs/common/text/hex.hpp"
#include "programs/common/text/text.hpp"

namespace vsh::cli {

namespace {

// Escapes UTF-16 code units, as JSON does.
std::string escaped(uint32_t code) {
  char text[16];
  if (code < 0x10000) {
    std::snprintf(text, sizeof text, "\\u%04x", code);
  } else {
    std::snprintf(text, sizeof text, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
  }
  return text;
}

}  // namespace

Json::Json(std::string_view text) : text_("\"") {
  const std::string utf8 = to_utf8(text);
  text = utf8;
  while (!text.empty()) {
    const char c = text[0];
    size_t len = 1;
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      text_ += escaped(static_cast<unsigned char>(c));
    } else if (c == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0) {  // C1 controls, U+009B for ESC [ among them
      text_ += escaped(static_cast<unsigned char>(text[1]));
      len = 2;
    } else if (const uint32_t code = invisible_character(text)) {
      text_ += escaped(code);
      len = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    } else {
      text_ += c;
    }
    text.remove_prefix(len);
  }
  text_ += '"';
}

Json::Json(double value) : Json() {
  if (!std::isfinite(value)) return;
  const double size = std::abs(value);
  const bool is_plain = size == 0 || (size >= 1e-4 && size < 1e15);
  char text[40];
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  text_.assign(text, std::to_chars(text, text + sizeof text, value, format).ptr);
  if (text_.find_first_of(".e") == std::string::npos) text_ += ".0";
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
