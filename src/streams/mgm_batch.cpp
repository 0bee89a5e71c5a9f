#include "streams/mgm_batch.hpp"

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

// Returns how many packets are worth another thread.
size_t grain_of(std::span<Packet* const> packets) {
  size_t bytes = 0;
  for (const Packet* p : packets) bytes += p->len;
  return packets.size() * kBytesPerThread / std::max<size_t>(bytes, 1) + 1;
}

// Returns H_1 .. H_(h+q+1) and E(Y_1) .. E(Y_q) in blocks.
size_t num_blocks(const Packet& p, size_t n) noexcept {
  return modes::mgm::blocks_of(p.data_len, n) + 2 * modes::mgm::blocks_of(p.len, n) + 1;
}

// Packets that are processed together.
class Portion {
 public:
  Portion(const KeySet& keys, const ProductKernel& products) : keys_(keys), products_(products) {}

  size_t n() const noexcept { return keys_.cipher().block_size(); }
  size_t size(const Packet& p) const noexcept { return num_blocks(p, n()) * n(); }  // bytes

  void run(std::span<Packet* const> packets) {
    packets_ = packets;
    size_t total = 0;
    at_.clear();
    for (const Packet* p : packets) {
      at_.push_back(total);
      total += size(*p);
    }
    if (blocks_.size() < total) blocks_ = SecretBuffer(total);
    if (ends_.size() < 2 * n() * packets.size()) ends_ = SecretBuffer(2 * n() * packets.size());
    begin();
    encrypt([&](size_t i) { return std::pair(end(i), 2 * n()); });
    for (size_t i = 0; i < packets.size(); ++i) write_counters(i);
    encrypt([&](size_t i) { return std::pair(blocks(i), size(*packets_[i])); });
    for_each([&](size_t i) { authenticate(i); });
    encrypt([&](size_t i) { return std::pair(end(i), n()); });
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
    for_ranges(packets_.size(), grain_of(packets_), keys_.cipher().threads, [&](size_t first, size_t last) {
      for (size_t i = first; i < last; ++i) f(i);
      wipe_stack(kAlone + 1024);  // what the products left there
    });
  }

  // Encrypts in place the bytes of each packet that `where` selects.
  template <class Where>
  void encrypt(Where where) {
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
  SecretBuffer blocks_, ends_;
  std::vector<size_t> at_;  // offsets of the packets' blocks
  std::vector<Job> jobs_;
};

// Returns whether packets cost less together, by the kernels' costs: three batches in ECB, against three calls for
// each. The products cost the same.
bool pays(const KeySet& keys, std::span<Packet* const> packets) {
  constexpr uint64_t kEach = 300;  // cycles to lay out a packet's counters and jobs
  const Ladder& ladder = keys.cipher().kernels.ladder;
  const uint64_t ends = ladder.cost(2) + ladder.cost(1);
  uint64_t alone = 0, together = 0;
  std::vector<Item> items;
  const auto add_batch = [&](auto rows_of) {
    items.clear();
    for (uint32_t i = 0; i < packets.size(); ++i) {
      const uint64_t rows = rows_of(*packets[i]);
      items.push_back({rows, kEach + ladder.cost(rows), i, packets[i]->slot});
    }
    together += cost_in_ecb(keys, items);
  };
  const size_t n = keys.cipher().block_size();
  for (const Packet* p : packets) {
    Job job{};
    job.operation = Operation::ecb_encrypt, job.slot = p->slot, job.len = num_blocks(*p, n) * n;
    alone += ends + cost_alone(keys, job, num_blocks(*p, n));
  }
  add_batch([](const Packet&) { return 2; });
  add_batch([&](const Packet& p) { return num_blocks(p, n); });
  add_batch([](const Packet&) { return 1; });
  return together + packets.size() * kEach < alone;
}

void run_alone(const KeySet& keys, const ProductKernel& products, Packet& p) {
  keys.with_engine(p.slot, p.key, 1, keys.cipher().kernels, [&](const BlockEngine& engine) {
    modes::Mgm mgm(engine, products);
    if (p.opens) {
      p.right = mgm.open(p.out, p.in + p.len, p.tag_len, p.nonce, p.data, p.data_len, p.in, p.len);
    } else {
      Wiped<uint8_t[modes::kMaxBlock]> tag;
      mgm.seal(p.out, tag.value, p.nonce, p.data, p.data_len, p.in, p.len);
      std::memcpy(p.out + p.len, tag.value, p.tag_len);
      p.right = true;
    }
  });
  p.done = true;
}

}  // namespace

void mgm_batch(const KeySet& keys, const ProductKernel& products, Selection<Packet> packets) {
  std::vector<Packet*> together, alone;
  for (size_t i = 0; i < packets.size(); ++i) {
    Packet& p = packets[i];
    (p.len + p.data_len < kAlone ? together : alone).push_back(&p);
  }
  if (!together.empty() && !pays(keys, together)) {
    alone.insert(alone.end(), together.begin(), together.end());
    together.clear();
  }
  for_ranges(alone.size(), grain_of(alone), keys.cipher().threads, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) run_alone(keys, products, *alone[i]);
    wipe_stack(4096);  // what key expansion, modes and products left there
  });
  Portion portion(keys, products);
  for (auto rest = std::span<Packet* const>(together); !rest.empty();) {
    size_t num = 0, bytes = 0;
    do {
      bytes += portion.size(*rest[num++]);
    } while (num < rest.size() && bytes < kPortion);
    portion.run(rest.first(num));
    rest = rest.subspan(num);
  }
}

}  // namespace vsh::streams
