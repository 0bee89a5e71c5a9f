// vsh_streams_mgm: packets of many keys equal vsh_aead's, and a bad one fails without affecting the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/random.hpp"
#include "support/vec.hpp"
#include "vershina/vershina.hpp"

namespace {

using vsh::test::Random;
using vsh::vec::Bytes;

struct Packet {
  Bytes key, nonce, data, text, sealed;
  size_t tag_len;
};

size_t block_of(vsh_cipher_algorithm a) { return vsh_block_len(a); }

// Expected output, from the one-message functions.
void seal(vsh_cipher_algorithm a, Packet& p) {
  vsh_options o = VSH_OPTIONS_INIT;
  o.flags = VSH_ALLOW_SHORT_TAGS;
  vsh_aead* aead = nullptr;
  ASSERT_EQ(vsh_aead_new(&aead, a == VSH_MAGMA ? VSH_MAGMA_MGM : VSH_KUZNYECHIK_MGM, p.key.data(), 32, p.tag_len, &o),
            VSH_OK);
  p.sealed.resize(p.text.size() + p.tag_len);
  size_t len = 0;
  ASSERT_EQ(vsh_aead_seal(aead, p.sealed.data(), p.sealed.size(), &len, p.nonce.data(), p.nonce.size(), p.data.data(),
                          p.data.size(), p.text.data(), p.text.size()),
            VSH_OK);
  vsh_aead_free(aead);
}

std::vector<Packet> make_packets(vsh_cipher_algorithm a, Random& random, size_t num, size_t num_keys, size_t longest) {
  std::vector<Bytes> keys;
  for (size_t i = 0; i < num_keys; ++i) keys.push_back(random.bytes(32));
  std::vector<Packet> packets(num);
  for (Packet& p : packets) {
    p.key = keys[random.below(num_keys)];
    p.nonce = random.bytes(block_of(a));
    p.nonce[0] &= 0x7f;
    if (random.below(8) == 0) std::fill(p.nonce.begin() + 1, p.nonce.end(), uint8_t{0xff});  // counters run over
    p.data = random.bytes(random.below(40));
    p.text = random.bytes(p.data.empty() ? 1 + random.below(longest) : random.below(longest + 1));
    p.tag_len = random.below(4) ? block_of(a) : 4 + random.below(block_of(a) - 3);
    seal(a, p);
  }
  return packets;
}

class PacketsTest : public testing::TestWithParam<vsh_cipher_algorithm> {
 protected:
  vsh_streams* streams(const std::vector<Packet>& prepared, unsigned threads = 1, const char* kernel = nullptr) {
    Bytes keys;
    for (const Packet& p : prepared) keys.insert(keys.end(), p.key.begin(), p.key.end());
    vsh_options o = VSH_OPTIONS_INIT;
    o.flags = VSH_ALLOW_SHORT_TAGS | VSH_ALLOW_TABLES;
    o.threads = threads;
    o.kernel = kernel;
    vsh_streams* s = nullptr;
    EXPECT_EQ(vsh_streams_new(&s, GetParam(), keys.data(), prepared.size(), &o), VSH_OK);
    return s;
  }
  static vsh_mgm_job job(const Packet& p, bool opens, Bytes& out) {
    const Bytes& in = opens ? p.sealed : p.text;
    out.assign(opens ? p.text.size() : p.sealed.size(), 0xa5);
    return {opens ? VSH_STREAM_DECRYPT : VSH_STREAM_ENCRYPT,
            p.key.data(),
            0,
            p.nonce.data(),
            p.nonce.size(),
            p.data.data(),
            p.data.size(),
            in.data(),
            in.size(),
            out.data(),
            out.size(),
            p.tag_len,
            VSH_OK};
  }
};

TEST_P(PacketsTest, EqualWhatEachGivesByItself) {
  Random random(9058);
  for (const unsigned threads : {1u, 3u}) {
    for (const size_t num : {1, 3, 40, 400, 1300}) {
      for (const size_t num_keys : {size_t{1}, size_t{7}, num}) {
        SCOPED_TRACE(std::to_string(num) + " packets, keys " + std::to_string(num_keys));
        const auto packets = make_packets(GetParam(), random, num, num_keys, num == 3 ? 20000 : 200);
        vsh_streams* s = streams(packets, threads);
        std::vector<Bytes> out(num);
        std::vector<vsh_mgm_job> jobs;
        for (size_t i = 0; i < num; ++i) {
          jobs.push_back(job(packets[i], i % 3 == 1, out[i]));
          if (i % 2) jobs[i].key = nullptr, jobs[i].key_index = i;  // prepared
        }
        ASSERT_EQ(vsh_streams_mgm(s, jobs.data(), num), VSH_OK);
        for (size_t i = 0; i < num; ++i) {
          ASSERT_EQ(jobs[i].status, VSH_OK);
          ASSERT_EQ(out[i], i % 3 == 1 ? packets[i].text : packets[i].sealed) << i;
        }
        vsh_streams_free(s);
      }
    }
  }
}

TEST_P(PacketsTest, InPlace) {
  Random random(9059);
  const auto packets = make_packets(GetParam(), random, 30, 5, 300);
  vsh_streams* s = streams({});
  std::vector<Bytes> buffers;
  for (const Packet& p : packets) buffers.push_back(p.text), buffers.back().resize(p.sealed.size());
  for (const bool opens : {false, true}) {
    std::vector<vsh_mgm_job> jobs;
    for (size_t i = 0; i < packets.size(); ++i) {
      Bytes unused;
      jobs.push_back(job(packets[i], opens, unused));
      jobs[i].in = jobs[i].out = buffers[i].data();
    }
    ASSERT_EQ(vsh_streams_mgm(s, jobs.data(), jobs.size()), VSH_OK);
    for (size_t i = 0; i < packets.size(); ++i) {
      const Bytes& expected = opens ? packets[i].text : packets[i].sealed;
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), buffers[i].begin()));
    }
  }
  vsh_streams_free(s);
}

