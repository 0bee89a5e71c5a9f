/* Sealed files: one safe way to protect a file (docs/sealed-format.md). Part of vershina.h, whose conventions hold.
 *
 * A sealed file is a header of two slots, then the plaintext in chunks that are encrypted and authenticated separately
 * (Kuznyechik-MGM), then an end mark. The library works on the caller's buffers; the caller reads and writes files.
 * These functions output only authenticated data.
 *
 * Sealing: vsh_sealer_new, _add_recipient for every recipient, _header, _update ..., _final; write their outputs in
 * this order. Opening: vsh_opener_new over the header, _unlock, then either _update ..., _final over what follows the
 * header, or _locate and _read for parts of it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_SEALED_H
#define VERSHINA_SEALED_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sizes and bounds -------------------------------------------------------------------------------------------- */

/* The header is two slots of one length, a power of two; the payload follows it. */
#define VSH_SEALED_NUM_SLOTS 2
#define VSH_SEALED_MIN_SLOT_LEN 512       /* bytes: room for two recipients */
#define VSH_SEALED_MAX_SLOT_LEN 8192      /* for all */
#define VSH_SEALED_IN_PLACE_SLOT_LEN 4096 /* from this length on slots are replaced in place: vsh_opener_rekey */
#define VSH_SEALED_MAX_HEADER_LEN 16384   /* to open or inspect a file, read this much of it, or all if it is shorter */
#define VSH_SEALED_TAG_LEN 16             /* by this much a chunk is longer than its plaintext */
#define VSH_SEALED_END_LEN 8              /* the end mark */
#define VSH_SEALED_FILE_ID_LEN 32
#define VSH_SEALED_MAX_RECIPIENTS 32
#define VSH_SEALED_MAX_LABEL_LEN 64 /* bytes */

/* Plaintext of a chunk, a power of two; the last chunk may be shorter. */
#define VSH_SEALED_MIN_CHUNK_LEN 4096
#define VSH_SEALED_DEFAULT_CHUNK_LEN 65536
#define VSH_SEALED_MAX_CHUNK_LEN 16777216

/* PBKDF2. The upper bound applies to the sum over all passphrases of a file, unless vsh_opener_new gets another. */
#define VSH_SEALED_MIN_ITERATIONS 1000u
#define VSH_SEALED_MAX_ITERATIONS 67108864u

/* Argon2id (RFC 9106). The upper bounds apply to one passphrase's memory, and to the sum of memory times passes over
 * all passphrases of a file, unless vsh_opener_limit_argon2id sets others. */
#define VSH_SEALED_MAX_ARGON2ID_MEMORY 1048576u /* KiB: 1 GiB */
#define VSH_SEALED_MAX_ARGON2ID_WORK 16777216u  /* KiB: 16 GiB, such as 1 GiB in 16 passes */
#define VSH_SEALED_MAX_ARGON2ID_LANES 64u

#define VSH_SEALED_MIN_KEY_LEN 32
#define VSH_SEALED_MAX_KEY_LEN 64
#define VSH_SEALED_MAX_PASSPHRASE_LEN 1024

typedef enum vsh_recipient_kind {
  VSH_RECIPIENT_PASSPHRASE = 1, /* PBKDF2 with HMAC-Streebog-512 (RFC 9337), or argon2id (RFC 9106) */
  VSH_RECIPIENT_KEY = 2         /* random bytes, such as a key file has */
} vsh_recipient_kind;

typedef enum vsh_sealed_content {
  VSH_SEALED_BYTES = 0,    /* a file or a stream */
  VSH_SEALED_DIRECTORY = 1 /* a directory as a tar stream, whose names are those inside the directory */
} vsh_sealed_content;

