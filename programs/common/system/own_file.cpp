#include "programs/common/system/own_file.hpp"

#include <unistd.h>

#include "programs/common/text/translate.hpp"

namespace vsh::cli {

std::string why_not_own(const struct stat& status, mode_t rights, Names names) {
  if (status.st_uid != ::geteuid() && status.st_uid != 0) return tr("belongs to another user");
  // An access control list shows in the bits of the group.
  if ((status.st_mode & rights & kRightToWrite) != 0) return tr("others may write to it");
  if ((status.st_mode & rights) != 0) return tr("others may read it");
  if (names == Names::one && S_ISREG(status.st_mode) && status.st_nlink != 1)
    return tr("has a second name, a hard link");
  return {};
}

}  // namespace vsh::cli
