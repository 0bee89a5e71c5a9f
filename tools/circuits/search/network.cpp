
#include "network.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <unordered_map>

namespace vsh::search {
namespace {

// A signal that may be inverted, or a constant.
struct Literal {
  Signal signal = 0;
  bool inverted = false;
  int constant = -1;  // 0 or 1 where the literal is a constant
};

int lut_index(int a, int b, int c) { return a * 4 + b * 2 + c; }

}  // namespace

Signal Network::add(std::uint8_t lut, Signal a, Signal b, Signal c) {
  gates.push_back({{a, b, c}, lut});
  return num_inputs + size() - 1;
}

std::vector<TruthTable> Network::simulate() const {
  std::vector<TruthTable> tables;
  tables.reserve(num_inputs + gates.size());
  for (int i = 0; i < num_inputs; ++i) tables.push_back(TruthTable::variable(i));
  for (const Gate& g : gates) {
    tables.push_back(apply_lut(g.lut, tables[g.in[0]], tables[g.in[1]], tables[g.in[2]]));
  }
  return tables;
}

std::vector<TruthTable> Network::output_tables() const {
  const std::vector<TruthTable> tables = simulate();
  std::vector<TruthTable> result;
  for (const Output& o : outputs) result.push_back(o.inverted ? ~tables[o.signal] : tables[o.signal]);
  return result;
}

std::vector<Output> Network::append(const Network& part, const std::vector<Output>& inputs) {
  std::vector<Output> map(inputs);
  const auto flipped = [](std::uint8_t lut, int position) {
    std::uint8_t r = 0;
    for (int x = 0; x < 8; ++x) {
      if (((lut >> x) & 1) != 0) r |= 1u << (x ^ (4 >> position));
    }
    return r;
  };
  for (const Gate& g : part.gates) {
    std::uint8_t lut = g.lut;
    for (int k = 0; k < 3; ++k) {
      if (map[g.in[k]].inverted) lut = flipped(lut, k);
    }
    map.push_back({add(lut, map[g.in[0]].signal, map[g.in[1]].signal, map[g.in[2]].signal), false});
  }
  std::vector<Output> result;
  for (const Output& o : part.outputs) {
    result.push_back({map[o.signal].signal, map[o.signal].inverted != o.inverted});
  }
  return result;
}

Network cleaned(const Network& network) {
  const int n = network.num_inputs;
  std::vector<char> live(n + network.gates.size(), 0);
  for (const Output& o : network.outputs) live[o.signal] = 1;
  for (int g = network.size() - 1; g >= 0; --g) {
    if (live[n + g] == 0) continue;
    for (const Signal s : network.gates[g].in) live[s] = 1;
  }

  Network result;
  result.arity = network.arity;
  result.num_inputs = n;
  std::vector<TruthTable> tables;
  std::unordered_map<TruthTable, Signal, TruthTableHash> known;
  for (int i = 0; i < n; ++i) {
    tables.push_back(TruthTable::variable(i));
    known.emplace(tables[i], i);
  }
  std::vector<Literal> map(n + network.gates.size());
  for (int i = 0; i < n; ++i) map[i] = {i, false, -1};

  for (int g = 0; g < network.size(); ++g) {
    if (live[n + g] == 0) continue;
    const Gate& gate = network.gates[g];
    // Distinct real inputs of the gate, and its function of them.
    std::array<Signal, 3> support{};
    int num = 0;
    for (const Signal s : gate.in) {
      if (map[s].constant >= 0) continue;
      if (std::find(support.begin(), support.begin() + num, map[s].signal) == support.begin() + num) {
        support[num++] = map[s].signal;
      }
    }
    std::sort(support.begin(), support.begin() + num);
    const auto value = [&](unsigned assignment) {  // bit k of assignment: value of support[k]
      int bits[3];
      for (int k = 0; k < 3; ++k) {
        const Literal& l = map[gate.in[k]];
        if (l.constant >= 0) {
          bits[k] = l.constant;
        } else {
          const auto at = std::find(support.begin(), support.begin() + num, l.signal);
          bits[k] = static_cast<int>((assignment >> (at - support.begin())) & 1) ^ (l.inverted ? 1 : 0);
        }
      }
      return (gate.lut >> lut_index(bits[0], bits[1], bits[2])) & 1;
    };
    // Drop inputs that the function ignores.
    std::array<Signal, 3> used{};
    std::array<int, 3> used_at{};
    int num_used = 0;
    for (int k = 0; k < num; ++k) {
      for (unsigned a = 0; a < (1u << num); ++a) {
        if (value(a) != value(a ^ (1u << k))) {
          used[num_used] = support[k];
          used_at[num_used++] = k;
          break;
        }
      }
    }
    if (num_used == 0) {
      map[n + g] = {0, false, value(0)};
      continue;
    }
    if (num_used == 1) {
      map[n + g] = {used[0], value(0) != 0, -1};
      continue;
    }
    std::uint8_t lut = 0;
    for (int x = 0; x < 8; ++x) {
      unsigned a = 0;
      for (int k = 0; k < num_used; ++k) a |= static_cast<unsigned>((x >> (2 - k)) & 1) << used_at[k];
      if (num_used == 2) {
        // in[2] repeats in[1]; make the table ignore it.
        a &= ~(1u << used_at[1]);
        a |= static_cast<unsigned>((x >> 1) & 1) << used_at[1];
      }
      lut |= static_cast<std::uint8_t>(value(a) << x);
    }
    if (num_used == 2) used[2] = used[1];
    const TruthTable t = apply_lut(lut, tables[used[0]], tables[used[1]], tables[used[2]]);
    if (!t.any() || !(~t).any()) {
      map[n + g] = {0, false, t.any() ? 1 : 0};
    } else if (const auto same = known.find(t); same != known.end()) {
      map[n + g] = {same->second, false, -1};
    } else if (const auto opposite = known.find(~t); opposite != known.end()) {
      map[n + g] = {opposite->second, true, -1};
    } else {
      const Signal s = result.add(lut, used[0], used[1], used[2]);
      tables.push_back(t);
      known.emplace(t, s);
      map[n + g] = {s, false, -1};
    }
  }
  for (const Output& o : network.outputs) {
    const Literal& l = map[o.signal];
    if (l.constant >= 0) throw std::logic_error("a constant output");
    result.outputs.push_back({l.signal, l.inverted != o.inverted});
  }
  // Merging may have removed gates: repeat until nothing changes.
  std::vector<char> used_signal(n + result.gates.size(), 0);
  for (const Output& o : result.outputs) used_signal[o.signal] = 1;
  for (int g = result.size() - 1; g >= 0; --g) {
    if (used_signal[n + g] == 0) return cleaned(result);
    for (const Signal s : result.gates[g].in) used_signal[s] = 1;
  }
  return result;
}

namespace {

// The 4-bit table over (in[0], in[1]) of a two-input gate.
unsigned two_input_table(const Gate& g) {
  unsigned t = 0;
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) t |= ((g.lut >> lut_index(a, b, b)) & 1u) << (a * 2 + b);
  }
  return t;
}

