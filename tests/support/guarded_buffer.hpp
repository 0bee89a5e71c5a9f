// A buffer that ends (or begins) exactly at an unreadable page: one byte too far is a crash, not a wrong guess.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace vsh::test {

class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t len) : len_(len) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    usable_ = (len + page - 1) / page * page;
    mapped_ = usable_ + 2 * page;
    void* p = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::runtime_error("mmap");
    base_ = static_cast<uint8_t*>(p);
    if (usable_ && mprotect(base_ + page, usable_, PROT_READ | PROT_WRITE)) throw std::runtime_error("mprotect");
    first_ = base_ + page;
  }
  ~GuardedBuffer() { munmap(base_, mapped_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  uint8_t* at_end() const { return first_ + usable_ - len_; }  // the byte after the last is unreadable
  uint8_t* at_start() const { return first_; }                 // the byte before the first is unreadable

 private:
  size_t len_, usable_, mapped_;
  uint8_t* base_;
  uint8_t* first_;
};

}  // namespace vsh::test
