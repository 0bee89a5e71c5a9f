// One slot of the header: docs/sealed-format.md, clauses 3 and 4. Hostile bytes end here.
#pragma once

#include <array>
#include <span>

#include "core/kernel.hpp"
#include "sealed/format.hpp"

namespace vsh::sealed {

using SlotBytes = std::span<const uint8_t, kSlotLen>;

enum class SlotStatus {
  whole,
  damaged,     // no magic, a digest that does not fit, or bytes that no writer writes
  version,     // of a version, or with algorithms, that are not known here
  parameters,  // sizes or counts out of bounds
};

struct Recipient {
  uint8_t kind;         // kPassphrase, kKey
  uint32_t iterations;  // of a passphrase
  std::array<uint8_t, kSaltLen> salt;
  std::array<uint8_t, kWrappedLen> wrapped;
};

// What a slot says. Authentic only once its MAC was verified.
struct Slot {
  std::array<uint8_t, kPreambleLen> preamble;  // as it is in the file
  unsigned chunk_log2;
  uint64_t generation;
  size_t num_recipients;
  std::array<Recipient, kMaxRecipients> recipients;

  std::span<const uint8_t, kFileIdLen> file_id() const {
    return std::span<const uint8_t, kFileIdLen>(preamble.data() + at::file_id, kFileIdLen);
  }
  uint8_t content() const { return preamble[at::content]; }
  // Of all passphrases.
  uint64_t iterations() const noexcept;
};

// The bytes that a recipient's key wrap is bound to: all but the wrapped key. out: recipient_at::wrapped bytes.
void write_recipient_head(uint8_t* out, const Recipient& recipient) noexcept;

std::array<uint8_t, kPreambleLen> make_preamble(unsigned chunk_log2, std::span<const uint8_t, kFileIdLen> id) noexcept;

// Everything but MAC and digest. out: kSlotLen bytes.
void write_slot(uint8_t* out, const Slot& slot) noexcept;
// The digest over all that precedes it, the MAC too.
void write_digest(const HashKernel* hash, uint8_t* slot) noexcept;

// slot is set where the status is whole, and preserved otherwise.
SlotStatus read_slot(const HashKernel* hash, Slot& slot, SlotBytes bytes) noexcept;

bool has_magic(std::span<const uint8_t> bytes) noexcept;

}  // namespace vsh::sealed
