/* Key derivation, passwords, and key wrapping. Part of vershina.h, whose conventions hold here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_KEYS_H
#define VERSHINA_KEYS_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Key wrapping ------------------------------------------------------------------------------------------------ */

/* Encrypts a key under another one, with a check value. Lengths in bytes; n is the cipher's block.
 *
 *  algorithm          key encryption key         IV                 key     wrapped key
 *  KEXP15_KUZNYECHIK  64: K_Exp_MAC, K_Exp_ENC   8                  any     key + 16: ciphertext of key and OMAC
 *  KEXP15_MAGMA       64                         4                  any     key + 8
 *  WRAP_GOST28147     32                         8 (UKM)            32      44: UKM, ciphertext, 4 bytes of IMIT
 *  WRAP_CRYPTOPRO     32                         8 (UKM)            32      44: the same
 *  WRAP_RFC7836       32                         8 to 16 (seed)     32, 64  IV + key + 4: seed, ciphertext, IMIT
 *
 * An IV must not occur twice under the same key encryption key (RFC 9189 8.2.1; UKM and seed are drawn at random). KExp15
 * leaves it to the caller to keep; the others put it in front of the wrapped key. An IMIT of 4 bytes lets one forgery in 2^32
 * through: for new designs take KExp15. */
typedef enum vsh_wrap_algorithm {
  VSH_KEXP15_KUZNYECHIK = 1, /* R 1323565.1.017-2018, RFC 9189 8.2.1: KExp15, KImp15 */
  VSH_KEXP15_MAGMA = 2,
  VSH_WRAP_GOST28147 = 3, /* RFC 4357 6.1, 6.2; RFC 9189 8.2.2 calls it KExp28147. Never under a KEK that serves for more
                             than one key: RFC 4357 6.1 */
  VSH_WRAP_CRYPTOPRO = 4, /* RFC 4357 6.3 to 6.5: the same with a KEK diversified by the UKM */
  VSH_WRAP_RFC7836 = 5    /* RFC 7836 4.6: the same with a KEK derived by KDF_GOSTR3411_2012_256 from the seed */
} vsh_wrap_algorithm;

/* "kexp15-kuznyechik", "kexp15-magma", "gost28147", "cryptopro", "rfc7836". ARGUMENT for an unknown name. */
VSH_API vsh_status vsh_wrap_by_name(vsh_wrap_algorithm* algorithm, const char* name);
/* The i-th name, in a stable order; NULL past the end. Static storage. */
VSH_API const char* vsh_wrap_name(size_t i);

/* Bytes of the key encryption key, and of the usual IV; 0 for an unknown algorithm. */
VSH_API size_t vsh_wrap_kek_len(vsh_wrap_algorithm algorithm);
VSH_API size_t vsh_wrap_iv_len(vsh_wrap_algorithm algorithm);
/* Bytes of a wrapped key; 0 where the algorithm takes no such IV or no such key. */
VSH_API size_t vsh_wrapped_len(vsh_wrap_algorithm algorithm, size_t iv_len, size_t key_len);

/* Wraps a key. *out_len: vsh_wrapped_len. out == key allowed. kek: of KExp15 K_Exp_MAC then K_Exp_ENC, which must be
 * independent (RFC 9189 8.2.1): equal ones are refused. options: sbox for the wraps of GOST 28147-89 (RFC 7836 wants the
 * default), flags, kernel; these wraps run on the kernels "serial...", as IMIT does.
 * Errors: ARGUMENT, KEY_LENGTH (of the KEK), IV_LENGTH, DATA_LENGTH (of the key), SBOX, KERNEL_*, CAPACITY (*out_len says how
 * much is needed), LIMIT (more than 2^(4n) blocks), MEMORY. */
VSH_API vsh_status vsh_wrap(uint8_t* out, size_t out_capacity, size_t* out_len, vsh_wrap_algorithm algorithm,
                            const uint8_t* kek, size_t kek_len, const uint8_t* iv, size_t iv_len, const uint8_t* key,
                            size_t key_len, const vsh_options* options);
/* Checks a wrapped key in constant time, and only then writes the key. iv: of KExp15 the same as when it was wrapped; of the
 * others empty, or the one that must stand in front of the wrapped key, else TAG. key == in allowed.
 * Errors: as vsh_wrap (DATA_LENGTH: of the wrapped key), and TAG. */
VSH_API vsh_status vsh_unwrap(uint8_t* key, size_t key_capacity, size_t* key_len, vsh_wrap_algorithm algorithm,
                              const uint8_t* kek, size_t kek_len, const uint8_t* iv, size_t iv_len, const uint8_t* in,
                              size_t in_len, const vsh_options* options);

#ifdef __cplusplus
}
#endif
#endif
