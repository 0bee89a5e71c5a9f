#include "sealed/slot.hpp"

#include <algorithm>
#include <cstring>

#include "core/bytes.hpp"
#include "streebog/hash.hpp"

namespace vsh::sealed {
namespace {

bool all_zero(const uint8_t* begin, const uint8_t* end) noexcept {
  return std::all_of(begin, end, [](uint8_t byte) { return byte == 0; });
}

void digest(const HashKernel* kernel, uint8_t* out, const uint8_t* slot) noexcept {
  streebog::Hash hash(kernel, 256);
  hash.update(slot, at::digest);
  hash.final(out);
}

SlotStatus read_recipient(Recipient& recipient, const uint8_t* p) noexcept {
  namespace at = recipient_at;
  recipient.kind = p[at::kind];
  recipient.iterations = load_be32(p + at::iterations);
  std::copy_n(p + at::salt, kSaltLen, recipient.salt.begin());
  std::copy_n(p + at::wrapped, kWrappedLen, recipient.wrapped.begin());
  if (recipient.kind != kPassphrase && recipient.kind != kKey) return SlotStatus::version;
  if (!all_zero(p + at::reserved, p + at::iterations) || !all_zero(p + at::reserved2, p + at::salt))
    return SlotStatus::version;
  const bool fits = recipient.kind == kKey ? recipient.iterations == 0 : recipient.iterations >= kMinIterations;
  return fits ? SlotStatus::whole : SlotStatus::parameters;
}

}  // namespace

uint64_t Slot::iterations() const noexcept {
  uint64_t sum = 0;
  for (size_t i = 0; i < num_recipients; ++i) sum += recipients[i].iterations;
  return sum;
}

std::array<uint8_t, kPreambleLen> make_preamble(unsigned chunk_log2, std::span<const uint8_t, kFileIdLen> id) noexcept {
  std::array<uint8_t, kPreambleLen> p{};
  std::memcpy(p.data(), kMagic, kMagicLen);
  p[at::version + 1] = kVersion;
  p[at::cipher] = kCipherKuznyechikMgm;
  p[at::derivation] = kDerivationStreebog;
  p[at::chunk_log2] = static_cast<uint8_t>(chunk_log2);
  std::copy(id.begin(), id.end(), p.begin() + at::file_id);
  return p;
}

void write_recipient_head(uint8_t* out, const Recipient& recipient) noexcept {
  namespace at = recipient_at;
  std::fill_n(out, at::wrapped, uint8_t{0});
  out[at::kind] = recipient.kind;
  store_be32(out + at::iterations, recipient.iterations);
  std::copy(recipient.salt.begin(), recipient.salt.end(), out + at::salt);
}

void write_slot(uint8_t* out, const Slot& slot) noexcept {
  std::fill_n(out, kSlotLen, uint8_t{0});
  std::copy(slot.preamble.begin(), slot.preamble.end(), out);
  store_be64(out + at::generation, slot.generation);
  out[at::num_recipients] = static_cast<uint8_t>(slot.num_recipients);
  for (size_t i = 0; i < slot.num_recipients; ++i) {
    uint8_t* const p = out + at::recipients + i * kRecipientLen;
    write_recipient_head(p, slot.recipients[i]);
    std::copy(slot.recipients[i].wrapped.begin(), slot.recipients[i].wrapped.end(), p + recipient_at::wrapped);
  }
}

void write_digest(const HashKernel* hash, uint8_t* slot) noexcept { digest(hash, slot + at::digest, slot); }

bool has_magic(std::span<const uint8_t> bytes) noexcept {
  return bytes.size() >= kMagicLen && std::memcmp(bytes.data(), kMagic, kMagicLen) == 0;
}

SlotStatus read_slot(const HashKernel* hash, Slot& slot, SlotBytes bytes) noexcept {
  const uint8_t* const p = bytes.data();
  if (!has_magic(bytes)) return SlotStatus::damaged;
  uint8_t expected[kDigestLen];
  digest(hash, expected, p);
  const bool is_whole = std::memcmp(expected, p + at::digest, kDigestLen) == 0;
  // A later version may keep its digest elsewhere, so a version that is not known comes first.
  if (p[at::version] != 0 || p[at::version + 1] != kVersion) return SlotStatus::version;
  if (!is_whole) return SlotStatus::damaged;
  if (p[at::cipher] != kCipherKuznyechikMgm || p[at::derivation] != kDerivationStreebog) return SlotStatus::version;
  if (p[at::content] > kContentDirectory) return SlotStatus::version;

  Slot read{};
  std::copy_n(p, kPreambleLen, read.preamble.begin());
  read.chunk_log2 = p[at::chunk_log2];
  read.generation = load_be64(p + at::generation);
  read.num_recipients = p[at::num_recipients];
  if (read.chunk_log2 < kMinChunkLog2 || read.chunk_log2 > kMaxChunkLog2) return SlotStatus::parameters;
  if (read.generation == 0) return SlotStatus::parameters;
  if (read.num_recipients == 0 || read.num_recipients > kMaxRecipients) return SlotStatus::parameters;
  const uint8_t* const recipients = p + at::recipients;
  const uint8_t* const unused = recipients + read.num_recipients * kRecipientLen;
  // Version 1 has no use for these bytes; whoever writes something here means something that is not known here.
  if (!all_zero(p + at::reserved, p + at::file_id) || !all_zero(p + at::reserved2, recipients) ||
      !all_zero(unused, p + at::mac))
    return SlotStatus::version;
  for (size_t i = 0; i < read.num_recipients; ++i)
    if (const SlotStatus s = read_recipient(read.recipients[i], recipients + i * kRecipientLen); s != SlotStatus::whole)
      return s;
  slot = read;
  return SlotStatus::whole;
}

}  // namespace vsh::sealed
