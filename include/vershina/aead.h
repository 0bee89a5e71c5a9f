/* Authenticated encryption with associated data: MGM, and CTR-ACPKM with OMAC as in CMS. Part of vershina.h, whose
 * conventions hold here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_AEAD_H
#define VERSHINA_AEAD_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Authenticated encryption ------------------------------------------------------------------------------------ */

/* n is the block in bytes: 16 for Kuznyechik, 8 for Magma.
 *
 *  algorithm       source                         nonce in bytes       tag in bytes  one message, data and text
 *  MGM             RFC 9058,                      n, first bit 0       4..n          less than 2^(4n) bits:
 *                  R 1323565.1.026-2019                                              2^61 - 1 bytes of Kuznyechik,
 *                                                                                    2^29 - 1 of Magma
 *  CTR-ACPKM-OMAC  CMS, R 1323565.1.025-2019      n/2, then 8 of seed  4..n          no data; 2^(4n - 1) - 1 blocks
 *                  (RFC 8645 6.2.2, RFC 7836 4.4)                                    of text, of Magma 16 GiB - 8 bytes
 *
 * CTR-ACPKM-OMAC is the algorithm of CMS (EncryptedData and EnvelopedData of gostr3412-2015-...-ctracpkm-omac), where
 * the nonce is the UKM: KDF_TREE derives from the key and the seed a key for CTR-ACPKM and one for OMAC, so that each
 * message has its own keys; the MAC of the plaintext is encrypted after it. It is slower than MGM, because OMAC is
 * serial. vsh_options.section_len: 0 selects that of CMS, 262144 bytes for Kuznyechik and 8192 for Magma.
 *
 * A nonce must never be used for two messages under one key: with MGM that reveals the XOR of the plaintexts and allows
 * forgeries (RFC 9058 section 6). A counter is a good nonce; do not use random nonces with Magma's 63 bits.
 *
 * Limit of a key: after q messages of s blocks in all (associated data counts) an adversary tells MGM's
 * output from random with probability at most 3 (s + 4q)^2 / 2^(8n) (RFC 9058 section 6). For a probability of
 *     2^-32:  Kuznyechik 2^47 blocks (2 PiB), Magma 37 000 blocks (300 kB)
 *     2^-20:  Kuznyechik 2^53 blocks,         Magma 2.4 million blocks (19 MB)
 *     1:      Kuznyechik 2^63 blocks,         Magma 2.5 thousand million blocks (20 GB)
 * A context does not exceed the last line (LIMIT). Protocols change keys long before: see vershina/keys.h for
 * TLSTREE (RFC 9367) and ESPTREE (RFC 9227).
 */
typedef enum vsh_aead_algorithm {
  VSH_KUZNYECHIK_MGM = 1,
  VSH_MAGMA_MGM = 2,
  VSH_KUZNYECHIK_CTR_ACPKM_OMAC = 3,
  VSH_MAGMA_CTR_ACPKM_OMAC = 4
} vsh_aead_algorithm;

VSH_API vsh_status vsh_aead_by_name(vsh_aead_algorithm* algorithm, const char* name); /* "kuznyechik-mgm" */
/* Returns the i-th name, in a stable order; NULL past the end. Static storage. */
VSH_API const char* vsh_aead_name(size_t i);
VSH_API size_t vsh_aead_nonce_len(vsh_aead_algorithm algorithm);   /* bytes; 0 for an unknown algorithm */
VSH_API size_t vsh_aead_max_tag_len(vsh_aead_algorithm algorithm); /* bytes; 0 for an unknown algorithm */

#define VSH_AEAD_MAX_NONCE_LEN 16
#define VSH_AEAD_MAX_TAG_LEN 16

/* Holds a key for any number of messages. */
typedef struct vsh_aead vsh_aead;

/* Creates a context. key: 32 bytes. tag_len: length of every tag under this key, 0 for the longest; below 8 only with
 * VSH_ALLOW_SHORT_TAGS, and never below 4. (RFC 9058 section 4: a protocol has one tag length, so that an attacker
 * cannot request a shorter one.)
 * Errors: ARGUMENT, KEY_LENGTH, TAG_LENGTH, SEGMENT, PADDING, SECTION, SBOX, KERNEL_*, MEMORY. */
