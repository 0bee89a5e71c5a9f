// Declares the subset of OpenCL 1.2 in use, so that building needs no OpenCL headers (tests/gpu/headers_test.cpp
// compares the declarations with the headers where they are installed). Names are those of the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/device/device.hpp"

namespace vsh::gpu::opencl {

using cl_int = int32_t;
using cl_uint = uint32_t;
using cl_ulong = uint64_t;
using cl_bool = cl_uint;
using cl_bitfield = cl_ulong;
using cl_platform_id = struct PlatformTag*;
using cl_device_id = struct DeviceTag*;
using cl_context = struct ContextTag*;
using cl_command_queue = struct QueueTag*;
using cl_mem = struct MemoryTag*;
using cl_program = struct ProgramTag*;
using cl_kernel = struct KernelTag*;
using cl_event = struct EventTag*;

// name, value
#define VSH_OPENCL_CONSTANTS(C)                        \
  C(CL_SUCCESS, 0)                                     \
  C(CL_DEVICE_NOT_FOUND, -1)                           \
  C(CL_DEVICE_NOT_AVAILABLE, -2)                       \
  C(CL_COMPILER_NOT_AVAILABLE, -3)                     \
  C(CL_MEM_OBJECT_ALLOCATION_FAILURE, -4)              \
  C(CL_OUT_OF_RESOURCES, -5)                           \
  C(CL_OUT_OF_HOST_MEMORY, -6)                         \
  C(CL_BUILD_PROGRAM_FAILURE, -11)                     \
  C(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14) \
  C(CL_INVALID_VALUE, -30)                             \
  C(CL_INVALID_CONTEXT, -34)                           \
  C(CL_INVALID_COMMAND_QUEUE, -36)                     \
  C(CL_INVALID_BINARY, -42)                            \
  C(CL_INVALID_KERNEL_NAME, -46)                       \
  C(CL_INVALID_KERNEL_ARGS, -52)                       \
  C(CL_INVALID_WORK_GROUP_SIZE, -54)                   \
  C(CL_INVALID_BUFFER_SIZE, -61)                       \
  C(CL_PLATFORM_NOT_FOUND_KHR, -1001)                  \
  C(CL_TRUE, 1)                                        \
  C(CL_PLATFORM_VERSION, 0x0901)                       \
  C(CL_PLATFORM_NAME, 0x0902)                          \
  C(CL_PLATFORM_VENDOR, 0x0903)                        \
  C(CL_DEVICE_TYPE_GPU, 1 << 2)                        \
  C(CL_DEVICE_TYPE_ALL, 0xffffffff)                    \
  C(CL_DEVICE_TYPE, 0x1000)                            \
  C(CL_DEVICE_MAX_COMPUTE_UNITS, 0x1002)               \
  C(CL_DEVICE_MAX_WORK_GROUP_SIZE, 0x1004)             \
  C(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0x1010)              \
  C(CL_DEVICE_GLOBAL_MEM_SIZE, 0x101f)                 \
  C(CL_DEVICE_ENDIAN_LITTLE, 0x1026)                   \
  C(CL_DEVICE_AVAILABLE, 0x1027)                       \
  C(CL_DEVICE_COMPILER_AVAILABLE, 0x1028)              \
  C(CL_DEVICE_NAME, 0x102b)                            \
  C(CL_DRIVER_VERSION, 0x102d)                         \
  C(CL_DEVICE_VERSION, 0x102f)                         \
  C(CL_DEVICE_OPENCL_C_VERSION, 0x103d)                \
  C(CL_DEVICE_PCI_BUS_INFO_KHR, 0x410f)                \
  C(CL_MEM_READ_WRITE, 1 << 0)                         \
  C(CL_MEM_ALLOC_HOST_PTR, 1 << 4)                     \
  C(CL_MAP_READ, 1 << 0)                               \
  C(CL_MAP_WRITE, 1 << 1)                              \
  C(CL_PROGRAM_BINARY_SIZES, 0x1165)                   \
  C(CL_PROGRAM_BINARIES, 0x1166)                       \
  C(CL_PROGRAM_BUILD_LOG, 0x1183)                      \
  C(CL_KERNEL_WORK_GROUP_SIZE, 0x11b0)                 \
  C(CL_EVENT_COMMAND_EXECUTION_STATUS, 0x11d3)         \
  C(CL_COMPLETE, 0)

#define VSH_OPENCL_CONSTANT(name, value) inline constexpr int64_t name = value;
VSH_OPENCL_CONSTANTS(VSH_OPENCL_CONSTANT)
#undef VSH_OPENCL_CONSTANT

// name, result, parameters
#define VSH_OPENCL_FUNCTIONS(F)                                                                                     \
  F(clGetPlatformIDs, cl_int, (cl_uint, cl_platform_id*, cl_uint*))                                                 \
  F(clGetPlatformInfo, cl_int, (cl_platform_id, cl_uint, size_t, void*, size_t*))                                   \
  F(clGetDeviceIDs, cl_int, (cl_platform_id, cl_bitfield, cl_uint, cl_device_id*, cl_uint*))                        \
  F(clGetDeviceInfo, cl_int, (cl_device_id, cl_uint, size_t, void*, size_t*))                                       \
  F(clCreateContext, cl_context,                                                                                    \
    (const intptr_t*, cl_uint, const cl_device_id*, void (*)(const char*, const void*, size_t, void*), void*,       \
     cl_int*))                                                                                                      \
  F(clReleaseContext, cl_int, (cl_context))                                                                         \
  F(clCreateCommandQueue, cl_command_queue, (cl_context, cl_device_id, cl_bitfield, cl_int*))                       \
  F(clReleaseCommandQueue, cl_int, (cl_command_queue))                                                              \
  F(clCreateBuffer, cl_mem, (cl_context, cl_bitfield, size_t, void*, cl_int*))                                      \
  F(clReleaseMemObject, cl_int, (cl_mem))                                                                           \
  F(clEnqueueReadBuffer, cl_int,                                                                                    \
    (cl_command_queue, cl_mem, cl_bool, size_t, size_t, void*, cl_uint, const cl_event*, cl_event*))                \
  F(clEnqueueWriteBuffer, cl_int,                                                                                   \
    (cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void*, cl_uint, const cl_event*, cl_event*))          \
  F(clEnqueueCopyBuffer, cl_int,                                                                                    \
    (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event*, cl_event*))                \
  F(clEnqueueFillBuffer, cl_int,                                                                                    \
    (cl_command_queue, cl_mem, const void*, size_t, size_t, size_t, cl_uint, const cl_event*, cl_event*))           \
  F(clEnqueueMapBuffer, void*,                                                                                      \
    (cl_command_queue, cl_mem, cl_bool, cl_bitfield, size_t, size_t, cl_uint, const cl_event*, cl_event*, cl_int*)) \
  F(clEnqueueUnmapMemObject, cl_int, (cl_command_queue, cl_mem, void*, cl_uint, const cl_event*, cl_event*))        \
  F(clCreateProgramWithSource, cl_program, (cl_context, cl_uint, const char**, const size_t*, cl_int*))             \
  F(clCreateProgramWithBinary, cl_program,                                                                          \
    (cl_context, cl_uint, const cl_device_id*, const size_t*, const unsigned char**, cl_int*, cl_int*))             \
  F(clBuildProgram, cl_int,                                                                                         \
    (cl_program, cl_uint, const cl_device_id*, const char*, void (*)(cl_program, void*), void*))                    \
  F(clGetProgramInfo, cl_int, (cl_program, cl_uint, size_t, void*, size_t*))                                        \
  F(clGetProgramBuildInfo, cl_int, (cl_program, cl_device_id, cl_uint, size_t, void*, size_t*))                     \
  F(clReleaseProgram, cl_int, (cl_program))                                                                         \
  F(clCreateKernel, cl_kernel, (cl_program, const char*, cl_int*))                                                  \
  F(clReleaseKernel, cl_int, (cl_kernel))                                                                           \
  F(clGetKernelWorkGroupInfo, cl_int, (cl_kernel, cl_device_id, cl_uint, size_t, void*, size_t*))                   \
  F(clSetKernelArg, cl_int, (cl_kernel, cl_uint, size_t, const void*))                                              \
  F(clEnqueueNDRangeKernel, cl_int,                                                                                 \
    (cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, const size_t*, cl_uint, const cl_event*,   \
     cl_event*))                                                                                                    \
  F(clGetEventInfo, cl_int, (cl_event, cl_uint, size_t, void*, size_t*))                                            \
  F(clReleaseEvent, cl_int, (cl_event))                                                                             \
  F(clFlush, cl_int, (cl_command_queue))                                                                            \
  F(clFinish, cl_int, (cl_command_queue))

struct Functions {
#define VSH_OPENCL_MEMBER(name, result, parameters) result(*name) parameters = nullptr;
  VSH_OPENCL_FUNCTIONS(VSH_OPENCL_MEMBER)
#undef VSH_OPENCL_MEMBER
};

// Returns the functions of the ICD loader, loaded on the first call. Throws Error: none_found where there is no loader,
// driver where it lacks a function, lost in a child forked after that.
const Functions& functions();

// "CL_OUT_OF_RESOURCES", or the number of an unknown status.
std::string error_name(cl_int status);

// Throws unless CL_SUCCESS: memory for a status that reports too little of it, otherwise `kind`.
void check(cl_int status, const char* doing, Error::Kind kind);

}  // namespace vsh::gpu::opencl
