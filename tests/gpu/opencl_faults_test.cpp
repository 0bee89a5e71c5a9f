// Failures of the driver in the OpenCL back end, and erasing: over the installed driver (PoCL suffices), with functions
// of the test in front of some of its own. Each test opens the device again.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "gpu/opencl/device.hpp"

namespace vsh::gpu::opencl {
namespace {

constexpr size_t kCount = 300;

// The table that the back end calls through, and what stood in it first.
Functions& table() { return const_cast<Functions&>(functions()); }
Functions real;

class OpenClFaults : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::string> problems;
    try {
      found_ = find_devices(false, problems);
    } catch (const Error&) {
    }
    if (found_.empty()) GTEST_SKIP() << "no OpenCL device; pocl-opencl-icd makes one of the processor";
    real = table();
    device_ = std::make_unique<OpenClDevice>(found_[0]);
  }
  void TearDown() override {
    if (!found_.empty()) table() = real;
  }

  void run() {
    const auto program = device_->program("probe", "");
    const auto buffer = device_->allocate(4 * kCount);
    const auto queue = device_->make_queue();
    std::vector<uint32_t> words(kCount, 1);
    queue->upload(*buffer, 0, words.data(), 4 * kCount);
    const Argument arguments[] = {*buffer, *buffer, uint64_t{0}, 2u, uint64_t{kCount}};
    queue->launch(program->kernel("vsh_probe"), kCount, arguments);
    queue->finish();
  }
  Error::Kind kind() {
    try {
      run();
    } catch (const Error& error) {
      message_ = error.what();
      return error.kind();
    }
    ADD_FAILURE() << "no error";
    return Error::Kind::none_found;
  }
  void expect_lost(const char* name) {
    EXPECT_EQ(kind(), Error::Kind::lost);
    EXPECT_NE(message_.find(name), message_.npos) << message_;
    table() = real;
    EXPECT_EQ(kind(), Error::Kind::lost) << "it takes no more work, whatever the driver says now";
    EXPECT_FALSE(device_->alive().usable());
  }
  void expect_alive(Error::Kind expected, const char* name) {
    EXPECT_EQ(kind(), expected);
    EXPECT_NE(message_.find(name), message_.npos) << message_;
    table() = real;
    run();
  }

  std::vector<Found> found_;
  std::unique_ptr<OpenClDevice> device_;
  std::string message_;
};

TEST_F(OpenClFaults, AKernelThatCannotStart) {
  table().clEnqueueNDRangeKernel = [](auto...) -> cl_int { return CL_OUT_OF_RESOURCES; };
  expect_lost("CL_OUT_OF_RESOURCES");
}

TEST_F(OpenClFaults, AQueueThatFails) {
  table().clFinish = [](cl_command_queue) -> cl_int { return CL_INVALID_COMMAND_QUEUE; };
  expect_lost("CL_INVALID_COMMAND_QUEUE");
}

// Some drivers report it only there.
TEST_F(OpenClFaults, ACommandThatFailsByItsEventAlone) {
  table().clGetEventInfo = [](cl_event, cl_uint, size_t, void* value, size_t*) -> cl_int {
    const cl_int status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    std::memcpy(value, &status, sizeof status);
    return CL_SUCCESS;
  };
  expect_lost("CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST");
}

TEST_F(OpenClFaults, CopiesThatFail) {
  table().clEnqueueWriteBuffer = [](auto...) -> cl_int { return CL_DEVICE_NOT_AVAILABLE; };
  expect_lost("CL_DEVICE_NOT_AVAILABLE");
}

TEST_F(OpenClFaults, TooLittleMemory) {
  run();
  table().clCreateBuffer = [](cl_context, cl_bitfield, size_t, void*, cl_int* status) -> cl_mem {
    *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return nullptr;
  };
  expect_alive(Error::Kind::memory, "CL_MEM_OBJECT_ALLOCATION_FAILURE");
  // Drivers that allocate only when a kernel needs the memory.
  table().clEnqueueNDRangeKernel = [](auto...) -> cl_int { return CL_MEM_OBJECT_ALLOCATION_FAILURE; };
  expect_alive(Error::Kind::memory, "CL_MEM_OBJECT_ALLOCATION_FAILURE");
}

TEST_F(OpenClFaults, KernelsThatAllowTooFewWorkItems) {
  table().clGetKernelWorkGroupInfo = [](cl_kernel, cl_device_id, cl_uint, size_t, void* value, size_t*) -> cl_int {
    const size_t group = kGroup / 2;
    std::memcpy(value, &group, sizeof group);
    return CL_SUCCESS;
  };
  expect_alive(Error::Kind::compile, "groups of 64 work items at most");
}

