#include "programs/tunnel/segments.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace vsh::tunnel {
namespace {

constexpr size_t kIpv4Len = 20, kIpv6Len = 40, kTcpLen = 20;
constexpr uint8_t kTcpSum = 16, kTcpFlags = 13;  // of TCP's header
constexpr uint8_t kFin = 0x01, kPsh = 0x08, kAck = 0x10, kCwr = 0x80;
constexpr uint8_t kTcp = 6, kHopByHop = 0, kDestinationOptions = 60;  // protocols, next headers

uint16_t load16(const uint8_t* at) { return static_cast<uint16_t>(at[0] << 8 | at[1]); }
void store16(uint8_t* at, size_t value) {
  at[0] = static_cast<uint8_t>(value >> 8);
  at[1] = static_cast<uint8_t>(value);
}
uint32_t load32(const uint8_t* at) { return static_cast<uint32_t>(load16(at)) << 16 | load16(at + 2); }
void store32(uint8_t* at, uint32_t value) {
  store16(at, value >> 16);
  store16(at + 2, value & 0xffff);
}

uint16_t fold(uint64_t sum) {
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

// Returns the ones' complement sum of 16-bit words (RFC 1071) and of `start`. It does not depend on the byte order in
// which it is formed, but for that of the result. len: at most 64 KiB.
uint16_t sum_of(const uint8_t* data, size_t len, uint64_t start = 0) {
  uint64_t sums[4] = {};
  size_t i = 0;
  for (uint32_t words[4]; i + sizeof words <= len; i += sizeof words) {
    std::memcpy(words, data + i, sizeof words);
    for (unsigned w = 0; w < 4; ++w) sums[w] += words[w];
  }
  uint32_t last[4] = {};
  std::memcpy(last, data + i, len - i);
  for (unsigned w = 0; w < 4; ++w) sums[w] += last[w];
  return fold(start + ntohs(fold(sums[0] + sums[1] + sums[2] + sums[3])));
}

// Completes a checksum whose field holds the sum of the pseudo-header. 0 is written as its other form: for UDP it would
// mean that there is none.
void complete_sum(uint8_t* packet, size_t len, size_t from, size_t to) {
  const auto sum = static_cast<uint16_t>(~sum_of(packet + from, len - from));
  store16(packet + to, sum ? sum : 0xffff);
}

bool is_ipv4(const uint8_t* packet) { return packet[0] >> 4 == 4; }

// Writes the length of the packet, and IPv4's checksum.
void set_ip_len(uint8_t* packet, size_t len) {
  if (!is_ipv4(packet)) return store16(packet + 4, len - kIpv6Len);
  store16(packet + 2, len);
  store16(packet + 10, 0);
  store16(packet + 10, ~sum_of(packet, 4 * (packet[0] & 15u)) & 0xffffu);
}

// Returns the sum of TCP's pseudo-header (RFC 9293 3.1, RFC 8200 8.1).
uint16_t pseudo_sum(const uint8_t* packet, size_t tcp_len) {
  return is_ipv4(packet) ? sum_of(packet + 12, 8, kTcp + tcp_len) : sum_of(packet + 8, 32, kTcp + tcp_len);
}

bool equal(const uint8_t* a, const uint8_t* b, size_t from, size_t to) {
  return std::memcmp(a + from, b + from, to - from) == 0;
}

}  // namespace

bool Segmenter::take(const DeviceHeader& header, const uint8_t* packet, size_t len) noexcept {
  *this = {};
  if (len == 0 || len > kMaxDevicePacket) return false;
  if (header.flags & DeviceHeader::kNeedsSum) {
    sum_from_ = header.sum_from, sum_to_ = sum_from_ + header.sum_to;
    if (sum_from_ == 0 || sum_to_ + 2 > len) return false;
  }
  const unsigned type = header.type & ~unsigned{DeviceHeader::kEcn};
  if (type != DeviceHeader::kWhole) {
    const bool ipv4 = type == DeviceHeader::kTcp4;
    if ((!ipv4 && type != DeviceHeader::kTcp6) || packet[0] >> 4 != (ipv4 ? 4 : 6)) return false;
    const size_t ip_len = ipv4 ? 4 * (packet[0] & 15u) : kIpv6Len;
    if (ip_len < kIpv4Len || sum_from_ < ip_len || sum_to_ != sum_from_ + kTcpSum) return false;
    if (len - sum_from_ < kTcpLen) return false;
    const size_t tcp_len = 4u * (packet[sum_from_ + 12] >> 4);
    if (tcp_len < kTcpLen || tcp_len > len - sum_from_ || header.segment_len == 0) return false;
    size_ = header.segment_len;
    header_len_ = at_ = sum_from_ + tcp_len;
  }
  packet_ = packet, len_ = len;
  done_ = false;
  return true;
}

size_t Segmenter::next_len() const noexcept {
  if (done_) return 0;
  return size_ ? header_len_ + std::min(size_, len_ - at_) : len_;
}

void Segmenter::skip_next() noexcept {
  at_ = size_ ? at_ + std::min(size_, len_ - at_) : len_;
  ++number_;
  done_ = at_ == len_;
}

void Segmenter::write_next(uint8_t* to) noexcept {
  if (size_ == 0) {
    std::memcpy(to, packet_, len_);
    if (sum_from_) complete_sum(to, len_, sum_from_, sum_to_);
    return skip_next();
  }
  const size_t payload = std::min(size_, len_ - at_), len = header_len_ + payload;
  std::memcpy(to, packet_, header_len_);
  std::memcpy(to + header_len_, packet_ + at_, payload);
  if (is_ipv4(to)) store16(to + 4, load16(to + 4) + size_t{number_});
  set_ip_len(to, len);
  uint8_t* const tcp = to + sum_from_;
  store32(tcp + 4, load32(tcp + 4) + static_cast<uint32_t>(at_ - header_len_));
  if (at_ > header_len_) tcp[kTcpFlags] &= static_cast<uint8_t>(~kCwr);  // RFC 3168 6.1.2: once
  if (at_ + payload < len_) tcp[kTcpFlags] &= static_cast<uint8_t>(~(kFin | kPsh));
  // The pseudo-header's sum counts the length of the whole. Behind a routing header it counts the last address, too, so
  // it is changed, not formed again.
  const size_t whole = len_ - sum_from_;
  store16(tcp + kTcpSum, fold(load16(tcp + kTcpSum) + (0xffff - whole) + (len - sum_from_)));
  complete_sum(to, len, sum_from_, sum_to_);
  skip_next();
}

bool Joiner::is_segment(Segment& segment, const uint8_t* packet, size_t len) noexcept {
  if (len < kIpv4Len) return false;
  if (is_ipv4(packet)) {
    // No options, no fragment.
    if (packet[0] != 0x45 || packet[9] != kTcp || load16(packet + 6) & 0x3fff) return false;
    if (sum_of(packet, kIpv4Len) != 0xffff) return false;
    segment.tcp = kIpv4Len;
  } else {
    // Extension headers that leave the pseudo-header's addresses as they are.
    if (len < kIpv6Len) return false;
    uint8_t next = packet[6];
    segment.tcp = kIpv6Len;
    while (next == kHopByHop || next == kDestinationOptions) {
      if (len - segment.tcp < 8) return false;
      next = packet[segment.tcp];
      segment.tcp += 8 * (packet[segment.tcp + 1] + size_t{1});
      if (segment.tcp > len) return false;
    }
    if (next != kTcp) return false;
  }
  if (len - segment.tcp < kTcpLen) return false;
  const uint8_t* const tcp = packet + segment.tcp;
  const size_t tcp_len = 4u * (tcp[12] >> 4);
  if (tcp_len < kTcpLen || len - segment.tcp <= tcp_len || (tcp[kTcpFlags] & ~kPsh) != kAck) return false;
  segment.header_len = segment.tcp + tcp_len;
  return sum_of(tcp, len - segment.tcp, pseudo_sum(packet, len - segment.tcp)) == 0xffff;
}

bool Joiner::continues(const Segment& segment, const uint8_t* packet, size_t len) const noexcept {
  const auto* const first = static_cast<const uint8_t*>(parts_[1].iov_base);
  const size_t tcp = first_.tcp, payload = len - segment.header_len;
  if (segment.tcp != tcp || segment.header_len != first_.header_len || payload > size_ ||
      len_ + payload > kMaxDevicePacket || packets_ == kMaxPackets || packet[0] != first[0])
    return false;
  if (is_ipv4(packet)) {
    // All but length, checksum and identification, which counts, or does not matter (RFC 6864 4.1).
    const bool atomic = packet[6] & 0x40;
    if (!equal(packet, first, 0, 2) || !equal(packet, first, 6, 10) || !equal(packet, first, 12, tcp) ||
        (!atomic && load16(packet + 4) != static_cast<uint16_t>(load16(first + 4) + packets_)))
      return false;
  } else if (!equal(packet, first, 0, 4) || !equal(packet, first, 6, tcp)) {
    return false;
  }
  // Compares all of TCP's header but sequence number, PSH and checksum.
  return equal(packet, first, tcp, tcp + 4) &&
         load32(packet + tcp + 4) == load32(first + tcp + 4) + static_cast<uint32_t>(len_ - first_.header_len) &&
         equal(packet, first, tcp + 8, tcp + kTcpFlags) && equal(packet, first, tcp + 14, tcp + kTcpSum) &&
         equal(packet, first, tcp + 18, first_.header_len);
}

bool Joiner::add(uint8_t* packet, size_t len) noexcept {
  if (packets_ && !is_open_) return false;
  Segment segment{};
  const bool may_join = joins_ && is_segment(segment, packet, len);
  if (packets_ == 0) {
    parts_[1] = {packet, len};
    first_ = segment;
    size_ = len - segment.header_len, len_ = len;
    flags_ = 0, bytes_ = 0;
    is_open_ = may_join;
  } else {
    if (!may_join || !continues(segment, packet, len)) return false;
    const size_t payload = len - segment.header_len;
    parts_[1 + packets_] = {packet + segment.header_len, payload};
    len_ += payload;
    is_open_ = payload == size_;
  }
  if (may_join) {
    flags_ |= packet[segment.tcp + kTcpFlags];
    is_open_ = is_open_ && !(flags_ & kPsh);
  }
  ++packets_, bytes_ += len;
  return true;
}

std::span<const iovec> Joiner::parts() noexcept {
  if (packets_ == 0) return {};
  if (!joins_) return {parts_ + 1, 1};
  header_ = {};
  if (packets_ > 1) {
    auto* const packet = static_cast<uint8_t*>(parts_[1].iov_base);
    uint8_t* const tcp = packet + first_.tcp;
    set_ip_len(packet, len_);
    tcp[kTcpFlags] = flags_;
    store16(tcp + kTcpSum, pseudo_sum(packet, len_ - first_.tcp));
    header_ = {DeviceHeader::kNeedsSum,
               is_ipv4(packet) ? DeviceHeader::kTcp4 : DeviceHeader::kTcp6,
               static_cast<uint16_t>(first_.header_len),
               static_cast<uint16_t>(size_),
               static_cast<uint16_t>(first_.tcp),
               kTcpSum};
  }
  parts_[0] = {&header_, sizeof header_};
  return {parts_, 1 + packets_};
}

}  // namespace vsh::tunnel
