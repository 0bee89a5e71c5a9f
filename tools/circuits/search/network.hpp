// A Boolean network whose gates are small look-up tables: any function of two inputs, or of three.
// During the search inversion is free (it is part of the tables); lower_to_two_input_gates() then
// finds the real instructions, with as few NOTs as it can.

#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "truth_table.hpp"

namespace vsh::search {

// A signal: inputs are 0 … num_inputs - 1, gate g is num_inputs + g.
using Signal = int;

struct Gate {
  std::array<Signal, 3> in{};
  std::uint8_t lut = 0;  // over (in[0], in[1], in[2]); two-input gates have in[2] == in[1]
  friend bool operator==(const Gate&, const Gate&) = default;
};

struct Output {
  Signal signal = 0;
  bool inverted = false;
};

struct Network {
  int arity = 2;  // the most inputs that a gate may have: 2 or 3
  int num_inputs = 8;
  std::vector<Gate> gates;  // in topological order
  std::vector<Output> outputs;

  int size() const { return static_cast<int>(gates.size()); }

  // Adds a gate over the first `arity` or fewer of its signals and returns its signal.
  Signal add(std::uint8_t lut, Signal a, Signal b, Signal c);
  Signal add_and(Signal a, Signal b) { return add(0xc0, a, b, b); }
  Signal add_xor(Signal a, Signal b) { return add(0x3c, a, b, b); }
  Signal add_or(Signal a, Signal b) { return add(0xfc, a, b, b); }
  Signal add_not(Signal a) { return add(0x0f, a, a, a); }

  // Tables of all signals, and of the outputs with their inversion.
  std::vector<TruthTable> simulate() const;
  std::vector<TruthTable> output_tables() const;

  // Copies `part` into this network over the given inputs; returns the signals of its outputs.
  std::vector<Output> append(const Network& part, const std::vector<Output>& inputs);
};

// The same functions without dead gates, constants, buffers, inverters and gates that equal (or
// complement) an earlier one. All inversion moves into the tables and the outputs.
Network cleaned(const Network& network);

// Text form ("*.net"), see README.md. In basis gates2 the file holds real instructions: and, or,
// xor, andn, not; in lut3 also "lut3 0xNN a b c".
void write_net(std::ostream& os, const Network& network);
Network read_net(std::istream& is);

// Only AND, OR, XOR, ANDN and NOT gates; outputs not inverted. Inputs are non-inverted signals.
// Each gate's polarity follows from those of its inputs (nand, nor and or-not do not exist), so the only choice is the
// places of NOTs: up to `max_searched` places are tried exhaustively before falling back on the outputs.
Network lowered_to_two_input_gates(const Network& network, int max_searched = 3);

// Outputs not inverted: inversion goes into the tables of the gates that drive them.
Network lowered_to_lut3(const Network& network);

Network lowered(const Network& network);

}  // namespace vsh::search
