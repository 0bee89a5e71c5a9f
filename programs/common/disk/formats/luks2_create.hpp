// New LUKS2 headers whose cipher is Kuznyechik.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "programs/common/disk/volume/volume.hpp"

namespace vsh::disk {

struct Luks2Choices {
  uint32_t sector_len = 4096;
  std::string label, uuid;  // uuid: empty for a new one
  // Argon2id of the first key slot. 0: what cryptsetup takes, measured so that it lasts about two seconds.
  uint64_t memory = 0;  // KiB
  uint32_t passes = 0, lanes = 0;
  uint32_t milliseconds = 0;  // how long to take, where the passes are not given
  bool is_detached = false;   // the volume begins at byte 0 of another file or device
};

// The bytes from 0 to the volume: two copies of the header, and the key slots' areas.
struct NewHeader {
  std::vector<uint8_t> bytes;
  uint64_t copy_len = 0;  // of one copy of the header
};

// Returns a header for a store of this size, with a new volume key in one slot for this passphrase or key file.
// libcryptsetup's format asks the kernel for the cipher; so it makes a header for AES in memory, whose cipher is then
// changed in both copies. It is loaded again, checked and opened before it is returned. Throws cli::Failure.
NewHeader make_luks2_header(const Luks2Choices& choices, uint64_t store_size, std::span<const uint8_t> secret);

// Overwrites the beginning of a file or block device with it: first zeros, then the slots' areas, the second copy, the
// first copy, each flushed. Killed in between, it leaves no valid header or one that says Kuznyechik. path: the name of
// fd, for messages. Holds cryptsetup's metadata lock. Throws cli::Failure.
void write_luks2_header(int fd, const std::string& path, const NewHeader& header);

}  // namespace vsh::disk
