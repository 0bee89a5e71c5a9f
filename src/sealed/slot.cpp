#include "sealed/slot.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/bytes.hpp"
#include "streebog/hash.hpp"

namespace vsh::sealed {
namespace {

bool all_zero(const uint8_t* begin, const uint8_t* end) noexcept {
  return std::all_of(begin, end, [](uint8_t byte) { return byte == 0; });
}

void digest(const HashKernel* kernel, uint8_t* out, const uint8_t* slot, size_t slot_len) noexcept {
  streebog::Hash hash(kernel, 256);
  hash.update(slot, slot_len - kDigestLen);
  hash.final(out);
}

// Removes the first character of a non-empty text, and returns it; 0 if it is invalid UTF-8 (RFC 3629 clause 4) or a
// control character.
uint32_t take_printable(std::string_view& text) noexcept {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) {
    text.remove_prefix(1);
    return first >= 0x20 && first != 0x7f ? first : 0;
  }
  const size_t len = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (first < 0xc2 || len == 0 || len > text.size()) return 0;
  uint32_t code = first & (0x7fu >> len);
  for (size_t i = 1; i < len; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  const uint32_t least = len == 2 ? 0xa0 : len == 3 ? 0x800 : 0x10000;  // below A0 are the control characters C1
  text.remove_prefix(len);
  return code < least || code > 0x10ffff || is_surrogate ? 0 : code;
}

// Returns whether a character shows nothing of itself or turns the text around it.
bool is_invisible(uint32_t code) noexcept {
  static constexpr struct {
    uint32_t first, last;
  } kRanges[] = {
#define VSH_INVISIBLE(first, last) {first, last},
#include "core/invisible.def"
#undef VSH_INVISIBLE
  };
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [&](const auto& range) { return code >= range.first && code <= range.last; });
}

template <class Allows>
bool all_printable(std::string_view label, Allows allows) noexcept {
  if (label.size() > kMaxLabelLen) return false;
  while (!label.empty()) {
    const uint32_t code = take_printable(label);
    if (code == 0 || !allows(code)) return false;
  }
  return true;
}

SlotStatus read_recipient(Recipient& recipient, const uint8_t* p) noexcept {
  namespace at = recipient_at;
  recipient.kind = p[at::kind];
  if (recipient.kind != kPassphrase && recipient.kind != kKey) return SlotStatus::version;
  const uint8_t derivation = p[at::derivation];
  const bool is_known =
      recipient.kind == kKey ? derivation == kNoDerivation : derivation == kPbkdf2Streebog || derivation == kArgon2id;
  if (!is_known) return SlotStatus::version;
  const size_t label_len = p[at::label_len];
  if (label_len > kMaxLabelLen) return SlotStatus::parameters;
  if (p[at::reserved] != 0) return SlotStatus::version;
  recipient.iterations = 0;
  recipient.argon2id = {};
  if (derivation == kArgon2id) {
    recipient.argon2id = {load_be32(p + at::passes), load_be32(p + at::memory), load_be32(p + at::lanes)};
    if (!recipient.argon2id.is_valid()) return SlotStatus::parameters;
  } else {
    recipient.iterations = load_be32(p + at::iterations);
    const bool fits = recipient.kind == kKey ? recipient.iterations == 0 : recipient.iterations >= kMinIterations;
    if (!fits) return SlotStatus::parameters;
    if (!all_zero(p + at::reserved2, p + at::salt)) return SlotStatus::version;
  }
  const std::string_view label(reinterpret_cast<const char*>(p) + at::label, label_len);
  if (!is_label(label)) return SlotStatus::parameters;
  if (!all_zero(p + at::label + label_len, p + at::wrapped)) return SlotStatus::version;
  std::copy_n(p + at::salt, kSaltLen, recipient.salt.begin());
  *std::copy(label.begin(), label.end(), recipient.label.begin()) = 0;
  std::copy_n(p + at::wrapped, kWrappedLen, recipient.wrapped.begin());
  return SlotStatus::whole;
}

// Reads the fields in the order of their offsets: the first one that is wrong decides. len: of the slot.
SlotStatus read_fields(Slot& slot, const uint8_t* p, size_t len) noexcept {
  if (p[at::version] != 0 || p[at::version + 1] != kVersion) return SlotStatus::version;
  if (p[at::cipher] != kCipherKuznyechikMgm || p[at::hash] != kHashStreebog) return SlotStatus::version;
  slot.chunk_log2 = p[at::chunk_log2];
  if (slot.chunk_log2 < kMinChunkLog2 || slot.chunk_log2 > kMaxChunkLog2) return SlotStatus::parameters;
  if (p[at::content] > kContentDirectory) return SlotStatus::version;
  if (!all_zero(p + at::reserved, p + at::file_id)) return SlotStatus::version;
  std::copy_n(p, kPreambleLen, slot.preamble.begin());
  slot.generation = load_be64(p + at::generation);
  if (slot.generation == 0) return SlotStatus::parameters;
  slot.len = len;
  slot.num_recipients = p[at::num_recipients];
  if (slot.num_recipients == 0 || slot.num_recipients > room_for_recipients(len)) return SlotStatus::parameters;
  if (!all_zero(p + at::reserved2, p + at::recipients)) return SlotStatus::version;
  const uint8_t* recipient = p + at::recipients;
  for (size_t i = 0; i < slot.num_recipients; ++i, recipient += kRecipientLen)
    if (const SlotStatus s = read_recipient(slot.recipients[i], recipient); s != SlotStatus::whole) return s;
  // Data where this version has none belongs to an unknown version.
  return all_zero(recipient, p + len - kSealLen) ? SlotStatus::whole : SlotStatus::version;
}

}  // namespace

