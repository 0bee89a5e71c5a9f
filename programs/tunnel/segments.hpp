// Packets of a TUN device with offloads: up to 64 KiB behind a header of virtio (IFF_VNET_HDR). A Segmenter divides
// what the kernel left whole, a Joiner puts segments together, so that a system call carries many packets.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace vsh::tunnel {

inline constexpr size_t kMaxDevicePacket = 65535;

// struct virtio_net_hdr (virtio 1.2, 5.1.6), in this machine's byte order. The kernel's own header is no C++.
struct DeviceHeader {
  enum : uint8_t { kNeedsSum = 1 };
  enum : uint8_t { kWhole = 0, kTcp4 = 1, kTcp6 = 4, kEcn = 0x80 };

  uint8_t flags, type;
  uint16_t header_len, segment_len;  // of the packet's headers; of the payload of each segment but the last
  uint16_t sum_from, sum_to;         // checksum: of the bytes from here on; where it is written, from there on
};
static_assert(sizeof(DeviceHeader) == 10);

// Makes packets of what the device gave: those of a TCP stream that the kernel left to be divided (TSO), and any whose
// checksum it left to be completed.
class Segmenter {
 public:
  // The packet stays where it is until the last was written. Returns false for a header that does not fit the packet:
  // there is nothing to write then.
  bool take(const DeviceHeader& header, const uint8_t* packet, size_t len) noexcept;
  // Returns the length of the next packet; 0 if none is left.
  size_t next_len() const noexcept;
  // Writes next_len() bytes, and goes on to the packet behind.
  void write_next(uint8_t* to) noexcept;
  void skip_next() noexcept;

 private:
  const uint8_t* packet_ = nullptr;
  size_t len_ = 0;
  size_t sum_from_ = 0, sum_to_ = 0;  // checksum: of what begins here, to be written there; 0: none
  size_t size_ = 0;                   // payload of each segment but the last; 0: the packet is not divided
  size_t header_len_ = 0;             // of IP and TCP
  size_t at_ = 0;                     // of the next segment's payload
  uint16_t number_ = 0;               // of the next segment
  bool done_ = true;
};

// Joins consecutive segments of one TCP stream, without copying them, into one packet that the kernel may divide again:
// what it would make of it are the same segments. Those with wrong checksums stay alone, so that no error gets a
// checksum that is right.
class Joiner {
 public:
  // joins: the device takes headers.
  explicit Joiner(bool joins) noexcept : joins_(joins) {}

  // Takes an IP packet of the right length, which stays where it is until clear(), and whose header may change. Returns
  // false if it does not continue those before: these are to be written first.
  bool add(uint8_t* packet, size_t len) noexcept;
  // Returns the parts of one writev to the device; none without packets.
  std::span<const iovec> parts() noexcept;
  void clear() noexcept { packets_ = 0; }

  size_t packets() const noexcept { return packets_; }
  size_t bytes() const noexcept { return bytes_; }  // their length, headers included

 private:
  struct Segment {
    size_t tcp, header_len;  // where TCP's header begins, and its payload
  };
  static constexpr size_t kMaxPackets = 128;

  // Returns whether the packet is a segment that may be joined: with payload, ACK and perhaps PSH, and right checksums.
  static bool is_segment(Segment& segment, const uint8_t* packet, size_t len) noexcept;
  bool continues(const Segment& segment, const uint8_t* packet, size_t len) const noexcept;

  const bool joins_;
  bool is_open_ = false;  // more may follow
  size_t packets_ = 0, bytes_ = 0;
  Segment first_{};
  size_t size_ = 0, len_ = 0;  // payload of each but the last; length of the whole
  uint8_t flags_ = 0;          // of TCP, of all
  DeviceHeader header_{};
  iovec parts_[1 + kMaxPackets];
};

}  // namespace vsh::tunnel
