#include "programs/vershina/files/archive_unpack.hpp"

#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"

#if VSH_WITH_ARCHIVE
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "programs/common/files/final_name.hpp"
#include "programs/common/files/output_file.hpp"
#include "programs/common/system/remove_tree.hpp"
#include "programs/common/system/try_thread.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/vershina/files/libarchive.hpp"
#include "programs/vershina/files/tar_unpacker.hpp"

namespace vsh::cli {
namespace {

// Returns the directory's parent with a slash at the end, and its own name.
std::pair<std::string, std::string> split_final(std::string path, const std::string& shown) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const size_t slash = path.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string last = slash == std::string::npos ? path : path.substr(slash + 1);
  if (last.empty() || last == "." || last == "..") {
    throw output_failure(shown, EEXIST, tr("name a new directory with -o"));
  }
  char resolved[PATH_MAX];
  if (::realpath(parent.c_str(), resolved) == nullptr) throw output_failure(shown, errno);
  std::string absolute = resolved;
  if (!absolute.ends_with('/')) absolute += '/';
  return {absolute, last};
}

}  // namespace

void UnpackedDirectory::check_name(const std::string& name) {
  const auto [parent, last] = split_final(name, quote_name(name));
  struct stat status;
  if (::lstat((parent + last).c_str(), &status) != 0) return;
  throw Failure(ExitCode::output, tr("{1}: exists already", quote_name(name)),
                tr("choose another name with -o, or remove it first"), EEXIST);
}

UnpackedDirectory::UnpackedDirectory(const std::string& name, bool outside_links, bool all_permissions)
    : name_(quote_name(name)) {
  (void)libarchive();
  check_name(name);
  std::string last;
  std::tie(parent_, last) = split_final(name, name_);
  final_path_ = parent_ + last;
  create_temporary();
  int fds[2];
  previous_directory_ = Descriptor(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));  // also where it cannot be listed
  temporary_fd_ = Descriptor(::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  int error = 0;
  if (!previous_directory_.is_open() || !temporary_fd_.is_open() || ::fchdir(temporary_fd_.get()) != 0 ||
      ::pipe2(fds, O_CLOEXEC) != 0) {
    error = errno;
  }
  if (error == 0) {
    pipe_ = Descriptor(fds[1]);
    const mode_t mask = all_permissions || ::geteuid() == 0 ? 0 : current_umask();  // as tar does
    unpacker_ = try_thread([this, outside_links, mask, pipe = Descriptor(fds[0])]() mutable {
      try {
        unpack_tar(pipe.get(), name_, outside_links, mask);
      } catch (...) {
        failure_ = std::current_exception();
      }
      pipe.close();
    });
    if (!unpacker_.joinable()) error = EAGAIN;
  }
  if (error != 0) {
    const InterruptHold hold;
    (void)remove_tree(temporary_.c_str());
    if (previous_directory_.is_open()) (void)!::fchdir(previous_directory_.get());
    throw output_failure(name_, error);
  }
}

void UnpackedDirectory::create_temporary() {
  int error = EEXIST;
  for (int attempt = 0; attempt < 100 && error == EEXIST; ++attempt) {
    temporary_ = random_temporary(parent_);
    if (temporary_.empty()) throw output_failure(name_, errno);
    const InterruptHold hold;
    error = ::mkdir(temporary_.c_str(), 0700) == 0 ? 0 : errno;
    if (error != 0) continue;
    guard_ = std::make_unique<InterruptGuard>(hold, temporary_, tr("interrupted: {1} was not written", name_));
    return;
  }
  throw output_failure(name_, error);
}

UnpackedDirectory::~UnpackedDirectory() {
  pipe_.close();
  if (unpacker_.joinable()) unpacker_.join();
  if (!temporary_.empty()) {
    const InterruptHold hold;
    (void)remove_tree(temporary_.c_str());
  }
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
    throw output_failure(name_, error, tr("the directory is complete, but may not survive a power failure"));
  }
}

void UnpackedDirectory::rename_to_final() {
  const int error = guard_->commit([&] { return rename_to_new(temporary_.c_str(), final_path_.c_str()); });
  if (error == EEXIST) {
    throw Failure(ExitCode::output, tr("{1}: this name has been created in the meantime", name_),
                  tr("choose another name with -o"), error);
  }
  if (error != 0) throw output_failure(name_, error);
  temporary_.clear();
  guard_.reset();
}

}  // namespace vsh::cli

#else

namespace vsh::cli {

UnpackedDirectory::UnpackedDirectory(const std::string& name, bool) { check_name(name); }

void UnpackedDirectory::check_name(const std::string& name) {
  throw Failure(ExitCode::usage,
                tr("{1}: this is a directory, and this program was built without libarchive", quote_name(name)),
                tr("unpack it with tar: -o - gives the tar stream"));
}

UnpackedDirectory::~UnpackedDirectory() = default;

void UnpackedDirectory::write(std::span<const uint8_t>) {}

void UnpackedDirectory::commit() {}

}  // namespace vsh::cli
#endif
