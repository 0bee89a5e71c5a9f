#include "programs/bench/studies/order.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace vsh::bench {

std::vector<std::string> order_names() { return {"rotation", "random", "zipf"}; }

std::vector<size_t> order_of_packets(const std::string& order, size_t num_packets, size_t num_associations) {
  std::vector<size_t> list(num_packets), busiest(num_associations);
  std::vector<double> shares(num_associations);  // of the associations up to this one
  std::mt19937_64 random(kOrderSeed);            // without the standard's distributions, which differ by library
  std::iota(busiest.begin(), busiest.end(), size_t{0});
  for (size_t i = num_associations; i > 1; --i) std::swap(busiest[i - 1], busiest[random() % i]);
  for (size_t i = 0; i < num_associations; ++i) shares[i] = (i ? shares[i - 1] : 0) + 1 / static_cast<double>(i + 1);
  for (size_t i = 0; i < num_packets; ++i) {
    if (order == "rotation") {
      list[i] = i % num_associations;
    } else if (order == "random") {
      list[i] = random() % num_associations;
    } else {
      const double share = static_cast<double>(random() >> 11) * 0x1p-53 * shares.back();
      list[i] = busiest[static_cast<size_t>(std::lower_bound(shares.begin(), shares.end(), share) - shares.begin())];
    }
  }
  return list;
}

std::string order_text(const std::string& order) {
  if (order == "rotation") return "associations in rotation";
  const std::string seed = " (seed " + std::to_string(kOrderSeed) + ")";
  return (order == "random" ? "associations in random order" : "associations by Zipf's law") + seed;
}

}  // namespace vsh::bench
