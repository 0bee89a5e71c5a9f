// A libonnxruntime.so of the few functions that vershina-tomo calls, for what the real one cannot be made to do, and
// for machines without it. What it does is in the model's bytes, behind "fake:": lists of numbers and a word.
//   in=1,1,-1,-1;out=1,3,-1,-1;type=1;inputs=1;mode=nearest;
// modes: nearest, the score of class c is -(x - c)^2, of a single one x; edges, class 1 on the outermost pixels of a
// tile; nan; fail, with the number of threads as message; shape, an output of another one.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "programs/tomo/segmentation/ort_api.hpp"

namespace vsh::tomo::ort {

struct Status {
  std::string text;
};
struct Env {};
struct SessionOptions {
  int intra = 0, inter = 0;
};
struct ShapeInfo {
  std::vector<int64_t> sizes;
  int type = kFloat;
};
struct TypeInfo {
  ShapeInfo shape;
};
struct Session {
  std::string words;
  SessionOptions options;

  std::string word(const std::string& key, const std::string& otherwise) const {
    const size_t at = words.find(key + "=");
    if (at == words.npos) return otherwise;
    const size_t begin = at + key.size() + 1;
    return words.substr(begin, words.find(';', begin) - begin);
  }
  ShapeInfo shape(const std::string& key) const {
    ShapeInfo info;
    const std::string list = word(key, "");
    for (const char* text = list.c_str(); *text != 0;) {
      char* end = nullptr;
      info.sizes.push_back(std::strtoll(text, &end, 10));
      text = *end == ',' ? end + 1 : end;
    }
    info.type = std::atoi(word("type", "1").c_str());
    return info;
  }
};
struct Allocator {};
struct MemoryInfo {};
struct Value {
  std::vector<int64_t> sizes;
  float* data;
  std::vector<float> own;
};

namespace {

Status* fail(const std::string& text) { return new Status{text}; }

const char* GetErrorMessage(const Status* status) { return status->text.c_str(); }
Status* CreateEnv(int, const char*, Env** out) { return *out = new Env, nullptr; }
Status* CreateSessionFromArray(const Env*, const void* model, size_t len, const SessionOptions* options,
                               Session** out) {
  const std::string bytes(static_cast<const char*>(model), len);
  const size_t at = bytes.find("fake:");
  if (at == bytes.npos) return fail("not made for this fake\nsecond line");
  *out = new Session{bytes.substr(at), *options};
  return nullptr;
}
Status* CreateSessionOptions(SessionOptions** out) { return *out = new SessionOptions, nullptr; }
Status* SetIntraOpNumThreads(SessionOptions* options, int num) { return options->intra = num, nullptr; }
Status* SetInterOpNumThreads(SessionOptions* options, int num) { return options->inter = num, nullptr; }
Status* SessionGetInputCount(const Session* session, size_t* out) {
  *out = static_cast<size_t>(std::atoi(session->word("inputs", "1").c_str()));
  return nullptr;
}
Status* SessionGetOutputCount(const Session*, size_t* out) { return *out = 1, nullptr; }
Status* SessionGetInputTypeInfo(const Session* session, size_t, TypeInfo** out) {
  return *out = new TypeInfo{session->shape("in")}, nullptr;
}
Status* SessionGetOutputTypeInfo(const Session* session, size_t, TypeInfo** out) {
  return *out = new TypeInfo{session->shape("out")}, nullptr;
}
Status* SessionGetInputName(const Session*, size_t, Allocator*, char** out) { return *out = ::strdup("x"), nullptr; }
Status* SessionGetOutputName(const Session*, size_t, Allocator*, char** out) { return *out = ::strdup("y"), nullptr; }
Status* CreateTensorWithDataAsOrtValue(const MemoryInfo*, void* data, size_t bytes, const int64_t* shape, size_t rank,
                                       int type, Value** out) {
  const std::vector<int64_t> sizes(shape, shape + rank);
  size_t num = 1;
  for (const int64_t size : sizes) num *= static_cast<size_t>(size);
  if (type != kFloat || bytes != num * sizeof(float)) return fail("a tensor whose size does not fit its shape");
  return *out = new Value{sizes, static_cast<float*>(data), {}}, nullptr;
}
Status* Run(Session* session, const void*, const char* const* input_names, const Value* const* inputs,
            size_t num_inputs, const char* const* output_names, size_t num_outputs, Value** outputs) {
  if (num_inputs != 1 || num_outputs != 1 || std::strcmp(input_names[0], "x") != 0 ||
      std::strcmp(output_names[0], "y") != 0)
    return fail("other names");
  const std::string mode = session->word("mode", "nearest");
  if (mode == "fail")
    return fail("threads " + std::to_string(session->options.intra) + ", " + std::to_string(session->options.inter));
  const Value& in = *inputs[0];
  const int64_t n = in.sizes[2], classes = session->shape("out").sizes[1];
  auto* const out = new Value{{1, classes, n, n}, nullptr, {}};
  for (int64_t c = 0; c < classes; ++c) {
    for (int64_t y = 0; y < n; ++y) {
      for (int64_t x = 0; x < n; ++x) {
        const float value = in.data[y * n + x], distance = value - static_cast<float>(c);
        const bool is_edge = y == 0 || x == 0 || y == n - 1 || x == n - 1;
        out->own.push_back(mode == "nan"     ? NAN
                           : mode == "edges" ? ((c == 1) == is_edge ? 1.F : -1.F)
                           : classes == 1    ? value
                                             : -distance * distance);
      }
    }
  }
  if (mode == "shape") out->sizes[3] = n + 1;
  out->data = out->own.data();
  outputs[0] = out;
  return nullptr;
}
Status* IsTensor(const Value*, int* out) { return *out = 1, nullptr; }
Status* GetTensorMutableData(Value* value, void** out) { return *out = value->data, nullptr; }
Status* CastTypeInfoToTensorInfo(const TypeInfo* type, const ShapeInfo** out) { return *out = &type->shape, nullptr; }
Status* GetTensorElementType(const ShapeInfo* info, int* out) { return *out = info->type, nullptr; }
Status* GetDimensionsCount(const ShapeInfo* info, size_t* out) { return *out = info->sizes.size(), nullptr; }
Status* GetDimensions(const ShapeInfo* info, int64_t* out, size_t rank) {
  for (size_t i = 0; i < rank; ++i) out[i] = info->sizes[i];
  return nullptr;
}
Status* GetTensorTypeAndShape(const Value* value, ShapeInfo** out) {
  return *out = new ShapeInfo{value->sizes, kFloat}, nullptr;
}
Status* CreateCpuMemoryInfo(int, int, MemoryInfo** out) { return *out = new MemoryInfo, nullptr; }
Status* AllocatorFree(Allocator*, void* data) { return std::free(data), nullptr; }
Status* GetAllocatorWithDefaultOptions(Allocator** out) {
  static Allocator allocator;
  return *out = &allocator, nullptr;
}
void ReleaseEnv(Env* object) { delete object; }
void ReleaseStatus(Status* object) { delete object; }
void ReleaseMemoryInfo(MemoryInfo* object) { delete object; }
void ReleaseSession(Session* object) { delete object; }
void ReleaseValue(Value* object) { delete object; }
void ReleaseTypeInfo(TypeInfo* object) { delete object; }
void ReleaseTensorTypeAndShapeInfo(ShapeInfo* object) { delete object; }
void ReleaseSessionOptions(SessionOptions* object) { delete object; }

const void* get_api(uint32_t version) {
  static void (*table[kNumFunctions])();
#define VSH_ORT_STORE(place, name, ...) table[place] = reinterpret_cast<void (*)()>(name);
  VSH_ORT_FUNCTIONS(VSH_ORT_STORE)
#undef VSH_ORT_STORE
  return version == kVersion ? static_cast<const void*>(table) : nullptr;
}
const char* get_version() { return "0.fake"; }

}  // namespace
}  // namespace vsh::tomo::ort

extern "C" __attribute__((visibility("default"))) const vsh::tomo::ort::ApiBase* OrtGetApiBase() {
  static const vsh::tomo::ort::ApiBase base = {vsh::tomo::ort::get_api, vsh::tomo::ort::get_version};
  return &base;
}