VSH_API vsh_status vsh_aead_new(vsh_aead** context, vsh_aead_algorithm algorithm, const uint8_t* key, size_t key_len,
                                size_t tag_len, const vsh_options* options);
VSH_API void vsh_aead_free(vsh_aead* context);
/* Copies a context in its present state, in the middle of a message too; free the copy separately. Each counts what it
 * encrypts from then on; the caller must ensure that both together stay within the limit of the key. Errors: ARGUMENT,
 * MEMORY. */
VSH_API vsh_status vsh_aead_copy(vsh_aead** copy, const vsh_aead* context);
/* Returns the length of a tag under this key; 0 for NULL. */
VSH_API size_t vsh_aead_tag_len(const vsh_aead* context);
/* Returns the kernel for many blocks. Static storage. Never NULL. */
VSH_API const char* vsh_aead_kernel(const vsh_aead* context);

/* ---- Whole messages */

/* Encrypts and authenticates `in`, and authenticates `data` (associated data) with it. out: the ciphertext, in_len
 * bytes, then the tag. In place (out == in) with room for the tag behind; nonce and data must lie apart from out.
 * Errors: ARGUMENT, IV_LENGTH (of the nonce), NONCE (MGM: its first bit is 1), DATA_LENGTH (MGM: neither data nor text;
 * forbidden by RFC 9058 section 4.1; CTR-ACPKM-OMAC: any data), CAPACITY (*out_len is the length needed), LIMIT,
 * MEMORY. */
VSH_API vsh_status vsh_aead_seal(vsh_aead* context, uint8_t* out, size_t out_capacity, size_t* out_len,
                                 const uint8_t* nonce, size_t nonce_len, const uint8_t* data, size_t data_len,
                                 const uint8_t* in, size_t in_len);
/* Verifies and decrypts. The output is what was authenticated, even if another thread or process changes `in` during
 * the call: it is read once (in place that holds for MGM; CTR-ACPKM-OMAC reads its plaintext back). On TAG no plaintext
 * remains: out is erased or untouched, and in place it is the ciphertext again; MEMORY and DEVICE may erase it in
 * either case. During the call out may hold unverified plaintext of a long message, so do not share it.
 * Errors: as vsh_aead_seal, except DATA_LENGTH, and TAG: nonce, data, ciphertext or tag differ from what was sealed
 * under this key, or the message is too short to hold a tag. */
VSH_API vsh_status vsh_aead_open(vsh_aead* context, uint8_t* out, size_t out_capacity, size_t* out_len,
                                 const uint8_t* nonce, size_t nonce_len, const uint8_t* data, size_t data_len,
                                 const uint8_t* in, size_t in_len);
/* Seal and open with a separate tag: out and in have text_len bytes, tag_len is that of the key. */
VSH_API vsh_status vsh_aead_seal_apart(vsh_aead* context, uint8_t* out, uint8_t* tag, size_t tag_len,
                                       const uint8_t* nonce, size_t nonce_len, const uint8_t* data, size_t data_len,
                                       const uint8_t* in, size_t text_len);
VSH_API vsh_status vsh_aead_open_apart(vsh_aead* context, uint8_t* out, const uint8_t* nonce, size_t nonce_len,
                                       const uint8_t* data, size_t data_len, const uint8_t* in, size_t text_len,
                                       const uint8_t* tag, size_t tag_len);

/* ---- A message in pieces: begin, data, text, end. One at a time; vsh_aead_seal and _open end an unfinished one. */

/* Begins a message. Errors: ARGUMENT, IV_LENGTH, NONCE, MEMORY. */
VSH_API vsh_status vsh_aead_begin(vsh_aead* context, const uint8_t* nonce, size_t nonce_len);
/* Adds associated data, in pieces of any length, before the text.
 * Errors: ARGUMENT, STATE (text has begun), LIMIT, MEMORY. */
VSH_API vsh_status vsh_aead_add_data(vsh_aead* context, const uint8_t* data, size_t data_len);

