#include "sealed/payload.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/accelerator.hpp"
#include "core/bytes.hpp"
#include "core/executor.hpp"
#include "streams/mgm_batch.hpp"

namespace vsh::sealed {
namespace {

using streams::Packet;
using Nonce = std::array<uint8_t, 16>;

// Chunks at a time: many times the work of a device's queue, and little memory.
constexpr size_t kMostPackets = 1024;

// The last chunk's nonce differs from that of any other chunk at its place, so neither can replace the other.
Nonce nonce_of(uint64_t chunk, bool is_last) noexcept {
  Nonce nonce{};
  nonce[7] = is_last;
  store_be64(nonce.data() + 8, chunk);
  return nonce;
}

// Returns chunk i of the run, in which each has `stride` bytes.
const uint8_t* chunk_of(const Run& run, size_t i, size_t stride) noexcept {
  return i < run.num_head ? run.head + i * stride : run.rest + (i - run.num_head) * stride;
}

}  // namespace

struct Payload::ChunkKey {
  ChunkKey(const Payload& payload, uint64_t number)
      : mgm(payload.suite_, make(payload, number), payload.is_long_ ? payload.suite_.devices.get() : nullptr) {}

  const uint8_t* make(const Payload& payload, uint64_t number) noexcept {
    std::array<uint8_t, kFileIdLen + 8> seed;
    std::memcpy(seed.data(), payload.preamble_.data() + at::file_id, kFileIdLen);
    store_be64(seed.data() + kFileIdLen, number);
    derive(payload.suite_.hash, bytes->data(), payload.file_key_.value, kLabelPayload, seed);
    return bytes->data();
  }

  Wiped<std::array<uint8_t, 32>> bytes;
  MgmKey mgm;
};

Payload::Payload(const Suite& suite, const FileKey& key, const Slot& slot)
    : suite_(suite),
      layout_(slot.chunk_log2, kNumSlots * slot.len),
      preamble_(slot.preamble),
      is_long_(suite.devices && layout_.chunk_len() > suite.devices->max_packet()) {
  file_key_.value = key.value;
}

Payload::~Payload() = default;

void Payload::make_keys(uint64_t first, uint64_t last) {
  first >>= kChunksPerKeyLog2, last >>= kChunksPerKeyLog2;
  std::erase_if(keys_, [&](const auto& key) { return key.first < first || key.first > last; });
  for (uint64_t number = first; number <= last; ++number) keys_.try_emplace(number, *this, number);
}

// Runs packets of make_keys's chunks; `slot` is the index of their key relative to the first.
void Payload::run_on_processor(streams::Selection<Packet> packets) const {
  const size_t grain = std::max<size_t>(1, kBytesPerThread / layout_.chunk_len());
  const uint64_t first_key = keys_.begin()->first;
  const bool is_divided = keys_.begin()->second.mgm.is_divided();
  for_ranges(packets.size(), grain, is_divided ? 1 : suite_.threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      Packet& p = packets[i];
      const MgmKey& key = keys_.at(first_key + p.slot).mgm;
      if (p.opens) p.right = key.open(p.out, p.in, p.len, p.nonce, preamble_);
      else key.seal(p.out, p.in, p.len, p.nonce, preamble_), p.right = true;
      p.done = true;
    }
  });
}

void Payload::run_packets(std::span<Packet> packets) {
  if (!suite_.devices || is_long_ || packets.size() * layout_.chunk_len() < Accelerator::kLeast)
    return run_on_processor(packets);
  suite_.devices->run(packets, [this](streams::Selection<Packet> some) { run_on_processor(some); });
}

size_t Payload::process(uint8_t* out, const Run& run, bool opens) {
  const size_t plain = layout_.chunk_len(), sealed = layout_.sealed_chunk_len();
  const size_t in_stride = opens ? sealed : plain, out_stride = opens ? plain : sealed;
  std::vector<Nonce> nonces(std::min(run.num, kMostPackets));
  std::vector<Packet> packets(nonces.size());
  for (size_t done = 0; done < run.num;) {
    const size_t num = std::min(run.num - done, kMostPackets);
    const uint64_t first = run.first + done;
    make_keys(first, first + num - 1);
    for (size_t i = 0; i < num; ++i) {
      const bool is_end = done + i + 1 == run.num;
      const uint64_t key = (first + i) >> kChunksPerKeyLog2;
      nonces[i] = nonce_of(first + i, run.ends && is_end);
      Packet p{};
      p.opens = opens;
      p.slot = static_cast<uint32_t>(key - keys_.begin()->first);
      p.key = keys_.at(key).bytes.value.data();
      p.nonce = nonces[i].data();
      p.data = preamble_.data(), p.data_len = preamble_.size();
      p.in = chunk_of(run, done + i, in_stride), p.out = out + (done + i) * out_stride;
      p.len = is_end ? run.last_len : plain, p.tag_len = kTagLen;
      packets[i] = p;
    }
    const std::span<Packet> group(packets.data(), num);
    run_packets(group);
    const auto wrong = std::find_if(group.begin(), group.end(), [](const Packet& p) { return !p.right; });
    done += static_cast<size_t>(wrong - group.begin());
    if (wrong != group.end()) return done;
  }
  return run.num;
}

}  // namespace vsh::sealed
