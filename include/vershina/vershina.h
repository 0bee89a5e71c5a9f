/* Vershina: Russian symmetric cryptography (Kuznyechik, Magma, GOST 28147-89, Streebog). Stable C ABI: docs/packages.md
 *
 * Conventions
 *  - Every function that can fail returns a vsh_status; VSH_OK is 0. On any other status outputs are untouched, unless
 *    the function's comment says otherwise.
 *  - Order of parameters: context, out, in. `_len` and `_capacity` count bytes, `num_` counts objects.
 *  - A context belongs to its creator, who frees it with its _free function (NULL allowed), which wipes every secret.
 *  - Thread safety: there is no shared mutable state. Different contexts may be used by different threads at the same
 *    time; one context by one thread at a time. Functions without a context are safe anywhere.
 *  - Input and output may be the same buffer (in place) or must not overlap at all. No other thread or process may
 *    write to either during a call; vsh_aead_open and similar functions document what happens if one does.
 *  - Buffers need no alignment. A pointer may be NULL only if its length is 0 or if the comment allows it.
 *  - Constant time: no branch and no address depends on a key, on data, or on a user's own S-box. Keys and
 *    data are secret; the verdict of a verification is public once returned; lengths, algorithms, IVs and options
 *    are not. Table kernels, which do not keep this promise, run only under VSH_ALLOW_TABLES or VSH_INPUT_IS_PUBLIC.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_VERSHINA_H
#define VERSHINA_VERSHINA_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define VSH_API __attribute__((visibility("default")))
#else
#define VSH_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version and status ------------------------------------------------------------------------------------------ */

#define VSH_VERSION_MAJOR 0
#define VSH_VERSION_MINOR 3
#define VSH_VERSION_PATCH 0

typedef enum vsh_status {
  VSH_OK = 0,
  VSH_E_ARGUMENT = 1,        /* NULL where data is needed, unknown enumerator, overlapping buffers, wrong struct_size */
  VSH_E_KEY_LENGTH = 2,      /* keys have 32 bytes; those of HMAC, PRFs and KDFs at least 1 */
  VSH_E_IV_LENGTH = 3,       /* the IV's length is not one that the mode allows (see vsh_mode) */
  VSH_E_SEGMENT = 4,         /* a segment of CTR, CFB, OFB is 1 byte to one block long; other modes take none */
  VSH_E_PADDING = 5,         /* unknown padding, or a padding for a mode that has none */
  VSH_E_DATA_LENGTH = 6,     /* not a whole number of blocks where no padding is in force; MGM: neither data nor text */
  VSH_E_BAD_PADDING = 7,     /* decryption found impossible padding: wrong key, wrong mode, or damaged data */
  VSH_E_SBOX = 8,            /* unknown set, a row that is not a permutation, or a set given to Kuznyechik or Magma */
  VSH_E_CAPACITY = 9,        /* the output buffer is too small; *out_len is the length needed */
  VSH_E_KERNEL_UNKNOWN = 10, /* no kernel of that name for this algorithm in this build */
  VSH_E_KERNEL_CPU = 11,     /* this CPU cannot run that kernel */
  VSH_E_KERNEL_TABLES = 12,  /* a table kernel was named, and the caller did not allow tables */
  VSH_E_STATE = 13,          /* called after final, or seek in a mode without it */
  VSH_E_MEMORY = 14,         /* out of memory */
  VSH_E_TAG = 15,            /* verification failed */
  VSH_E_LIMIT = 16,          /* more data than the mode allows under one IV */
  VSH_E_SELFTEST = 17,       /* a known-answer test failed: this build must not be used */
  VSH_E_JOB = 18,            /* some job of a batch failed: each job's own status says which and why */
  VSH_E_NONCE = 19,          /* a nonce of the right length that the mode forbids (MGM: its top bit must be 0) */
  VSH_E_TAG_LENGTH = 20,     /* no tag of that length, or a short one without VSH_ALLOW_SHORT_TAGS */
  VSH_E_SECTION = 21,        /* ACPKM: a section must be a whole number of blocks, and the mode must have sections; key
                                meshing: the mode has none */
  VSH_E_SECTOR = 22,         /* a sector length that the disk mode does not allow */
  VSH_E_FORMAT = 24,         /* not a sealed file, or its header is damaged or was tampered with; PBES2: other
                                parameters, or not DER */
  VSH_E_VERSION = 25,        /* a version or algorithms that this library does not know: a sealed file's, PBES2's */
  VSH_E_PARAMETERS = 26,     /* parameters out of range: iteration counts, sizes */
  VSH_E_WRONG_KEY = 27,      /* no recipient of the sealed file opens with this secret, or one that is not authentic */
  VSH_E_CHUNK = 28,          /* a chunk of a sealed file is damaged, or is not in its place */
  VSH_E_TRUNCATED = 29,      /* a sealed file is truncated, or continues after its end */
  VSH_E_RANDOM = 30,         /* the system provided no random bytes */
  VSH_E_DEVICE = 31,         /* vsh_options.device: device not found, device failed, or operation not supported on
                                devices; vsh_device_message has the details */
  VSH_E_LIBRARY = 32,        /* a library that is loaded when it is needed is missing: libargon2, of sealed files */
  VSH_E_SPI = 33,            /* ESP: no inbound security association has the packet's SPI */
  VSH_E_REPLAY = 34          /* ESP: a sequence number that was seen, or is left of the anti-replay window */
} vsh_status;

