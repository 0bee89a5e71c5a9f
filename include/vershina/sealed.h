/* Sealed files: one safe way to protect a file (docs/sealed-format.md). Part of vershina.h, whose conventions hold.
 *
 * A sealed file is a header of two slots, then the plaintext in chunks that are encrypted and authenticated each by
 * itself (Kuznyechik-MGM), then an end mark. The library does the cryptography over the caller's buffers; files are the
 * caller's. Nothing comes out of these functions that was not authenticated first.
 *
 * Sealing: vsh_sealer_new, _add_recipient for everyone who shall be able to open, _header, _update ..., _final; write
 * what each of them gives, one after the other. Opening: vsh_opener_new over the header, _unlock, then either _update
 * ..., _final over what follows the header, or _locate and _read for parts of it.
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
#define VSH_SEALED_MIN_SLOT_LEN 512      /* bytes: room for two recipients */
#define VSH_SEALED_MAX_SLOT_LEN 8192     /* for all */
#define VSH_SEALED_IN_PLACE_SLOT_LEN 4096 /* of this length and more, slots are replaced one by one: vsh_opener_rekey */
#define VSH_SEALED_MAX_HEADER_LEN 16384  /* read so many bytes, or all that the file has, to open or to inspect it */
#define VSH_SEALED_TAG_LEN 16            /* what a chunk is longer than its plaintext */
#define VSH_SEALED_END_LEN 8             /* the end mark */
#define VSH_SEALED_FILE_ID_LEN 32
#define VSH_SEALED_MAX_RECIPIENTS 32
#define VSH_SEALED_MAX_LABEL_LEN 64      /* bytes */

/* Plaintext of a chunk, a power of two; the last chunk may be shorter. */
#define VSH_SEALED_MIN_CHUNK_LEN 4096
#define VSH_SEALED_DEFAULT_CHUNK_LEN 65536
#define VSH_SEALED_MAX_CHUNK_LEN 16777216

/* PBKDF2. The upper bound holds for all passphrases of a file together, unless vsh_opener_new is told another. */
#define VSH_SEALED_MIN_ITERATIONS 1000u
#define VSH_SEALED_MAX_ITERATIONS 67108864u

#define VSH_SEALED_MIN_KEY_LEN 32
#define VSH_SEALED_MAX_KEY_LEN 64
#define VSH_SEALED_MAX_PASSPHRASE_LEN 1024

typedef enum vsh_recipient_kind {
  VSH_RECIPIENT_PASSPHRASE = 1, /* PBKDF2 with HMAC-Streebog-512 (RFC 9337) */
  VSH_RECIPIENT_KEY = 2         /* random bytes, such as a key file has */
} vsh_recipient_kind;

typedef enum vsh_sealed_content {
  VSH_SEALED_BYTES = 0,    /* a file or a stream */
  VSH_SEALED_DIRECTORY = 1 /* a directory as a tar stream, whose names are those inside the directory */
} vsh_sealed_content;

/* What opens a sealed file. Read during the call only. */
typedef struct vsh_recipient {
  vsh_recipient_kind kind;
  const uint8_t* secret; /* passphrase: 1 .. MAX_PASSPHRASE_LEN bytes, as they are; key: MIN_KEY_LEN .. MAX_KEY_LEN */
  size_t secret_len;
  uint32_t iterations; /* adding a passphrase: MIN_ITERATIONS .. MAX_ITERATIONS. Else 0 */
  const char* label;   /* adding: who it is, for whoever reads the header, which is everybody; UTF-8 of up to
                        * MAX_LABEL_LEN bytes without control characters. NULL or "": none. Else not read */
} vsh_recipient;

/* ---- Sealing ----------------------------------------------------------------------------------------------------- */

typedef struct vsh_sealer vsh_sealer;

/* Draws a file key and a file id from the system. chunk_len: 0 means the default. Of the options flags, threads (0:
 * all) and kernel (of Kuznyechik) matter. Errors: ARGUMENT, PARAMETERS (chunk_len), KERNEL_*, RANDOM, MEMORY. */
