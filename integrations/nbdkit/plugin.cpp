// The plugin `vershina` of nbdkit: serves a volume enciphered with Kuznyechik. nbdkit-plugin(3) describes the callbacks
// and their order: config for each parameter, config_complete, get_ready, fork, after_fork, then requests from several
// threads.
#define NBDKIT_API_VERSION 2
#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL
#include <nbdkit-plugin.h>
#include <sys/prctl.h>
#include <vershina/vershina.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "parameters.hpp"
#include "programs/common/disk/formats/plain.hpp"
#include "programs/common/disk/store/file_store.hpp"
#include "programs/common/disk/store/open_store.hpp"
#include "programs/common/disk/volume/volume.hpp"
#include "programs/common/system/secret_buffer.hpp"
#include "programs/common/text/failure.hpp"

#if VSH_WITH_CRYPTSETUP
#include "programs/common/disk/formats/luks2.hpp"
#endif
#if VSH_WITH_VERACRYPT
#include "programs/common/disk/formats/veracrypt.hpp"
#endif

namespace vsh::nbdkit {
namespace {

Parameters parameters;
std::optional<cli::SecretBuffer> passphrase;  // from config_complete to get_ready
// Deleted by on_cleanup alone. When nbdkit goes into the background, the process that it leaves ends with exit(): a
// destructor there would disconnect from another NBD server, over the sockets of the process that serves.
std::unique_ptr<disk::Volume>& volume = *new std::unique_ptr<disk::Volume>;

// Calls f(); reports its exception to nbdkit. Returns 0 or -1.
template <class F>
int guarded(F f) noexcept {
  try {
    f();
    return 0;
  } catch (const disk::IoError& error) {
    nbdkit_error("%s", error.what());
    nbdkit_set_error(error.error());
  } catch (const std::bad_alloc&) {
    nbdkit_error("out of memory");
    nbdkit_set_error(ENOMEM);
  } catch (const std::exception& error) {
    nbdkit_error("%s", error.what());
    nbdkit_set_error(EIO);
  }
  return -1;
}

// The round keys are in memory that was in use before.
void lock_memory() {
  if (!cli::lock_memory())
    nbdkit_debug("vershina: the memory cannot be locked (RLIMIT_MEMLOCK): keys may be swapped out");
}

disk::Layout open_luks2(disk::VolumeKey& key, disk::Store& store) {
#if VSH_WITH_CRYPTSETUP
  const auto [header, layout] = disk::open_luks2(store, parameters.header, parameters.access());
  header.unlock(key, passphrase->bytes());
  return layout;
#else
  (void)key;
  (void)store;
  throw cli::Failure(cli::ExitCode::usage, "this build has no LUKS2");
#endif
}

disk::Layout open_veracrypt(disk::VolumeKey& key, disk::Store& store) {
#if VSH_WITH_VERACRYPT
  if (passphrase && passphrase->size() > disk::kMaxVeraCryptPassphrase)
    throw cli::Failure(cli::ExitCode::usage, "a passphrase of VeraCrypt has at most 128 bytes");
  if (!parameters.key_files.empty()) {
    passphrase = disk::mix_veracrypt_key_files(passphrase ? passphrase->bytes() : std::span<const uint8_t>(),
                                               parameters.key_files);
  }
  return disk::open_veracrypt(
      key, store, {.hash = parameters.hash, .pim = parameters.pim, .backup_header = parameters.backup_header},
      passphrase->bytes());
#else
  (void)key;
  (void)store;
  throw cli::Failure(cli::ExitCode::usage, "this build has no VeraCrypt");
#endif
}

std::unique_ptr<disk::Store> open_store() {
  const disk::Access access = parameters.access();
  if (!parameters.uri.empty()) return disk::open_nbd(parameters.uri, access);
  auto store = std::make_unique<disk::FileStore>(parameters.file, access);
  if (!store->is_locked())
    nbdkit_debug("vershina: %s: the file system has no locks: no other program may use it", store->name().c_str());
  return store;
}

void make_volume() {
  std::unique_ptr<disk::Store> store = open_store();
  disk::VolumeKey key;
  disk::Layout layout;
  if (parameters.format == Format::plain) {
    layout = disk::plain_layout(parameters.layout, store->size(), store->name());
    disk::read_plain_key(key, parameters.key_file);
  } else if (parameters.format == Format::veracrypt) {
    layout = open_veracrypt(key, *store);
  } else {
    layout = open_luks2(key, *store);
  }
  volume = std::make_unique<disk::Volume>(std::move(store), layout, key);
}

int on_config(const char* name, const char* value) {
  return guarded([&] { parameters.take(name, value); });
}

int on_config_complete() {
  return guarded([] {
    // No core file, and no other process of this user reads the memory. Inherited by fork().
    (void)::prctl(PR_SET_DUMPABLE, 0);
    parameters.check();
    const bool has_one = parameters.format == Format::luks2 || !parameters.passphrase.empty();
    if (parameters.format != Format::plain && has_one) passphrase.emplace(read_passphrase(parameters));
  });
}

// The key is checked here: nbdkit ends with an error before it forks, and before a command of --run starts.
int on_get_ready() {
  return guarded([] {
    make_volume();
    passphrase.reset();
    lock_memory();
  });
}

int on_after_fork() {
  return guarded([] {
    // Again: `nbdkit -u` has changed the user, which sets it to fs.suid_dumpable: 2, a core file, with
    // systemd-coredump.
    (void)::prctl(PR_SET_DUMPABLE, 0);
    lock_memory();
  });
}

// No connection is left. The system writes a file by itself; another server may not, and is told to.
void on_cleanup() {
  if (volume && !parameters.uri.empty() && volume->may_write() && volume->can_flush())
    (void)guarded([] { volume->flush(); });
  volume.reset();
  passphrase.reset();
}

void on_dump_plugin() {
  std::printf("vershina_formats=%s\n", kFormats);
#if VSH_WITH_LIBNBD
  std::printf("vershina_libnbd=yes\n");
#else
  std::printf("vershina_libnbd=no\n");
#endif
}

void* on_open(int) { return NBDKIT_HANDLE_NOT_NEEDED; }

int64_t on_get_size(void*) { return static_cast<int64_t>(volume->size()); }

int on_block_size(void*, uint32_t* minimum, uint32_t* preferred, uint32_t* maximum) {
  *minimum = 1;
  *preferred = std::max<uint32_t>(volume->sector_len(), 4096);
  *maximum = UINT32_MAX;
  return 0;
}

int on_can_write(void*) { return volume->may_write(); }
int on_can_flush(void*) { return volume->can_flush(); }
int on_can_trim(void*) { return parameters.trims && volume->may_write(); }
int on_can_zero(void*) { return volume->may_write(); }
int on_can_fast_zero(void*) { return 0; }
int on_can_fua(void*) { return volume->can_flush() ? NBDKIT_FUA_NATIVE : NBDKIT_FUA_NONE; }
// All connections use one descriptor: a flush on one is a flush of all.
int on_can_multi_conn(void*) { return 1; }

void end_of_write(uint32_t flags) {
  if (flags & NBDKIT_FLAG_FUA) volume->flush();
}

int on_pread(void*, void* buffer, uint32_t count, uint64_t offset, uint32_t) {
  return guarded([&] { volume->read(static_cast<uint8_t*>(buffer), count, offset); });
}

int on_pwrite(void*, const void* buffer, uint32_t count, uint64_t offset, uint32_t flags) {
  return guarded([&] {
    volume->write(static_cast<const uint8_t*>(buffer), count, offset);
    end_of_write(flags);
  });
}

int on_flush(void*, uint32_t) {
  return guarded([] { volume->flush(); });
}

int on_trim(void*, uint32_t count, uint64_t offset, uint32_t flags) {
  return guarded([&] {
    volume->discard(count, offset);
    end_of_write(flags);
  });
}

// Zeros are enciphered like other data, with NBDKIT_FLAG_MAY_TRIM too: a hole would be read as noise.
int on_zero(void*, uint32_t count, uint64_t offset, uint32_t flags) {
  return guarded([&] {
    volume->write_zeros(count, offset);
    end_of_write(flags);
  });
}

nbdkit_plugin make_plugin() {
  nbdkit_plugin p{};
  p.name = "vershina";
  p.longname = "Vershina: volumes enciphered with Kuznyechik";
  p.version = vsh_version();
  p.description = "Serves LUKS2, plain and VeraCrypt volumes with the cipher Kuznyechik (GOST R 34.12-2015) in XTS";
  p.config = on_config;
  p.config_complete = on_config_complete;
  p.config_help = kParametersHelp;
  p.magic_config_key = "file";
  p.get_ready = on_get_ready;
  p.after_fork = on_after_fork;
  p.cleanup = on_cleanup;
  p.dump_plugin = on_dump_plugin;
  p.open = on_open;
  p.get_size = on_get_size;
  p.block_size = on_block_size;
  p.can_write = on_can_write;
  p.can_flush = on_can_flush;
  p.can_trim = on_can_trim;
  p.can_zero = on_can_zero;
  p.can_fast_zero = on_can_fast_zero;
  p.can_fua = on_can_fua;
  p.can_multi_conn = on_can_multi_conn;
  p.pread = on_pread;
  p.pwrite = on_pwrite;
  p.flush = on_flush;
  p.trim = on_trim;
  p.zero = on_zero;
  return p;
}

nbdkit_plugin plugin = make_plugin();

}  // namespace
}  // namespace vsh::nbdkit

using vsh::nbdkit::plugin;
NBDKIT_REGISTER_PLUGIN(plugin)
