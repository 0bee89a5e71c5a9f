#include "streams/mgm_batch.hpp"

#include <algorithm>
#include <vector>

#include "core/executor.hpp"
#include "core/secret_buffer.hpp"
#include "gf2n/reduce.hpp"
#include "modes/blocks.hpp"
#include "modes/mgm.hpp"
#include "modes/mgm_counters.hpp"
#include "streams/single_message.hpp"

namespace vsh::streams {
namespace {

// Bytes of counters and keystream at a time: enough for every lane to have a packet of 1500 bytes, and little enough
// for a second-level cache or a part of the third.
constexpr size_t kPortion = 1 << 20;

// From this length on, a packet runs as fast singly: its own blocks fill the kernels' passes, and counters become
// keystream without being stored.
constexpr size_t kAlone = 4096;

// From so many passes on, the packets of one key need no lanes: their blocks are one request of an engine, which costs
// a key expansion and saves the slicing of keys and of blocks.
constexpr size_t kPassesOfOneKey = 8;

// With so many prepared keys for each packet it costs too much to count what each has.
constexpr size_t kKeysOfAPacket = 64;

// Packets that are processed together.
class Portion {
 public:
  Portion(const KeySet& keys, const ProductKernel& products) : keys_(keys), products_(products) {}

  size_t n() const noexcept { return keys_.cipher().block_size(); }
  // Bytes: H_1 .. H_(h+q+1), then E(Y_1) .. E(Y_q).
  size_t size(const Packet& p) const noexcept {
    return (modes::mgm::blocks_of(p.data_len, n()) + 2 * modes::mgm::blocks_of(p.len, n()) + 1) * n();
  }

  // engine: of the key that all these packets have; null: every packet runs under its own key, in a lane.
  void run(std::span<Packet* const> packets, const BlockEngine* engine) {
    packets_ = packets;
    engine_ = engine;
    size_t total = 0;
    at_.clear();
    for (const Packet* p : packets) {
      at_.push_back(total);
      total += size(*p);
    }
    if (blocks_.size() < total) blocks_ = SecretBuffer(total);
    if (ends_.size() < 2 * n() * packets.size()) ends_ = SecretBuffer(2 * n() * packets.size());
    begin();
    encrypt(ends_, 2 * n() * packets.size(), [&](size_t i) { return std::pair(end(i), 2 * n()); });
    for (size_t i = 0; i < packets.size(); ++i) write_counters(i);
    encrypt(blocks_, total, [&](size_t i) { return std::pair(blocks(i), size(*packets_[i])); });
    for_each([&](size_t i) { authenticate(i); });
    encrypt(ends_, 2 * n() * packets.size(), [&](size_t i) { return std::pair(end(i), n()); });
    for_each([&](size_t i) { finish(i); });
  }

 private:
  uint8_t* blocks(size_t i) noexcept { return blocks_.data() + at_[i]; }
  uint8_t* end(size_t i) noexcept { return ends_.data() + 2 * n() * i; }  // Y_1 and Z_1; the tag
  size_t num_multipliers(const Packet& p) const noexcept {
    return modes::mgm::blocks_of(p.data_len, n()) + modes::mgm::blocks_of(p.len, n()) + 1;
  }
  uint8_t* gamma(size_t i) noexcept { return blocks(i) + num_multipliers(*packets_[i]) * n(); }

  template <class F>
  void for_each(F f) {
    size_t bytes = 0;
    for (const Packet* p : packets_) bytes += p->len;
    const size_t grain = packets_.size() * kBytesPerThread / std::max<size_t>(bytes, 1) + 1;
    for_ranges(packets_.size(), grain, keys_.cipher().threads, [&](size_t first, size_t last) {
      for (size_t i = first; i < last; ++i) f(i);
      wipe_stack(kAlone + 1024);  // what the products left there
    });
  }

  // Encrypts in place the bytes of each packet that `where` selects; under one key the first `len` bytes of the buffer,
  // which contain them.
  template <class Where>
  void encrypt(SecretBuffer& buffer, size_t len, Where where) {
    if (engine_) return engine_->encrypt(buffer.data(), buffer.data(), len / n());
    jobs_.clear();
    for (size_t i = 0; i < packets_.size(); ++i) {
      const auto [bytes, len] = where(i);
      Job job{};
      job.operation = Operation::ecb_encrypt;
      job.slot = packets_[i]->slot, job.key = packets_[i]->key;
      job.in = job.out = bytes;
      job.len = len;
      jobs_.push_back(job);
    }
    run_batch(keys_, jobs_);
  }

  void begin() noexcept {
    for (size_t i = 0; i < packets_.size(); ++i) modes::mgm::write_first(end(i), packets_[i]->nonce, n());
  }

  void write_counters(size_t i) noexcept {
    const Packet& p = *packets_[i];
    modes::mgm::write_left(blocks(i), n(), num_multipliers(p), end(i) + n());
    modes::mgm::write_right(blocks(i) + num_multipliers(p) * n(), n(), modes::mgm::blocks_of(p.len, n()), end(i));
  }

