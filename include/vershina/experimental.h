/* Algorithms that were checked against no official text or vector. Not part of vershina.h, whose conventions hold here,
 * nor of its stable ABI: declarations here may change or disappear in any version.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_EXPERIMENTAL_H
#define VERSHINA_EXPERIMENTAL_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

/* DEC of R 1323565.1.042-2022 with Kuznyechik, as one public implementation interprets that document; another one
 * differs, and no official text or vector was available (docs/sectors.md has details): do not store data under it.
 * A disk has partitions, each with a counter, and those have sectors, each with a counter of its rewritings. The caller
 * stores both counters: a sector written twice under the same counters reveals both contents. */
typedef struct vsh_dec_experimental vsh_dec_experimental;

/* Creates a context for a partition. key: 32 bytes. sector_len: 512, 1024, 2048 or 4096 bytes. options must have
 * VSH_ALLOW_EXPERIMENTAL; besides it only the flag for tables and kernel matter; options of other modes are refused.
 * Errors: EXPERIMENTAL, ARGUMENT, KEY_LENGTH, SECTOR, SEGMENT, SECTION, PADDING, SBOX, KERNEL_*, MEMORY. */
VSH_API vsh_status vsh_dec_experimental_new(vsh_dec_experimental** context, const uint8_t* key, size_t key_len,
                                            uint64_t partition, uint64_t partition_counter, size_t sector_len,
                                            const vsh_options* options);
VSH_API void vsh_dec_experimental_free(vsh_dec_experimental* context);

/* Encrypts or decrypts (the same operation) num_sectors sectors from number first_sector of the partition on (counted
 * in whole sectors, unlike XTS). counters: one per sector; increment a sector's counter before it is rewritten. Errors:
 * ARGUMENT, LIMIT (a counter of 2^64 / (sector_len / 16) or more; numbers beyond 2^64), MEMORY. */
VSH_API vsh_status vsh_dec_experimental_crypt(vsh_dec_experimental* context, uint8_t* out, const uint8_t* in,
                                              size_t num_sectors, uint64_t first_sector, const uint64_t* counters);

#ifdef __cplusplus
}
#endif
#endif
