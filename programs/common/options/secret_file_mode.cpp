#include "programs/common/options/secret_file_mode.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "programs/common/system/console.hpp"
#include "programs/common/system/own_file.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

void warn_of_readers(const std::string& typed, const ReadFile& file, SecretKind kind) {
  static std::vector<std::pair<dev_t, ino_t>> seen;
  if (typed == "-" || typed.starts_with("/dev/") || typed.starts_with("/proc/")) return;
  struct stat status = file.status;
  status.st_uid = ::geteuid();  // under sudo the key of another user is not a fault
  if (!S_ISREG(status.st_mode) || why_not_own(status, S_IRGRP | S_IROTH).empty()) return;
  const std::pair<dev_t, ino_t> id(file.status.st_dev, file.status.st_ino);
  if (std::find(seen.begin(), seen.end(), id) != seen.end()) return;
  seen.push_back(id);
  if (kind == SecretKind::key) {
    print_note(tr("{1}: other users may read this key: run `chmod 600 {1}`", file.name));
  } else {
    print_note(tr("{1}: other users may read this passphrase: run `chmod 600 {1}`", file.name));
  }
}

}  // namespace vsh::cli
