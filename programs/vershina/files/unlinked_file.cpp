#include "programs/vershina/files/unlinked_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "programs/common/system/environment.hpp"
#include "programs/common/system/interrupt.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

// Opens a file without a name; if the file system has none, one whose name is removed at once. Returns -1 with errno
// set on failure.
int open_unnamed(const std::string& directory) {
#ifdef O_TMPFILE
  const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
#endif
  std::string name = directory + "/vershina-XXXXXX";
  const InterruptHold hold;
  const int named = ::mkostemp(name.data(), O_CLOEXEC);  // mode 0600
  if (named >= 0) (void)::unlink(name.c_str());
  return named;
}

}  // namespace

PrivateFile::PrivateFile() {
  directory_ = environment("TMPDIR");
  if (directory_.empty()) directory_ = "/tmp";
  fd_ = Descriptor(open_unnamed(directory_));
  if (fd_.is_open()) return;
  throw Failure(ExitCode::output, tr("temporary file in {1}", quote_name(directory_)) + ": " + std::strerror(errno),
                tr("name a directory that you may write to in TMPDIR"), errno);
}

void PrivateFile::write(std::span<const uint8_t> data) {
  const int error = write_all(fd_.get(), data.data(), data.size());
  if (error != 0) throw_write_failure(tr("temporary file in {1}", quote_name(directory_)), error);
}

InputFile PrivateFile::read_back(const std::string& name) && {
  if (::lseek(fd_.get(), 0, SEEK_SET) < 0)
    throw_write_failure(tr("temporary file in {1}", quote_name(directory_)), errno);
  return InputFile(std::move(fd_), name);
}

}  // namespace vsh::cli
