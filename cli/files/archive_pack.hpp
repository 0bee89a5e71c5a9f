// A directory as a tar stream, made on a thread of its own while somebody reads it.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <thread>

#include "cli/files/input_file.hpp"

namespace vsh::cli {

// Files, directories, symbolic and hard links, with permissions, owners and times (to the second); no extended
// attributes, no access control lists. Names are those inside the directory, sorted, as bytes. Sockets, pipes and
// devices are left out with a word on standard error; so is said where a symbolic link leads out of the directory.
class PackedDirectory {
 public:
  // Throws Failure where `path` cannot be read, and where there is no libarchive.
  explicit PackedDirectory(const std::string& path);
  ~PackedDirectory();  // gives up what has not been read

  // Starts the packer at the first call. Throws Failure where there is no thread for it.
  InputFile& stream();
  const struct stat& status() const { return status_; }
  const std::string& name() const { return name_; }  // as messages show it

  // Whether a file of that name would lie in the directory, where it would be read while it is written.
  bool contains(const std::string& file) const;

  // After the stream's end: throws Failure where it is not the whole directory, because something in it could not be
  // read or changed meanwhile.
  void finish();

 private:
  std::string given_;
  std::string name_;
  std::string path_;  // absolute, without links
  Descriptor directory_;
  struct stat status_ {};
  std::unique_ptr<InputFile> stream_;
  std::exception_ptr failure_;  // read when the packer has been joined
  std::jthread packer_;
};

}  // namespace vsh::cli
