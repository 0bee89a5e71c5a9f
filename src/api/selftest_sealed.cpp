#include "api/selftest_sealed.hpp"

#include <algorithm>

#include "api/sealed.hpp"
#include "sealed/payload.hpp"

namespace vsh::api::selftest {
namespace {

// How the vectors' keys, salts and texts are made.
template <size_t kLen>
std::array<uint8_t, kLen> counted(unsigned first) {
  std::array<uint8_t, kLen> bytes;
  for (size_t i = 0; i < kLen; ++i) bytes[i] = static_cast<uint8_t>(first + 7 * i);
  return bytes;
}

// Of the slot that the vectors have: all else in it goes into this.
constexpr uint8_t kDigest[] = {0xa8, 0xc1, 0x57, 0xda, 0xbf, 0x6c, 0x40, 0x7a, 0x63, 0x1e, 0x0d,
                               0xec, 0xd5, 0xdf, 0x35, 0xd9, 0x77, 0x81, 0xd7, 0x82, 0x31, 0xd4,
                               0xc3, 0x4e, 0x75, 0x8d, 0xa7, 0x86, 0xb3, 0xc1, 0xb9, 0xee};
constexpr uint8_t kChunk[] = {0x1a, 0xc6, 0xb0, 0x16, 0x46, 0x16, 0x55, 0x33, 0x48, 0x6c, 0x13, 0xcc, 0x29, 0xe9, 0x20,
                              0xab, 0xd0, 0x18, 0x00, 0xe9, 0x5d, 0x36, 0x79, 0xd3, 0x4b, 0xec, 0x51, 0xb1, 0xe1};

}  // namespace

bool sealed_file_passes() {
  sealed::Suite suite;
  if (read_suite(suite, nullptr) != VSH_OK) return false;
  const auto secret_bytes = counted<32>(1), id = counted<32>(102);
  const sealed::Secret secret{sealed::kKey, secret_bytes};
  sealed::FileKey key, found;
  key.value = counted<32>(32);

  sealed::Slot slot{};
  slot.chunk_log2 = sealed::kMinChunkLog2;
  slot.preamble = sealed::make_preamble(slot.chunk_log2, id);
  slot.generation = slot.num_recipients = 1;
  slot.recipients[0].kind = sealed::kKey;
  slot.recipients[0].salt = counted<32>(220);
  sealed::wrap_file_key(suite, slot.recipients[0], slot, secret, key);
  std::array<uint8_t, sealed::kHeaderLen> written;
  sealed::seal_slot(suite.hash, written.data(), slot, key);
  std::copy_n(written.begin(), sealed::kSlotLen, written.begin() + sealed::kSlotLen);
  if (!std::equal(std::begin(kDigest), std::end(kDigest), written.begin() + sealed::at::digest)) return false;
  sealed::Header header;
  if (sealed::read_header(suite.hash, header, written, sealed::kMaxIterations) != sealed::HeaderStatus::ok)
    return false;
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
