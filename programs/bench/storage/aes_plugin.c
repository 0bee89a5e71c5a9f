// A plugin of nbdkit for the benchmark: a file enciphered with AES-256-XTS by OpenSSL, in sectors of 4096 bytes
// numbered as dm-crypt's plain64. It does what the plugin vershina does for whole sectors, and refuses parts of them.
#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL
enum { kSector = 4096, kPiece = 256 << 10 };

static char* path;
static int file = -1;
static int64_t size;
static unsigned char key[64];

static int on_config(const char* name, const char* value) {
  if (strcmp(name, "file") != 0) return nbdkit_error("unknown parameter %s", name), -1;
  free(path);
  path = nbdkit_realpath(value);
  return path ? 0 : -1;
}

static int on_get_ready(void) {
  struct stat status;
  for (int i = 0; i < 64; ++i) key[i] = (unsigned char)(i * 3 + 1);
  file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0 || fstat(file, &status) != 0) return nbdkit_error("file: %m"), -1;
  size = status.st_size / kSector * kSector;
  return 0;
}

// Each thread keeps its contexts, with the keys expanded, and its buffer.
static __thread EVP_CIPHER_CTX* contexts[2];
static __thread unsigned char* piece;

static int crypt_sectors(int encrypts, unsigned char* out, const unsigned char* in, size_t len, uint64_t offset) {
  EVP_CIPHER_CTX** const context = &contexts[encrypts];
  if (!*context) {
    *context = EVP_CIPHER_CTX_new();
    if (!*context || EVP_CipherInit_ex(*context, EVP_aes_256_xts(), NULL, key, NULL, encrypts) != 1) return -1;
  }
  for (size_t at = 0; at < len; at += kSector) {
    const uint64_t number = (offset + at) / 512;
    unsigned char tweak[16] = {0};
    int done = 0;
    for (int i = 0; i < 8; ++i) tweak[i] = (unsigned char)(number >> (8 * i));
    if (EVP_CipherInit_ex(*context, NULL, NULL, NULL, tweak, encrypts) != 1 ||
        EVP_CipherUpdate(*context, out + at, &done, in + at, kSector) != 1 || done != kSector)
      return -1;
  }
  return 0;
}

static void* on_open(int read_only) {
  (void)read_only;
  return NBDKIT_HANDLE_NOT_NEEDED;
}
static int64_t on_get_size(void* handle) {
  (void)handle;
  return size;
}
static int on_can_multi_conn(void* handle) {
  (void)handle;
  return 1;
}

static int fail(int error) {
  nbdkit_set_error(error);
  return -1;
}

static int on_pread(void* handle, void* buffer, uint32_t count, uint64_t offset, uint32_t flags) {
  unsigned char* out = buffer;
  (void)handle;
  (void)flags;
  if (count % kSector || offset % kSector) return fail(EINVAL);
  while (count > 0) {
    const uint32_t now = count < kPiece ? count : kPiece;
    if (pread(file, out, now, (off_t)offset) != (ssize_t)now) return fail(EIO);
    if (crypt_sectors(0, out, out, now, offset) != 0) return fail(EIO);
    out += now, offset += now, count -= now;
  }
  return 0;
}

static int on_pwrite(void* handle, const void* buffer, uint32_t count, uint64_t offset, uint32_t flags) {
  const unsigned char* in = buffer;
  (void)handle;
  (void)flags;
  if (count % kSector || offset % kSector) return fail(EINVAL);
  if (!piece) piece = malloc(kPiece);
  if (!piece) return fail(ENOMEM);
  while (count > 0) {
    const uint32_t now = count < kPiece ? count : kPiece;
    if (crypt_sectors(1, piece, in, now, offset) != 0) return fail(EIO);
    if (pwrite(file, piece, now, (off_t)offset) != (ssize_t)now) return fail(EIO);
    in += now, offset += now, count -= now;
  }
  return 0;
}

static int on_flush(void* handle, uint32_t flags) {
  (void)handle;
  (void)flags;
  return fdatasync(file) == 0 ? 0 : fail(errno);
}

static struct nbdkit_plugin plugin = {
    .name = "aes",
    .config = on_config,
    .magic_config_key = "file",
    .get_ready = on_get_ready,
    .open = on_open,
    .get_size = on_get_size,
    .can_multi_conn = on_can_multi_conn,
    .pread = on_pread,
    .pwrite = on_pwrite,
    .flush = on_flush,
};
NBDKIT_REGISTER_PLUGIN(plugin)
