#include "core/wipe.hpp"

#include <cstdint>
#include <cstring>

#include "core/cpu.hpp"

#if defined(__ELF__) && !defined(__e2k__) && \
    (defined(__x86_64__) || defined(__aarch64__) || defined(__s390x__) || (defined(__riscv) && __riscv_xlen == 64))
#define VSH_WIPES_IN_ASSEMBLER 1
#else
#define VSH_WIPES_IN_ASSEMBLER 0
#endif

#if VSH_WIPES_IN_ASSEMBLER
// In assembler, because a compiled function has its own frame, below which its erasing would begin, and because no
// source line controls which registers a compiler uses.
extern "C" {
// registers: 0: those of every CPU of the architecture; on x86-64 1: AVX, 2: AVX-512.
__attribute__((visibility("hidden"))) void vsh_wipe_stack(size_t len, unsigned registers) noexcept;
__attribute__((visibility("hidden"))) void vsh_clear_registers(unsigned registers) noexcept;
}

#define VSH_BEGIN(name, landing_pad)                                                                    \
  ".pushsection .text\n.balign 16\n.globl " name "\n.hidden " name "\n.type " name ", %function\n" name \
  ":\n"                                                                                                 \
  ".cfi_startproc\n" landing_pad "\n"
#define VSH_END(name) ".cfi_endproc\n.size " name ", . - " name "\n.popsection\n"

// vsh_wipe_stack moves the stack pointer down and writes above it, so that a signal handler, or valgrind, sees memory
// in use; each move is smaller than a guard page. Every call of the library ends with it: with AVX, whole lines, which
// take 40 cycles for a kilobyte and 150 for four on Zen 3, where `rep stosq` takes 130 and 260.
#if defined(__x86_64__)
__asm__(
    VSH_BEGIN("vsh_wipe_stack", ".byte 0xf3, 0x0f, 0x1e, 0xfa  /* endbr64 */")
    "test %esi, %esi\n"
    "jnz 2f\n"
    "add $7, %rdi\n"
    "and $-8, %rdi\n"
    "mov %rdi, %rsi\n"
    "mov %rsp, %rdx\n"
    ".cfi_def_cfa_register %rdx\n"
    "xor %eax, %eax\n"
    "1: mov $4096, %ecx\n"
    "cmp %rcx, %rsi\n"
    "cmovb %rsi, %rcx\n"
    "sub %rcx, %rsi\n"
    "sub %rcx, %rsp\n"
    "mov %rsp, %rdi\n"
    "shr $3, %ecx\n"
    "rep stosq\n"
    "test %rsi, %rsi\n"
    "jnz 1b\n"
    "mov %rdx, %rsp\n"
    ".cfi_def_cfa_register %rsp\n"
    "ret\n"
    "2: mov %rsp, %rdx\n"
    ".cfi_def_cfa_register %rdx\n"
    "mov %rsp, %rax\n"
    "sub %rdi, %rax\n"
    "and $-64, %rax\n"  // the last line
    "and $-64, %rsp\n"
    "sub $64, %rsp\n"
    "vpxor %xmm0, %xmm0, %xmm0\n"
    "vmovdqu %ymm0, -64(%rdx)\n"  // what is above the first one
    "vmovdqu %ymm0, -32(%rdx)\n"
    ".balign 16\n"
    "3: vmovdqa %ymm0, (%rsp)\n"
    "vmovdqa %ymm0, 32(%rsp)\n"
    "sub $64, %rsp\n"
    "cmp %rax, %rsp\n"
    "jae 3b\n"
    "mov %rdx, %rsp\n"
    ".cfi_def_cfa_register %rsp\n"
    "vzeroupper\n"
    "ret\n"
    VSH_END("vsh_wipe_stack")

    VSH_BEGIN("vsh_clear_registers", ".byte 0xf3, 0x0f, 0x1e, 0xfa")
    "cmp $1, %edi\n"
    "jb 2f\n"
    "vzeroall\n"  // 0 to 15, the whole of them
    "je 3f\n"
    ".irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
    "vpxord %xmm\\i, %xmm\\i, %xmm\\i\n"
    ".endr\n"
    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "kxorq %k\\i, %k\\i, %k\\i\n"
    ".endr\n"
    "jmp 3f\n"
    "2:\n"
    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
    "pxor %xmm\\i, %xmm\\i\n"
    ".endr\n"
    "3:\n"
    ".irp r, eax, ecx, edx, esi, edi, r8d, r9d, r10d, r11d\n"
    "xor %\\r, %\\r\n"
    ".endr\n"
    "ret\n"
    VSH_END("vsh_clear_registers"));
