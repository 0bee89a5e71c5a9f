#include "programs/common/system/random.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::cli {

void fill_random(std::span<uint8_t> out) {
  if (::getentropy(out.data(), out.size()) == 0) return;
  throw Failure(ExitCode::internal, tr("no random numbers: {1}", std::strerror(errno)));
}

}  // namespace vsh::cli
