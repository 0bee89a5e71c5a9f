// vsh_streams: prepared keys for batches of messages and of packets.
#pragma once

#include "api/arguments/options.hpp"
#include "gpu/schedule/stream_batch.hpp"
#include "streams/key_set.hpp"

struct vsh_streams : vsh::api::ErasedOnFree {
  vsh_streams(unsigned algorithm, const vsh::api::Options& o, const vsh::streams::Cipher& cipher, const uint8_t* keys,
              size_t num_keys)
      : algorithm(algorithm),
        set(cipher, keys, num_keys),
        devices(vsh::gpu::make_batch<vsh::gpu::StreamBatch>(o.device, cipher.parameters, cipher.segment)) {
    checked.segment_len = o.segment_len;
    checked.allow_short_tags = o.allow_short_tags;
  }

  unsigned algorithm;
  vsh::api::Options checked;  // options that jobs are checked against
  vsh::streams::KeySet set;
  const vsh::ProductChoice products = vsh::choose_product_kernel();
  std::unique_ptr<vsh::gpu::StreamBatch> devices;  // null: none
};

namespace vsh::api {

// The key of a job: its own, or a prepared one. Item: streams::Job or streams::Packet.
template <class Item>
vsh_status read_key(const vsh_streams& s, const uint8_t* key, size_t key_index, Item& item) noexcept {
  if (key) {
    if (!is_buffer(key, VSH_KEY_LEN)) return VSH_E_ARGUMENT;
    item.key = key;
    item.slot = streams::kNoSlot;
    return VSH_OK;
  }
  if (key_index >= s.set.num_keys()) return VSH_E_ARGUMENT;
  item.key = s.set.key(key_index);
  item.slot = static_cast<uint32_t>(key_index);
  return VSH_OK;
}

}  // namespace vsh::api
