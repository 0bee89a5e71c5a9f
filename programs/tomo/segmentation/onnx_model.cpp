#include "programs/tomo/segmentation/onnx_model.hpp"

#include <cstring>
#include <string_view>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/regular_file.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;
using Span = std::span<const uint8_t>;

// The messages that lead to tensors, operators and properties.
enum class Message { model, graph, node, attribute, tensor, sparse_tensor, function, training, property };

struct Child {
  Message parent;
  uint64_t field;
  Message message;
};
// clang-format off
constexpr Child kChildren[] = {
    {Message::model, 7, Message::graph},          {Message::model, 14, Message::property},
    {Message::model, 20, Message::training},      {Message::model, 25, Message::function},
    {Message::graph, 1, Message::node},           {Message::graph, 5, Message::tensor},
    {Message::graph, 15, Message::sparse_tensor}, {Message::node, 5, Message::attribute},
    {Message::attribute, 5, Message::tensor},     {Message::attribute, 6, Message::graph},
    {Message::attribute, 10, Message::tensor},    {Message::attribute, 11, Message::graph},
    {Message::attribute, 22, Message::sparse_tensor}, {Message::attribute, 23, Message::sparse_tensor},
    {Message::sparse_tensor, 1, Message::tensor}, {Message::sparse_tensor, 2, Message::tensor},
    {Message::function, 7, Message::node},        {Message::function, 11, Message::attribute},
    {Message::training, 1, Message::graph},       {Message::training, 2, Message::graph},
};
// clang-format on
constexpr uint64_t kOperator = 4, kExternalData = 13, kDataLocation = 14;  // of node; of tensor
constexpr uint64_t kKey = 1, kValue = 2;                                   // of property
constexpr int kDeepest = 100;                                              // protobuf's own limit

class Walk {
 public:
  explicit Walk(const std::string& name) : name_(name) {}

  void message(Message kind, Span bytes, int depth = 0) {
    if (depth > kDeepest) broken();
    std::string_view key, value;
    while (!bytes.empty()) {
      // Protobuf drops what a tag has beyond 32 bits: another field would be seen here than there.
      const uint64_t tag = varint(bytes), field = tag >> 3;
      if (field == 0 || tag > UINT32_MAX) broken();
      switch (tag & 7) {
        case 0: {
          const uint64_t number = varint(bytes);
          if (kind == Message::tensor && field == kDataLocation && number != 0) refuse_external();
          break;
        }
        case 1: (void)take(bytes, 8); break;
        case 5: (void)take(bytes, 4); break;
        case 2: {
          const Span inner = take(bytes, varint(bytes));
          const std::string_view text(reinterpret_cast<const char*>(inner.data()), inner.size());
          if (kind == Message::tensor && field == kExternalData) refuse_external();
          if (kind == Message::node && field == kOperator) check_operator(text);
          if (kind == Message::property && field == kKey) key = text;
          if (kind == Message::property && field == kValue) value = text;
          for (const Child& child : kChildren)
            if (child.parent == kind && child.field == field) message(child.message, inner, depth + 1);
          break;
        }
        default: broken();
      }
    }
    has_graph_ = has_graph_ || kind == Message::graph;
    if (kind == Message::property && key == "labels") labels_ = std::string(value);
  }

  [[noreturn]] void broken() const {
    throw Failure(ExitCode::input, tr("{1}: not an ONNX model, or a damaged one", name_), tr("export it again"));
  }
  bool has_graph() const { return has_graph_; }
  const std::optional<std::string>& labels() const { return labels_; }

 private:
  uint64_t varint(Span& bytes) const {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (bytes.empty()) broken();
      const uint8_t byte = bytes.front();
      bytes = bytes.subspan(1);
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    broken();
  }
  Span take(Span& bytes, uint64_t len) const {
    if (len > bytes.size()) broken();
    const Span inner = bytes.first(static_cast<size_t>(len));
    bytes = bytes.subspan(static_cast<size_t>(len));
    return inner;
  }
  [[noreturn]] void refuse_external() const {
    throw Failure(ExitCode::input, tr("{1}: the weights are in other files", name_),
                  tr("export it as a single file, without external data"));
  }
  // Those that run a graph as often as data say, ONNX Runtime's own among them: time would have no bound.
  void check_operator(std::string_view text) const {
    for (const std::string_view repeating :
         {"Loop", "Scan", "SequenceMap", "BeamSearch", "WhisperBeamSearch", "GreedySearch", "Sampling"})
      if (text == repeating)
        throw Failure(ExitCode::input, tr("{1}: has the operator {2}", name_, std::string(text)),
                      tr("only networks without loops are run"));
  }

  const std::string& name_;
  bool has_graph_ = false;
  std::optional<std::string> labels_;
};

}  // namespace

std::optional<std::string> check_model(std::span<const uint8_t> bytes, const std::string& name) {
  Walk walk(name);
  // The other format that ONNX Runtime would accept, by its mark.
  if (bytes.size() >= 8 && std::memcmp(bytes.data() + 4, "ORTM", 4) == 0) walk.broken();
  walk.message(Message::model, bytes);
  if (!walk.has_graph()) walk.broken();
  return walk.labels();
}

OnnxModel read_model(const std::string& path) {
  cli::InputFile file = open_regular(path);
  OnnxModel model;
  model.name = file.name();
  const uint64_t len = file.remaining_at_open().value_or(0);
  if (len > uint64_t{2} << 30)
    throw Failure(ExitCode::input, tr("{1}: a model of more than 2 GiB", model.name), tr("an ONNX file has less"));
  model.bytes.resize(static_cast<size_t>(len));
  model.bytes.resize(file.read_all(model.bytes));
  model.labels = check_model(model.bytes, model.name);
  return model;
}

}  // namespace vsh::tomo
