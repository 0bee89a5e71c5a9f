#include "programs/tomo/segmentation/network.hpp"

#include <dlfcn.h>

#include <array>
#include <cstring>

#include "programs/common/system/environment.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/segmentation/ort_api.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

using namespace ort;

struct Functions {
#define VSH_ORT_MEMBER(place, name, result, ...) result (*name)(__VA_ARGS__);
  VSH_ORT_FUNCTIONS(VSH_ORT_MEMBER)
#undef VSH_ORT_MEMBER
};

// The library stays open until the process ends: it has threads.
class Library {
 public:
  explicit Library(const std::string& chosen) {
    const std::string file = chosen.empty() ? std::string(cli::environment("VERSHINA_ONNXRUNTIME")) : chosen;
    void* const handle = file.empty() ? open_usual() : open(file);
    const auto get_base = reinterpret_cast<const ApiBase* (*)()>(::dlsym(handle, "OrtGetApiBase"));
    const ApiBase* const base = get_base != nullptr ? get_base() : nullptr;
    const void* const api = base != nullptr ? base->get_api(kVersion) : nullptr;
    if (api == nullptr)
      throw Failure(ExitCode::internal, tr("{1}: is not an ONNX Runtime", quote_name(file.empty() ? kUsual[0] : file)),
                    tr("name its libonnxruntime.so with --runtime"));
    const auto* const table = static_cast<void (*const*)()>(api);
#define VSH_ORT_LOAD(place, name, result, ...) functions.name = reinterpret_cast<result (*)(__VA_ARGS__)>(table[place]);
    VSH_ORT_FUNCTIONS(VSH_ORT_LOAD)
#undef VSH_ORT_LOAD
    version = base->get_version();
  }

  Functions functions{};
  std::string version;

 private:
  static constexpr std::array kUsual = {"libonnxruntime.so.1", "libonnxruntime.so"};

  static void* open_usual() {
    for (const char* const name : kUsual)
      if (void* const handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
    throw Failure(ExitCode::internal, tr("ONNX Runtime (libonnxruntime.so) was not found"),
                  tr("install it, as by pip install onnxruntime, and name its library with --runtime or "
                     "VERSHINA_ONNXRUNTIME"));
  }
  static void* open(const std::string& file) {
    // A name without a slash would be searched in the system's folders.
    const std::string path = file.find('/') == file.npos ? "./" + file : file;
    if (void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* const message = ::dlerror();
    throw Failure(ExitCode::internal, tr("ONNX Runtime cannot be loaded: {1}", quote_name(message ? message : path)),
                  tr("name its libonnxruntime.so with --runtime"));
  }
};

template <class Object>
using Owned = std::unique_ptr<Object, void (*)(Object*)>;

// [batch, channels, rows, columns]; below 0: open.
using Shape = std::array<int64_t, 4>;

}  // namespace

class Network::Implementation {
 public:
  Implementation(const OnnxModel& model, const std::string& runtime, unsigned threads)
      : name_(model.name), library_(runtime) {
    // Its messages come back as statuses; what it would print itself is left out.
    env_ = made<Env>(api_.ReleaseEnv, [&](Env** out) { return api_.CreateEnv(kFatal, "vershina", out); });
    const auto options = made<SessionOptions>(api_.ReleaseSessionOptions,
                                              [&](SessionOptions** out) { return api_.CreateSessionOptions(out); });
    check(api_.SetIntraOpNumThreads(options.get(), static_cast<int>(threads)));
    check(api_.SetInterOpNumThreads(options.get(), 1));
    session_ = made<Session>(api_.ReleaseSession, [&](Session** out) {
      return api_.CreateSessionFromArray(env_.get(), model.bytes.data(), model.bytes.size(), options.get(), out);
    });
    memory_ = made<MemoryInfo>(api_.ReleaseMemoryInfo, [&](MemoryInfo** out) {
      return api_.CreateCpuMemoryInfo(kDeviceAllocator, kDefaultMemory, out);
    });
    size_t inputs = 0, outputs = 0;
    check(api_.SessionGetInputCount(session_.get(), &inputs));
    check(api_.SessionGetOutputCount(session_.get(), &outputs));
    if (inputs != 1 || outputs != 1)
      refuse(tr("has {1} inputs and {2} outputs", inputs, outputs), tr("one of each is needed"));
    check(api_.GetAllocatorWithDefaultOptions(&allocator_));
    input_ = tensor_name([&](char** out) { return api_.SessionGetInputName(session_.get(), 0, allocator_, out); });
    output_ = tensor_name([&](char** out) { return api_.SessionGetOutputName(session_.get(), 0, allocator_, out); });
    const Shape in =
        declared([&](TypeInfo** out) { return api_.SessionGetInputTypeInfo(session_.get(), 0, out); }, tr("the input"));
    const Shape out = declared([&](TypeInfo** type) { return api_.SessionGetOutputTypeInfo(session_.get(), 0, type); },
                               tr("the output"));
    const auto fits = [](int64_t given, int64_t wanted) { return given < 0 || given == wanted; };
    if (!fits(in[0], 1) || !fits(in[1], 1) || in[2] != in[3])
      refuse(tr("the input is {1}", text_of(in)), tr("it must be [1, 1, n, n]"));
    if (in[2] == 0 || in[2] > static_cast<int64_t>(kMostTile))
      refuse(tr("the input is {1}", text_of(in)), tr("n must be 1 to {1}", kMostTile));
    if (!fits(out[0], 1) || out[1] < 1 || out[1] > static_cast<int64_t>(kMostClasses) ||
        (in[2] > 0 && (!fits(out[2], in[2]) || !fits(out[3], in[2]))))
      refuse(tr("the output is {1}", text_of(out)),
             tr("it must be [1, classes, n, n] with at most {1} classes and the input's n", kMostClasses));
    tile_ = in[2] > 0 ? static_cast<size_t>(in[2]) : 0;
    num_scores_ = static_cast<size_t>(out[1]);
  }