/* Returns one English sentence without a full stop, for display. Never NULL. Static storage. */
VSH_API const char* vsh_status_message(vsh_status status);
/* Returns the constant's name, "VSH_E_NONCE", for logs; "unknown" for any other number. Never NULL. Static storage. */
VSH_API const char* vsh_status_name(vsh_status status);

/* Returns the version of the running library, "MAJOR.MINOR.PATCH". Static storage. */
VSH_API const char* vsh_version(void);

/* ---- Names ------------------------------------------------------------------------------------------------------- */

typedef enum vsh_cipher_algorithm {
  VSH_KUZNYECHIK = 1, /* GOST R 34.12-2015 clause 4, RFC 7801: block 16 bytes, key 32 */
  VSH_MAGMA = 2,      /* GOST R 34.12-2015 clause 5, RFC 8891: block 8, key 32; S-boxes id-tc26-gost-28147-param-Z */
  VSH_GOST28147 = 3   /* GOST 28147-89, RFC 5830: block 8, key 32; S-boxes by vsh_options.sbox */
} vsh_cipher_algorithm;

/* Modes of GOST R 34.13-2015 (Kuznyechik, Magma) and GOST 28147-89. n is the block in bytes.
 *
 *  mode  algorithms        IV length in bytes          segment  padding           whole blocks only
 *  ECB   all               0                           -        procedure 2, ...  without padding
 *  CTR   Kuznyechik, Magma n/2 (clause 5.2)            1..n     -                 no
 *  OFB   Kuznyechik, Magma z*n, z = 1..VSH_MAX_REGISTER (5.3)  1..n  -            no
 *  CBC   all               z*n; GOST 28147-89: n       -        procedure 2, ...  without padding
 *  CFB   all               z*n; GOST 28147-89: n       1..n     -                 no
 *  CNT   GOST 28147-89     n (RFC 5830 clause 6)       -        -                 no
 *  CTR_ACPKM  Kuznyechik, Magma  n/2 (RFC 8645 6.2.2)  1..n     -                 no
 *
 * CTR_ACPKM is CTR whose key changes after every vsh_options.section_len bytes: a multiple of the block and of the
 * segment. 0 selects the lengths of TLS 1.2 (RFC 9189), 4096 bytes for Kuznyechik and 1024 for Magma; CMS uses 262144
 * and 8192 (R 1323565.1.025-2019). A message has at most 2^(4n - 1) segments (LIMIT): 16 GiB of Magma.
 *
 * The counter of CTR starts at IV || 0 and counts modulo 2^(8n) over the whole block, as the clause requires. From
 * 2^(4n) blocks on (32 GiB of Magma) the keystream (gamma in GOST) therefore repeats that of the next IVs: stay below,
 * and change the key long before.
 */
typedef enum vsh_mode {
  VSH_ECB = 1,
  VSH_CTR = 2,
  VSH_OFB = 3,
  VSH_CBC = 4,
  VSH_CFB = 5,
  VSH_CNT = 6,
  VSH_CTR_ACPKM = 7 /* Kuznyechik, Magma; RFC 8645 6.2.2, R 1323565.1.017-2018: vsh_options.section_len */
} vsh_mode;

