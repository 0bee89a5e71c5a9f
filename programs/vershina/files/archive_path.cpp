#include "programs/vershina/files/archive_path.hpp"

#include <algorithm>

namespace vsh::cli {
namespace {

// Removes the next component from `path` and returns it; empty at the end.
std::string_view take_component(std::string_view& path) {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  const std::string_view component = path.substr(0, path.find('/'));
  path.remove_prefix(component.size());
  return component;
}

}  // namespace

std::optional<std::string> inside_path(std::string_view path) {
  if (path.empty() || path.front() == '/') return std::nullopt;
  std::string inside;
  for (auto component = take_component(path); !component.empty(); component = take_component(path)) {
    if (component == "..") return std::nullopt;
    if (component == ".") continue;
    if (!inside.empty()) inside += '/';
    inside += component;
  }
  return inside;
}

bool target_stays_inside(std::string_view link, std::string_view target) {
  if (target.empty() || target.front() == '/') return false;
  auto depth = std::count(link.begin(), link.end(), '/');
  bool descended = false;
  for (auto component = take_component(target); !component.empty(); component = take_component(target)) {
    if (component == ".") continue;
    if (component != "..") {
      descended = true;
    } else if (descended || --depth < 0) {
      return false;
    }
  }
  return true;
}

}  // namespace vsh::cli
