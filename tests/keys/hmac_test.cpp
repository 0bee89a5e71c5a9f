// HMAC: keys and messages of every length around the block against RFC 2104's definition; batches; refusals.
#include <algorithm>

#include "keys/support/keys.hpp"
#include "support/random.hpp"

namespace vsh::test {
namespace {

const vsh_mac_algorithm kAlgorithms[] = {VSH_HMAC_STREEBOG256, VSH_HMAC_STREEBOG512};
unsigned bits_of(vsh_mac_algorithm algorithm) { return 8 * static_cast<unsigned>(vsh_mac_max_len(algorithm)); }

Bytes hmac(vsh_mac_algorithm algorithm, const Bytes& key, const Bytes& message, size_t piece) {
  vsh_mac* mac = nullptr;
  EXPECT_EQ(vsh_mac_new(&mac, algorithm, key.data(), key.size(), nullptr), VSH_OK);
  Bytes tag(vsh_mac_max_len(algorithm));
  for (int again = 0; again < 2; ++again) {  // the second message under the key must not see the first
    EXPECT_EQ(vsh_mac_reset(mac), VSH_OK);
    for (size_t at = 0; at < message.size(); at += piece)
      EXPECT_EQ(vsh_mac_update(mac, &message[at], std::min(piece, message.size() - at)), VSH_OK);
    EXPECT_EQ(vsh_mac_final(mac, tag.data(), tag.size()), VSH_OK);
  }
  vsh_mac_free(mac);
  return tag;
}

TEST(Hmac, KeysAndMessagesOfEveryLength) {
  Random random(1);
  for (const vsh_mac_algorithm algorithm : kAlgorithms) {
    for (const size_t key_len : {1, 16, 31, 32, 33, 63, 64, 65, 128, 200}) {
      const Bytes key = random.bytes(key_len);
      for (const size_t len : {0, 1, 31, 63, 64, 65, 127, 128, 129, 300}) {
        const Bytes message = random.bytes(len);
        EXPECT_EQ(hmac(algorithm, key, message, 1 + random.below(70)), text_hmac(bits_of(algorithm), key, message))
            << key_len << ' ' << len;
      }
    }
  }
}

TEST(Hmac, Refuses) {
  const Bytes key(32, 1);
  for (const vsh_mac_algorithm algorithm : kAlgorithms) {
    vsh_mac* mac = nullptr;
    EXPECT_EQ(vsh_mac_new(&mac, algorithm, key.data(), 0, nullptr), VSH_E_KEY_LENGTH);
    EXPECT_EQ(vsh_mac_new(&mac, algorithm, nullptr, 32, nullptr), VSH_E_ARGUMENT);
    EXPECT_EQ(vsh_mac_new(&mac, algorithm, key.data(), SIZE_MAX, nullptr), VSH_E_ARGUMENT);
    vsh_options o = options_for("tables");
    for (const uint32_t flags : {0u, VSH_ALLOW_TABLES, VSH_INPUT_IS_PUBLIC, VSH_ALLOW_TABLES | VSH_INPUT_IS_PUBLIC}) {
      o.flags = flags;
      EXPECT_EQ(vsh_mac_new(&mac, algorithm, key.data(), 32, &o), VSH_E_KERNEL_TABLES);
    }
    o = options_for(nullptr);
    o.sbox = VSH_SBOX_CRYPTOPRO_A;
    EXPECT_EQ(vsh_mac_new(&mac, algorithm, key.data(), 32, &o), VSH_E_SBOX);
    EXPECT_EQ(mac, nullptr);
  }
}

struct Batch {
  struct Item {
    Bytes key, in, tag;
  };
  std::vector<Item> items;
  std::vector<vsh_hmac_job> jobs;

  Batch(size_t num, size_t tag_len, uint64_t seed) {
    Random random(seed);
    for (size_t i = 0; i < num; ++i)
      items.push_back({random.bytes(1 + random.below(i % 7 == 0 ? 200 : 64)),
                       random.bytes(random.below(i % 11 == 0 ? 2000 : 200)), Bytes(1 + i % tag_len)});
    for (Item& item : items)
      jobs.push_back({item.key.data(), item.key.size(), item.in.data(), item.in.size(), item.tag.data(),
                      item.tag.size(), VSH_E_STATE});
  }
};

void expect_right(const Batch& batch, unsigned bits) {
  for (const Batch::Item& item : batch.items) {
    Bytes expected = text_hmac(bits, item.key, item.in);
    expected.resize(item.tag.size());
    EXPECT_EQ(item.tag, expected);
  }
}

TEST(Hmac, BatchOnEveryRowAndNumberOfThreads) {
  for (const vsh_mac_algorithm algorithm : kAlgorithms) {
    std::vector<const char*> kernels = streebog_kernels(true);
    kernels.push_back(nullptr);
    for (const char* kernel : kernels) {
      for (const unsigned threads : {1u, 0u}) {
        Batch batch(kernel ? 70 : 150, vsh_mac_max_len(algorithm), 7 + threads);
        const vsh_options o = options_for(kernel, threads);
        ASSERT_EQ(vsh_streams_hmac(algorithm, batch.jobs.data(), batch.jobs.size(), &o), VSH_OK);
        for (const vsh_hmac_job& job : batch.jobs) EXPECT_EQ(job.status, VSH_OK);
        expect_right(batch, bits_of(algorithm));
      }
    }
  }
}

TEST(Hmac, BadJobsFailAlone) {
  Batch batch(8, 32, 3);
  std::vector<vsh_hmac_job>& jobs = batch.jobs;
  jobs[0].key_len = 0;
  jobs[1].key = nullptr;
  jobs[2].tag = nullptr;
  jobs[3].tag_len = 0;
  jobs[4].tag_len = 33;
  jobs[5].in_len = SIZE_MAX;
  jobs[6].tag = batch.items[6].key.data();  // over its own key
  EXPECT_EQ(vsh_streams_hmac(VSH_HMAC_STREEBOG256, jobs.data(), jobs.size(), nullptr), VSH_E_JOB);
  EXPECT_EQ(jobs[0].status, VSH_E_KEY_LENGTH);
  for (size_t i = 1; i < 7; ++i) EXPECT_EQ(jobs[i].status, VSH_E_ARGUMENT) << i;
  EXPECT_EQ(jobs[7].status, VSH_OK);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(batch.items[i].tag, Bytes(batch.items[i].tag.size())) << "untouched";
  EXPECT_EQ(vsh_streams_hmac(VSH_MAGMA_MAC, jobs.data(), jobs.size(), nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_hmac(VSH_HMAC_STREEBOG256, nullptr, 1, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_streams_hmac(VSH_HMAC_STREEBOG256, nullptr, 0, nullptr), VSH_OK);
  EXPECT_EQ(vsh_streams_hmac_jobs(VSH_HMAC_STREEBOG256, jobs.data(), 1, 8, nullptr), VSH_E_ARGUMENT);
}

}  // namespace
}  // namespace vsh::test
