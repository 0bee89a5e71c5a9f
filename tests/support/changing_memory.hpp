// Memory that another writer changes while the library reads it, at the same instant in every run: each access to one
// page is single-stepped, and after the n-th read a byte that was just read becomes another. On x86-64.
#pragma once

#if defined(__x86_64__) && defined(__linux__)
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace vsh::test {

class ChangingMemory {
 public:
  explicit ChangingMemory(size_t len) : len_((len + kPage - 1) / kPage * kPage) {
    const int fd = memfd_create("changing", 0);
    if (fd < 0 || ftruncate(fd, static_cast<off_t>(len_))) throw std::runtime_error("memfd");
    void* const seen = mmap(nullptr, len_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    void* const other = mmap(nullptr, len_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (seen == MAP_FAILED || other == MAP_FAILED) throw std::runtime_error("mmap");
    data_ = static_cast<uint8_t*>(seen), other_ = static_cast<uint8_t*>(other);
  }
  ~ChangingMemory() {
    munmap(data_, len_);
    munmap(other_, len_);
  }
  ChangingMemory(const ChangingMemory&) = delete;
  ChangingMemory& operator=(const ChangingMemory&) = delete;

  static constexpr size_t kPage = 4096;
  uint8_t* data() const { return data_; }
  size_t size() const { return len_; }

  // Runs f. After the n-th read of the page, counted from 1, its byte is changed by ^ mask; from then on accesses are
  // not stepped. Returns the number of reads: fewer than n if none was changed.
  template <class F>
  size_t run(size_t page, size_t n, uint8_t mask, F&& f) {
    page_ = data_ + page * kPage, twin_ = other_ + page * kPage;
    reads_ = 0, change_at_ = n, mask_ = mask;
    struct sigaction on_access = {}, on_step = {}, old_access, old_step;
    on_access.sa_sigaction = &accessed, on_step.sa_sigaction = &stepped;
    on_access.sa_flags = on_step.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &on_access, &old_access);
    sigaction(SIGTRAP, &on_step, &old_step);
    mprotect(page_, kPage, PROT_NONE);
    f();
    mprotect(page_, kPage, PROT_READ | PROT_WRITE);
    sigaction(SIGSEGV, &old_access, nullptr);
    sigaction(SIGTRAP, &old_step, nullptr);
    return reads_;
  }

  // Returns whether instructions can be stepped here: not under an emulator.
  static bool works() {
    ChangingMemory memory(1);
    const volatile uint8_t* const byte = memory.data();
    uint8_t first = 1, second = 0;
    memory.run(0, 1, 0xff, [&] { first = *byte, second = *byte; });
    return first == 0 && second == 0xff;
  }

 private:
  static constexpr greg_t kTrapFlag = 0x100, kIsWrite = 2;

  static void accessed(int, siginfo_t* info, void* context) {
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    uint8_t* const at = static_cast<uint8_t*>(info->si_addr);
    if (at < page_ || at >= page_ + kPage) {
      signal(SIGSEGV, SIG_DFL);  // an error of the program: again, and for good
      return;
    }
    read_ = registers[REG_ERR] & kIsWrite ? nullptr : at;
    mprotect(page_, kPage, PROT_READ | PROT_WRITE);
    registers[REG_EFL] |= kTrapFlag;
  }
  static void stepped(int, siginfo_t*, void* context) {
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
    const bool changes = read_ && ++reads_ == change_at_;
    if (changes) twin_[read_ - page_] ^= mask_;
    else if (reads_ < change_at_) mprotect(page_, kPage, PROT_NONE);
    read_ = nullptr;
  }

  size_t len_;
  uint8_t *data_, *other_;
  inline static uint8_t *page_, *twin_;
  inline static std::atomic<size_t> reads_, change_at_;
  inline static uint8_t mask_;
  inline static thread_local uint8_t* read_;
};

}  // namespace vsh::test
#endif
