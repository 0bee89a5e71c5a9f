// Data already on a CUDA device: every mode as on the processor, at any alignment, in the order of a stream.
#include <algorithm>
#include <cstring>

#include "gpu/support/device_memory.hpp"
#include "gpu/support/device_test.hpp"
#include "vershina/disk.h"

namespace vsh::gpu {
namespace {

struct Case {
  vsh_cipher_algorithm algorithm;
  vsh_mode mode;
  bool encrypts;
  size_t z;
};
constexpr Case kCases[] = {
    {VSH_MAGMA, VSH_ECB, true, 0},      {VSH_MAGMA, VSH_ECB, false, 0},      {VSH_MAGMA, VSH_CTR, true, 0},
    {VSH_MAGMA, VSH_CBC, false, 3},     {VSH_MAGMA, VSH_CFB, false, 1},      {VSH_MAGMA, VSH_CFB, false, 16},
    {VSH_KUZNYECHIK, VSH_CTR, true, 0}, {VSH_KUZNYECHIK, VSH_CBC, false, 1}, {VSH_GOST28147, VSH_CNT, true, 0}};

TEST_F(DeviceMemory, EveryModeAsOnTheProcessor) {
  SCOPED_TRACE(vsh::test::seed_note());
  Random random(31);
  Cuda cuda;
  constexpr size_t kRoom = 64 << 10;
  const auto in = cuda.allocate(kRoom), out = cuda.allocate(kRoom);
  for (const Case& c : kCases) {
    const Bytes key = random.bytes(32);
    const size_t n = vsh_block_len(c.algorithm);
    const Bytes iv = random.bytes(c.z ? c.z * n : vsh_iv_len(c.algorithm, c.mode));
    vsh_device_cipher* cipher = nullptr;
    ASSERT_EQ(vsh_device_cipher_new(&cipher, id_.c_str(), c.algorithm, key.data(), 32, nullptr), VSH_OK)
        << vsh_device_message();
    for (const size_t blocks : {0, 1, 5, 33, 1500}) {
      const bool any_length = c.mode != VSH_ECB && c.mode != VSH_CBC;
      const size_t len = blocks * n + (any_length ? random.below(n) : 0);
      const Bytes data = random.bytes(len);
      Bytes expected(len);
      size_t expected_len = 0;
      vsh_options none = VSH_OPTIONS_INIT;
      none.padding = any_length ? VSH_PADDING_DEFAULT : VSH_PADDING_NONE;
      ASSERT_EQ((c.encrypts ? vsh_encrypt : vsh_decrypt)(expected.data(), len, &expected_len, c.algorithm, c.mode,
                                                         key.data(), 32, iv.data(), iv.size(), data.data(), len, &none),
                VSH_OK);
      // Right, in place, and elsewhere.
      for (const auto& [from, to] : {std::pair<size_t, size_t>{0, 0}, {16, SIZE_MAX}, {3, 8}, {1, SIZE_MAX}}) {
        SCOPED_TRACE(std::to_string(c.algorithm) + " mode " + std::to_string(c.mode) + ", " + std::to_string(len) +
                     " bytes at " + std::to_string(from));
        const auto source = in + from, target = to == SIZE_MAX ? source : out + to;
        cuda.put(source, data.data(), len);
        const auto p = reinterpret_cast<const void*>(source);
        void* const q = reinterpret_cast<void*>(target);
        const auto crypt = c.encrypts ? vsh_device_encrypt : vsh_device_decrypt;
        EXPECT_EQ(crypt(cipher, c.mode, q, p, len, iv.data(), iv.size(), 0, cuda.stream()), VSH_OK)
            << vsh_device_message();
        EXPECT_TRUE(cuda.get(target, len) == expected);
        if (c.mode != VSH_CTR || len <= 2 * n) continue;
        // From the middle of the message on.
        cuda.put(source, data.data(), len);
        EXPECT_EQ(vsh_device_encrypt(cipher, c.mode, reinterpret_cast<void*>(target),
                                     reinterpret_cast<const void*>(source + 2 * n), len - 2 * n, iv.data(), iv.size(),
                                     2 * n, cuda.stream()),
                  target == source ? VSH_E_ARGUMENT : VSH_OK);
        if (target == source) continue;
        EXPECT_TRUE(cuda.get(target, len - 2 * n) == Bytes(expected.begin() + 2 * n, expected.end()));
      }
    }
    vsh_device_cipher_free(cipher);
  }
  cuda.free(in, kRoom);
  cuda.free(out, kRoom);
}

// Data that must be copied goes in pieces of 16 MiB.
TEST_F(DeviceMemory, MoreThanAPiece) {
  Random random(36);
  Cuda cuda;
  constexpr size_t kLen = (16 << 20) + 8 * 77 + 3;
  const Bytes key = random.bytes(32), iv = random.bytes(24), data = random.bytes(kLen);
  const auto place = cuda.allocate(kLen + 1 + 8);
  vsh_device_cipher* cipher = nullptr;
  ASSERT_EQ(vsh_device_cipher_new(&cipher, id_.c_str(), VSH_MAGMA, key.data(), 32, nullptr), VSH_OK);
  for (const auto& [mode, iv_len] : {std::pair<vsh_mode, size_t>{VSH_CFB, 24}, {VSH_CTR, 4}}) {
    Bytes expected(kLen);
    size_t len = 0;
    ASSERT_EQ(vsh_decrypt(expected.data(), kLen, &len, VSH_MAGMA, mode, key.data(), 32, iv.data(), iv_len, data.data(),
                          kLen, nullptr),
              VSH_OK);
    cuda.put(place + 1, data.data(), kLen);
    void* const p = reinterpret_cast<void*>(place + 1);
    EXPECT_EQ(vsh_device_decrypt(cipher, mode, p, p, kLen, iv.data(), iv_len, 0, cuda.stream()), VSH_OK)
        << vsh_device_message();
    EXPECT_TRUE(cuda.get(place + 1, kLen) == expected) << mode;
  }
  vsh_device_cipher_free(cipher);
  cuda.free(place, kLen + 9);
}

TEST_F(DeviceMemory, Sectors) {
  Random random(32);
  Cuda cuda;
  const Bytes key = random.bytes(64), data = random.bytes(20 * 4096);
  const auto in = cuda.allocate(data.size() + 16), out = cuda.allocate(data.size());
  Bytes expected(data.size());
  vsh_xts* xts = nullptr;
  ASSERT_EQ(vsh_xts_new(&xts, key.data(), 64, nullptr), VSH_OK);
  ASSERT_EQ(vsh_xts_encrypt_sectors(xts, expected.data(), data.data(), 20, 4096, 800), VSH_OK);
  vsh_xts_free(xts);
  vsh_device_cipher* cipher = nullptr;
  ASSERT_EQ(vsh_device_cipher_new(&cipher, id_.c_str(), VSH_KUZNYECHIK, key.data(), 64, nullptr), VSH_OK);
  for (const size_t offset : {0, 5}) {
    cuda.put(in + offset, data.data(), data.size());
    void* const p = reinterpret_cast<void*>(in + offset);
    void* const q = reinterpret_cast<void*>(out);
    EXPECT_EQ(vsh_device_xts_encrypt(cipher, q, p, 20, 4096, 800, cuda.stream()), VSH_OK) << vsh_device_message();
    EXPECT_TRUE(cuda.get(out, data.size()) == expected);
    EXPECT_EQ(vsh_device_xts_decrypt(cipher, p, q, 20, 4096, 800, cuda.stream()), VSH_OK) << vsh_device_message();
    EXPECT_TRUE(cuda.get(in + offset, data.size()) == data);
  }
  void* const p = reinterpret_cast<void*>(in);
  EXPECT_EQ(vsh_device_encrypt(cipher, VSH_ECB, p, p, 16, nullptr, 0, 0, cuda.stream()), VSH_E_STATE);
  EXPECT_EQ(vsh_device_xts_encrypt(cipher, p, p, 1, 100, 0, cuda.stream()), VSH_E_SECTOR);
  EXPECT_EQ(vsh_device_xts_encrypt(cipher, p, p, 1, 4096, 1, cuda.stream()), VSH_E_SECTOR);
  EXPECT_EQ(vsh_device_xts_encrypt(cipher, p, p, 2, 512, UINT64_MAX, cuda.stream()), VSH_E_LIMIT);
  EXPECT_EQ(vsh_device_xts_encrypt(cipher, p, p, 1000, 4096, 0, cuda.stream()), VSH_E_DEVICE);  // beyond the allocation
  vsh_device_cipher_free(cipher);
  cuda.free(in, data.size() + 16);
  cuda.free(out, data.size());
}

TEST_F(DeviceMemory, Streams) {
  Random random(33);
  Cuda cuda;
  constexpr size_t kNum = 100, kLen = 509, kStride = 512;
  const Bytes data = random.bytes(kNum * kStride), keys = random.bytes(kNum * 32), ivs = random.bytes(kNum * 8);
  // All in one allocation, out last, so that twice the stride leads beyond its end, not into other data.
  constexpr size_t kPlace = 4096;  // of keys, and of IVs
  const size_t size = 2 * kPlace + 5 * data.size();
  const auto key_place = cuda.allocate(size), iv_place = key_place + kPlace;
  const auto in = iv_place + kPlace, out = in + 4 * data.size();
  cuda.put(in, data.data(), data.size());
  cuda.put(key_place, keys.data(), keys.size());
  cuda.put(iv_place, ivs.data(), ivs.size());
  vsh_device_streams* streams = nullptr;
  ASSERT_EQ(vsh_device_streams_new(&streams, id_.c_str(), VSH_GOST28147, nullptr), VSH_OK) << vsh_device_message();
  const auto run = [&](size_t len, size_t stride, cuda::CUdeviceptr to) {
    return vsh_device_streams_run(streams, VSH_STREAM_ENCRYPT, VSH_CNT, reinterpret_cast<void*>(to),
                                  reinterpret_cast<void*>(in), reinterpret_cast<void*>(key_place),
                                  reinterpret_cast<void*>(iv_place), kNum, len, stride, cuda.stream());
  };
  EXPECT_EQ(run(kLen, kStride, out), VSH_OK) << vsh_device_message();
  const Bytes found = cuda.get(out, data.size());
  size_t wrong = 0;
  for (size_t i = 0; i < kNum; ++i) {
    Bytes expected(kLen);
    size_t len = 0;
    ASSERT_EQ(vsh_encrypt(expected.data(), kLen, &len, VSH_GOST28147, VSH_CNT, keys.data() + 32 * i, 32,
                          ivs.data() + 8 * i, 8, data.data() + i * kStride, kLen, nullptr),
              VSH_OK);
    wrong += !std::equal(expected.begin(), expected.end(), found.begin() + static_cast<ptrdiff_t>(i * kStride));
  }
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(run(kLen, kLen, out), VSH_E_ARGUMENT);
  EXPECT_EQ(run(kLen, kStride, in), VSH_E_ARGUMENT);
  EXPECT_EQ(run(kLen, kStride, out + 8), VSH_E_ARGUMENT);
  EXPECT_EQ(run(kLen, 2 * kStride, out), VSH_E_DEVICE);  // beyond the allocation
  vsh_device_streams_free(streams);
  cuda.free(key_place, size);
}

TEST_F(DeviceMemory, Misuse) {
  Random random(34);
  Cuda cuda;
  const Bytes key = random.bytes(64), iv = random.bytes(16);
  vsh_device_cipher* cipher = nullptr;
  const auto make = [&](const char* device, vsh_cipher_algorithm a, size_t key_len, const vsh_options* o = nullptr) {
    return vsh_device_cipher_new(&cipher, device, a, key.data(), key_len, o);
  };
  EXPECT_EQ(vsh_device_cipher_new(nullptr, id_.c_str(), VSH_MAGMA, key.data(), 32, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(make(nullptr, VSH_MAGMA, 32), VSH_E_ARGUMENT);
  EXPECT_EQ(make("cuda:999", VSH_MAGMA, 32), VSH_E_DEVICE);
  EXPECT_EQ(make("opencl:0.0", VSH_MAGMA, 32), VSH_E_DEVICE);
  EXPECT_EQ(make("auto", VSH_MAGMA, 32), VSH_E_DEVICE);
  EXPECT_EQ(make(id_.c_str(), VSH_MAGMA, 64), VSH_E_KEY_LENGTH);
  EXPECT_EQ(make(id_.c_str(), static_cast<vsh_cipher_algorithm>(9), 32), VSH_E_ARGUMENT);
  vsh_options o = VSH_OPTIONS_INIT;
  o.segment_len = 3;
  EXPECT_EQ(make(id_.c_str(), VSH_MAGMA, 32, &o), VSH_E_SEGMENT);
  const Bytes twice(64, 7);
  EXPECT_EQ(vsh_device_cipher_new(&cipher, id_.c_str(), VSH_KUZNYECHIK, twice.data(), 64, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(cipher, nullptr);

  ASSERT_EQ(make(id_.c_str(), VSH_MAGMA, 32), VSH_OK);
  const auto place = cuda.allocate(4096);
  auto* const p = reinterpret_cast<uint8_t*>(place);
  const auto encrypt = [&](vsh_mode mode, void* out, const void* in, size_t len, size_t iv_len, uint64_t position = 0) {
    return vsh_device_encrypt(cipher, mode, out, in, len, iv.data(), iv_len, position, cuda.stream());
  };
  EXPECT_EQ(encrypt(VSH_CTR, p, p, 100, 8), VSH_E_IV_LENGTH);
  EXPECT_EQ(encrypt(VSH_CTR, p, p, 100, 4, 3), VSH_E_ARGUMENT);
  EXPECT_EQ(encrypt(VSH_ECB, p, p, 8, 0, 8), VSH_E_ARGUMENT);
  EXPECT_EQ(encrypt(VSH_ECB, p, p, 9, 0), VSH_E_DATA_LENGTH);
  EXPECT_EQ(encrypt(VSH_CTR, p + 8, p, 100, 4), VSH_E_ARGUMENT);
  EXPECT_EQ(encrypt(VSH_CTR, nullptr, p, 100, 4), VSH_E_ARGUMENT);
  EXPECT_EQ(encrypt(VSH_CNT, p, p, 100, 8), VSH_E_ARGUMENT);
  EXPECT_EQ(encrypt(VSH_CBC, p, p, 8, 8), VSH_E_DEVICE);
  EXPECT_EQ(encrypt(VSH_OFB, p, p, 8, 8), VSH_E_DEVICE);
  EXPECT_EQ(encrypt(VSH_CTR, p, p, 4097, 4), VSH_E_DEVICE);
  Bytes host(64);
  EXPECT_EQ(encrypt(VSH_CTR, host.data(), host.data(), 64, 4), VSH_E_DEVICE);
  EXPECT_EQ(vsh_device_encrypt(nullptr, VSH_ECB, p, p, 8, nullptr, 0, 0, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_device_xts_encrypt(cipher, p, p, 1, 512, 0, cuda.stream()), VSH_E_STATE);
  vsh_device_cipher_free(cipher);
  vsh_device_cipher_free(nullptr);
  cuda.free(place, 4096);
}

// Page-locked memory, of any device.
class HostMemory : public vsh::test::DeviceTest {};

TEST_F(HostMemory, IsGivenAndTakenBack) {
  for_each_device([&](Device& device) {
    void* memory = nullptr;
    const char* const id = device.info().id.c_str();
    ASSERT_EQ(vsh_device_alloc_host(&memory, 10000, id), VSH_OK) << vsh_device_message();
    std::memset(memory, 1, 10000);
    EXPECT_TRUE(device.is_page_locked(memory, 10000));
    vsh_device_free_host(memory);
    EXPECT_FALSE(device.is_page_locked(memory, 10000));
    EXPECT_EQ(vsh_device_alloc_host(nullptr, 10, id), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_device_alloc_host(&memory, 0, id), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_device_alloc_host(&memory, 10, "opencl:99"), VSH_E_DEVICE);
    EXPECT_EQ(vsh_device_alloc_host(&memory, 10, "cpu"), VSH_E_DEVICE);
    EXPECT_EQ(vsh_device_alloc_host(&memory, 10, "nonsense"), VSH_E_DEVICE);
  });
  vsh_device_free_host(nullptr);
}

}  // namespace
}  // namespace vsh::gpu