// A cached program that the driver rejects is compiled again.
TEST_F(OpenClFaults, ABinaryThatIsRefused) {
  run();  // now it is in the cache
  device_ = std::make_unique<OpenClDevice>(found_[0]);
  static int compiled;
  compiled = 0;
  table().clCreateProgramWithBinary = [](cl_context, cl_uint, const cl_device_id*, const size_t*, const unsigned char**,
                                         cl_int*, cl_int* status) -> cl_program {
    *status = CL_INVALID_BINARY;
    return nullptr;
  };
  table().clCreateProgramWithSource = [](cl_context context, cl_uint count, const char** text, const size_t* len,
                                         cl_int* status) {
    ++compiled;
    return real.clCreateProgramWithSource(context, count, text, len, status);
  };
  run();
  EXPECT_EQ(compiled, 1);
}

TEST_F(OpenClFaults, DevicesThatAreTooOld) {
  table().clGetDeviceInfo = [](cl_device_id device, cl_uint what, size_t len, void* value, size_t* needed) {
    constexpr char kOld[] = "OpenCL 1.1 of another time";
    if (what != CL_DEVICE_VERSION) return real.clGetDeviceInfo(device, what, len, value, needed);
    if (needed) *needed = sizeof kOld;
    if (value) std::memcpy(value, kOld, sizeof kOld);
    return static_cast<cl_int>(CL_SUCCESS);
  };
  std::vector<std::string> problems;
  EXPECT_TRUE(find_devices(false, problems).empty());
  ASSERT_EQ(problems.size(), found_.size());
  EXPECT_EQ(problems[0], found_[0].info.id + ": it is older than OpenCL 1.2");
}

TEST_F(OpenClFaults, ALoaderWithoutPlatforms) {
  table().clGetPlatformIDs = [](auto...) -> cl_int { return CL_PLATFORM_NOT_FOUND_KHR; };
  std::vector<std::string> problems;
  EXPECT_TRUE(find_devices(false, problems).empty());
  EXPECT_TRUE(problems.empty());
}

// Drivers are not called there, and page-locked memory is not accessed: with some drivers it is not the child's.
TEST_F(OpenClFaults, AForkedChildLeavesTheDriverAlone) {
  static pid_t parent;
  parent = ::getpid();
  const auto in_parent = [] {
    if (::getpid() != parent) ::_exit(9);
  };
  static const auto check = in_parent;
  table().clReleaseMemObject = [](cl_mem memory) { return check(), real.clReleaseMemObject(memory); };
  table().clReleaseCommandQueue = [](cl_command_queue queue) { return check(), real.clReleaseCommandQueue(queue); };
  table().clReleaseEvent = [](cl_event event) { return check(), real.clReleaseEvent(event); };
  table().clFinish = [](cl_command_queue queue) { return check(), real.clFinish(queue); };
  auto queue = device_->make_queue();
  auto buffer = device_->allocate(4);
  auto host = device_->allocate_host(4);
  std::memset(host->bytes().data(), 7, 4);
  queue->upload(*buffer, 0, host->bytes().data(), 4);
  const pid_t child = ::fork();
  if (child == 0) {
    const uint8_t* const bytes = host->bytes().data();
    queue.reset();
    buffer.reset();
    host.reset();
    if (bytes[0] != 7) ::_exit(8);
    try {
      functions();
    } catch (const Error& error) {
      ::_exit(error.kind() == Error::Kind::lost ? 0 : 7);
    }
    ::_exit(6);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

// Freed memory was completely zeroed just before, even if an error cut the work short.
TEST_F(OpenClFaults, MemoryIsErasedBeforeItIsGivenBack) {
  static std::map<cl_mem, size_t> sizes;  // of buffers that were not erased since their last use
  static int released;
  sizes.clear();
  released = 0;
  table().clCreateBuffer = [](cl_context context, cl_bitfield flags, size_t len, void* p, cl_int* status) {
    const cl_mem memory = real.clCreateBuffer(context, flags, len, p, status);
    if (!(flags & CL_MEM_ALLOC_HOST_PTR)) sizes[memory] = len;
    return memory;
  };
  table().clEnqueueFillBuffer = [](cl_command_queue queue, cl_mem memory, const void* pattern, size_t pattern_len,
                                   size_t offset, size_t len, cl_uint n, const cl_event* after, cl_event* event) {
    EXPECT_EQ(offset, 0u);
    EXPECT_EQ(len, sizes[memory]);
    for (size_t i = 0; i < pattern_len; ++i) EXPECT_EQ(static_cast<const uint8_t*>(pattern)[i], 0);
    sizes.erase(memory);
    return real.clEnqueueFillBuffer(queue, memory, pattern, pattern_len, offset, len, n, after, event);
  };
  table().clReleaseMemObject = [](cl_mem memory) {
    ++released;
    EXPECT_FALSE(sizes.contains(memory)) << "not erased";
    return real.clReleaseMemObject(memory);
  };
  run();
  EXPECT_GE(released, 1);
  table().clEnqueueReadBuffer = [](auto...) -> cl_int { return CL_INVALID_VALUE; };
  {
    const auto odd = device_->allocate(5);
    uint32_t word;
    EXPECT_THROW(device_->make_queue()->download(&word, *odd, 0, 4), Error);
  }
  EXPECT_TRUE(sizes.empty());
}

}  // namespace
}  // namespace vsh::gpu::opencl
