// Reads and writes one slot of the header: docs/sealed-format.md, clauses 3 and 4. Hostile bytes are validated here.
#pragma once

#include <array>
#include <span>

#include "core/kernel.hpp"
#include "sealed/argon2id.hpp"

namespace vsh::sealed {

using Bytes = std::span<const uint8_t>;

enum class SlotStatus {
  whole,
  damaged,     // no magic, no length, or a digest that does not fit
  version,     // unknown version or algorithms
  parameters,  // sizes or counts out of bounds
};

struct Recipient {
  uint8_t kind;           // kPassphrase, kKey
  uint32_t iterations;    // of a passphrase by PBKDF2
  Argon2idCost argon2id;  // of a passphrase by argon2id
  std::array<uint8_t, kSaltLen> salt;
  std::array<char, kMaxLabelLen + 1> label;  // ends with 0
  std::array<uint8_t, kWrappedLen> wrapped;
};

// Contents of a slot, authentic only after its MAC was verified.
struct Slot {
  std::array<uint8_t, kPreambleLen> preamble;  // as it is in the file
  unsigned chunk_log2;
  size_t len;  // of the slot
  uint64_t generation;
  size_t num_recipients;
  std::array<Recipient, kMaxRecipients> recipients;

  std::span<const uint8_t, kFileIdLen> file_id() const {
    return std::span<const uint8_t, kFileIdLen>(preamble.data() + at::file_id, kFileIdLen);
  }
  uint8_t content() const { return preamble[at::content]; }
  // Returns the sum over all passphrases by PBKDF2.
  uint64_t iterations() const noexcept;
  // Return the most memory of a passphrase by argon2id, in KiB, and the sum of memory times passes over all of them,
  // UINT64_MAX if it is larger. 0 without any.
  uint64_t argon2id_memory() const noexcept;
  uint64_t argon2id_work() const noexcept;
};

// Returns the length of the shortest slot for so many recipients, 1 to kMaxRecipients.
size_t slot_len_for(size_t num_recipients) noexcept;

// Returns whether a label is valid: up to kMaxLabelLen bytes of UTF-8 without control characters.
bool is_label(std::string_view label) noexcept;

// Returns whether a label may be written: likewise, without characters that are invisible or change the direction of
// text, so that it looks like what it is.
bool is_new_label(std::string_view label) noexcept;

// Writes the bytes of a recipient that its key wrap is bound to: those before it. out: recipient_at::wrapped bytes.
void write_recipient_head(uint8_t* out, const Recipient& recipient) noexcept;

// Returns the preamble's first at::file_id bytes, to which the file id is bound.
std::array<uint8_t, kPreambleLen> make_preamble(unsigned chunk_log2, uint8_t content) noexcept;

// Writes everything but MAC and digest. out: slot.len bytes.
void write_slot(uint8_t* out, const Slot& slot) noexcept;
// Computes the digest over everything before it, the MAC included.
void write_digest(const HashKernel* hash, uint8_t* slot, size_t slot_len) noexcept;

// Returns whether this is the beginning of a sealed file of any version.
bool has_magic(Bytes bytes) noexcept;
// Returns the length of the slot that begins here, as stored in it; 0 if no slot begins here.
size_t claimed_len(Bytes bytes) noexcept;
// slot is set if the status is whole, and preserved otherwise. bytes: from the slot's first one on.
SlotStatus read_slot(const HashKernel* hash, Slot& slot, Bytes bytes) noexcept;

}  // namespace vsh::sealed
