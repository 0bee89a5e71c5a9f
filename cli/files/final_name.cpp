#include "cli/files/final_name.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "cli/system/descriptor.hpp"
#include "cli/text/hex.hpp"

namespace vsh::cli {

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

int sync_directory(const std::string& directory) {
  const Descriptor fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) return 0;
  return ::fsync(fd.get()) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

}  // namespace vsh::cli
