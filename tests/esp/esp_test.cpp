// vsh_esp: the examples of RFC 9227, the same packets as a plain implementation makes, batches, windows, limits.
#include "vershina/esp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "esp/support/packets.hpp"
#include "esp/support/plain_esp.hpp"
#include "support/guarded_buffer.hpp"
#include "support/vec.hpp"
#include "vershina/vershina.hpp"

namespace vsh::test {
namespace {

TEST(EspVectors, SealAndOpen) {
  for (const vsh_esp_transform transform : kEspTransforms) {
    const size_t i = transform - VSH_ESP_KUZNYECHIK_MGM;
    const std::string name = vsh_esp_name(i);
    const auto records = vec::read("esp.vec", name, {"Key", "Salt", "Label", "Nonce", "IV", "Aad", "In", "Out"});
    ASSERT_EQ(records.size(), 2u);
    for (const vec::Record& r : records) {
      SCOPED_TRACE(r.where());
      const Bytes key = plain::join(r.bytes("Key"), r.bytes("Salt")), text = r.bytes("In"), expected = r.bytes("Out"),
                  iv = r.bytes("IV");
      ASSERT_EQ(text[text.size() - 2], 2);  // padding
      const Bytes payload(text.begin(), text.end() - 4);
      uint32_t spi = 0, sequence = 0;
      for (size_t k = 0; k < 4; ++k) spi = spi << 8 | expected[k], sequence = sequence << 8 | expected[4 + k];
      uint64_t leaf = 0;
      for (size_t k = 0; k < 5; ++k) leaf = leaf << 8 | iv[k];

      const Esp out = new_esp(1), in = new_esp(1);
      vsh_esp_sa sa = sa_of(transform, VSH_ESP_OUTBOUND, spi, key);
      sa.sequence = sequence;
      sa.first_leaf = leaf - (sequence - 1 > 0);  // the examples have pnum 0
      sa.leaf_packets = sequence - 1 > 0 ? sequence - 1 : 1;
      ASSERT_EQ(vsh_esp_add(out.get(), 0, &sa), VSH_OK);
      EXPECT_EQ(sealed(out, 0, payload, text.back()), expected);

      sa = sa_of(transform, VSH_ESP_INBOUND, spi, key);
      ASSERT_EQ(vsh_esp_add(in.get(), 0, &sa), VSH_OK);
      EspBatch batch;
      batch.add(expected);
      ASSERT_EQ(batch.open(in), VSH_OK);
      EXPECT_EQ(batch.content(0), payload);
      EXPECT_EQ(batch.packets[0].next_header, text.back());
      EXPECT_EQ(batch.packets[0].sequence, sequence);
      EXPECT_EQ(batch.packets[0].association, 0u);
      EXPECT_EQ(opens(in, expected), VSH_E_REPLAY);

      const plain::Association of_plain{transform, false, spi, key};
      EXPECT_EQ(plain::packet_of_text(of_plain, sequence, iv, text), expected);
    }
  }
}

TEST(Esp, Names) {
  for (size_t i = 0; i < std::size(kEspTransforms); ++i) {
    vsh_esp_transform t;
    ASSERT_EQ(vsh_esp_by_name(&t, vsh_esp_name(i)), VSH_OK);
    EXPECT_EQ(t, kEspTransforms[i]);
    EXPECT_EQ(vsh_esp_key_len(t), i % 2 ? 36u : 44u);
    for (size_t len = 0; len < 20; ++len) {
      const size_t packet = vsh_esp_packet_len(t, len);
      EXPECT_EQ((packet - (i % 2 ? 8 : 12)) % 4, 0u);
      EXPECT_LE(packet, VSH_ESP_HEAD_LEN + len + VSH_ESP_MAX_TAIL_LEN);
      EXPECT_GE(packet, VSH_ESP_HEAD_LEN + len + 2 + (i % 2 ? 8 : 12));
    }
    const size_t longest = 65535 - VSH_ESP_HEAD_LEN - (i % 2 ? 8 : 12) - 5;
    EXPECT_NE(vsh_esp_packet_len(t, longest), 0u);
    EXPECT_EQ(vsh_esp_packet_len(t, 65535), 0u);
    EXPECT_EQ(vsh_esp_packet_len(t, SIZE_MAX), 0u);
  }
  EXPECT_EQ(vsh_esp_name(4), nullptr);
  EXPECT_EQ(vsh_esp_packet_len(static_cast<vsh_esp_transform>(31), 1), 0u);
}

// Associations of all transforms, a leaf after every few packets, mixed in one batch.
TEST(Esp, EqualsThePlainImplementation) {
  for (const unsigned threads : {1u, 3u}) {
    Random random(9227 + threads);
    constexpr size_t kNum = 9;
    const Esp out = new_esp(kNum, threads), in = new_esp(kNum, threads);
    std::vector<plain::Association> associations;
    std::vector<uint64_t> next;
    std::vector<uint32_t> leaf_packets;
    for (size_t i = 0; i < kNum; ++i) {
      const vsh_esp_transform t = kEspTransforms[i % 4];
      const bool extended = i / 4 % 2;
      associations.push_back({t, extended, static_cast<uint32_t>(1000 + i), random.bytes(vsh_esp_key_len(t))});
      leaf_packets.push_back(static_cast<uint32_t>(i == 8 ? 4096 : 1 + random.below(4)));
      next.push_back(extended ? (uint64_t{1} << 32) - 5 : 1 + random.below(1000));
      vsh_esp_sa sa =
          sa_of(t, VSH_ESP_OUTBOUND | (extended ? VSH_ESP_ESN : 0), associations[i].spi, associations[i].key);
      sa.sequence = next[i];
      sa.leaf_packets = leaf_packets[i];
      sa.first_leaf = i * 0x1234567;
      ASSERT_EQ(vsh_esp_add(out.get(), i, &sa), VSH_OK);
      sa.flags = sa.flags - VSH_ESP_OUTBOUND + VSH_ESP_INBOUND;
      sa.sequence = next[i] - 1;
      ASSERT_EQ(vsh_esp_add(in.get(), kNum - 1 - i, &sa), VSH_OK);
    }
    for (const size_t num : {1, 7, 40}) {
      EspBatch batch;
      std::vector<Bytes> payloads, expected;
      for (size_t i = 0; i < num; ++i) {
        const size_t a = num == 1 ? 0 : random.below(kNum);
        payloads.push_back(random.bytes(i == 3 ? 4200 : random.below(150)));
        const auto next_header = static_cast<uint8_t>(random());
        expected.push_back(plain::packet(
            associations[a], next[a], plain::iv_of(next[a], leaf_packets[a], a * 0x1234567), payloads[i], next_header));
        batch.add(payloads[i], a, next_header);
        ++next[a];
      }
      const auto before = batch.packets;
      ASSERT_EQ(batch.seal(out), VSH_OK);
      for (size_t i = 0; i < num; ++i) {
        ASSERT_EQ(batch.content(i), expected[i]) << i << " of " << num;
        EXPECT_EQ(batch.packets[i].offset, 0u);
      }
      ASSERT_EQ(batch.open(in), VSH_OK);
      for (size_t i = 0; i < num; ++i) {
        ASSERT_EQ(batch.content(i), payloads[i]);
        EXPECT_EQ(batch.packets[i].next_header, before[i].next_header);
        EXPECT_EQ(batch.packets[i].association, kNum - 1 - before[i].association);
        EXPECT_EQ(batch.packets[i].offset, static_cast<size_t>(VSH_ESP_HEAD_LEN));
      }
    }
  }
}

TEST(Esp, EveryKernel) {
  Random random(4303);
  vsh_kernel_info info;
  for (size_t k = 0; vsh_kernel(k, &info) == VSH_OK; ++k) {
    const bool magma = std::strcmp(info.family, "magma") == 0;
    if (!info.runnable || (!magma && std::strcmp(info.family, "kuznyechik") != 0)) continue;
    SCOPED_TRACE(info.variant);
    const vsh_esp_transform t = magma ? VSH_ESP_MAGMA_MGM : VSH_ESP_KUZNYECHIK_MGM;
    const plain::Association association{t, false, 4711, random.bytes(vsh_esp_key_len(t))};
    const Esp out = new_esp(3, 1, info.variant);
    vsh_esp_sa sa = sa_of(t, VSH_ESP_OUTBOUND, association.spi, association.key);
    sa.leaf_packets = 50;
    ASSERT_EQ(vsh_esp_add(out.get(), 1, &sa), VSH_OK);
    EspBatch batch;
    std::vector<Bytes> expected;
    for (uint64_t i = 1; i <= 60; ++i) {
      const Bytes payload = random.bytes(20);
      expected.push_back(i % 20 == 1 ? plain::packet(association, i, plain::iv_of(i, 50), payload, 4) : Bytes());
      batch.add(payload, 1);
    }
    ASSERT_EQ(batch.seal(out), VSH_OK);
    for (size_t i = 0; i < 60; i += 20) EXPECT_EQ(batch.content(i), expected[i]) << i;
  }
}

TEST(Esp, OneTo4096Associations) {
  Random random(4096);
  for (const vsh_esp_transform t : {VSH_ESP_KUZNYECHIK_MGM, VSH_ESP_MAGMA_MGM}) {
    for (const size_t num : {1, 16, 300, 4096}) {
      const Esp out = new_esp(num), in = new_esp(num), one_by_one = new_esp(num);
      for (size_t i = 0; i < num; ++i) {
        const Bytes key = random.bytes(vsh_esp_key_len(t));
        vsh_esp_sa sa = sa_of(t, VSH_ESP_OUTBOUND, static_cast<uint32_t>(0x10000 + 3 * i), key);
        sa.leaf_packets = 3;  // so that leaves change inside of the batches
        ASSERT_EQ(vsh_esp_add(out.get(), i, &sa), VSH_OK);
        ASSERT_EQ(vsh_esp_add(one_by_one.get(), i, &sa), VSH_OK);
        sa.flags = VSH_ESP_INBOUND;
        ASSERT_EQ(vsh_esp_add(in.get(), i, &sa), VSH_OK);
      }
      for (int round = 0; round < 2; ++round) {
        EspBatch batch;
        std::vector<Bytes> payloads;
        const size_t packets = num == 4096 ? 4096 : num == 1 ? 4096 / 16 : 600;
        for (size_t i = 0; i < packets; ++i) {
          payloads.push_back(random.bytes(1 + i % 90));
          batch.add(payloads[i], num == 4096 ? num - 1 - i : random.below(num));
        }
        ASSERT_EQ(batch.seal(out), VSH_OK);
        for (size_t i = 0; i < packets && num <= 300; ++i)
          ASSERT_EQ(batch.content(i), sealed(one_by_one, batch.packets[i].association, payloads[i])) << i;
        ASSERT_EQ(batch.open(in), VSH_OK);
        for (size_t i = 0; i < packets; ++i) ASSERT_EQ(batch.content(i), payloads[i]) << i;
      }
    }
  }
}

// An outbound and an inbound set under one key.
struct Pair {
  explicit Pair(vsh_esp_transform t = VSH_ESP_MAGMA_MGM, uint32_t flags = 0, uint32_t window = 64,
                uint64_t sequence = 0, uint32_t leaf_packets = 0)
      : key(Random(t).bytes(vsh_esp_key_len(t))), out(new_esp(1)), in(new_esp(1)) {
    vsh_esp_sa sa = sa_of(t, VSH_ESP_OUTBOUND | flags, 0xabcdef01, key);
    sa.sequence = sequence, sa.leaf_packets = leaf_packets, sa.window = window;
    EXPECT_EQ(vsh_esp_add(out.get(), 0, &sa), VSH_OK);
    sa.flags = VSH_ESP_INBOUND | flags;
    sa.sequence = sequence ? sequence - 1 : 0;
    EXPECT_EQ(vsh_esp_add(in.get(), 0, &sa), VSH_OK);
  }
  std::vector<Bytes> stream(size_t num, size_t len = 10) {
    std::vector<Bytes> packets;
    for (size_t i = 0; i < num; ++i) packets.push_back(sealed(out, 0, Bytes(len, static_cast<uint8_t>(i))));
    return packets;
  }
  Bytes key;
  Esp out, in;
};

TEST(Esp, WindowEdges) {
  for (const uint32_t window : {64u, 128u, 4096u}) {
    Pair pair(VSH_ESP_MAGMA_MGM, 0, window);
    const auto packets = pair.stream(window + 1);
    ASSERT_EQ(opens(pair.in, packets[window]), VSH_OK);  // number window + 1
    EXPECT_EQ(opens(pair.in, packets[0]), VSH_E_REPLAY) << "left of the window";
    EXPECT_EQ(opens(pair.in, packets[1]), VSH_OK) << "its left edge";
    EXPECT_EQ(opens(pair.in, packets[1]), VSH_E_REPLAY);
    EXPECT_EQ(opens(pair.in, packets[window]), VSH_E_REPLAY);
    for (size_t i = window - 1; i > 1; --i) ASSERT_EQ(opens(pair.in, packets[i]), VSH_OK) << i;
    for (const Bytes& packet : packets) ASSERT_EQ(opens(pair.in, packet), VSH_E_REPLAY);
    vsh_esp_counters counters;
    ASSERT_EQ(vsh_esp_count(pair.in.get(), 0, &counters), VSH_OK);
    EXPECT_EQ(counters.sequence, window + 1);
    EXPECT_EQ(counters.packets, window);
  }
}

TEST(Esp, ReplayInOneBatchReleasesNothing) {
  Pair pair;
  const auto packets = pair.stream(3, 40);
  Bytes forged = packets[1];
  forged[30] ^= 1;
  EspBatch batch;
  for (const Bytes& p : {packets[0], forged, packets[1], packets[1], packets[2], packets[0]}) batch.add(p);
  EXPECT_EQ(batch.open(pair.in), VSH_E_JOB);
  const vsh_status expected[] = {VSH_OK, VSH_E_TAG, VSH_OK, VSH_E_REPLAY, VSH_OK, VSH_E_REPLAY};
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(batch.packets[i].status, expected[i]) << i;
  EXPECT_EQ(batch.content(1), forged) << "as before";
  for (const size_t i : {3, 5}) {
    const Bytes rest = batch.content(i);
    EXPECT_EQ(Bytes(rest.begin() + VSH_ESP_HEAD_LEN, rest.end() - 8), Bytes(rest.size() - VSH_ESP_HEAD_LEN - 8));
  }
}

TEST(Esp, AForgedPacketChangesNothing) {
  for (const vsh_esp_transform t : kEspTransforms) {
    for (const size_t len : {size_t{21}, size_t{5000}}) {  // in lanes; singly
      Pair pair(t, 0, 64, 0, 4);
      const auto packets = pair.stream(100, len);
      ASSERT_EQ(opens(pair.in, packets[0]), VSH_OK);
      Random random(t);
      for (size_t i = 0; i<packets[80].size(); i += len> 100 ? 1 + random.below(200) : 1) {
        Bytes forged = packets[80];
        forged[i] ^= static_cast<uint8_t>(1 << random.below(8));
        EspBatch batch;
        batch.add(forged);
        ASSERT_EQ(batch.open(pair.in), VSH_E_JOB);
        const vsh_status status = batch.packets[0].status;
        ASSERT_TRUE(i < 4 ? status == VSH_E_SPI : status == VSH_E_TAG || (i < 8 && status == VSH_E_REPLAY)) << i;
        ASSERT_EQ(batch.content(0), forged) << i;
      }
      for (const size_t cut : {1, 2, 3, 4, 20}) {
        Bytes forged(packets[80].begin(), packets[80].end() - static_cast<long>(cut));
        EXPECT_EQ(opens(pair.in, forged), cut % 4 ? VSH_E_DATA_LENGTH : VSH_E_TAG) << cut;
      }
      // The window did not move to number 81: 2 and on are still in it.
      EXPECT_EQ(opens(pair.in, packets[1]), VSH_OK);
      EXPECT_EQ(opens(pair.in, packets[80]), VSH_OK);
      EXPECT_EQ(opens(pair.in, packets[2]), VSH_E_REPLAY);
    }
  }
}

TEST(Esp, ReorderedOverChangesOfTheLeaf) {
  Pair pair(VSH_ESP_KUZNYECHIK_MGM, 0, 4096, 0, 7);
  auto packets = pair.stream(300);
  Random random(7);
  for (size_t i = packets.size(); i-- > 1;) std::swap(packets[i], packets[random.below(i + 1)]);
  EspBatch batch;
  for (size_t i = 0; i < packets.size(); ++i) {
    batch.add(packets[i]);
    if (i % 50 != 49) continue;
    ASSERT_EQ(batch.open(pair.in), VSH_OK);
    batch = EspBatch();
  }
}

TEST(Esp, SequenceNumbersNeverRepeat) {
  for (const bool extended : {false, true}) {
    const uint64_t last = extended ? UINT64_MAX : UINT32_MAX;
    // Extended numbers end with their leaves if the leaves are short.
    Pair pair(VSH_ESP_KUZNYECHIK_MGM, extended ? VSH_ESP_ESN : 0, 64, last - 2, 1 << 24);
    EspBatch batch;
    for (int i = 0; i < 5; ++i) batch.add(Bytes(9, 1));
    EXPECT_EQ(batch.seal(pair.out), VSH_E_JOB);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(batch.packets[i].status, i < 3 ? VSH_OK : VSH_E_LIMIT) << i;
    }
    EXPECT_EQ(batch.content(3), Bytes(9, 1)) << "not touched";
    EXPECT_EQ(batch.packets[2].sequence, last);
    batch.packets.resize(3);
    EXPECT_EQ(batch.open(pair.in), VSH_OK);
    vsh_esp_counters counters;
    ASSERT_EQ(vsh_esp_count(pair.out.get(), 0, &counters), VSH_OK);
    EXPECT_EQ(counters.sequence, last);
    EXPECT_EQ(vsh_esp_skip(pair.out.get(), 0, 5), VSH_OK);
    EspBatch again;
    again.add(Bytes(9, 1));
    EXPECT_EQ(again.seal(pair.out), VSH_E_JOB) << "skip does not begin anew";
    EXPECT_EQ(again.packets[0].status, VSH_E_LIMIT);
    EXPECT_EQ(vsh_esp_skip(pair.out.get(), 0, last + 1), extended ? VSH_OK : VSH_E_LIMIT) << "0, or 2^32";
  }
}

TEST(Esp, LeavesNeverRepeat) {
  const Esp out = new_esp(1);
  const Bytes key(44, 7);
  vsh_esp_sa sa = sa_of(VSH_ESP_KUZNYECHIK_MGM, VSH_ESP_OUTBOUND, 300, key);
  sa.leaf_packets = 2;
  sa.first_leaf = (uint64_t{1} << 40) - 1;
  ASSERT_EQ(vsh_esp_add(out.get(), 0, &sa), VSH_OK);
  EXPECT_EQ(sealed(out, 0, {1})[8], 0xff);
  EXPECT_EQ(sealed(out, 0, {1})[15], 1);
  EspBatch batch;
  batch.add({1});
  batch.seal(out);
  EXPECT_EQ(batch.packets[0].status, VSH_E_LIMIT);
}

TEST(Esp, ExtendedNumbersPassTheBoundary) {
  for (const vsh_esp_transform t : kEspTransforms) {
    Pair pair(t, VSH_ESP_ESN, 64, (uint64_t{3} << 32) - 50);
    auto packets = pair.stream(100);
    std::swap(packets[49], packets[52]);  // around the boundary
    std::swap(packets[48], packets[51]);
    for (size_t i = 0; i < 100; ++i) ASSERT_EQ(opens(pair.in, packets[i]), VSH_OK) << i;
    for (size_t i = 0; i < 100; ++i) ASSERT_NE(opens(pair.in, packets[i]), VSH_OK) << i;
    // A receiver that counts 32 bits has other associated data.
    const Esp other = new_esp(1);
    const vsh_esp_sa sa = sa_of(t, VSH_ESP_INBOUND, 0xabcdef01, pair.key);
    ASSERT_EQ(vsh_esp_add(other.get(), 0, &sa), VSH_OK);
    EXPECT_EQ(opens(other, packets[20]), VSH_E_TAG);
  }
}

TEST(Esp, Lifetimes) {
  for (const bool octets : {false, true}) {
    Pair unlimited;
    const auto packets = unlimited.stream(4, 10);  // 12 octets each, with the trailer
    for (const uint32_t flags : {VSH_ESP_OUTBOUND, VSH_ESP_INBOUND}) {
      const Esp e = new_esp(1);
      vsh_esp_sa sa = sa_of(VSH_ESP_MAGMA_MGM, flags, 0xabcdef01, unlimited.key);
      (octets ? sa.max_octets : sa.max_packets) = octets ? 35 : 2;
      ASSERT_EQ(vsh_esp_add(e.get(), 0, &sa), VSH_OK);
      EspBatch batch;
      for (size_t i = 0; i < 3; ++i) batch.add(flags == VSH_ESP_OUTBOUND ? Bytes(10, 1) : packets[i]);
      EXPECT_EQ(flags == VSH_ESP_OUTBOUND ? batch.seal(e) : batch.open(e), VSH_E_JOB);
      for (size_t i = 0; i < 3; ++i) EXPECT_EQ(batch.packets[i].status, i < 2 ? VSH_OK : VSH_E_LIMIT) << i;
      vsh_esp_counters counters;
      ASSERT_EQ(vsh_esp_count(e.get(), 0, &counters), VSH_OK);
      EXPECT_EQ(counters.packets, 2u);
      EXPECT_EQ(counters.octets, 24u);
      if (flags == VSH_ESP_OUTBOUND) {
        EXPECT_EQ(batch.content(2), Bytes(10, 1)) << "as before";
        EspBatch shorter;  // of 4 octets, which 35 would allow
        for (int i = 0; i < 2; ++i) shorter.add(Bytes(2, 1));
        EXPECT_EQ(shorter.seal(e), VSH_E_JOB);
        for (const vsh_esp_packet& p : shorter.packets) EXPECT_EQ(p.status, VSH_E_LIMIT) << "it would overtake";
        ASSERT_EQ(vsh_esp_count(e.get(), 0, &counters), VSH_OK);
        EXPECT_EQ(counters.packets, 2u);
        EXPECT_EQ(counters.sequence, 2u);
        continue;
      }
      // The third was verified when the first two were not counted yet; a packet of the next batch is not touched.
      Bytes erased = packets[2];
      std::fill_n(erased.begin() + VSH_ESP_HEAD_LEN, 12, uint8_t{0});
      EXPECT_EQ(batch.content(2), erased);
      EspBatch next;
      next.add(packets[3]);
      EXPECT_EQ(next.open(e), VSH_E_JOB);
      EXPECT_EQ(next.packets[0].status, VSH_E_LIMIT);
      EXPECT_EQ(next.content(0), packets[3]) << "as before";
      // A packet that is too long, and not authentic, ends nothing.
      const Esp other = new_esp(1);
      const vsh_esp_sa sender = sa_of(VSH_ESP_MAGMA_MGM, VSH_ESP_OUTBOUND, 0xabcdef01, unlimited.key);
      ASSERT_EQ(vsh_esp_add(other.get(), 0, &sender), VSH_OK);
      ASSERT_EQ(vsh_esp_skip(other.get(), 0, 9), VSH_OK);
      EXPECT_EQ(opens(e, sealed(other, 0, Bytes(2, 1))), octets ? VSH_OK : VSH_E_LIMIT);
    }
  }
}

TEST(Esp, Trailers) {
  const Bytes key(36, 3);
  const plain::Association association{VSH_ESP_MAGMA_MGM, false, 999, key};
  const Esp in = new_esp(1);
  const vsh_esp_sa sa = sa_of(VSH_ESP_MAGMA_MGM, VSH_ESP_INBOUND, 999, key);
  ASSERT_EQ(vsh_esp_add(in.get(), 0, &sa), VSH_OK);
  uint64_t sequence = 0;
  const auto open = [&](const Bytes& text, Bytes& payload) {
    ++sequence;
    return opens(in, plain::packet_of_text(association, sequence, plain::iv_of(sequence, 4096), text), &payload);
  };
  Bytes payload;
  for (const size_t padding : {0, 1, 2, 6, 254, 255}) {  // more than alignment needs is allowed (2.4)
    Bytes text(2 + (4 - (padding + 4) % 4) % 4, 0x77);
    const size_t len = text.size();
    for (size_t i = 1; i <= padding; ++i) text.push_back(static_cast<uint8_t>(i));
    text.push_back(static_cast<uint8_t>(padding));
    text.push_back(59);
    ASSERT_EQ(open(text, payload), VSH_OK) << padding;
    EXPECT_EQ(payload, Bytes(len, 0x77));
  }
  ASSERT_EQ(open({1, 2, 2, 4}, payload), VSH_OK) << "a packet of padding only";
  EXPECT_TRUE(payload.empty());
  for (const Bytes& text : {Bytes{9, 9, 3, 4}, Bytes{0, 0, 255, 4}, Bytes{1, 3, 2, 4}, Bytes{7, 0, 1, 4}}) {
    EXPECT_EQ(open(text, payload), VSH_E_BAD_PADDING);
    EXPECT_EQ(Bytes(payload.begin() + VSH_ESP_HEAD_LEN, payload.begin() + VSH_ESP_HEAD_LEN + 4), Bytes(4)) << "erased";
  }
}

TEST(Esp, RoomIsExact) {
  for (const vsh_esp_transform t : kEspTransforms)
    for (size_t len = 0; len < 6; ++len) {
      const Pair pair(t);
      const size_t need = vsh_esp_packet_len(t, len);
      GuardedBuffer buffer(need);
      for (const bool at_end : {false, true}) {
        uint8_t* const at = at_end ? buffer.at_end() : buffer.at_start();
        vsh_esp_packet p{};
        p.buffer = at, p.capacity = need, p.offset = VSH_ESP_HEAD_LEN, p.len = len, p.next_header = 41;
        ASSERT_EQ(vsh_esp_seal(pair.out.get(), &p, 1), VSH_OK);
        EXPECT_EQ(p.len, need);
        ASSERT_EQ(vsh_esp_open(pair.in.get(), &p, 1), VSH_OK);
        EXPECT_EQ(p.len, len);
        p.next_header = 4, p.capacity = need - 1;
        EXPECT_EQ(vsh_esp_seal(pair.out.get(), &p, 1), VSH_E_JOB);
        EXPECT_EQ(p.status, VSH_E_CAPACITY);
        p.capacity = need, p.buffer = at, p.offset = VSH_ESP_HEAD_LEN - 1;
        vsh_esp_seal(pair.out.get(), &p, 1);
        EXPECT_EQ(p.status, VSH_E_CAPACITY);
      }
    }
}

TEST(Esp, RefusesBadArguments) {
  vsh_esp* none = nullptr;
  EXPECT_EQ(vsh_esp_new(&none, 0, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_esp_new(&none, SIZE_MAX, nullptr), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_esp_new(nullptr, 1, nullptr), VSH_E_ARGUMENT);
  const Esp e = new_esp(2);
  const Bytes key(44, 1);
  const vsh_esp_sa good = sa_of(VSH_ESP_KUZNYECHIK_MGM, VSH_ESP_INBOUND, 256, key);
  const auto add = [&](auto change, size_t number = 0) {
    vsh_esp_sa sa = good;
    change(sa);
    return vsh_esp_add(e.get(), number, &sa);
  };
  EXPECT_EQ(add([](vsh_esp_sa&) {}, 2), VSH_E_ARGUMENT);
  EXPECT_EQ(add([](vsh_esp_sa& s) { s.transform = static_cast<vsh_esp_transform>(20); }), VSH_E_ARGUMENT);
  EXPECT_EQ(add([](vsh_esp_sa& s) { s.flags = 0; }), VSH_E_ARGUMENT);
  EXPECT_EQ(add([](vsh_esp_sa& s) { s.flags = VSH_ESP_INBOUND | VSH_ESP_OUTBOUND; }), VSH_E_ARGUMENT);
  EXPECT_EQ(add([](vsh_esp_sa& s) { s.flags |= 8; }), VSH_E_ARGUMENT);
  EXPECT_EQ(add([](vsh_esp_sa& s) { s.spi = 255; }), VSH_E_ARGUMENT);
  EXPECT_EQ(add([](vsh_esp_sa& s) { s.key = nullptr; }), VSH_E_ARGUMENT);
  for (const size_t len : {0, 32, 36, 43, 45})
    EXPECT_EQ(add([&](vsh_esp_sa& s) { s.key_len = len; }), VSH_E_KEY_LENGTH);
  for (const uint32_t w : {1u, 32u, 65u, 4160u}) EXPECT_EQ(add([&](vsh_esp_sa& s) { s.window = w; }), VSH_E_PARAMETERS);
  EXPECT_EQ(add([](vsh_esp_sa& s) { s.leaf_packets = (1 << 24) + 1; }), VSH_E_ARGUMENT);
  EXPECT_EQ(add([](vsh_esp_sa& s) { s.transform = VSH_ESP_MAGMA_MGM, s.key_len = 36, s.leaf_packets = 4097; }),
            VSH_E_ARGUMENT);
  EXPECT_EQ(add([](vsh_esp_sa& s) { s.first_leaf = uint64_t{1} << 40; }), VSH_E_ARGUMENT);
  EXPECT_EQ(add([](vsh_esp_sa& s) { s.sequence = uint64_t{1} << 32; }), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_esp_add_sa(e.get(), 0, &good, sizeof good - 1), VSH_E_ARGUMENT);
  EXPECT_EQ(add([](vsh_esp_sa&) {}), VSH_OK);
  EXPECT_EQ(add([](vsh_esp_sa&) {}), VSH_OK) << "again";
  EXPECT_EQ(add([](vsh_esp_sa&) {}, 1), VSH_E_ARGUMENT) << "the same SPI";
  EXPECT_EQ(add([](vsh_esp_sa& s) { s.flags = VSH_ESP_OUTBOUND; }, 1), VSH_OK) << "the SPI of another direction";
  EXPECT_EQ(vsh_esp_remove(e.get(), 0), VSH_OK);
  EXPECT_EQ(vsh_esp_remove(e.get(), 0), VSH_E_STATE);
  EXPECT_EQ(vsh_esp_remove(e.get(), 2), VSH_E_ARGUMENT);
  vsh_esp_counters counters;
  EXPECT_EQ(vsh_esp_count(e.get(), 0, &counters), VSH_E_STATE);
  EXPECT_EQ(vsh_esp_skip(e.get(), 0, 1), VSH_E_STATE);

  EspBatch batch;
  batch.add({1, 2, 3}, 0);
  batch.add({1, 2, 3}, 1);
  batch.add({1, 2, 3}, 7);
  batch.add({1, 2, 3}, 1);
  batch.packets[3].offset = batch.packets[3].capacity + 1;
  EXPECT_EQ(batch.seal(e), VSH_E_JOB);
  const vsh_status expected[] = {VSH_E_STATE, VSH_OK, VSH_E_STATE, VSH_E_ARGUMENT};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(batch.packets[i].status, expected[i]) << i;
  EXPECT_EQ(vsh_esp_seal_packets(e.get(), batch.packets.data(), 4, sizeof(vsh_esp_packet) - 1), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_esp_seal(nullptr, batch.packets.data(), 4), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_esp_open(e.get(), nullptr, 1), VSH_E_ARGUMENT);
  EXPECT_EQ(vsh_esp_open(e.get(), nullptr, 0), VSH_OK);
  for (const size_t len : {0, 7, 8, 27}) EXPECT_EQ(opens(e, Bytes(len, 1)), len < 8 ? VSH_E_DATA_LENGTH : VSH_E_SPI);
}

TEST(Esp, AReplacedAssociationHasNothingOfTheOld) {
  Pair pair;
  const auto packets = pair.stream(3);
  ASSERT_EQ(opens(pair.in, packets[0]), VSH_OK);
  const Bytes other(36, 9);
  const vsh_esp_sa sa = sa_of(VSH_ESP_MAGMA_MGM, VSH_ESP_INBOUND, 0xabcdef02, other);
  ASSERT_EQ(vsh_esp_add(pair.in.get(), 0, &sa), VSH_OK);
  EXPECT_EQ(opens(pair.in, packets[1]), VSH_E_SPI);
  Bytes renamed = packets[1];
  renamed[3] = 2;
  EXPECT_EQ(opens(pair.in, renamed), VSH_E_TAG);
  ASSERT_EQ(vsh_esp_remove(pair.in.get(), 0), VSH_OK);
  EXPECT_EQ(opens(pair.in, renamed), VSH_E_SPI);
}

TEST(Esp, Skip) {
  Pair pair;
  sealed(pair.out, 0, {1});
  EXPECT_EQ(vsh_esp_skip(pair.out.get(), 0, 1000), VSH_OK);
  EXPECT_EQ(vsh_esp_skip(pair.out.get(), 0, 10), VSH_OK);
  const Bytes packet = sealed(pair.out, 0, {1});
  EXPECT_EQ(packet[6] << 8 | packet[7], 1000);
  EXPECT_EQ(opens(pair.in, packet), VSH_OK);
  EXPECT_EQ(vsh_esp_skip(pair.in.get(), 0, 10), VSH_E_STATE);
}

TEST(Esp, Udp) {
  const auto kind = [](const Bytes& datagram) { return vsh_esp_udp_kind(datagram.data(), datagram.size()); };
  EXPECT_EQ(kind({0xff}), VSH_ESP_UDP_KEEPALIVE);
  EXPECT_EQ(kind({0xfe}), VSH_ESP_UDP_INVALID);
  EXPECT_EQ(kind({0xff, 0xff}), VSH_ESP_UDP_INVALID);
  EXPECT_EQ(kind({}), VSH_ESP_UDP_INVALID);
  EXPECT_EQ(kind({0, 0, 0}), VSH_ESP_UDP_INVALID);
  EXPECT_EQ(kind({0, 0, 0, 0}), VSH_ESP_UDP_NOT_ESP);
  EXPECT_EQ(kind({0, 0, 0, 0, 1}), VSH_ESP_UDP_NOT_ESP);
  EXPECT_EQ(kind({0, 0, 0, 1}), VSH_ESP_UDP_ESP);
  EXPECT_EQ(kind({1, 0, 0, 0}), VSH_ESP_UDP_ESP);
  EXPECT_EQ(vsh_esp_udp_kind(nullptr, 0), VSH_ESP_UDP_INVALID);
}

TEST(Esp, CppWrapper) {
  const Bytes key(44, 5);
  vershina::Esp out(1), in(1);
  vsh_esp_sa sa{};
  sa.transform = VSH_ESP_KUZNYECHIK_MGM, sa.flags = VSH_ESP_OUTBOUND, sa.spi = 4000;
  out.add(0, sa, key);
  sa.flags = VSH_ESP_INBOUND;
  in.add(0, sa, key);
  out.skip(0, 7);
  EspBatch batch;
  batch.add({1, 2, 3});
  EXPECT_TRUE(out.seal(batch.packets));
  EXPECT_TRUE(in.open(batch.packets));
  EXPECT_EQ(batch.content(0), (Bytes{1, 2, 3}));
  EXPECT_EQ(in.count(0).sequence, 7u);
  EXPECT_FALSE(in.open(batch.packets));
  in.remove(0);
  EXPECT_THROW(in.remove(0), vershina::Error);
}

}  // namespace
}  // namespace vsh::test