/* The longest register of OFB, CBC and CFB, in blocks (the standard sets no bound; its examples use 2 and 3). */
#define VSH_MAX_REGISTER 16

typedef enum vsh_direction { VSH_ENCRYPT = 1, VSH_DECRYPT = 2 } vsh_direction;

typedef enum vsh_padding {
  VSH_PADDING_DEFAULT = 0, /* procedure 2 for ECB and CBC, none elsewhere */
  VSH_PADDING_NONE = 1,    /* the data must be whole blocks */
  VSH_PADDING_1 = 2,       /* GOST R 34.13-2015 4.1.1: zeros up to a whole block; decryption removes nothing */
  VSH_PADDING_2 = 3,       /* 4.1.2: one bit 1, then zeros; always adds 1..n bytes */
  VSH_PADDING_PKCS7 = 4    /* RFC 5652 6.3, the padding of `openssl enc` */
} vsh_padding;

/* Named S-box sets of GOST 28147-89. */
typedef enum vsh_sbox {
  VSH_SBOX_DEFAULT = 0,           /* VSH_SBOX_TC26_Z */
  VSH_SBOX_TC26_Z = 1,            /* id-tc26-gost-28147-param-Z, RFC 7836 C */
  VSH_SBOX_CRYPTOPRO_A = 2,       /* id-Gost28147-89-CryptoPro-A-ParamSet, RFC 4357 11.2 */
  VSH_SBOX_CRYPTOPRO_B = 3,       /* ...-B-... */
  VSH_SBOX_CRYPTOPRO_C = 4,       /* ...-C-... */
  VSH_SBOX_CRYPTOPRO_D = 5,       /* ...-D-... */
  VSH_SBOX_28147_TEST = 6,        /* id-Gost28147-89-TestParamSet */
  VSH_SBOX_3411_94_TEST = 7,      /* id-GostR3411-94-TestParamSet */
  VSH_SBOX_3411_94_CRYPTOPRO = 8, /* id-GostR3411-94-CryptoProParamSet */
  VSH_SBOX_CUSTOM = 9             /* vsh_options.custom_sbox; constant time, slower than the named sets */
} vsh_sbox;

/* Changes the key every 1024 bytes (RFC 4357 2.3.2), as many protocols with GOST 28147-89 do. In CNT, CFB (segments of
 * a block) and CBC the IV or counter is encrypted with the new key; IMIT changes the key only. */
typedef enum vsh_key_meshing { VSH_MESHING_NONE = 0, VSH_MESHING_CRYPTOPRO = 1 } vsh_key_meshing;

typedef enum vsh_hash_algorithm {
  VSH_STREEBOG256 = 1, /* GOST R 34.11-2012, RFC 6986: 32 bytes out */
  VSH_STREEBOG512 = 2, /* 64 bytes out */
  /* GOST R 34.11-94 (RFC 5831): 32 bytes out; broken in theory, for checking old signatures only */
  VSH_GOST94_CRYPTOPRO = 3, /* S-boxes id-GostR3411-94-CryptoProParamSet (RFC 4357 11.2) */
  VSH_GOST94_TEST = 4       /* S-boxes id-GostR3411-94-TestParamSet */
} vsh_hash_algorithm;

typedef enum vsh_mac_algorithm {
  VSH_KUZNYECHIK_MAC = 1, /* GOST R 34.13-2015 clause 5.6 (the construction of CMAC): up to 16 bytes */
  VSH_MAGMA_MAC = 2,      /* the same over Magma: up to 8 bytes */
  VSH_GOST28147_IMIT = 3, /* RFC 5830 clause 8 (16 rounds): up to 8 bytes, 4 are usual. Messages of 0 to 8 bytes are
                             zero-filled to two blocks */
  VSH_KUZNYECHIK_OMAC_ACPKM = 4, /* RFC 8645 6.3.6, R 1323565.1.017-2018: up to 16 bytes */
  VSH_MAGMA_OMAC_ACPKM = 5,      /* up to 8 bytes */
  VSH_HMAC_STREEBOG256 = 6,      /* RFC 7836 4.1, R 50.1.113-2016: up to 32 bytes; a key of any length */
  VSH_HMAC_STREEBOG512 = 7       /* up to 64 bytes */
} vsh_mac_algorithm;

