// Segments of TCP, divided and joined: against packets that an independent program computed, and against each other.
#include "programs/tunnel/segments.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace vsh::tunnel;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes unhex(const std::string& text) {
  Bytes bytes;
  for (size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

// Everything that a Segmenter makes; each packet into a buffer of exactly its length.
std::vector<Bytes> divide(const DeviceHeader& header, const Bytes& packet) {
  std::vector<Bytes> packets;
  Segmenter segmenter;
  if (!segmenter.take(header, packet.data(), packet.size())) {
    EXPECT_EQ(segmenter.next_len(), 0u);
    return packets;
  }
  while (const size_t len = segmenter.next_len()) {
    EXPECT_LE(len, packet.size());
    segmenter.write_next(packets.emplace_back(len).data());
  }
  return packets;
}

uint64_t sum(const uint8_t* data, size_t len) {
  uint64_t words = 0;
  for (size_t i = 0; i < len; ++i) words += i % 2 ? data[i] : data[i] * 256u;
  return words;
}

uint16_t fold(uint64_t words) {
  while (words > 0xffff) words = (words & 0xffff) + (words >> 16);
  return static_cast<uint16_t>(words);
}

void store16(uint8_t* at, size_t value) {
  at[0] = static_cast<uint8_t>(value >> 8);
  at[1] = static_cast<uint8_t>(value);
}

// A TCP stream's segments, written field by field with checksums over bytes.
struct Stream {
  bool ipv4 = true;
  bool df = true;
  Bytes extensions = {};  // of IPv6, before TCP
  Bytes options = {};     // of TCP
  uint16_t id = 1;
  uint32_t number = 1;

  Bytes next(const Bytes& payload, uint8_t flags = 0x10) {
    Bytes packet(ipv4 ? 20 : 40);
    packet[ipv4 ? 9 : 6] = extensions.empty() ? 6 : 60;
    packet[ipv4 ? 8 : 7] = 64;
    for (size_t i = ipv4 ? 12 : 8; i < packet.size(); ++i) packet[i] = static_cast<uint8_t>(17 * i);
    packet.insert(packet.end(), extensions.begin(), extensions.end());
    const size_t tcp = packet.size();
    packet.resize(tcp + 20);
    store16(&packet[tcp], 5201), store16(&packet[tcp + 2], 40000);
    for (int i = 0; i < 4; ++i) packet[tcp + 4 + i] = static_cast<uint8_t>(number >> (24 - 8 * i));
    packet[tcp + 11] = 9;  // acknowledgement
    packet[tcp + 12] = static_cast<uint8_t>((20 + options.size()) / 4 << 4);
    packet[tcp + 13] = flags;
    store16(&packet[tcp + 14], 500);
    packet.insert(packet.end(), options.begin(), options.end());
    packet.insert(packet.end(), payload.begin(), payload.end());
    if (ipv4) {
      packet[0] = 0x45;
      store16(&packet[2], packet.size()), store16(&packet[4], id++);
      packet[6] = df ? 0x40 : 0;
      store16(&packet[10], ~fold(sum(packet.data(), 20)) & 0xffffu);
    } else {
      packet[0] = 0x60;
      store16(&packet[4], packet.size() - 40);
    }
    const uint64_t pseudo = (ipv4 ? sum(&packet[12], 8) : sum(&packet[8], 32)) + 6 + (packet.size() - tcp);
    store16(&packet[tcp + 16], ~fold(sum(&packet[tcp], packet.size() - tcp) + pseudo) & 0xffffu);
    number += static_cast<uint32_t>(payload.size());
    return packet;
  }
};

struct Written {
  DeviceHeader header;
  Bytes packet;
  size_t packets;
};

// Returns a device's input for these packets.
std::vector<Written> join(std::vector<Bytes> packets) {
  std::vector<Written> all;
  Joiner joiner(true);
  const auto write = [&] {
    Written written{{}, {}, joiner.packets()};
    const std::span<const iovec> parts = joiner.parts();
    if (parts.empty()) return;
    EXPECT_EQ(parts[0].iov_len, sizeof(DeviceHeader));
    std::memcpy(&written.header, parts[0].iov_base, sizeof(DeviceHeader));
    for (const iovec& part : parts.subspan(1)) {
      const auto* const bytes = static_cast<const uint8_t*>(part.iov_base);
      written.packet.insert(written.packet.end(), bytes, bytes + part.iov_len);
    }
    EXPECT_LE(written.packet.size(), kMaxDevicePacket);
    all.push_back(std::move(written));
    joiner.clear();
  };
  for (Bytes& packet : packets) {
    if (joiner.add(packet.data(), packet.size())) continue;
    write();
    EXPECT_TRUE(joiner.add(packet.data(), packet.size()));
  }
  write();
  EXPECT_TRUE(joiner.parts().empty());
  return all;
}

std::vector<Bytes> join_and_divide(const std::vector<Bytes>& packets) {
  std::vector<Bytes> again;
  for (const Written& written : join(packets))
    for (Bytes& packet : divide(written.header, written.packet)) again.push_back(std::move(packet));
  return again;
}

std::vector<size_t> sizes(const std::vector<Bytes>& packets) {
  std::vector<size_t> numbers;
  for (const Written& written : join(packets)) numbers.push_back(written.packets);
  return numbers;
}

using Numbers = std::vector<size_t>;

}  // namespace

