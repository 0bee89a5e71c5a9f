/* Key derivation, passwords, and key wrapping. Part of vershina.h, whose conventions hold here.
 *
 * Derivation uses HMAC over Streebog on secret data, so it always runs on constant-time kernels, and a table kernel is
 * refused (KERNEL_TABLES). Only kernel and threads of the options matter. An output may overlap the key, which is read
 * first, and no other input.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_KEYS_H
#define VERSHINA_KEYS_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Batches of HMAC ------------------------------------------------------------------------------------- */

/* No bytes of one job's tag may lie in another job's buffers, nor in its own key or message. */
typedef struct vsh_hmac_job {
  const uint8_t* key;
  size_t key_len; /* at least 1 */
  const uint8_t* in;
  size_t in_len;
  uint8_t* tag;
  size_t tag_len;    /* 1..vsh_mac_max_len */
  vsh_status status; /* set by the run: OK, ARGUMENT, KEY_LENGTH, MEMORY */
} vsh_hmac_job;

/* Authenticates many messages, each under its own key. algorithm: VSH_HMAC_STREEBOG256 or 512. Returns as
 * vsh_streams_run, or KERNEL_*. */
VSH_API vsh_status vsh_streams_hmac_jobs(vsh_mac_algorithm algorithm, vsh_hmac_job* jobs, size_t num_jobs,
                                         size_t job_size, const vsh_options* options);
static inline vsh_status vsh_streams_hmac(vsh_mac_algorithm algorithm, vsh_hmac_job* jobs, size_t num_jobs,
                                          const vsh_options* options) {
  return vsh_streams_hmac_jobs(algorithm, jobs, num_jobs, sizeof *jobs, options);
}

/* ---- Key derivation ---------------------------------------------------------------------------------------------- */

#define VSH_KDF_LEN 32

/* KDF_GOSTR3411_2012_256: RFC 7836 4.5, R 50.1.113-2016. out_len: VSH_KDF_LEN. key: 1 byte or more, usually 32. label,
 * seed: defined by the protocol, which should fix their lengths; NULL with 0.
 * Errors: ARGUMENT, KEY_LENGTH, KERNEL_*. */
VSH_API vsh_status vsh_kdf(uint8_t* out, size_t out_len, const uint8_t* key, size_t key_len, const uint8_t* label,
                           size_t label_len, const uint8_t* seed, size_t seed_len, const vsh_options* options);

/* KDF_TREE_GOSTR3411_2012_256: RFC 7836 4.4. counter_len: R, 1..4 bytes. out_len: L / 8, from 1 to
 * 32 * (2^(8 * counter_len) - 1) bytes; the length enters every part, so a shorter output is not a prefix of a longer
 * one. Errors: ARGUMENT, KEY_LENGTH, PARAMETERS (counter_len, out_len), KERNEL_*. */
VSH_API vsh_status vsh_kdf_tree(uint8_t* out, size_t out_len, const uint8_t* key, size_t key_len, unsigned counter_len,
                                const uint8_t* label, size_t label_len, const uint8_t* seed, size_t seed_len,
                                const vsh_options* options);

/* Pseudorandom functions of protocols: RFC 7836 4.2, R 50.1.113-2016 4.2. A shorter output is a prefix of a longer one.
 * */
typedef enum vsh_prf_algorithm {
  VSH_PRF_TLS_256 = 1, /* PRF_TLS_GOSTR3411_2012_256: P_hash of RFC 5246 5 over label | seed */
  VSH_PRF_TLS_512 = 2,
  VSH_PRF_IPSEC_KEYMAT_256 = 3, /* PRF_IPSEC_KEYMAT_GOSTR3411_2012_256: keying material of IKEv1 (RFC 2409 5.5) */
  VSH_PRF_IPSEC_KEYMAT_512 = 4,
  VSH_PRF_IPSEC_PRFPLUS_256 = 5, /* PRF_IPSEC_PRFPLUS_GOSTR3411_2012_256: prf+ of IKEv2 (RFC 7296 2.13) */
  VSH_PRF_IPSEC_PRFPLUS_512 = 6
} vsh_prf_algorithm;

