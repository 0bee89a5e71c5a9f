#include "streams/mgm_batch.hpp"

#include <algorithm>
#include <vector>

#include "core/executor.hpp"
#include "core/secret_buffer.hpp"
#include "gf2n/reduce.hpp"
#include "modes/blocks.hpp"
#include "modes/mgm.hpp"
#include "modes/mgm_counters.hpp"
#include "streams/cipher_batch.hpp"
#include "streams/lockstep.hpp"
#include "streams/single_message.hpp"

namespace vsh::streams {
namespace {

// Returns H_1 .. H_(h+q+1) and E(Y_1) .. E(Y_q) in blocks.
size_t num_blocks(const Packet& p, size_t n) noexcept {
  return modes::mgm::blocks_of(p.data_len, n) + 2 * modes::mgm::blocks_of(p.len, n) + 1;
}

// Of a packet, besides these: the first two counters, the last block.
constexpr size_t kEnds = 3;

// Longer packets run singly, where they are as fast: than in lanes, and than beside others of their key.
constexpr size_t kMostInLanes = 4096, kMostOfOneKey = 8192;

// What is authenticated is copied in pieces of so many bytes.
constexpr size_t kPiece = 4096;

// What key expansion, modes and products leave there.
constexpr size_t kStackOfOne = kPiece + 1024;

// From so many passes on, the packets of one key need no lanes: their blocks are one request of an engine, which costs
// a key expansion and saves the slicing of keys and of blocks.
constexpr size_t kPassesOfOneKey = 8;

// With so many prepared keys for each packet it costs too much to count what each has.
constexpr size_t kKeysOfAPacket = 64;

// Bytes of multipliers and keystream of one key at a time: little enough for a second-level cache.
constexpr size_t kPortion = 1 << 17;

// Runs packets together: three messages in ECB each, in the same lanes, or under one key.
class Together {
 public:
  Together(const KeySet& keys, const ProductKernel& products, size_t max_lanes)
      : n_(keys.cipher().block_size()), products_(products), lockstep_(max_lanes, n_) {}

  // Runs the packets of a chunk.
  void run_in_lanes(const BlockKernel& kernel, const uint8_t* schedule, std::span<Packet* const> packets,
                    std::span<const Placed> placed) {
    placed_.clear(), jobs_.resize(packets.size());
    for (size_t i = 0; i < packets.size(); ++i) placed_.push_back({static_cast<uint32_t>(i), placed[i].lane});
    run(packets, [&](SecretBuffer&, size_t, auto where) { encrypt_in_lanes(kernel, schedule, where); });
  }

  // Runs packets under one key.
  void run_as_one(const BlockEngine& engine, std::span<Packet* const> packets) {
    while (!packets.empty()) {
      size_t num = 0, bytes = 0;
      do {
        bytes += num_blocks(*packets[num++], n_) * n_;
      } while (num < packets.size() && bytes < kPortion);
      run(packets.first(num),
          [&](SecretBuffer& buffer, size_t len, auto) { engine.encrypt(buffer.data(), buffer.data(), len / n_); });
      packets = packets.subspan(num);
    }
  }

 private:
  // encrypt(buffer, len, where): the bytes of each packet that where(i) selects, which lie in the first len bytes of
  // the buffer; all of these may be encrypted.
  template <class Encrypt>
  void run(std::span<Packet* const> packets, Encrypt encrypt) {
    packets_ = packets;
    size_t total = 0;
    at_.clear();
    for (size_t i = 0; i < packets.size(); ++i) {
      at_.push_back(total);
      total += size(i);
    }
    const size_t ends = 2 * n_ * packets.size();
    if (blocks_.size() < total) blocks_ = SecretBuffer(total);
    if (ends_.size() < ends) ends_ = SecretBuffer(ends);
    begin();
    encrypt(ends_, ends, [&](size_t i) { return std::pair(end(i), 2 * n_); });
    for (size_t i = 0; i < packets.size(); ++i) write_counters(i);
    encrypt(blocks_, total, [&](size_t i) { return std::pair(blocks(i), size(i)); });
    for (size_t i = 0; i < packets.size(); ++i) authenticate(i);
    encrypt(ends_, ends, [&](size_t i) { return std::pair(end(i), n_); });
    for (size_t i = 0; i < packets.size(); ++i) finish(i);
  }

  size_t size(size_t i) const noexcept { return num_blocks(*packets_[i], n_) * n_; }  // bytes
  uint8_t* blocks(size_t i) noexcept { return blocks_.data() + at_[i]; }
  uint8_t* end(size_t i) noexcept { return ends_.data() + 2 * n_ * i; }  // Y_1 and Z_1; the tag
  size_t num_multipliers(const Packet& p) const noexcept {
    return modes::mgm::blocks_of(p.data_len, n_) + modes::mgm::blocks_of(p.len, n_) + 1;
  }
  uint8_t* gamma(size_t i) noexcept { return blocks(i) + num_multipliers(*packets_[i]) * n_; }

