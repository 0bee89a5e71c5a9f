// The one place where secrets are erased.
#pragma once

#include <cstddef>

namespace vsh {

// Overwrites `len` bytes with zeros in a way that the optimiser may not remove.
void wipe(void* p, size_t len) noexcept;

// Overwrites `len` bytes of the stack below the caller's frame, and up to 255 more: what the functions that it has just
// called left there.
void wipe_stack(size_t len) noexcept;

// Zeros the registers that a function may leave changed: vectors, masks and general ones. On Elbrus it does nothing.
void clear_registers() noexcept;

// Erases what the functions called after it left on the stack and in registers, when its scope ends: key expansion,
// one-block kernels and modes keep a few hundred bytes there. (What many-block kernels leave, BlockEngine erases on
// each thread.) Every call of the API has one; a function with a large buffer in its frame needs its own, for what lies
// below that.
struct StackEraser {
  StackEraser() = default;
  StackEraser(const StackEraser&) = delete;
  StackEraser& operator=(const StackEraser&) = delete;
  ~StackEraser() {
    wipe_stack(4096);
    clear_registers();
  }
};

// True when the `len` bytes are equal; the time depends on `len` only.
bool equal_constant_time(const void* a, const void* b, size_t len) noexcept;

// A fixed-size secret on the stack that is erased when it leaves scope.
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
