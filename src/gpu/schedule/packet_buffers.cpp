#include "gpu/schedule/packet_buffers.hpp"

#include <algorithm>
#include <cstring>

#include "core/wipe.hpp"
#include "gf2n/mgm_counters.hpp"

namespace vsh::gpu {
namespace {

using streams::Packet;

constexpr size_t kKeyBytes = 32;
using Lengths = uint32_t[2];

// Copies the bytes, filled up with zeros.
void put(uint8_t* to, size_t size, const uint8_t* from, size_t len) noexcept {
  if (len) std::memcpy(to, from, len);
  std::memset(to + len, 0, size - len);
}

// Nothing of a packet whose tag is wrong.
void release(Packet& p, const uint8_t* text, const uint8_t* tag) noexcept {
  p.right = !p.opens || equal_constant_time(tag, p.in + p.len, p.tag_len);
  if (p.right && p.len) std::memcpy(p.out, text, p.len);
  if (!p.opens) std::memcpy(p.out + p.len, tag, p.tag_len);
  p.done = true;
}

}  // namespace

void PacketBuffers::run(Device& device, Queue& queue, const PacketCipher& cipher,
                        const streams::Selection<Packet>& packets) {
  const size_t n = cipher.block_size(), num = packets.size();
  PacketCipher::Task task{};
  task.opens = packets[0].opens;
  task.num_packets = static_cast<uint32_t>(num);
  for (size_t i = 0; i < num; ++i) {
    const Packet& p = packets[i];
    task.data_blocks = std::max(task.data_blocks, static_cast<uint32_t>(blocks_of(p.data_len, n)));
    task.text_blocks = std::max(task.text_blocks, static_cast<uint32_t>(blocks_of(p.len, n)));
  }
  const size_t data_size = task.data_blocks * n, text_size = task.text_blocks * n, row = data_size + text_size;
  uint8_t* const in = in_.host(device, num * row);
  uint8_t* const keys = keys_.host(device, num * kKeyBytes);
  uint8_t* const nonces = nonces_.host(device, num * 2 * n);
  uint8_t* const lens = lens_.host(device, num * sizeof(Lengths));
  uint8_t* const out = out_.host(device, std::max(num * text_size, n));
  uint8_t* const tags = tags_.host(device, num * n);
  for (size_t i = 0; i < num; ++i) {
    const Packet& p = packets[i];
    put(in + i * row, data_size, p.data, p.data_len);
    put(in + i * row + data_size, text_size, p.in, p.len);
    std::memcpy(keys + i * kKeyBytes, p.key, kKeyBytes);
    mgm::write_first(nonces + 2 * n * i, nonces + 2 * n * i + n, p.nonce, n);
    const Lengths both = {static_cast<uint32_t>(p.data_len), static_cast<uint32_t>(p.len)};
    std::memcpy(lens + i * sizeof both, both, sizeof both);
  }
  task.in = in_.upload(device, queue, num * row);
  task.keys = keys_.upload(device, queue, num * kKeyBytes);
  task.nonces = nonces_.upload(device, queue, num * 2 * n);
  task.lens = lens_.upload(device, queue, num * sizeof(Lengths));
  task.out = &out_.on_device(device, std::max(num * text_size, n));
  task.tags = &tags_.on_device(device, num * n);
  cipher.launch(queue, scratch_, task);
  if (text_size) out_.download(queue, num * text_size);
  tags_.download(queue, num * n);
  queue.finish();
  for (size_t i = 0; i < num; ++i) release(packets[i], out + i * text_size, tags + i * n);
}

}  // namespace vsh::gpu
