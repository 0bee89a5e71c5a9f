#include "streams/mgm_batch.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/executor.hpp"
#include "core/secret_buffer.hpp"
#include "core/wipe.hpp"
#include "gf2n/mgm_counters.hpp"
#include "modes/mgm.hpp"
#include "modes/mgm_message.hpp"
#include "streams/lockstep.hpp"
#include "streams/single_message.hpp"

namespace vsh::streams {
namespace {

using modes::MgmMessage;

size_t num_blocks(const Packet& p, size_t n) noexcept { return MgmMessage::num_blocks(n, p.data_len, p.len); }

// Blocks of a packet besides these: the first two counters, the last block.
constexpr size_t kEnds = 3;

// Longer packets run singly, where they are as fast as in lanes if engines are kept; much longer ones else, and among
// others of their key.
constexpr size_t kMostInLanes = 6144, kMostTogether = 10240;

// Stack used by key expansion, modes and products.
constexpr size_t kStackOfOne = modes::kStackOfSum + 1024;

// In fewer passes, packets of several keys are not searched for those of one, which may be one request of an engine.
constexpr size_t kPassesOfOneKey = 8;
// Cycles to find these and to make room for their blocks.
constexpr uint64_t kCostOfOneKey = 3000;
constexpr size_t kFewestOfOneKey = 4;  // packets that gain by it

// With so many prepared keys for each packet it costs too much to count what each has.
constexpr size_t kKeysOfAPacket = 64;

// Bytes of multipliers and keystream of one key at a time: little enough for a second-level cache.
constexpr size_t kPortion = 1 << 17;

// Runs packets together, in the same lanes or under one key: rows of their first counters Y_1 and Z_1, then all their
// other blocks, at last the row of sums, which become tags.
class Together {
 public:
  Together(const KeySet& keys, const ProductKernel& products, size_t max_lanes)
      : n_(keys.cipher().block_size()), products_(products), lockstep_(max_lanes, n_) {}

  // Runs the packets of a chunk.
  void run_in_lanes(const BlockKernel& kernel, const uint8_t* schedule, std::span<Packet* const> packets,
                    std::span<const Placed> placed) {
    placed_.clear(), jobs_.resize(packets.size());
    for (size_t i = 0; i < packets.size(); ++i) placed_.push_back({static_cast<uint32_t>(i), placed[i].lane});
    run(
        packets, kernel.info.lanes, kTileBytes,
        [&](size_t num_rows) { kernel.encrypt_lanes(schedule, ends_.data(), ends_.data(), num_rows); },
        [&] { encrypt_blocks(kernel, schedule); });
  }

  // Runs packets under one key.
  void run_as_one(const BlockEngine& engine, std::span<Packet* const> packets) {
    while (!packets.empty()) {
      placed_.clear();
      size_t bytes = 0;
      do {
        const auto i = static_cast<uint32_t>(placed_.size());
        placed_.push_back({i, i});
        bytes += num_blocks(*packets[i], n_) * n_;
      } while (placed_.size() < packets.size() && bytes < kPortion);
      const size_t num = placed_.size();
      run(
          packets.first(num), num, n_,
          [&](size_t num_rows) { engine.encrypt(ends_.data(), ends_.data(), num_rows * num); },
          [&] { engine.encrypt(blocks_.data(), blocks_.data(), bytes / n_); });
      packets = packets.subspan(num);
    }
  }

