#include "programs/vershina/files/tar_unpacker.hpp"

#if VSH_WITH_ARCHIVE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "programs/common/files/output_file.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/interrupt.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/files/archive_path.hpp"
#include "programs/vershina/files/libarchive.hpp"

namespace vsh::cli {
namespace {

class Unpacker {
 public:
  Unpacker(int pipe_fd, std::string name, bool outside_links, mode_t mask)
      : pipe_fd_(pipe_fd), name_(std::move(name)), outside_links_(outside_links), allowed_(0777 & ~mask) {
    if (!tar_ || !disk_) throw std::bad_alloc();
    int flags = ARCHIVE_EXTRACT_PERM | ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_SECURE_SYMLINKS |
                ARCHIVE_EXTRACT_SECURE_NODOTDOT | ARCHIVE_EXTRACT_SECURE_NOABSOLUTEPATHS;
    if (::geteuid() == 0) flags |= ARCHIVE_EXTRACT_OWNER;
    check_disk(lib_.archive_write_disk_set_options(disk_.get(), flags), "");
    check_tar(lib_.archive_read_support_format_tar(tar_.get()));
    check_tar(lib_.archive_read_open_fd(tar_.get(), pipe_fd_, size_t{1} << 17));
  }

  void run() {
    for (;;) {
      archive_entry* entry = nullptr;
      const int result = lib_.archive_read_next_header(tar_.get(), &entry);
      if (result == ARCHIVE_EOF) break;
      check_tar(result);
      unpack(entry);
    }
    finish_directories();
    drain();
  }

 private:
  struct FreeReader {
    void operator()(archive* a) const { libarchive().archive_read_free(a); }
  };
  struct FreeWriter {
    void operator()(archive* a) const {
      const InterruptHold hold;  // it sets permissions of directories, which could prevent a removal
      libarchive().archive_write_free(a);
    }
  };

  std::string error_text(archive* a) const {
    const char* text = lib_.archive_error_string(a);
    return text != nullptr ? text : tr("unknown error");
  }

  void check_tar(int result) const {
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN) return;
    throw Failure(ExitCode::data, tr("{1}: the tar stream in it is wrong: {2}", name_, error_text(tar_.get())));
  }

  void check_disk(int result, const std::string& path) const {
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN) return;  // a warning: a time or an owner could not be set
    const std::string shown = path.empty() ? name_ : name_ + ": " + quote_name(path);
    const int error = lib_.archive_errno(disk_.get());
    if (error > 0) throw output_failure(shown, error);
    throw Failure(ExitCode::data, shown + ": " + error_text(disk_.get()));
  }

  [[noreturn]] void refuse(const char* path, const std::string& problem, const std::string& advice = {}) const {
    throw Failure(ExitCode::data, tr("{1}: refused to unpack {2}: {3}", name_, quote_name(path), problem),
                  advice.empty() ? tr("do not trust this file's maker; -o - gives the tar stream itself") : advice);
  }

  timespec time_of(archive_entry* entry) const {
    return {lib_.archive_entry_mtime(entry), lib_.archive_entry_mtime_is_set(entry) != 0 ? 0 : UTIME_OMIT};
  }

  void unpack(archive_entry* entry) {
    const char* given = lib_.archive_entry_pathname(entry);
    if (given == nullptr) refuse("", tr("an entry without a name"));
    const auto path = inside_path(given);
    if (!path) refuse(given, tr("an absolute path, or one with '..'"));
    const char* hard_link = lib_.archive_entry_hardlink(entry);
    const auto type = lib_.archive_entry_filetype(entry);
    if (path->empty()) {
      if (hard_link != nullptr || type != AE_IFDIR) refuse(given, tr("it is not a directory"));
      root_mode_ = lib_.archive_entry_perm(entry) & allowed_;
      root_time_ = time_of(entry);
      return;
    }
    const auto there = look(given, *path);
    if (hard_link != nullptr) {
      check_hard_link(entry, given, hard_link);
    } else if (type == AE_IFLNK) {
      check_symlink(given, *path, lib_.archive_entry_symlink(entry));
    } else if (type != AE_IFREG && type != AE_IFDIR) {
      refuse(given, tr("neither a file, nor a directory, nor a link"));
    }
    if (there && !(S_ISDIR(there->st_mode) && type == AE_IFDIR)) refuse(given, tr("its name is there already"));
    lib_.archive_entry_copy_pathname(entry, path->c_str());
    lib_.archive_entry_set_perm(entry, lib_.archive_entry_perm(entry) & allowed_);
    {
      const InterruptHold hold;
      check_disk(lib_.archive_write_header(disk_.get(), entry), *path);
    }
    if (hard_link == nullptr && type == AE_IFREG) copy_data(*path);
    if (type == AE_IFDIR && path->size() >= PATH_MAX - 1) {
      deep_.push_back({*path, lib_.archive_entry_perm(entry), time_of(entry)});
    }
  }

