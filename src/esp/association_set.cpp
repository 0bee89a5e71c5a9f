#include "esp/association_set.hpp"

#include <algorithm>

#include "esp/trailer.hpp"

namespace vsh::esp {
namespace {

constexpr uint8_t kNoKey[kRootLen] = {};
constexpr size_t kAhead = 8;  // packets whose associations are being fetched

// Nonce and associated data of a packet.
struct Inputs {
  uint8_t nonce[16];
  uint8_t data[kHeaderLen + 4];  // SPI and sequence number, extended or not (RFC 9227 figures 4 and 5)
};

}  // namespace

// Packets that run together. Those of an association's prepared leaf use its slot of the key set; others, on both sides
// of a change of the leaf, bring their keys.
class AssociationSet::Batch {
 public:
  Batch(AssociationSet& set, std::span<Packet> packets, bool opens)
      : set_(set), packets_(packets), opens_(opens), inputs_(sizeof(Inputs) * packets.size()), uses_slot_(set.size()) {}

  // number: of the packet. at: the packet from its SPI on. text_len: behind the IV, without ICV.
  void add(size_t number, Association& sa, uint8_t* at, size_t text_len, uint64_t sequence) {
    const Transform& t = sa.transform;
    auto& inputs = *(reinterpret_cast<Inputs*>(inputs_.data()) + number);
    const uint8_t* const iv = at + kHeaderLen;
    uint8_t* const text = at + kHeadLen;
    sa.write_nonce(inputs.nonce, iv);

    streams::Packet p{};
    p.opens = opens_;
    p.nonce = inputs.nonce;
    p.tag_len = t.icv_len;
    const size_t header_len = write_header(inputs.data, sa, sequence);
    if (t.confidential) {
      p.data = inputs.data, p.data_len = header_len;
      p.in = p.out = text, p.len = text_len;
    } else {
      p.data = at, p.data_len = kHeadLen + text_len;
      if (sa.extended) {  // figure 7 has the upper half before the lower one
        auto& copy = copies_.emplace_back(header_len + kIvLen + text_len);
        std::memcpy(copy.data(), inputs.data, header_len);
        std::memcpy(copy.data() + header_len, iv, kIvLen + text_len);
        p.data = copy.data(), p.data_len = copy.size();
      }
      p.in = p.out = text + text_len;  // only the tag
    }

    const uint64_t leaf = Association::leaf_of(iv);
    const size_t which = is_magma(t.cipher);
    const size_t slot = packets_[number].association;
    if (leaf != sa.leaf && !opens_ && !uses_slot_[slot]) install(sa, slot, leaf);
    const bool prepared = leaf == sa.leaf;
    if (prepared) {
      uses_slot_[slot] = true;
      p.slot = static_cast<uint32_t>(slot), p.key = set_.keys_[which]->key(slot);
    } else {
      p.slot = streams::kNoSlot, p.key = bring(sa, slot, leaf);
    }
    Part& part = parts_[2 * which + !prepared];
    if (part.packets.empty()) {
      part.packets.reserve(packets_.size());
      part.origins.reserve(packets_.size());
    }
    part.packets.push_back(p);
    const size_t len = kHeadLen + text_len + t.icv_len;
    part.origins.push_back({leaf, static_cast<uint32_t>(number), static_cast<uint16_t>(len), prepared});
  }

  // Identifies a packet to `done`, which sets its status.
  struct Origin {
    uint64_t leaf;
    uint32_t number;  // of the packet in the batch
    uint16_t len;     // of the whole packet
    bool prepared;    // its leaf was the prepared one: the association need not be looked at
  };

  // Calls done(origin, right) for every packet that was processed, in the order of the batch; if memory is exhausted,
  // for those before.
  template <class Done>
  void run(Done done) {
    struct Finish {
      Batch& batch;
      Done& done;
      ~Finish() { batch.finish(done); }
    } const finish{*this, done};
    for (size_t i = 0; i < std::size(parts_); ++i) {
      if (parts_[i].packets.empty()) continue;
      streams::KeySet& keys = *set_.keys_[i / 2];
      keys.prepare_changed();
      streams::mgm_batch(keys, set_.products_, parts_[i].packets);
    }
  }

  // Prepares the leaf for the packets to come.
  void install(Association& sa, size_t slot, uint64_t leaf) {
    set_.keys_[is_magma(sa.transform.cipher)]->replace(slot, sa.leaf_key(leaf));
    sa.leaf = leaf;
  }

 private:
  static constexpr size_t kNumParts = 4;
  struct Part {
    std::vector<streams::Packet> packets;
    std::vector<Origin> origins;  // theirs
  };

