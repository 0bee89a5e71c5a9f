#include "api/selftest/sealed.hpp"

#include <algorithm>

#include "api/sealed/sealed.hpp"
#include "sealed/payload.hpp"

namespace vsh::api::selftest {
namespace {

// Makes the vectors' keys, salts and texts.
template <size_t kLen>
std::array<uint8_t, kLen> counted(unsigned first) {
  std::array<uint8_t, kLen> bytes;
  for (size_t i = 0; i < kLen; ++i) bytes[i] = static_cast<uint8_t>(first + 7 * i);
  return bytes;
}

// From the vectors' slot: the digest covers everything else in it.
constexpr uint8_t kDigest[] = {0x56, 0x0f, 0x5c, 0xea, 0xd7, 0x70, 0xf4, 0x23, 0x67, 0x7d, 0x7c,
                               0xd2, 0xad, 0x13, 0xe8, 0xeb, 0x99, 0x07, 0x8e, 0x1f, 0x8b, 0xc6,
                               0x28, 0x80, 0x66, 0x6f, 0x82, 0xf6, 0xbc, 0xa7, 0x83, 0xfc};
constexpr uint8_t kChunk[] = {0x19, 0xf7, 0x0a, 0x84, 0x12, 0x8d, 0xb8, 0xd8, 0x35, 0xc8, 0x26, 0x4d, 0xd9, 0x9f, 0x05,
                              0x49, 0xdc, 0x71, 0xb7, 0x98, 0x0c, 0x2f, 0xc7, 0x77, 0x32, 0xa1, 0xa7, 0x4c, 0x62};

}  // namespace

bool sealed_file_passes() {
  sealed::Suite suite;
  if (read_suite(suite, nullptr) != VSH_OK) return false;
  const auto secret_bytes = counted<32>(1);
  const sealed::Secret secret{sealed::kKey, secret_bytes};
  sealed::FileKey key, found;
  key.value = counted<32>(32);

  sealed::Slot slot{};
  slot.chunk_log2 = sealed::kMinChunkLog2;
  slot.len = sealed::kMinSlotLen;
  slot.preamble = sealed::make_preamble(slot.chunk_log2, sealed::kContentBytes);
  sealed::make_file_id(suite.hash, slot.preamble.data() + sealed::at::file_id, slot.preamble.data(), key);
  slot.generation = slot.num_recipients = 1;
  slot.recipients[0].kind = sealed::kKey;
  slot.recipients[0].salt = counted<32>(220);
  if (!sealed::wrap_file_key(suite, slot.recipients[0], slot, secret, key)) return false;
  std::array<uint8_t, 2 * sealed::kMinSlotLen> written;
  sealed::seal_slot(suite.hash, written.data(), slot, key);
  std::copy_n(written.begin(), sealed::kMinSlotLen, written.begin() + sealed::kMinSlotLen);
  if (!std::equal(std::begin(kDigest), std::end(kDigest), written.begin() + sealed::kMinSlotLen - sealed::kDigestLen))
    return false;
  sealed::Header header;
  if (sealed::read_header(suite.hash, header, written) != sealed::HeaderStatus::ok) return false;
  if (sealed::unlock(suite, found, header, secret).status != sealed::Unlocking::ok || found.value != key.value)
    return false;

  const auto text = counted<13>(0);
  std::array<uint8_t, sizeof kChunk> chunk;
  std::array<uint8_t, 13> opened{};
  sealed::Payload payload(suite, found, slot);
  payload.seal(chunk.data(), {0, 1, text.data(), 1, nullptr, text.size(), true});
  if (!std::equal(chunk.begin(), chunk.end(), kChunk)) return false;
  if (payload.open(opened.data(), {0, 1, kChunk, 1, nullptr, text.size(), true}) != 1 || opened != text) return false;
  chunk[5] ^= 1;
  return payload.open(opened.data(), {0, 1, chunk.data(), 1, nullptr, text.size(), true}) == 0;
}

}  // namespace vsh::api::selftest