// Enough packets of each prepared key to fill the passes of every kernel: their blocks are one request.
TEST_P(PacketsTest, ManyOfFewKeys) {
  Random random(9062);
  auto packets = make_packets(GetParam(), random, 900, 2, 300);
  for (size_t i = 0; i < packets.size(); i += 20) {  // some of more than one piece, some too long
    packets[i].data = random.bytes(i % 3 ? random.below(40) : random.below(6000));
    packets[i].text = random.bytes(3000 + random.below(6000));
    seal(GetParam(), packets[i]);
  }
  std::vector<Packet> prepared;
  for (const Packet& p : packets)
    if (std::none_of(prepared.begin(), prepared.end(), [&](const Packet& q) { return q.key == p.key; }))
      prepared.push_back(p);
  ASSERT_EQ(prepared.size(), 2u);
  std::vector<const char*> kernels{nullptr};
  vsh_kernel_info info;
  const char* const family = GetParam() == VSH_MAGMA ? "magma" : "kuznyechik";
  for (size_t k = 0; vsh_kernel(k, &info) == VSH_OK; ++k)
    if (info.runnable && std::string(info.family) == family) kernels.push_back(info.variant);
  for (const char* kernel : kernels) {
    SCOPED_TRACE(kernel ? kernel : "default");
    vsh_streams* s = streams(prepared, kernel ? 1 : 3, kernel);
    for (const bool opens : {false, true}) {
      std::vector<Bytes> out(packets.size());
      std::vector<vsh_mgm_job> jobs;
      Bytes forged = packets[7].sealed;
      forged.back() ^= 1;
      for (size_t i = 0; i < packets.size(); ++i) {
        jobs.push_back(job(packets[i], opens, out[i]));
        jobs[i].key = nullptr, jobs[i].key_index = packets[i].key == prepared[0].key ? 0 : 1;
      }
      if (opens) jobs[7].in = forged.data();
      ASSERT_EQ(vsh_streams_mgm(s, jobs.data(), jobs.size()), opens ? VSH_E_JOB : VSH_OK);
      for (size_t i = 0; i < packets.size(); ++i) {
        const bool is_forged = opens && i == 7;
        ASSERT_EQ(jobs[i].status, is_forged ? VSH_E_TAG : VSH_OK);
        const Bytes& right = opens ? packets[i].text : packets[i].sealed;
        ASSERT_EQ(out[i], is_forged ? Bytes(right.size(), 0xa5) : right) << i;
      }
    }
    vsh_streams_free(s);
  }
}

TEST_P(PacketsTest, EveryKernel) {
  Random random(9060);
  const auto packets = make_packets(GetParam(), random, 20, 20, 100);
  vsh_kernel_info info;
  for (size_t k = 0; vsh_kernel(k, &info) == VSH_OK; ++k) {
    if (std::string(info.family) != (GetParam() == VSH_MAGMA ? "magma" : "kuznyechik") || !info.runnable) continue;
    vsh_streams* s = streams(packets, 1, info.variant);
    std::vector<Bytes> out(packets.size());
    std::vector<vsh_mgm_job> jobs;
    for (size_t i = 0; i < packets.size(); ++i) {
      jobs.push_back(job(packets[i], false, out[i]));
      jobs[i].key = nullptr, jobs[i].key_index = i;
    }
    ASSERT_EQ(vsh_streams_mgm(s, jobs.data(), jobs.size()), VSH_OK);
    for (size_t i = 0; i < packets.size(); ++i) ASSERT_EQ(out[i], packets[i].sealed) << info.variant;
    vsh_streams_free(s);
  }
}

