#include "cli/system/installation.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "cli/system/own_file.hpp"
#include "cli/text/text.hpp"

namespace vsh::cli {
namespace {

constexpr int kFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;

// Whoever may change this program need not plant a file beside it.
std::string why_not_trusted(struct stat status) {
  struct stat self {};
  if (::stat("/proc/self/exe", &self) == 0) {
    if (status.st_uid == self.st_uid) status.st_uid = ::geteuid();
    status.st_mode &= ~(self.st_mode & S_IWOTH);
    if (status.st_gid == self.st_gid) status.st_mode &= ~(self.st_mode & S_IWGRP);
  }
  return why_not_own(status, kRightToWrite);
}

Installed file_in(const Descriptor& folder, const std::string& shown, const std::string& file, std::string* why) {
  struct stat status {};
  if (!folder.is_open() || ::fstatat(folder.get(), file.c_str(), &status, 0) != 0 || !S_ISREG(status.st_mode))
    return {};
  Installed found;
  found.name = shown + "/" + file;
  if (std::string reason = why ? why_not_trusted(status) : ""; !reason.empty()) {
    *why = quote_name(found.name) + ": " + reason;
    return {};
  }
  found.folder = Descriptor(::fcntl(folder.get(), F_DUPFD_CLOEXEC, 3));
  found.path = path_of(found.folder) + "/" + file;
  return found;
}

}  // namespace

void Installed::keep_open() const { (void)::fcntl(folder.get(), F_SETFD, 0); }

Installed find_from_program(const std::string& from_program, const std::string& file, std::string* why) {
  std::string ignored;
  if (!why) why = &ignored;
  std::error_code error;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (!path.is_absolute()) return {};
  Descriptor folder(::open(path.c_str(), kFolder));
  std::string reason;
  const auto look = [&] {
    struct stat status {};
    if (folder.is_open() && ::fstat(folder.get(), &status) == 0 && reason.empty())
      if (const std::string found = why_not_trusted(status); !found.empty())
        reason = quote_name(path.lexically_normal().string()) + ": " + found;
  };
  look();
  for (const auto& part : std::filesystem::path(from_program)) {
    if (part == "." || part.empty()) continue;
    path /= part;
    folder = Descriptor(::openat(folder.get(), part.c_str(), kFolder));
    look();
  }
  Installed found = file_in(folder, path.lexically_normal().string(), file, why);
  if (!found || reason.empty()) return found;
  *why = reason;
  return {};
}

Installed find_installed(const std::string& folder, const std::string& file) {
  return file_in(Descriptor(::open(folder.c_str(), kFolder)), folder, file, nullptr);
}

}  // namespace vsh::cli
