// A batch whose allocations fail, each in turn: every job with status OK is correct, every other has MEMORY. And freed
// memory holds nothing of keys and messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "support/watching_allocator.hpp"
#include "vershina/vershina.h"

namespace {

using vsh::test::kMarker;
using vsh::test::Memory;
using vsh::test::memory;

class StreamMemory : public testing::Test {
 protected:
  void SetUp() override { memory.forget(); }
  void expect_clean() {
    EXPECT_GT(memory.num_given_back, 0u);
    EXPECT_EQ(memory.num_dirty, 0u);
    EXPECT_EQ(memory.num_leaks, 0u);
  }
};

void put_markers(std::vector<uint8_t>& bytes, size_t distance) {
  for (size_t i = 0; i + sizeof kMarker <= bytes.size(); i += distance) std::copy_n(kMarker, sizeof kMarker, &bytes[i]);
}

// Runs the batch with more and more memory until it is enough. `begin` clears outputs and statuses; `status(i)` and
// `right(i)` are of job i.
template <class Begin, class Run, class StatusOf, class Right>
void starve(size_t num_jobs, Begin begin, Run run, StatusOf status, Right right) {
  for (long limit = 0; limit < 200; ++limit) {
    begin();
    memory.allowed = limit;
    const vsh_status result = run();
    memory.allowed = Memory::kPlenty;
    for (size_t i = 0; i < num_jobs; ++i) {
      if (status(i) == VSH_OK) ASSERT_TRUE(right(i)) << "job " << i << " after " << limit << " allocations";
      else ASSERT_EQ(status(i), VSH_E_MEMORY);
    }
    if (result == VSH_OK) {
      EXPECT_GT(limit, 3);
      for (size_t i = 0; i < num_jobs; ++i) ASSERT_EQ(status(i), VSH_OK);
      return;
    }
    ASSERT_EQ(result, VSH_E_MEMORY);
  }
  FAIL() << "never enough";
}

// std::stable_sort, which orders packets by keys, allocates with nothrow new.
TEST_F(StreamMemory, TheAllocatorSeesTemporaryBuffers) {
  std::vector<std::array<uint8_t, sizeof kMarker>> values(100, std::to_array(kMarker));
  std::stable_sort(values.begin(), values.end());
  EXPECT_GT(memory.num_leaks, 0u);
  memory.forget();
  memory.allowed = 0;  // then it sorts in place
  std::stable_sort(values.begin(), values.end());
  memory.allowed = Memory::kPlenty;
  EXPECT_EQ(memory.num_leaks, 0u);
}

TEST_F(StreamMemory, CiphersAndTheirKeys) {
  constexpr size_t kNum = 700, kLen = 200;
  std::vector<uint8_t> keys(32 * kNum), in(kNum * kLen), out(in.size()), expected(in.size());
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<uint8_t>(i * 7 + i / 256 + 1);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 11 + i / 256 + 1);
  put_markers(keys, 32);
  put_markers(in, 40);
  const uint8_t iv[32] = {9, 8, 7};
  for (const vsh_cipher_algorithm algorithm : {VSH_KUZNYECHIK, VSH_MAGMA}) {
    const size_t n = vsh_block_len(algorithm);
    std::vector<vsh_stream_job> jobs;
    for (size_t i = 0; i < kNum; ++i)  // some not for lanes, some with their own key
      jobs.push_back({i % 2 ? VSH_STREAM_ENCRYPT : VSH_STREAM_DECRYPT, i % 3 ? VSH_CFB : VSH_OFB,
                      i % 5 ? nullptr : &keys[32 * i], i, iv, i % 50 ? n : 2 * n, &in[i * kLen], kLen, &out[i * kLen],
                      kLen, VSH_E_STATE});
    vsh_streams* streams = nullptr;
    long limit = 0;
    const auto make = [&] {
      memory.allowed = limit++;
      const vsh_status status = vsh_streams_new(&streams, algorithm, keys.data(), kNum, nullptr);
      memory.allowed = Memory::kPlenty;
      return status;
    };
    for (vsh_status status = make(); status != VSH_OK; status = make()) {
      ASSERT_EQ(status, VSH_E_MEMORY);
      ASSERT_EQ(streams, nullptr);
      ASSERT_LT(limit, 100);
    }
    EXPECT_GT(limit, 3);
    ASSERT_EQ(vsh_streams_run(streams, jobs.data(), kNum), VSH_OK);
    expected = out;
    starve(
        kNum, [&] { std::fill(out.begin(), out.end(), 0); },
        [&] { return vsh_streams_run(streams, jobs.data(), kNum); }, [&](size_t i) { return jobs[i].status; },
        [&](size_t i) { return std::equal(&out[i * kLen], &out[i * kLen] + kLen, &expected[i * kLen]); });
    vsh_streams_free(streams);
  }
  expect_clean();
}

