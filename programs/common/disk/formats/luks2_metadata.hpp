// The metadata of a LUKS2 header, as libcryptsetup gives it: JSON that nothing authenticates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "programs/common/disk/volume/volume.hpp"

namespace vsh::disk {

// The only cipher that is served.
inline constexpr std::string_view kLuks2Cipher = "kuznyechik-xts-plain64";

// Bounds of the costs that a header may demand of its opener. cryptsetup makes slots of 2 seconds: 1 GiB and some
// passes. A slot may cost 64 passes over 1 GiB or 16 over 4 GiB, and all slots of a header together four times that,
// since a wrong passphrase is tried in every slot.
inline constexpr uint64_t kMaxArgon2Memory = uint64_t{4} << 20;  // KiB: cryptsetup's own bound
inline constexpr uint64_t kMaxArgon2Work = uint64_t{64} << 20;   // passes times KiB, of one slot
inline constexpr uint64_t kMaxArgon2Lanes = 4;                   // cryptsetup's own bound
inline constexpr uint64_t kMaxPbkdf2Iterations = 100'000'000;    // of one slot, each as often as its key has hashes
inline constexpr uint64_t kMaxDigestIterations = 10'000'000;     // cryptsetup takes 1000 and more
inline constexpr uint64_t kMaxSlotsWork = 4;                     // all slots, in times the above

struct Luks2Slot {
  std::string id, type;
  uint64_t key_len = 0;
  std::string area_cipher, area_type, kdf, hash, af_hash;
  uint64_t area_key_len = 0;  // of area_cipher: the derived key
  uint64_t stripes = 0;
  uint64_t time = 0, memory = 0, lanes = 0;  // argon2i, argon2id
  uint64_t iterations = 0;                   // pbkdf2
  bool opens_segment = false;                // its key is the volume's
};

struct Luks2Segment {
  std::string id, type, cipher;
  uint64_t offset = 0, sector_len = 0, iv_offset = 0;
  std::optional<uint64_t> size;  // nothing: up to the end
  bool has_integrity = false;
  std::vector<std::string> flags;
};

struct Luks2Metadata {
  std::vector<Luks2Slot> slots;
  std::vector<Luks2Segment> segments;
  std::vector<std::string> requirements, flags;
  uint64_t header_len = 0;  // both copies, and the slots' areas
  size_t num_tokens = 0;
  size_t num_digests_of_segment = 0;  // of the first segment
  std::string digest_type;
  uint64_t digest_iterations = 0;
};

// Reads the JSON. Throws cli::Failure if it is not JSON, or lacks what LUKS2 demands. whose: a name for messages.
Luks2Metadata read_luks2_metadata(std::string_view json, const std::string& whose);

// Returns where the volume lies. Called before a passphrase costs anything. Throws cli::Failure for all but one segment
// of Kuznyechik without integrity, re-encryption or requirements, within a store of store_size bytes and behind the
// header if that is in it, opened by slots whose costs are within the bounds.
Layout check_luks2(const Luks2Metadata& metadata, uint64_t store_size, bool is_detached, const std::string& whose);

}  // namespace vsh::disk