 private:
  // width: of a row of ends, blocks. Each packet's blocks begin at a multiple of `align`.
  template <class EncryptEnds, class EncryptBlocks>
  void run(std::span<Packet* const> packets, size_t width, size_t align, EncryptEnds encrypt_ends,
           EncryptBlocks encrypt_blocks) {
    packets_ = packets;
    size_t total = 0;
    at_.clear();
    for (size_t i = 0; i < packets.size(); ++i) {
      at_.push_back(total);
      const size_t units = (size(i) + align - 1) / align;
      total += (align == kTileBytes ? units | 1 : units) * align;
    }
    row_ = width * n_;
    if (blocks_.size() < total + modes::kReadBehindBlocks) blocks_ = SecretBuffer(total + modes::kReadBehindBlocks);
    if (ends_.size() < 2 * row_) ends_ = SecretBuffer(2 * row_);
    for (size_t i = 0; i < packets.size(); ++i) mgm::write_first(end(i), end(i) + row_, packets[i]->nonce, n_);
    encrypt_ends(2);
    for (size_t i = 0; i < packets.size(); ++i) message_of(i).write_counters(blocks(i), end(i), end(i) + row_);
    encrypt_blocks();
    for (size_t i = 0; i < packets.size(); ++i) authenticate(i);
    encrypt_ends(1);
    for (size_t i = 0; i < packets.size(); ++i) finish(i);
  }

  size_t size(size_t i) const noexcept { return num_blocks(*packets_[i], n_) * n_; }  // bytes
  uint8_t* blocks(size_t i) noexcept { return blocks_.data() + at_[i]; }
  uint8_t* end(size_t i) noexcept { return ends_.data() + placed_[i].lane * n_; }
  MgmMessage message_of(size_t i) const noexcept { return {products_, n_, packets_[i]->data_len, packets_[i]->len}; }

  void encrypt_blocks(const BlockKernel& kernel, const uint8_t* schedule) {
    size_t longest = 0;
    for (size_t i = 0; i < packets_.size(); ++i) {
      Job& job = jobs_[i];
      job.operation = Operation::ecb_encrypt;
      job.in = job.out = blocks(i);
      job.len = (size(i) + kTileBytes - 1) / kTileBytes * kTileBytes;  // whole tiles need no copy
      longest = std::max(longest, size(i));
    }
    lockstep_.run({kernel, schedule}, Operation::ecb_encrypt, std::span(jobs_), placed_, longest / n_);
  }

  void authenticate(size_t i) {
    const Packet& p = *packets_[i];
    const MgmMessage message = message_of(i);
    if (p.opens) message.open(end(i), blocks(i), p.data, p.in);
    else message.seal(end(i), blocks(i), p.data, p.out, p.in);
  }

  void finish(size_t i) {
    Packet& p = *packets_[i];
    if (!p.opens) {
      std::memcpy(p.out + p.len, end(i), p.tag_len);
      p.right = true;
    } else {
      p.right = equal_constant_time(end(i), p.in + p.len, p.tag_len);
      if (p.right && p.len) std::memcpy(p.out, message_of(i).text(blocks(i)), p.len);
    }
    p.done = true;
  }

