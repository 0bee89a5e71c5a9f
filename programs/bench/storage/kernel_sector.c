// Times sectors of 4 KiB as dm-crypt has them enciphered by the kernel's generic Kuznyechik, compiled in user space:
// the template xts of the kernel XORs the tweaks to the whole sector, calls the cipher for each block, and XORs them
// again. The cipher's source is the user's (GPL): run.py compiles this with -include kernel_headers.h and -include
// kuznyechik_generic.c. Prints the microseconds of a sector, encrypted and decrypted.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kSector = 4096, kBlock = 16 };
typedef void (*Cipher)(struct crypto_tfm*, u8*, const u8*);

static void next_tweak(u64 tweak[2]) {
  const u64 carry = tweak[1] >> 63;
  tweak[1] = tweak[1] << 1 | tweak[0] >> 63;
  tweak[0] = tweak[0] << 1 ^ (carry ? 0x87 : 0);
}

static void xor_tweaks(u8* out, const u8* in, const u8 first[kBlock]) {
  u64 tweak[2];
  memcpy(tweak, first, kBlock);
  for (int i = 0; i < kSector; i += kBlock) {
    crypto_xor_cpy(out + i, in + i, (const u8*)tweak, kBlock);
    next_tweak(tweak);
  }
}

static void crypt_sector(Cipher cipher, struct crypto_tfm* data, struct crypto_tfm* numbers, u8* out, const u8* in,
                         u64 number) {
  u8 tweak[kBlock] = {0};
  memcpy(tweak, &number, sizeof number);
  registered->cra_u.cipher.cia_encrypt(numbers, tweak, tweak);
  xor_tweaks(out, in, tweak);
  for (int i = 0; i < kSector; i += kBlock) cipher(data, out + i, out + i);
  xor_tweaks(out, out, tweak);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? atof(argv[1]) : 1.0;
  register_it();
  static struct crypto_tfm data, numbers;
  static u8 plain[kSector], out[kSector], again[kSector];
  // GOST R 34.12-2015, A.1.
  const u8 key[32] = {0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                      0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
  const u8 text[kBlock] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x00,
                           0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88};
  const u8 code[kBlock] = {0x7f, 0x67, 0x9d, 0x90, 0xbe, 0xbc, 0x24, 0x30,
                           0x5a, 0x46, 0x8d, 0x42, 0xb9, 0xd4, 0xed, 0xcd};
  const Cipher encrypt = registered->cra_u.cipher.cia_encrypt, decrypt = registered->cra_u.cipher.cia_decrypt;
  (void)registered->cra_u.cipher.cia_setkey(&data, key, sizeof key);
  u8 other[32];
  for (int i = 0; i < 32; ++i) other[i] = (u8)(key[i] ^ 0x55);
  (void)registered->cra_u.cipher.cia_setkey(&numbers, other, sizeof other);
  encrypt(&data, out, text);
  if (memcmp(out, code, kBlock) != 0) return fprintf(stderr, "the cipher is wrong\n"), 1;
  for (int i = 0; i < kSector; ++i) plain[i] = (u8)(i * 7);
  crypt_sector(encrypt, &data, &numbers, out, plain, 5);
  crypt_sector(decrypt, &data, &numbers, again, out, 5);
  if (memcmp(plain, again, kSector) != 0) return fprintf(stderr, "the sector is wrong\n"), 1;

  for (int direction = 0; direction < 2; ++direction) {
    double best = 1e9;
    for (const double end = now() + seconds / 2; now() < end;) {
      const double begin = now();
      for (u64 i = 0; i < 20; ++i) crypt_sector(direction ? decrypt : encrypt, &data, &numbers, out, out, i);
      const double each = (now() - begin) / 20;
      if (each < best) best = each;
    }
    printf("%.3f\n", best * 1e6);
  }
  unregister_it();
  return 0;
}
