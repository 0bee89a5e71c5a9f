#include "programs/common/disk/formats/secret_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "programs/common/system/descriptor.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/text.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::disk {

using cli::ExitCode;
using cli::Failure;
using cli::tr;

namespace {

cli::SecretBuffer read_some(int fd, const std::string& name, size_t most) {
  cli::SecretBuffer secret(most);
  size_t len = 0;
  while (len < most) {
    const ssize_t got = ::read(fd, secret.data() + len, most - len);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Failure(ExitCode::input, name + ": " + std::strerror(errno), {}, errno);
    if (got == 0) break;
    len += static_cast<size_t>(got);
  }
  if (len == 0) throw Failure(ExitCode::usage, tr("{1}: is empty", name));
  secret.shorten(len);
  return secret;
}

cli::Descriptor open_secret(const std::string& path) {
  cli::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) throw Failure(ExitCode::input, cli::quote_name(path) + ": " + std::strerror(errno), {}, errno);
  return file;
}

}  // namespace

cli::SecretBuffer read_secret_descriptor(int fd, const std::string& name, size_t most) {
  cli::SecretBuffer secret = read_some(fd, name, most + 1);
  if (secret.size() > most) throw Failure(ExitCode::usage, tr("{1}: has more than {2}", name, cli::bytes_of(most)));
  return secret;
}

cli::SecretBuffer read_secret_file(const std::string& path, size_t most, cli::SecretKind kind) {
  const cli::Descriptor file = open_secret(path);
  const std::string name = cli::quote_name(path);
  struct stat status {};
  if (::fstat(file.get(), &status) == 0) cli::warn_of_readers(path, {name, status}, kind);
  return read_secret_descriptor(file.get(), name, most);
}

cli::SecretBuffer read_secret_beginning(const std::string& path, size_t most) {
  return read_some(open_secret(path).get(), cli::quote_name(path), most);
}

}  // namespace vsh::disk
