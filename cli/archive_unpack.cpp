#include "archive_unpack.hpp"

#include "failure.hpp"
#include "text.hpp"

#if VSH_WITH_ARCHIVE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "archive_path.hpp"
#include "final_name.hpp"
#include "libarchive.hpp"
#include "output_file.hpp"
#include "remove_tree.hpp"
#include "try_thread.hpp"

namespace vsh::cli {
namespace {

// Reads a tar stream from a pipe into the current directory, which is new and empty.
class Unpacker {
 public:
  Unpacker(int pipe_fd, std::string name, bool outside_links)
      : pipe_fd_(pipe_fd), name_(std::move(name)), outside_links_(outside_links) {
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
    check_disk(lib_.archive_write_close(disk_.get()), "");  // gives directories their permissions and times
    set_root();
    drain();
  }

 private:
  struct FreeReader {
    void operator()(archive* a) const { libarchive().archive_read_free(a); }
  };
  struct FreeWriter {
    void operator()(archive* a) const { libarchive().archive_write_free(a); }
  };

  // An interruption is removing everything, and ends the program: nothing is added any more.
  static void stop_when_interrupted() {
    while (is_interrupted()) ::pause();
  }

  std::string error_text(archive* a) const {
    const char* text = lib_.archive_error_string(a);
    return text != nullptr ? text : "unknown error";
  }

  void check_tar(int result) const {
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN) return;
    throw Failure(ExitCode::data, name_ + ": the tar stream in it is wrong: " + error_text(tar_.get()));
  }

  void check_disk(int result, const std::string& path) const {
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN) return;  // a warning: a time or an owner could not be set
    const std::string shown = path.empty() ? name_ : name_ + ": " + quote_name(path);
    const int error = lib_.archive_errno(disk_.get());
    if (error > 0) throw output_failure(shown, error);
    throw Failure(ExitCode::data, shown + ": " + error_text(disk_.get()));
  }

  [[noreturn]] void refuse(const char* path, const std::string& problem, const std::string& advice = {}) const {
    throw Failure(ExitCode::data, name_ + ": refused to unpack " + quote_name(path) + ": " + problem,
                  advice.empty() ? "do not trust who made this file; -o - gives the tar stream itself" : advice);
  }

  void unpack(archive_entry* entry) {
    stop_when_interrupted();
    const char* given = lib_.archive_entry_pathname(entry);
    if (given == nullptr) refuse("", "an entry without a name");
    const auto path = inside_path(given);
    if (!path) refuse(given, "an absolute path, or one with '..'");
    const char* hard_link = lib_.archive_entry_hardlink(entry);
    const auto type = lib_.archive_entry_filetype(entry);
    if (path->empty()) {
      if (hard_link != nullptr || type != AE_IFDIR) refuse(given, "it is no directory");
      root_mode_ = lib_.archive_entry_perm(entry) & 0777;
      root_time_ = lib_.archive_entry_mtime(entry);
      return;
    }
    check_way(given, *path);
    if (hard_link != nullptr) {
      check_hard_link(entry, given, hard_link);
    } else if (type == AE_IFLNK) {
      check_symlink(given, *path, lib_.archive_entry_symlink(entry));
    } else if (type != AE_IFREG && type != AE_IFDIR) {
      refuse(given, "neither a file, nor a directory, nor a link");
    }
    struct stat there;
    if (::lstat(path->c_str(), &there) == 0 && !(S_ISDIR(there.st_mode) && type == AE_IFDIR)) {
      refuse(given, "its name is there already");
    }
    lib_.archive_entry_copy_pathname(entry, path->c_str());
    lib_.archive_entry_set_perm(entry, lib_.archive_entry_perm(entry) & 0777);
    check_disk(lib_.archive_write_header(disk_.get(), entry), *path);
    if (hard_link == nullptr && type == AE_IFREG) copy_data(*path);
  }

  // Whatever of the way to `path` is there already must be a directory. (libarchive refuses links there, too.)
  void check_way(const char* given, const std::string& path) const {
    for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      const std::string above = path.substr(0, slash);
      struct stat status;
      if (::lstat(above.c_str(), &status) != 0) return;
      if (!S_ISDIR(status.st_mode)) refuse(given, quote_name(above) + " is no directory");
    }
  }

  void check_symlink(const char* given, const std::string& path, const char* target) const {
    if (target == nullptr) refuse(given, "a link to nothing");
    if (outside_links_ || target_stays_inside(path, target)) return;
    refuse(given, "a symbolic link that leads out of the directory, to " + quote_name(target),
           "allow such links with --outside-links");
  }

  // A hard link to a symbolic link would move that to where it leads elsewhere.
  void check_hard_link(archive_entry* entry, const char* given, const char* target) const {
    const auto inside = inside_path(target);
    struct stat status;
    if (inside) check_way(given, *inside);
    if (!inside || inside->empty() || ::lstat(inside->c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
      refuse(given, "a hard link to " + quote_name(target) + ", which is no file of this directory");
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
      stop_when_interrupted();
      const auto written = lib_.archive_write_data_block(disk_.get(), data, len, offset);
      if (written < 0) check_disk(static_cast<int>(written), path);
    }
  }

  void set_root() const {
    const timespec time = {root_time_, root_time_ == 0 ? UTIME_OMIT : 0};
    const timespec times[2] = {time, time};
    (void)!::utimensat(AT_FDCWD, ".", times, 0);
    if (::chmod(".", root_mode_) != 0) throw output_failure(name_, errno);
  }

  // What follows the end of the tar stream is padding; whoever writes it shall not meet a closed pipe.
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
  std::unique_ptr<archive, FreeReader> tar_{lib_.archive_read_new()};
  std::unique_ptr<archive, FreeWriter> disk_{lib_.archive_write_disk_new()};
  mode_t root_mode_ = 0700;  // where the stream does not name it
  time_t root_time_ = 0;
};

