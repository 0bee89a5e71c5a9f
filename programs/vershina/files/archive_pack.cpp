#include "programs/vershina/files/archive_pack.hpp"

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"

#if VSH_WITH_ARCHIVE
#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "programs/common/system/console.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/system/try_thread.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/files/archive_path.hpp"
#include "programs/vershina/files/libarchive.hpp"

namespace vsh::cli {
namespace {

bool is_unchanged(const struct stat& before, const struct stat& after) {
  return before.st_size == after.st_size && before.st_mtim.tv_sec == after.st_mtim.tv_sec &&
         before.st_mtim.tv_nsec == after.st_mtim.tv_nsec;
}

// Writes a time that 11 octal digits do not hold, of before 1970 or after 2242, into the header of an entry as GNU tar
// does: in base 256. libarchive writes the nearest that they hold.
void write_time(uint8_t* header, int64_t seconds) {
  constexpr size_t kTime = 136, kTimeLen = 12, kSum = 148, kSumLen = 8, kHeaderLen = 512;
  if (seconds >= 0 && seconds < int64_t{1} << 33) return;
  for (size_t i = 0; i < kTimeLen; ++i) {
    header[kTime + kTimeLen - 1 - i] = static_cast<uint8_t>(seconds >> std::min<size_t>(8 * i, 63));
  }
  header[kTime] |= 0x80;
  std::fill_n(header + kSum, kSumLen, ' ');
  const unsigned sum = std::accumulate(header, header + kHeaderLen, 0u);
  (void)std::snprintf(reinterpret_cast<char*>(header) + kSum, kSumLen - 1, "%06o", sum);
}

// Walks a directory by descriptors, so that concurrent renames cannot lead out of it, and of any depth.
class Packer {
 public:
  Packer(std::string root, int pipe_fd) : root_(std::move(root)), pipe_fd_(pipe_fd), tar_(lib_.archive_write_new()) {
    if (!tar_ || !entry_) throw std::bad_alloc();
    // GNU's format: names of any length as raw bytes, sizes of any length, read by every tar.
    check(lib_.archive_write_set_format_gnutar(tar_.get()));
    check(lib_.archive_write_set_bytes_per_block(tar_.get(), 0));
    const auto take = [](archive*, void* self, const void* data, size_t len) {
      std::vector<uint8_t>& out = static_cast<Packer*>(self)->out_;
      const auto* const bytes = static_cast<const uint8_t*>(data);
      out.insert(out.end(), bytes, bytes + len);
      return static_cast<la_ssize_t>(len);
    };
    check(lib_.archive_write_open(tar_.get(), this, nullptr, take, nullptr));
  }

  void run(Descriptor directory) {
    struct stat status;
    if (::fstat(directory.get(), &status) != 0) fail("", errno);
    enter(std::move(directory), status);
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.next == level.names.size()) leave();
      else add(level.names[level.next++]);
    }
    check(lib_.archive_write_close(tar_.get()));
    flush(0);
  }

 private:
  // A directory that has been entered and not left.
  struct Level {
    Descriptor directory;  // closed if it is far above the last one
    struct stat before;
    std::vector<std::string> names;
    size_t next, path_len;
  };
  static constexpr size_t kOpenLevels = 64;
  static constexpr size_t kPieceLen = size_t{1} << 17;

  struct FreeWriter {
    void operator()(archive* a) const { libarchive().archive_write_free(a); }
  };
  struct FreeEntry {
    void operator()(archive_entry* e) const { libarchive().archive_entry_free(e); }
  };

  std::string shown(const std::string& path) const { return quote_name(path.empty() ? root_ : root_ + "/" + path); }

  [[noreturn]] void fail(const std::string& path, int error) const {
    if (error == ENOENT || error == ENOTDIR || error == ELOOP) fail_changed(path);
    const std::string advice = advice_for_any_file(error, FileUse::reading);
    throw Failure(ExitCode::input, shown(path) + ": " + std::strerror(error),
                  advice.empty() ? tr("check its permissions") : advice, error);
  }

  [[noreturn]] void fail_changed(const std::string& path) const {
    throw Failure(ExitCode::input, tr("{1}: changed while it was read", shown(path)),
                  tr("run the command again when no process writes to it"));
  }

  void check(int result) const {
    if (result == ARCHIVE_OK) return;
    const char* text = lib_.archive_error_string(tar_.get());
    throw Failure(ExitCode::internal,
                  tr("{1}: tar stream: {2}", quote_name(root_), text != nullptr ? text : tr("unknown error")));
  }