  static size_t write_header(uint8_t* data, const Association& sa, uint64_t sequence) noexcept {
    store_be32(data, sa.spi);
    if (sa.extended) store_be64(data + 4, sequence);
    else store_be32(data + 4, static_cast<uint32_t>(sequence));
    return sa.extended ? 12 : 8;
  }

  // Packets of one leaf mostly follow each other.
  const uint8_t* bring(Association& sa, size_t slot, uint64_t leaf) {
    if (brought_.size() == 0) brought_ = SecretBuffer(kRootLen * packets_.size());
    if (num_brought_ == 0 || last_slot_ != slot || last_leaf_ != leaf) {
      std::memcpy(brought_.data() + kRootLen * num_brought_++, sa.leaf_key(leaf), kRootLen);
      last_slot_ = slot, last_leaf_ = leaf;
    }
    return brought_.data() + kRootLen * (num_brought_ - 1);
  }

  template <class Done>
  void finish(Done& done) noexcept {
    constexpr size_t kNone = kNumParts;
    size_t next[kNone] = {}, used = 0;
    for (const Part& part : parts_) used += !part.packets.empty();
    for (size_t i = 0; i < kNone && used == 1; ++i) {  // mostly
      Part& part = parts_[i];
      for (; next[i] < part.packets.size(); ++next[i]) {
        const streams::Packet& packet = part.packets[next[i]];
        if (opens_ && next[i] + kAhead < part.origins.size())
          set_.prefetch(packets_[part.origins[next[i] + kAhead].number].association);
        if (packet.done) done(part.origins[next[i]], packet.right);
      }
    }
    for (;;) {  // merges the parts, each in the order of the batch
      size_t first = kNone;
      for (size_t i = 0; i < kNone; ++i) {
        if (next[i] == parts_[i].origins.size()) continue;
        if (first == kNone || parts_[i].origins[next[i]].number < parts_[first].origins[next[first]].number) first = i;
      }
      if (first == kNone) break;
      const streams::Packet& packet = parts_[first].packets[next[first]];
      const Origin& origin = parts_[first].origins[next[first]++];
      if (packet.done) done(origin, packet.right);
    }
    for (const auto& keys : set_.keys_)  // or schedules would keep the keys of leaves that are over
      if (keys) keys->prepare_changed();
  }

