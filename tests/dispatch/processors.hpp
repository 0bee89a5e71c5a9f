// Recorded processors (processors.txt), for what must hold on machines that are not at hand.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/cpu.hpp"

namespace vsh::test {

// Returns the feature of a name of cpu::feature_names, or 0.
inline uint32_t feature_by_name(const std::string& name) {
  uint32_t bit = 1;
  while (bit != 0 && cpu::feature_names(bit) != name) bit <<= 1;
  return bit;
}

struct Processor {
  std::string name;
  uint32_t features = 0;
};

inline std::vector<Processor> recorded_processors() {
  std::vector<Processor> found;
  std::ifstream file(VSH_SOURCE_DIR "/tests/dispatch/processors.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    Processor processor;
    words >> processor.name;
    std::string word;
    for (words >> word; words >> word && word != "|";) processor.features |= feature_by_name(word);
    found.push_back(processor);
  }
  return found;
}

}  // namespace vsh::test
