#include "streams/hmac_batch.hpp"

#include <cstring>
#include <vector>

#include "core/secret_buffer.hpp"
#include "streams/hash_batch.hpp"

namespace vsh::keys {

void hmac_batch(const HashKernel& one, std::span<const HashLanesKernel* const> lanes, unsigned hash_bits,
                std::span<HmacJob> jobs, unsigned threads) {
  const size_t digest_len = hash_bits / 8, num = jobs.size();
  SecretBuffer pads(num * kHmacBlock), digests(num * digest_len);
  const auto pad = [&](size_t i) { return &pads.data()[i * kHmacBlock]; };
  const auto digest = [&](size_t i) { return &digests.data()[i * digest_len]; };

  std::vector<streams::Message> messages(num);
  for (size_t i = 0; i < num; ++i) {
    hmac_key_block(&one, hash_bits, pad(i), jobs[i].key);
    hmac_pad(pad(i), kInnerPad);
    messages[i] = {jobs[i].in.data(), jobs[i].in.size(), digest(i), false, pad(i)};
  }
  streams::hash_batch(one, lanes, hash_bits, messages, threads);
  for (size_t i = 0; i < num; ++i) {
    hmac_pad(pad(i), kInnerPad ^ kOuterPad);
    messages[i] = {digest(i), digest_len, digest(i), false, pad(i)};
  }
  streams::hash_batch(one, lanes, hash_bits, messages, threads);
  for (size_t i = 0; i < num; ++i) {
    std::memcpy(jobs[i].tag, digest(i), jobs[i].tag_len);
    jobs[i].done = true;
  }
}

}  // namespace vsh::keys
