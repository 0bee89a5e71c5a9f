// Bad behaviour of drivers towards the process that asks them.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

namespace fakes {

// Does what the variable says: abort, crash, hang, exit, or print: words on both outputs, and no harm.
inline void misbehave(const char* variable) {
  const char* const value = std::getenv(variable);
  const std::string_view what = value ? value : "";
  if (what == "abort") std::abort();
  if (what == "crash") {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's
    (void)std::raise(SIGSEGV);
  }
  if (what == "exit") std::exit(7);
  if (what == "look") std::exit(::fcntl(9, F_GETFD) < 0 ? 8 : 9);  // for a descriptor that was inherited
  while (what == "hang") ::pause();
  if (what == "print") (void)!(::write(1, "co.", 3) + ::write(2, "co.", 3));
}

}  // namespace fakes