  AssociationSet& set_;
  const std::span<Packet> packets_;
  const bool opens_;
  SecretBuffer inputs_, brought_;
  size_t num_brought_ = 0, last_slot_ = 0;
  uint64_t last_leaf_ = 0;
  std::vector<bool> uses_slot_;
  Part parts_[kNumParts];  // Kuznyechik: prepared keys, brought keys; Magma the same
  std::vector<std::vector<uint8_t>> copies_;
};

AssociationSet::AssociationSet(size_t size, const HashKernel* hash, const ProductKernel& products)
    : hash_(hash), products_(products), associations_(size) {}

bool AssociationSet::is_taken(uint32_t spi, size_t except) const noexcept {
  const auto found = by_spi_.find(spi);
  return found != by_spi_.end() && found->second != except;
}

void AssociationSet::prepare_for(const streams::Cipher& cipher) {
  const std::vector<uint8_t> none(kRootLen * size());
  keys_[is_magma(cipher.algorithm())] = std::make_unique<streams::KeySet>(cipher, none.data(), size());
}

void AssociationSet::add(size_t number, const AssociationParameters& p) {
  auto made = std::make_unique<Association>(hash_, p);
  if (!p.outbound) by_spi_.try_emplace(p.spi, static_cast<uint32_t>(number));
  if (const Association* old = find(number)) {
    const bool same_entry = !p.outbound && !old->outbound && old->spi == p.spi;
    if (!old->outbound && !same_entry) by_spi_.erase(old->spi);
    if (old->leaf != kNoLeaf) forget_leaf(number);
  }
  associations_[number] = std::move(made);
}

void AssociationSet::remove(size_t number) noexcept {
  Association& old = *associations_[number];
  if (!old.outbound) by_spi_.erase(old.spi);
  if (old.leaf != kNoLeaf) forget_leaf(number);
  associations_[number].reset();
}

void AssociationSet::forget_leaf(size_t number) noexcept {
  streams::KeySet& keys = *keys_[is_magma(associations_[number]->transform.cipher)];
  keys.replace(number, kNoKey);
  keys.prepare_changed();
}

void AssociationSet::seal(std::span<Packet> packets) {
  Batch batch(*this, packets, false);
  for (size_t i = 0; i < packets.size(); ++i) {
    if (i + kAhead < packets.size()) prefetch(packets[i + kAhead].association);
    Packet& p = packets[i];
    Association* const sa = find(p.association);
    if (!sa || !sa->outbound) {
      p.verdict = Verdict::no_association;
      continue;
    }
    const Transform& t = sa->transform;
    const size_t packet_len = t.packet_len(p.len), text_len = packet_len - kHeadLen - t.icv_len;
    if (packet_len == 0) p.verdict = Verdict::bad_length;
    else if (p.head < kHeadLen || p.tail < packet_len - kHeadLen - p.len) p.verdict = Verdict::no_room;
    else if (!sa->has_next() || !sa->lives(1, text_len)) p.verdict = Verdict::exhausted;
    else p.verdict = Verdict::none;
    if (p.verdict == Verdict::exhausted) sa->end();
    if (p.verdict != Verdict::none) continue;

    uint8_t* const at = p.at - kHeadLen;
    store_be32(at, sa->spi);
    store_be32(at + 4, static_cast<uint32_t>(sa->next()));
    sa->write_iv(at + kHeaderLen);
    write_trailer(p.at + p.len, Transform::padding(p.len), p.next_header);
    p.sequence = sa->next();
    sa->advance();
    ++sa->packets, sa->octets += text_len;
    batch.add(i, *sa, at, text_len, p.sequence);
  }
  batch.run([&](const Batch::Origin& origin, bool) {
    Packet& p = packets[origin.number];
    p.verdict = Verdict::ok;
    p.at -= kHeadLen;
    p.len = origin.len;
    if (origin.prepared) return;
    Association& sa = *associations_[p.association];
    if (origin.leaf != sa.leaf) batch.install(sa, p.association, origin.leaf);
  });
}

void AssociationSet::open(std::span<Packet> packets) {
  Batch batch(*this, packets, true);
  const auto find_by_spi = [&](Packet& p) {
    p.verdict = Verdict::bad_length;
    if (p.len < kHeaderLen || p.len > kMaxPacket) return;
    p.verdict = Verdict::unknown_spi;
    const auto found = by_spi_.find(load_be32(p.at));
    if (found == by_spi_.end()) return;
    p.verdict = Verdict::none;
    p.association = found->second;
    prefetch(p.association);
  };
  for (size_t i = 0; i < std::min(kAhead, packets.size()); ++i) find_by_spi(packets[i]);
  for (size_t i = 0; i < packets.size(); ++i) {
    if (i + kAhead < packets.size()) find_by_spi(packets[i + kAhead]);
    Packet& p = packets[i];
    if (p.verdict != Verdict::none) continue;
    p.verdict = Verdict::bad_length;
    Association& sa = *associations_[p.association];
    const Transform& t = sa.transform;
    if (p.len < t.min_packet() || (p.len - t.icv_len) % kWord != 0) continue;
    const size_t text_len = p.len - kHeadLen - t.icv_len;
    const uint32_t low = load_be32(p.at + 4);
    p.sequence = sa.extended ? sa.window.whole(low) : low;
    if (sa.window.seen(p.sequence)) p.verdict = Verdict::replayed;
    else if (!sa.lives(1, text_len)) p.verdict = Verdict::exhausted;
    else p.verdict = Verdict::none;
    if (p.verdict == Verdict::none) batch.add(i, sa, p.at, text_len, p.sequence);
  }
  batch.run([&](const Batch::Origin& origin, bool right) {
    Packet& p = packets[origin.number];
    if (!right) {
      p.verdict = Verdict::forged;
      return;
    }
    Association& sa = *associations_[p.association];
    uint8_t* const text = p.at + kHeadLen;
    const size_t text_len = p.len - kHeadLen - sa.transform.icv_len;
    const bool is_new = !sa.window.seen(p.sequence), lives = sa.lives(1, text_len);
    if (is_new && lives) {
      sa.window.mark(p.sequence);
      ++sa.packets, sa.octets += text_len;
      if (sa.leaf == kNoLeaf || origin.leaf > sa.leaf) batch.install(sa, p.association, origin.leaf);
      const uint8_t padding = pad_len(text + text_len);
      if (padding <= text_len - kTrailerLen && is_padding(text + text_len, padding)) {
        p.next_header = text[text_len - 1];
        p.at = text, p.len = text_len - kTrailerLen - padding;
        p.verdict = Verdict::ok;
        return;
      }
    }
    wipe(text, text_len);
    p.verdict = !is_new ? Verdict::replayed : !lives ? Verdict::exhausted : Verdict::bad_trailer;
  });
}

}  // namespace vsh::esp
