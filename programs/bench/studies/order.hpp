// The order in which security associations send the packets of a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vsh::bench {

inline constexpr uint64_t kOrderSeed = 1;  // the same packets in every run

// rotation: 0, 1, 2, …, the best case where prepared keys are stored in groups of neighbours; random: each packet is of
// any association; zipf: the k-th busiest association has 1/k of the busiest one's packets.
std::vector<std::string> order_names();

// Returns the association of each packet.
std::vector<size_t> order_of_packets(const std::string& order, size_t num_packets, size_t num_associations);

// For the heading of a table: "associations in random order (seed 1)".
std::string order_text(const std::string& order);

}  // namespace vsh::bench
