// Shared by all C ABI entry points: argument validation, zeroizing allocation, exception barrier.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "core/data_independent_timing.hpp"
#include "core/registry.hpp"
#include "core/wipe.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/last_error.hpp"
#include "vershina/vershina.h"

namespace vsh::api {

// Base of the opaque contexts: erases all their memory before it is freed.
struct ErasedOnFree {
  // Streebog's state has the strictest alignment.
  static constexpr std::align_val_t kAlignment{64};
  // Not inlined, or GCC 12 sees the global functions in one of the two and warns of a mismatch.
  [[gnu::noinline]] static void* operator new(size_t size) { return ::operator new(size, kAlignment); }
  [[gnu::noinline]] static void operator delete(void* p, size_t size) noexcept {
    wipe(p, size);
    ::operator delete(p, kAlignment);
  }
};

// Encloses the part of a call that handles secrets.
struct SecretWork {
  DataIndependentTiming timing;
  StackEraser eraser;
};

// Runs f(), which returns a status and may throw: std::bad_alloc, exceptions of the threads' library, or gpu::Error.
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

// Converts an enumerator to a number. A C caller may pass any number; reading that as a C++ enumeration would be
// undefined.
template <class E>
unsigned number(const E& e) noexcept {
  static_assert(sizeof(E) == sizeof(unsigned));
  unsigned n;
  std::memcpy(&n, &e, sizeof n);
  return n;
}

// Returns whether p can point to len bytes.
inline bool is_buffer(const void* p, size_t len) noexcept {
  return len == 0 || (p && len <= UINTPTR_MAX - reinterpret_cast<uintptr_t>(p));
}

inline bool overlap(const void* a, size_t a_len, const void* b, size_t b_len) noexcept {
  const auto x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
  return a_len && b_len && (x < y ? y - x < a_len : x - y < b_len);
}

// Returns whether output and input are the same buffer or do not overlap.
inline bool same_or_apart(const void* out, size_t out_len, const void* in, size_t in_len) noexcept {
  return out == in || !overlap(out, out_len, in, in_len);
}

// Returns CAPACITY if `need` bytes do not fit; *out_len is then `need`.
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
