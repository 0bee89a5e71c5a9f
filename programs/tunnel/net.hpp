// Addresses, the UDP socket and the TUN device, and their batches of packets.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "programs/common/system/descriptor.hpp"

namespace vsh::tunnel {

struct Address {
  sockaddr_storage storage{};
  socklen_t len = 0;

  uint16_t port() const;
  void set_port(uint16_t port);
  bool is_wildcard() const;  // 0.0.0.0, [::]: any of this machine's
  bool operator==(const Address& other) const;
  std::string text() const;
};

// Reads "ADDRESS:PORT" or "[ADDRESS]:PORT", of numbers only. Throws Failure; option: for its message.
Address read_address(const std::string& option, const std::string& text);

// Opens a socket that never sends fragments (a packet longer than the path's MTU is an error). Throws Failure.
cli::Descriptor open_udp(const Address& local);

// Opens one queue of a TUN device, sets its MTU and starts it; a device that is there already, with this MTU and
// started, needs no privileges but those that it was made with. name: may get the one that the kernel chose. headers:
// packets get those of virtio. Throws Failure.
cli::Descriptor open_tun(std::string& name, bool several, unsigned mtu, bool headers);

// Offloads of a TUN device, taken for as long as this lives. A device that stays is left without them, for its next
// user.
class Offloads {
 public:
  // The kernel is told which packets it may leave whole if those of this descriptor have headers of virtio; if not,
  // that it may leave none. Throws Failure for a TUN device with headers of another kind.
  explicit Offloads(int fd);
  Offloads(const Offloads&) = delete;
  Offloads& operator=(const Offloads&) = delete;
  ~Offloads();
  bool has_headers() const noexcept { return has_headers_; }

 private:
  const int fd_;
  bool has_headers_ = false;
};

// Sets O_NONBLOCK. Throws Failure.
void set_nonblocking(int fd);

// A datagram to send or one that was received.
struct Datagram {
  uint8_t* data;
  size_t len;
  size_t payload = 0;  // bytes that count when it is sent
};

// Sends batches: neighbours of one length go to the kernel as one message where it divides them (UDP_SEGMENT).
class Sender {
 public:
  Sender(int fd, bool segments) : fd_(fd), segments_(segments) {}
  // Counts of one call.
  struct Result {
    size_t sent = 0, sent_bytes = 0, too_long = 0, no_room = 0, unreachable = 0;
  };
  Result send(std::span<const Datagram> datagrams, const Address& to);

 private:
  struct Messages;
  // Makes a message of each run of equal lengths, whose last may be shorter, of at most as many as one call takes.
  void build(Messages& messages, std::span<const Datagram> datagrams, const Address& to) const;
  // Returns whether the same call may have success now; waits for room in the socket.
  bool can_repeat(int error) const;
  // Sends the datagrams of a message that was refused one by one if that may help, or counts them.
  void fall_back(int error, std::span<const Datagram> refused, const Address& to, Result& result);

  const int fd_;
  bool segments_;  // until the kernel refuses
};

// Receives batches: the kernel joins neighbours (UDP_GRO), which come out as separate datagrams again.
class Receiver {
 public:
  static constexpr size_t kMessages = 16, kMessage = 65536;

  Receiver(int fd, bool joined);
  // Calls take(datagram, from) for each; returns how many. They stay in memory until the next call.
  template <class Take>
  size_t receive(Take take) {
    const size_t num = receive_messages();
    size_t count = 0;
    for (size_t i = 0; i < num; ++i) {
      const size_t len = messages_[i].msg_len, part = part_len(i);
      uint8_t* const data = &buffers_[i * kMessage];
      for (size_t at = 0; at < len || (at == 0 && len == 0); at += part, ++count) {
        take(Datagram{data + at, std::min(part, len - at)}, from_[i]);
        if (len == 0) break;
      }
    }
    return count;
  }

 private:
  size_t receive_messages();
  size_t part_len(size_t i) const;

  const int fd_;
  std::vector<uint8_t> buffers_;
  std::vector<mmsghdr> messages_;
  std::vector<iovec> parts_;
  std::vector<Address> from_;
  struct alignas(cmsghdr) Control {
    char bytes[64];
  };
  std::vector<Control> controls_;
};

}  // namespace vsh::tunnel