  void put_header(const std::string& path, const struct stat& status, const char* symlink = nullptr,
                  const std::string* hard_link = nullptr) {
    lib_.archive_entry_clear(entry_.get());
    lib_.archive_entry_copy_stat(entry_.get(), &status);
    lib_.archive_entry_copy_pathname(entry_.get(), ("./" + path).c_str());
    if (symlink != nullptr) lib_.archive_entry_copy_symlink(entry_.get(), symlink);
    if (hard_link != nullptr) {
      lib_.archive_entry_copy_hardlink(entry_.get(), ("./" + *hard_link).c_str());
      lib_.archive_entry_set_size(entry_.get(), 0);
    }
    check(lib_.archive_write_header(tar_.get(), entry_.get()));
    write_time(&out_[out_.size() - 512], status.st_mtim.tv_sec);
    flush(kPieceLen);
  }

  // Writes what there is, if it has more than that many bytes.
  void flush(size_t most) {
    if (out_.size() <= most) return;
    if (const int error = write_all(pipe_fd_, out_.data(), out_.size())) {
      throw Failure(ExitCode::internal, tr("{1}: tar stream: {2}", quote_name(root_), std::strerror(error)));
    }
    out_.clear();
  }

  std::vector<std::string> list(int fd, const std::string& path) const {
    const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(copy < 0 ? nullptr : ::fdopendir(copy), &::closedir);
    if (!directory) {
      const int error = errno;
      if (copy >= 0) (void)::close(copy);
      fail(path, error);
    }
    std::vector<std::string> names;
    for (;;) {
      errno = 0;
      const dirent* found = ::readdir(directory.get());
      if (found == nullptr) break;
      const std::string name = found->d_name;
      if (name != "." && name != "..") names.push_back(name);
    }
    if (errno != 0) fail(path, errno);
    std::sort(names.begin(), names.end());
    return names;
  }

  // Enters the directory path_.
  void enter(Descriptor directory, const struct stat& before) {
    put_header(path_, before);
    std::vector<std::string> names = list(directory.get(), path_);
    levels_.push_back({std::move(directory), before, std::move(names), 0, path_.size()});
    if (levels_.size() > kOpenLevels) levels_[levels_.size() - 1 - kOpenLevels].directory.close();
  }

  void leave() {
    const Level left = std::move(levels_.back());
    levels_.pop_back();
    struct stat now;
    if (::fstat(left.directory.get(), &now) != 0) fail(path_, errno);
    if (!is_unchanged(left.before, now)) fail_changed(path_);
    if (levels_.empty()) return;
    Level& above = levels_.back();
    path_.resize(above.path_len);
    if (above.directory.is_open()) return;
    above.directory = Descriptor(::openat(left.directory.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!above.directory.is_open() || ::fstat(above.directory.get(), &now) != 0) fail(path_, errno);
    if (now.st_dev != above.before.st_dev || now.st_ino != above.before.st_ino) fail_changed(path_);
  }

  void add(const std::string& name) {
    const int parent = levels_.back().directory.get();
    const std::string path = path_.empty() ? name : path_ + "/" + name;
    struct stat status;
    if (::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) fail(path, errno);
    if (S_ISLNK(status.st_mode)) return add_symlink(parent, name, path, status);
    if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) {
      print_error(tr("{1}: is left out: neither a file, nor a directory, nor a link", shown(path)));
      return;
    }
    const int kind = S_ISDIR(status.st_mode) ? O_DIRECTORY : O_NONBLOCK;
    Descriptor fd(::openat(parent, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | kind));
    if (!fd.is_open() || ::fstat(fd.get(), &status) != 0) fail(path, errno);
    if (S_ISDIR(status.st_mode)) {
      path_ = path;
      return enter(std::move(fd), status);
    }
    if (!S_ISREG(status.st_mode)) fail_changed(path);
    add_file(fd.get(), path, status);
  }

  void add_symlink(int parent, const std::string& name, const std::string& path, const struct stat& status) {
    char target[PATH_MAX + 1];
    const ssize_t len = ::readlinkat(parent, name.c_str(), target, sizeof target - 1);
    if (len < 0) fail(path, errno);
    target[len] = '\0';
    if (!target_stays_inside(path, target)) {
      print_error(
          tr("{1}: leads out of the directory, to {2}: `vershina open` will make this link only with --outside-links",
             shown(path), quote_name(target)));
    }
    put_header(path, status, target);
  }

