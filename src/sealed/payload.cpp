#include "sealed/payload.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/bytes.hpp"
#include "core/executor.hpp"

namespace vsh::sealed {
namespace {

// The last chunk's nonce differs from that of any other chunk at its place, so neither can stand for the other.
std::array<uint8_t, 16> nonce_of(uint64_t chunk, bool is_last) noexcept {
  std::array<uint8_t, 16> nonce{};
  nonce[7] = is_last;
  store_be64(nonce.data() + 8, chunk);
  return nonce;
}

// Chunk i of the run, where each has `stride` bytes.
const uint8_t* chunk_of(const Run& run, size_t i, size_t stride) noexcept {
  return i < run.num_head ? run.head + i * stride : run.rest + (i - run.num_head) * stride;
}

bool is_last(const Run& run, size_t i) noexcept { return run.ends && i + 1 == run.num; }

}  // namespace

Payload::Payload(const Suite& suite, const FileKey& key, const Slot& slot)
    : suite_(suite), layout_(slot.chunk_log2), preamble_(slot.preamble) {
  file_key_.value = key.value;
}

const MgmKey& Payload::key_of(uint64_t chunk) {
  const uint64_t number = chunk >> kChunksPerKeyLog2;
  if (!key_ || key_number_ != number) {
    std::array<uint8_t, kFileIdLen + 8> seed;
    std::memcpy(seed.data(), preamble_.data() + at::file_id, kFileIdLen);
    store_be64(seed.data() + kFileIdLen, number);
    Wiped<std::array<uint8_t, 32>> key;
    derive(suite_.hash, key->data(), file_key_.value, kLabelPayload, seed);
    key_.emplace(suite_, key->data(), MgmKey::Use::payload);
    key_number_ = number;
  }
  return *key_;
}

template <class F>
void Payload::for_chunks(const Run& run, F&& f) {
  constexpr uint64_t kChunksPerKey = uint64_t{1} << kChunksPerKeyLog2;
  const size_t grain = std::max<size_t>(1, kBytesPerThread / layout_.chunk_len());
  for (size_t done = 0; done < run.num;) {
    const uint64_t first = run.first + done;
    const size_t num = static_cast<size_t>(std::min<uint64_t>(run.num - done, kChunksPerKey - first % kChunksPerKey));
    const MgmKey& key = key_of(first);
    for_ranges(num, grain, suite_.threads, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) f(key, done + i);
    });
    done += num;
  }
}

void Payload::seal(uint8_t* out, const Run& run) {
  for_chunks(run, [&](const MgmKey& key, size_t i) {
    const size_t len = i + 1 == run.num ? run.last_len : layout_.chunk_len();
    const auto nonce = nonce_of(run.first + i, is_last(run, i));
    key.seal(out + i * layout_.sealed_chunk_len(), chunk_of(run, i, layout_.chunk_len()), len, nonce.data(), preamble_);
  });
}

size_t Payload::open(uint8_t* out, const Run& run) {
  std::atomic<size_t> good{run.num};
  for_chunks(run, [&](const MgmKey& key, size_t i) {
    const size_t len = i + 1 == run.num ? run.last_len : layout_.chunk_len();
    const auto nonce = nonce_of(run.first + i, is_last(run, i));
    const uint8_t* const in = chunk_of(run, i, layout_.sealed_chunk_len());
    if (i >= good.load(std::memory_order_relaxed) ||
        key.open(out + i * layout_.chunk_len(), in, len, nonce.data(), preamble_))
      return;
    size_t seen = good.load(std::memory_order_relaxed);
    while (i < seen && !good.compare_exchange_weak(seen, i, std::memory_order_relaxed)) {
    }
  });
  return good;
}

}  // namespace vsh::sealed