/* Encrypts text; out gets in_len bytes. Errors: ARGUMENT, STATE, LIMIT; MEMORY ends the message. */
VSH_API vsh_status vsh_aead_encrypt(vsh_aead* context, uint8_t* out, const uint8_t* in, size_t in_len);
/* Writes the tag of what was encrypted and ends the message; tag_len is that of the key. Refused after
 * vsh_aead_decrypt_unverified or vsh_aead_authenticate, so that a decryption cannot be turned into a signature. Errors:
 * ARGUMENT, STATE, DATA_LENGTH (neither data nor text), TAG_LENGTH. */
VSH_API vsh_status vsh_aead_final(vsh_aead* context, uint8_t* tag, size_t tag_len);

/* Adds ciphertext to verify without decrypting it, as the first of two passes. Errors: ARGUMENT, STATE, LIMIT; MEMORY.
 * */
VSH_API vsh_status vsh_aead_authenticate(vsh_aead* context, const uint8_t* in, size_t in_len);
/* Decrypts ciphertext, read once as by vsh_aead_open. The output is not authentic yet: do not use it until
 * vsh_aead_verify returned OK, and destroy it otherwise.
 * Errors: ARGUMENT, STATE, LIMIT; MEMORY ends the message. */
VSH_API vsh_status vsh_aead_decrypt_unverified(vsh_aead* context, uint8_t* out, const uint8_t* in, size_t in_len);
/* Ends the message and compares the tag in constant time.
 * Errors: TAG, ARGUMENT, STATE (after vsh_aead_encrypt), TAG_LENGTH. */
VSH_API vsh_status vsh_aead_verify(vsh_aead* context, const uint8_t* tag, size_t tag_len);

/* ---- Packets: batches of MGM messages under many keys */

/* Describes one packet of a batch. No bytes of one job's output may lie in another job's buffers. */
typedef struct vsh_mgm_job {
  vsh_stream_work work; /* ENCRYPT: seals, DECRYPT: opens */
  const uint8_t* key;   /* 32 bytes, for this batch only; NULL: a prepared key */
  size_t key_index;     /* its number, if key is NULL */
  const uint8_t* nonce;
  size_t nonce_len;    /* n */
  const uint8_t* data; /* associated data */
  size_t data_len;
  const uint8_t* in; /* to open: ciphertext, then the tag */
  size_t in_len;
  uint8_t* out;      /* sealed: ciphertext, then the tag. In place (out == in) or apart */
  size_t out_len;    /* ENCRYPT: in_len + tag_len; DECRYPT: in_len - tag_len */
  size_t tag_len;    /* 8..n; 4..7 if the streams were made with VSH_ALLOW_SHORT_TAGS */
  vsh_status status; /* set by the run */
} vsh_mgm_job;

/* Seals and opens packets under the prepared keys of `streams` (vsh_streams_new with KUZNYECHIK or MAGMA: a key for
 * each security association), or keys that the jobs bring, in any order and on up to `threads` threads. The cipher's
 * work runs in the kernels' lanes, so short packets of many keys reach the speed of long messages (docs/speed.md has
 * figures). A batch allocates twice the text of as many packets of up to 10 KiB as a kernel has lanes, for each thread,
 * the memory of streams, and some 200 bytes per packet. The caller counts the data under a key (limits:
 * vsh_aead_algorithm). A bad job does not affect the others: its output is untouched and its status gives the reason
 * (ARGUMENT, IV_LENGTH, NONCE, TAG_LENGTH, CAPACITY, LIMIT, DATA_LENGTH; TAG: the packet is not authentic; its output
 * is then as after vsh_aead_open, untouched below 4096 bytes of text and data). Packets to open are read once. Returns
 * OK when every job is OK, else JOB. ARGUMENT: no job was examined. MEMORY, DEVICE (a named one failed): unfinished
 * jobs have that status and invalid outputs. */
VSH_API vsh_status vsh_streams_mgm_jobs(const vsh_streams* streams, vsh_mgm_job* jobs, size_t num_jobs,
                                        size_t job_size);
static inline vsh_status vsh_streams_mgm(const vsh_streams* streams, vsh_mgm_job* jobs, size_t num_jobs) {
  return vsh_streams_mgm_jobs(streams, jobs, num_jobs, sizeof *jobs);
}

#ifdef __cplusplus
}
#endif
#endif
