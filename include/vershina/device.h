/* Devices: GPUs through CUDA, GPUs and processors through OpenCL. Part of vershina.h, whose conventions hold here.
 *
 * Drivers are loaded lazily: on the first call of a function here, or when vsh_options.device names a device. The list
 * of devices found then is fixed until the process ends. docs/gpu.md lists the devices that were tested.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VERSHINA_DEVICE_H
#define VERSHINA_DEVICE_H

#include <vershina/vershina.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vsh_device_info {
  const char* id;           /* "cuda:0", "opencl:0.1" (platform and device): what vsh_options.device takes */
  const char* name;         /* "NVIDIA H200" */
  const char* back_end;     /* "cuda", "opencl" */
  const char* driver;       /* its version, in the driver's words */
  const char* architecture; /* CUDA: "sm_90"; OpenCL: the version of OpenCL C */
  uint64_t memory;          /* bytes */
  unsigned units;           /* multiprocessors, compute units */
  int is_processor;         /* an OpenCL driver for the processor itself */
  int automatic;            /* "auto" and "all" may use it: not a processor, and the same GPU is not listed above */
} vsh_device_info;

/* Fills the first info_size bytes of *info with device i, so that the struct can grow; the strings are static. CUDA's
 * devices come first. Errors: ARGUMENT past the end (also for i == 0 without devices), and for an info_size
 * larger than the library knows; MEMORY. */
VSH_API vsh_status vsh_device_read(size_t i, vsh_device_info* info, size_t info_size);
/* Calls vsh_device_read with the caller's size. */
static inline vsh_status vsh_device(size_t i, vsh_device_info* info) { return vsh_device_read(i, info, sizeof *info); }

/* Returns why a driver, or one of its devices, cannot be used: a sentence, in static storage; NULL past the end. A
 * missing driver is not reported. */
VSH_API const char* vsh_device_problem(size_t i);

/* Called with "cuda" and with "opencl" before the drivers of that back end are used for the first time in this process,
 * on the thread that is the first to need a device: returns why not to use them, a sentence for vsh_device_problem; ""
 * if they were tried and work; or NULL if that is not known, as without a check. */
typedef const char* (*vsh_device_check)(const char* back_end);

/* Sets the check; NULL: none, the default. Call it before all other functions that may use a device. A driver that
 * aborts ends its process: a program that must not end can try the drivers in a child process, as `vershina` does. The
 * library starts no process. Without a check it leaves OpenCL out where /sys is not mounted, because drivers for the
 * processor abort there. */
VSH_API void vsh_device_set_check(vsh_device_check check);

/* Compiles the programs for Kuznyechik, Magma and GOST 28147-89, unless they are cached, and runs them on examples of
 * the standards. Takes some milliseconds to some seconds. vsh_device_message has the details. Errors: ARGUMENT, DEVICE
 * (device not found, or it cannot run them), SELFTEST (a wrong result: the device must not be used), MEMORY. */
VSH_API vsh_status vsh_device_selftest(const char* id);

/* ---- Memory of the host ------------------------------------------------------------------------------------------ */

/* Allocates len >= 1 bytes of page-locked memory, which devices read and write directly, without staging buffers.
 * device: an id, "auto" or "all"; NULL: as "all". Locked memory is a resource of the whole system: allocate little, and
 * reuse it. Errors: ARGUMENT, DEVICE (no device, none measured for "auto", or no such memory), MEMORY. */
VSH_API vsh_status vsh_device_alloc_host(void** memory, size_t len, const char* device);
/* Erases and frees memory of vsh_device_alloc_host. NULL is allowed. */
VSH_API void vsh_device_free_host(void* memory);

/* ---- Data in the memory of a CUDA device
 * ------------------------------------------------------------------------------- */

/* Holds a key on a CUDA device, for data in that device's memory (of the primary context, which the run-time API, CuPy
 * and PyTorch use; managed memory too). Calls queue the work on the caller's stream and return; they wait only if the
 * stream differs from that of the previous call. Errors that the device reports later are returned by a later call. One
 * thread at a time. */
typedef struct vsh_device_cipher vsh_device_cipher;

