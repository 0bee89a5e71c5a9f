// What every part of the C ABI needs: hostile arguments, memory that is erased when it is given back, and a
// wall that no exception passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "core/data_independent_timing.hpp"
#include "core/registry.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/last_error.hpp"
#include "core/wipe.hpp"
#include "vershina/vershina.h"

namespace vsh::api {

// Base of the opaque contexts: whatever the members leave behind is erased before the memory is given back.
struct ErasedOnFree {
  // Streebog's state is the member that asks for most.
  static constexpr std::align_val_t kAlignment{64};
  // Not inlined, or GCC 12 sees the global functions in one of the two and warns of a mismatch.
  [[gnu::noinline]] static void* operator new(size_t size) { return ::operator new(size, kAlignment); }
  [[gnu::noinline]] static void operator delete(void* p, size_t size) noexcept {
    wipe(p, size);
    ::operator delete(p, kAlignment);
  }
};

// Around all that a call does with secrets.
struct SecretWork {
  DataIndependentTiming timing;
  StackEraser eraser;
};

// f() returns a status and may throw: std::bad_alloc of our own, or what the threads' library throws when it
// cannot get what it needs; or a device that failed.
template <class F>
vsh_status guarded(F&& f) noexcept {
  const SecretWork scope;
  try {
    return f();
  } catch (const gpu::Error& error) {
    gpu::set_last_error(error.what());
    return VSH_E_DEVICE;
  } catch (...) {
    return VSH_E_MEMORY;
  }
}

// An enumerator as a number. A C caller may pass any number; to read that as a C++ enumeration would be
// undefined.
template <class E>
unsigned number(const E& e) noexcept {
  static_assert(sizeof(E) == sizeof(unsigned));
  unsigned n;
  std::memcpy(&n, &e, sizeof n);
  return n;
}

// len bytes can lie at p.
inline bool is_buffer(const void* p, size_t len) noexcept {
  return len == 0 || (p && len <= UINTPTR_MAX - reinterpret_cast<uintptr_t>(p));
}

inline bool overlap(const void* a, size_t a_len, const void* b, size_t b_len) noexcept {
  const auto x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return a_len && b_len && (x < y ? y - x < a_len : x - y < b_len);
}

// What is written over what is still to be read is the same place, or none of it.
inline bool same_or_apart(const void* out, size_t out_len, const void* in, size_t in_len) noexcept {
  return out == in || !overlap(out, out_len, in, in_len);
}

// CAPACITY where `need` bytes do not fit, and *out_len then says how many those are.
inline vsh_status check_capacity(size_t out_capacity, size_t* out_len, size_t need) noexcept {
  if (need <= out_capacity) return VSH_OK;
  *out_len = need;
  return VSH_E_CAPACITY;
}

inline vsh_status status_of(Choice choice) noexcept {
  switch (choice) {
    case Choice::ok: return VSH_OK;
    case Choice::unknown: return VSH_E_KERNEL_UNKNOWN;
    case Choice::cpu: return VSH_E_KERNEL_CPU;
    case Choice::tables: return VSH_E_KERNEL_TABLES;
  }
  return VSH_E_KERNEL_UNKNOWN;
}

}  // namespace vsh::api