  const size_t n_;
  const ProductKernel& products_;
  Lockstep lockstep_;
  std::span<Packet* const> packets_;
  SecretBuffer blocks_;     // of each packet: H_1 .. H_(h+q+1), E(Y_1) .. E(Y_q)
  std::vector<size_t> at_;  // where they are
  SecretBuffer ends_;       // two rows
  size_t row_ = 0;          // bytes
  std::vector<Placed> placed_;
  std::vector<Job> jobs_;
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

// Cycles of a packet alone besides its blocks: its ends, and erasing, copies and products, beyond what they are in
// lanes. On Zen 4, packets of 16 to 4000 bytes took 250 to 1700 cycles more than their blocks, in lanes 0 to 400.
uint64_t cost_of_ends(const BatchCosts& costs, size_t bytes) noexcept {
  return costs.without_call(2) + costs.without_call(1) + 300 + bytes / 3;
}

bool fits_lanes(const KeySet& keys, const Packet& p) {
  const bool is_kept = p.slot != kNoSlot && keys.keeps_engines();
  return p.len + p.data_len < (is_kept ? kMostInLanes : kMostTogether);
}

// Returns the plan's view of a packet.
Item item_of(const KeySet& keys, const Packet& p, uint32_t number) {
  const BatchCosts& costs = keys.costs();
  const size_t n = keys.cipher().block_size(), num = num_blocks(p, n);
  Job job{};
  job.operation = Operation::ecb_encrypt, job.slot = p.slot, job.len = num * n;
  return {num + kEnds, cost_alone(keys, job, num) + cost_of_ends(costs, p.data_len + p.len), number, p.slot};
}

// A batch's packets under one key.
struct OfKey {
  size_t packets = 0, blocks = 0;
  bool too_long = false;  // for lanes: a packet
};

// Returns whether the packets of a key cost less as one request of its engine than singly, which many do not, and than
// in lanes that are as full as they can be. prepared: whether groups of prepared keys can be that full.
bool better_as_one(const KeySet& keys, const OfKey& key, size_t num_packets, bool prepared) {
  const BatchCosts& costs = keys.costs();
  if (key.packets < 2) return false;
  if (key.too_long) return true;
  const uint64_t as_one = costs.parallel(key.blocks) + costs.parallel(2 * key.packets) + costs.parallel(key.packets);
  if (num_packets <= kFewMessages) {
    const size_t blocks = key.blocks / key.packets, bytes = blocks * keys.cipher().block_size() / 2;
    if (as_one + kCostOfOneKey >= key.packets * (costs.parallel(blocks) + cost_of_ends(costs, bytes))) return false;
  }
  const auto costs_more = [&](const LaneCost& kernel) {
    const uint64_t chunk = kernel.begin + (prepared ? 0 : kernel.prepare);
    const uint64_t used = std::min<uint64_t>(kernel.lanes, num_packets);
    return key.packets * chunk + (key.blocks + kEnds * key.packets) * kernel.pass > as_one * used;
  };
  const auto lanes = costs.lanes(LaneWork::apart);
  return std::all_of(lanes.begin(), lanes.end(), costs_more);
}

// Returns the packets that are better run with the others of their key, those of a key together.
std::vector<Packet*> take_many_of_one_key(const KeySet& keys, Selection<Packet> packets) {
  const size_t n = keys.cipher().block_size(), lanes = keys.cipher().kernels.ladder.many().info.lanes;
  std::vector<Packet*> taken;
  if (packets.size() < kFewestOfOneKey) return taken;
  const auto blocks_of = [&](const Packet& p) {
    const bool may_be = p.slot != kNoSlot && p.len + p.data_len < kMostTogether;
    return may_be ? num_blocks(p, n) : 0;
  };
  size_t total = 0;
  bool every_key_once = true, one_key = packets[0].slot != kNoSlot;  // as far as it is seen at once
  for (size_t i = 1; i < packets.size() && (every_key_once || one_key); ++i) {
    every_key_once &= packets[i - 1].slot < packets[i].slot;
    one_key &= packets[i - 1].slot == packets[i].slot;
  }
  if (every_key_once || (!one_key && keys.num_keys() > kKeysOfAPacket * packets.size())) return taken;
  for (size_t i = 0; i < packets.size() && total < kPassesOfOneKey * lanes; ++i) total += blocks_of(packets[i]);
  if (!one_key && total < kPassesOfOneKey * lanes) return taken;
  const auto number_of = [&](const Packet& p) { return one_key ? 0 : p.slot; };
  std::vector<OfKey> of_key(one_key ? 1 : keys.num_keys());
  size_t num_keys = 0;
  for (size_t i = 0; i < packets.size(); ++i)
    if (const size_t num = blocks_of(packets[i])) {
      OfKey& key = of_key[number_of(packets[i])];
      num_keys += key.packets == 0;
      ++key.packets, key.blocks += num;
      key.too_long |= !fits_lanes(keys, packets[i]);
    }
  std::vector<bool> is_better(of_key.size());
  for (size_t key = 0; key < of_key.size(); ++key)
    is_better[key] = better_as_one(keys, of_key[key], packets.size(), num_keys >= lanes);
  for (size_t i = 0; i < packets.size(); ++i)
    if (blocks_of(packets[i]) && is_better[number_of(packets[i])]) taken.push_back(&packets[i]);
  const auto before = [](const Packet* a, const Packet* b) { return a->slot < b->slot; };
  if (!one_key) std::stable_sort(taken.begin(), taken.end(), before);
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

// Calls f(item) for every packet; the cost of neighbours that are alike is computed once.
template <class F>
void for_items(const KeySet& keys, Selection<Packet> packets, F f) {
  Item item{};
  for (uint32_t i = 0; i < packets.size(); ++i) {
    const Packet& p = packets[i];
    const auto is_like = [&](const Packet& q) {
      return p.len == q.len && p.data_len == q.data_len && (p.slot == kNoSlot) == (q.slot == kNoSlot);
    };
    if (i == 0 || !is_like(packets[i - 1])) item = item_of(keys, p, i);
    f(Item{item.rows, item.alone, i, p.slot});
  }
}

// Returns whether few packets are better sealed one after the other than planned.
bool better_one_by_one(const KeySet& keys, Selection<Packet> packets) {
  if (packets.size() > kFewMessages) return false;
  Item items[kFewMessages];
  for_items(keys, packets, [&](const Item& item) { items[item.job] = item; });
  return better_unplanned({items, packets.size()}, keys.costs().lanes(LaneWork::apart), keys.cipher().threads,
                          kPlanCostOfPackets);
}

// Returns a plan of the packets that are not done.
Plan plan_of(const KeySet& keys, Selection<Packet> packets) {
  const unsigned threads = keys.cipher().threads;
  Plan plan;
  std::vector<Item> items;
  items.reserve(packets.size());
  for_items(keys, packets, [&](const Item& item) {
    const Packet& p = packets[item.job];
    if (p.done) return;
    if (fits_lanes(keys, p)) add_item(items, item.rows, item.alone, item.job, item.slot);
    else add_alone(plan, item);
  });
  append(plan, cheapest(items, keys.costs().lanes(LaneWork::apart), keys.num_keys(), threads));
  choose_threads(plan, threads);
  return plan;
}

}  // namespace

void mgm_batch(const KeySet& keys, const ProductKernel& products, Selection<Packet> packets) {
  if (packets.size() == 1) return run_alone(keys, products, packets[0]);
  const std::vector<Packet*> of_one_key = take_many_of_one_key(keys, packets);
  if (of_one_key.empty() && better_one_by_one(keys, packets)) {
    // The stack below is erased by the API, as after one packet.
    for (size_t i = 0; i < packets.size(); ++i) run_alone(keys, products, packets[i]);
    return;
  }
  run_many_of_one_key(keys, products, of_one_key);
  const Plan plan = plan_of(keys, packets);
  const size_t num_alone = plan.alone.size();
  for_units(num_alone + plan.chunks.size(), plan.threads, [&](Units& units) {
    StackEraser eraser;
    eraser.reach(kStackOfOne);
    std::optional<ChunkKeys> chunk_keys;
    std::optional<Together> together;
    std::vector<Packet*> members;
    units.take([&](size_t i) {
      if (i < num_alone) return run_alone(keys, products, packets[plan.alone[i]]);
      if (!together) {
        chunk_keys.emplace(keys, plan.chunks);
        together.emplace(keys, products, chunk_keys->max_lanes());
        eraser.reach(modes::kStackOfSum + lanes_stack(chunk_keys->max_lanes(), keys.cipher().block_size()));
      }
      const Chunk& chunk = plan.chunks[i - num_alone];
      const auto placed = std::span<const Placed>(plan.placed).subspan(chunk.first, chunk.num);
      members.clear();
      for (const Placed& p : placed) members.push_back(&packets[p.job]);
      const uint8_t* const schedule = chunk_keys->of(
          chunk, placed, [&](uint32_t job) { return packets[job].key; }, false);
      together->run_in_lanes(*keys.kernels()[chunk.kernel], schedule, members, placed);
    });
  });
}

}  // namespace vsh::streams
