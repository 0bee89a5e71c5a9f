#include "cli/files/cost_file.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/files/output_file.hpp"
#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"
#include "cli/text/translate.hpp"

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
  if (path.empty()) throw Failure(ExitCode::usage, tr("there is no place for the result"), why);
  const std::string others = ::geteuid() == 0 ? directory_of_others(path) : "";
  if (others.empty()) return;
  throw Failure(ExitCode::output, tr("{1}: others may change {2}", quote_name(path), quote_name(others)),
                tr("run it as that user, or name a file of root's in VERSHINA_TUNE"));
}

void unlink(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT)
    throw Failure(ExitCode::output, quote_name(path) + ": " + std::strerror(errno), {}, errno);
}

}  // namespace

void check_cost_file(const std::string& path, const std::string& why) {
  check_directories(path, why);
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return;
  throw Failure(ExitCode::output, tr("{1}: is a symbolic link, or no file", quote_name(path)), tr("remove it first"));
}

void write_cost_file(const std::string& path, const std::string& text) {
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
  unlink(path);
}

}  // namespace vsh::cli
