#include "programs/tomo/commands/room.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "programs/common/files/output_file.hpp"
#include "programs/common/system/progress.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#include "programs/tomo/formats/folder.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

std::string bytes_text(uint64_t bytes) { return cli::format_bytes(static_cast<double>(bytes)); }

}  // namespace

void check_disk(const std::string& path, uint64_t bytes) {
  struct stat status {};
  if (cli::is_standard_output(path)) return;
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return;
  const std::string parent = split_path(path).first, name = cli::quote_name(path);
  struct statvfs disk {};
  if (::statvfs(parent.c_str(), &disk) != 0 || ::access(parent.c_str(), W_OK) != 0)
    throw cli::output_failure(name, errno);
  const uint64_t room = static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (bytes <= room) return;
  throw Failure(ExitCode::output,
                tr("{1}: {2} are needed, and the disk has {3}", name, bytes_text(bytes), bytes_text(room)),
                tr("make room, choose another disk, or a smaller part"), ENOSPC);
}

}  // namespace vsh::tomo
