#include "programs/vershina/files/file_walk.hpp"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

// Directories that are open at most, so that a deep tree needs no more descriptors than a flat one.
constexpr size_t kMaxOpen = 32;
constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

bool is_same_directory(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

FileToRead FileWalk::failed(const std::string& what, int error) const {
  FileToRead file{path_};
  if (file.name.size() > 1 && file.name.ends_with('/')) file.name.pop_back();
  file.failure =
      Failure(ExitCode::input, quote_name(file.name) + ": " + (what.empty() ? std::strerror(error) : what), {}, error);
  return file;
}

void FileWalk::add_entry(std::vector<Entry>& entries, const Descriptor& directory, const char* name, unsigned char type,
                         ino_t inode) {
  const bool may_be_output = left_out_ && left_out_->st_ino == inode;
  if (type == DT_UNKNOWN || may_be_output) {
    struct stat status;
    // One that is gone, or that may not be looked at, is reported when it is opened.
    if (::fstatat(directory.get(), name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      type = static_cast<unsigned char>(IFTODT(status.st_mode));
      if (may_be_output && is_same_file(*left_out_, status)) {
        found_output_ = path_ + name;
        return;
      }
    } else {
      type = DT_REG;
    }
  }
  switch (type) {
    case DT_DIR: return entries.push_back({std::string(name) + "/"});
    case DT_REG: return entries.push_back({name});
    case DT_LNK: ++num_links_; return;
    default: ++num_specials_;
  }
}

// Takes over the open directory at path_, which ends with a slash; or its failure to open, which is errno.
std::optional<FileToRead> FileWalk::enter(int fd) {
  if (fd < 0) return failed(errno);
  Level level{std::make_shared<const Descriptor>(fd), {}, path_.size(), {}};
  if (::fstat(fd, &level.status) != 0) return failed(errno);
  for (const Level& outer : levels_)
    if (is_same_directory(outer.status, level.status)) return failed(tr("the directory contains itself"), ELOOP);

  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(copy < 0 ? nullptr : ::fdopendir(copy), &::closedir);
  if (!list) {
    const int error = errno;
    if (copy >= 0) (void)::close(copy);
    return failed(error);
  }
  for (;;) {
    errno = 0;
    const dirent* const found = ::readdir(list.get());
    if (found == nullptr) break;
    const std::string_view name = found->d_name;
    if (name != "." && name != "..") {
      add_entry(level.entries, *level.directory, found->d_name, found->d_type, found->d_ino);
    }
  }
  std::optional<FileToRead> failure;
  if (errno != 0) failure = failed(errno);  // the entries listed so far are read all the same
  std::sort(level.entries.begin(), level.entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  levels_.push_back(std::move(level));
  if (levels_.size() > kMaxOpen) levels_[levels_.size() - 1 - kMaxOpen].directory.reset();
  return failure;
}

std::optional<FileToRead> FileWalk::leave() {
  const std::shared_ptr<const Descriptor> inner = levels_.back().directory;
  levels_.pop_back();
  if (levels_.empty()) return std::nullopt;
  Level& level = levels_.back();
  path_.resize(level.path_len);
  if (level.directory) return std::nullopt;
  Descriptor up(inner ? ::openat(inner->get(), "..", kOpenDirectory | O_NOFOLLOW) : -1);
  struct stat status;
  const bool is_it = up.is_open() && ::fstat(up.get(), &status) == 0 && is_same_directory(status, level.status);
  if (is_it) {
    level.directory = std::make_shared<const Descriptor>(std::move(up));
    return std::nullopt;
  }
  const bool has_rest = level.next < level.entries.size();
  level.next = level.entries.size();
  if (!has_rest) return std::nullopt;
  return failed(tr("was moved while it was read, and the rest of it is not read"), ESTALE);
}

std::optional<FileToRead> FileWalk::visit(const Entry& entry) {
  const Level& level = levels_.back();
  if (level.path_len + entry.name.size() >= PATH_MAX) {  // no program could open it by this name
    path_ += entry.name;
    FileToRead file = failed(ENAMETOOLONG);
    path_.resize(level.path_len);
    return file;
  }
  if (!entry.is_directory()) return FileToRead{path_ + entry.name, level.directory};
  path_ += entry.name;
  const std::string name = entry.name.substr(0, entry.name.size() - 1);
  const size_t depth = levels_.size();
  const int fd = ::openat(level.directory->get(), name.c_str(), kOpenDirectory | O_NOFOLLOW);
  std::optional<FileToRead> failure =
      fd < 0 && (errno == ELOOP || errno == ENOTDIR)
          ? failed(tr("was replaced by something else while the directory was read"), errno)
          : enter(fd);
  if (levels_.size() == depth) path_.resize(levels_.back().path_len);
  return failure;
}

std::optional<FileToRead> FileWalk::next() {
  for (;;) {
    if (!levels_.empty()) {
      Level& level = levels_.back();
      const bool is_done = level.next == level.entries.size();
      // A copy: entering a directory adds a level, and moves this one.
      if (auto file = is_done ? leave() : visit(Entry(level.entries[level.next++]))) return file;
      continue;
    }
    if (position_ == names_.size()) return std::nullopt;
    const std::string& name = names_[position_++];
    const int fd = name == "-" ? -1 : ::open(name.c_str(), kOpenDirectory);
    if (fd < 0) return FileToRead{name};  // a file, or what opening it will report
    path_ = name.ends_with('/') ? name : name + "/";
    if (auto failure = enter(fd)) return failure;
  }
}

}  // namespace vsh::cli
