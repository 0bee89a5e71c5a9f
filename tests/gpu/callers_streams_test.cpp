// Callers' streams of a CUDA device: destroyed ones, and those of threads.
#include <optional>
#include <thread>

#include "gpu/support/device_memory.hpp"
#include "gpu/support/device_test.hpp"

namespace vsh::gpu {
namespace {

// Two calls under different IVs, on two streams, the second of which must not begin before the first is done: they
// share the counter's memory.
class DeviceStreams : public DeviceMemory {
 protected:
  void SetUp() override {
    DeviceMemory::SetUp();
    if (IsSkipped()) return;
    cuda_.emplace();
    ASSERT_EQ(vsh_device_cipher_new(&cipher_, id_.c_str(), VSH_MAGMA, key_.data(), 32, nullptr), VSH_OK);
    place_ = cuda_->allocate(2 * kLen);
    cuda_->put(place_, data_.data(), 2 * kLen);
    cuda_->wait();
  }
  void crypt(size_t half, void* stream) {
    void* const p = reinterpret_cast<void*>(place_ + half * kLen);
    EXPECT_EQ(vsh_device_encrypt(cipher_, VSH_CTR, p, p, kLen, iv_.data() + 4 * half, 4, 0, stream), VSH_OK)
        << vsh_device_message();
  }
  // Frees the cipher, too.
  void expect_both() {
    vsh_device_cipher_free(cipher_);
    Bytes expected(2 * kLen);
    for (size_t half = 0; half < 2; ++half) {
      size_t len = 0;
      ASSERT_EQ(vsh_encrypt(expected.data() + half * kLen, kLen, &len, VSH_MAGMA, VSH_CTR, key_.data(), 32,
                            iv_.data() + 4 * half, 4, data_.data() + half * kLen, kLen, nullptr),
                VSH_OK);
    }
    EXPECT_TRUE(cuda_->get(place_, 2 * kLen) == expected);
    cuda_->free(place_, 2 * kLen);
  }

  static constexpr size_t kLen = 64 << 10;
  Random random_{35};
  const Bytes key_ = random_.bytes(32), iv_ = random_.bytes(8), data_ = random_.bytes(2 * kLen);
  std::optional<Cuda> cuda_;
  cuda::CUdeviceptr place_{};
  vsh_device_cipher* cipher_ = nullptr;
};

// Like Python's garbage collector: the stream is destroyed before the cipher.
TEST_F(DeviceStreams, MayGoBeforeTheyAreWaitedFor) {
  const cuda::Functions& cu = cuda::functions();
  for (size_t half = 0; half < 2; ++half) {
    cuda::CUstream stream{};
    ASSERT_EQ(cu.cuStreamCreate(&stream, 1), cuda::CUDA_SUCCESS);
    crypt(half, stream);
    ASSERT_EQ(cu.cuStreamDestroy_v2(stream), cuda::CUDA_SUCCESS);
  }
  expect_both();
}

TEST_F(DeviceStreams, OfThreadsAreOneEach) {
  void* const of_thread = reinterpret_cast<void*>(cuda::kStreamOfThread);
  crypt(0, of_thread);
  std::thread([&] { crypt(1, of_thread); }).join();
  expect_both();
}

}  // namespace
}  // namespace vsh::gpu
