// Declares the subset of CUDA's driver API and run-time compiler NVRTC in use, so that building needs no CUDA headers
// (tests/gpu/headers_test.cpp compares the declarations with the headers where they are installed). Names are those of
// NVIDIA's manuals; the libraries export some with the suffix _v2, which the headers omit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/device/device.hpp"

namespace vsh::gpu::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uintptr_t;
using CUcontext = struct ContextTag*;
using CUstream = struct StreamTag*;
using CUevent = struct EventTag*;
using CUmodule = struct ModuleTag*;
using CUfunction = struct FunctionTag*;
using nvrtcResult = int;
using nvrtcProgram = struct ProgramTag*;

// name, value
#define VSH_CUDA_CONSTANTS(C)                         \
  C(CUDA_SUCCESS, 0)                                  \
  C(CUDA_ERROR_INVALID_VALUE, 1)                      \
  C(CUDA_ERROR_OUT_OF_MEMORY, 2)                      \
  C(CUDA_ERROR_NO_DEVICE, 100)                        \
  C(CUDA_ERROR_INVALID_IMAGE, 200)                    \
  C(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                \
  C(CUDA_ERROR_INVALID_PTX, 218)                      \
  C(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221)           \
  C(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)          \
  C(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223)         \
  C(CUDA_ERROR_INVALID_SOURCE, 300)                   \
  C(CUDA_ERROR_INVALID_HANDLE, 400)                   \
  C(CUDA_ERROR_NOT_FOUND, 500)                        \
  C(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)          \
  C(CUDA_ERROR_NOT_PERMITTED, 800)                    \
  C(CUDA_ERROR_NOT_SUPPORTED, 801)                    \
  C(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)       \
  C(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908)      \
  C(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)     \
  C(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 20)             \
  C(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 33)               \
  C(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 34)            \
  C(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 50)            \
  C(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) \
  C(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76) \
  C(CU_COMPUTEMODE_PROHIBITED, 2)                     \
  C(CU_MEMHOSTALLOC_PORTABLE, 1)                      \
  C(CU_STREAM_NON_BLOCKING, 1)                        \
  C(CU_EVENT_BLOCKING_SYNC, 1)                        \
  C(CU_EVENT_DISABLE_TIMING, 2)                       \
  C(CU_JIT_ERROR_LOG_BUFFER, 5)                       \
  C(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)            \
  C(CU_POINTER_ATTRIBUTE_CONTEXT, 1)                  \
  C(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2)              \
  C(CU_POINTER_ATTRIBUTE_IS_MANAGED, 8)               \
  C(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9)           \
  C(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 11)        \
  C(CU_POINTER_ATTRIBUTE_RANGE_SIZE, 12)              \
  C(CU_MEMORYTYPE_HOST, 1)                            \
  C(CU_MEMORYTYPE_DEVICE, 2)                          \
  C(NVRTC_SUCCESS, 0)                                 \
  C(NVRTC_ERROR_COMPILATION, 6)

#define VSH_CUDA_CONSTANT(name, value) inline constexpr int name = value;
VSH_CUDA_CONSTANTS(VSH_CUDA_CONSTANT)
#undef VSH_CUDA_CONSTANT

// CU_STREAM_LEGACY, like null the default stream of a context; CU_STREAM_PER_THREAD, that of each thread.
inline constexpr uintptr_t kLegacyStream = 1, kStreamOfThread = 2;

// name, result, parameters
#define VSH_CUDA_FUNCTIONS(F)                                                       \
  F(cuInit, CUresult, (unsigned))                                                   \
  F(cuDriverGetVersion, CUresult, (int*))                                           \
  F(cuGetErrorName, CUresult, (CUresult, const char**))                             \
  F(cuDeviceGetCount, CUresult, (int*))                                             \
  F(cuDeviceGet, CUresult, (CUdevice*, int))                                        \
  F(cuDeviceGetName, CUresult, (char*, int, CUdevice))                              \
  F(cuDeviceGetAttribute, CUresult, (int*, int, CUdevice))                          \
  F(cuDeviceTotalMem_v2, CUresult, (size_t*, CUdevice))                             \
  F(cuDevicePrimaryCtxRetain, CUresult, (CUcontext*, CUdevice))                     \
  F(cuDevicePrimaryCtxRelease_v2, CUresult, (CUdevice))                             \
  F(cuCtxPushCurrent_v2, CUresult, (CUcontext))                                     \
  F(cuCtxPopCurrent_v2, CUresult, (CUcontext*))                                     \
  F(cuCtxSynchronize, CUresult, ())                                                 \
  F(cuMemAlloc_v2, CUresult, (CUdeviceptr*, size_t))                                \
  F(cuMemFree_v2, CUresult, (CUdeviceptr))                                          \
  F(cuMemHostAlloc, CUresult, (void**, size_t, unsigned))                           \
  F(cuMemFreeHost, CUresult, (void*))                                               \
  F(cuMemcpyHtoDAsync_v2, CUresult, (CUdeviceptr, const void*, size_t, CUstream))   \
  F(cuMemcpyDtoHAsync_v2, CUresult, (void*, CUdeviceptr, size_t, CUstream))         \
  F(cuMemcpyDtoDAsync_v2, CUresult, (CUdeviceptr, CUdeviceptr, size_t, CUstream))   \
  F(cuMemsetD32Async, CUresult, (CUdeviceptr, unsigned, size_t, CUstream))          \
  F(cuPointerGetAttribute, CUresult, (void*, int, CUdeviceptr))                     \
  F(cuStreamCreate, CUresult, (CUstream*, unsigned))                                \
  F(cuStreamDestroy_v2, CUresult, (CUstream))                                       \
  F(cuStreamSynchronize, CUresult, (CUstream))                                      \
  F(cuEventCreate, CUresult, (CUevent*, unsigned))                                  \
  F(cuEventDestroy_v2, CUresult, (CUevent))                                         \
  F(cuEventRecord, CUresult, (CUevent, CUstream))                                   \
  F(cuEventSynchronize, CUresult, (CUevent))                                        \
  F(cuModuleLoadDataEx, CUresult, (CUmodule*, const void*, unsigned, int*, void**)) \
  F(cuModuleUnload, CUresult, (CUmodule))                                           \
  F(cuModuleGetFunction, CUresult, (CUfunction*, CUmodule, const char*))            \
  F(cuLaunchKernel, CUresult,                                                       \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void**, void**))