#elif defined(__aarch64__)
__asm__(
    VSH_BEGIN("vsh_wipe_stack", "hint #34  /* bti c */")
    "mov x1, sp\n"
    ".cfi_def_cfa_register x1\n"
    "movi v0.2d, #0\n"
    "1: stp q0, q0, [sp, #-64]!\n"
    "stp q0, q0, [sp, #32]\n"
    "subs x0, x0, #64\n"
    "b.hi 1b\n"
    "mov sp, x1\n"
    ".cfi_def_cfa_register sp\n"
    "ret\n"
    VSH_END("vsh_wipe_stack")

    VSH_BEGIN("vsh_clear_registers", "hint #34")
    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
    "movi v\\i\\().2d, #0\n"
    ".endr\n"
    ".irp i, 8, 9, 10, 11, 12, 13, 14, 15\n"  // a function preserves the low halves of these
    "ins v\\i\\().d[1], xzr\n"
    ".endr\n"
    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17\n"
    "mov x\\i, xzr\n"
    ".endr\n"
    "ret\n"
    VSH_END("vsh_clear_registers"));
#elif defined(__s390x__)
__asm__(
    VSH_BEGIN("vsh_wipe_stack", "")
    "xc 16(144, %r15), 16(%r15)\n"  // where the functions called before saved registers, which is in the caller's frame
    "lgr %r1, %r15\n"
    ".cfi_def_cfa_register %r1\n"
    "1: aghi %r15, -256\n"
    "xc 0(256, %r15), 0(%r15)\n"
    "aghi %r2, -256\n"
    "jh 1b\n"
    "lgr %r15, %r1\n"
    ".cfi_def_cfa_register %r15\n"
    "br %r14\n"
    VSH_END("vsh_wipe_stack")

    VSH_BEGIN("vsh_clear_registers", "")
    ".irp i, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "lzdr %f\\i\n"
    ".endr\n"
    ".irp i, 0, 1, 2, 3, 4, 5\n"
    "lghi %r\\i, 0\n"
    ".endr\n"
    "br %r14\n"
    VSH_END("vsh_clear_registers"));
#else  // RISC-V
__asm__(
    VSH_BEGIN("vsh_wipe_stack", "")
    "mv t0, sp\n"
    ".cfi_def_cfa_register t0\n"
    "1: addi sp, sp, -64\n"
    ".irp i, 0, 8, 16, 24, 32, 40, 48, 56\n"
    "sd zero, \\i(sp)\n"
    ".endr\n"
    "addi a0, a0, -64\n"
    "bgtz a0, 1b\n"
    "mv sp, t0\n"
    ".cfi_def_cfa_register sp\n"
    "ret\n"
    VSH_END("vsh_wipe_stack")

    VSH_BEGIN("vsh_clear_registers", "")
    ".irp r, t0, t1, t2, t3, t4, t5, t6, a0, a1, a2, a3, a4, a5, a6, a7\n"
    "mv \\r, zero\n"
    ".endr\n"
    "ret\n"
    VSH_END("vsh_clear_registers"));
#endif
#endif

namespace vsh {

void wipe(void* p, size_t len) noexcept {
  if (len == 0) return;  // p may be null, which memset does not allow
  std::memset(p, 0, len);
  // The memory is an input of this empty statement, so the stores above must happen.
  __asm__ __volatile__("" : : "r"(p) : "memory");
}

#if VSH_WIPES_IN_ASSEMBLER
namespace {

unsigned vector_registers() noexcept {
#if VSH_EMULATED
  return 1;  // AVX-512 is emulated
#else
  const uint32_t features = cpu::features();
  return features & cpu::kAvx512 ? 2 : features & cpu::kAvx2 ? 1 : 0;
#endif
}

}  // namespace

void wipe_stack(size_t len) noexcept { vsh_wipe_stack(len, vector_registers()); }

void clear_registers() noexcept { vsh_clear_registers(vector_registers()); }
#else
__attribute__((noinline)) void wipe_stack(size_t len) noexcept { wipe(__builtin_alloca(len), len); }

void clear_registers() noexcept {}
#endif

bool equal_constant_time(const void* a, const void* b, size_t len) noexcept {
  const auto* x = static_cast<const uint8_t*>(a);
  const auto* y = static_cast<const uint8_t*>(b);
  volatile uint8_t difference = 0;
  for (size_t i = 0; i < len; ++i) difference = difference | (x[i] ^ y[i]);
  return difference == 0;
}

}  // namespace vsh
