// The keys of a sealed file: docs/sealed-format.md, clauses 3 and 4.
#pragma once

#include <vector>

#include "core/wipe.hpp"
#include "sealed/slot.hpp"
#include "sealed/suite.hpp"

namespace vsh::sealed {

using FileKey = Wiped<std::array<uint8_t, kFileKeyLen>>;

// A secret that opens a sealed file. Already validated.
struct Secret {
  uint8_t kind;  // kPassphrase, kKey
  Bytes bytes;   // kKey: 32 .. 64
};

// out: 32 bytes, KDF_GOSTR3411_2012_256(key, label, seed). key: 32 .. 64 bytes.
void derive(const HashKernel* hash, uint8_t* out, Bytes key, std::string_view label, Bytes seed) noexcept;

// Computes the file id from the rest of the preamble: it commits the file to its key. out: 32 bytes.
void make_file_id(const HashKernel* hash, uint8_t* out, const uint8_t* preamble, const FileKey& key) noexcept;

// Wraps the file key under a secret; fills recipient.wrapped from its other members. Returns false, with nothing
// written, if libargon2 is missing. Throws std::bad_alloc.
[[nodiscard]] bool wrap_file_key(const Suite& suite, Recipient& recipient, const Slot& slot, const Secret& secret,
                                 const FileKey& key);

struct Unwrapped {
  size_t recipient;        // kMaxRecipients: none
  Argon2idStatus failure;  // of recipients that were left out for it
};

// Finds the first recipient of a slot that the secret opens, with a file key under which the slot is authentic; erases
// `key` if there is none. image: the slot as it is in the file. Passphrases by PBKDF2 are tried together, those by
// argon2id one after the other, so that only one of them has its memory at a time. Throws std::bad_alloc.
Unwrapped unwrap_file_key(const Suite& suite, FileKey& key, Bytes image, const Slot& slot, const Secret& secret);

// Returns whether file id and MAC of a slot are those of the file key.
bool is_authentic(const Suite& suite, Bytes slot, const FileKey& key) noexcept;

// Computes the slot's MAC under the file key, over everything before it. out: 32 bytes.
void slot_mac(const HashKernel* hash, uint8_t* out, Bytes slot, const FileKey& key) noexcept;

}  // namespace vsh::sealed
