// Erases secrets; no other code does.
#pragma once

#include <cstddef>

namespace vsh {

// Overwrites `len` bytes with zeros in a way that the optimiser may not remove.
void wipe(void* p, size_t len) noexcept;

// Overwrites `len` bytes of the stack below the caller's frame, and up to 255 more, where functions that it just called
// left data.
void wipe_stack(size_t len) noexcept;

// Zeros the registers that a function may leave changed: vectors, masks and general ones. Does nothing on Elbrus.
void clear_registers() noexcept;

// Erases, when its scope ends, the data that functions called after it left on the stack and in registers: key
// expansion, one-block kernels and modes keep a few hundred bytes there. (BlockEngine erases after many-block kernels
// on each thread, unless its caller does: `..._unerased`.) Every API call has one; a function with a large buffer in
// its frame needs another for the stack below it.
class StackEraser {
 public:
  StackEraser() = default;
  StackEraser(const StackEraser&) = delete;
  StackEraser& operator=(const StackEraser&) = delete;
  ~StackEraser() {
    wipe_stack(len_);
    clear_registers();
  }
  // Called if `len` bytes below the frame may hold secrets.
  void reach(size_t len) noexcept {
    if (len_ < len) len_ = len;
  }

 private:
  size_t len_ = 4096;
};

// Returns whether the `len` bytes are equal; the time depends on `len` only.
bool equal_constant_time(const void* a, const void* b, size_t len) noexcept;

// Holds a fixed-size secret on the stack and erases it at the end of its scope.
template <class T>
struct Wiped {
  T value{};
  Wiped() = default;
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
  ~Wiped() { wipe(&value, sizeof value); }
  T* operator->() { return &value; }
  T& operator*() { return value; }
};

}  // namespace vsh
