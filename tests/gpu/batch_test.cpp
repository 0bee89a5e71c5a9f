// Batches through the C ABI with a device: every job as on the processor, which tests/streams checks.
#include <cstring>
#include <deque>

#include "gpu/support/device_test.hpp"
#include "support/random.hpp"
#include "vershina/vershina.h"

namespace vsh::gpu {
namespace {

using Bytes = std::vector<uint8_t>;
using vsh::test::Random;

class Batch : public vsh::test::DeviceTest {
 protected:
  vsh_options on(const std::string& id) {
    vsh_options options = VSH_OPTIONS_INIT;
    options.device = id.c_str();
    return options;
  }
};

struct Message {
  Bytes key, iv, in, out;
};

struct Kind {
  vsh_cipher_algorithm algorithm;
  vsh_stream_work work;
  vsh_mode mode;
};

constexpr Kind kKinds[] = {{VSH_GOST28147, VSH_STREAM_ENCRYPT, VSH_CNT},
                           {VSH_GOST28147, VSH_STREAM_ENCRYPT, VSH_CFB},
                           {VSH_GOST28147, VSH_STREAM_MAC, VSH_ECB},
                           {VSH_MAGMA, VSH_STREAM_DECRYPT, VSH_ECB},
                           {VSH_KUZNYECHIK, VSH_STREAM_ENCRYPT, VSH_CTR}};

void run(const Kind& kind, const Bytes& prepared, std::deque<Message>& messages, const vsh_options* options) {
  vsh_streams* streams = nullptr;
  ASSERT_EQ(vsh_streams_new(&streams, kind.algorithm, prepared.data(), prepared.size() / 32, options), VSH_OK)
      << vsh_device_message();
  std::vector<vsh_stream_job> jobs;
  for (Message& m : messages) {
    const bool has_key = jobs.size() % 2;
    jobs.push_back({kind.work, kind.mode, has_key ? m.key.data() : nullptr, jobs.size() % (prepared.size() / 32),
                    m.iv.data(), m.iv.size(), m.in.data(), m.in.size(), m.out.data(), m.out.size(), VSH_E_STATE});
  }
  EXPECT_EQ(vsh_streams_run(streams, jobs.data(), jobs.size()), VSH_OK) << vsh_device_message();
  for (const vsh_stream_job& job : jobs) EXPECT_EQ(job.status, VSH_OK);
  vsh_streams_free(streams);
}

TEST_F(Batch, JobsAsOnTheProcessor) {
  SCOPED_TRACE(vsh::test::seed_note());
  Random random(21);
  for_each_device([&](Device& device) {
    const vsh_options options = on(device.info().id);
    for (const Kind& kind : kKinds) {
      SCOPED_TRACE(static_cast<int>(kind.algorithm) * 100 + static_cast<int>(kind.mode));
      const Bytes prepared = random.bytes(7 * 32);
      std::deque<Message> messages;
      // Two groups for the device, one that is too small, and lengths of single jobs.
      for (size_t i = 0; i < 260; ++i) {
        size_t len = i < 128 ? 528 : i < 228 ? 800 : i < 258 ? 64 : 1000 + 16 * i;
        if (kind.mode != VSH_ECB && i < 128) len -= 3;
        const bool is_mac = kind.work == VSH_STREAM_MAC;
        const size_t iv_len = is_mac ? 0 : vsh_iv_len(kind.algorithm, kind.mode);
        messages.push_back({random.bytes(32), random.bytes(iv_len), random.bytes(len),
                            Bytes(is_mac ? 1 + i % vsh_block_len(kind.algorithm) : len)});
      }
      std::deque<Message> expected = messages;
      run(kind, prepared, expected, nullptr);
      run(kind, prepared, messages, &options);
      size_t wrong = 0;
      for (size_t i = 0; i < messages.size(); ++i) wrong += messages[i].out != expected[i].out;
      EXPECT_EQ(wrong, 0u);
    }
  });
}

TEST_F(Batch, HashesAsOnTheProcessor) {
  SCOPED_TRACE(vsh::test::seed_note());
  Random random(22);
  for_each_device([&](Device& device) {
    const vsh_options options = on(device.info().id);
    for (const vsh_hash_algorithm algorithm : {VSH_STREEBOG256, VSH_STREEBOG512}) {
      const size_t len = vsh_hash_len(algorithm);
      std::vector<Bytes> messages;
      for (size_t i = 0; i < 300; ++i) messages.push_back(random.bytes(i < 290 ? 300 + random.below(700) : i % 5));
      std::vector<Bytes> digests(messages.size(), Bytes(len)), expected = digests;
      const auto hash = [&](std::vector<Bytes>& out, const vsh_options* how) {
        std::vector<vsh_hash_job> jobs;
        for (size_t i = 0; i < messages.size(); ++i)
          jobs.push_back({messages[i].data(), messages[i].size(), out[i].data(), len, VSH_E_STATE});
        EXPECT_EQ(vsh_streams_hash(algorithm, jobs.data(), jobs.size(), how), VSH_OK) << vsh_device_message();
      };
      hash(expected, nullptr);
      hash(digests, &options);
      EXPECT_TRUE(digests == expected);
    }
  });
}

}  // namespace
}  // namespace vsh::gpu
