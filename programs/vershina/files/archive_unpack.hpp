// Unpacks a tar stream into a directory.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "programs/common/files/output.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/interrupt.hpp"

namespace vsh::cli {

// Unpacks the data written to it, on a separate thread, into `.vershina-XXXXXXXX.tmp` next to the final name, and
// renames that when it is complete; any earlier failure removes it. The stream is not trusted: absolute paths, "..",
// duplicate entries, links that leave the directory, devices and pipes are failures. Permissions (without setuid,
// setgid and sticky bits) and times are restored, owners only for root.
class UnpackedDirectory : public Output {
 public:
  // outside_links: symbolic links may lead anywhere; nothing is ever written through one. all_permissions: restores
  // permissions that umask removes, too, as always for root. Throws Failure if the final name exists or libarchive is
  // missing.
  UnpackedDirectory(const std::string& name, bool outside_links, bool all_permissions);
  // Throws only the Failure for an existing name; for commands that ask for a passphrase first.
  static void check_name(const std::string& name);
  ~UnpackedDirectory() override;
  UnpackedDirectory(const UnpackedDirectory&) = delete;
  UnpackedDirectory& operator=(const UnpackedDirectory&) = delete;

  void write(std::span<const uint8_t> data) override;
  void commit() override;
  bool is_direct() const override { return false; }
  const std::string& name() const override { return name_; }

 private:
  void create_temporary();
  void finish();
  void rename_to_final();

  std::string name_;
  std::string parent_;      // absolute: the current directory changes
  std::string final_path_;  // absolute
  std::string temporary_;   // absolute; empty if there is none
  Descriptor temporary_fd_, previous_directory_;
  Descriptor pipe_;
  std::unique_ptr<InterruptGuard> guard_;
  std::exception_ptr failure_;  // read after the unpacker is joined
  std::jthread unpacker_;
};

}  // namespace vsh::cli
