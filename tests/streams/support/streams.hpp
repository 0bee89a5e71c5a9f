// Random jobs with the results of the one-message API, which other tests check by the standards' vectors.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <vector>

#include "core/registry.hpp"
#include "support/random.hpp"
#include "vershina/vershina.h"

namespace vsh::test {

using Bytes = std::vector<uint8_t>;

struct StreamCipher {
  Algorithm family;
  vsh_cipher_algorithm algorithm;
  vsh_mac_algorithm mac;
  std::vector<vsh_mode> modes;
};
inline const StreamCipher kStreamCiphers[] = {
    {Algorithm::kuznyechik, VSH_KUZNYECHIK, VSH_KUZNYECHIK_MAC, {VSH_ECB, VSH_CTR, VSH_OFB, VSH_CBC, VSH_CFB}},
    {Algorithm::magma, VSH_MAGMA, VSH_MAGMA_MAC, {VSH_ECB, VSH_CTR, VSH_OFB, VSH_CBC, VSH_CFB}},
    {Algorithm::gost28147, VSH_GOST28147, VSH_GOST28147_IMIT, {VSH_ECB, VSH_CNT, VSH_CFB, VSH_CBC}},
};

// Memory of one job; its vsh_stream_job points there.
struct StreamMessage {
  Bytes key, iv, in, out, expected;
};

// A batch: jobs and their expected results.
class StreamBatch {
 public:
  StreamBatch(const StreamCipher& cipher, const vsh_options& options, Random& random)
      : cipher_(cipher), options_(options), random_(random) {
    options_.padding = VSH_PADDING_NONE;
  }

  const StreamCipher& cipher() const { return cipher_; }
  size_t block() const { return vsh_block_len(cipher_.algorithm); }

  // key: 32 bytes. z: blocks of the register, where the mode has one.
  void add(vsh_stream_work work, vsh_mode mode, const Bytes& key, size_t len, bool in_place, size_t z = 1) {
    const bool is_mac = work == VSH_STREAM_MAC;
    if (!is_mac && (mode == VSH_ECB || mode == VSH_CBC)) len -= len % block();
    StreamMessage& m = messages_.emplace_back();
    m.key = key;
    m.in = random_.bytes(len);
    if (!is_mac) m.iv = random_.bytes(vsh_iv_len(cipher_.algorithm, mode) * (mode == VSH_CTR ? 1 : z));
    m.out.resize(is_mac ? 1 + random_.below(vsh_mac_max_len(cipher_.mac)) : len, 0xA5);
    m.expected = m.out;
    expect(m, work, mode);
    if (in_place && !is_mac) m.out = m.in;
    jobs.push_back({work, mode, m.key.data(), 0, m.iv.data(), m.iv.size(),
                    in_place && !is_mac ? m.out.data() : m.in.data(), len, m.out.data(), m.out.size(), VSH_E_STATE});
  }

  // Any work of the cipher.
  void add_random(const Bytes& key, size_t len) {
    const size_t which = random_.below(2 * cipher_.modes.size() + 1);
    const bool in_place = random_.below(4) == 0;
    if (which == 2 * cipher_.modes.size()) return add(VSH_STREAM_MAC, VSH_ECB, key, len, false);
    add(which % 2 ? VSH_STREAM_ENCRYPT : VSH_STREAM_DECRYPT, cipher_.modes[which / 2], key, len, in_place);
  }

  void check() const {
    for (size_t i = 0; i < jobs.size(); ++i) {
      ASSERT_EQ(jobs[i].status, VSH_OK) << "job " << i;
      ASSERT_EQ(messages_[i].out, messages_[i].expected)
          << "job " << i << ", work " << jobs[i].work << ", mode " << jobs[i].mode << ", length " << jobs[i].in_len;
    }
  }

  std::vector<vsh_stream_job> jobs;
  StreamMessage& message(size_t i) { return messages_[i]; }

 private:
  void expect(StreamMessage& m, vsh_stream_work work, vsh_mode mode) {
    vsh_options o = options_;
    o.kernel = nullptr;
    if (work == VSH_STREAM_MAC) {
      o.segment_len = 0;
      vsh_mac* mac = nullptr;
      ASSERT_EQ(vsh_mac_new(&mac, cipher_.mac, m.key.data(), 32, &o), VSH_OK);
      ASSERT_EQ(vsh_mac_update(mac, m.in.data(), m.in.size()), VSH_OK);
      ASSERT_EQ(vsh_mac_final(mac, m.expected.data(), m.expected.size()), VSH_OK);
      vsh_mac_free(mac);
      return;
    }
    size_t len = 0;
    const auto function = work == VSH_STREAM_ENCRYPT ? vsh_encrypt : vsh_decrypt;
    ASSERT_EQ(function(m.expected.data(), m.expected.size(), &len, cipher_.algorithm, mode, m.key.data(), 32,
                       m.iv.data(), m.iv.size(), m.in.data(), m.in.size(), &o),
              VSH_OK);
    ASSERT_EQ(len, m.expected.size());
  }

  const StreamCipher& cipher_;
  vsh_options options_;
  Random& random_;
  std::deque<StreamMessage> messages_;
};

}  // namespace vsh::test
