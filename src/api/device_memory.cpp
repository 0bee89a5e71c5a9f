// C ABI of page-locked memory, and of data in a CUDA device's memory.
#include <map>
#include <memory>
#include <mutex>

#include "api/arguments/keys.hpp"
#include "api/arguments/mode_arguments.hpp"
#include "api/arguments/names.hpp"
#include "api/arguments/operations.hpp"
#include "core/block_engine.hpp"
#include "gpu/ciphers/resident_cipher.hpp"
#include "gpu/ciphers/stream_cipher.hpp"
#include "gpu/cuda/interop.hpp"
#include "gpu/devices.hpp"
#include "gpu/schedule/crossovers.hpp"
#include "vershina/device.h"
#include "vershina/disk.h"

using namespace vsh;
using namespace vsh::api;

// ---- Memory of the host ---------------------------------------------------------------------------------------------

namespace {

struct HostAllocations {
  std::mutex mutex;
  std::map<void*, std::unique_ptr<gpu::HostBuffer>> blocks;
};

// Never destroyed: drivers may be gone when static objects are.
HostAllocations& host_allocations() {
  static HostAllocations* const all = new HostAllocations;
  return *all;
}

}  // namespace

vsh_status vsh_device_alloc_host(void** memory, size_t len, const char* device) {
  if (!memory || len == 0) return VSH_E_ARGUMENT;
  return guarded([&] {
    const std::optional<gpu::DeviceChoice> choice = gpu::parse_device(device ? device : "all");
    if (!choice || choice->kind == gpu::DeviceChoice::Kind::processor)
      throw gpu::Error(gpu::Error::Kind::none_found, "a device is auto, all, cuda:N or opencl:P.D");
    // `auto` uses only devices that were measured, and otherwise loads no driver.
    if (choice->kind == gpu::DeviceChoice::Kind::automatic && gpu::measured_crossovers().empty())
      throw gpu::Error(gpu::Error::Kind::none_found, "no device was measured");
    const std::vector<std::string> ids = gpu::worker_ids();
    if (!choice->is_named() && ids.empty()) throw gpu::Error(gpu::Error::Kind::none_found, "there is no GPU");
    auto block = gpu::open_device(choice->is_named() ? choice->id() : std::string_view(ids[0])).allocate_host(len);
    void* const p = block->bytes().data();
    const std::lock_guard lock(host_allocations().mutex);
    host_allocations().blocks.emplace(p, std::move(block));
    *memory = p;
    return VSH_OK;
  });
}

void vsh_device_free_host(void* memory) {
  if (!memory) return;
  std::unique_ptr<gpu::HostBuffer> block;  // destroyed after the lock
  const std::lock_guard lock(host_allocations().mutex);
  const auto found = host_allocations().blocks.find(memory);
  if (found == host_allocations().blocks.end()) return;
  block = std::move(found->second);
  host_allocations().blocks.erase(found);
}

// ---- Data on a device -----------------------------------------------------------------------------------------------

struct vsh_device_cipher : ErasedOnFree {
  vsh_device_cipher(gpu::Device& d, unsigned number, const BlockChoice& kernels, const keys::CipherKey& key,
                    const keys::CipherKey* tweak_key)
      : algorithm(number), device(d), is_xts(tweak_key), engine(kernels, key, 1), cipher(d, key, tweak_key) {}

  const unsigned algorithm;
  gpu::Device& device;
  const bool is_xts;
  const BlockEngine engine;  // encrypts the IV of CNT
  gpu::ResidentCipher cipher;
};

struct vsh_device_streams : ErasedOnFree {
  vsh_device_streams(gpu::Device& d, unsigned number, const keys::CipherParameters& parameters)
      : algorithm(number), device(d), cipher(d, parameters) {}
  ~vsh_device_streams() {
    try {
      if (queue) queue->finish();
    } catch (const gpu::Error&) {
    }
  }