// The sequence number and the identification pass their ends; CWR is the first one's, FIN and PSH the last one's.
TEST(Segmenter, Ipv4) {
  const Bytes whole = unhex(
      "4502003effff4000400626a40a0900010a09000214519c40fffffffe01020304809901f4144500000101080a0000000100000002"
      "30313233343536373839");
  const std::vector<Bytes> expected = {
      unhex("45020038ffff4000400626aa0a0900010a09000214519c40fffffffe01020304809001f4493300000101080a0000000100000002"
            "30313233"),
      unhex("4502003800004000400626aa0a0900010a09000214519c400000000201020304801001f441a800000101080a0000000100000002"
            "34353637"),
      unhex("4502003600014000400626ab0a0900010a09000214519c400000000601020304801901f473d000000101080a0000000100000002"
            "3839")};
  EXPECT_EQ(divide({1, DeviceHeader::kTcp4 | DeviceHeader::kEcn, 52, 4, 20, 16}, whole), expected);
  EXPECT_EQ(divide({1, DeviceHeader::kTcp4, 0, 4, 20, 16}, whole), expected) << "the headers' length is a hint";
}

TEST(Segmenter, Ipv6BehindDestinationOptions) {
  const Bytes whole = unhex(
      "6001234500323c40fd000000000000000000000000000001fd0000000000000000000000000000020600010400000000"
      "14519c400000000701020304801801f4fa3400000101080a000000010000000230313233343536373839");
  const std::vector<Bytes> expected = {
      unhex("60012345002d3c40fd000000000000000000000000000001fd0000000000000000000000000000020600010400000000"
            "14519c400000000701020304801001f42fba00000101080a00000001000000023031323334"),
      unhex("60012345002d3c40fd000000000000000000000000000001fd0000000000000000000000000000020600010400000000"
            "14519c400000000c01020304801801f420a300000101080a00000001000000023536373839")};
  EXPECT_EQ(divide({1, DeviceHeader::kTcp6, 80, 5, 48, 16}, whole), expected);
}

TEST(Segmenter, ChecksumOfAWholePacket) {
  // One that comes out as 0, which UDP writes as its other form.
  EXPECT_EQ(divide({1, 0, 0, 0, 20, 6}, unhex("4500001e00000000401166bb0a0900010a09000200010002000a1430ebc2")),
            std::vector<Bytes>{unhex("4500001e00000000401166bb0a0900010a09000200010002000affffebc2")});
  const Bytes complete = unhex("4500001e00000000401166bb0a0900010a09000200010002000affffebc2");
  EXPECT_EQ(divide({}, complete), std::vector<Bytes>{complete});
}

TEST(Segmenter, RefusesWhatDoesNotFit) {
  Stream stream;
  const Bytes packet = stream.next(Bytes(100, 'x'));
  const DeviceHeader good = {1, DeviceHeader::kTcp4, 40, 30, 20, 16};
  ASSERT_EQ(divide(good, packet).size(), 4u);
  const auto refused = [&](auto change, Bytes changed) {
    DeviceHeader header = good;
    change(header, changed);
    return divide(header, changed).empty();
  };
  EXPECT_TRUE(refused([](auto& h, auto&) { h.segment_len = 0; }, packet));
  EXPECT_TRUE(refused([](auto& h, auto&) { h.flags = 0; }, packet));
  EXPECT_TRUE(refused([](auto& h, auto&) { h.type = DeviceHeader::kTcp6; }, packet));
  EXPECT_TRUE(refused([](auto& h, auto&) { h.type = 3; }, packet)) << "UDP, which was not asked for";
  EXPECT_TRUE(refused([](auto& h, auto&) { h.sum_to = 6; }, packet));
  EXPECT_TRUE(refused([](auto& h, auto&) { h.sum_from = 16; }, packet));
  EXPECT_TRUE(refused([](auto& h, auto&) { h.sum_from = 0xffff; }, packet));
  EXPECT_TRUE(refused([](auto&, auto& p) { p[0] = 0x4f; }, packet)) << "TCP inside of IP's header";
  EXPECT_TRUE(refused([](auto&, auto& p) { p[0] = 0x41; }, packet));
  EXPECT_TRUE(refused([](auto&, auto& p) { p[32] = 0x40; }, packet)) << "a TCP header that is too short";
  EXPECT_TRUE(refused([](auto&, auto& p) { p.resize(39); }, packet));
  EXPECT_TRUE(refused([](auto&, auto& p) { p[32] = 0xf0, p.resize(79); }, packet)) << "a cut TCP header";
  EXPECT_TRUE(refused([](auto&, auto& p) { p.clear(); }, packet));
}

