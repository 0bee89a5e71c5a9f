// The benchmark's JSON (docs/benchmark.md describes it).
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "machine.hpp"
#include "peers/peer.hpp"
#include "result.hpp"

namespace vsh::bench {

std::string to_json(const Machine& machine, const Peers& peers, const std::vector<Result>& results);

// A file that appears under its name only when it is complete. Throws std::runtime_error that names it.
class NewFile {
 public:
  explicit NewFile(std::filesystem::path path);
  ~NewFile();
  void complete(const std::string& text);

 private:
  std::filesystem::path path_, temporary_;
  std::ofstream stream_;
};

}  // namespace vsh::bench
