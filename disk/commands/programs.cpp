#include "disk/commands/programs.hpp"

#include <sys/stat.h>

#include "cli/system/companion.hpp"

namespace vsh::disk {

std::string find_nbdkit() {
  return cli::find_companion("nbdkit", {"/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"});
}

std::string find_plugin() {
  const auto directories = cli::companion_directories();
  for (const std::string& directory : {directories.front(), std::string(VSH_INSTALLED_PLUGINS)}) {
    const std::string path = directory + "/nbdkit-vershina-plugin.so";
    struct stat status {};
    if (directory.starts_with('/') && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) return path;
  }
  return {};
}

}  // namespace vsh::disk