/* Convert names such as "kuznyechik-ctr" to enumerators. VSH_E_ARGUMENT for an unknown name or combination. */
VSH_API vsh_status vsh_cipher_by_name(vsh_cipher_algorithm* algorithm, vsh_mode* mode, const char* name);
VSH_API vsh_status vsh_hash_by_name(vsh_hash_algorithm* algorithm, const char* name); /* "streebog256" */
VSH_API vsh_status vsh_mac_by_name(vsh_mac_algorithm* algorithm, const char* name);   /* "magma-mac" */
VSH_API vsh_status vsh_sbox_by_name(vsh_sbox* sbox, const char* name); /* "cryptopro-a", "tc26-z", or the id-... name */
/* Return the i-th cipher-mode, hash, MAC or S-box name, in a stable order; NULL past the end. Static storage. */
VSH_API const char* vsh_cipher_name(size_t i);
VSH_API const char* vsh_hash_name(size_t i);
VSH_API const char* vsh_mac_name(size_t i);
VSH_API const char* vsh_sbox_name(size_t i);

#define VSH_KEY_LEN 32
#define VSH_MAX_BLOCK_LEN 16

VSH_API size_t vsh_block_len(vsh_cipher_algorithm algorithm); /* bytes; 0 for an unknown algorithm */
VSH_API size_t vsh_hash_len(vsh_hash_algorithm algorithm);    /* bytes; 0 for an unknown algorithm */
VSH_API size_t vsh_mac_max_len(vsh_mac_algorithm algorithm);  /* bytes; 0 for an unknown algorithm */
/* Returns the usual IV length of a mode in bytes: n/2 for CTR, n for the others, 0 for ECB. */
VSH_API size_t vsh_iv_len(vsh_cipher_algorithm algorithm, vsh_mode mode);

/* ---- Options ----------------------------------------------------------------------------------------------------- */

/* Flags of vsh_options. */
#define VSH_ALLOW_TABLES 1u     /* table kernels may be chosen: faster one block at a time, not constant-time */
#define VSH_INPUT_IS_PUBLIC 2u  /* hashing only: the message is public, so table kernels may be chosen */
#define VSH_ALLOW_SHORT_TAGS 4u /* AEAD: tags below 8 bytes, which 2^(8 * tag_len) attempts forge */

/* Start from VSH_OPTIONS_INIT. A NULL options pointer means the defaults. */
typedef struct vsh_options {
  size_t struct_size; /* sizeof(vsh_options) of the caller; lets the struct grow */
  uint32_t flags;
  vsh_padding padding;        /* ECB and CBC */
  size_t segment_len;         /* s in bytes for CTR, CFB, OFB; 0 means the block length */
  vsh_sbox sbox;              /* GOST 28147-89 */
  const uint8_t* custom_sbox; /* VSH_SBOX_CUSTOM: 8 rows of 16 values 0..15; row i substitutes nibble i, 0 = least
                                 significant; each row must be a permutation. Copied. NULL for other sets */
  unsigned threads;           /* at most this many threads for large buffers; 0: all, 1 (default): the caller's only */
  const char* kernel;         /* forces the algorithm's kernel by its variant alone ("avx2"); NULL: VERSHINA_KERNEL (see
                                 below), else the best one. IMIT runs on the kernels "serial...", one block at a time */
  size_t section_len;         /* ACPKM: bytes under one section key, a multiple of the block; 0: the mode's default, see
                                 vsh_mode and vsh_aead_algorithm; OMAC-ACPKM: 4096 */
  size_t master_section_len;  /* OMAC-ACPKM: bytes of key material under one master key, T* of RFC 8645, a multiple of
                                 the block; 0: 4096 for Kuznyechik, 1024 for Magma, as in the GOST engine */
  vsh_key_meshing key_meshing; /* GOST 28147-89 in CFB, CNT, CBC and IMIT */
  const char* device;          /* device for large requests, see below; NULL: "cpu". In 0.1.0 the struct ended before
                                  this member, and that struct_size remains valid */
} vsh_options;

/* The environment's VERSHINA_KERNEL counts where vsh_options.kernel is NULL. Its form is another one, a list of
 * algorithm:variant (VERSHINA_KERNEL=kuznyechik:avx2,gost28147:portable). Algorithms are kuznyechik, magma, gost28147,
 * streebog and gf2n: the products of MGM and XTS, whose kernel only the variable forces, as vsh_options.kernel is the
 * cipher's. A list that is malformed, or names a kernel that this build does not have, is refused as a whole: new
 * contexts fail with KERNEL_UNKNOWN. */

