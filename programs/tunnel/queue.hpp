// Queue is one of a tunnel's queues: a TUN queue, a UDP socket, an association for each direction. One thread runs it
// and shares nothing with the others but the state file.
#pragma once

#include <vershina/esp.h>

#include <atomic>
#include <memory>

#include "programs/common/system/descriptor.hpp"
#include "programs/tunnel/hello.hpp"
#include "programs/tunnel/net.hpp"
#include "programs/tunnel/segments.hpp"
#include "programs/tunnel/state_file.hpp"
#include "programs/tunnel/statistics.hpp"

namespace vsh::tunnel {

// Milliseconds of a clock that is never set.
uint64_t milliseconds();

struct QueueSettings {
  unsigned number = 0;
  size_t mtu = 1400;
  uint32_t window = 1024;
  Address peer;          // len 0: any that answers
  bool segments = true;  // GSO and GRO of datagrams
  uint64_t (*clock)() = milliseconds;
};

class Queue {
 public:
  Queue(const KeyFile& file, const QueueSettings& settings, StateFile& state, cli::Descriptor device,
        cli::Descriptor socket);

  // Returns when `stop` is readable. Throws Failure.
  void run(int stop);

  const Counters& counters() const { return counters_; }
  bool is_ready() const { return ready_; }
  // Numbers used until now; any thread.
  Sequences used() const { return {last_sent_, seen_}; }

 private:
  void add_outbound();
  void from_device();
  void add_packets();
  void send_packets();
  void from_socket();
  void take_hello(const Datagram& datagram, const Address& from);
  void send_hello(const Address& to, const Challenge& echo);
  void greet(uint64_t now);
  void open_packets();
  void write_joined();

  const QueueSettings settings_;
  StateFile& state_;
  cli::Descriptor device_, socket_;
  cli::SecretBytes<sizeof(DirectionKeys)> send_bytes_, receive_bytes_;
  const DirectionKeys &send_keys_, &receive_keys_;
  const vsh_esp_transform transform_;
  struct Free {
    void operator()(vsh_esp* e) const { vsh_esp_free(e); }
  };
  std::unique_ptr<vsh_esp, Free> out_, in_;

  Address peer_;
  Challenge challenge_{}, peer_challenge_{};
  std::atomic<bool> ready_{false};  // the peer has answered
  bool exhausted_ = false;
  std::atomic<uint64_t> last_sent_;  // no higher number has been used
  std::atomic<uint64_t> seen_;       // the highest number that the peer is known to have used
  uint64_t next_hello_ = 0, hello_wait_ = 0, next_answer_ = 0;

  const Offloads offloads_;
  Segmenter segmenter_;
  Joiner joiner_;
  Sender sender_;
  Receiver receiver_;
  std::vector<uint8_t> read_, buffers_;  // what the device gave; packets with room around them
  std::vector<vsh_esp_packet> packets_;
  std::vector<Datagram> datagrams_;
  Counters counters_;
};

}  // namespace vsh::tunnel
