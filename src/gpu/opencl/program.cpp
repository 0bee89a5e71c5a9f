// Programs of an OpenCL device: from source text or from a binary of an earlier one.
#include <map>

#include "core/decimal.hpp"
#include "gpu/opencl/device.hpp"

namespace vsh::gpu::opencl {
namespace {

class OpenClProgram final : public Program {
 public:
  OpenClProgram(OpenClDevice& device, Owned<cl_program> program) : device_(device), program_(std::move(program)) {}

  Kernel& kernel(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<OpenClKernel>& kernel = kernels_[name];
    if (!kernel) kernel = make(name);
    return *kernel;
  }

 private:
  std::unique_ptr<OpenClKernel> make(const std::string& name) {
    device_.alive().require();
    cl_int status = CL_SUCCESS;
    Owned<cl_kernel> kernel(device_.cl().clCreateKernel(program_.get(), name.c_str(), &status),
                            device_.cl().clReleaseKernel);
    if (status != CL_SUCCESS) throw Error(Error::Kind::compile, "OpenCL: kernel " + name + ": " + error_name(status));
    size_t group = 0;  // limited by its registers
    device_.check(device_.cl().clGetKernelWorkGroupInfo(kernel.get(), device_.id(), CL_KERNEL_WORK_GROUP_SIZE,
                                                        sizeof group, &group, nullptr),
                  "asking about a kernel");
    if (group < kGroup)
      throw Error(Error::Kind::compile, "OpenCL: kernel " + name + ": groups of " +
                                            decimal(static_cast<int64_t>(group)) + " work items at most");
    return std::make_unique<OpenClKernel>(std::move(kernel));
  }

  OpenClDevice& device_;
  Owned<cl_program> program_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<OpenClKernel>> kernels_;
};

std::string build_log(const Functions& cl, cl_program program, cl_device_id id) {
  size_t len = 0;
  if (cl.clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &len) != CL_SUCCESS) return "";
  std::string log(len, '\0');
  if (cl.clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, len, log.data(), nullptr) != CL_SUCCESS) return "";
  return log.substr(0, log.find('\0'));
}

std::vector<uint8_t> binary_of(const Functions& cl, cl_program program) {
  size_t len = 0;  // one device, one binary
  if (cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof len, &len, nullptr) != CL_SUCCESS) return {};
  std::vector<uint8_t> binary(len);
  uint8_t* at = binary.data();
  if (len == 0 || cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof at, &at, nullptr) != CL_SUCCESS) return {};
  return binary;
}

}  // namespace

std::shared_ptr<Program> OpenClDevice::compile(std::string_view text, const std::string& definitions,
                                               std::vector<uint8_t>& binary) {
  const char* source = text.data();
  const size_t len = text.size();
  cl_int status = CL_SUCCESS;
  Owned<cl_program> program(cl_.clCreateProgramWithSource(context(), 1, &source, &len, &status), cl_.clReleaseProgram);
  check(status, "making a program");
  status = cl_.clBuildProgram(program.get(), 1, &id_, ("-cl-std=CL1.2 " + definitions).c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) {
    throw Error(Error::Kind::compile, "OpenCL: compiling with " + definitions + ": " + error_name(status) + "\n" +
                                          build_log(cl_, program.get(), id_));
  }
  binary = binary_of(cl_, program.get());
  return std::shared_ptr<Program>(new OpenClProgram(*this, std::move(program)));
}

std::shared_ptr<Program> OpenClDevice::load(std::span<const uint8_t> binary) {
  const unsigned char* bytes = binary.data();
  const size_t len = binary.size();
  cl_int of_binary = CL_SUCCESS, status = CL_SUCCESS;
  Owned<cl_program> program(cl_.clCreateProgramWithBinary(context(), 1, &id_, &len, &bytes, &of_binary, &status),
                            cl_.clReleaseProgram);
  if (status != CL_SUCCESS || of_binary != CL_SUCCESS) return nullptr;
  if (cl_.clBuildProgram(program.get(), 1, &id_, "", nullptr, nullptr) != CL_SUCCESS) return nullptr;
  return std::shared_ptr<Program>(new OpenClProgram(*this, std::move(program)));
}

}  // namespace vsh::gpu::opencl
