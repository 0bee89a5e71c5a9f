// A batch whose memory gives out, at each allocation in turn: every job that says OK is right, every other says
// MEMORY. And memory that is given back holds nothing: this program's allocator looks, as in tests/api/wiping_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include "vershina/vershina.h"

namespace {

long allowed = -1;  // allocations until memory gives out; below 0: it never does
size_t num_dirty = 0;

void count() {
  if (allowed == 0) throw std::bad_alloc();
  if (allowed > 0) --allowed;
}

// Written in front of each piece of aligned memory, within its alignment.
struct Header {
  size_t len;
  void* base;
};

void* take(size_t len, std::align_val_t alignment) {
  count();
  const size_t a = std::max(static_cast<size_t>(alignment), sizeof(Header));
  void* base = std::aligned_alloc(a, a + (len + a - 1) / a * a);
  if (!base) throw std::bad_alloc();
  auto* p = static_cast<uint8_t*>(base) + a;
  reinterpret_cast<Header*>(p)[-1] = {len, base};
  return p;
}

void give_back(void* p) {
  if (!p) return;
  const Header header = static_cast<Header*>(p)[-1];
  const auto* bytes = static_cast<const volatile uint8_t*>(p);
  bool dirty = false;
  for (size_t i = 0; i < header.len; ++i) dirty |= bytes[i] != 0;
  num_dirty += dirty;
  std::free(header.base);
}

}  // namespace

// Not inlined: GCC 12 would see malloc and free behind new and delete, and warn of a mismatch.
__attribute__((noinline)) void* operator new(size_t len) {
  count();
  if (void* p = std::malloc(len)) return p;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* p) noexcept { std::free(p); }
__attribute__((noinline)) void operator delete(void* p, size_t) noexcept { std::free(p); }
void* operator new(size_t len, std::align_val_t a) { return take(len, a); }
void* operator new[](size_t len, std::align_val_t a) { return take(len, a); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { give_back(p); }

namespace {

// Runs the batch with less and then more memory until it is enough. `begin` clears outputs and statuses; `status(i)`
// and `right(i)` are of job i.
template <class Begin, class Run, class StatusOf, class Right>
void starve(size_t num_jobs, Begin begin, Run run, StatusOf status, Right right) {
  for (long limit = 0; limit < 200; ++limit) {
    begin();
    allowed = limit;
    const vsh_status result = run();
    allowed = -1;
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

TEST(StreamMemory, CiphersAndTheirKeys) {
  constexpr size_t kNum = 700, kLen = 200;
  std::vector<uint8_t> keys(32 * kNum), in(kNum * kLen), out(in.size()), expected(in.size());
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<uint8_t>(i * 7 + i / 256 + 1);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 11 + i / 256 + 1);
  const uint8_t iv[32] = {9, 8, 7};
  for (const vsh_cipher_algorithm algorithm : {VSH_KUZNYECHIK, VSH_MAGMA}) {
    const size_t n = vsh_block_len(algorithm);
    std::vector<vsh_stream_job> jobs;
    for (size_t i = 0; i < kNum; ++i)  // some that lanes do not take, some with a key of their own
      jobs.push_back({i % 2 ? VSH_STREAM_ENCRYPT : VSH_STREAM_DECRYPT, i % 3 ? VSH_CFB : VSH_OFB,
                      i % 5 ? nullptr : &keys[32 * i], i, iv, i % 50 ? n : 2 * n, &in[i * kLen], kLen, &out[i * kLen],
                      kLen, VSH_E_STATE});
    vsh_streams* streams = nullptr;
    long limit = 0;
    const auto make = [&] {
      allowed = limit++;
      const vsh_status status = vsh_streams_new(&streams, algorithm, keys.data(), kNum, nullptr);
      allowed = -1;
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
        kNum, [&] { std::fill(out.begin(), out.end(), 0); }, [&] { return vsh_streams_run(streams, jobs.data(), kNum); },
        [&](size_t i) { return jobs[i].status; },
        [&](size_t i) { return std::equal(&out[i * kLen], &out[i * kLen] + kLen, &expected[i * kLen]); });
    vsh_streams_free(streams);
  }
  EXPECT_EQ(num_dirty, 0u);
}

TEST(StreamMemory, Hashes) {
  constexpr size_t kNum = 300, kLen = 200;
  std::vector<uint8_t> in(kNum * kLen, 3), out(32 * kNum), expected;
  std::vector<vsh_hash_job> jobs;
  for (size_t i = 0; i < kNum; ++i) jobs.push_back({&in[i * kLen], kLen - i % 64, &out[32 * i], 32, VSH_E_STATE});
  ASSERT_EQ(vsh_streams_hash(VSH_STREEBOG256, jobs.data(), kNum, nullptr), VSH_OK);
  expected = out;
  starve(
      kNum, [&] { std::fill(out.begin(), out.end(), 0); },
      [&] { return vsh_streams_hash(VSH_STREEBOG256, jobs.data(), kNum, nullptr); },
      [&](size_t i) { return jobs[i].status; },
      [&](size_t i) { return std::equal(&out[32 * i], &out[32 * i] + 32, &expected[32 * i]); });
  EXPECT_EQ(num_dirty, 0u);
}

}  // namespace