  // Sums the products. A packet to seal is encrypted before; one to open is read once, and its plaintext replaces its
  // keystream until the tag is verified.
  void authenticate(size_t i) {
    const Packet& p = *packets_[i];
    const uint8_t* multipliers = blocks(i);
    Wiped<uint64_t[gf2n::kMaxSumWords]> sum;
    const auto add = n() == 16 ? products_.add_128 : products_.add_64;
    const auto absorb = [&](const uint8_t* bytes, size_t len) {
      const size_t whole = len / n(), rest = len % n();
      add(sum.value, multipliers, bytes, whole);
      multipliers += whole * n();
      if (rest == 0) return;
      uint8_t last[modes::kMaxBlock] = {};
      std::memcpy(last, bytes + whole * n(), rest);
      add(sum.value, multipliers, last, 1);
      multipliers += n();
    };
    absorb(p.data, p.data_len);
    if (p.opens) {
      uint8_t copy[kAlone];
      if (p.len) std::memcpy(copy, p.in, p.len);
      absorb(copy, p.len);
      modes::xor_bytes(gamma(i), gamma(i), copy, p.len);
    } else {
      modes::xor_bytes(p.out, p.in, gamma(i), p.len);
      absorb(p.out, p.len);
    }
    uint8_t lengths[modes::kMaxBlock];
    modes::mgm::write_lengths(lengths, n(), p.data_len, p.len);
    add(sum.value, multipliers, lengths, 1);
    gf2n::reduce(end(i), n(), sum.value);
  }

  void finish(size_t i) {
    Packet& p = *packets_[i];
    if (!p.opens) {
      std::memcpy(p.out + p.len, end(i), p.tag_len);
      p.right = true;
    } else {
      p.right = equal_constant_time(end(i), p.in + p.len, p.tag_len);
      if (p.right && p.len) std::memcpy(p.out, gamma(i), p.len);
    }
    p.done = true;
  }

  const KeySet& keys_;
  const ProductKernel& products_;
  std::span<Packet* const> packets_;
  const BlockEngine* engine_ = nullptr;
  SecretBuffer blocks_, ends_;
  std::vector<size_t> at_;  // offsets of the packets' blocks
  std::vector<Job> jobs_;
};

void run_alone(const Cipher& cipher, const ProductKernel& products, Packet& p) {
  const BlockEngine engine = make_engine(cipher, cipher.kernels, p.key, 1);
  modes::Mgm mgm(engine, products);
  if (p.opens) {
    p.right = mgm.open(p.out, p.in + p.len, p.tag_len, p.nonce, p.data, p.data_len, p.in, p.len);
  } else {
    Wiped<uint8_t[modes::kMaxBlock]> tag;
    mgm.seal(p.out, tag.value, p.nonce, p.data, p.data_len, p.in, p.len);
    std::memcpy(p.out + p.len, tag.value, p.tag_len);
    p.right = true;
  }
  p.done = true;
}

// Moves the packets of keys that have many blocks in this batch behind the others, those of a key together. Returns how
// many stay.
size_t part_by_key(const Portion& portion, const KeySet& keys, std::vector<Packet*>& packets) {
  const size_t enough = kPassesOfOneKey * keys.cipher().kernels.ladder.many().info.lanes * portion.n();
  if (keys.num_keys() > kKeysOfAPacket * packets.size()) return packets.size();
  std::vector<size_t> bytes(keys.num_keys());
  size_t most = 0;
  for (const Packet* p : packets)
    if (p->slot != kNoSlot) most = std::max(most, bytes[p->slot] += portion.size(*p));
  if (most < enough) return packets.size();
  const auto in_lane = [&](const Packet* p) { return p->slot == kNoSlot || bytes[p->slot] < enough; };
  const auto rest = std::stable_partition(packets.begin(), packets.end(), in_lane);
  std::stable_sort(rest, packets.end(), [](const Packet* a, const Packet* b) { return a->slot < b->slot; });
  return static_cast<size_t>(rest - packets.begin());
}

void run_together(Portion& portion, std::span<Packet* const> packets, const BlockEngine* engine) {
  while (!packets.empty()) {
    size_t num = 0, bytes = 0;
    do {
      bytes += portion.size(*packets[num++]);
    } while (num < packets.size() && bytes < kPortion);
    portion.run(packets.first(num), engine);
    packets = packets.subspan(num);
  }
}

}  // namespace

void mgm_batch(const KeySet& keys, const ProductKernel& products, Selection<Packet> packets) {
  const Cipher& cipher = keys.cipher();
  std::vector<Packet*> together, alone;
  for (size_t i = 0; i < packets.size(); ++i) {
    Packet& p = packets[i];
    (p.len + p.data_len < kAlone ? together : alone).push_back(&p);
  }
  for_ranges(alone.size(), 1, cipher.threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) run_alone(cipher, products, *alone[i]);
    wipe_stack(4096);  // what key expansion, modes and products left there
  });
  Portion portion(keys, products);
  const size_t num_in_lanes = part_by_key(portion, keys, together);
  run_together(portion, std::span(together).first(num_in_lanes), nullptr);
  for (auto rest = std::span<Packet* const>(together).subspan(num_in_lanes); !rest.empty();) {
    const auto other =
        std::find_if(rest.begin(), rest.end(), [&](const Packet* p) { return p->slot != rest[0]->slot; });
    const auto num = static_cast<size_t>(other - rest.begin());
    const BlockEngine engine = make_engine(cipher, cipher.kernels, rest[0]->key, cipher.threads);
    run_together(portion, rest.first(num), &engine);
    rest = rest.subspan(num);
  }
  wipe_stack(4096);
}

}  // namespace vsh::streams
