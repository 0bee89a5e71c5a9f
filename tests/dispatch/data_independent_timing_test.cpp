// On AArch64 processors that have PSTATE.DIT, every call of the C ABI that works with secrets sets it, also in helper
// threads, and restores the caller's thread.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "api/support/contexts.hpp"
#include "core/data_independent_timing.hpp"

#if defined(__aarch64__)
namespace {

bool is_watching = false;
unsigned num_allocations = 0, num_with_bit = 0;

void* allocate(size_t size, std::align_val_t alignment) {
  if (is_watching) {
    ++num_allocations;
    num_with_bit += vsh::DataIndependentTiming::is_set();
  }
  const auto a = static_cast<size_t>(alignment);
  void* const p = std::aligned_alloc(a, (size + a - 1) / a * a);
  return p ? p : throw std::bad_alloc();
}

}  // namespace

// Contexts are allocated here, in the middle of the calls that create them.
void* operator new(size_t size, std::align_val_t alignment) { return allocate(size, alignment); }
void* operator new[](size_t size, std::align_val_t alignment) { return allocate(size, alignment); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }

TEST(DataIndependentTiming, IsSetInCallsAndGivenBack) {
  using namespace vsh::test;
  if (!vsh::DataIndependentTiming::exists()) GTEST_SKIP() << "this processor has no PSTATE.DIT";
  for (const bool before : {false, true}) {
    vsh::DataIndependentTiming::set(before);
    ASSERT_EQ(vsh::DataIndependentTiming::is_set(), before);
    num_allocations = num_with_bit = 0;
    is_watching = true;
    const MacPointer mac = make_mac(VSH_KUZNYECHIK_MAC);
    const CipherPointer cipher = make(VSH_MAGMA, VSH_CTR);
    is_watching = false;
    EXPECT_GE(num_allocations, 2u);
    EXPECT_EQ(num_with_bit, num_allocations);
    EXPECT_EQ(vsh::DataIndependentTiming::is_set(), before);
  }
  vsh::DataIndependentTiming::set(false);
}
#else
TEST(DataIndependentTiming, IsSetInCallsAndGivenBack) { GTEST_SKIP() << "PSTATE.DIT is AArch64's"; }
#endif
