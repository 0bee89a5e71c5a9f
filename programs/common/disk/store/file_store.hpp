// A store in a regular file or a block device.
#pragma once

#include <fcntl.h>

#include <string>

#include "programs/common/disk/store/store.hpp"
#include "programs/common/system/descriptor_path.hpp"

namespace vsh::disk {

class FileStore : public Store {
 public:
  // Opens and locks it: one process writes, or several read. The lock is one of open file descriptions over the whole
  // file: fork() keeps it, qemu respects it, and cryptsetup's flock(2) of a header does not conflict with it. A block
  // device that is mounted, and a file that a loop device has, are refused, for reading too; only a writer keeps a
  // device to itself. Throws cli::Failure.
  FileStore(const std::string& path, Access access);
  // Locks a regular file that is open for reading and writing. name: for messages.
  FileStore(cli::Descriptor file, const std::string& name);

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return size_; }
  bool may_write() const override { return may_write_; }
  // Whether a lock is held; file systems without locks are served too.
  bool is_locked() const { return is_locked_; }
  int descriptor() const { return file_.get(); }
  std::string path() const override { return cli::path_of(file_); }
  bool is_file() const override { return !is_device_; }
  uint64_t next_data(uint64_t offset) const override;

  void read(uint8_t* out, size_t len, uint64_t offset) override;
  void write(const uint8_t* in, size_t len, uint64_t offset) override;
  void flush() override;
  void discard(uint64_t offset, uint64_t len) override;
  void forget_cached() override { (void)::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_DONTNEED); }

 private:
  void measure();
  void lock();
  void check_length() const;
  [[noreturn]] void fail(const char* what, int error) const;

  std::string name_;  // quoted, for messages
  cli::Descriptor file_;
  uint64_t size_ = 0;
  bool is_device_ = false, may_write_ = false, is_locked_ = false;
  JoinedFlush flush_;
};

}  // namespace vsh::disk