  const unsigned algorithm;
  gpu::Device& device;
  gpu::StreamCipher cipher;
  gpu::StreamCipher::Scratch scratch;
  void* stream = nullptr;
  std::unique_ptr<gpu::Queue> queue;  // over `stream`
};

namespace {

gpu::Device& open_cuda(const char* id) {
  const std::optional<gpu::DeviceChoice> choice = gpu::parse_device(id);
  if (!choice || !choice->is_named() || !choice->id().starts_with("cuda:"))
    throw gpu::Error(gpu::Error::Kind::none_found, "data in device memory needs a CUDA device: expected cuda:N");
  return gpu::open_device(choice->id());
}

vsh_status check_buffers(const void* out, const void* in, size_t len) {
  return is_buffer(out, len) && is_buffer(in, len) && same_or_apart(out, len, in, len) ? VSH_OK : VSH_E_ARGUMENT;
}

vsh_status no_work() {
  gpu::set_last_error("chained modes cannot run on a device");
  return VSH_E_DEVICE;
}

vsh_status crypt(vsh_device_cipher* c, vsh_mode mode_, bool encrypts, void* out, const void* in, size_t len,
                 const uint8_t* iv, size_t iv_len, uint64_t position, void* stream) {
  if (!c) return VSH_E_ARGUMENT;
  const unsigned mode = number(mode_);
  const size_t n = block_len(c->algorithm);
  if (!is_cipher(c->algorithm, mode)) return VSH_E_ARGUMENT;
  if (c->is_xts) return VSH_E_STATE;
  if (const vsh_status s = check_iv(c->algorithm, mode, iv, iv_len)) return s;
  if (const vsh_status s = check_buffers(out, in, len)) return s;
  const bool counts = mode == VSH_CTR || mode == VSH_CNT;
  if (counts ? position % n != 0 : position != 0) return VSH_E_ARGUMENT;
  if (counts && len > UINT64_MAX - position) return VSH_E_LIMIT;
  if (pads(mode) && len % n) return VSH_E_DATA_LENGTH;
  const Operation operation = operation_of(mode, encrypts);
  if (chained(operation) || mode == VSH_CTR_ACPKM) return no_work();
  if (len == 0) return VSH_OK;
  return guarded([&] {
    gpu::require_memory(c->device, in, len);
    gpu::require_memory(c->device, out, len);
    Wiped<uint8_t[VSH_MAX_BLOCK_LEN]> counter;
    gpu::ResidentCipher::Task task{};
    task.operation = operation;
    task.out = static_cast<uint8_t*>(out), task.in = static_cast<const uint8_t*>(in), task.len = len;
    task.first = position / n;
    task.stream = stream;
    if (mode == VSH_CTR) std::memcpy(counter.value, iv, iv_len);
    if (mode == VSH_CNT) c->engine.encrypt_one(counter.value, iv);
    if (mode != VSH_ECB) task.start = counts ? counter.value : iv;
    if (mode == VSH_CBC || mode == VSH_CFB) task.z = iv_len / n;
    c->cipher.run(task);
    return VSH_OK;
  });
}

vsh_status sectors(vsh_device_cipher* c, bool encrypts, void* out, const void* in, size_t num_sectors,
                   size_t sector_len, uint64_t first_sector, void* stream) {
  if (!c) return VSH_E_ARGUMENT;
  if (sector_len == 0 || sector_len > VSH_MAX_SECTOR_LEN || sector_len % VSH_SECTOR_UNIT) return VSH_E_SECTOR;
  if (num_sectors > SIZE_MAX / sector_len) return VSH_E_ARGUMENT;
  const size_t len = num_sectors * sector_len;
  if (const vsh_status s = check_buffers(out, in, len)) return s;
  const uint64_t step = sector_len / VSH_SECTOR_UNIT;
  if (first_sector % step) return VSH_E_SECTOR;
  if (num_sectors && num_sectors - 1 > (UINT64_MAX - first_sector) / step) return VSH_E_LIMIT;
  if (!c->is_xts) return VSH_E_STATE;
  if (len == 0) return VSH_OK;
  return guarded([&] {
    gpu::require_memory(c->device, in, len);
    gpu::require_memory(c->device, out, len);
    gpu::ResidentCipher::Task task{};
    task.operation = encrypts ? Operation::xts_encrypt : Operation::xts_decrypt;
    task.out = static_cast<uint8_t*>(out), task.in = static_cast<const uint8_t*>(in), task.len = len;
    task.unit_blocks = sector_len / VSH_MAX_BLOCK_LEN;
    task.first_unit = first_sector, task.step = step;
    task.stream = stream;
    c->cipher.run(task);
    return VSH_OK;
  });
}

vsh_status read_device_options(Options& o, const vsh_options* options, Algorithm a) {
  if (const vsh_status s = read_options(o, options)) return s;
  if (const vsh_status s = refuse_mode_options(o)) return s;
  return check_sbox(a, o);
}

}  // namespace