/* Devices: GPUs through CUDA or OpenCL (vsh_device in device.h lists them).
 *   "cpu"                       the processor
 *   "auto"                      devices for requests and batches of at least the size from which
 *                               `vershina tune --device all` measured them to be faster; the processor otherwise
 *   "all"                       every device and the processor together
 *   "cuda:N", "opencl:P.D"      this device
 * Requests of 64 KiB and more in ECB, CTR, CNT, CBC and CFB decryption (segments of a block, keys that do not change),
 * MGM and XTS, batches of messages of equal length, and batches of packets can go to a device; everything else runs on
 * the processor. If a device fails, "auto" and "all" finish on the processor: the status is OK, and vsh_device_message
 * describes the failure. A named device is mandatory: VSH_E_DEVICE if it is not found or fails, or if the operation is
 * a chain (CBC encryption, OFB, a MAC, a hash), which devices do not support; a failure in the middle ends the message,
 * and its output is invalid. */

#define VSH_OPTIONS_INIT \
  { sizeof(vsh_options), 0, VSH_PADDING_DEFAULT, 0, VSH_SBOX_DEFAULT, NULL, 1, NULL, 0, 0, VSH_MESHING_NONE, NULL }

/* Returns the last device failure in this thread, for display: a sentence, or a compiler's log. Empty if there was
 * none. Valid until the next call in this thread. Never NULL. */
VSH_API const char* vsh_device_message(void);

/* ---- Encryption -------------------------------------------------------------------------------------------------- */

typedef struct vsh_cipher vsh_cipher;

/* Creates a context for one direction. key: 32 bytes. iv: iv_len bytes as vsh_mode says.
 * Errors: ARGUMENT, KEY_LENGTH, IV_LENGTH, SEGMENT, SECTION, PADDING, SBOX, KERNEL_*, DEVICE, MEMORY. */
VSH_API vsh_status vsh_cipher_new(vsh_cipher** context, vsh_cipher_algorithm algorithm, vsh_mode mode,
                                  vsh_direction direction, const uint8_t* key, size_t key_len, const uint8_t* iv,
                                  size_t iv_len, const vsh_options* options);
VSH_API void vsh_cipher_free(vsh_cipher* context);

/* Copies a context in its present state, in the middle of a message too; free the copy separately. Errors: ARGUMENT,
 * MEMORY. */
VSH_API vsh_status vsh_cipher_copy(vsh_cipher** copy, const vsh_cipher* context);

/* Begins a new message under the same key. Errors: IV_LENGTH, ARGUMENT. */
VSH_API vsh_status vsh_cipher_reset(vsh_cipher* context, const uint8_t* iv, size_t iv_len);

/* Returns the most that vsh_cipher_update can write for in_len more bytes; VSH_FINAL_CAPACITY is the same for
 * vsh_cipher_final. */
VSH_API size_t vsh_cipher_update_capacity(const vsh_cipher* context, size_t in_len);
#define VSH_FINAL_CAPACITY VSH_MAX_BLOCK_LEN

/* Processes any number of bytes. *out_len gets the bytes written, which may differ from in_len in ECB and CBC (whole
 * blocks; with padding the decryption of the last block waits for vsh_cipher_final). CTR, CNT, OFB and CFB write
 * exactly in_len bytes. In place only if nothing is pending from an earlier call (always so in the stream modes).
 * Errors: CAPACITY (nothing consumed), STATE, ARGUMENT, LIMIT; MEMORY (no threads) and DEVICE end the message. */
VSH_API vsh_status vsh_cipher_update(vsh_cipher* context, uint8_t* out, size_t out_capacity, size_t* out_len,
                                     const uint8_t* in, size_t in_len);

/* Ends the message: pads or removes padding. Errors: DATA_LENGTH, BAD_PADDING (both end the message too: do not trust
 * the output of update), CAPACITY (call again with more room), STATE, ARGUMENT. */
VSH_API vsh_status vsh_cipher_final(vsh_cipher* context, uint8_t* out, size_t out_capacity, size_t* out_len);