/* A secret that opens a sealed file. Read during the call only. */
typedef struct vsh_recipient {
  vsh_recipient_kind kind;
  const uint8_t* secret; /* passphrase: 1 .. MAX_PASSPHRASE_LEN bytes, as they are; key: MIN_KEY_LEN .. MAX_KEY_LEN */
  size_t secret_len;
  uint32_t iterations; /* adding a passphrase: MIN_ITERATIONS .. MAX_ITERATIONS, or 0: by argon2id, if that was set.
                          Else 0 */
  const char* label;   /* adding: a public name, which anyone who has the file can read; UTF-8 of up to MAX_LABEL_LEN
                          bytes without control characters, invisible ones, and those that change the direction of
                          text. NULL or "": none. Else not read */
} vsh_recipient;

/* The cost of argon2id: RFC 9106 clause 3.1. The RFC recommends {3, 65536, 4}, or {1, 2097152, 4} where memory
 * suffices. It is computed by libargon2 (libargon2.so.1), which is loaded when it is needed, on the calling thread.
 * Unlike all else here its time and memory addresses depend on the passphrase. */
typedef struct vsh_argon2id {
  uint32_t passes; /* 1 or more */
  uint32_t memory; /* KiB: 8 times the lanes, or more */
  uint32_t lanes;  /* 1 .. MAX_ARGON2ID_LANES */
} vsh_argon2id;

/* ---- Sealing ----------------------------------------------------------------------------------------------------- */

typedef struct vsh_sealer vsh_sealer;

/* Draws a file key and a file id from the system. chunk_len: 0 means the default. Only flags, threads (0: all) and
 * kernel (of Kuznyechik) of the options matter. Errors: ARGUMENT, PARAMETERS (chunk_len), KERNEL_*, RANDOM, MEMORY. */
VSH_API vsh_status vsh_sealer_new(vsh_sealer** sealer, size_t chunk_len, const vsh_options* options);
VSH_API void vsh_sealer_free(vsh_sealer* sealer);

/* Sets the kind of content, BYTES by default: authenticated, and otherwise unused by the library. Errors: ARGUMENT,
 * STATE after add_recipient. */
VSH_API vsh_status vsh_sealer_set_content(vsh_sealer* sealer, vsh_sealed_content content);

/* Sets the length of slots to slot_len bytes, or more if the recipients need more; 0: the shortest possible. With slots
 * of IN_PLACE_SLOT_LEN recipients can be changed later without copying the file. Errors: ARGUMENT, PARAMETERS (not a
 * power of two from MIN_SLOT_LEN to MAX_SLOT_LEN), STATE after header. */
VSH_API vsh_status vsh_sealer_set_slot_len(vsh_sealer* sealer, size_t slot_len);

/* Passphrases that are added with 0 iterations are derived by argon2id; NULL: no longer. Errors: ARGUMENT, PARAMETERS,
 * STATE after header. */
VSH_API vsh_status vsh_sealer_set_argon2id(vsh_sealer* sealer, const vsh_argon2id* argon2id);

/* Adds a recipient; takes as long as the iterations, or as argon2id. Errors: ARGUMENT, KEY_LENGTH (secret_len),
 * PARAMETERS (iterations or argon2id, singly or in sum with other recipients; too many recipients; label), STATE after
 * header, LIBRARY (argon2id, and libargon2 is missing), RANDOM, MEMORY. */
VSH_API vsh_status vsh_sealer_add_recipient(vsh_sealer* sealer, const vsh_recipient* recipient);

/* Returns the length of the header, both slots, for the recipients added so far. */
VSH_API size_t vsh_sealer_header_len(const vsh_sealer* sealer);
/* Writes the header, once. Errors: CAPACITY, STATE (no recipient, or called before), ARGUMENT. */
VSH_API vsh_status vsh_sealer_header(vsh_sealer* sealer, uint8_t* out, size_t out_capacity);

/* Return the most that vsh_sealer_update writes for in_len more bytes (SIZE_MAX on overflow), and vsh_sealer_final: at
 * most chunk_len + TAG_LEN + END_LEN. */