VSH_API vsh_status vsh_sealer_new(vsh_sealer** sealer, size_t chunk_len, const vsh_options* options);
VSH_API void vsh_sealer_free(vsh_sealer* sealer);

/* What the content is, for whoever opens the file: authenticated, and no matter to the library otherwise. Bytes, where
 * this is not called. Errors: ARGUMENT, STATE after add_recipient. */
VSH_API vsh_status vsh_sealer_set_content(vsh_sealer* sealer, vsh_sealed_content content);

/* Makes slots of slot_len bytes, or longer where the recipients need that; 0: as short as they fit. With slots of
 * IN_PLACE_SLOT_LEN recipients can be changed later without copying the file. Errors: ARGUMENT, PARAMETERS (no
 * power of two from MIN_SLOT_LEN to MAX_SLOT_LEN), STATE after header. */
VSH_API vsh_status vsh_sealer_set_slot_len(vsh_sealer* sealer, size_t slot_len);

/* Takes as long as the iterations do. Errors: ARGUMENT, KEY_LENGTH (secret_len), PARAMETERS (iterations, alone or with
 * those of other recipients; too many recipients; label), STATE after header, RANDOM, MEMORY. */
VSH_API vsh_status vsh_sealer_add_recipient(vsh_sealer* sealer, const vsh_recipient* recipient);

/* Bytes of the header for the recipients added so far: both slots. */
VSH_API size_t vsh_sealer_header_len(const vsh_sealer* sealer);
/* Writes the header, once. Errors: CAPACITY, STATE (no recipient, or called before), ARGUMENT. */
VSH_API vsh_status vsh_sealer_header(vsh_sealer* sealer, uint8_t* out, size_t out_capacity);

/* How much vsh_sealer_update writes for in_len more bytes; SIZE_MAX where that is no number. vsh_sealer_final writes at
 * most chunk_len + TAG_LEN + END_LEN bytes. */
VSH_API size_t vsh_sealer_update_capacity(const vsh_sealer* sealer, size_t in_len);
VSH_API size_t vsh_sealer_final_capacity(const vsh_sealer* sealer);

/* Any number of bytes; in and out must not overlap. Several chunks a call run on several threads: 4 MiB and more keep
 * all busy. Errors: CAPACITY (nothing consumed, *out_len says how much is needed), STATE (before header, after final),
 * ARGUMENT, LIMIT (2^62 bytes), MEMORY (ends the file). */
VSH_API vsh_status vsh_sealer_update(vsh_sealer* sealer, uint8_t* out, size_t out_capacity, size_t* out_len,
                                     const uint8_t* in, size_t in_len);
/* The last chunk and the end mark. Errors: as vsh_sealer_update. */
VSH_API vsh_status vsh_sealer_final(vsh_sealer* sealer, uint8_t* out, size_t out_capacity, size_t* out_len);

/* ---- What the header says ---------------------------------------------------------------------------------------- */

typedef struct vsh_sealed_slot_info {
  vsh_status status;   /* OK: whole. Else FORMAT (damaged), VERSION or PARAMETERS: not used */
  uint64_t generation; /* 1 when sealed, 1 more at each change of the recipients; 0 where status is not OK */
} vsh_sealed_slot_info;

typedef struct vsh_recipient_info {
  vsh_recipient_kind kind;
  uint32_t iterations;                      /* of a passphrase */
  char label[VSH_SEALED_MAX_LABEL_LEN + 1]; /* UTF-8 without control characters; "": none */
} vsh_recipient_info;

typedef struct vsh_sealed_info {
  unsigned version;            /* of the format: 2 */
  const char* cipher;          /* "kuznyechik-mgm"; static storage */
  const char* key_derivation;  /* "streebog"; static storage */
  vsh_sealed_content content;
  size_t chunk_len;
  size_t slot_len;
  uint8_t file_id[VSH_SEALED_FILE_ID_LEN];
  size_t slot;                 /* the newest whole one, of which generation and recipients are */
  uint64_t generation;
  size_t num_recipients;
  vsh_recipient_info recipients[VSH_SEALED_MAX_RECIPIENTS];
  vsh_sealed_slot_info slots[VSH_SEALED_NUM_SLOTS];
  int slots_differ;            /* not 0: a change of the recipients was interrupted, or a slot is damaged */
} vsh_sealed_info;

