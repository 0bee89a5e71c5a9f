// A directory as a tar stream, produced on a separate thread while it is read.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "programs/common/files/input_file.hpp"

namespace vsh::cli {

// Files, directories, symbolic and hard links, with permissions, owners and times (to the second); no extended
// attributes, no access control lists. Names are relative to the directory, sorted as bytes. Sockets, pipes and devices
// are left out with a note on standard error; symbolic links that lead out of the directory are noted too.
class PackedDirectory {
 public:
  // Throws Failure if `path` cannot be read or libarchive is missing.
  explicit PackedDirectory(const std::string& path);
  ~PackedDirectory();  // discards the unread rest

  // Starts the packer on the first call. Throws Failure if no thread can be created.
  InputFile& stream();
  const struct stat& status() const { return status_; }
  const std::string& name() const { return name_; }  // for messages

  // Returns whether a file of that name would be in the directory, and so be read while it is written.
  bool contains(const std::string& file) const;

  // Called after the stream's end: throws Failure if the stream is incomplete because a part of the directory could not
  // be read or changed.
  void finish();

 private:
  std::string given_;
  std::string name_;
  std::string path_;  // absolute, links resolved
  Descriptor directory_;
  struct stat status_ {};
  std::unique_ptr<InputFile> stream_;
  std::exception_ptr failure_;  // read after the packer is joined
  std::jthread packer_;
};

}  // namespace vsh::cli