/* Creates a context. device: "cuda:N". key: 32 bytes, or 64 for Kuznyechik in XTS, whose halves must differ. Only sbox
 * and custom_sbox of the options matter; those of other modes are refused. Errors: ARGUMENT, KEY_LENGTH, SEGMENT,
 * SECTION, PADDING, SBOX, DEVICE, MEMORY. */
VSH_API vsh_status vsh_device_cipher_new(vsh_device_cipher** cipher, const char* device, vsh_cipher_algorithm algorithm,
                                         const uint8_t* key, size_t key_len, const vsh_options* options);
/* Waits for queued work, and erases the key and all copies of data on the device. */
VSH_API void vsh_device_cipher_free(vsh_device_cipher* cipher);

/* Encrypts or decrypts len bytes from `in` to `out` on the device. out equals in or does not overlap it. Any alignment
 * is allowed; data not at a multiple of 16 is copied once more on the device. iv (in the host's memory), iv_len: as
 * vsh_mode documents. position: CTR and CNT begin at this byte of the message, a multiple of the block; 0 elsewhere.
 * stream: a CUstream or cudaStream_t; NULL: the default stream. Modes: ECB, CTR, CNT, any number of bytes except in
 * ECB; decryption in CBC and CFB, whose encryption is a chain. ECB and CBC take whole blocks and do not pad; segments
 * are blocks.
 * Errors: ARGUMENT (overlapping buffers too), IV_LENGTH, DATA_LENGTH, LIMIT, STATE (a key for XTS), DEVICE (not memory
 * of this device, a mode not supported on devices, or a failed device: out is then invalid), MEMORY. */
VSH_API vsh_status vsh_device_encrypt(vsh_device_cipher* cipher, vsh_mode mode, void* out, const void* in, size_t len,
                                      const uint8_t* iv, size_t iv_len, uint64_t position, void* stream);
VSH_API vsh_status vsh_device_decrypt(vsh_device_cipher* cipher, vsh_mode mode, void* out, const void* in, size_t len,
                                      const uint8_t* iv, size_t iv_len, uint64_t position, void* stream);

/* Encrypt and decrypt sectors under a key of 64 bytes: vsh_xts_encrypt_sectors. Errors: ARGUMENT, SECTOR, LIMIT, STATE
 * (a key of 32 bytes), DEVICE, MEMORY. */
VSH_API vsh_status vsh_device_xts_encrypt(vsh_device_cipher* cipher, void* out, const void* in, size_t num_sectors,
                                          size_t sector_len, uint64_t first_sector, void* stream);
VSH_API vsh_status vsh_device_xts_decrypt(vsh_device_cipher* cipher, void* out, const void* in, size_t num_sectors,
                                          size_t sector_len, uint64_t first_sector, void* stream);

/* Processes many messages of one length on a CUDA device, each with its own key. Calls behave as those of
 * vsh_device_cipher. */
typedef struct vsh_device_streams vsh_device_streams;

/* Only sbox and custom_sbox of the options matter. Errors: as vsh_device_cipher_new. */
VSH_API vsh_status vsh_device_streams_new(vsh_device_streams** streams, const char* device,
                                          vsh_cipher_algorithm algorithm, const vsh_options* options);
VSH_API void vsh_device_streams_free(vsh_device_streams* streams); /* as vsh_device_cipher_free */

/* All buffers are on the device and at multiples of 16: message i at in + i * stride and out + i * stride, len bytes
 * each, its key of 32 bytes at keys + 32 * i, its IV at ivs + i * (block length), a block for each (for CTR the right
 * half is ignored); NULL if the mode has none. stride: a multiple of the block, at least len; bytes after a message in
 * `out` are undefined. out and in must not overlap. MAC: a block for each message, at out + i * (block length), whose
 * first bytes are the tag. work, mode: as in vsh_stream_job; CBC, CFB and OFB with registers of a block, ECB and CBC
 * with whole blocks. Errors: ARGUMENT, DATA_LENGTH, DEVICE, MEMORY. */
VSH_API vsh_status vsh_device_streams_run(vsh_device_streams* streams, vsh_stream_work work, vsh_mode mode, void* out,
                                          const void* in, const void* keys, const void* ivs, size_t num_messages,
                                          size_t len, size_t stride, void* stream);

#ifdef __cplusplus
}
#endif

#endif