// Few messages run singly, by engines that the first batch makes.
TEST_F(StreamMemory, ImitOfPreparedKeys) {
  constexpr size_t kNum = 4, kLen = 16, kTag = 8;
  std::vector<uint8_t> keys(32 * kNum), in(kNum * kLen, 3), out(kNum * kTag), expected(out.size());
  put_markers(keys, 32);
  put_markers(in, kLen);
  for (size_t i = 0; i < kNum; ++i) {
    keys[32 * i + 31] = static_cast<uint8_t>(i);
    vsh_mac* mac = nullptr;
    ASSERT_EQ(vsh_mac_new(&mac, VSH_GOST28147_IMIT, &keys[32 * i], 32, nullptr), VSH_OK);
    ASSERT_EQ(vsh_mac_update(mac, &in[i * kLen], kLen), VSH_OK);
    ASSERT_EQ(vsh_mac_final(mac, &expected[i * kTag], kTag), VSH_OK);
    vsh_mac_free(mac);
  }
  vsh_streams* streams = nullptr;
  ASSERT_EQ(vsh_streams_new(&streams, VSH_GOST28147, keys.data(), kNum, nullptr), VSH_OK);
  std::vector<vsh_stream_job> jobs;
  for (size_t i = 0; i < kNum; ++i)
    jobs.push_back(
        {VSH_STREAM_MAC, VSH_ECB, nullptr, i, nullptr, 0, &in[i * kLen], kLen, &out[i * kTag], kTag, VSH_E_STATE});
  starve(
      kNum, [&] { std::fill(out.begin(), out.end(), 0); }, [&] { return vsh_streams_run(streams, jobs.data(), kNum); },
      [&](size_t i) { return jobs[i].status; },
      [&](size_t i) { return std::equal(&out[i * kTag], &out[(i + 1) * kTag], &expected[i * kTag]); });
  vsh_streams_free(streams);
  expect_clean();
}

// Chunks under the engine of that key, through the stage of messages that lie half pages apart.
TEST_F(StreamMemory, MessagesOfOneKeyHalfPagesApart) {
  constexpr size_t kNum = 100, kLen = 1100, kApart = 2048;
  std::vector<uint8_t> key(32), in(kNum * kApart), out(in.size()), expected;
  put_markers(key, 32);
  put_markers(in, 40);
  const uint8_t iv[16] = {9, 8, 7};
  for (const vsh_cipher_algorithm algorithm : {VSH_KUZNYECHIK, VSH_MAGMA}) {
    std::vector<vsh_stream_job> jobs;
    for (size_t i = 0; i < kNum; ++i)
      jobs.push_back({VSH_STREAM_ENCRYPT, VSH_CFB, nullptr, 0, iv, vsh_block_len(algorithm), &in[i * kApart], kLen,
                      &out[i * kApart], kLen, VSH_E_STATE});
    vsh_streams* streams = nullptr;
    const auto begin = [&] {  // without the key's engine
      vsh_streams_free(streams);
      ASSERT_EQ(vsh_streams_new(&streams, algorithm, key.data(), 1, nullptr), VSH_OK);
      std::fill(out.begin(), out.end(), 0);
    };
    begin();
    ASSERT_EQ(vsh_streams_run(streams, jobs.data(), kNum), VSH_OK);
    expected = out;
    starve(
        kNum, begin, [&] { return vsh_streams_run(streams, jobs.data(), kNum); },
        [&](size_t i) { return jobs[i].status; },
        [&](size_t i) { return std::equal(&out[i * kApart], &out[i * kApart] + kLen, &expected[i * kApart]); });
    vsh_streams_free(streams);
  }
  expect_clean();
}

TEST_F(StreamMemory, Hashes) {
  constexpr size_t kNum = 300, kLen = 200;
  std::vector<uint8_t> in(kNum * kLen, 3), out(32 * kNum), expected;
  std::vector<vsh_hash_job> jobs;
  for (size_t i = 0; i < kNum; ++i) jobs.push_back({&in[i * kLen], kLen - i % 64, &out[32 * i], 32, VSH_E_STATE});
  put_markers(in, 40);
  ASSERT_EQ(vsh_streams_hash(VSH_STREEBOG256, jobs.data(), kNum, nullptr), VSH_OK);
  expected = out;
  starve(
      kNum, [&] { std::fill(out.begin(), out.end(), 0); },
      [&] { return vsh_streams_hash(VSH_STREEBOG256, jobs.data(), kNum, nullptr); },
      [&](size_t i) { return jobs[i].status; },
      [&](size_t i) { return std::equal(&out[32 * i], &out[32 * i] + 32, &expected[32 * i]); });
  expect_clean();
}

}  // namespace
