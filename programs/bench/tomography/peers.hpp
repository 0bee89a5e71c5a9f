// Other programs that do the same work, and published times of it: for `bench --peers`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace vsh::bench {

struct Peer {
  std::string name, version;
  std::string missing;         // why it could not be run; empty: it was
  double milliseconds = 0;     // the processor's, of one slice on one thread
  std::optional<double> rmse;  // in the circle, against the phantom; nothing: it reconstructs none
  std::optional<double> gmac;  // of a network: 10^9 multiplications with addition
};

// "astra", "scikit-image", "finufft", "adrt", and "u-net": the published work's network for slices of 256 x 256, by
// ONNX Runtime.
const std::vector<std::string>& peer_names();
// Runs one in a process of its own, by programs/bench/tomography/peers.py, which is part of this program. Does not
// throw if the peer is missing.
Peer run_peer(const std::string& python, const std::string& name, size_t size, size_t projections);

// Seconds of the published work on a Threadripper 3970X (programs/bench/published/published.toml, tomo2020), for whole
// sets; nothing for other sizes or threads than those.
struct PublishedSet {
  size_t size, projections, slices;
};
const std::vector<PublishedSet>& published_sets();
std::optional<double> published_seconds(const std::string& algorithm, const PublishedSet& set, bool one_thread);
double published_unet_seconds();

}  // namespace vsh::bench
