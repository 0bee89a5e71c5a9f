#include "cli/system/random.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "cli/text/failure.hpp"

namespace vsh::cli {

void fill_random(std::span<uint8_t> out) {
  if (::getentropy(out.data(), out.size()) == 0) return;
  throw Failure(ExitCode::internal, std::string("no random numbers: ") + std::strerror(errno));
}

}  // namespace vsh::cli
