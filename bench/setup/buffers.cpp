#include "bench/setup/buffers.hpp"

#include "cli/text/failure.hpp"

namespace vsh::bench {

Buffers make_buffers(size_t bytes, size_t max_offset, const std::string& what) {
  try {
    return {bytes, max_offset};
  } catch (const std::bad_alloc&) {
    throw cli::Failure(cli::ExitCode::usage, "not enough memory for " + what, "ask for smaller --sizes");
  }
}

}  // namespace vsh::bench
