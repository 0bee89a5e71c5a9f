// Published figures for the same work, from programs/bench/published/published.toml, embedded in the program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "programs/bench/report/format.hpp"

namespace vsh::bench {

struct PublishedFigure {
  std::string algorithm;  // "kuznyechik", "streebog", "aes-256"
  std::string mode;       // "parallel", "sequential"
  std::string platform, technique, threads, source;
  double cpb = 0;          // 0: not given
  double mbps = 0;         // 10^6 bytes a second, converted from the source's unit; 0: not given
  double seconds = 0;      // 0: not given
  bool is_device = false;  // of a GPU, or with one
  std::vector<std::pair<std::string, cli::Json>> fields;  // all of the file, with the source's title instead of its key
};

// Returns the figures for one algorithm of the benchmark, in the file's order.
std::vector<PublishedFigure> published_figures(const std::string& algorithm);
// Returns only those that state a speed.
std::vector<PublishedFigure> published_for(const std::string& algorithm);

// Returns published targets for packets, in 10^9 bits a second.
std::vector<double> published_packet_aims();

struct PublishedTime {
  std::string work;     // "Shepp-Logan 3D, 511 slices"
  std::string threads;  // a number
  double seconds = 0;
};
// Returns the published times of work that takes no bytes, on one platform, in the file's order.
std::vector<PublishedTime> published_times(const std::string& algorithm, const std::string& platform);

// Returns all fields of the figures for these algorithms.
List published_json(const std::vector<std::string>& algorithms);

}  // namespace vsh::bench
