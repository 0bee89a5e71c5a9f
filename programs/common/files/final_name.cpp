#include "programs/common/files/final_name.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "programs/common/system/descriptor_path.hpp"
#include "programs/common/text/hex.hpp"

namespace vsh::cli {
namespace {

bool leads_to(const char* name, int file) {
  struct stat named, open;
  return ::lstat(name, &named) == 0 && ::fstat(file, &open) == 0 && is_same_file(named, open);
}

}  // namespace

std::string random_temporary(const std::string& directory) {
  uint8_t random[4];
  if (::getrandom(random, sizeof random, 0) != sizeof random) return {};
  return directory + ".vershina-" + encode_hex(random) + ".tmp";
}

int rename_to_new(const char* from, const char* to) {
#ifdef RENAME_NOREPLACE
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return errno;
#endif
  if (::link(from, to) == 0) return ::unlink(from) == 0 ? 0 : errno;
  if (errno == EEXIST) return errno;
  struct stat status;  // a directory, or a file system without hard links: the last resort leaves a small gap
  if (::lstat(to, &status) == 0) return EEXIST;
  return ::rename(from, to) == 0 ? 0 : errno;
}

int name_file(int file, const char* from, const char* to, bool replaces) {
  if (!replaces) {
    if (::linkat(AT_FDCWD, path_of(file).c_str(), AT_FDCWD, to, AT_SYMLINK_FOLLOW) == 0) {
      if (leads_to(from, file)) (void)::unlink(from);
      return 0;
    }
    if (errno == EEXIST) return errno;  // otherwise without /proc, or on a file system without hard links
  }
  if (!leads_to(from, file)) return ESTALE;
  const int error = !replaces ? rename_to_new(from, to) : ::rename(from, to) == 0 ? 0 : errno;
  return error != 0 || leads_to(to, file) ? error : ESTALE;
}

int sync_directory(const std::string& directory) {
  const Descriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) return 0;
  return ::fsync(fd.get()) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

}  // namespace vsh::cli
