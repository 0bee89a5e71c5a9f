// Counters of a queue, written by its thread and read by any.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "programs/common/text/translate.hpp"

namespace vsh::tunnel {

#define VSH_TUNNEL_COUNTERS(X)                                                        \
  X(sent_packets, cli::mark("packets sent"))                                          \
  X(sent_bytes, cli::mark("bytes sent, of payload"))                                  \
  X(received_packets, cli::mark("packets received"))                                  \
  X(received_bytes, cli::mark("bytes received, of payload"))                          \
  X(not_ready, cli::mark("not sent: no answer from the peer yet"))                    \
  X(not_ip, cli::mark("not sent: not an IP packet"))                                  \
  X(too_long, cli::mark("not sent: longer than the MTU"))                             \
  X(no_room, cli::mark("not sent: the socket is full"))                               \
  X(unreachable, cli::mark("not sent: the peer or the network is unreachable"))       \
  X(exhausted, cli::mark("not sent: no sequence number is left"))                     \
  X(early, cli::mark("received before the peer's first answer"))                      \
  X(unknown_spi, cli::mark("received: unknown SPI, of other keys or parameters"))     \
  X(own_spi, cli::mark("received: under this end's own key"))                         \
  X(replayed, cli::mark("received: replayed, or left of the window"))                 \
  X(forged, cli::mark("received: not authentic"))                                     \
  X(malformed, cli::mark("received: not an ESP packet, or an impossible trailer"))    \
  X(received_not_ip, cli::mark("received: authentic, but not an IP packet"))          \
  X(dummies, cli::mark("received: dummy packets"))                                    \
  X(keepalives, cli::mark("received: NAT keepalives, IKE"))                           \
  X(hellos, cli::mark("received: hellos"))                                            \
  X(stale_hellos, cli::mark("received: repeated hellos (usual at a start), or old"))  \
  X(forged_hellos, cli::mark("received: hellos that are not authentic"))              \
  X(rolled_back, cli::mark("received: hellos of a peer whose state was rolled back")) \
  X(device_full, cli::mark("received: the device did not take the packet"))           \
  X(address_changes, cli::mark("changes of the peer's address"))

struct Counters {
#define X(name, text) std::atomic<uint64_t> name{0};
  VSH_TUNNEL_COUNTERS(X)
#undef X
};

inline void count(std::atomic<uint64_t>& counter, uint64_t more = 1) {
  counter.store(counter.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);  // one writer
}

struct Totals {
#define X(name, text) uint64_t name = 0;
  VSH_TUNNEL_COUNTERS(X)
#undef X
  Totals& operator+=(const Counters& c) {
#define X(name, text) name += c.name.load(std::memory_order_relaxed);
    VSH_TUNNEL_COUNTERS(X)
#undef X
    return *this;
  }
};

struct Period {
  double seconds;  // since `before`
  double silence;  // since the peer's last answer to the queue that has waited longest; infinite without one
};
// Lines with the counters that are not 0; rates are of the period.
std::string totals_text(const Totals& now, const Totals& before, const Period& period);
// One line of JSON with all counters.
std::string totals_json(const Totals& now, const Totals& before, const Period& period);

}  // namespace vsh::tunnel