/* Convert between algorithms and names such as "prf-tls-256". ARGUMENT for an unknown name; NULL past the end. */
VSH_API vsh_status vsh_prf_by_name(vsh_prf_algorithm* algorithm, const char* name);
VSH_API const char* vsh_prf_name(size_t i);

/* Computes out_len bytes: at least 1; PRFPLUS: at most 255 times 32 or 64. label: for PRF_TLS; NULL with 0 for the
 * others.
 * Errors: ARGUMENT, KEY_LENGTH, PARAMETERS (out_len, a label if none is allowed), KERNEL_*. */
VSH_API vsh_status vsh_prf(uint8_t* out, size_t out_len, vsh_prf_algorithm algorithm, const uint8_t* key,
                           size_t key_len, const uint8_t* label, size_t label_len, const uint8_t* seed, size_t seed_len,
                           const vsh_options* options);

/* ---- Passwords --------------------------------------------------------------------------------------------------- */

/* PBKDF2 with HMAC-Streebog-512: RFC 9337, R 50.1.111-2016. password: UTF-8 by the RFC, here any bytes; NULL with 0.
 * iterations: at least 1; RFC 9337 requires 1000 or more; today's machines need far more. out_len: at least 1; each
 * 64 bytes are an independent chain of iterations, and chains run side by side. The call cannot be interrupted: bound
 * the count of a hostile file before. Errors: ARGUMENT, PARAMETERS (iterations, out_len), KERNEL_*, MEMORY. */
VSH_API vsh_status vsh_pbkdf2(uint8_t* out, size_t out_len, const uint8_t* password, size_t password_len,
                              const uint8_t* salt, size_t salt_len, uint32_t iterations, const vsh_options* options);

/* No bytes of one job's output may lie in another job's buffers, nor in its own password or salt. */
typedef struct vsh_pbkdf2_job {
  const uint8_t* password;
  size_t password_len;
  const uint8_t* salt;
  size_t salt_len;
  uint32_t iterations;
  uint8_t* out;
  size_t out_len;
  vsh_status status; /* set by the run: OK, ARGUMENT, PARAMETERS, MEMORY */
} vsh_pbkdf2_job;

/* Runs PBKDF2 for many passwords or salts side by side, on the lanes of a kernel and on threads. Returns as
 * vsh_streams_run, or KERNEL_*. */
VSH_API vsh_status vsh_pbkdf2_jobs(vsh_pbkdf2_job* jobs, size_t num_jobs, size_t job_size, const vsh_options* options);
static inline vsh_status vsh_pbkdf2_batch(vsh_pbkdf2_job* jobs, size_t num_jobs, const vsh_options* options) {
  return vsh_pbkdf2_jobs(jobs, num_jobs, sizeof *jobs, options);
}

/* Ciphers of PBES2 and their OIDs: RFC 9337 section 5 (CTR-ACPKM: a `ukm` of 12 bytes for Magma, 16 for Kuznyechik),
 * and GOST 28147-89 in CFB as in R 50.1.112-2016 and RFC 4357 (an IV of 8 bytes, and an S-box set). */
typedef enum vsh_pbes2_cipher {
  VSH_PBES2_MAGMA_CTR_ACPKM = 1,           /* 1.2.643.7.1.1.5.1.1 */
  VSH_PBES2_MAGMA_CTR_ACPKM_OMAC = 2,      /* 1.2.643.7.1.1.5.1.2 */
  VSH_PBES2_KUZNYECHIK_CTR_ACPKM = 3,      /* 1.2.643.7.1.1.5.2.1 */
  VSH_PBES2_KUZNYECHIK_CTR_ACPKM_OMAC = 4, /* 1.2.643.7.1.1.5.2.2 */
  VSH_PBES2_GOST28147_CFB = 5              /* 1.2.643.2.2.21 */
} vsh_pbes2_cipher;

#define VSH_PBES2_MAX_SALT 64
#define VSH_PBES2_MAX_IV 16
#define VSH_PBES2_MAX_DER 192 /* no encoding is longer */

/* Parameters of a password-encrypted key or message: the AlgorithmIdentifier id-PBES2 of RFC 8018 A.4, with
 * PBKDF2 by HMAC-Streebog-512. */