VSH_API size_t vsh_sealer_update_capacity(const vsh_sealer* sealer, size_t in_len);
VSH_API size_t vsh_sealer_final_capacity(const vsh_sealer* sealer);

/* Seals any number of bytes; in and out must not overlap. Several chunks in a call run on several threads: 4 MiB and
 * more keep all of them busy. Errors: CAPACITY (nothing consumed, *out_len is the length needed), STATE (before header,
 * after final), ARGUMENT, LIMIT (2^62 bytes), MEMORY (ends the file). */
VSH_API vsh_status vsh_sealer_update(vsh_sealer* sealer, uint8_t* out, size_t out_capacity, size_t* out_len,
                                     const uint8_t* in, size_t in_len);
/* Writes the last chunk and the end mark. Errors: as vsh_sealer_update. */
VSH_API vsh_status vsh_sealer_final(vsh_sealer* sealer, uint8_t* out, size_t out_capacity, size_t* out_len);

/* ---- Header information ---------------------------------------------------------------------------------------- */

typedef struct vsh_sealed_slot_info {
  vsh_status status;   /* OK: intact. Else FORMAT (damaged), VERSION or PARAMETERS: not used */
  uint64_t generation; /* 1 when sealed, 1 more at each change of the recipients; 0 if status is not OK */
} vsh_sealed_slot_info;

typedef struct vsh_recipient_info {
  vsh_recipient_kind kind;
  uint32_t iterations;                      /* of a passphrase; 0: it is derived by argon2id */
  char label[VSH_SEALED_MAX_LABEL_LEN + 1]; /* UTF-8 without control characters; "": none */
} vsh_recipient_info;

typedef struct vsh_sealed_info {
  unsigned version;           /* of the format: 2 */
  const char* cipher;         /* "kuznyechik-mgm"; static storage */
  const char* key_derivation; /* "streebog"; static storage */
  vsh_sealed_content content;
  size_t chunk_len;
  size_t slot_len;
  uint8_t file_id[VSH_SEALED_FILE_ID_LEN];
  size_t slot; /* the newest intact one, the source of generation and recipients */
  uint64_t generation;
  size_t num_recipients;
  vsh_recipient_info recipients[VSH_SEALED_MAX_RECIPIENTS];
  vsh_sealed_slot_info slots[VSH_SEALED_NUM_SLOTS];
  int slots_differ; /* not 0: a change of the recipients was interrupted, or a slot is damaged */
  vsh_argon2id argon2id[VSH_SEALED_MAX_RECIPIENTS]; /* of recipients; all 0 for another derivation, and for keys */
} vsh_sealed_info;

/* Fills the first info_size bytes of *info from the header, without any secret: the information is authentic only if
 * vsh_opener_unlock succeeds. Accepts any cost of passphrases. header: the file's first VSH_SEALED_MAX_HEADER_LEN bytes
 * or more; the whole file if it is shorter. Errors: FORMAT (not a sealed file; no intact slot; two slots that no crash
 * can leave together, so they were tampered with: then no slot's status is FORMAT), TRUNCATED (a sealed file that ends
 * within its header), VERSION, PARAMETERS: *info then has only the slots' statuses and `version`. ARGUMENT. */
VSH_API vsh_status vsh_sealed_inspect_sized(vsh_sealed_info* info, size_t info_size, const uint8_t* header,
                                            size_t header_len);
