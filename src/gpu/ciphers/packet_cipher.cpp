#include "gpu/ciphers/packet_cipher.hpp"

#include <algorithm>
#include <cassert>

#include "core/decimal.hpp"
#include "gpu/device/host_memory.hpp"

namespace vsh::gpu {
namespace {

// Products of a packet are divided among work items: each has at least kBlocksAnItem blocks, so a packet of 1500 bytes
// has work for a dozen. With more parts than kMostParts their sum, by one item, would take longest.
constexpr uint64_t kBlocksAnItem = 8, kMostParts = 64;

}  // namespace

PacketCipher::PacketCipher(Device& device, const keys::CipherParameters& cipher)
    : device_(device), cipher_(device, cipher) {}

Program& PacketCipher::program() const {
  const std::lock_guard lock(mutex_);
  if (!program_) program_ = device_.program("mgm", "-DVSH_WORDS=" + decimal(block_size() / 4));
  return *program_;
}

void PacketCipher::launch(Queue& queue, Scratch& scratch, const Task& t) const {
  if (t.num_packets == 0) return;
  const size_t n = block_size();
  const uint64_t num = t.num_packets, multipliers = uint64_t{t.data_blocks} + t.text_blocks + 1;
  const uint64_t per_packet = columns(t.data_blocks, t.text_blocks);
  assert(num * per_packet <= kMostBlocks);
  const auto share = static_cast<uint32_t>(std::clamp<uint64_t>(multipliers / kBlocksAnItem, 1, kMostParts));
  Buffer& firsts = grow(device_, queue, scratch.firsts, num * 2 * n);
  Buffer& counters = grow(device_, queue, scratch.counters, num * per_packet * n);
  Buffer& encrypted = grow(device_, queue, scratch.encrypted, num * per_packet * n);
  Buffer& sums = grow(device_, queue, scratch.sums, num * share * 2 * n);
  Buffer& blocks = grow(device_, queue, scratch.blocks, num * n);

  bool keys_again = false;
  const auto encrypt = [&](Buffer& out, const Buffer& in, uint64_t blocks_a_packet) {
    const uint64_t len = blocks_a_packet * n;
    StreamCipher::Task task{Operation::ecb_encrypt, &out, &in, t.keys, nullptr, t.num_packets, len, len};
    task.keys_again = keys_again;
    cipher_.launch(queue, scratch.keys, task);
    keys_again = true;
  };
  encrypt(firsts, *t.nonces, 2);
  const Argument counting[] = {counters, firsts, *t.lens, t.num_packets, t.data_blocks, t.text_blocks};
  queue.launch(program().kernel("make_counters"), num * per_packet, counting);
  encrypt(encrypted, counters, per_packet);
  const Argument absorbing[] = {*t.out,        sums,          *t.in,         encrypted, *t.lens,
                                t.num_packets, t.data_blocks, t.text_blocks, share,     uint32_t{t.opens}};
  queue.launch(program().kernel("absorb"), num * share, absorbing);
  const Argument reducing[] = {blocks, sums, t.num_packets, share};
  queue.launch(program().kernel("reduce"), num, reducing);
  encrypt(*t.tags, blocks, 1);
}

}  // namespace vsh::gpu
