// JSON that may be anybody's. nlohmann::json parses without recursion, but what copies or compares a value recurses as
// deep as its brackets go: a bound on that makes all of it safe.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace vsh::cli {

inline constexpr int kMostJsonDepth = 64;

// Returns a discarded value for a text that is not JSON, or deeper than that.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text) {
  bool is_deep = false;
  const auto is_kept = [&](int depth, typename Json::parse_event_t, Json&) {
    is_deep = is_deep || depth > kMostJsonDepth;
    return !is_deep;
  };
  Json value = Json::parse(text, is_kept, false);
  return is_deep ? Json(Json::value_t::discarded) : value;
}

}  // namespace vsh::cli