  void add_file(int fd, const std::string& path, const struct stat& before) {
    if (before.st_nlink > 1) {
      const auto [first, is_new] = seen_.try_emplace({before.st_dev, before.st_ino}, path);
      if (!is_new) return put_header(path, before, nullptr, &first->second);
    }
    put_header(path, before);
    uint64_t left = static_cast<uint64_t>(before.st_size);
    while (left > 0) {
      const size_t wanted = static_cast<size_t>(std::min<uint64_t>(left, buffer_.size()));
      const ssize_t len = ::read(fd, buffer_.data(), wanted);
      if (len < 0 && errno == EINTR) continue;
      if (len < 0) fail(path, errno);
      if (len == 0) fail_changed(path);
      if (lib_.archive_write_data(tar_.get(), buffer_.data(), static_cast<size_t>(len)) != len) check(ARCHIVE_FATAL);
      flush(kPieceLen);
      left -= static_cast<uint64_t>(len);
    }
    struct stat after;
    if (::fstat(fd, &after) != 0) fail(path, errno);
    if (!is_unchanged(before, after)) fail_changed(path);
  }

  const LibArchive& lib_ = libarchive();
  const std::string root_;
  const int pipe_fd_;
  std::vector<uint8_t> out_;  // of the stream, not yet in the pipe
  std::unique_ptr<archive, FreeWriter> tar_;
  std::unique_ptr<archive_entry, FreeEntry> entry_{lib_.archive_entry_new()};
  std::map<std::pair<dev_t, ino_t>, std::string> seen_;  // files with several names: the first of them
  std::vector<char> buffer_ = std::vector<char>(kPieceLen);
  std::vector<Level> levels_;
  std::string path_;  // of the last level, from the root
};

// Returns an empty string if the path does not exist.
std::string without_links(const std::string& path) {
  char resolved[PATH_MAX];
  return ::realpath(path.c_str(), resolved) != nullptr ? resolved : "";
}

}  // namespace

PackedDirectory::PackedDirectory(const std::string& path)
    : given_(path),
      name_(quote_name(path)),
      path_(without_links(path)),
      directory_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (given_.size() > 1 && given_.ends_with('/')) given_.pop_back();
  if (!directory_.is_open() || ::fstat(directory_.get(), &status_) != 0) {
    throw Failure(ExitCode::input, name_ + ": " + std::strerror(errno), tr("check its permissions"), errno);
  }
  (void)libarchive();
}

InputFile& PackedDirectory::stream() {
  if (stream_) return *stream_;
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) {
    throw Failure(ExitCode::internal, std::string("pipe: ") + std::strerror(errno));
  }
  stream_ = std::make_unique<InputFile>(Descriptor(fds[0]), name_);
  packer_ = try_thread([this, pipe = Descriptor(fds[1])]() mutable {
    try {
      Packer(given_, pipe.get()).run(std::move(directory_));
    } catch (...) {
      failure_ = std::current_exception();
    }
    pipe.close();
  });
  if (!packer_.joinable()) throw Failure(ExitCode::internal, tr("cannot start a thread for the tar stream"));
  return *stream_;
}

bool PackedDirectory::contains(const std::string& file) const {
  const size_t slash = file.rfind('/');
  const std::string parent = without_links(slash == std::string::npos ? "." : file.substr(0, slash + 1));
  return parent == path_ || parent.starts_with(path_ == "/" ? path_ : path_ + "/");
}

PackedDirectory::~PackedDirectory() { stream_.reset(); }  // the packer's next write fails

void PackedDirectory::finish() {
  if (packer_.joinable()) packer_.join();
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace vsh::cli

#else

namespace vsh::cli {

PackedDirectory::PackedDirectory(const std::string& path) : name_(quote_name(path)) {
  throw Failure(ExitCode::usage, tr("{1}: is a directory, and this program was built without libarchive", name_),
                tr("pack it: tar c DIRECTORY | vershina seal - -o FILE"));
}

PackedDirectory::~PackedDirectory() = default;

bool PackedDirectory::contains(const std::string&) const { return false; }

InputFile& PackedDirectory::stream() { return *stream_; }

void PackedDirectory::finish() {}

}  // namespace vsh::cli
#endif