/* Fills the first info_size bytes of *info from the header, without any secret: what it says is authentic only if
 * vsh_opener_unlock succeeds. Accepts any iteration count. header: the file's first VSH_SEALED_MAX_HEADER_LEN
 * bytes or more; all that it has where it is shorter.
 * Errors: FORMAT (no sealed file; no slot is whole; two slots that no crash leaves beside each other, so somebody
 * tampered with them: then no slot's status is FORMAT), TRUNCATED (a sealed file that ends within its header), VERSION,
 * PARAMETERS: *info then has the slots' statuses and `version` and nothing else. ARGUMENT. */
VSH_API vsh_status vsh_sealed_inspect_sized(vsh_sealed_info* info, size_t info_size, const uint8_t* header,
                                            size_t header_len);
static inline vsh_status vsh_sealed_inspect(vsh_sealed_info* info, const uint8_t* header, size_t header_len) {
  return vsh_sealed_inspect_sized(info, sizeof *info, header, header_len);
}

/* ---- Opening ----------------------------------------------------------------------------------------------------- */

typedef struct vsh_opener vsh_opener;

/* Reads the header; no secrets yet, and no long work. header as in vsh_sealed_inspect. max_iterations: bound of the
 * sum over the file's passphrases, which is what trying a secret costs; 0 means VSH_SEALED_MAX_ITERATIONS. Options
 * as for sealing.
 * Errors: as vsh_sealed_inspect; PARAMETERS also for more iterations; KERNEL_*, MEMORY. */
VSH_API vsh_status vsh_opener_new(vsh_opener** opener, const uint8_t* header, size_t header_len,
                                  uint64_t max_iterations, const vsh_options* options);
VSH_API void vsh_opener_free(vsh_opener* opener);

/* Where the payload begins: bytes of both slots. */
VSH_API size_t vsh_opener_header_len(const vsh_opener* opener);

/* Tries a secret on all recipients of its kind in the newest slot: PBKDF2 for each. May be called again with another
 * secret after WRONG_KEY.
 * Errors: WRONG_KEY: it fits none, or the slot that it fits is not authentic; FORMAT: the slot is authentic, but the
 * other one is whole and not of the same file key: the header was tampered with; KEY_LENGTH, ARGUMENT, MEMORY; STATE
 * (is unlocked already). */
VSH_API vsh_status vsh_opener_unlock(vsh_opener* opener, const vsh_recipient* recipient);

/* What is now known to be authentic: as vsh_sealed_inspect. Errors: STATE (not unlocked), ARGUMENT. */
VSH_API vsh_status vsh_opener_inspect_sized(const vsh_opener* opener, vsh_sealed_info* info, size_t info_size);
static inline vsh_status vsh_opener_inspect(const vsh_opener* opener, vsh_sealed_info* info) {
  return vsh_opener_inspect_sized(opener, info, sizeof *info);
}
/* Number of the recipient that the secret fitted, from 0. Errors: STATE, ARGUMENT. */
VSH_API vsh_status vsh_opener_recipient(const vsh_opener* opener, size_t* index);

/* From front to end: what follows the header, in pieces of any size. Writes plaintext of whole, verified chunks, and
 * holds up to one chunk back. Overlap and threads as in vsh_sealer_update.
 * Errors: CAPACITY (nothing consumed, *out_len says how much is needed); CHUNK: *out_len bytes of the chunks before
 * the damaged one were written, what is behind them in out means nothing, and the stream is at its end:
 * vsh_opener_chunk says which chunk; TRUNCATED (from final): the end mark is missing; STATE (not unlocked, after the
 * end), ARGUMENT, MEMORY. */
VSH_API size_t vsh_opener_update_capacity(const vsh_opener* opener, size_t in_len);
VSH_API size_t vsh_opener_final_capacity(const vsh_opener* opener);
VSH_API vsh_status vsh_opener_update(vsh_opener* opener, uint8_t* out, size_t out_capacity, size_t* out_len,
                                     const uint8_t* in, size_t in_len);
