#include "gpu/programs/cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "core/decimal.hpp"
#include "core/own_file.hpp"
#include "core/user_cache.hpp"
#include "gpu/programs/file.hpp"

namespace vsh::gpu {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

// Opens the folder; creates it if missing and `make`.
Descriptor open_directory(bool make) {
  const std::string path = program_directory();
  if (path.empty()) return Descriptor(-1);
  if (make) {
    for (size_t slash = path.find('/', 1); slash != path.npos; slash = path.find('/', slash + 1))
      ::mkdir(path.substr(0, slash).c_str(), 0700);
    ::mkdir(path.c_str(), 0700);
  }
  Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!directory || ::fstat(directory.get(), &status) != 0 || !is_own(status)) return Descriptor(-1);
  return directory;
}

// Returns the content of a file that is_own() accepts; empty otherwise. Never blocks, not even on a pipe or a terminal.
std::vector<uint8_t> read_file(const Descriptor& directory, const std::string& name) {
  const Descriptor file(
      ::openat(directory.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || !is_own(status)) return {};
  if (status.st_size <= 0 || static_cast<uint64_t>(status.st_size) > kMaxProgramLen) return {};
  std::vector<uint8_t> content(static_cast<size_t>(status.st_size));
  size_t len = 0;
  while (len < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + len, content.size() - len);
    if (got > 0) len += static_cast<size_t>(got);
    else if (got == 0 || errno != EINTR) return {};
  }
  ::futimens(file.get(), nullptr);  // marks it as used now
  return content;
}

bool write_all(const Descriptor& file, std::span<const uint8_t> content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written > 0) content = content.subspan(static_cast<size_t>(written));
    else if (written == 0 || errno != EINTR) return false;
  }
  return true;
}

// Writes to a temporary name first: a reader sees all of a file or none.
void write_file(const Descriptor& directory, const std::string& name, std::span<const uint8_t> content) {
  static std::atomic<unsigned> number = 0;
  const std::string temporary = name + "." + decimal(::getpid()) + "." + decimal(number++);
  const Descriptor file(
      ::openat(directory.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return;
  if (!write_all(file, content) || ::renameat(directory.get(), temporary.c_str(), directory.get(), name.c_str()) != 0)
    ::unlinkat(directory.get(), temporary.c_str(), 0);
}

// Removes the least recently used files, and those left by a process killed while writing.
void keep_bounds(const Descriptor& directory) {
  struct File {
    std::string name;
    timespec used;
    uint64_t len;
  };
  Descriptor copy(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* const listing = copy ? ::fdopendir(copy.get()) : nullptr;
  if (!listing) return;
  copy.release();
  std::vector<File> files;
  uint64_t total = 0;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string name = entry->d_name;
    struct stat status {};
    if (name.find(".program") == name.npos) continue;
    if (::fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    files.push_back({name, status.st_mtim, static_cast<uint64_t>(status.st_size)});
    total += files.back().len;
  }
  ::closedir(listing);
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (size_t i = 0; i < files.size() && total > kMaxProgramsLen; ++i)
    if (::unlinkat(directory.get(), files[i].name.c_str(), 0) == 0) total -= files[i].len;
}

}  // namespace

std::string program_directory() {
  const std::string_view named = environment("VERSHINA_DEVICE_PROGRAMS");
  if (!named.empty()) return named.starts_with('/') ? std::string(named) : "";
  const std::string caches = user_cache_directory();
  return caches.empty() ? "" : caches + "/programs";
}

std::vector<uint8_t> read_program(const ProgramRequest& request, std::string_view compiler) noexcept {
  try {
    const Descriptor directory = open_directory(false);
    const auto file = directory ? program_file(request) : std::nullopt;
    if (!file) return {};
    const std::vector<uint8_t> content = read_file(directory, file->name);
    const std::span<const uint8_t> binary = parse_program(content, *file, compiler);
    return {binary.begin(), binary.end()};
  } catch (...) {  // no memory: as if there were no file
    return {};
  }
}

void write_program(const ProgramRequest& request, std::string_view compiler, std::span<const uint8_t> binary) noexcept {
  try {
    if (binary.empty() || binary.size() > kMaxProgramLen / 2) return;
    const Descriptor directory = open_directory(true);
    const auto file = directory ? program_file(request) : std::nullopt;
    if (!file) return;
    write_file(directory, file->name, format_program(*file, compiler, binary));
    keep_bounds(directory);
  } catch (...) {  // the next process compiles it once more
  }
}

}  // namespace vsh::gpu