TEST_P(PacketsTest, ABadPacketFailsAlone) {
  Random random(9061);
  auto packets = make_packets(GetParam(), random, 60, 60, 100);
  const size_t n = block_of(GetParam());
  for (Packet& p : packets)
    if (p.tag_len < 8 || p.text.size() < 2) p.tag_len = n, p.text = random.bytes(20), seal(GetParam(), p);
  const auto good = packets;
  packets[3].sealed[0] ^= 1;
  packets[9].sealed.back() ^= 1;
  packets[15].data.push_back(0);
  packets[21].nonce[n - 1] ^= 1;
  packets[27].key[0] ^= 1;
  std::vector<Bytes> out(packets.size());
  std::vector<vsh_mgm_job> jobs;
  for (size_t i = 0; i < packets.size(); ++i) jobs.push_back(job(packets[i], i % 2, out[i]));
  jobs[2].tag_len = n + 1;
  jobs[4].tag_len = 3;
  jobs[6].out_len -= 1;
  jobs[8].nonce_len = n - 1;
  jobs[10].nonce = nullptr;
  packets[12].nonce[0] |= 0x80;
  jobs[14].in = nullptr;
  jobs[16].work = VSH_STREAM_MAC;
  jobs[18].key = nullptr, jobs[18].key_index = 60;
  jobs[20].in_len = jobs[20].data_len = 0, jobs[20].out_len = jobs[20].tag_len;
  jobs[22].out = const_cast<uint8_t*>(jobs[22].in) + 1;
  jobs[24].data_len = SIZE_MAX;
  jobs[25].in_len = 5;
  std::map<size_t, vsh_status> expected = {
      {2, VSH_E_TAG_LENGTH}, {3, VSH_E_TAG},       {4, VSH_E_TAG_LENGTH},   {6, VSH_E_CAPACITY},  {8, VSH_E_IV_LENGTH},
      {9, VSH_E_TAG},        {10, VSH_E_ARGUMENT}, {12, VSH_E_NONCE},       {14, VSH_E_ARGUMENT}, {15, VSH_E_TAG},
      {16, VSH_E_ARGUMENT},  {18, VSH_E_ARGUMENT}, {20, VSH_E_DATA_LENGTH}, {21, VSH_E_TAG},      {22, VSH_E_ARGUMENT},
      {24, VSH_E_ARGUMENT},  {25, VSH_E_CAPACITY}, {27, VSH_E_TAG}};
  vsh_streams* s = streams({});
  EXPECT_EQ(vsh_streams_mgm(s, jobs.data(), jobs.size()), VSH_E_JOB);
  for (size_t i = 0; i < packets.size(); ++i) {
    EXPECT_EQ(jobs[i].status, expected[i]) << i;
    if (i == 22) continue;
    const Bytes untouched(out[i].size(), 0xa5);
    EXPECT_EQ(out[i], expected[i] ? untouched : i % 2 ? good[i].text : good[i].sealed) << i;
  }
  EXPECT_EQ(vsh_streams_mgm(nullptr, jobs.data(), 1), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_mgm(s, nullptr, 1), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_mgm(s, nullptr, 0), VSH_OK);
  EXPECT_EQ(vsh_streams_mgm_jobs(s, jobs.data(), 1, 8), VSH_E_ARGUMENT);
  vsh_streams_free(s);

  // Short tags need the flag when the streams are made; GOST 28147-89 has no MGM.
  Bytes unused;
  vsh_mgm_job short_tag = job(good[0], false, unused);
  short_tag.tag_len = 4, short_tag.out_len = short_tag.in_len + 4;
  for (const auto a : {GetParam(), VSH_GOST28147}) {
    ASSERT_EQ(vsh_streams_new(&s, a, nullptr, 0, nullptr), VSH_OK);
    EXPECT_EQ(vsh_streams_mgm(s, &short_tag, 1), a == VSH_GOST28147 ? VSH_E_ARGUMENT : VSH_E_JOB);
    if (a != VSH_GOST28147) {
      EXPECT_EQ(short_tag.status, VSH_E_TAG_LENGTH);
    }
    vsh_streams_free(s);
  }
}

INSTANTIATE_TEST_SUITE_P(Mgm, PacketsTest, testing::Values(VSH_KUZNYECHIK, VSH_MAGMA), [](const auto& info) {
  return std::string(info.param == VSH_MAGMA ? "Magma" : "Kuznyechik");
});

}  // namespace
