#include "programs/common/system/installation.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "programs/common/system/own_file.hpp"
#include "programs/common/text/text.hpp"

namespace vsh::cli {
namespace {

constexpr int kFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;

// Someone who may change this program, or replace it in its folder, need not plant a file next to it.
std::string why_not_trusted(struct stat status, const struct stat& own_folder) {
  struct stat self {};
  (void)::stat("/proc/self/exe", &self);
  for (const struct stat& own : {self, own_folder}) {
    if (status.st_uid == own.st_uid) status.st_uid = ::geteuid();
    if (S_ISDIR(own.st_mode) && (own.st_mode & S_ISVTX) != 0) continue;  // all may write there, and replace nothing
    status.st_mode &= ~(own.st_mode & S_IWOTH);
    if (status.st_gid == own.st_gid) status.st_mode &= ~(own.st_mode & S_IWGRP);
  }
  return why_not_own(status, kRightToWrite);
}

// own_folder: null where it does not matter who may write there.
Installed file_in(const Descriptor& folder, const std::string& shown, const std::string& file,
                  const struct stat* own_folder = nullptr, std::string* why = nullptr) {
  struct stat status {};
  if (!folder.is_open() || ::fstatat(folder.get(), file.c_str(), &status, 0) != 0 || !S_ISREG(status.st_mode))
    return {};
  Installed found;
  found.name = shown + "/" + file;
  if (std::string reason = own_folder ? why_not_trusted(status, *own_folder) : ""; !reason.empty()) {
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
  struct stat own_folder {};
  if (!folder.is_open() || ::fstat(folder.get(), &own_folder) != 0) return {};
  std::string reason;
  const auto look = [&] {
    struct stat status {};
    if (folder.is_open() && ::fstat(folder.get(), &status) == 0 && reason.empty())
      if (const std::string found = why_not_trusted(status, own_folder); !found.empty())
        reason = quote_name(path.lexically_normal().string()) + ": " + found;
  };
  look();
  for (const auto& part : std::filesystem::path(from_program)) {
    if (part == "." || part.empty()) continue;
    path /= part;
    folder = Descriptor(::openat(folder.get(), part.c_str(), kFolder));
    look();
  }
  Installed found = file_in(folder, path.lexically_normal().string(), file, &own_folder, why);
  if (!found || reason.empty()) return found;
  *why = reason;
  return {};
}

Installed find_installed(const std::string& folder, const std::string& file) {
  return file_in(Descriptor(::open(folder.c_str(), kFolder)), folder, file);
}

}  // namespace vsh::cli
