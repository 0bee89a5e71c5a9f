/* Encryption of disk sectors: XTS. Part of vershina.h, whose conventions hold here.
 *
 * XTS does not authenticate: a changed sector decrypts to noise without an error. docs/sectors.md describes what
 * it protects, its use in dm-crypt and VeraCrypt, and the sources of the limits below.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_DISK_H
#define VERSHINA_DISK_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sectors have 512 to 4096 bytes, a multiple of 512. Whatever their length, they are numbered by the units of 512
 * bytes before them, as Linux does it: the second sector of 4096 bytes has number 8. */
#define VSH_SECTOR_UNIT 512
#define VSH_MAX_SECTOR_LEN 4096

/* ---- XTS --------------------------------------------------------------------------------------------------------- */

/* XTS of IEEE 1619 with Kuznyechik in place of AES: dm-crypt's kuznyechik-xts-plain64 and the format of VeraCrypt. */
typedef struct vsh_xts vsh_xts;

/* Two keys of 32 bytes: for the data, then for the sectors' numbers. */
#define VSH_XTS_KEY_LEN 64
/* Bounds of a data unit in bytes: one block; 2^20 blocks (IEEE 1619-2018 5.1, NIST SP 800-38E). */
#define VSH_XTS_MIN_UNIT_LEN 16
#define VSH_XTS_MAX_UNIT_LEN 16777216

/* Creates a context. key: 64 bytes, whose halves must differ, because with equal halves a chosen ciphertext reveals the
 * key (Rogaway 2004, section 6). Only flags, threads and kernel of the options matter; those of other modes are
 * refused. One context serves both directions, and several threads at a time. Errors: ARGUMENT (equal halves too),
 * KEY_LENGTH, SEGMENT, SECTION, PADDING, SBOX, KERNEL_*, MEMORY. */
VSH_API vsh_status vsh_xts_new(vsh_xts** context, const uint8_t* key, size_t key_len, const vsh_options* options);
VSH_API void vsh_xts_free(vsh_xts* context);

/* Encrypt and decrypt num_sectors consecutive sectors of sector_len bytes. first_sector: the first one's number,
 * in units of 512 bytes and a multiple of sector_len / 512. in and out: num_sectors * sector_len bytes each. One call
 * for many sectors is faster than many calls, especially for short sectors. Errors: ARGUMENT, SECTOR (sector_len, or
 * first_sector inside of a sector), LIMIT (numbers beyond 2^64), MEMORY. */
VSH_API vsh_status vsh_xts_encrypt_sectors(const vsh_xts* context, uint8_t* out, const uint8_t* in, size_t num_sectors,
                                           size_t sector_len, uint64_t first_sector);
VSH_API vsh_status vsh_xts_decrypt_sectors(const vsh_xts* context, uint8_t* out, const uint8_t* in, size_t num_sectors,
                                           size_t sector_len, uint64_t first_sector);

/* Encrypt and decrypt one data unit of any length from 16 bytes to 16 MiB, with ciphertext stealing (IEEE 1619-2007,
 * 5.3.2). number: 16 bytes, the unit's number with the least significant byte first, or any other tweak unique under
 * this key. One thread. Errors: ARGUMENT, DATA_LENGTH (below 16 bytes), LIMIT (above 16 MiB). */
VSH_API vsh_status vsh_xts_encrypt_unit(const vsh_xts* context, uint8_t* out, const uint8_t* in, size_t len,
                                        const uint8_t* number);
VSH_API vsh_status vsh_xts_decrypt_unit(const vsh_xts* context, uint8_t* out, const uint8_t* in, size_t len,
                                        const uint8_t* number);

/* Returns the kernel for many blocks. Static storage. Never NULL. */
VSH_API const char* vsh_xts_kernel(const vsh_xts* context);

#ifdef __cplusplus
}
#endif
#endif
