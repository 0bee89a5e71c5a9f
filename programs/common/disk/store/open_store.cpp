#include "programs/common/disk/store/open_store.hpp"

#include "programs/common/disk/store/file_store.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"
#if VSH_WITH_LIBNBD
#include "programs/common/disk/store/nbd_store.hpp"
#endif

namespace vsh::disk {

bool is_nbd_uri(const std::string& text) {
  for (const char* scheme : {"nbd:", "nbds:", "nbd+unix:", "nbds+unix:", "nbd+vsock:", "nbds+vsock:"})
    if (text.starts_with(scheme)) return true;
  return false;
}

std::unique_ptr<Store> open_nbd(const std::string& uri, Access access) {
#if VSH_WITH_LIBNBD
  return std::make_unique<NbdStore>(uri, access);
#else
  (void)access;
  throw cli::Failure(cli::ExitCode::input, cli::tr("{1}: this build was made without libnbd", cli::quote_name(uri)));
#endif
}

std::unique_ptr<Store> open_store(const std::string& name, Access access) {
  if (is_nbd_uri(name)) return open_nbd(name, access);
  return std::make_unique<FileStore>(name, access);
}

}  // namespace vsh::disk
