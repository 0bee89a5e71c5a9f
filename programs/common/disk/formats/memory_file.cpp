#include "programs/common/disk/formats/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {
namespace {

[[noreturn]] void fail(int error) {
  throw cli::Failure(cli::ExitCode::internal, cli::tr("a file in memory: {1}", std::strerror(error)), {}, error);
}

}  // namespace

MemoryFile::MemoryFile(uint64_t size) : file_(::memfd_create("luks2-header", MFD_CLOEXEC)) {
  if (!file_.is_open() || ::ftruncate(file_.get(), static_cast<off_t>(size)) != 0) fail(errno);
}

void MemoryFile::read(std::span<uint8_t> out, uint64_t offset) const {
  for (size_t at = 0; at < out.size();) {
    const ssize_t got = ::pread(file_.get(), out.data() + at, out.size() - at, static_cast<off_t>(offset + at));
    if (got <= 0) fail(got < 0 ? errno : EIO);
    at += static_cast<size_t>(got);
  }
}

void MemoryFile::write(std::span<const uint8_t> in, uint64_t offset) const {
  for (size_t at = 0; at < in.size();) {
    const ssize_t put = ::pwrite(file_.get(), in.data() + at, in.size() - at, static_cast<off_t>(offset + at));
    if (put <= 0) fail(put < 0 ? errno : EIO);
    at += static_cast<size_t>(put);
  }
}

}  // namespace vsh::disk
