// The functions of ONNX Runtime's C API that are called here. Its struct OrtApi is a table of pointers to functions
// that only grows (onnxruntime_c_api.h, "the interface is versioned"): those of version 1, of 2019, keep their places,
// so that one table serves every release.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vsh::tomo::ort {

struct Status;
struct Env;
struct SessionOptions;
struct Session;
struct Allocator;
struct MemoryInfo;
struct TypeInfo;
struct ShapeInfo;
struct Value;

struct ApiBase {
  const void* (*get_api)(uint32_t version);
  const char* (*get_version)();
};

inline constexpr uint32_t kVersion = 1;
inline constexpr size_t kNumFunctions = 101;  // up to the last one of the list
inline constexpr int kFatal = 4;              // ORT_LOGGING_LEVEL_FATAL
inline constexpr int kFloat = 1;              // ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
inline constexpr int kDeviceAllocator = 0, kDefaultMemory = 0;

// Place, name, result, parameters.
#define VSH_ORT_FUNCTIONS(F)                                                                                         \
  F(2, GetErrorMessage, const char*, const Status*)                                                                  \
  F(3, CreateEnv, Status*, int log_level, const char* log_id, Env**)                                                 \
  F(8, CreateSessionFromArray, Status*, const Env*, const void* model, size_t len, const SessionOptions*, Session**) \
  F(9, Run, Status*, Session*, const void* run_options, const char* const* input_names, const Value* const* inputs,  \
    size_t num_inputs, const char* const* output_names, size_t num_outputs, Value** outputs)                         \
  F(10, CreateSessionOptions, Status*, SessionOptions**)                                                             \
  F(24, SetIntraOpNumThreads, Status*, SessionOptions*, int)                                                         \
  F(25, SetInterOpNumThreads, Status*, SessionOptions*, int)                                                         \
  F(30, SessionGetInputCount, Status*, const Session*, size_t*)                                                      \
  F(31, SessionGetOutputCount, Status*, const Session*, size_t*)                                                     \
  F(33, SessionGetInputTypeInfo, Status*, const Session*, size_t index, TypeInfo**)                                  \
  F(34, SessionGetOutputTypeInfo, Status*, const Session*, size_t index, TypeInfo**)                                 \
  F(36, SessionGetInputName, Status*, const Session*, size_t index, Allocator*, char**)                              \
  F(37, SessionGetOutputName, Status*, const Session*, size_t index, Allocator*, char**)                             \
  F(49, CreateTensorWithDataAsOrtValue, Status*, const MemoryInfo*, void* data, size_t bytes, const int64_t* shape,  \
    size_t rank, int type, Value**)                                                                                  \
  F(50, IsTensor, Status*, const Value*, int*)                                                                       \
  F(51, GetTensorMutableData, Status*, Value*, void**)                                                               \
  F(55, CastTypeInfoToTensorInfo, Status*, const TypeInfo*, const ShapeInfo**)                                       \
  F(60, GetTensorElementType, Status*, const ShapeInfo*, int*)                                                       \
  F(61, GetDimensionsCount, Status*, const ShapeInfo*, size_t*)                                                      \
  F(62, GetDimensions, Status*, const ShapeInfo*, int64_t*, size_t rank)                                             \
  F(65, GetTensorTypeAndShape, Status*, const Value*, ShapeInfo**)                                                   \
  F(69, CreateCpuMemoryInfo, Status*, int allocator, int memory, MemoryInfo**)                                       \
  F(76, AllocatorFree, Status*, Allocator*, void*)                                                                   \
  F(78, GetAllocatorWithDefaultOptions, Status*, Allocator**)                                                        \
  F(92, ReleaseEnv, void, Env*)                                                                                      \
  F(93, ReleaseStatus, void, Status*)                                                                                \
  F(94, ReleaseMemoryInfo, void, MemoryInfo*)                                                                        \
  F(95, ReleaseSession, void, Session*)                                                                              \
  F(96, ReleaseValue, void, Value*)                                                                                  \
  F(98, ReleaseTypeInfo, void, TypeInfo*)                                                                            \
  F(99, ReleaseTensorTypeAndShapeInfo, void, ShapeInfo*)                                                             \
  F(100, ReleaseSessionOptions, void, SessionOptions*)

}  // namespace vsh::tomo::ort
