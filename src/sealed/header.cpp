#include "sealed/header.hpp"

#include <algorithm>
#include <cstring>

namespace vsh::sealed {
namespace {

constexpr bool is_intact(SlotStatus status) noexcept { return status != SlotStatus::damaged; }

// If slot 0 is damaged, its length is unknown: slot 1 is searched at every possible length.
size_t find_second_slot(const HashKernel* hash, Slot& slot, SlotStatus& status, Bytes bytes) noexcept {
  for (size_t len = kMinSlotLen; len <= kMaxSlotLen && 2 * len <= bytes.size(); len *= 2) {
    const Bytes second = bytes.subspan(len);
    if (claimed_len(second) != len) continue;
    status = read_slot(hash, slot, second);
    if (is_intact(status)) return len;
  }
  return 0;
}

HeaderStatus complaint(SlotStatus status) noexcept {
  switch (status) {
    case SlotStatus::whole: return HeaderStatus::ok;
    case SlotStatus::damaged: return HeaderStatus::format;
    case SlotStatus::version: return HeaderStatus::version;
    case SlotStatus::parameters: return HeaderStatus::parameters;
  }
  return HeaderStatus::format;
}

}  // namespace

bool Header::slots_differ() const noexcept { return std::memcmp(bytes.data(), bytes.data() + slot_len, slot_len) != 0; }

HeaderStatus read_header(const HashKernel* hash, Header& header, Bytes bytes) noexcept {
  header.status.fill(SlotStatus::damaged);
  header.bytes.fill(0);
  header.slot_len = 0;
  bytes = bytes.first(std::min(bytes.size(), kMaxHeaderLen));
  std::copy(bytes.begin(), bytes.end(), header.bytes.begin());

  header.status[0] = read_slot(hash, header.slots[0], bytes);
  if (is_intact(header.status[0])) {
    const size_t len = claimed_len(bytes);
    if (bytes.size() < kNumSlots * len) return HeaderStatus::truncated;
    header.slot_len = len;
    const Bytes second = bytes.subspan(len);
    if (claimed_len(second) == len) header.status[1] = read_slot(hash, header.slots[1], second.first(len));
  } else {
    header.slot_len = find_second_slot(hash, header.slots[1], header.status[1], bytes);
  }
  if (header.slot_len == 0) {
    const bool is_cut = bytes.size() <= at::slot_log2 || bytes.size() < kNumSlots * claimed_len(bytes);
    return has_magic(bytes) && is_cut ? HeaderStatus::truncated : HeaderStatus::format;
  }

  const auto [first, second] = header.status;
  header.newest = first == SlotStatus::whole ? 0 : 1;
  if (!is_intact(first) || !is_intact(second)) return complaint(is_intact(first) ? first : second);
  // No crash leaves one of these together with an intact slot: another version, another file, another history.
  if (first != second) return HeaderStatus::tampered;
  if (first != SlotStatus::whole) return complaint(first);
  const Slot &a = header.slots[0], &b = header.slots[1];
  if (a.preamble != b.preamble) return HeaderStatus::tampered;
  if (a.generation == b.generation && header.slots_differ()) return HeaderStatus::tampered;
  if (b.generation > a.generation) header.newest = 1;
  return HeaderStatus::ok;
}

void seal_slot(const HashKernel* hash, uint8_t* out, const Slot& slot, const FileKey& key) noexcept {
  write_slot(out, slot);
  slot_mac(hash, out + slot.len - kSealLen, Bytes(out, slot.len), key);
  write_digest(hash, out, slot.len);
}

Unlocked unlock(const Suite& suite, FileKey& key, const Header& header, const Secret& secret) {
  // An older slot is never tried: recipients missing from the newest one were removed.
  const auto [recipient, failure] =
      unwrap_file_key(suite, key, header.slot_bytes(header.newest), header.slots[header.newest], secret);
  if (recipient == kMaxRecipients) {
    if (failure == Argon2idStatus::memory) throw std::bad_alloc();
    return {failure == Argon2idStatus::missing ? Unlocking::misses_library : Unlocking::wrong_key, 0};
  }
  const size_t other = 1 - header.newest;
  if (header.status[other] == SlotStatus::whole && !is_authentic(suite, header.slot_bytes(other), key))
    return {Unlocking::tampered, 0};
  return {Unlocking::ok, recipient};
}

}  // namespace vsh::sealed
