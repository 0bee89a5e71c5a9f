// The header of a sealed file: two slots with one history. docs/sealed-format.md, clauses 3 to 5.
#pragma once

#include <optional>

#include "sealed/keys.hpp"

namespace vsh::sealed {

struct Header {
  std::array<uint8_t, kMaxHeaderLen> bytes;
  size_t slot_len;  // of both; 0 if no slot could be read
  std::array<SlotStatus, kNumSlots> status;
  std::array<Slot, kNumSlots> slots;  // valid if status is whole
  size_t newest;                      // the intact one of the higher generation; the first of equals

  size_t len() const noexcept { return kNumSlots * slot_len; }
  Bytes slot_bytes(size_t i) const noexcept { return Bytes(bytes.data() + i * slot_len, slot_len); }
  bool slots_differ() const noexcept;
};

enum class HeaderStatus {
  ok,
  format,
  truncated,
  version,
  parameters,
  tampered  // two slots that no crash can leave together
};

// bytes: the first kMaxHeaderLen of a file, or the whole file. The slots' status is always set.
HeaderStatus read_header(const HashKernel* hash, Header& header, Bytes bytes) noexcept;

// Writes the slot with its MAC and digest. out: slot.len bytes.
void seal_slot(const HashKernel* hash, uint8_t* out, const Slot& slot, const FileKey& key) noexcept;

enum class Unlocking {
  ok,
  wrong_key,       // no recipient of the newest slot with a file key under which the slot is authentic
  misses_library,  // no recipient that could be tried; libargon2 is missing, and others need it
  tampered,        // the newest slot is authentic, but the other one is intact with another history
};

struct Unlocked {
  Unlocking status;
  size_t recipient;  // of the newest slot, if ok
};

// key is set if ok, else invalid. Throws std::bad_alloc, also where memory was lacking for those not tried.
Unlocked unlock(const Suite& suite, FileKey& key, const Header& header, const Secret& secret);

}  // namespace vsh::sealed
