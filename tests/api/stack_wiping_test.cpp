// Tests the search for secrets on the stack, and the wiping of stack and registers.
#include <algorithm>
#include <numeric>
#include <vector>

#include "api/support/stack.hpp"
#include "core/wipe.hpp"
#include "support/skipped_rows.hpp"

#if defined(__x86_64__) && !defined(__e2k__)
// Called by wipe_stack; registers: 0 without AVX.
extern "C" void vsh_wipe_stack(size_t len, unsigned registers) noexcept;
#endif

namespace {

using namespace vsh::test;

TEST(StackWiping, TheSearchFindsWhatIsLeft) {
  static const Bytes secret = Random(1).bytes(32);
  Secrets secrets;
  secrets.add_key("secret", secret);
  const Bytes left = stack_after([] {
    uint8_t deep[8192];  // its low end is far from what the end of a thread overwrites
    std::memcpy(deep, secret.data(), secret.size());
    __asm__ volatile("" : : "r"(deep) : "memory");
  });
  EXPECT_NE(secrets.found_in(left), "");
}

// Has a fixed size and nothing above it, so that it begins right below the caller's frame.
__attribute__((noinline, no_stack_protector)) void fill_stack() {
  uint8_t array[4096];
  std::memset(array, 0xA5, sizeof array);
  __asm__ volatile("" : : "r"(array) : "memory");
}

// Every byte below the caller, from its frame on.
TEST(StackWiping, WipingLeavesNoGap) {
#if defined(__e2k__)
  GTEST_SKIP() << "the wiping of Elbrus is portable code, whose own frame stays";
#endif
  SKIP_UNLESS_OPTIMISED();
  const Bytes pattern(8, 0xA5);
  for (const bool wipes : {false, true}) {
    const Bytes left = stack_after([&] {
      fill_stack();
      if (wipes) vsh::wipe_stack(4096 + 512);
    });
    EXPECT_EQ(std::search(left.begin(), left.end(), pattern.begin(), pattern.end()) == left.end(), wipes);
  }
#if defined(__x86_64__) && !defined(__e2k__)
  const Bytes without_avx = stack_after([] {
    fill_stack();
    vsh_wipe_stack(4096 + 512, 0);
  });
  EXPECT_EQ(std::search(without_avx.begin(), without_avx.end(), pattern.begin(), pattern.end()), without_avx.end());
#endif
}

#if defined(__x86_64__) && !defined(__e2k__)
// Calls vsh_wipe_stack with the stack pointer at `stack`.
void wipe_below(uint8_t* stack, size_t len, unsigned registers) {
  register void* function __asm__("r12") = reinterpret_cast<void*>(vsh_wipe_stack);
  __asm__ volatile(
      "mov %%rsp, %%rbx\n"
      "mov %[stack], %%rsp\n"
      "call *%%r12\n"
      "mov %%rbx, %%rsp"
      : "+D"(len), "+S"(registers)
      : [stack] "r"(stack), "r"(function)
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
        "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");  // vzeroupper
}

// For every place of the stack in a line of the cache: nothing above, all below, at most 255 bytes more.
TEST(StackWiping, EndsWhereItShould) {
  constexpr size_t kMost = 4161, kReturnAddress = 8;
  std::vector<size_t> lens(300);
  std::iota(lens.begin(), lens.end(), size_t{0});
  for (size_t len = 4095; len <= kMost; ++len) lens.push_back(len);
  alignas(64) static uint8_t memory[8192];
  const bool has_avx2 = vsh::cpu::features() & vsh::cpu::kAvx2;
  if (!has_avx2) std::printf("SKIPPED: %s\n", vsh::test::why_skipped("erasing by AVX2", vsh::cpu::kAvx2).c_str());
  for (unsigned registers = 0; registers <= has_avx2; ++registers)
    for (size_t place = 0; place < 64; place += 8)
      for (const size_t len : lens) {
        std::memset(memory, 0xA5, sizeof memory);
        uint8_t* const stack = memory + sizeof memory - 128 + place;
        wipe_below(stack, len, registers);
        const auto is_left = [](uint8_t byte) { return byte == 0xA5; };
        const uint8_t* const first = std::find_if_not(memory, std::end(memory), is_left);
        const uint8_t* const frame = stack - kReturnAddress;
        EXPECT_TRUE(std::all_of(stack, std::end(memory), is_left)) << registers << " " << place << " " << len;
        EXPECT_TRUE(std::all_of(frame - len, frame, [](uint8_t byte) { return byte == 0; }))
            << registers << " " << place << " " << len;
        EXPECT_LE(frame - first, static_cast<ptrdiff_t>(len) + 255) << registers << " " << place << " " << len;
      }
}
#endif

// Contents of registers after clear_registers; all had a pattern before.
TEST(StackWiping, RegistersAreCleared) {
#if defined(__x86_64__) && !defined(__e2k__)
  using Register = uint8_t[64];
  alignas(64) Register after[40] = {}, pattern;
  std::memset(pattern, 0xA5, sizeof pattern);
  size_t num = 16;
  void (*const clear)() noexcept = vsh::clear_registers;
  // rbx, r12 and r13 keep their values over the call.
#define VSH_CLOBBERS                                                                                                   \
  "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", \
      "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc"
#define VSH_LOW "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
  register const void* from __asm__("rbx") = pattern;
  register void* to __asm__("r12") = after;
  register void* function __asm__("r13") = reinterpret_cast<void*>(clear);
#if !VSH_EMULATED
  if (vsh::cpu::features() & vsh::cpu::kAvx512) {
    num = 40;
    __asm__ volatile(".irp i, " VSH_LOW
                     ", 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
                     "vmovdqu64 (%%rbx), %%zmm\\i\n.endr\n"
                     ".irp i, 0, 1, 2, 3, 4, 5, 6, 7\nkmovq (%%rbx), %%k\\i\n.endr\n"
                     "call *%%r13\n"
                     ".irp i, " VSH_LOW
                     ", 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
                     "vmovdqu64 %%zmm\\i, 64 * \\i(%%r12)\n.endr\n"
                     ".irp i, 0, 1, 2, 3, 4, 5, 6, 7\nkmovq %%k\\i, 2048 + 64 * \\i(%%r12)\n.endr\n"
                     :
                     : "r"(from), "r"(to), "r"(function)
                     : VSH_CLOBBERS);
  } else
#endif
      if (vsh::cpu::features() & vsh::cpu::kAvx2) {
    __asm__ volatile(".irp i, " VSH_LOW
                     "\nvmovdqu (%%rbx), %%ymm\\i\n.endr\n"
                     "call *%%r13\n"
                     ".irp i, " VSH_LOW "\nvmovdqu %%ymm\\i, 64 * \\i(%%r12)\n.endr\n"
                     :
                     : "r"(from), "r"(to), "r"(function)
                     : VSH_CLOBBERS);
  } else {
    __asm__ volatile(".irp i, " VSH_LOW
                     "\nmovdqu (%%rbx), %%xmm\\i\n.endr\n"
                     "call *%%r13\n"
                     ".irp i, " VSH_LOW "\nmovdqu %%xmm\\i, 64 * \\i(%%r12)\n.endr\n"
                     :
                     : "r"(from), "r"(to), "r"(function)
                     : VSH_CLOBBERS);
  }
#elif defined(__aarch64__)
  using Register = uint8_t[16];
  Register after[32], pattern;
  std::memset(pattern, 0xA5, sizeof pattern);
  const size_t num = 32;
  void (*const clear)() noexcept = vsh::clear_registers;
  register const void* from __asm__("x19") = pattern;
  register void* to __asm__("x20") = after;
  register void* function __asm__("x21") = reinterpret_cast<void*>(clear);
#define VSH_ALL                                                                                                        \
  "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, " \
  "31"
  __asm__ volatile(".irp i, " VSH_ALL
                   "\nldr q\\i, [x19]\n.endr\n"
                   "blr x21\n"
                   ".irp i, " VSH_ALL "\nstr q\\i, [x20, #16 * \\i]\n.endr\n"
                   :
                   : "r"(from), "r"(to), "r"(function)
                   : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
                     "x15", "x16", "x17", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",
                     "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24",
                     "v25", "v26", "v27", "v28", "v29", "v30", "v31", "memory", "cc");
  // The low halves of v8 to v15 are the caller's.
  for (size_t i = 8; i < 16; ++i) {
    EXPECT_EQ(std::count(after[i], after[i] + 8, 0xA5), 8) << i;
    std::memset(after[i], 0, 8);
  }
#else
  GTEST_SKIP() << "written for x86-64 and AArch64";
#endif
#if (defined(__x86_64__) && !defined(__e2k__)) || defined(__aarch64__)
  for (size_t i = 0; i < num; ++i)
    EXPECT_EQ(std::count(std::begin(after[i]), std::end(after[i]), 0), std::ssize(after[i])) << "register " << i;
#endif
}

}  // namespace