/* Continues at byte `position` of the message in CTR, CNT and CTR_ACPKM. The cost is constant, except that where keys
 * change each key in between is derived from the one before (about 2 microseconds a section on Zen 3), from the first
 * one on when going back. Errors: STATE for other modes, LIMIT beyond the longest message. */
VSH_API vsh_status vsh_cipher_seek(vsh_cipher* context, uint64_t position);

/* Return the kernel for many blocks ("avx512"), and the one for the one-block steps of OFB, CBC and CFB encryption.
 * Unless a kernel is forced, others may take shorter requests and partial passes: see vsh_kernel_info. Static storage.
 * Never NULL. */
VSH_API const char* vsh_cipher_kernel(const vsh_cipher* context);
VSH_API const char* vsh_cipher_kernel_one_block(const vsh_cipher* context);

/* Encrypts a whole message: new, update, final, free. Errors: those of vsh_cipher_new, DATA_LENGTH, and CAPACITY with
 * the length needed in *out_len. */
VSH_API vsh_status vsh_encrypt(uint8_t* out, size_t out_capacity, size_t* out_len, vsh_cipher_algorithm algorithm,
                               vsh_mode mode, const uint8_t* key, size_t key_len, const uint8_t* iv, size_t iv_len,
                               const uint8_t* in, size_t in_len, const vsh_options* options);
/* Decrypts a whole message. The padding is checked before anything is written, so VSH_E_BAD_PADDING leaves the output
 * untouched, too. Errors: as vsh_encrypt, and BAD_PADDING. */
VSH_API vsh_status vsh_decrypt(uint8_t* out, size_t out_capacity, size_t* out_len, vsh_cipher_algorithm algorithm,
                               vsh_mode mode, const uint8_t* key, size_t key_len, const uint8_t* iv, size_t iv_len,
                               const uint8_t* in, size_t in_len, const vsh_options* options);

/* ---- Message authentication -------------------------------------------------------------------------------------- */

typedef struct vsh_mac vsh_mac;

/* key: 32 bytes. HMAC takes a key of 1 byte or more; use 32 random bytes (64 for Streebog-512): fewer are weaker, and
 * more than 64 are hashed first. HMAC always runs on constant-time kernels. Errors: ARGUMENT, KEY_LENGTH, SBOX,
 * KERNEL_*, MEMORY. */
VSH_API vsh_status vsh_mac_new(vsh_mac** context, vsh_mac_algorithm algorithm, const uint8_t* key, size_t key_len,
                               const vsh_options* options);
VSH_API void vsh_mac_free(vsh_mac* context);
/* Copies a context in its present state; free the copy separately. Errors: ARGUMENT, MEMORY. */
VSH_API vsh_status vsh_mac_copy(vsh_mac** copy, const vsh_mac* context);
/* Begins a new message under the same key. Errors: ARGUMENT. */
VSH_API vsh_status vsh_mac_reset(vsh_mac* context);
/* Absorbs any number of bytes, any number of times; NULL with 0. Errors: ARGUMENT, STATE after final or verify. */
VSH_API vsh_status vsh_mac_update(vsh_mac* context, const uint8_t* in, size_t in_len);
/* Writes the tag. tag_len: 1..vsh_mac_max_len bytes; MAC: the leading (most significant) bytes; IMIT, HMAC: the first
 * bytes. Errors: ARGUMENT, STATE. */
VSH_API vsh_status vsh_mac_final(vsh_mac* context, uint8_t* tag, size_t tag_len);
/* Ends the message and compares in constant time. Errors: TAG if the tag is wrong, ARGUMENT, STATE. */
VSH_API vsh_status vsh_mac_verify(vsh_mac* context, const uint8_t* tag, size_t tag_len);
/* Returns 1 if two tags, or other secrets, of len bytes are equal, else 0. The time depends on len only. */
VSH_API int vsh_equal(const void* a, const void* b, size_t len);
/* Returns the kernel's variant. Static storage. Never NULL. */
VSH_API const char* vsh_mac_kernel(const vsh_mac* context);

/* ---- Hashing ----------------------------------------------------------------------------------------------------- */

typedef struct vsh_hash vsh_hash;

/* Creates a context; only flags and kernel of the options matter. Every kernel of GOST R 34.11-94 is constant-time;
 * they are rows of family "magma", but VERSHINA_KERNEL does not choose among them. Errors: ARGUMENT, KERNEL_*, MEMORY.
 * */
