// JSON output: objects and arrays are composed from the texts of their values.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include "programs/common/text/failure.hpp"

namespace vsh::cli {

// A JSON value.
class Json {
 public:
  Json() : text_("null") {}
  template <std::same_as<bool> Bool>
  Json(Bool value) : text_(value ? "true" : "false") {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) Json(Number value) : text_(std::to_string(value)) {}
  Json(double value);           // in as few digits as read back the same; null if it is infinite or NaN
  Json(std::string_view text);  // in quotation marks, escaped; bytes that are not UTF-8 become U+FFFD
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}
  static Json fixed(double value, int decimals);

  const std::string& text() const { return text_; }

 protected:
  // Begins a valid value; further items are inserted before its final `bracket`.
  void open(char bracket) { text_ = std::string(1, bracket) + (bracket == '{' ? '}' : ']'); }
  // Appends an item, on its own line indented by two, or after the previous one.
  void append(const std::string& item, bool own_line);

 private:
  std::string text_;
};

// Layout of items: all on one line, or each on its own.
enum class JsonLayout { line, lines };

class JsonArray : public Json {
 public:
  explicit JsonArray(JsonLayout layout = JsonLayout::line) : own_lines_(layout == JsonLayout::lines) { open('['); }
  template <std::ranges::input_range Values>
  explicit JsonArray(const Values& values, JsonLayout layout = JsonLayout::line) : JsonArray(layout) {
    for (const auto& value : values) add(value);
  }
  JsonArray& add(const Json& value) {
    append(value.text(), own_lines_);
    return *this;
  }

 private:
  bool own_lines_;
};

class JsonObject : public Json {
 public:
  using Member = std::pair<std::string_view, Json>;

  explicit JsonObject(JsonLayout layout = JsonLayout::line) : own_lines_(layout == JsonLayout::lines) { open('{'); }
  JsonObject(std::initializer_list<Member> members, JsonLayout layout = JsonLayout::line) : JsonObject(layout) {
    for (const auto& [name, value] : members) add(name, value);
  }
  JsonObject& add(std::string_view name, const Json& value) {
    append(Json(name).text() + ": " + value.text(), own_lines_);
    return *this;
  }

 private:
  bool own_lines_;
};

// Adds a name as "file", and for one that is not UTF-8 its bytes as "file_hex", too.
JsonObject& add_file(JsonObject& object, std::string_view name);

// Adds why a file could not be read as "error", in the same words in every locale.
JsonObject& add_error(JsonObject& object, const Failure& failure);

}  // namespace vsh::cli
