#include "programs/tomo/viewer/site.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "programs/common/text/json.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tomo {
namespace {

using cli::Json;
using cli::JsonArray;
using cli::JsonObject;
using cli::mark;

struct File {
  std::string_view name, content;
};
constexpr File kFiles[] = {
#include "page.inc"  // embedded.cmake makes it
};

const char* type_of(std::string_view name) {
  return name.ends_with(".js")    ? "text/javascript; charset=utf-8"
         : name.ends_with(".css") ? "text/css; charset=utf-8"
                                  : "text/html; charset=utf-8";
}

// The words of the page, by which it asks for them.
// clang-format off
constexpr const char* kWords[] = {
    mark("Planes"), mark("Side by side"), mark("Profile"), mark("Cross-hair"), mark("Save PNG"), mark("Keys"),
    mark("Window"), mark("Level"), mark("Width"), mark("Files"), mark("the viewer does not answer: was it ended?"),
    mark("Axial"), mark("Coronal"), mark("Sagittal"), mark("Projection"), mark("Sinogram"), mark("Bin"),
    mark("angle"), mark("row"), mark("bin"), mark("Scan"), mark("Own"), mark("value"),
    mark("Shift and drag draw a line"), mark("wheel"), mark("drag"), mark("click, right button"),
    mark("Shift and drag"), mark("Ctrl and wheel, middle button"), mark("double click"),
    mark("NaN or infinite values"), mark("Slice before, slice behind"), mark("Ten slices; the first, the last"),
    mark("The plane"), mark("Window: to the right wider, up brighter"), mark("Profile along a line"),
    mark("Zoom, move"), mark("Whole slice"), mark("One pane only"), mark("Window by the histogram; full range"),
    mark("Cross-hair on and off"), mark("Side by side, with the difference"), mark("The other of two volumes"),
    mark("Save the active pane as PNG: a pixel for each number"), mark("Soft tissue"), mark("Lung"), mark("Bone"),
    mark("Brain"), mark("This slice"), mark("Tenth of the range"), mark("Central 99.8 %"), mark("Full range"),
    mark("Mask"), mark("Mask on and off"),
};
// clang-format on

JsonObject description(const Stack& stack) {
  const Statistics found = statistics_of(stack.values);
  return {{"name", stack.name},
          {"unit", stack.unit},
          {"is_scan", stack.is_scan},
          {"is_mask", stack.is_mask},
          {"shape", JsonArray(stack.shape)},
          {"first", stack.first},
          {"low", found.low},
          {"high", found.high},
          {"gaps", found.num_gaps},
          {"histogram", JsonArray(found.histogram)},
          {"radians", stack.radians.empty() ? Json() : JsonArray(stack.radians)},
          {"centre", stack.centre}};
}

// Takes decimal digits, at most nine, and the slash behind them, if any, from the front.
std::optional<size_t> take_number(std::string_view& path) {
  size_t number = 0;
  const size_t len = std::min<size_t>(path.find('/'), path.size());
  const char* const end = path.data() + len;
  if (len == 0 || len > 9) return std::nullopt;
  if (const auto read = std::from_chars(path.data(), end, number); read.ec != std::errc{} || read.ptr != end)
    return std::nullopt;
  path.remove_prefix(std::min(len + 1, path.size()));
  return number;
}

Server::Reply found(const char* type, std::string_view text) {
  Server::Reply reply;
  reply.type = type;
  put_text(reply.body, text);
  return reply;
}

Server::Reply not_found() {
  Server::Reply reply = found(Server::Reply().type, "nothing is here\n");
  reply.status = 404;
  return reply;
}

}  // namespace

Site::Site(std::vector<Stack> stacks) : stacks_(std::move(stacks)) {
  JsonArray arrays;
  for (const Stack& stack : stacks_) arrays.add(description(stack));
  JsonObject words;
  for (const char* word : kWords) words.add(word, cli::tr(word));
  info_ = JsonObject{{"arrays", arrays}, {"words", words}}.text();
}

Server::Reply Site::reply(std::string_view path) const {
  for (const File& file : kFiles)
    if (file.name == path) return found(type_of(file.name), file.content);
  if (path == "info") return found("application/json", info_);
  if (!path.starts_with("plane/") || path.ends_with('/')) return not_found();
  path.remove_prefix(6);
  const auto stack = take_number(path), axis = take_number(path), index = take_number(path);
  if (!stack || !axis || !index || !path.empty() || *stack >= stacks_.size() || *axis > 2 ||
      *index >= stacks_[*stack].shape[*axis])
    return not_found();
  Server::Reply reply;
  reply.type = "application/octet-stream";
  reply.body = plane_of(stacks_[*stack], *axis, *index);
  return reply;
}

}  // namespace vsh::tomo