#define VSH_NVRTC_FUNCTIONS(F)                                                              \
  F(nvrtcVersion, nvrtcResult, (int*, int*))                                                \
  F(nvrtcGetErrorString, const char*, (nvrtcResult))                                        \
  F(nvrtcGetNumSupportedArchs, nvrtcResult, (int*))                                         \
  F(nvrtcGetSupportedArchs, nvrtcResult, (int*))                                            \
  F(nvrtcCreateProgram, nvrtcResult,                                                        \
    (nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
  F(nvrtcCompileProgram, nvrtcResult, (nvrtcProgram, int, const char* const*))              \
  F(nvrtcDestroyProgram, nvrtcResult, (nvrtcProgram*))                                      \
  F(nvrtcGetProgramLogSize, nvrtcResult, (nvrtcProgram, size_t*))                           \
  F(nvrtcGetProgramLog, nvrtcResult, (nvrtcProgram, char*))                                 \
  F(nvrtcGetCUBINSize, nvrtcResult, (nvrtcProgram, size_t*))                                \
  F(nvrtcGetCUBIN, nvrtcResult, (nvrtcProgram, char*))                                      \
  F(nvrtcGetPTXSize, nvrtcResult, (nvrtcProgram, size_t*))                                  \
  F(nvrtcGetPTX, nvrtcResult, (nvrtcProgram, char*))

#define VSH_CUDA_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
struct Functions {
  VSH_CUDA_FUNCTIONS(VSH_CUDA_MEMBER)
};
struct CompilerFunctions {
  VSH_NVRTC_FUNCTIONS(VSH_CUDA_MEMBER)
};
#undef VSH_CUDA_MEMBER

// Returns the driver's functions; loads and initialises it on the first call. Throws Error: none_found where there is
// no driver or it sees no device; driver where it is too old or fails; lost in a child forked after that.
const Functions& functions();

// The newest CUDA that this driver supports: "12.4"; 12040.
int driver_version();
std::string version_text(int version);

// "CUDA_ERROR_LAUNCH_FAILED", or the number of an unknown status.
std::string error_name(const Functions& functions, CUresult status);

}  // namespace vsh::gpu::cuda
