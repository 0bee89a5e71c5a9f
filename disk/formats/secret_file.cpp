#include "disk/formats/secret_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cli/system/descriptor.hpp"
#include "cli/text/failure.hpp"
#include "cli/text/text.hpp"

namespace vsh::disk {

using cli::ExitCode;
using cli::Failure;

cli::SecretBuffer read_secret_descriptor(int fd, const std::string& name, size_t most) {
  cli::SecretBuffer secret(most + 1);
  size_t len = 0;
  while (len < secret.size()) {
    const ssize_t got = ::read(fd, secret.data() + len, secret.size() - len);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Failure(ExitCode::input, name + ": " + std::strerror(errno), {}, errno);
    if (got == 0) break;
    len += static_cast<size_t>(got);
  }
  if (len > most) throw Failure(ExitCode::usage, name + ": has more than " + cli::bytes_of(most));
  if (len == 0) throw Failure(ExitCode::usage, name + ": is empty");
  secret.shorten(len);
  return secret;
}

cli::SecretBuffer read_secret_file(const std::string& path, size_t most) {
  const std::string name = cli::quote_name(path);
  const cli::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) throw Failure(ExitCode::input, name + ": " + std::strerror(errno), {}, errno);
  return read_secret_descriptor(file.get(), name, most);
}

}  // namespace vsh::disk
