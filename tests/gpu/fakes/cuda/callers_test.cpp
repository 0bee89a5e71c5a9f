// Callers' own memory and streams on a device, over the fake CUDA driver.
#include <dlfcn.h>

#include <cstring>

#include "gpu/cuda/api.hpp"
#include "gpu/cuda/interop.hpp"
#include "in_process.hpp"

namespace vsh::gpu {
namespace {

// Memory and a stream of the caller's, in the primary context of the second device.
TEST(FakeCuda, MemoryAndStreamsOfTheCaller) {
  in_process({{"FAKE_CUDA_DEVICES", "2"}}, [] {
    const cuda::Functions& cu = cuda::functions();
    cuda::CUcontext context = nullptr;
    cuda::CUdeviceptr at = 0;
    cuda::CUstream stream = nullptr;
    ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 1), 0);
    ASSERT_EQ(cu.cuCtxPushCurrent_v2(context), 0);
    ASSERT_EQ(cu.cuMemAlloc_v2(&at, 4 * kCount), 0);
    ASSERT_EQ(cu.cuStreamCreate(&stream, 0), 0);
    ASSERT_EQ(cu.cuMemsetD32Async(at, 21, kCount, stream), 0);

    auto* const p = reinterpret_cast<uint32_t*>(at);
    Device& device = open_device("cuda:1");
    require_memory(device, p, 4 * kCount);
    require_memory(device, p + kCount - 1, 4);
    for (const auto& place : {std::pair<const void*, size_t>{p, 4 * kCount + 1}, {p + kCount - 1, 5}, {&at, 1}})
      EXPECT_EQ(failure([&] { require_memory(device, place.first, place.second); }).kind(), Error::Kind::none_found);
    const Error elsewhere = failure([&] { require_memory(open_device("cuda:0"), p, 4); });
    EXPECT_NE(std::strstr(elsewhere.what(), "on cuda:1, the key on cuda:0"), nullptr) << elsewhere.what();
    EXPECT_FALSE(device.is_page_locked(p, 4));
    {
      const auto buffer = adopt_buffer(device, p, 4 * kCount);
      const auto queue = adopt_stream(device, stream);  // after what the caller asked it for
      const Argument arguments[] = {*buffer, *buffer, uint64_t{0}, 2u, uint64_t{kCount}};
      queue->launch(device.program("probe", "")->kernel("vsh_probe"), kCount, arguments);
    }
    std::vector<uint32_t> words(kCount);
    ASSERT_EQ(cu.cuMemcpyDtoHAsync_v2(words.data(), at, 4 * kCount, stream), 0);
    EXPECT_EQ(words, std::vector<uint32_t>(kCount, 42)) << "i rotated by half a word is 0 in its low half";
    ASSERT_EQ(cu.cuMemsetD32Async(at, 0, kCount, stream), 0);
    ASSERT_EQ(cu.cuStreamDestroy_v2(stream), 0);
    ASSERT_EQ(cu.cuMemFree_v2(at), 0);
  });
}

// The library's kernels must not access memory of another context of the caller.
TEST(FakeCuda, MemoryOfAnotherContextIsRefused) {
  in_process({}, [] {
    const cuda::Functions& cu = cuda::functions();
    using Create = cuda::CUresult(cuda::CUcontext*, unsigned, cuda::CUdevice);
    const auto create =
        reinterpret_cast<Create*>(::dlsym(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), "cuCtxCreate_v2"));
    cuda::CUcontext context = nullptr;
    cuda::CUdeviceptr at = 0;
    ASSERT_EQ(create(&context, 0, 0), 0);
    ASSERT_EQ(cu.cuMemAlloc_v2(&at, 100), 0);
    ASSERT_EQ(cu.cuMemsetD32Async(at, 0, 25, nullptr), 0);
    Device& device = open_device("cuda:0");
    const Error error = failure([&] { require_memory(device, reinterpret_cast<void*>(at), 100); });
    EXPECT_EQ(error.kind(), Error::Kind::none_found);
    EXPECT_NE(std::strstr(error.what(), "primary"), nullptr) << error.what();
    ASSERT_EQ(cu.cuMemFree_v2(at), 0) << "the caller's context is current again";
  });
}

}  // namespace
}  // namespace vsh::gpu
