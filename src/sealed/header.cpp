#include "sealed/header.hpp"

#include <algorithm>
#include <cstring>

namespace vsh::sealed {
namespace {

bool is_authentic(const HashKernel* hash, const Header& header, size_t i, const FileKey& key) noexcept {
  if (header.status[i] != SlotStatus::whole) return false;
  uint8_t mac[kDigestLen];
  slot_mac(hash, mac, header.slot_bytes(i).data(), key);
  return equal_constant_time(mac, header.slot_bytes(i).data() + at::mac, sizeof mac);
}

bool any(const Header& header, SlotStatus status) noexcept {
  return std::find(header.status.begin(), header.status.end(), status) != header.status.end();
}

}  // namespace

bool Header::slots_differ() const noexcept { return std::memcmp(bytes.data(), bytes.data() + kSlotLen, kSlotLen) != 0; }

HeaderStatus read_header(const HashKernel* hash, Header& header, Bytes bytes, uint64_t max_iterations) noexcept {
  header.status.fill(SlotStatus::damaged);
  header.bytes.fill(0);
  if (bytes.size() < kHeaderLen) return has_magic(bytes) ? HeaderStatus::truncated : HeaderStatus::format;
  std::copy_n(bytes.begin(), kHeaderLen, header.bytes.begin());
  for (size_t i = 0; i < kNumSlots; ++i) {
    header.status[i] = read_slot(hash, header.slots[i], header.slot_bytes(i));
    if (header.status[i] == SlotStatus::whole && header.slots[i].iterations() > max_iterations)
      header.status[i] = SlotStatus::parameters;
  }
  if (any(header, SlotStatus::whole)) {
    header.newest = header.status[0] == SlotStatus::whole ? 0 : 1;
    if (header.status[1] == SlotStatus::whole && header.slots[1].generation > header.slots[header.newest].generation)
      header.newest = 1;
    return HeaderStatus::ok;
  }
  // A slot that is damaged says nothing, so the other one's complaint is the file's.
  if (any(header, SlotStatus::parameters)) return HeaderStatus::parameters;
  return any(header, SlotStatus::version) ? HeaderStatus::version : HeaderStatus::format;
}

void seal_slot(const HashKernel* hash, uint8_t* out, const Slot& slot, const FileKey& key) noexcept {
  write_slot(out, slot);
  slot_mac(hash, out + at::mac, out, key);
  write_digest(hash, out);
}

Unlocked unlock(const Suite& suite, FileKey& key, const Header& header, const Secret& secret) {
  bool fitted = false;
  for (const size_t i : {header.newest, 1 - header.newest}) {
    if (header.status[i] != SlotStatus::whole) continue;
    if (i != header.newest && !header.slots_differ()) continue;
    const size_t recipient = unwrap_file_key(suite, key, header.slots[i], secret);
    if (recipient == kMaxRecipients) continue;
    fitted = true;
    Unlocked result{Unlocking::ok, i, recipient, {}};
    for (size_t j = 0; j < kNumSlots; ++j) result.is_authentic[j] = is_authentic(suite.hash, header, j, key);
    if (!result.is_authentic[i]) continue;
    // Where a newer slot is authentic too, whoever wrote it took this secret away.
    const size_t other = 1 - i;
    if (result.is_authentic[other] && header.slots[other].generation > header.slots[i].generation)
      return {Unlocking::wrong_key, 0, 0, {}};
    return result;
  }
  return {fitted ? Unlocking::tampered : Unlocking::wrong_key, 0, 0, {}};
}

}  // namespace vsh::sealed
