// The header of a sealed file: two slots, of which the newest authentic one holds. docs/sealed-format.md, clauses 3
// to 5.
#pragma once

#include <optional>

#include "sealed/keys.hpp"

namespace vsh::sealed {

struct Header {
  std::array<uint8_t, kHeaderLen> bytes;
  std::array<SlotStatus, kNumSlots> status;
  std::array<Slot, kNumSlots> slots;  // where status is whole
  size_t newest;                      // a whole one of the highest generation; the first of equals

  SlotBytes slot_bytes(size_t i) const { return SlotBytes(bytes.data() + i * kSlotLen, kSlotLen); }
  bool slots_differ() const noexcept;
};

enum class HeaderStatus { ok, format, truncated, version, parameters };

// bytes: the first kHeaderLen of a file, or all that it has. max_iterations: of a slot's passphrases together; more are
// out of bounds. The slots' status is set in any case.
HeaderStatus read_header(const HashKernel* hash, Header& header, Bytes bytes, uint64_t max_iterations) noexcept;

// The slot as it is written: MAC and digest in their places. out: kSlotLen bytes.
void seal_slot(const HashKernel* hash, uint8_t* out, const Slot& slot, const FileKey& key) noexcept;

enum class Unlocking {
  ok,
  wrong_key,  // no recipient, or one of an older slot than the newest authentic one
  tampered,   // the secret fits a recipient, but the slot is not authentic
};

struct Unlocked {
  Unlocking status;
  size_t slot, recipient;                    // where ok
  std::array<bool, kNumSlots> is_authentic;  // where ok
};

// key is set where ok; else it means nothing. Throws std::bad_alloc.
Unlocked unlock(const Suite& suite, FileKey& key, const Header& header, const Secret& secret);

}  // namespace vsh::sealed
