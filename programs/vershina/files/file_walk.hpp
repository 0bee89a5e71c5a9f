// All regular files below directories, in the order of `find DIR -type f | LC_ALL=C sort`.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "programs/vershina/files/file_to_read.hpp"

namespace vsh::cli {

// Yields the named files, and instead of a directory the files below it, one by one: the `next` of in_order(). Only a
// name that was given may be a link. A file that cannot be read is yielded with its failure.
class FileWalk {
 public:
  // left_out: the output; a file found that is this one is not yielded.
  FileWalk(const std::vector<std::string>& names, std::optional<struct stat> left_out)
      : names_(names), left_out_(left_out) {}

  std::optional<FileToRead> next();

  uint64_t num_links() const { return num_links_; }                  // so far; not followed
  uint64_t num_specials() const { return num_specials_; }            // FIFOs, sockets, devices: left out
  const std::string& found_output() const { return found_output_; }  // the name under which it was left out, or empty

 private:
  struct Entry {
    std::string name;  // of a directory with a slash: its place among the others is that of the files below it
    bool is_directory() const { return name.ends_with('/'); }
  };
  struct Level {
    std::shared_ptr<const Descriptor> directory;  // null if too many are open: opened again as ".." of the next level
    struct stat status;
    size_t path_len;
    std::vector<Entry> entries;
    size_t next = 0;
  };

  std::optional<FileToRead> enter(int fd);
  std::optional<FileToRead> leave();
  std::optional<FileToRead> visit(const Entry& entry);
  void add_entry(std::vector<Entry>& entries, const Descriptor& directory, const char* name, unsigned char type,
                 ino_t inode);
  FileToRead failed(int error) const { return failed(std::string(), error); }
  FileToRead failed(const std::string& what, int error) const;

  const std::vector<std::string>& names_;
  const std::optional<struct stat> left_out_;
  size_t position_ = 0;  // in names_
  std::string path_;     // of the innermost level, with its slash
  std::vector<Level> levels_;
  uint64_t num_links_ = 0, num_specials_ = 0;
  std::string found_output_;
};

}  // namespace vsh::cli