struct LoweredGate {
  std::uint8_t lut;      // of one instruction
  bool output_inverted;  // that instruction gives the complement of the wanted signal
};

// The instruction for the two-input table `t` when the inputs come as complements pa, pb. Always
// one.
LoweredGate lower_gate(unsigned t, bool pa, bool pb) {
  unsigned u = 0;  // table over the stored inputs
  for (int x = 0; x < 4; ++x) u |= ((t >> x) & 1u) << (x ^ (pa ? 2 : 0) ^ (pb ? 1 : 0));
  const bool inverted = (u & 1) != 0;  // the instructions all map (0, 0) to 0
  if (inverted) u ^= 0xf;
  std::uint8_t lut = 0;
  for (int x = 0; x < 8; ++x) lut |= static_cast<std::uint8_t>(((u >> (x >> 1)) & 1u) << x);
  return {lut, inverted};
}

}  // namespace

Network lowered_to_two_input_gates(const Network& source, int max_searched) {
  const Network network = cleaned(source);
  const int n = network.num_inputs;
  const int total = n + network.size();
  std::vector<unsigned> table(network.gates.size());
  for (int g = 0; g < network.size(); ++g) table[g] = two_input_table(network.gates[g]);

  // With NOTs on the signals `at` (readers of those see the complement), which outputs are
  // inverted?
  std::vector<char> polarity(total);
  const auto wrong_outputs = [&](const std::vector<Signal>& at) {
    std::fill(polarity.begin(), polarity.begin() + n, 0);
    const auto flip = [&](Signal s) { return std::find(at.begin(), at.end(), s) != at.end(); };
    for (int i = 0; i < n; ++i) polarity[i] = flip(i) ? 1 : 0;
    for (int g = 0; g < network.size(); ++g) {
      const Gate& gate = network.gates[g];
      const bool inv = lower_gate(table[g], polarity[gate.in[0]] != 0, polarity[gate.in[1]] != 0).output_inverted;
      polarity[n + g] = (inv != flip(n + g)) ? 1 : 0;
    }
    int wrong = 0;
    for (const Output& o : network.outputs) wrong += (polarity[o.signal] != 0) != o.inverted ? 1 : 0;
    return wrong;
  };

  std::vector<Signal> best;
  int best_nots = wrong_outputs({});
  const std::function<void(std::vector<Signal>&, int)> extend = [&](std::vector<Signal>& at, int from) {
    const int nots = static_cast<int>(at.size()) + wrong_outputs(at);
    if (nots < best_nots) {
      best_nots = nots;
      best = at;
    }
    if (static_cast<int>(at.size()) >= max_searched || static_cast<int>(at.size()) + 1 >= best_nots) return;
    for (Signal s = from; s < total; ++s) {
      at.push_back(s);
      extend(at, s + 1);
      at.pop_back();
    }
  };
  std::vector<Signal> at;
  extend(at, 0);

  wrong_outputs(best);
  Network result;
  result.arity = 2;
  result.num_inputs = n;
  std::vector<Signal> map(total);
  const auto place = [&](Signal old, Signal fresh) {
    const bool flip = std::find(best.begin(), best.end(), old) != best.end();
    map[old] = flip ? result.add_not(fresh) : fresh;
  };
  for (int i = 0; i < n; ++i) place(i, i);
  for (int g = 0; g < network.size(); ++g) {
    const Gate& gate = network.gates[g];
    const LoweredGate low = lower_gate(table[g], polarity[gate.in[0]] != 0, polarity[gate.in[1]] != 0);
    place(n + g, result.add(low.lut, map[gate.in[0]], map[gate.in[1]], map[gate.in[1]]));
  }
  for (const Output& o : network.outputs) {
    Signal s = map[o.signal];
    if ((polarity[o.signal] != 0) != o.inverted) s = result.add_not(s);
    result.outputs.push_back({s, false});
  }
  return result;
}

