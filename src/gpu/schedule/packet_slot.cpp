#include "gpu/schedule/packet_slot.hpp"

#include <algorithm>
#include <cstring>

#include "core/wipe.hpp"
#include "gpu/schedule/batch_slots.hpp"
#include "gpu/device/grow.hpp"
#include "modes/mgm_counters.hpp"

namespace vsh::gpu {
namespace {

using streams::Packet;

constexpr size_t kKeyBytes = 32;
using Lengths = uint32_t[2];

// The bytes, filled up with zeros.
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

const Buffer* PacketSlot::upload(Pair& pair, size_t len) {
  queue_->upload(grow(device_, pair.device, len), 0, pair.stage->bytes().data(), len);
  return pair.device.get();
}

void PacketSlot::run(std::span<Packet> packets) {
  const size_t n = cipher_->block_size(), num = packets.size();
  PacketCipher::Task task{};
  task.opens = packets[0].opens;
  task.num_packets = static_cast<uint32_t>(num);
  for (const Packet& p : packets) {
    task.data_blocks = std::max(task.data_blocks, static_cast<uint32_t>(blocks_of(p.data_len, n)));
    task.text_blocks = std::max(task.text_blocks, static_cast<uint32_t>(blocks_of(p.len, n)));
  }
  const size_t data_size = task.data_blocks * n, text_size = task.text_blocks * n, row = data_size + text_size;
  if (!queue_) queue_ = device_.make_queue();
  uint8_t* const in = grow(device_, in_.stage, num * row);
  uint8_t* const keys = grow(device_, keys_.stage, num * kKeyBytes);
  uint8_t* const nonces = grow(device_, nonces_.stage, num * 2 * n);
  uint8_t* const lens = grow(device_, lens_.stage, num * sizeof(Lengths));
  uint8_t* const out = grow(device_, out_.stage, std::max(num * text_size, n));
  uint8_t* const tags = grow(device_, tags_.stage, num * n);
  for (size_t i = 0; i < num; ++i) {
    const Packet& p = packets[i];
    put(in + i * row, data_size, p.data, p.data_len);
    put(in + i * row + data_size, text_size, p.in, p.len);
    std::memcpy(keys + i * kKeyBytes, p.key, kKeyBytes);
    modes::mgm::write_first(nonces + 2 * n * i, p.nonce, n);
    const Lengths both = {static_cast<uint32_t>(p.data_len), static_cast<uint32_t>(p.len)};
    std::memcpy(lens + i * sizeof both, both, sizeof both);
  }
  finish_in_any_case(*queue_, [&] {
    task.in = upload(in_, num * row);
    task.keys = upload(keys_, num * kKeyBytes);
    task.nonces = upload(nonces_, num * 2 * n);
    task.lens = upload(lens_, num * sizeof(Lengths));
    task.out = &grow(device_, out_.device, std::max(num * text_size, n));
    task.tags = &grow(device_, tags_.device, num * n);
    cipher_->launch(*queue_, scratch_, task);
    if (text_size) queue_->download(out, *task.out, 0, num * text_size);
    queue_->download(tags, *task.tags, 0, num * n);
  });
  for (size_t i = 0; i < num; ++i) release(packets[i], out + i * text_size, tags + i * n);
}

}  // namespace vsh::gpu