// Where the directory itself will be: its parent with a slash at the end, and its own name.
std::pair<std::string, std::string> split_final(std::string path, const std::string& shown) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const size_t slash = path.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string last = slash == std::string::npos ? path : path.substr(slash + 1);
  if (last.empty() || last == "." || last == "..") {
    throw output_failure(shown, EEXIST, "name a new directory with -o");
  }
  char resolved[PATH_MAX];
  if (::realpath(parent.c_str(), resolved) == nullptr) throw output_failure(shown, errno);
  std::string absolute = resolved;
  if (!absolute.ends_with('/')) absolute += '/';
  return {absolute, last};
}

}  // namespace

UnpackedDirectory::UnpackedDirectory(const std::string& name, bool outside_links) : name_(quote_name(name)) {
  (void)libarchive();
  std::string last;
  std::tie(parent_, last) = split_final(name, name_);
  final_path_ = parent_ + last;
  struct stat status;
  if (::lstat(final_path_.c_str(), &status) == 0) {
    throw Failure(ExitCode::output, name_ + ": exists already", "choose another name with -o, or remove it first",
                  EEXIST);
  }
  create_temporary();
  int fds[2];
  previous_directory_ = Descriptor(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  temporary_fd_ = Descriptor(::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  int error = 0;
  if (!temporary_fd_.is_open() || ::fchdir(temporary_fd_.get()) != 0 || ::pipe2(fds, O_CLOEXEC) != 0) error = errno;
  if (error == 0) {
    pipe_ = Descriptor(fds[1]);
    unpacker_ = try_thread([this, outside_links, pipe = Descriptor(fds[0])]() mutable {
      try {
        Unpacker(pipe.get(), name_, outside_links).run();
      } catch (...) {
        failure_ = std::current_exception();
      }
      pipe.close();
    });
    if (!unpacker_.joinable()) error = EAGAIN;
  }
  if (error != 0) {
    (void)remove_tree(temporary_.c_str());
    throw output_failure(name_, error);
  }
}

void UnpackedDirectory::create_temporary() {
  int error = EEXIST;
  for (int attempt = 0; attempt < 100 && error == EEXIST; ++attempt) {
    temporary_ = random_temporary(parent_);
    if (temporary_.empty()) throw output_failure(name_, errno);
    guard_ = std::make_unique<InterruptGuard>(
        temporary_, "vershina: interrupted: " + name_ + " was not written; run the command again\n");
    if (::mkdir(temporary_.c_str(), 0700) == 0) return;
    error = errno;
    guard_.reset();
  }
  throw output_failure(name_, error);
}

UnpackedDirectory::~UnpackedDirectory() {
  pipe_.close();
  if (unpacker_.joinable()) unpacker_.join();
  if (!temporary_.empty()) (void)remove_tree(temporary_.c_str());
  if (previous_directory_.is_open()) (void)!::fchdir(previous_directory_.get());
}

void UnpackedDirectory::write(std::span<const uint8_t> data) {
  const int error = write_all(pipe_.get(), data.data(), data.size());
  if (error == EPIPE) finish();
  if (error != 0) throw output_failure(name_, error);
}

void UnpackedDirectory::finish() {
  pipe_.close();
  if (unpacker_.joinable()) unpacker_.join();
  if (failure_) std::rethrow_exception(failure_);
}

void UnpackedDirectory::commit() {
  finish();
  if (::syncfs(temporary_fd_.get()) != 0) throw output_failure(name_, errno);
  rename_to_final();
  if (const int error = sync_directory(parent_)) {
    throw output_failure(name_, error, "the directory is complete, but may not survive a power failure");
  }
}

void UnpackedDirectory::rename_to_final() {
  const auto rename = [](void* context) {
    const auto* self = static_cast<UnpackedDirectory*>(context);
    return rename_to_new(self->temporary_.c_str(), self->final_path_.c_str());
  };
  const int error = guard_->commit(rename, this);
  if (error == EEXIST) {
    throw Failure(ExitCode::output, name_ + ": somebody made this name meanwhile", "choose another name with -o",
                  error);
  }
  if (error != 0) throw output_failure(name_, error);
  temporary_.clear();
  guard_.reset();
}

}  // namespace vsh::cli

#else

namespace vsh::cli {

UnpackedDirectory::UnpackedDirectory(const std::string& name, bool) : name_(quote_name(name)) {
  throw Failure(ExitCode::usage, name_ + ": this is a directory, and this program was built without libarchive",
                "unpack it with tar: -o - gives the tar stream");
}

UnpackedDirectory::~UnpackedDirectory() = default;

void UnpackedDirectory::write(std::span<const uint8_t>) {}

void UnpackedDirectory::commit() {}

}  // namespace vsh::cli
#endif