Network lowered_to_lut3(const Network& source) {
  Network network = cleaned(source);
  const int n = network.num_inputs;
  std::vector<char> flip(n + network.gates.size(), 0);
  for (const Output& o : network.outputs) {
    if (o.inverted && o.signal >= n) flip[o.signal] = 1;
  }
  for (int g = 0; g < network.size(); ++g) {
    Gate& gate = network.gates[g];
    for (int k = 0; k < 3; ++k) {
      // A repeated input is flipped once per position, which keeps the table consistent.
      if (flip[gate.in[k]] == 0) continue;
      std::uint8_t lut = 0;
      for (int x = 0; x < 8; ++x) {
        if (((gate.lut >> x) & 1) != 0) lut |= static_cast<std::uint8_t>(1u << (x ^ (4 >> k)));
      }
      gate.lut = lut;
    }
    if (flip[n + g] != 0) gate.lut = static_cast<std::uint8_t>(~gate.lut);
  }
  for (Output& o : network.outputs) {
    const bool wrong = o.inverted != (flip[o.signal] != 0);
    o.inverted = false;
    if (wrong) o.signal = network.add_not(o.signal);
  }
  return network;
}

Network lowered(const Network& network) {
  return network.arity == 2 ? lowered_to_two_input_gates(network) : lowered_to_lut3(network);
}

