#include "programs/tomo/formats/regular_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::tomo {
namespace {

using cli::ExitCode;
using cli::Failure;
using cli::quote_name;
using cli::tr;

// Links were resolved before: one put there since then is refused.
cli::InputFile open_inside(const FileName& file) {
  const std::string path = path_inside(file);
  cli::Descriptor directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  size_t begin = 1;
  for (size_t end = 0; (end = path.find('/', begin)) != path.npos; begin = end + 1)
    directory = cli::Descriptor(::openat(directory.get(), path.substr(begin, end - begin).c_str(),
                                         O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return {directory.get(), path.substr(begin), quote_name(file.path)};
}

}  // namespace

cli::InputFile open_regular(const FileName& file) {
  struct stat status {};
  if (::stat(file.path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Failure(ExitCode::input, tr("{1}: is not a regular file", quote_name(file.path)),
                  tr("copy it into a file first"));
  if (!file.folder.empty()) return open_inside(file);
  return file.path == "-" ? cli::InputFile("./-") : cli::InputFile(file.path);
}

std::string path_inside(const FileName& file) {
  std::string folder = real_path(file.folder);
  const std::string path = real_path(file.path), name = quote_name(file.path);
  if (folder.empty() || path.empty())
    throw Failure(ExitCode::input, name + ": " + std::strerror(errno), tr("check the name"), errno);
  if (!folder.ends_with('/')) folder += '/';
  if (!path.starts_with(folder))
    throw Failure(ExitCode::input, tr("{1}: a link that leads out of {2}", name, quote_name(file.folder)),
                  tr("copy what it leads to into that folder"));
  return path;
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? real.get() : "";
}

}  // namespace vsh::tomo