  const std::vector<float>& run(std::vector<float>& values, size_t n) {
    const auto side = static_cast<int64_t>(n);
    const Shape shape = {1, 1, side, side}, wanted = {1, static_cast<int64_t>(num_scores_), side, side};
    const auto input = made<Value>(api_.ReleaseValue, [&](Value** out) {
      return api_.CreateTensorWithDataAsOrtValue(memory_.get(), values.data(), n * n * sizeof(float), shape.data(), 4,
                                                 kFloat, out);
    });
    const char *const in_name = input_.c_str(), *const out_name = output_.c_str();
    const Value* const inputs = input.get();
    const auto output = made<Value>(api_.ReleaseValue, [&](Value** out) {
      return api_.Run(session_.get(), nullptr, &in_name, &inputs, 1, &out_name, 1, out);
    });
    int is_tensor = 0;
    if (output != nullptr) check(api_.IsTensor(output.get(), &is_tensor));
    if (is_tensor == 0) refuse(tr("the output is not a tensor"));
    const auto info = made<ShapeInfo>(api_.ReleaseTensorTypeAndShapeInfo,
                                      [&](ShapeInfo** out) { return api_.GetTensorTypeAndShape(output.get(), out); });
    const Shape got = shape_of(info.get(), tr("the output"));
    if (got != wanted) refuse(tr("the output is {1}", text_of(got)), tr("it must be {1}", text_of(wanted)));
    void* data = nullptr;
    check(api_.GetTensorMutableData(output.get(), &data));
    const auto* const scores = static_cast<const float*>(data);
    scores_.assign(scores, scores + num_scores_ * n * n);
    return scores_;
  }

  size_t num_scores() const { return num_scores_; }
  size_t tile() const { return tile_; }
  const std::string& version() const { return library_.version; }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& advice = {}) const {
    throw Failure(ExitCode::input, name_ + ": " + problem, advice);
  }
  void check(Status* status) const {
    if (status == nullptr) return;
    const std::string message = api_.GetErrorMessage(status);
    api_.ReleaseStatus(status);
    refuse(tr("ONNX Runtime: {1}", quote_name(message)));
  }
  template <class Object, class Make>
  Owned<Object> made(void (*release)(Object*), Make make) const {
    Object* object = nullptr;
    check(make(&object));
    return {object, release};
  }
  template <class Get>
  std::string tensor_name(Get get) const {
    char* text = nullptr;
    check(get(&text));
    std::string name = text;
    check(api_.AllocatorFree(allocator_, text));
    return name;
  }
  template <class Get>
  Shape declared(Get get, const std::string& what) const {
    const auto type = made<TypeInfo>(api_.ReleaseTypeInfo, get);
    const ShapeInfo* info = nullptr;  // the type's
    check(api_.CastTypeInfoToTensorInfo(type.get(), &info));
    return shape_of(info, what);
  }
  Shape shape_of(const ShapeInfo* info, const std::string& what) const {
    int type = 0;
    size_t rank = 0;
    if (info != nullptr) check(api_.GetTensorElementType(info, &type));
    if (type != kFloat) refuse(tr("{1} is not a tensor of float32", what), tr("export the model with float32"));
    check(api_.GetDimensionsCount(info, &rank));
    Shape shape{};
    if (rank != shape.size()) refuse(tr("{1}: {2} dimensions", what, rank), tr("it must have four"));
    check(api_.GetDimensions(info, shape.data(), rank));
    return shape;
  }
  static std::string text_of(const Shape& shape) {
    std::string text;
    for (const int64_t size : shape) text += (text.empty() ? "[" : ", ") + (size < 0 ? "?" : std::to_string(size));
    return text + "]";
  }

  const std::string name_;
  const Library library_;
  const Functions& api_ = library_.functions;
  Owned<Env> env_{nullptr, nullptr};
  Owned<Session> session_{nullptr, nullptr};
  Owned<MemoryInfo> memory_{nullptr, nullptr};
  Allocator* allocator_ = nullptr;
  std::string input_, output_;
  size_t tile_ = 0, num_scores_ = 0;
  std::vector<float> scores_;
};

Network::Network(const OnnxModel& model, const std::string& runtime, unsigned threads)
    : implementation_(std::make_unique<Implementation>(model, runtime, threads)) {}
Network::~Network() = default;
size_t Network::num_scores() const { return implementation_->num_scores(); }
size_t Network::tile() const { return implementation_->tile(); }
const std::string& Network::version() const { return implementation_->version(); }
const std::vector<float>& Network::run(std::vector<float>& values, size_t n) { return implementation_->run(values, n); }

}  // namespace vsh::tomo