  // Encrypts in place the bytes of each packet that `where` selects.
  template <class Where>
  void encrypt_in_lanes(const BlockKernel& kernel, const uint8_t* schedule, Where where) {
    size_t longest = 0;
    for (size_t i = 0; i < packets_.size(); ++i) {
      const auto [bytes, len] = where(i);
      Job& job = jobs_[i];
      job.operation = Operation::ecb_encrypt;
      job.in = job.out = bytes;
      job.len = len;
      longest = std::max(longest, len);
    }
    lockstep_.run(kernel, schedule, Operation::ecb_encrypt, std::span(jobs_), placed_, longest / n_, nullptr);
  }

  void begin() noexcept {
    for (size_t i = 0; i < packets_.size(); ++i) modes::mgm::write_first(end(i), packets_[i]->nonce, n_);
  }

  void write_counters(size_t i) noexcept {
    const Packet& p = *packets_[i];
    modes::mgm::write_left(blocks(i), n_, num_multipliers(p), end(i) + n_);
    modes::mgm::write_right(gamma(i), n_, modes::mgm::blocks_of(p.len, n_), end(i));
  }

  // Sums the products: what is authenticated is laid out in blocks as the multipliers are, so that one call does for
  // a packet of kPiece bytes. Its text is read once; the plaintext of a packet to open replaces its keystream until the
  // tag is verified.
  void authenticate(size_t i) {
    const Packet& p = *packets_[i];
    uint8_t input[kPiece + modes::kMaxBlock];  // public: associated data, ciphertext and lengths
    size_t used = 0;
    const uint8_t* multipliers = blocks(i);
    Wiped<uint64_t[gf2n::kMaxSumWords]> sum;
    const auto flush = [&] {
      (n_ == 16 ? products_.add_128 : products_.add_64)(sum.value, multipliers, input, used / n_);
      multipliers += used, used = 0;
    };
    // fill(to, at, step): the next bytes of `len`, which zeros fill up to a block.
    const auto append = [&](size_t len, auto fill) {
      for (size_t at = 0; at < len;) {
        if (used == kPiece) flush();
        const size_t step = std::min(len - at, kPiece - used), whole = modes::mgm::blocks_of(step, n_) * n_;
        fill(input + used, at, step);
        std::memset(input + used + step, 0, whole - step);
        used += whole, at += step;
      }
    };
    append(p.data_len, [&](uint8_t* to, size_t at, size_t step) { std::memcpy(to, p.data + at, step); });
    append(p.len, [&](uint8_t* to, size_t at, size_t step) {
      if (p.opens) {
        std::memcpy(to, p.in + at, step);
        modes::xor_bytes(gamma(i) + at, gamma(i) + at, to, step);
      } else {
        modes::xor_bytes(to, p.in + at, gamma(i) + at, step);
        std::memcpy(p.out + at, to, step);
      }
    });
    modes::mgm::write_lengths(input + used, n_, p.data_len, p.len);
    used += n_;
    flush();
    gf2n::reduce(end(i), n_, sum.value);
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

  const size_t n_;
  const ProductKernel& products_;
  Lockstep lockstep_;
  std::span<Packet* const> packets_;
  SecretBuffer blocks_, ends_;  // of each packet: H_1 .. H_(h+q+1), E(Y_1) .. E(Y_q); and two blocks
  std::vector<size_t> at_;      // offsets of the packets' blocks
  std::vector<Job> jobs_;
  std::vector<Placed> placed_;
};

void run_alone(const KeySet& keys, const ProductKernel& products, Packet& p) {
  keys.with_engine(p.slot, p.key, 1, false, [&](const BlockEngine& engine) {
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

// Returns the plan's view of a packet: alone, two calls for its ends besides that for its counters. The products cost
// the same either way.
Item item_of(const KeySet& keys, const Packet& p, uint32_t number) {
  const Costs& costs = keys.costs();
  const size_t n = keys.cipher().block_size(), num = num_blocks(p, n);
  Job job{};
  job.operation = Operation::ecb_encrypt, job.slot = p.slot, job.len = num * n;
  return {num + kEnds, cost_alone(keys, job, num) + costs.parallel(2) + costs.parallel(1), number, p.slot};
}

// Returns the packets of keys that have many blocks in this batch, those of a key together.
std::vector<Packet*> take_many_of_one_key(const KeySet& keys, Selection<Packet> packets) {
  const size_t n = keys.cipher().block_size();
  const size_t enough = kPassesOfOneKey * keys.cipher().kernels.ladder.many().info.lanes;
  std::vector<Packet*> taken;
  // Of a packet, as far as it counts: in four packets at least.
  const auto blocks_of = [&](const Packet& p) {
    const bool may_be = p.slot != kNoSlot && p.len + p.data_len < kMostOfOneKey;
    return may_be ? std::min(num_blocks(p, n), enough / 4) : 0;
  };
  size_t total = 0;
  for (size_t i = 0; i < packets.size(); ++i) total += blocks_of(packets[i]);
  if (total < enough || keys.num_keys() > kKeysOfAPacket * packets.size()) return taken;
  std::vector<size_t> blocks(keys.num_keys());
  for (size_t i = 0; i < packets.size(); ++i)
    if (const size_t num = blocks_of(packets[i])) blocks[packets[i].slot] += num;
  for (size_t i = 0; i < packets.size(); ++i)
    if (blocks_of(packets[i]) && blocks[packets[i].slot] >= enough) taken.push_back(&packets[i]);
  std::stable_sort(taken.begin(), taken.end(), [](const Packet* a, const Packet* b) { return a->slot < b->slot; });
  return taken;
}

void run_many_of_one_key(const KeySet& keys, const ProductKernel& products, std::span<Packet* const> packets) {
  constexpr size_t kMany = 1024;
  size_t blocks = 0;
  for (const Packet* p : packets) blocks += num_blocks(*p, keys.cipher().block_size()) + kEnds;
  const uint64_t cycles = blocks * keys.costs().parallel(kMany) / kMany;
  const size_t grain = packets.size() * 2 * kThreadsCost / std::max<uint64_t>(cycles, 1) + 1;
  for_ranges(packets.size(), grain, keys.cipher().threads, [&](size_t begin, size_t end) {
    Together together(keys, products, 0);
    for (auto rest = packets.subspan(begin, end - begin); !rest.empty();) {
      const auto other =
          std::find_if(rest.begin(), rest.end(), [&](const Packet* p) { return p->slot != rest[0]->slot; });
      const auto of_key = rest.first(static_cast<size_t>(other - rest.begin()));
      keys.with_engine(rest[0]->slot, rest[0]->key, 1, false,
                       [&](const BlockEngine& engine) { together.run_as_one(engine, of_key); });
      rest = rest.subspan(of_key.size());
    }
    wipe_stack(kStackOfOne);
  });
}

// Returns whether few packets are better sealed one after the other than planned.
bool better_one_by_one(const KeySet& keys, Selection<Packet> packets) {
  if (packets.size() > kFewMessages) return false;
  if (packets.size() < 2) return true;
  Item items[kFewMessages];
  for (uint32_t i = 0; i < packets.size(); ++i) items[i] = item_of(keys, packets[i], i);
  return better_unplanned({items, packets.size()}, keys.costs().lanes(Operation::ecb_encrypt), keys.cipher().threads,
                          kPlanCostOfPackets);
}

}  // namespace

void mgm_batch(const KeySet& keys, const ProductKernel& products, Selection<Packet> packets) {
  const std::vector<Packet*> of_one_key = take_many_of_one_key(keys, packets);
  if (of_one_key.empty() && better_one_by_one(keys, packets)) {
    // The stack below is erased by the API, as after one packet.
    for (size_t i = 0; i < packets.size(); ++i) run_alone(keys, products, packets[i]);
    return;
  }
  run_many_of_one_key(keys, products, of_one_key);
  std::vector<Item> items;
  std::vector<uint32_t> alone;
  uint64_t alone_cost = 0;
  Item item{};
  for (uint32_t i = 0; i < packets.size(); ++i) {
    const Packet& p = packets[i];
    const auto is_like = [&](const Packet& q) {
      return p.len == q.len && p.data_len == q.data_len && (p.slot == kNoSlot) == (q.slot == kNoSlot);
    };
    if (i == 0 || !is_like(packets[i - 1])) item = item_of(keys, p, i);
    if (p.done) continue;
    item.job = i, item.slot = p.slot;
    if (p.len + p.data_len < kMostInLanes) items.push_back(item);
    else alone.push_back(i), alone_cost += item.alone;
  }
  const unsigned threads = keys.cipher().threads;
  Plan plan = cheapest(items, keys.costs().lanes(Operation::ecb_encrypt), keys.num_keys(), threads);
  alone.insert(alone.end(), plan.alone.begin(), plan.alone.end());
  const size_t num_chunks = plan.chunks.size();
  const bool divide = plan.threads != 1 || alone_cost > 2 * kThreadsCost;
  for_ranges(num_chunks + alone.size(), 1, divide ? threads : 1, [&](size_t begin, size_t end) {
    const auto chunks =
        std::span<const Chunk>(plan.chunks)
            .subspan(std::min(begin, num_chunks), std::min(end, num_chunks) - std::min(begin, num_chunks));
    if (!chunks.empty()) {
      ChunkKeys chunk_keys(keys, chunks);
      Together together(keys, products, chunk_keys.max_lanes());
      std::vector<Packet*> members;
      for (const Chunk& chunk : chunks) {
        const auto placed = std::span<const Placed>(plan.placed).subspan(chunk.first, chunk.num);
        members.clear();
        for (const Placed& p : placed) members.push_back(&packets[p.job]);
        const uint8_t* const schedule = chunk_keys.of(
            chunk, placed, [&](uint32_t job) { return packets[job].key; }, false);
        together.run_in_lanes(*keys.kernels()[chunk.kernel], schedule, members, placed);
      }
      // Products run below a frame with a packet's text.
      wipe_stack(kPiece + lanes_stack(chunk_keys.max_lanes(), keys.cipher().block_size()));
    }
    for (size_t i = std::max(begin, num_chunks); i < end; ++i)
      run_alone(keys, products, packets[alone[i - num_chunks]]);
    wipe_stack(kStackOfOne);
  });
}

}  // namespace vsh::streams