  // Opens the directory in which `path` is, or nothing if it is not there. Goes from directory to directory, because a
  // path may be longer than the system takes. Throws unless all existing parts of the way are directories. (libarchive
  // refuses links there, too.)
  Descriptor open_parent(const char* given, const std::string& path) const {
    constexpr int kHow = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    Descriptor directory(::open(".", kHow));
    size_t begin = 0;
    for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', begin)) {
      Descriptor next(::openat(directory.get(), path.substr(begin, slash - begin).c_str(), kHow));
      if (!next.is_open() && errno == ENOENT) return next;
      if (!next.is_open() && (errno == ENOTDIR || errno == ELOOP)) {
        refuse(given, tr("{1} is not a directory", quote_name(path.substr(0, slash))));
      }
      if (!next.is_open()) break;
      directory = std::move(next);
      begin = slash + 1;
    }
    if (path.find('/', begin) != std::string::npos) throw output_failure(name_ + ": " + quote_name(given), errno);
    return directory;
  }

  static const char* last_name(const std::string& path) { return path.c_str() + (path.rfind('/') + 1); }

  // Returns what `path` leads to, if anything is there.
  std::optional<struct stat> look(const char* given, const std::string& path) const {
    const Descriptor parent = open_parent(given, path);
    struct stat status;
    if (!parent.is_open()) return std::nullopt;
    if (::fstatat(parent.get(), last_name(path), &status, AT_SYMLINK_NOFOLLOW) == 0) return status;
    if (errno != ENOENT) throw output_failure(name_ + ": " + quote_name(given), errno);
    return std::nullopt;
  }

  void check_symlink(const char* given, const std::string& path, const char* target) const {
    if (target == nullptr) refuse(given, tr("a link to nothing"));
    if (outside_links_ || target_stays_inside(path, target)) return;
    refuse(given, tr("a symbolic link that leads out of the directory, to {1}", quote_name(target)),
           tr("allow such links with --outside-links"));
  }

  // A hard link to a symbolic link would move the link to a place where it has a different target.
  void check_hard_link(archive_entry* entry, const char* given, const char* target) const {
    const auto inside = inside_path(target);
    const auto linked = inside && !inside->empty() ? look(given, *inside) : std::nullopt;
    if (!linked || !S_ISREG(linked->st_mode)) {
      refuse(given, tr("a hard link to {1}, which is not a file of this directory", quote_name(target)));
    }
    lib_.archive_entry_copy_hardlink(entry, inside->c_str());
    lib_.archive_entry_set_size(entry, 0);
  }

  void copy_data(const std::string& path) {
    for (;;) {
      const void* data = nullptr;
      size_t len = 0;
      la_int64_t offset = 0;
      const int result = lib_.archive_read_data_block(tar_.get(), &data, &len, &offset);
      if (result == ARCHIVE_EOF) return;
      check_tar(result);
      const InterruptHold hold;
      const auto written = lib_.archive_write_data_block(disk_.get(), data, len, offset);
      if (written < 0) check_disk(static_cast<int>(written), path);
    }
  }

  // Permissions and times.
  void finish_directories() const {
    const InterruptHold hold;
    for (auto deep = deep_.rbegin(); deep != deep_.rend(); ++deep) {
      const Descriptor parent = open_parent(deep->path.c_str(), deep->path);
      const timespec both[2] = {deep->time, deep->time};
      (void)!::fchmodat(parent.get(), last_name(deep->path), deep->mode, 0);
      (void)!::utimensat(parent.get(), last_name(deep->path), both, 0);
    }
    check_disk(lib_.archive_write_close(disk_.get()), "");
    const timespec times[2] = {root_time_, root_time_};
    (void)!::utimensat(AT_FDCWD, ".", times, 0);
    if (::chmod(".", root_mode_) != 0) throw output_failure(name_, errno);
  }

  // Reads the padding after the end of the tar stream, so that its writer does not get a closed pipe.
  void drain() const {
    std::vector<char> buffer(size_t{1} << 16);
    for (;;) {
      const ssize_t len = ::read(pipe_fd_, buffer.data(), buffer.size());
      if (len == 0 || (len < 0 && errno != EINTR)) return;
    }
  }

  const LibArchive& lib_ = libarchive();
  const int pipe_fd_;
  const std::string name_;
  const bool outside_links_;
  const mode_t allowed_;  // permissions
  std::unique_ptr<archive, FreeReader> tar_{lib_.archive_read_new()};
  std::unique_ptr<archive, FreeWriter> disk_{lib_.archive_write_disk_new()};
  mode_t root_mode_ = 0700;  // if the stream has no entry for it
  timespec root_time_ = {0, UTIME_OMIT};
  struct DeepDirectory {
    std::string path;
    mode_t mode;
    timespec time;
  };
  std::vector<DeepDirectory> deep_;  // with paths that are too long for libarchive to set these in the end
};

}  // namespace

void unpack_tar(int pipe_fd, const std::string& name, bool outside_links, mode_t mask) {
  Unpacker(pipe_fd, name, outside_links, mask).run();
}

}  // namespace vsh::cli
#endif