vsh_status vsh_device_cipher_new(vsh_device_cipher** cipher, const char* device, vsh_cipher_algorithm algorithm,
                                 const uint8_t* key, size_t key_len, const vsh_options* options) {
  if (!cipher || !device || block_len(number(algorithm)) == 0) return VSH_E_ARGUMENT;
  const Algorithm a = algorithm_of(number(algorithm));
  const bool is_xts = a == Algorithm::kuznyechik && key_len == VSH_XTS_KEY_LEN;
  Options o;
  if (const vsh_status s = read_device_options(o, options, a)) return s;
  if (!is_xts)
    if (const vsh_status s = check_key(key, key_len)) return s;
  if (!is_buffer(key, key_len)) return VSH_E_ARGUMENT;
  if (is_xts && equal_constant_time(key, key + VSH_KEY_LEN, VSH_KEY_LEN)) return VSH_E_ARGUMENT;
  const BlockChoice kernels = choose_block_kernel(a, o.kernel, o.allow_tables, o.sbox == VSH_SBOX_CUSTOM);
  if (const vsh_status s = api::status_of(kernels.status)) return s;
  return guarded([&] {
    const BlockKernel* const row = &kernels.ladder.one();
    const keys::CipherKey data = cipher_key(a, key, o, row);
    std::optional<keys::CipherKey> tweak;
    if (is_xts) tweak.emplace(a, key + VSH_KEY_LEN, row);
    *cipher = new vsh_device_cipher(open_cuda(device), number(algorithm), kernels, data, tweak ? &*tweak : nullptr);
    return VSH_OK;
  });
}

void vsh_device_cipher_free(vsh_device_cipher* cipher) { delete cipher; }

vsh_status vsh_device_encrypt(vsh_device_cipher* cipher, vsh_mode mode, void* out, const void* in, size_t len,
                              const uint8_t* iv, size_t iv_len, uint64_t position, void* stream) {
  return crypt(cipher, mode, true, out, in, len, iv, iv_len, position, stream);
}

vsh_status vsh_device_decrypt(vsh_device_cipher* cipher, vsh_mode mode, void* out, const void* in, size_t len,
                              const uint8_t* iv, size_t iv_len, uint64_t position, void* stream) {
  return crypt(cipher, mode, false, out, in, len, iv, iv_len, position, stream);
}

vsh_status vsh_device_xts_encrypt(vsh_device_cipher* cipher, void* out, const void* in, size_t num_sectors,
                                  size_t sector_len, uint64_t first_sector, void* stream) {
  return sectors(cipher, true, out, in, num_sectors, sector_len, first_sector, stream);
}

vsh_status vsh_device_xts_decrypt(vsh_device_cipher* cipher, void* out, const void* in, size_t num_sectors,
                                  size_t sector_len, uint64_t first_sector, void* stream) {
  return sectors(cipher, false, out, in, num_sectors, sector_len, first_sector, stream);
}

