// The caller's side of data on a CUDA device: memory and streams by the driver's functions, as in a program with the
// CUDA run-time.
#pragma once

#include <string>
#include <vector>

#include "gpu/cuda/api.hpp"
#include "gpu/support/device_test.hpp"
#include "support/random.hpp"
#include "vershina/device.h"

namespace vsh::gpu {

using Bytes = std::vector<uint8_t>;
using vsh::test::Random;

// The caller's side: the primary context of device 0, made current.
class Cuda {
 public:
  Cuda() : cu_(cuda::functions()) {
    cuda::CUcontext context{};
    EXPECT_EQ(cu_.cuDevicePrimaryCtxRetain(&context, 0), cuda::CUDA_SUCCESS);
    EXPECT_EQ(cu_.cuCtxPushCurrent_v2(context), cuda::CUDA_SUCCESS);
    EXPECT_EQ(cu_.cuStreamCreate(&stream_, 1), cuda::CUDA_SUCCESS);
  }
  void* stream() const { return stream_; }
  void wait() { EXPECT_EQ(cu_.cuStreamSynchronize(stream_), cuda::CUDA_SUCCESS); }
  cuda::CUdeviceptr allocate(size_t len) {
    cuda::CUdeviceptr p{};
    EXPECT_EQ(cu_.cuMemAlloc_v2(&p, len), cuda::CUDA_SUCCESS);
    return p;
  }
  void put(cuda::CUdeviceptr to, const void* from, size_t len) {
    EXPECT_EQ(cu_.cuMemcpyHtoDAsync_v2(to, from, len, stream_), cuda::CUDA_SUCCESS);
  }
  Bytes get(cuda::CUdeviceptr from, size_t len) {
    Bytes bytes(len);
    EXPECT_EQ(cu_.cuMemcpyDtoHAsync_v2(bytes.data(), from, len, stream_), cuda::CUDA_SUCCESS);
    wait();
    return bytes;
  }
  void free(cuda::CUdeviceptr p, size_t len) {  // the fake CUDA driver requires erased memory
    EXPECT_EQ(cu_.cuMemsetD32Async(p, 0, len / 4, stream_), cuda::CUDA_SUCCESS);
    wait();
    EXPECT_EQ(cu_.cuMemFree_v2(p), cuda::CUDA_SUCCESS);
  }

 private:
  const cuda::Functions& cu_;
  cuda::CUstream stream_{};
};

class DeviceMemory : public testing::Test {
 protected:
  void SetUp() override {
    vsh_device_info info{};
    if (vsh_device(0, &info) != VSH_OK || std::string(info.back_end) != "cuda")
      GTEST_SKIP() << "no CUDA device: 1 of 1 groups of tests for data on a device is left out";
    id_ = info.id;
  }
  std::string id_;
};

}  // namespace vsh::gpu
