// ONNX models, looked through before another program's library reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vsh::tomo {

struct OnnxModel {
  std::string name;  // for messages
  std::vector<uint8_t> bytes;
  std::optional<std::string> labels;  // the metadata property of that name
};

// Reads the file, of at most 2 GiB. Throws a Failure as check_model does, and for a file that cannot be read.
OnnxModel read_model(const std::string& path);

// Returns the property `labels`. Throws a Failure if the bytes are no ONNX model (onnx.proto of ONNX 1.23, protobuf
// wire format), have weights in other files (external data, which could name any file), or operators that repeat a part
// of the graph as often as the model says (Loop, Scan).
std::optional<std::string> check_model(std::span<const uint8_t> bytes, const std::string& name);

}  // namespace vsh::tomo