typedef struct vsh_pbes2 {
  size_t struct_size; /* sizeof(vsh_pbes2) of the caller */
  vsh_pbes2_cipher cipher;
  vsh_sbox sbox;       /* GOST28147_CFB: TC26_Z, CRYPTOPRO_A..D, 28147_TEST; else DEFAULT */
  uint32_t iterations; /* at least 1 */
  size_t salt_len;     /* 8..VSH_PBES2_MAX_SALT; RFC 9337 uses 32 */
  size_t iv_len;       /* 12, 16 or 8 bytes, as the cipher requires */
  uint8_t salt[VSH_PBES2_MAX_SALT];
  uint8_t iv[VSH_PBES2_MAX_IV]; /* ukm, or IV */
} vsh_pbes2;

/* Encodes the whole AlgorithmIdentifier as DER. Errors: ARGUMENT, PARAMETERS, SBOX; CAPACITY with the length needed in
 * *der_len. */
VSH_API vsh_status vsh_pbes2_encode(uint8_t* der, size_t der_capacity, size_t* der_len, const vsh_pbes2* parameters);
/* Decodes an AlgorithmIdentifier; hostile input is safe. The key's length, if present, must be 32. The caller sets
 * struct_size, and bounds the iterations. Errors: ARGUMENT, FORMAT (not DER, or not PBES2), VERSION (another key
 * derivation, PRF, cipher or S-box set), PARAMETERS (lengths and counts out of range). */
VSH_API vsh_status vsh_pbes2_decode(vsh_pbes2* parameters, const uint8_t* der, size_t der_len);

/* ---- Trees of keys for records and packets ----------------------------------------------------------------------- */

/* Trees of the cipher suites TLS_GOSTR341112_256_WITH_…: RFC 9189 8.1 (TLS 1.2), RFC 9367 4.1.2 (TLS 1.3). */
typedef enum vsh_tlstree_suite {
  VSH_TLSTREE_KUZNYECHIK_CTR_OMAC = 1,
  VSH_TLSTREE_MAGMA_CTR_OMAC = 2,
  VSH_TLSTREE_KUZNYECHIK_MGM_L = 3,
  VSH_TLSTREE_MAGMA_MGM_L = 4,
  VSH_TLSTREE_KUZNYECHIK_MGM_S = 5, /* records up to 2^42 - 1 */
  VSH_TLSTREE_MAGMA_MGM_S = 6       /* records up to 2^39 - 1 */
} vsh_tlstree_suite;

/* Convert between suites and names such as "kuznyechik-mgm-l". ARGUMENT for an unknown name; NULL past the end. */
VSH_API vsh_status vsh_tlstree_by_name(vsh_tlstree_suite* suite, const char* name);
VSH_API const char* vsh_tlstree_name(size_t i);
/* Returns how many successive records share a key: record i has the key of record i - i % records. 0: no such suite. */
VSH_API uint64_t vsh_tlstree_records(vsh_tlstree_suite suite);

/* Holds a root key and the derivations of the last key, so that keys in order cost one derivation or none instead of
 * three. */
typedef struct vsh_tlstree vsh_tlstree;
/* Creates a tree. root: 32 bytes. Errors: ARGUMENT, KEY_LENGTH, KERNEL_*, MEMORY. */
VSH_API vsh_status vsh_tlstree_new(vsh_tlstree** tree, vsh_tlstree_suite suite, const uint8_t* root, size_t root_len,
                                   const vsh_options* options);
VSH_API void vsh_tlstree_free(vsh_tlstree* tree);
/* Derives the key of record `seqnum`, in any order. key_len: VSH_KDF_LEN. Errors: ARGUMENT, LIMIT (beyond the suite's
 * SNMAX: RFC 9189 4.3.5, RFC 9367 4.1.3). */
VSH_API vsh_status vsh_tlstree_key(vsh_tlstree* tree, uint8_t* key, size_t key_len, uint64_t seqnum);

/* ESPTREE, RFC 9227: i1, i2, i3 (8, 16, 16 bits) begin the IV of an ESP packet; the following 24 bits distinguish the
 * packets under one key. Errors and lengths as for TLSTREE. */
typedef struct vsh_esptree vsh_esptree;
VSH_API vsh_status vsh_esptree_new(vsh_esptree** tree, const uint8_t* root, size_t root_len,
                                   const vsh_options* options);
