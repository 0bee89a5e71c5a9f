// The Linux kernel's headers for a cipher, as far as kernel_sector.c needs them, for user space.
#pragma once
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

struct crypto_tfm {
  u8 context[512];
};
static inline void* crypto_tfm_ctx(struct crypto_tfm* tfm) { return tfm->context; }

struct crypto_alg {
  const char *cra_name, *cra_driver_name;
  int cra_priority;
  u32 cra_flags;
  unsigned cra_blocksize, cra_ctxsize;
  void* cra_module;
  union {
    struct {
      unsigned cia_min_keysize, cia_max_keysize;
      int (*cia_setkey)(struct crypto_tfm*, const u8*, unsigned);
      void (*cia_encrypt)(struct crypto_tfm*, u8*, const u8*);
      void (*cia_decrypt)(struct crypto_tfm*, u8*, const u8*);
    } cipher;
  } cra_u;
};

// In the kernel of a machine with fast unaligned access: 8 bytes at a time (include/crypto/utils.h).
static inline void crypto_xor_cpy(u8* out, const u8* a, const u8* b, unsigned len) {
  for (; len >= 8; len -= 8, out += 8, a += 8, b += 8) {
    u64 x, y;
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    x ^= y;
    memcpy(out, &x, 8);
  }
  for (; len > 0; --len) *out++ = *a++ ^ *b++;
}
static inline void crypto_xor(u8* out, const u8* in, unsigned len) { crypto_xor_cpy(out, out, in, len); }

#define CRYPTO_ALG_TYPE_CIPHER 1
#define THIS_MODULE NULL
#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))
#define LINUX_VERSION_CODE KERNEL_VERSION(6, 1, 0)
#define __init
#define __exit
static struct crypto_alg* registered;
static inline int crypto_register_alg(struct crypto_alg* alg) {
  registered = alg;
  return 0;
}
static inline void crypto_unregister_alg(struct crypto_alg* alg) { (void)alg; }
#define module_init(f) \
  static void register_it(void) { (void)f(); }
#define module_exit(f) \
  static void unregister_it(void) { f(); }
#define MODULE_DESCRIPTION(text) extern int unused_by_user_space
#define MODULE_LICENSE(text) extern int unused_by_user_space
#define MODULE_ALIAS_CRYPTO(text) extern int unused_by_user_space