uint64_t Slot::iterations() const noexcept {
  uint64_t sum = 0;
  for (size_t i = 0; i < num_recipients; ++i) sum += recipients[i].iterations;
  return sum;
}

uint64_t Slot::argon2id_memory() const noexcept {
  uint32_t most = 0;
  for (size_t i = 0; i < num_recipients; ++i) most = std::max(most, recipients[i].argon2id.memory);
  return most;
}

uint64_t Slot::argon2id_work() const noexcept {
  uint64_t sum = 0;
  for (size_t i = 0; i < num_recipients; ++i) {
    const Argon2idCost& cost = recipients[i].argon2id;
    if (__builtin_add_overflow(sum, uint64_t{cost.passes} * cost.memory, &sum)) return UINT64_MAX;
  }
  return sum;
}

size_t slot_len_for(size_t num_recipients) noexcept {
  size_t len = kMinSlotLen;
  while (len < kMaxSlotLen && room_for_recipients(len) < num_recipients) len *= 2;
  return len;
}

bool is_label(std::string_view label) noexcept {
  return all_printable(label, [](uint32_t) { return true; });
}

bool is_new_label(std::string_view label) noexcept {
  return all_printable(label, [](uint32_t code) { return !is_invisible(code); });
}

std::array<uint8_t, kPreambleLen> make_preamble(unsigned chunk_log2, uint8_t content) noexcept {
  std::array<uint8_t, kPreambleLen> p{};
  std::memcpy(p.data(), kMagic, kMagicLen);
  p[at::version + 1] = kVersion;
  p[at::cipher] = kCipherKuznyechikMgm;
  p[at::hash] = kHashStreebog;
  p[at::chunk_log2] = static_cast<uint8_t>(chunk_log2);
  p[at::content] = content;
  return p;
}

void write_recipient_head(uint8_t* out, const Recipient& recipient) noexcept {
  namespace at = recipient_at;
  std::fill_n(out, at::wrapped, uint8_t{0});
  const std::string_view label(recipient.label.data());
  out[at::kind] = recipient.kind;
  out[at::label_len] = static_cast<uint8_t>(label.size());
  if (recipient.argon2id.is_set()) {
    out[at::derivation] = kArgon2id;
    store_be32(out + at::passes, recipient.argon2id.passes);
    store_be32(out + at::memory, recipient.argon2id.memory);
    store_be32(out + at::lanes, recipient.argon2id.lanes);
  } else {
    out[at::derivation] = recipient.kind == kKey ? kNoDerivation : kPbkdf2Streebog;
    store_be32(out + at::iterations, recipient.iterations);
  }
  std::copy(recipient.salt.begin(), recipient.salt.end(), out + at::salt);
  std::copy(label.begin(), label.end(), out + at::label);
}

void write_slot(uint8_t* out, const Slot& slot) noexcept {
  std::fill_n(out, slot.len, uint8_t{0});
  std::copy(slot.preamble.begin(), slot.preamble.end(), out);
  store_be64(out + at::generation, slot.generation);
  out[at::slot_log2] = static_cast<uint8_t>(std::countr_zero(slot.len));
  out[at::num_recipients] = static_cast<uint8_t>(slot.num_recipients);
  for (size_t i = 0; i < slot.num_recipients; ++i) {
    uint8_t* const p = out + at::recipients + i * kRecipientLen;
    write_recipient_head(p, slot.recipients[i]);
    std::copy(slot.recipients[i].wrapped.begin(), slot.recipients[i].wrapped.end(), p + recipient_at::wrapped);
  }
}

void write_digest(const HashKernel* hash, uint8_t* slot, size_t slot_len) noexcept {
  digest(hash, slot + slot_len - kDigestLen, slot, slot_len);
}

bool has_magic(Bytes bytes) noexcept {
  return bytes.size() >= kMagicLen && std::memcmp(bytes.data(), kMagic, kMagicLen) == 0;
}

size_t claimed_len(Bytes bytes) noexcept {
  if (!has_magic(bytes) || bytes.size() <= at::slot_log2) return 0;
  // Version 1 had one length, and no field for it; later versions keep the field, and their digest at the slot's end.
  if (bytes[at::version] == 0 && bytes[at::version + 1] == 1) return 4096;
  const unsigned log2 = bytes[at::slot_log2];
  return log2 < kMinSlotLog2 || log2 > kMaxSlotLog2 ? 0 : size_t{1} << log2;
}

SlotStatus read_slot(const HashKernel* hash, Slot& slot, Bytes bytes) noexcept {
  const size_t len = claimed_len(bytes);
  if (len == 0 || bytes.size() < len) return SlotStatus::damaged;
  uint8_t expected[kDigestLen];
  digest(hash, expected, bytes.data(), len);
  if (std::memcmp(expected, bytes.data() + len - kDigestLen, kDigestLen) != 0) return SlotStatus::damaged;
  Slot read{};
  const SlotStatus status = read_fields(read, bytes.data(), len);
  if (status == SlotStatus::whole) slot = read;
  return status;
}

}  // namespace vsh::sealed
