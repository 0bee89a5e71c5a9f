#include "programs/common/files/cost_file.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "programs/common/files/output_file.hpp"
#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {
namespace {

// Returns the first directory in `path` that others than root can change; empty if there is none.
std::string directory_of_others(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string directory = path.substr(0, slash);
    struct stat status;
    if (::lstat(directory.c_str(), &status) != 0) return {};  // it will be created
    if (status.st_uid != 0) return directory;
    if (S_ISLNK(status.st_mode)) {
      char resolved[PATH_MAX];
      if (::realpath(directory.c_str(), resolved) == nullptr) return directory;
      const std::string behind = directory_of_others(std::string(resolved) + "/");
      if (!behind.empty()) return behind;
      continue;
    }
    const bool group_may = (status.st_mode & S_IWGRP) != 0 && status.st_gid != 0;
    if ((group_may || (status.st_mode & S_IWOTH) != 0) && (status.st_mode & S_ISVTX) == 0) return directory;
  }
  return {};
}

void check_directories(const std::string& path, const std::string& why) {
  if (path.empty())
    throw Failure(ExitCode::usage, why, tr("set HOME or XDG_CACHE_HOME, or name the file in VERSHINA_TUNE"));
  const std::string others = ::geteuid() == 0 ? directory_of_others(path) : "";
  if (others.empty()) return;
  throw Failure(ExitCode::output, tr("{1}: others may change {2}", quote_name(path), quote_name(others)),
                tr("run it as that user, or name a file of root's in VERSHINA_TUNE"));
}

[[noreturn]] void fail(const std::string& path) {
  throw Failure(ExitCode::output, quote_name(path) + ": " + std::strerror(errno), {}, errno);
}

void unlink(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail(path);
}

// Throws if the file is something else, or cannot be read: a user who named it in VERSHINA_TUNE by mistake would
// lose it.
void refuse_other_content(const std::string& path) {
  constexpr std::string_view kMagic = "vershina-tune ";  // of any version
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.is_open() && (errno == ENOENT || errno == ELOOP)) return;  // none, or a link: refused, or only unlinked
  char begin[kMagic.size()];
  const ssize_t len = file.is_open() ? ::read(file.get(), begin, sizeof begin) : -1;
  if (len < 0) fail(path);
  if (len == 0 || std::string_view(begin, static_cast<size_t>(len)) == kMagic) return;
  throw Failure(ExitCode::output, tr("{1}: is not a file of measured costs and is left as it is", quote_name(path)),
                tr("name another file in VERSHINA_TUNE, or remove this one"));
}

}  // namespace

void check_cost_file(const std::string& path, const std::string& why) {
  check_directories(path, why);
  refuse_other_content(path);
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  throw Failure(ExitCode::output, tr("{1}: is a symbolic link or not a regular file", quote_name(path)),
                tr("remove it first"));
}

void write_cost_file(const std::string& path, const std::string& text) {
  refuse_other_content(path);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) throw Failure(ExitCode::output, tr("{1}: its directory: {2}", quote_name(path), error.message()));
  unlink(path);
  ::umask(current_umask() | S_IWGRP | S_IWOTH);
  OutputFile file(path, false, OutputFile::Content::any, {});
  file.write({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  file.commit();
}

void remove_cost_file(const std::string& path, const std::string& why) {
  check_directories(path, why);
  refuse_other_content(path);
  unlink(path);
}

}  // namespace vsh::cli