VSH_API void vsh_esptree_free(vsh_esptree* tree);
VSH_API vsh_status vsh_esptree_key(vsh_esptree* tree, uint8_t* key, size_t key_len, uint8_t i1, uint16_t i2,
                                   uint16_t i3);

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
 * An IV must not occur twice under the same key encryption key (RFC 9189 8.2.1; UKM and seed are random). With KExp15
 * the caller stores the IV; the others prepend it to the wrapped key. An IMIT of 4 bytes accepts one forgery in 2^32:
 * use KExp15 in new designs. */
typedef enum vsh_wrap_algorithm {
  VSH_KEXP15_KUZNYECHIK = 1, /* R 1323565.1.017-2018, RFC 9189 8.2.1: KExp15, KImp15 */
  VSH_KEXP15_MAGMA = 2,
  VSH_WRAP_GOST28147 = 3, /* RFC 4357 6.1, 6.2; KExp28147 of RFC 9189 8.2.2. Never under a KEK that wraps more than one
                             key: RFC 4357 6.1 */
  VSH_WRAP_CRYPTOPRO = 4, /* RFC 4357 6.3 to 6.5: the same with a KEK diversified by the UKM */
  VSH_WRAP_RFC7836 = 5    /* RFC 7836 4.6: the same with a KEK derived by KDF_GOSTR3411_2012_256 from the seed */
} vsh_wrap_algorithm;

/* "kexp15-kuznyechik", "kexp15-magma", "gost28147", "cryptopro", "rfc7836". ARGUMENT for an unknown name. */
VSH_API vsh_status vsh_wrap_by_name(vsh_wrap_algorithm* algorithm, const char* name);
/* Returns the i-th name, in a stable order; NULL past the end. Static storage. */
VSH_API const char* vsh_wrap_name(size_t i);

/* Return the length of the key encryption key and of the usual IV; 0 for an unknown algorithm. */
VSH_API size_t vsh_wrap_kek_len(vsh_wrap_algorithm algorithm);
VSH_API size_t vsh_wrap_iv_len(vsh_wrap_algorithm algorithm);
/* Returns the length of a wrapped key; 0 if the algorithm does not take such an IV or key. */
VSH_API size_t vsh_wrapped_len(vsh_wrap_algorithm algorithm, size_t iv_len, size_t key_len);

/* Wraps a key. *out_len: vsh_wrapped_len. out == key allowed. kek: for KExp15 K_Exp_MAC, then K_Exp_ENC, which must be
 * independent (RFC 9189 8.2.1): equal ones are refused. options: sbox for the wraps of GOST 28147-89 (RFC 7836 requires
 * the default), flags, kernel; these wraps run on the kernels "serial...", as IMIT does.
 * Errors: ARGUMENT, KEY_LENGTH (of the KEK), IV_LENGTH, DATA_LENGTH (of the key), SBOX, KERNEL_*, CAPACITY (*out_len is
 * the length needed), LIMIT (more than 2^(4n) blocks), MEMORY. */
VSH_API vsh_status vsh_wrap(uint8_t* out, size_t out_capacity, size_t* out_len, vsh_wrap_algorithm algorithm,
                            const uint8_t* kek, size_t kek_len, const uint8_t* iv, size_t iv_len, const uint8_t* key,
                            size_t key_len, const vsh_options* options);
/* Checks a wrapped key in constant time, and only then writes the key (one of more than 16 KiB is written first, and on
 * TAG erased, or in place wrapped again). The output is what was checked, even if `in` is changed during the call. iv:
 * for KExp15 the one used for wrapping; for the others empty, or the one that must precede the wrapped key, else TAG.
 * key == in allowed.
 * Errors: as vsh_wrap (DATA_LENGTH: of the wrapped key), and TAG. */
VSH_API vsh_status vsh_unwrap(uint8_t* key, size_t key_capacity, size_t* key_len, vsh_wrap_algorithm algorithm,
                              const uint8_t* kek, size_t kek_len, const uint8_t* iv, size_t iv_len, const uint8_t* in,
                              size_t in_len, const vsh_options* options);

#ifdef __cplusplus
}
#endif
#endif
