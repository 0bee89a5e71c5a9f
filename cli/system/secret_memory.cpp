#include "cli/system/secret_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <new>

#include "cli/system/wipe.hpp"

namespace vsh::cli {

void keep_memory_private() {
  const rlimit none = {0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
#if defined(__linux__)
  // A core_pattern that is a pipe ignores the limit. (LeakSanitizer undoes this for its own tracing.)
  (void)::prctl(PR_SET_DUMPABLE, 0);
#endif
}

SecretMemory::SecretMemory(size_t len) {
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  if (len > SIZE_MAX - page) throw std::bad_alloc();
  len_ = (len + page - 1) / page * page;
  if (len_ == 0) return;
  void* const memory = ::mmap(nullptr, len_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  bytes_ = static_cast<uint8_t*>(memory);
  (void)::mlock(memory, len_);
#ifdef MADV_DONTDUMP
  (void)::madvise(memory, len_, MADV_DONTDUMP);
#endif
}

SecretMemory::~SecretMemory() {
  if (bytes_ == nullptr) return;
  wipe(bytes_, len_);
  (void)::munmap(bytes_, len_);
}

}  // namespace vsh::cli