void write_net(std::ostream& os, const Network& network) {
  const int n = network.num_inputs;
  const auto name = [&](Signal s) { return s < n ? "x" + std::to_string(s) : "t" + std::to_string(s - n); };
  os << "basis " << (network.arity == 2 ? "gates2" : "lut3") << "\n";
  os << "inputs " << n << "\noutputs " << network.outputs.size() << "\n";
  for (int g = 0; g < network.size(); ++g) {
    const Gate& gate = network.gates[g];
    const std::string a = name(gate.in[0]), b = name(gate.in[1]), c = name(gate.in[2]);
    os << "t" << g << " = ";
    if (gate.in[0] == gate.in[1] && gate.in[1] == gate.in[2]) {
      if ((gate.lut & 0x81) != 0x01) throw std::logic_error("a gate of one input that is not an inverter");
      os << "not " << a;
    } else if (gate.in[1] == gate.in[2]) {
      switch (two_input_table(gate)) {
        case 0x8: os << "and " << a << " " << b; break;
        case 0xe: os << "or " << a << " " << b; break;
        case 0x6: os << "xor " << a << " " << b; break;
        case 0x2: os << "andn " << a << " " << b; break;
        case 0x4: os << "andn " << b << " " << a; break;
        default: {
          if (network.arity == 2) throw std::logic_error("not lowered");
          static const char digits[] = "0123456789abcdef";
          os << "lut3 0x" << digits[gate.lut >> 4] << digits[gate.lut & 15] << " " << a << " " << b << " " << c;
        }
      }
    } else {
      static const char digits[] = "0123456789abcdef";
      os << "lut3 0x" << digits[gate.lut >> 4] << digits[gate.lut & 15] << " " << a << " " << b << " " << c;
    }
    os << "\n";
  }
  for (std::size_t i = 0; i < network.outputs.size(); ++i) {
    if (network.outputs[i].inverted) throw std::logic_error("not lowered");
    os << "y" << i << " = " << name(network.outputs[i].signal) << "\n";
  }
}

Network read_net(std::istream& is) {
  Network network;
  std::map<std::string, Signal> signals;
  std::string line;
  while (std::getline(is, line)) {
    std::istringstream fields(line.substr(0, line.find('#')));
    std::string first, equals, op;
    if (!(fields >> first)) continue;
    const auto signal = [&] {
      std::string word;
      fields >> word;
      const auto found = signals.find(word);
      if (found == signals.end()) throw std::runtime_error("unknown signal '" + word + "'");
      return found->second;
    };
    if (first == "basis") {
      fields >> op;
      network.arity = op == "gates2" ? 2 : 3;
    } else if (first == "inputs") {
      fields >> network.num_inputs;
      for (int i = 0; i < network.num_inputs; ++i) signals["x" + std::to_string(i)] = i;
    } else if (first == "circuit" || first == "outputs") {
      continue;
    } else if (first[0] == 'y') {
      fields >> equals;
      network.outputs.push_back({signal(), false});
    } else {
      fields >> equals >> op;
      std::string imm;
      if (op == "lut3") fields >> imm;
      const Signal a = signal();
      if (op == "not") {
        signals[first] = network.add_not(a);
        continue;
      }
      const Signal b = signal();
      std::uint8_t lut = 0;
      Signal c = b;
      if (op == "and") lut = 0xc0;
      else if (op == "or") lut = 0xfc;
      else if (op == "xor") lut = 0x3c;
      else if (op == "andn") lut = 0x0c;
      else if (op == "lut3") {
        lut = static_cast<std::uint8_t>(std::stoul(imm, nullptr, 16));
        c = signal();
      } else throw std::runtime_error("unknown gate '" + op + "'");
      signals[first] = network.add(lut, a, b, c);
    }
  }
  return network;
}

}  // namespace vsh::search