static inline vsh_status vsh_sealed_inspect(vsh_sealed_info* info, const uint8_t* header, size_t header_len) {
  return vsh_sealed_inspect_sized(info, sizeof *info, header, header_len);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

typedef struct vsh_opener vsh_opener;

/* Reads the header; no secrets yet, and no long work. header as in vsh_sealed_inspect. max_iterations: bound of the sum
 * over the file's passphrases by PBKDF2, the cost of trying a secret; 0 means VSH_SEALED_MAX_ITERATIONS. Options as for
 * sealing.
 * Errors: as vsh_sealed_inspect; PARAMETERS also for more iterations; KERNEL_*, MEMORY. */
VSH_API vsh_status vsh_opener_new(vsh_opener** opener, const uint8_t* header, size_t header_len,
                                  uint64_t max_iterations, const vsh_options* options);
VSH_API void vsh_opener_free(vsh_opener* opener);

/* Bounds the work of passphrases by argon2id, for unlock and rekey: the memory of one in KiB, and the sum of memory
 * times passes over all; 0 means VSH_SEALED_MAX_ARGON2ID_MEMORY and _WORK. Errors: ARGUMENT. */
VSH_API vsh_status vsh_opener_limit_argon2id(vsh_opener* opener, uint64_t max_memory, uint64_t max_work);

/* Returns the offset of the payload: the length of both slots. */
VSH_API size_t vsh_opener_header_len(const vsh_opener* opener);

/* Tries a secret on the recipients of its kind in the newest slot: PBKDF2 for each, then argon2id for one after the
 * other until one opens and the slot is authentic. May be called again with another secret after WRONG_KEY (it opens
 * none), PARAMETERS (a passphrase, and argon2id would take more than vsh_opener_limit_argon2id allows: nothing was
 * tried), LIBRARY and MEMORY (it opens none that could be tried; others, by argon2id, lack libargon2 or memory).
 * Other errors: FORMAT: it opens one, but the other slot is intact and has another file key, so the header was tampered
 * with; KEY_LENGTH, ARGUMENT; STATE (already unlocked). */
VSH_API vsh_status vsh_opener_unlock(vsh_opener* opener, const vsh_recipient* recipient);

/* Fills *info like vsh_sealed_inspect, now authenticated. Errors: STATE (not unlocked), ARGUMENT. */
VSH_API vsh_status vsh_opener_inspect_sized(const vsh_opener* opener, vsh_sealed_info* info, size_t info_size);
static inline vsh_status vsh_opener_inspect(const vsh_opener* opener, vsh_sealed_info* info) {
  return vsh_opener_inspect_sized(opener, info, sizeof *info);
}
/* Returns the number, from 0, of the recipient that the secret opened. Errors: STATE, ARGUMENT. */
VSH_API vsh_status vsh_opener_recipient(const vsh_opener* opener, size_t* index);

/* Opens the payload from front to end, in pieces of any size. Writes the plaintext of whole, verified chunks, and holds
 * back up to one chunk. Overlap and threads as in vsh_sealer_update.
 * Errors: CAPACITY (nothing consumed, *out_len is the length needed); CHUNK: *out_len bytes of the chunks before the
 * damaged one were written, the rest of out is invalid, and the stream is at its end: vsh_opener_chunk returns the
 * chunk; TRUNCATED (from final): the end mark is missing; STATE (not unlocked, after the end), ARGUMENT, MEMORY. */
VSH_API size_t vsh_opener_update_capacity(const vsh_opener* opener, size_t in_len);
VSH_API size_t vsh_opener_final_capacity(const vsh_opener* opener);
VSH_API vsh_status vsh_opener_update(vsh_opener* opener, uint8_t* out, size_t out_capacity, size_t* out_len,
                                     const uint8_t* in, size_t in_len);
/* Ends the stream. The output of update is the whole file only if this returned OK. */
VSH_API vsh_status vsh_opener_final(vsh_opener* opener, uint8_t* out, size_t out_capacity, size_t* out_len);
/* Returns the number, from 0, of the damaged chunk, else of the next one. */
VSH_API uint64_t vsh_opener_chunk(const vsh_opener* opener);
/* Starts again at the front, for a second pass. Errors: STATE (not unlocked), ARGUMENT. */
VSH_API vsh_status vsh_opener_rewind(vsh_opener* opener);

/* Computes the plaintext length of a sealed file of file_len bytes, header and end mark included. The file's end is
 * authentic once its last chunk is verified. Errors: TRUNCATED (no sealed file has that length), ARGUMENT. */
VSH_API vsh_status vsh_opener_plain_len(const vsh_opener* opener, uint64_t* plain_len, uint64_t file_len);

/* Chunks that hold bytes `position` to `position + len` of the plaintext, and their place. */
typedef struct vsh_sealed_span {
  uint64_t first_chunk;
  uint64_t num_chunks; /* at least 1 */
  uint64_t offset;     /* in the file: read in_len bytes from here, all for vsh_opener_read */
  uint64_t in_len;     /* with the end mark, if the last chunk is among them */
  uint64_t out_len;    /* plaintext of these chunks */
  uint64_t skip;       /* of it, this much precedes the requested bytes */
  uint64_t file_len;   /* as given */
} vsh_sealed_span;

/* Locates a range. With len 0 it is the chunk at `position`, at the plaintext's end the last one: reading that verifies
 * the file's length. Errors: TRUNCATED (file_len, as vsh_opener_plain_len), DATA_LENGTH (the range goes beyond the
 * plaintext), ARGUMENT. */
VSH_API vsh_status vsh_opener_locate(const vsh_opener* opener, vsh_sealed_span* span, uint64_t position, uint64_t len,
                                     uint64_t file_len);
/* Verifies and decrypts the chunks of a span: in has span->in_len bytes, and out room for span->out_len. On CHUNK the
 * chunks before the damaged one are written, as in vsh_opener_update; *damaged (NULL allowed) is that chunk's number.
 * Independent of update and final. Errors: CAPACITY, CHUNK, TRUNCATED (the end mark is missing), STATE (not unlocked),
 * ARGUMENT (a span that did not come from locate), MEMORY. */
VSH_API vsh_status vsh_opener_read(vsh_opener* opener, uint8_t* out, size_t out_capacity, size_t* out_len,
                                   uint64_t* damaged, const vsh_sealed_span* span, const uint8_t* in, size_t in_len);

/* ---- Change of recipients -------------------------------------------------------------------------- */

/* Returns the length of the shortest slot for this many recipients; 0 if none is long enough. */
VSH_API size_t vsh_sealed_slot_len(size_t num_recipients);

/* Passphrases that rekey adds with 0 iterations are derived by argon2id; NULL: no longer. Errors: ARGUMENT,
 * PARAMETERS. */
VSH_API vsh_status vsh_opener_set_argon2id(vsh_opener* opener, const vsh_argon2id* argon2id);

/* Makes the next generation of the header: the authentic recipients without those of `remove` (numbers, in any order),
 * and with those of `add`. Writes one slot of slot_len bytes. The payload stays as it is, byte for byte.
 * - In place, if slot_len is the file's and at least IN_PLACE_SLOT_LEN: write the slot at place *first of the file
 *   (at slot_len times it), sync, write it at the other place, sync. A crash at any moment leaves one of them intact.
 *   After the first sync the new recipients are in force; after the second nothing of the old ones remains.
 * - Otherwise, because shorter slots share a sector, which a crash may destroy, or the payload moves: write a new file,
 *   the slot twice and the old file from vsh_opener_header_len on, sync it, and rename it over the old one.
 * Errors: STATE (not unlocked), ARGUMENT (a number twice or too large; no recipient left), PARAMETERS (too many
 * recipients or generations; iterations, argon2id; label; slot_len is not a length of slots), CAPACITY (slot_len is too
 * short for the recipients), KEY_LENGTH, LIBRARY, RANDOM, MEMORY. */
VSH_API vsh_status vsh_opener_rekey(const vsh_opener* opener, uint8_t* slot, size_t slot_len, size_t* first,
                                    const vsh_recipient* add, size_t num_add, const size_t* remove, size_t num_remove);

#ifdef __cplusplus
}
#endif
#endif