VSH_API vsh_status vsh_hash_new(vsh_hash** context, vsh_hash_algorithm algorithm, const vsh_options* options);
VSH_API void vsh_hash_free(vsh_hash* context);
/* Copies a context in its present state; free the copy separately. Errors: ARGUMENT, MEMORY. */
VSH_API vsh_status vsh_hash_copy(vsh_hash** copy, const vsh_hash* context);
/* Begins a new message. Errors: ARGUMENT. */
VSH_API vsh_status vsh_hash_reset(vsh_hash* context);
/* Absorbs any number of bytes, any number of times; NULL with 0. Errors: ARGUMENT, STATE after final. */
VSH_API vsh_status vsh_hash_update(vsh_hash* context, const uint8_t* in, size_t in_len);
/* Writes the digest; digest_len must be vsh_hash_len. Errors: ARGUMENT, STATE. */
VSH_API vsh_status vsh_hash_final(vsh_hash* context, uint8_t* digest, size_t digest_len);
/* Returns the kernel's variant. Static storage. Never NULL. */
VSH_API const char* vsh_hash_kernel(const vsh_hash* context);
/* Hashes a whole message: new, update, final, free. digest_len must be vsh_hash_len: 32 bytes for VSH_STREEBOG256.
 * Errors: those of vsh_hash_new, and ARGUMENT for another length. */
VSH_API vsh_status vsh_hash_digest(uint8_t* digest, size_t digest_len, vsh_hash_algorithm algorithm, const uint8_t* in,
                                   size_t in_len, const vsh_options* options);

/* ---- Streams: batches of messages ------------------------------------------------------------------------- */

/* Runs batches of independent messages, each with its own key, IV and length: sectors, packets, records. Messages of
 * one mode and direction run side by side, a block of each at a time, so the feedback modes, which are serial within a
 * message, reach the speed of the many-block kernels. Any number of jobs is allowed; the library chooses the cheapest
 * way for that number (docs/streams.md). A batch allocates 10 to 200 KiB of working memory per thread and up to 200
 * bytes per job. */
typedef struct vsh_streams vsh_streams;

typedef enum vsh_stream_work {
  VSH_STREAM_ENCRYPT = 1,
  VSH_STREAM_DECRYPT = 2,
  VSH_STREAM_MAC = 3 /* MAC of Kuznyechik and Magma, IMIT of GOST 28147-89 */
} vsh_stream_work;

/* No bytes of one job's output may lie in another job's buffers; in and out of a job are the same or do not overlap. */
typedef struct vsh_stream_job {
  vsh_stream_work work;
  vsh_mode mode;      /* for ENCRYPT and DECRYPT; ECB and CBC take whole blocks and do not pad */
  const uint8_t* key; /* 32 bytes, for this batch only; NULL: a prepared key */
  size_t key_index;   /* its number, if key is NULL */
  const uint8_t* iv;  /* as vsh_mode says; MAC has none */
  size_t iv_len;
  const uint8_t* in;
  size_t in_len;
  uint8_t* out;
  size_t out_len;    /* ENCRYPT, DECRYPT: in_len. MAC: length of the tag, 1..vsh_mac_max_len */
  vsh_status status; /* set by the run */
} vsh_stream_job;

/* Prepares keys (num_keys times 32 bytes, side by side; copied; 0 is allowed) for batches of any of the algorithm's
 * modes. Batches support neither CTR_ACPKM (ARGUMENT for such a job) nor OMAC-ACPKM nor key meshing (SECTION).
 * options: segment_len for CTR, CFB and OFB; padding must be DEFAULT or NONE; threads for preparation and batches.
 * Errors: ARGUMENT, SEGMENT, SECTION, PADDING, SBOX, KERNEL_*, MEMORY. */
VSH_API vsh_status vsh_streams_new(vsh_streams** streams, vsh_cipher_algorithm algorithm, const uint8_t* keys,
                                   size_t num_keys, const vsh_options* options);
VSH_API void vsh_streams_free(vsh_streams* streams);

