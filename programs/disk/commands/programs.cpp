#include "programs/disk/commands/programs.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace vsh::disk {

std::string find_nbdkit() {
  for (const char* directory : {"/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"}) {
    const std::string path = std::string(directory) + "/nbdkit";
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

cli::Installed find_plugin(std::string* why) {
  constexpr const char* kPlugin = "nbdkit-vershina-plugin.so";
  for (const char* from_program : {".", VSH_PLUGINS_FROM_PROGRAM})
    if (cli::Installed found = cli::find_from_program(from_program, kPlugin, why)) return found;
  return cli::find_installed(VSH_INSTALLED_PLUGINS, kPlugin);
}

}  // namespace vsh::disk
