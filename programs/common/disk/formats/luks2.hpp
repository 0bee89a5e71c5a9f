// LUKS2 headers through libcryptsetup.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "programs/common/disk/formats/luks2_metadata.hpp"
#include "programs/common/disk/formats/memory_file.hpp"
#include "programs/common/disk/store/store.hpp"
#include "programs/common/disk/volume/volume.hpp"
#include "programs/common/system/descriptor_path.hpp"

struct crypt_device;

namespace vsh::disk {

// Whether to repair a damaged copy of a header whose other copy is sound.
enum class Repair { yes, no };

// Whether cryptsetup's lock of this header's metadata cannot be had. That of a block device is a file in
// /run/cryptsetup, which is root's. On NFS flock(2) locks the whole file for fcntl(2) too: it would wait for
// FileStore's lock, which keeps others out there.
bool has_no_metadata_lock(const std::string& path);

// A loaded header. Neither device-mapper nor the kernel's cryptography is used. Metadata locking stays on, without
// which libcryptsetup repairs nothing; Repair::no turns it off for the whole process, and so does a header without a
// lock.
class Luks2Header {
 public:
  // A header in a file of its own. Throws cli::Failure.
  explicit Luks2Header(const std::string& path, Repair repair = Repair::yes);
  // The header in front of a volume, in the very file that the store has open and locked. For a store without a path, a
  // copy in memory, so that a damaged copy of the header is not repaired in the store. Throws cli::Failure, IoError.
  Luks2Header(Store& store, Repair repair);

  const Luks2Metadata& metadata() const { return metadata_; }
  std::string uuid() const;
  std::string label() const;

  // Derives the volume key, after check_luks2. Throws cli::Failure for a wrong passphrase.
  void unlock(VolumeKey& key, std::span<const uint8_t> passphrase) const;

 private:
  void copy_from(Store& store);
  void load(const std::string& path, Repair repair);
  void load(const std::string& path);

  struct Free {
    void operator()(crypt_device* device) const;
  };
  std::string name_, path_;  // for messages; what libcryptsetup opens, again and again
  cli::Descriptor file_;
  std::unique_ptr<MemoryFile> copy_;
  std::unique_ptr<crypt_device, Free> device_;
  Luks2Metadata metadata_;
};

// Returns the header in the file `detached`, or for an empty name the one in front of the volume in the store.
Luks2Header load_luks2(Store& store, const std::string& detached, Repair repair);

// A volume that only needs a passphrase.
struct Luks2Volume {
  Luks2Header header;
  Layout layout;
};
// Loads and checks the header of the volume in the store; repairs it unless access is read_only. Throws as above.
Luks2Volume open_luks2(Store& store, const std::string& detached, Access access);

}  // namespace vsh::disk
