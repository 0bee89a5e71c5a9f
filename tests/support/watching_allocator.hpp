// Replaces every form of new and delete in the one program that includes it: an allocator that inspects freed memory,
// and whose allocations can be made to fail.
//
// The library allocates aligned memory for all secrets: it must be all zero when freed. Other memory, including the
// standard library's temporary buffers, must not contain the bytes of kMarker, which a test puts into its keys and
// messages.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <vector>

namespace vsh::test {

inline constexpr uint8_t kMarker[8] = {0x93, 0x0F, 0x5C, 0xE7, 0xA8, 0x31, 0xDB, 0x66};

struct Memory {
  static constexpr long kPlenty = std::numeric_limits<long>::max();

  std::atomic<long> allowed{kPlenty};                   // allocations until memory is exhausted
  std::atomic<size_t> num_given_back{0}, num_dirty{0};  // pieces of aligned memory
  std::atomic<size_t> num_leaks{0};                     // other pieces that had the marker in them

  void forget() { num_given_back = num_dirty = num_leaks = 0; }
};
inline Memory memory;

// Written in front of each piece, within its alignment.
struct MemoryHeader {
  size_t len;
  void* base;
  bool is_aligned;  // requested aligned
  MemoryHeader *before, *after;
};

// The pieces in use, in the order of their allocation.
struct LivePieces {
  std::mutex mutex;
  MemoryHeader *first = nullptr, *last = nullptr;

  void add(MemoryHeader* piece) {
    const std::lock_guard lock(mutex);
    piece->before = last, piece->after = nullptr;
    (last ? last->after : first) = piece;
    last = piece;
  }
  void remove(const MemoryHeader* piece) {
    const std::lock_guard lock(mutex);
    (piece->before ? piece->before->after : first) = piece->after;
    (piece->after ? piece->after->before : last) = piece->before;
  }
};
inline LivePieces live_pieces;

// Returns how many pieces in use hold these bytes.
inline size_t num_pieces_with(const uint8_t* bytes, size_t len) {
  const std::lock_guard lock(live_pieces.mutex);
  size_t num = 0;
  for (const MemoryHeader* piece = live_pieces.first; piece; piece = piece->after) {
    const auto* p = reinterpret_cast<const uint8_t*>(piece + 1);
    num += std::search(p, p + piece->len, bytes, bytes + len) != p + piece->len;
  }
  return num;
}

// Returns the contents of all aligned memory in use, piece by piece.
inline std::vector<std::vector<uint8_t>> secrets_in_use() {
  std::vector<const MemoryHeader*> found;
  found.reserve(10000);  // under the lock nothing may be allocated
  {
    const std::lock_guard lock(live_pieces.mutex);
    for (const MemoryHeader* piece = live_pieces.first; piece; piece = piece->after)
      if (piece->is_aligned && found.size() < found.capacity()) found.push_back(piece);
  }
  std::vector<std::vector<uint8_t>> all;
  for (const MemoryHeader* piece : found) {
    const auto* p = reinterpret_cast<const uint8_t*>(piece + 1);
    all.emplace_back(p, p + piece->len);
  }
  return all;
}

}  // namespace vsh::test

namespace {

// Neither is inlined: GCC would see allocation and free behind new and delete, and warn of a mismatch.
[[gnu::noinline]] void* take(size_t len, size_t alignment) noexcept {
  using namespace vsh::test;
  if (memory.allowed.fetch_sub(1) <= 0) return nullptr;
  size_t a = std::max(alignment, alignof(std::max_align_t));
  while (a < sizeof(MemoryHeader)) a *= 2;
  void* base = std::aligned_alloc(a, a + (len + a - 1) / a * a);
  if (!base) return nullptr;
  uint8_t* p = static_cast<uint8_t*>(base) + a;
  std::memset(p, 0, len);  // or what a test itself gave back would lie in memory that is never written
  MemoryHeader* const header = reinterpret_cast<MemoryHeader*>(p) - 1;
  *header = {len, base, alignment != 0, nullptr, nullptr};
  live_pieces.add(header);
  return p;
}
[[gnu::noinline]] void give_back(void* memory_of_caller) noexcept {
  using namespace vsh::test;
  if (!memory_of_caller) return;
  const auto* p = static_cast<const uint8_t*>(memory_of_caller);
  const MemoryHeader& header = reinterpret_cast<const MemoryHeader*>(p)[-1];
  live_pieces.remove(&header);
  const uint8_t* end = p + header.len;
  if (header.is_aligned) {
    ++memory.num_given_back;
    memory.num_dirty += std::any_of(p, end, [](uint8_t byte) { return byte != 0; });
  } else {
    memory.num_leaks += std::search(p, end, kMarker, kMarker + sizeof kMarker) != end;
  }
  std::free(header.base);
}
void* take_or_throw(size_t len, size_t alignment) {
  if (void* p = take(len, alignment)) return p;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t len) { return take_or_throw(len, 0); }
void* operator new[](size_t len) { return take_or_throw(len, 0); }
void* operator new(size_t len, const std::nothrow_t&) noexcept { return take(len, 0); }
void* operator new[](size_t len, const std::nothrow_t&) noexcept { return take(len, 0); }
void* operator new(size_t len, std::align_val_t a) { return take_or_throw(len, static_cast<size_t>(a)); }
void* operator new[](size_t len, std::align_val_t a) { return take_or_throw(len, static_cast<size_t>(a)); }
void* operator new(size_t len, std::align_val_t a, const std::nothrow_t&) noexcept {
  return take(len, static_cast<size_t>(a));
}
void* operator new[](size_t len, std::align_val_t a, const std::nothrow_t&) noexcept {
  return take(len, static_cast<size_t>(a));
}

void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, size_t) noexcept { give_back(p); }
void operator delete[](void* p, size_t) noexcept { give_back(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { give_back(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { give_back(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { give_back(p); }
