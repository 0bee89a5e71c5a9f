// vsh_xts: encryption of disk sectors.
#include <memory>

#include "api/arguments/keys.hpp"
#include "api/arguments/mode_arguments.hpp"
#include "modes/xts.hpp"
#include "vershina/disk.h"

using namespace vsh;
using namespace vsh::api;
using modes::Direction;
using modes::Xts;

static_assert(VSH_XTS_KEY_LEN == 2 * VSH_KEY_LEN && VSH_XTS_MIN_UNIT_LEN == Xts::kBlock);

struct vsh_xts : ErasedOnFree {
  vsh_xts(const BlockChoice& kernels, const keys::CipherKey& data, const keys::CipherKey& tweak, unsigned threads,
          const ProductKernel& products)
      : data_engine(kernels, data, 1),
        tweak_engine(kernels, tweak, 1),
        mode(data_engine, tweak_engine, threads, products) {}

  BlockEngine data_engine, tweak_engine;
  Xts mode;  // refers to the engines
};

namespace {

vsh_status check_sector_len(size_t sector_len) {
  if (sector_len == 0 || sector_len > VSH_MAX_SECTOR_LEN || sector_len % VSH_SECTOR_UNIT) return VSH_E_SECTOR;
  return VSH_OK;
}

// Checks that the buffers are the same or do not overlap.
vsh_status check_buffers(const uint8_t* out, const uint8_t* in, size_t len) {
  if (!is_buffer(out, len) || !is_buffer(in, len)) return VSH_E_ARGUMENT;
  return same_or_apart(out, len, in, len) ? VSH_OK : VSH_E_ARGUMENT;
}

// Checks that the sectors numbered first, first + step, ... are below 2^64.
vsh_status check_numbers(uint64_t first, uint64_t step, size_t num_sectors) {
  return num_sectors && num_sectors - 1 > (UINT64_MAX - first) / step ? VSH_E_LIMIT : VSH_OK;
}

vsh_status sectors(const vsh_xts* c, Direction direction, uint8_t* out, const uint8_t* in, size_t num_sectors,
                   size_t sector_len, uint64_t first_sector) {
  if (!c) return VSH_E_ARGUMENT;
  if (const vsh_status s = check_sector_len(sector_len)) return s;
  if (num_sectors > SIZE_MAX / sector_len) return VSH_E_ARGUMENT;
  if (const vsh_status s = check_buffers(out, in, num_sectors * sector_len)) return s;
  const uint64_t step = sector_len / VSH_SECTOR_UNIT;
  if (first_sector % step) return VSH_E_SECTOR;
  if (const vsh_status s = check_numbers(first_sector, step, num_sectors)) return s;
  return guarded([&] {
    c->mode.process(direction, out, in, num_sectors, sector_len / Xts::kBlock, first_sector, step);
    return VSH_OK;
  });
}

vsh_status unit(const vsh_xts* c, Direction direction, uint8_t* out, const uint8_t* in, size_t len,
                const uint8_t* number) {
  if (!c || !is_buffer(number, Xts::kBlock) || !number) return VSH_E_ARGUMENT;
  if (len < VSH_XTS_MIN_UNIT_LEN) return VSH_E_DATA_LENGTH;
  if (len > VSH_XTS_MAX_UNIT_LEN) return VSH_E_LIMIT;
  if (const vsh_status s = check_buffers(out, in, len)) return s;
  return guarded([&] {
    c->mode.process_unit(direction, out, in, len, number);
    return VSH_OK;
  });
}

}  // namespace

vsh_status vsh_xts_new(vsh_xts** context, const uint8_t* key, size_t key_len, const vsh_options* options) {
  Options o;
  if (!context) return VSH_E_ARGUMENT;
  if (const vsh_status s = read_options(o, options, DeviceUse::possible)) return s;
  if (key_len != VSH_XTS_KEY_LEN) return VSH_E_KEY_LENGTH;
  if (!is_buffer(key, key_len)) return VSH_E_ARGUMENT;
  const uint8_t* const tweak_key = key + VSH_KEY_LEN;
  if (equal_constant_time(key, tweak_key, VSH_KEY_LEN)) return VSH_E_ARGUMENT;
  if (const vsh_status s = refuse_mode_options(o)) return s;
  if (const vsh_status s = check_sbox(Algorithm::kuznyechik, o)) return s;
  const BlockChoice kernels = choose_block_kernel(Algorithm::kuznyechik, o.kernel, o.allow_tables);
  if (const vsh_status s = status_of(kernels.status)) return s;
  const ProductChoice products = choose_product_kernel();
  if (const vsh_status s = status_of(products.status)) return s;
  return guarded([&] {
    const BlockKernel* const row = &kernels.ladder.one();
    const keys::CipherKey data(Algorithm::kuznyechik, key, row), tweak(Algorithm::kuznyechik, tweak_key, row);
    std::unique_ptr<vsh_xts> c(new vsh_xts(kernels, data, tweak, o.threads, *products.row));
    static constexpr Operation kNeeded[] = {Operation::xts_encrypt, Operation::xts_decrypt};
    c->data_engine.set_accelerator(gpu::make_accelerator(o.device, {data, &tweak, kNeeded}));
    *context = c.release();
    return VSH_OK;
  });
}

void vsh_xts_free(vsh_xts* context) { delete context; }

vsh_status vsh_xts_encrypt_sectors(const vsh_xts* context, uint8_t* out, const uint8_t* in, size_t num_sectors,
                                   size_t sector_len, uint64_t first_sector) {
  return sectors(context, Direction::encrypt, out, in, num_sectors, sector_len, first_sector);
}

vsh_status vsh_xts_decrypt_sectors(const vsh_xts* context, uint8_t* out, const uint8_t* in, size_t num_sectors,
                                   size_t sector_len, uint64_t first_sector) {
  return sectors(context, Direction::decrypt, out, in, num_sectors, sector_len, first_sector);
}

vsh_status vsh_xts_encrypt_unit(const vsh_xts* context, uint8_t* out, const uint8_t* in, size_t len,
                                const uint8_t* number) {
  return unit(context, Direction::encrypt, out, in, len, number);
}

vsh_status vsh_xts_decrypt_unit(const vsh_xts* context, uint8_t* out, const uint8_t* in, size_t len,
                                const uint8_t* number) {
  return unit(context, Direction::decrypt, out, in, len, number);
}

const char* vsh_xts_kernel(const vsh_xts* context) { return context ? context->data_engine.many().info.variant : ""; }