/* Runs the jobs, in any order and on up to `threads` threads, and returns when all are done. A bad job does not affect
 * the others: its output is untouched and its status gives the reason (ARGUMENT, IV_LENGTH, SEGMENT, DATA_LENGTH,
 * CAPACITY). Returns OK if every job is OK, else JOB. MEMORY: unfinished jobs have the status MEMORY, and their output
 * is invalid. ARGUMENT: no job was examined. Different threads may run batches over the same object at the same time.
 * job_size: sizeof(vsh_stream_job) of the caller, so that the struct can grow. */
VSH_API vsh_status vsh_streams_run_jobs(const vsh_streams* streams, vsh_stream_job* jobs, size_t num_jobs,
                                        size_t job_size);
static inline vsh_status vsh_streams_run(const vsh_streams* streams, vsh_stream_job* jobs, size_t num_jobs) {
  return vsh_streams_run_jobs(streams, jobs, num_jobs, sizeof *jobs);
}

/* Return the widest kernel that takes a message in each lane, and the number of its lanes; the one-block kernel, and 1,
 * if there is none. Static storage. Never NULL. */
VSH_API const char* vsh_streams_kernel(const vsh_streams* streams);
VSH_API size_t vsh_streams_lanes(const vsh_streams* streams);

/* No bytes of one job's digest may lie in another job's buffers, nor in its own message. */
typedef struct vsh_hash_job {
  const uint8_t* in;
  size_t in_len;
  uint8_t* digest;
  size_t digest_len; /* vsh_hash_len */
  vsh_status status; /* set by the run */
} vsh_hash_job;

/* Hashes many messages with Streebog (GOST R 34.11-94 is refused: ARGUMENT). Only flags, threads and kernel of the
 * options matter. Returns as vsh_streams_run, or KERNEL_*. */
VSH_API vsh_status vsh_streams_hash_jobs(vsh_hash_algorithm algorithm, vsh_hash_job* jobs, size_t num_jobs,
                                         size_t job_size, const vsh_options* options);
static inline vsh_status vsh_streams_hash(vsh_hash_algorithm algorithm, vsh_hash_job* jobs, size_t num_jobs,
                                          const vsh_options* options) {
  return vsh_streams_hash_jobs(algorithm, jobs, num_jobs, sizeof *jobs, options);
}

/* ---- Kernels ----------------------------------------------------------------------------------------------------- */

typedef struct vsh_kernel_info {
  const char* family;   /* "kuznyechik", "magma" (serves GOST 28147-89 too), "streebog", "gf2n" (products, for MGM) */
  const char* variant;  /* "avx512" */
  const char* isa;      /* "avx512": tag of the instruction set that the row is compiled for */
  unsigned lanes;       /* blocks of one pass. Rows of Streebog with more than 1 hash that many messages side by side,
                           in vsh_streams_hash; a single message runs on those with 1 */
  int constant_time;    /* 0 only for table kernels */
  int runnable;         /* this CPU has the features */
  int chosen;           /* the default for many blocks, or many messages (for family "magma": Magma's) */
  int chosen_one_block; /* the default for one block after the other */
  unsigned chosen_min_blocks; /* the default for requests of this many blocks (or messages) and more, up to where the
                                 next wider row takes over, and for the remainder of those; 0 for a row that is not a
                                 default */
} vsh_kernel_info;

/* Fills the first info_size bytes of *info with row i of this build, so that the struct can grow. Errors: ARGUMENT past
 * the end, and for an info_size larger than the library knows. */
VSH_API vsh_status vsh_kernel_read(size_t i, vsh_kernel_info* info, size_t info_size);
/* Calls vsh_kernel_read with the caller's size. */
static inline vsh_status vsh_kernel(size_t i, vsh_kernel_info* info) { return vsh_kernel_read(i, info, sizeof *info); }
/* Returns the CPU features that kernels use, "ssse3 sse4.1 avx2 ...". Static storage. */
VSH_API const char* vsh_cpu_features(void);

/* Runs every kernel row of this CPU, and every mode, on short vectors of the standards. On failure *failed (unless
 * failed is NULL) names the first failed test; static storage. Takes some milliseconds. Errors:
 * SELFTEST, MEMORY. */
VSH_API vsh_status vsh_selftest(const char** failed);

#ifdef __cplusplus
}
#endif

#include <vershina/aead.h>
#include <vershina/device.h>
#include <vershina/disk.h>
#include <vershina/esp.h>
#include <vershina/keys.h>
#include <vershina/sealed.h>
#include <vershina/tuning.h>

#endif
