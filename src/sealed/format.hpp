// Sealed files, version 1: sizes and places, as docs/sealed-format.md draws them. Numbers are big-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vsh::sealed {

// Clause 2: a file is a header of two slots, then chunks, then the end mark.
inline constexpr size_t kSlotLen = 4096;
inline constexpr size_t kNumSlots = 2;
inline constexpr size_t kHeaderLen = kNumSlots * kSlotLen;
inline constexpr size_t kTagLen = 16;
inline constexpr char kEndMark[] = "\x89VSHEND\n";
inline constexpr size_t kEndLen = sizeof kEndMark - 1;

// Clause 3: a slot. The first bytes that are no letters, and both ends of line, show a transfer as text (as PNG does).
inline constexpr char kMagic[] = "\x89VSH\r\n\x1a\n";
inline constexpr size_t kMagicLen = sizeof kMagic - 1;
inline constexpr unsigned kVersion = 1;
inline constexpr uint8_t kCipherKuznyechikMgm = 1, kDerivationStreebog = 1;
inline constexpr uint8_t kContentBytes = 0, kContentDirectory = 1;
namespace at {  // offsets in a slot
inline constexpr size_t version = 8, cipher = 10, derivation = 11, chunk_log2 = 12, content = 13, reserved = 14;
inline constexpr size_t file_id = 32, generation = 64, num_recipients = 72, reserved2 = 73, recipients = 80;
inline constexpr size_t mac = 4032, digest = 4064;
}  // namespace at
inline constexpr size_t kPreambleLen = 64;  // what never changes, and every chunk is bound to
inline constexpr size_t kFileIdLen = 32, kDigestLen = 32;
inline constexpr unsigned kMinChunkLog2 = 12, kMaxChunkLog2 = 24;

// Clause 4: a recipient.
inline constexpr size_t kRecipientLen = 96, kMaxRecipients = 32;
namespace recipient_at {  // offsets in a recipient
inline constexpr size_t kind = 0, reserved = 1, iterations = 4, reserved2 = 8, salt = 16, wrapped = 48;
}
inline constexpr uint8_t kPassphrase = 1, kKey = 2;
inline constexpr size_t kSaltLen = 32, kFileKeyLen = 32;
inline constexpr size_t kWrappedLen = kFileKeyLen + kTagLen;
inline constexpr uint32_t kMinIterations = 1000, kMaxIterations = uint32_t{1} << 26;
static_assert(recipient_at::wrapped + kWrappedLen == kRecipientLen);
static_assert(at::recipients + kMaxRecipients * kRecipientLen <= at::mac);

// What keys are derived for: clauses 3, 4 and 6.
constexpr std::string_view kLabelPassphrase = "vershina sealed passphrase";
constexpr std::string_view kLabelKey = "vershina sealed key";
constexpr std::string_view kLabelHeader = "vershina sealed header";
constexpr std::string_view kLabelPayload = "vershina sealed payload";

// Clause 6: chunks. A key serves so many of them: 16 MiB with chunks of 64 KiB.
inline constexpr unsigned kChunksPerKeyLog2 = 8;

}  // namespace vsh::sealed
