#include "programs/common/system/secret_buffer.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <cstdio>
#include <fstream>
#include <new>
#include <string>

namespace vsh::cli {
namespace {

bool lock_heap() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    if (line.ends_with("[heap]") && std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) == 2)
      return ::mlock(reinterpret_cast<void*>(begin), end - begin) == 0;
  }
  return false;
}

}  // namespace

void keep_memory_private() {
  const rlimit none = {0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
#if defined(__linux__)
  // A core_pattern that is a pipe ignores the limit. (LeakSanitizer undoes this for its own tracing.)
  (void)::prctl(PR_SET_DUMPABLE, 0);
#endif
}

bool lock_memory() {
#ifdef MCL_ONFAULT
  if (::mlockall(MCL_CURRENT | MCL_ONFAULT) == 0) return true;
#endif
  return lock_heap();
}

SecretBuffer::SecretBuffer(size_t len) : len_(len) {
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  if (len > SIZE_MAX - page) throw std::bad_alloc();
  pages_len_ = (len + page - 1) / page * page;
  if (pages_len_ == 0) return;
  void* const memory = ::mmap(nullptr, pages_len_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  bytes_ = static_cast<uint8_t*>(memory);
  (void)::mlock(memory, pages_len_);
#ifdef MADV_DONTDUMP
  (void)::madvise(memory, pages_len_, MADV_DONTDUMP);
#endif
}

SecretBuffer::~SecretBuffer() {
  if (bytes_ == nullptr) return;
  wipe(bytes_, pages_len_);
  (void)::munmap(bytes_, pages_len_);
}

}  // namespace vsh::cli
