#include <vershina/vershina.h>

#include <set>
#include <string>

#include "programs/common/commands/program.hpp"

namespace vsh::cli {
namespace {

std::string compiler() {
#if defined(__LCC__)
  return "lcc " + std::to_string(__LCC__ / 100) + "." + std::to_string(__LCC__ % 100);
#elif defined(__clang__)
  return std::string("Clang ") + __clang_version__;
#elif defined(__GNUC__)
  return std::string("GCC ") + __VERSION__;
#else
  return "an unknown compiler";
#endif
}

std::string architecture() {
#if defined(__e2k__)
  return "e2k";
#elif defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__riscv)
  return "riscv";
#elif defined(__s390x__)
  return "s390x";
#else
  return "another architecture";
#endif
}

std::string features() {
  std::string text;
#if VSH_WITH_BENCH
  text += "bench ";
#endif
#if defined(__SANITIZE_ADDRESS__)
  text += "address-sanitizer ";
#endif
#if defined(__SANITIZE_THREAD__)
  text += "thread-sanitizer ";
#endif
#if !defined(NDEBUG)
  text += "assertions ";
#endif
  std::set<std::string> variants;
  vsh_kernel_info info{};
  for (size_t i = 0; vsh_kernel(i, &info) == VSH_OK; ++i) variants.insert(info.variant);
  text += "kernels";
  char separator = '=';
  for (const std::string& variant : variants) {
    text += separator + variant;
    separator = ',';
  }
  return text;
}

}  // namespace

std::string version_text() {
  return std::string("vershina ") + vsh_version() + "\ncompiler: " + compiler() + ", " + architecture() +
         "\nfeatures: " + features() + "\nprocessor: " + vsh_cpu_features();
}

}  // namespace vsh::cli
