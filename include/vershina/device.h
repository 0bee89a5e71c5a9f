/* Devices: GPUs through CUDA, GPUs and processors through OpenCL. Part of vershina.h, whose conventions hold here.
 *
 * Drivers are opened when something here is called first, or when vsh_options.device asks for a device; without one of
 * these nothing of them is loaded. What is found then stays the list until the process ends. docs/gpu.md says which
 * devices were tried.
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
  int automatic;            /* "auto" and "all" may use it: no processor, and the same GPU is not listed above */
} vsh_device_info;

/* Fills the first info_size bytes of *info with device i, so that the struct can grow; the strings are static. CUDA's
 * devices come first. Errors: ARGUMENT past the end (at once where there is no device at all), and for an info_size
 * larger than the library knows; MEMORY. */
VSH_API vsh_status vsh_device_read(size_t i, vsh_device_info* info, size_t info_size);
/* The same with the caller's own size. */
static inline vsh_status vsh_device(size_t i, vsh_device_info* info) { return vsh_device_read(i, info, sizeof *info); }

/* What keeps a driver, or one of its devices, from being used: a sentence, in static storage; NULL past the end. That a
 * driver is not installed is no problem. */
VSH_API const char* vsh_device_problem(size_t i);

/* Compiles the programs for Kuznyechik, Magma and GOST 28147-89, unless that was done before, and runs them on examples
 * of the standards. Takes some milliseconds to some seconds. vsh_device_message says more. Errors: ARGUMENT, DEVICE (no
 * such device, or it cannot run them), SELFTEST (a wrong result: it must not be used), MEMORY. */
VSH_API vsh_status vsh_device_selftest(const char* id);

/* ---- Memory of the host ------------------------------------------------------------------------------------------ */

/* len >= 1 bytes of page-locked memory, from and to which devices copy by themselves: what lies there goes to a device
 * without passing through the library's own. device: an id, "auto" or "all"; NULL: as "all". Locked memory is taken
 * from the whole system: take little, and keep it. Errors: ARGUMENT, DEVICE (there is none, or none for "auto", which
 * wants one that was measured; or no such memory), MEMORY. */
VSH_API vsh_status vsh_device_alloc_host(void** memory, size_t len, const char* device);
/* Erases it first. NULL is allowed, and nothing else that vsh_device_alloc_host has not given. */
VSH_API void vsh_device_free_host(void* memory);

/* ---- Data that is on a CUDA device ------------------------------------------------------------------------------- */

/* A key on a CUDA device, for data in that device's memory (of the primary context, which the run-time API, CuPy and
 * PyTorch use; managed memory too). Calls ask the caller's stream for the work, in whose order it is done, and return;
 * they wait only where a call comes on another stream than the one before. What the device reports later is an error of
 * a later call. One thread at a time. */
typedef struct vsh_device_cipher vsh_device_cipher;

/* device: "cuda:N". key: 32 bytes, or 64 for Kuznyechik in XTS, whose halves must differ. Of the options sbox and
 * custom_sbox matter, those of other modes are refused. Errors: ARGUMENT, KEY_LENGTH, SEGMENT, SECTION, PADDING, SBOX,
 * DEVICE, MEMORY. */
VSH_API vsh_status vsh_device_cipher_new(vsh_device_cipher** cipher, const char* device,
                                         vsh_cipher_algorithm algorithm, const uint8_t* key, size_t key_len,
                                         const vsh_options* options);
/* Waits for what was asked for, and erases the key and all copies of data on the device. */
VSH_API void vsh_device_cipher_free(vsh_device_cipher* cipher);

/* Encrypts or decrypts len bytes from `in` to `out` on the device. out is in, or lies apart from it; any alignment:
 * multiples of 16 are right, data elsewhere is copied on the device once more. iv (in the host's memory), iv_len: as
 * vsh_mode says. position: CTR and CNT begin at this byte of the message, a multiple of the block; 0 elsewhere.
 * stream: a CUstream or cudaStream_t; NULL: the default stream.
 * Modes: ECB, CTR, CNT, any number of bytes but in ECB; decryption in CBC and CFB, whose encryption is a chain. ECB and
 * CBC take whole blocks and pad nothing; segments are blocks.
 * Errors: ARGUMENT (overlapping buffers too), IV_LENGTH, DATA_LENGTH, LIMIT, STATE (a key for XTS), DEVICE (not memory
 * of this device, a mode that is no work for a device, or a device that failed: out then means nothing), MEMORY. */
VSH_API vsh_status vsh_device_encrypt(vsh_device_cipher* cipher, vsh_mode mode, void* out, const void* in, size_t len,
                                      const uint8_t* iv, size_t iv_len, uint64_t position, void* stream);
VSH_API vsh_status vsh_device_decrypt(vsh_device_cipher* cipher, vsh_mode mode, void* out, const void* in, size_t len,
                                      const uint8_t* iv, size_t iv_len, uint64_t position, void* stream);

/* The same for sectors, under a key of 64 bytes: vsh_xts_encrypt_sectors. Errors: ARGUMENT, SECTOR, LIMIT, STATE (a key
 * of 32 bytes), DEVICE, MEMORY. */
VSH_API vsh_status vsh_device_xts_encrypt(vsh_device_cipher* cipher, void* out, const void* in, size_t num_sectors,
                                          size_t sector_len, uint64_t first_sector, void* stream);
VSH_API vsh_status vsh_device_xts_decrypt(vsh_device_cipher* cipher, void* out, const void* in, size_t num_sectors,
                                          size_t sector_len, uint64_t first_sector, void* stream);

/* Many messages of one length on a CUDA device, each with its own key. Calls as those of vsh_device_cipher. */
typedef struct vsh_device_streams vsh_device_streams;

/* Of the options sbox and custom_sbox matter. Errors: as vsh_device_cipher_new. */
VSH_API vsh_status vsh_device_streams_new(vsh_device_streams** streams, const char* device,
                                          vsh_cipher_algorithm algorithm, const vsh_options* options);
VSH_API void vsh_device_streams_free(vsh_device_streams* streams); /* as vsh_device_cipher_free */

/* All on the device and at multiples of 16: message i at in + i * stride and out + i * stride, len bytes each, its key
 * of 32 bytes at keys + 32 * i, its IV at ivs + i * (block length), a block for each (of CTR with anything in its right
 * half); NULL where there is none. stride: a multiple of the block, len at least; what follows a message in `out` means
 * nothing. out and in lie apart. MAC: a block for each message, at out + i * (block length), of which the tag is the
 * beginning. work, mode: as in vsh_stream_job; CBC, CFB and OFB with registers of a block, ECB and CBC with whole
 * blocks. Errors: ARGUMENT, DATA_LENGTH, DEVICE, MEMORY. */
VSH_API vsh_status vsh_device_streams_run(vsh_device_streams* streams, vsh_stream_work work, vsh_mode mode, void* out,
                                          const void* in, const void* keys, const void* ivs, size_t num_messages,
                                          size_t len, size_t stride, void* stream);

#ifdef __cplusplus
}
#endif

#endif
