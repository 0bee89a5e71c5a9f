#include "programs/bench/setup/buffers.hpp"

#include "programs/bench/setup/options.hpp"
#include "programs/common/text/failure.hpp"
#include "programs/common/text/translate.hpp"

namespace vsh::bench {

Buffers make_buffers(size_t bytes, size_t max_offset) {
  try {
    return {bytes, max_offset};
  } catch (const std::bad_alloc&) {
    throw cli::Failure(cli::ExitCode::usage, cli::tr("not enough memory for two buffers of {1}", format_size(bytes)),
                       cli::tr("ask for smaller --sizes"));
  }
}

}  // namespace vsh::bench
