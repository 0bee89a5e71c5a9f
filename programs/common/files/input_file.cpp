#include "programs/common/files/input_file.hpp"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

std::string advice_for_reading(int error) {
  if (std::string advice = advice_for_any_file(error, FileUse::reading); !advice.empty()) return advice;
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG: return tr("check the name");
    case ENXIO: return tr("it is a socket, give a file or a pipe");
    case EACCES:
    case EPERM: return tr("check its permissions");
    case EISDIR: return tr("give a file; of all commands only `vershina seal` takes directories");
    default: return tr("give another file, or a copy of this one");
  }
}

}  // namespace

InputFile::InputFile(const std::string& name, const std::string& stdin_name)
    : name_(name == "-" ? tr(stdin_name.c_str()) : quote_name(name)) {
  if (name == "-") {
    fd_ = STDIN_FILENO;
  } else {
    owned_ = Descriptor(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    fd_ = owned_.get();
    if (fd_ < 0) fail(errno);
  }
  begin();
}

InputFile::InputFile(int directory, const std::string& base, std::string name) : name_(std::move(name)) {
  constexpr int kHow = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK;
  owned_ = Descriptor(::openat(directory, base.c_str(), kHow));
  fd_ = owned_.get();
  const auto fail_changed = [&](int error) {
    throw Failure(ExitCode::input, tr("{1}: was replaced by something else while the directory was read", name_),
                  tr("run again when no process writes to it"), error);
  };
  if (fd_ < 0 && (errno == ELOOP || errno == ENXIO)) fail_changed(errno);  // a link, a socket
  if (fd_ < 0) fail(errno);
  begin();
  if (!is_regular()) fail_changed(EINVAL);
}

InputFile::InputFile(Descriptor file, std::string name)
    : name_(std::move(name)), owned_(std::move(file)), fd_(owned_.get()) {
  begin();
}

void InputFile::begin() {
  if (::fstat(fd_, &status_) != 0) fail(errno);
  if (S_ISDIR(status_.st_mode)) fail(EISDIR);
  if (S_ISREG(status_.st_mode)) {
    const off_t offset = ::lseek(fd_, 0, SEEK_CUR);
    if (offset > 0) start_ = position_ = static_cast<uint64_t>(offset);
#ifdef POSIX_FADV_SEQUENTIAL
    (void)::posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
  }
#ifdef F_SETPIPE_SZ
  if (S_ISFIFO(status_.st_mode)) (void)::fcntl(fd_, F_SETPIPE_SZ, 1 << 20);  // fewer switches; a refusal is harmless
#endif
}

void InputFile::rewind() {
  if (::lseek(fd_, static_cast<off_t>(start_), SEEK_SET) < 0) fail(errno);
  position_ = start_;
  unread_.clear();
}

void InputFile::fail(int error) const {
  throw Failure(ExitCode::input, name_ + ": " + std::strerror(error), advice_for_reading(error), error);
}

void InputFile::throw_shorter() const {
  throw Failure(ExitCode::input, tr("{1}: the file became shorter while it was read", name_),
                tr("run again when it is complete"), EIO);
}

// /proc and /sys show sizes that differ from the content, so a short read is not proof by itself.
void InputFile::check_not_truncated() const {
  if (!S_ISREG(status_.st_mode) || position_ >= static_cast<uint64_t>(status_.st_size)) return;
  struct stat now;
  if (::fstat(fd_, &now) != 0) fail(errno);
  if (now.st_size < status_.st_size) throw_shorter();
}

// Times in /proc and /sys are not those of the content, and sizes are not known.
void InputFile::check_unchanged() const {
  if (!S_ISREG(status_.st_mode)) return;
  struct stat now;
  if (::fstat(fd_, &now) != 0) fail(errno);
  const bool has_other_time =
      now.st_mtim.tv_sec != status_.st_mtim.tv_sec || now.st_mtim.tv_nsec != status_.st_mtim.tv_nsec;
  if (now.st_size != status_.st_size || (now.st_size != 0 && has_other_time)) {
    throw Failure(ExitCode::input, tr("{1}: the file changed while it was read", name_),
                  tr("run again when no process writes to it"));
  }
}

size_t InputFile::read(std::span<uint8_t> out, int wake_fd) {
  if (!unread_.empty()) {
    const size_t len = std::min(out.size(), unread_.size());
    std::copy_n(unread_.begin(), len, out.begin());
    unread_.erase(unread_.begin(), unread_.begin() + static_cast<std::ptrdiff_t>(len));
    return len;
  }
  for (;;) {
    if (wake_fd >= 0 && !S_ISREG(status_.st_mode)) {
      pollfd fds[2] = {{fd_, POLLIN, 0}, {wake_fd, POLLIN, 0}};
      if (::poll(fds, 2, -1) < 0 && errno != EINTR) fail(errno);
      if (fds[1].revents != 0) return 0;
      if (fds[0].revents == 0) continue;
    }
    const ssize_t len = ::read(fd_, out.data(), out.size());
    if (len < 0 && errno == EINTR) continue;
    if (len < 0) fail(errno);
    if (len == 0) check_not_truncated();
    position_ += static_cast<uint64_t>(len);
    return static_cast<size_t>(len);
  }
}

size_t InputFile::read_all(std::span<uint8_t> out) {
  size_t len = 0;
  while (len < out.size()) {
    const size_t got = read(out.subspan(len));
    if (got == 0) break;
    len += got;
  }
  return len;
}

void InputFile::read_at(std::span<uint8_t> out, uint64_t offset) const {
  for (size_t done = 0; done < out.size();) {
    const ssize_t len = ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (len < 0 && errno == EINTR) continue;
    if (len < 0) fail(errno);
    if (len == 0) throw_shorter();
    done += static_cast<size_t>(len);
  }
}

bool InputFile::is_ready() const {
  if (S_ISREG(status_.st_mode) || !unread_.empty()) return true;
  pollfd fds = {fd_, POLLIN, 0};
  return ::poll(&fds, 1, 0) > 0;
}

std::optional<uint64_t> InputFile::remaining_at_open() const {
  if (!S_ISREG(status_.st_mode) || status_.st_size <= 0) return std::nullopt;
  const auto size = static_cast<uint64_t>(status_.st_size);
  return (size > position_ ? size - position_ : 0) + unread_.size();
}

}  // namespace vsh::cli
