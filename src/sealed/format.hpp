// Sealed files, version 2: sizes and places, as docs/sealed-format.md draws them. Numbers are big-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vsh::sealed {

// Clause 2: a file is a header of two slots of one length, then chunks, then the end mark.
inline constexpr size_t kNumSlots = 2;
inline constexpr unsigned kMinSlotLog2 = 9, kMaxSlotLog2 = 13;
inline constexpr size_t kMinSlotLen = size_t{1} << kMinSlotLog2, kMaxSlotLen = size_t{1} << kMaxSlotLog2;
inline constexpr size_t kMaxHeaderLen = kNumSlots * kMaxSlotLen;
inline constexpr size_t kTagLen = 16;
inline constexpr char kEndMark[] = "\x89VSHEND\n";
inline constexpr size_t kEndLen = sizeof kEndMark - 1;

// Clause 3: a slot. The non-letter first byte and both line ends reveal a transfer as text (as in PNG).
inline constexpr char kMagic[] = "\x89VSH\r\n\x1a\n";
inline constexpr size_t kMagicLen = sizeof kMagic - 1;
inline constexpr unsigned kVersion = 2;
inline constexpr uint8_t kCipherKuznyechikMgm = 1, kHashStreebog = 1;
inline constexpr uint8_t kContentBytes = 0, kContentDirectory = 1;
namespace at {  // offsets in a slot
inline constexpr size_t version = 8, cipher = 10, hash = 11, chunk_log2 = 12, content = 13, reserved = 14;
inline constexpr size_t file_id = 16, generation = 48, slot_log2 = 56, num_recipients = 57, reserved2 = 58;
inline constexpr size_t recipients = 64;
}  // namespace at
inline constexpr size_t kPreambleLen = 48;  // never changes; every wrap and every chunk is bound to it
inline constexpr size_t kFileIdLen = 32, kDigestLen = 32;
inline constexpr size_t kSealLen = 2 * kDigestLen;  // a slot's end: its MAC, then its digest
inline constexpr unsigned kMinChunkLog2 = 12, kMaxChunkLog2 = 24;

// Clause 4: a recipient.
inline constexpr size_t kRecipientLen = 176, kMaxRecipients = 32;
namespace recipient_at {  // offsets in a recipient
inline constexpr size_t kind = 0, derivation = 1, label_len = 2, reserved = 3, parameters = 4;
inline constexpr size_t iterations = 4, reserved2 = 8;       // of a key and of PBKDF2
inline constexpr size_t passes = 4, memory = 8, lanes = 12;  // of argon2id
inline constexpr size_t salt = 16, label = 48, wrapped = 112;
}  // namespace recipient_at
inline constexpr uint8_t kPassphrase = 1, kKey = 2;
inline constexpr uint8_t kNoDerivation = 0, kPbkdf2Streebog = 1, kArgon2id = 2;
inline constexpr size_t kSaltLen = 32, kMaxLabelLen = 64, kFileKeyLen = 32;
inline constexpr size_t kWrappedLen = kFileKeyLen + kDigestLen;
inline constexpr uint32_t kMinIterations = 1000, kMaxIterations = uint32_t{1} << 26;
// Bounds of the work for one secret, unless the user allows more: the memory of one derivation in KiB; KiB times passes
// of all together.
inline constexpr uint32_t kMaxArgon2idLanes = 64, kArgon2idBlocksPerLane = 8;
inline constexpr uint32_t kMaxArgon2idMemory = uint32_t{1} << 20, kMaxArgon2idWork = uint32_t{1} << 24;
inline constexpr size_t kMaxPassphraseLen = 1024;
static_assert(recipient_at::label + kMaxLabelLen == recipient_at::wrapped);
static_assert(recipient_at::wrapped + kWrappedLen == kRecipientLen);

// Returns how many recipients fit into a slot of slot_len bytes.
constexpr size_t room_for_recipients(size_t slot_len) noexcept {
  const size_t room = (slot_len - at::recipients - kSealLen) / kRecipientLen;
  return room < kMaxRecipients ? room : kMaxRecipients;
}
static_assert(room_for_recipients(kMinSlotLen) >= 1 && room_for_recipients(kMaxSlotLen) == kMaxRecipients);

// Labels of derived keys: clauses 3, 4 and 6.
constexpr std::string_view kLabelFileId = "vershina sealed file id";
constexpr std::string_view kLabelWrap = "vershina sealed wrap";
constexpr std::string_view kLabelWrapMac = "vershina sealed wrap MAC";
constexpr std::string_view kLabelHeader = "vershina sealed header";
constexpr std::string_view kLabelPayload = "vershina sealed payload";

// Clause 6: chunks. A key is used for this many: 16 MiB with chunks of 64 KiB.
inline constexpr unsigned kChunksPerKeyLog2 = 8;

}  // namespace vsh::sealed
