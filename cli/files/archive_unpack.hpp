// A tar stream that becomes a directory.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "cli/system/descriptor.hpp"
#include "cli/system/interrupt.hpp"
#include "cli/files/output.hpp"

namespace vsh::cli {

// Unpacks what is written to it, on a thread of its own, into `.vershina-XXXXXXXX.tmp` beside the final name, and gives
// that its name when all is there; whatever goes wrong before removes it. The stream is not trusted: absolute paths,
// "..", entries twice, links that leave the directory, devices and pipes end it. Permissions (without setuid, setgid
// and sticky bits) and times are restored, owners only for root.
class UnpackedDirectory : public Output {
 public:
  // outside_links: symbolic links may lead anywhere; nothing is ever written through one. all_permissions: also those
  // that umask takes away, as root always gets them. Throws Failure where
  // something has the final name already, and where there is no libarchive.
  UnpackedDirectory(const std::string& name, bool outside_links, bool all_permissions);
  // Throws that Failure alone, for commands that ask for a passphrase first.
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
  std::string temporary_;   // absolute; empty when there is none (any more)
  Descriptor temporary_fd_, previous_directory_;
  Descriptor pipe_;
  std::unique_ptr<InterruptGuard> guard_;
  std::exception_ptr failure_;  // read when the unpacker has been joined
  std::jthread unpacker_;
};

}  // namespace vsh::cli