vsh_status vsh_device_streams_new(vsh_device_streams** streams, const char* device, vsh_cipher_algorithm algorithm,
                                  const vsh_options* options) {
  if (!streams || !device || block_len(number(algorithm)) == 0) return VSH_E_ARGUMENT;
  const Algorithm a = algorithm_of(number(algorithm));
  Options o;
  if (const vsh_status s = read_device_options(o, options, a)) return s;
  return guarded([&] {
    *streams = new vsh_device_streams(open_cuda(device), number(algorithm), cipher_parameters(a, o));
    return VSH_OK;
  });
}

void vsh_device_streams_free(vsh_device_streams* streams) { delete streams; }

vsh_status vsh_device_streams_run(vsh_device_streams* s, vsh_stream_work work, vsh_mode mode, void* out, const void* in,
                                  const void* keys, const void* ivs, size_t num, size_t len, size_t stride,
                                  void* stream) {
  if (!s) return VSH_E_ARGUMENT;
  const size_t n = block_len(s->algorithm);
  const bool is_mac = number(work) == VSH_STREAM_MAC;
  if (!is_mac && number(work) != VSH_STREAM_ENCRYPT && number(work) != VSH_STREAM_DECRYPT) return VSH_E_ARGUMENT;
  if (!is_mac && (!is_cipher(s->algorithm, number(mode)) || number(mode) == VSH_CTR_ACPKM)) return VSH_E_ARGUMENT;
  const bool has_iv = !is_mac && number(mode) != VSH_ECB;
  if (num == 0) return VSH_OK;
  if (num > UINT32_MAX || stride % n || stride < len || len == 0 || stride > SIZE_MAX / num) return VSH_E_ARGUMENT;
  if (!is_mac && pads(number(mode)) && len % n) return VSH_E_DATA_LENGTH;
  if (stride / n > gpu::StreamCipher::kMostBlocks / num / 32) return VSH_E_ARGUMENT;
  const size_t bytes = num * stride, out_bytes = is_mac ? num * n : bytes;
  for (const void* p : {static_cast<const void*>(out), in, keys, has_iv ? ivs : keys})
    if (!p || reinterpret_cast<uintptr_t>(p) % 16) return VSH_E_ARGUMENT;
  if (!is_buffer(in, bytes) || !is_buffer(out, out_bytes) || overlap(out, out_bytes, in, bytes)) return VSH_E_ARGUMENT;
  if (overlap(out, out_bytes, keys, num * VSH_KEY_LEN) || (has_iv && overlap(out, out_bytes, ivs, num * n)))
    return VSH_E_ARGUMENT;
  return guarded([&] {
    const auto adopt = [&](const void* p, size_t size) {
      gpu::require_memory(s->device, p, size);
      return gpu::adopt_buffer(s->device, const_cast<void*>(p), size);
    };
    const auto to = adopt(out, out_bytes), from = adopt(in, bytes), key_buffer = adopt(keys, num * VSH_KEY_LEN);
    const auto iv_buffer = has_iv ? adopt(ivs, num * n) : nullptr;
    gpu::StreamCipher::Task task{};
    task.operation = operation_of(s->algorithm, number(work), number(mode));
    if (!s->cipher.can(task.operation)) return no_work();
    task.out = to.get(), task.in = from.get(), task.keys = key_buffer.get(), task.ivs = iv_buffer.get();
    task.num_streams = static_cast<uint32_t>(num);
    task.len = len, task.stride = stride;
    if (!s->queue || s->stream != stream) {
      if (s->queue) s->queue->finish();
      s->queue = gpu::adopt_stream(s->device, stream);
      s->stream = stream;
    }
    s->cipher.launch(*s->queue, s->scratch, task);
    return VSH_OK;
  });
}
