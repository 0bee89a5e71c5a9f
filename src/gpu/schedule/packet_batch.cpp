#include "gpu/schedule/packet_batch.hpp"

#include <bit>
#include <tuple>

#include "gpu/schedule/batch_groups.hpp"
#include "gpu/schedule/batch_slots.hpp"

namespace vsh::gpu {
namespace {

using streams::Packet;

// Packets that may go to a device together: rows are as long as the longest. Within a kind packets lie in the order of
// their lengths, so that pieces are more alike than kinds.
auto kind_of(const Packet& p, size_t n) noexcept {
  const auto width = [n](size_t len) { return std::bit_width(PacketSlot::blocks_of(len, n)); };
  return std::tuple(p.opens, width(p.data_len), width(p.len));
}

}  // namespace

PacketBatch::PacketBatch(const DeviceChoice& choice, Algorithm algorithm, const magma::RoundKeys& parameters)
    : block_size_(algorithm == Algorithm::kuznyechik ? 16 : 8),
      scheduler_(choice, algorithm, [this, algorithm, parameters](Device& device, size_t num) {
        const std::shared_ptr<const PacketCipher> shared =
            std::make_unique<const PacketCipher>(device, algorithm, parameters);
        add_slots(slots_, num, device, shared);
      }) {}

std::unique_ptr<PacketBatch> PacketBatch::make(const DeviceChoice& choice, Algorithm algorithm,
                                               const magma::RoundKeys& parameters) {
  if (choice.kind == DeviceChoice::Kind::processor) return nullptr;
  std::unique_ptr<PacketBatch> batch(new PacketBatch(choice, algorithm, parameters));
  return batch->scheduler_.may_want() ? std::move(batch) : nullptr;
}

void PacketBatch::run(std::span<Packet> packets, const Processor& processor) {
  const auto bytes_of = [](const Packet& p) { return p.len + p.data_len; };
  in_groups(
      packets, [](const Packet& p) { return p.len <= kMaxPacket && p.data_len <= kMaxPacket; },
      [this](const Packet& p) { return kind_of(p, block_size_); }, bytes_of,
      [this](const Packet&, size_t num, size_t bytes) { return scheduler_.wants(RatedWork::batch_mgm(), num, bytes); },
      [&](std::span<Packet> group) {
        scheduler_.run(
            RatedWork::batch_mgm(), group.size(), bytes_of(group.back()) + block_size_,
            [&](size_t slot, WorkSplitter::Piece p) { slots_[slot]->run(group.subspan(p.begin, p.size())); },
            [&](WorkSplitter::Piece piece) { processor(group.subspan(piece.begin, piece.size())); });
      },
      processor);
}

}  // namespace vsh::gpu
