// The fake's libOpenCL.so.1: no platform; only how it behaves when it is asked for them.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "../misbehave.hpp"
#include "gpu/opencl/api.hpp"

using namespace vsh::gpu::opencl;

namespace {

// FAKE_OPENCL_LOG: a file that gets a line with the process that asked.
int asked() {
  if (const char* const name = std::getenv("FAKE_OPENCL_LOG")) {
    char line[32];
    const int len = std::snprintf(line, sizeof line, "%ld\n", static_cast<long>(::getpid()));
    const int log = ::open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    (void)!::write(log, line, static_cast<size_t>(len));
    (void)::close(log);
  }
  fakes::misbehave("FAKE_OPENCL");
  return 0;
}

}  // namespace

#define FAKE_OPENCL_FUNCTION(name, result, parameters)                       \
  extern "C" __attribute__((visibility("default"))) result name parameters { \
    asked();                                                                 \
    return static_cast<result>(0);                                           \
  }
VSH_OPENCL_FUNCTIONS(FAKE_OPENCL_FUNCTION)