/* Only when this returned OK, what update wrote is the whole file. */
VSH_API vsh_status vsh_opener_final(vsh_opener* opener, uint8_t* out, size_t out_capacity, size_t* out_len);
/* The number, from 0, of the chunk that was damaged; else of the next one. */
VSH_API uint64_t vsh_opener_chunk(const vsh_opener* opener);
/* Front to end again, for a second pass. Errors: STATE (not unlocked), ARGUMENT. */
VSH_API vsh_status vsh_opener_rewind(vsh_opener* opener);

/* The plaintext's length that a sealed file of file_len bytes, header and end mark counted, must have. The file's end
 * is authentic once its last chunk is verified. Errors: TRUNCATED (no file has that length), ARGUMENT. */
VSH_API vsh_status vsh_opener_plain_len(const vsh_opener* opener, uint64_t* plain_len, uint64_t file_len);

/* The chunks that hold bytes `position` to `position + len` of the plaintext, and where they lie. */
typedef struct vsh_sealed_span {
  uint64_t first_chunk;
  uint64_t num_chunks; /* at least 1 */
  uint64_t offset;     /* in the file: read in_len bytes from here, all for vsh_opener_read */
  uint64_t in_len;     /* with the end mark, where the last chunk is among them */
  uint64_t out_len;    /* plaintext of these chunks */
  uint64_t skip;       /* of it, so much precedes the bytes that were asked for */
  uint64_t file_len;   /* as given */
} vsh_sealed_span;

/* With len 0 it is the chunk at `position`, at the plaintext's end the last one: to read that verifies the file's
 * length. Errors: TRUNCATED (file_len, as vsh_opener_plain_len), DATA_LENGTH (the range goes beyond the plaintext),
 * ARGUMENT. */
VSH_API vsh_status vsh_opener_locate(const vsh_opener* opener, vsh_sealed_span* span, uint64_t position, uint64_t len,
                                     uint64_t file_len);
/* Verifies and decrypts the chunks of a span: in has span->in_len bytes, and out room for span->out_len. All or nothing
 * but for the chunks before a damaged one, as in vsh_opener_update; *damaged (NULL allowed) is that chunk's number.
 * Independent of update and final. Errors: CAPACITY, CHUNK, TRUNCATED (the end mark is missing), STATE (not unlocked),
 * ARGUMENT (a span that locate did not make), MEMORY. */
VSH_API vsh_status vsh_opener_read(vsh_opener* opener, uint8_t* out, size_t out_capacity, size_t* out_len,
                                   uint64_t* damaged, const vsh_sealed_span* span, const uint8_t* in, size_t in_len);

/* ---- Other recipients for the same file -------------------------------------------------------------------------- */

/* The length of the shortest slot that has room for so many recipients; 0 where none has. */
VSH_API size_t vsh_sealed_slot_len(size_t num_recipients);

/* Makes the next generation of the header: the authentic recipients without those of `remove` (numbers, in any order),
 * and with those of `add`. Writes one slot of slot_len bytes. The payload stays as it is, byte for byte.
 * - In place, where slot_len is the file's and at least IN_PLACE_SLOT_LEN: write the slot at place *first of the file
 *   (at slot_len times it), sync, write it at the other place, sync. A crash at any moment leaves one of them whole.
 *   From the first sync on the new recipients hold; after the second nothing of the old ones is left.
 * - Else, since shorter slots share a sector, which a crash may destroy whole, or the payload moves: write a new file,
 *   the slot twice and the old file from vsh_opener_header_len on, sync it, and put it in the old one's place.
 * Errors: STATE (not unlocked), ARGUMENT (a number twice or too large; nobody left), PARAMETERS (too many recipients or
 * generations; iterations; label; slot_len is no length of slots), CAPACITY (slot_len is too short for the recipients),
 * KEY_LENGTH, RANDOM, MEMORY. */
VSH_API vsh_status vsh_opener_rekey(const vsh_opener* opener, uint8_t* slot, size_t slot_len, size_t* first,
                                    const vsh_recipient* add, size_t num_add, const size_t* remove, size_t num_remove);

#ifdef __cplusplus
}
#endif
#endif
