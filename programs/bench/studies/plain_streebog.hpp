// The compilers' part of the Streebog study: programs/bench/studies/streebog_plain.c, compiled in every variant by the
// compilers of this machine.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "programs/bench/setup/process.hpp"

namespace vsh::bench {

// One way to compile it.
struct PlainBuild {
  std::string compiler;  // "gcc", "clang"
  int bits;              // 64 or 32
  std::string level;     // "-O2"
  std::string shape;     // "functions", "forced", "fragment", "sse2"
  bool profile;          // guided by a profile of a training run

  bool intrinsics() const { return shape == "sse2"; }
  std::string name() const { return compiler + " " + level + " " + shape + (profile ? " pgo" : ""); }
};

struct PlainProgram {
  PlainBuild build;
  std::string file;
};

struct PlainPrograms {
  std::vector<PlainProgram> built;
  std::vector<std::string> not_built;  // with reasons
};

// Writes the programs into the folder.
PlainPrograms build_plain_streebog(const TemporaryFolder& folder);

// Returns the input of such a program before the first request: tables and message.
std::vector<std::byte> plain_input(std::span<const uint8_t> message);

using StreebogDigest = std::array<uint8_t, 64>;

// A running program.
class PlainStreebog {
 public:
  PlainStreebog(const std::string& file, std::span<const std::byte> input);  // throws std::runtime_error
  // Hashes the first `size` bytes of the message `repeats` times; returns the total seconds of CPU time.
  double seconds(uint32_t size, uint32_t repeats);
  const StreebogDigest& digest() const { return digest_; }  // of the latest

 private:
  Partner partner_;
  StreebogDigest digest_{};
};

// Returns the request in the program's format, for a run whose standard input is a file.
std::array<std::byte, 8> plain_request(uint32_t size, uint32_t repeats);

}  // namespace vsh::bench