TEST(Segmenter, HostileInput) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    Stream stream{.ipv4 = i % 2 == 0, .extensions = {}, .options = Bytes(random() % 11 * 4)};
    Bytes packet = stream.next(Bytes(random() % 200));
    packet.resize(random() % (packet.size() + 1));
    packet.shrink_to_fit();
    for (unsigned change = random() % 3; change > 0 && !packet.empty(); --change)
      packet[random() % packet.size()] ^= static_cast<uint8_t>(random());
    DeviceHeader header = {static_cast<uint8_t>(random() % 8 ? 1 : random()),
                           static_cast<uint8_t>(random() % 8 ? (i % 2 ? 4 : 1) : random()),
                           static_cast<uint16_t>(random()),
                           static_cast<uint16_t>(random() % 100),
                           static_cast<uint16_t>(random() % 4 ? (i % 2 ? 40 : 20) : random() % 300),
                           static_cast<uint16_t>(random() % 4 ? 16 : random() % 300)};
    divide(header, packet);  // what it writes fits, or the sanitizer of addresses sees it
  }
}

TEST(Joiner, RandomStreamsComeBack) {
  std::mt19937 random(2);
  size_t joined = 0, all = 0;
  for (int i = 0; i < 300; ++i) {
    Stream stream{.ipv4 = random() % 2 == 0,
                  .df = random() % 2 == 0,
                  .extensions = {},
                  .options = Bytes(random() % 4 * 4, 1),
                  .id = static_cast<uint16_t>(random()),
                  .number = random() % 2 ? 1u : 0xfffff000u};
    if (!stream.ipv4 && random() % 2) stream.extensions = {6, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const size_t size = 1 + random() % 1400;
    std::vector<Bytes> packets;
    for (unsigned n = 1 + random() % 100; n > 0; --n) {
      Bytes payload(random() % 8 ? size : 1 + random() % size);
      for (uint8_t& byte : payload) byte = static_cast<uint8_t>(random());
      packets.push_back(stream.next(payload, random() % 16 ? 0x10 : 0x18));
    }
    ASSERT_EQ(join_and_divide(packets), packets) << i;
    all += packets.size(), joined += packets.size() - join(packets).size();
  }
  EXPECT_GT(joined, all / 2);
}

// A change of any bit of the second of three packets: the same packets come out, in order.
TEST(Joiner, EachBitOfAHeader) {
  for (const bool ipv4 : {true, false}) {
    const Bytes extensions = ipv4 ? Bytes() : Bytes{6, 0, 1, 4, 0, 0, 0, 0};
    Stream stream{.ipv4 = ipv4, .df = false, .extensions = extensions, .options = {1, 1, 1, 1}};
    const Bytes payload(33, 'p');
    const std::vector<Bytes> packets = {stream.next(payload), stream.next(payload), stream.next(payload)};
    ASSERT_EQ(sizes(packets), Numbers{3});
    for (size_t bit = 0; bit < 8 * packets[1].size(); ++bit) {
      if (!ipv4 && (bit / 8 == 4 || bit / 8 == 5)) continue;  // the length, which callers have compared
      std::vector<Bytes> changed = packets;
      changed[1][bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      ASSERT_TRUE(join_and_divide(changed) == changed) << bit;
      ASSERT_GT(join(changed).size(), 1u) << bit;
    }
  }
}

TEST(Joiner, WhatEndsAGroup) {
  const Bytes p(100, 'p');
  const auto numbers = [&](auto write) {
    Stream stream{.ipv4 = true, .df = true};
    std::vector<Bytes> packets;
    write(stream, packets);
    EXPECT_EQ(join_and_divide(packets), packets);
    return sizes(packets);
  };
  const auto of_flags = [&](uint8_t flags) {
    return numbers([&](Stream& s, auto& all) { all = {s.next(p), s.next(p, flags), s.next(p)}; });
  };
  EXPECT_EQ(of_flags(0x10), (Numbers{3}));
  EXPECT_EQ(of_flags(0x18), (Numbers{2, 1})) << "PSH";
  for (const uint8_t flags : {0x11, 0x12, 0x14, 0x30, 0x50, 0x90, 0x00})  // FIN, SYN, RST, URG, ECE, CWR; no ACK
    EXPECT_EQ(of_flags(flags), (Numbers{1, 1, 1})) << int{flags};
  EXPECT_EQ(numbers([&](Stream& s, auto& all) { all = {s.next(p), s.next(Bytes(99)), s.next(p)}; }), (Numbers{2, 1}));
  EXPECT_EQ(numbers([&](Stream& s, auto& all) { all = {s.next(Bytes(99)), s.next(p), s.next(p)}; }), (Numbers{1, 2}));
  EXPECT_EQ(numbers([&](Stream& s, auto& all) { all = {s.next(p), s.next({}), s.next(p)}; }), (Numbers{1, 1, 1}));
  EXPECT_EQ(numbers([&](Stream& s, auto& all) {
              all = {s.next(p), s.next(p), s.next(p)}, std::swap(all[0], all[1]);
            }),
            (Numbers{1, 1, 1}));
  EXPECT_EQ(numbers([&](Stream& s, auto& all) {
              for (int i = 0; i < 300; ++i) all.push_back(s.next(Bytes(10)));
            }),
            (Numbers{128, 128, 44}));
  EXPECT_EQ(numbers([&](Stream& s, auto& all) {
              for (int i = 0; i < 8; ++i) all.push_back(s.next(Bytes(9000)));
            }),
            (Numbers{7, 1}));
}

TEST(Joiner, FragmentsAndOtherProtocolsStayAlone) {
  Stream stream;
  const std::pair<size_t, uint8_t> changes[] = {{6, 0x20}, {7, 1}, {9, 17}};  // more fragments; an offset; UDP
  for (const auto& [at, value] : changes) {
    std::vector<Bytes> packets = {stream.next(Bytes(50)), stream.next(Bytes(50))};
    for (Bytes& p : packets) {
      p[at] = value;
      store16(&p[10], 0), store16(&p[10], ~fold(sum(p.data(), 20)) & 0xffffu);
    }
    EXPECT_EQ(sizes(packets), (Numbers{1, 1}));
    EXPECT_EQ(join_and_divide(packets), packets);
  }
  Stream routed{.ipv4 = false, .extensions = {6, 0, 4, 0, 0, 0, 0, 0}};
  std::vector<Bytes> packets = {routed.next(Bytes(50)), routed.next(Bytes(50))};
  for (Bytes& p : packets) p[6] = 43;  // whose address the checksum counts is in there
  EXPECT_EQ(sizes(packets), (Numbers{1, 1}));
}

TEST(Joiner, WithoutHeadersNothingIsJoined) {
  Stream stream;
  Bytes first = stream.next(Bytes(50)), second = stream.next(Bytes(50));
  Joiner joiner(false);
  ASSERT_TRUE(joiner.add(first.data(), first.size()));
  EXPECT_FALSE(joiner.add(second.data(), second.size()));
  ASSERT_EQ(joiner.parts().size(), 1u);
  EXPECT_EQ(joiner.parts()[0].iov_base, first.data());
  EXPECT_EQ(joiner.bytes(), first.size());
}

TEST(Joiner, HostileInput) {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    Stream stream{.ipv4 = i % 2 == 0, .extensions = {}};
    if (i % 2) stream.extensions.assign(random() % 5 * 8, 0);
    std::vector<Bytes> packets;
    for (int n = 0; n < 3; ++n) {
      Bytes& packet = packets.emplace_back(stream.next(Bytes(random() % 60)));
      if (i % 2) packet[6] = random() % 2 ? 60 : 0;
      for (size_t at = 40; i % 2 && at + 8 < packet.size(); at += 8)
        packet[at] = random() % 2 ? 60 : 6, packet[at + 1] = static_cast<uint8_t>(random() % 4 ? 0 : random());
      packet.resize(1 + random() % packet.size());
      packet.shrink_to_fit();
    }
    size_t num = 0;
    for (const Written& written : join(packets)) num += written.packets;
    ASSERT_EQ(num, packets.size());
  }
}
