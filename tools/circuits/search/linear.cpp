// Eight sums over 128 inputs. Input bit j of a byte with coefficient c goes into the outputs that the column c * x^j
// (an element of GF(2^8), eight bits) selects. So consider the transposed problem:
// a graph whose nodes are columns, where each input and each node "u" sends its value to a few nodes whose columns add
// up to its own; the eight unit columns are the outputs. A node with d incoming edges costs d - 1 XORs of two, or
// ceil((d - 1) / 2) XORs of three. Inputs with the same column meet in one node: the coefficients' symmetry (a_i and
// a_(16 - i)) needs no special treatment.
// With XORs of two and two edges out of each node the cost is 120 + the number of nodes, so the cost depends only on
// the number of columns visited; each distinct column of the matrix that is not a unit costs at least one, which bounds
// the cost from below. (Transposition of linear circuits: see e.g. Bernstein, "The transposition principle".)

#include "linear.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace vsh::search {
namespace {

// Coefficients of a_0 … a_15; the field is GF(2)[x] / (x^8 + x^7 + x^6 + x + 1).
constexpr int kCoefficient[16] = {1, 148, 32, 133, 16, 194, 192, 1, 251, 1, 192, 194, 16, 133, 32, 148};

int times_x(int v) { return (v << 1) ^ ((v & 0x80) != 0 ? 0x1c3 : 0); }

std::array<int, 128> input_columns() {
  std::array<int, 128> column{};
  for (int i = 0; i < 16; ++i) {
    int c = kCoefficient[i];
    for (int b = 0; b < 8; ++b, c = times_x(c)) column[8 * i + b] = c;
  }
  return column;
}

// The columns that a source sends its value to; at most four.
struct Targets {
  int num = 0;
  std::array<int, 4> column{};
};

class Annealing {
 public:
  Annealing(int arity, Random& random) : arity_(arity), random_(random), column_(input_columns()) {
    // Order of the nodes: a node sends only to earlier ones. By weight at first, the units in
    // front, so that every node can send to one unit and to itself without that unit.
    for (int v = 1; v < 256; ++v) order_[v - 1] = v;
    for (int k = 0; k < 255; ++k) std::swap(order_[k], order_[k + random_.below(255 - k)]);
    std::stable_sort(order_.begin(), order_.end(),
                     [](int a, int b) { return __builtin_popcount(a) < __builtin_popcount(b); });
    for (int k = 0; k < 255; ++k) position_[order_[k]] = k;
    for (int v = 1; v < 256; ++v) node_[v] = {2, {v & -v, v & (v - 1)}};
    for (int i = 0; i < 128; ++i) input_[i] = {1, {column_[i]}};
    cost_ = cost();
  }

  void run(long steps) {
    best_cost_ = cost_;
    remember();
    const double hot = 0.7, cold = 0.12;
    for (long s = 0; s < steps; ++s) {
      const double temperature = hot * std::pow(cold / hot, static_cast<double>(s) / static_cast<double>(steps));
      const int kind = random_.below(8);
      if (kind == 0) {
        move_node(temperature);
      } else if (kind < (arity_ == 3 ? 3 : 1)) {
        const int i = random_.below(128);
        const Targets old = input_[i];
        Targets& t = input_[i];
        if (t.num > 1 || random_.below(4) == 0) {
          t = {1, {column_[i]}};
        } else if (!random_targets(column_[i], 255, 2, t)) {
          t = old;
          continue;
        }
        if (!accept(temperature)) input_[i] = old;
      } else {
        const int v = order_[8 + random_.below(247)];
        if (!active_[v] && random_.below(8) != 0) continue;
        const Targets old = node_[v];
        const int num = arity_ == 3 && random_.below(4) == 0 ? 3 : 2;
        if (!random_targets(v, position_[v], num, node_[v])) {
          node_[v] = old;
          continue;
        }
        if (!accept(temperature)) node_[v] = old;
      }
      if (cost_ < best_cost_) {
        best_cost_ = cost_;
        remember();
      }
    }
  }

  int best_cost() const { return best_cost_; }

  Network network() {
    node_ = best_node_;
    input_ = best_input_;
    order_ = best_order_;
    cost();
    Network net;
    net.arity = arity_;
    net.num_inputs = 128;
    std::array<std::vector<Signal>, 256> incoming;
    for (int i = 0; i < 128; ++i) {
      for (int k = 0; k < input_[i].num; ++k) incoming[input_[i].column[k]].push_back(i);
    }
    const auto sum = [&](std::vector<Signal> terms) {
      // A queue: long sums become balanced trees, and late terms wait at the end.
      std::size_t head = 0;
      while (terms.size() - head > 1) {
        if (arity_ == 3 && terms.size() - head > 2) {
          terms.push_back(net.add(0x96, terms[head], terms[head + 1], terms[head + 2]));
          head += 3;
        } else {
          terms.push_back(net.add_xor(terms[head], terms[head + 1]));
          head += 2;
        }
      }
      return terms[head];
    };
    for (int k = 254; k >= 8; --k) {
      const int v = order_[k];
      if (!active_[v]) continue;
      const Signal s = sum(incoming[v]);
      for (int j = 0; j < node_[v].num; ++j) incoming[node_[v].column[j]].push_back(s);
    }
    for (int i = 0; i < 8; ++i) net.outputs.push_back({sum(incoming[1 << i]), false});
    return net;
  }

 private:
  // Columns before position `limit` that add up to v; prefers columns in use.
  bool random_targets(int v, int limit, int num, Targets& t) {
    for (int attempt = 0; attempt < 60; ++attempt) {
      int rest = v;
      bool good = true;
      Targets r;
      for (int k = 0; k < num && good; ++k) {
        const int c = k == num - 1 ? rest : order_[random_.below(std::max(limit, 1))];
        good = c != 0 && c != v && position_[c] < limit;
        for (int j = 0; j < r.num && good; ++j) good = r.column[j] != c;
        if (good && position_[c] >= 8 && !active_[c] && random_.below(6) != 0) good = false;
        if (good) {
          r.column[r.num++] = c;
          rest ^= c;
        }
      }
      if (!good) continue;
      t = r;
      return true;
    }
    return false;
  }
  int cost() {
    std::array<int, 256> in{};
    for (const Targets& t : input_) {
      for (int k = 0; k < t.num; ++k) ++in[t.column[k]];
    }
    int total = 0;
    for (int k = 254; k >= 0; --k) {
      const int v = order_[k];
      active_[v] = in[v] != 0;
      if (in[v] == 0) continue;
      total += arity_ == 3 ? in[v] / 2 : in[v] - 1;  // in/2 == ceil((in - 1) / 2)
      if (k < 8) continue;
      for (int j = 0; j < node_[v].num; ++j) ++in[node_[v].column[j]];
    }
    return total;
  }
  bool accept(double temperature) {
    const int fresh = cost();
    const int change = fresh - cost_;
    const double dice = static_cast<double>(random_() >> 11) * 0x1p-53;
    if (change <= 0 || dice < std::exp(-change / temperature)) {
      cost_ = fresh;
      return true;
    }
    return false;
  }
  void move_node(double temperature) {
    const int from = 8 + random_.below(247);
    const int to = 8 + random_.below(247);
    const auto old_order = order_;
    const auto old_position = position_;
    const auto old_node = node_;
    if (from < to) std::rotate(order_.begin() + from, order_.begin() + from + 1, order_.begin() + to + 1);
    else std::rotate(order_.begin() + to, order_.begin() + from, order_.begin() + from + 1);
    for (int k = 8; k < 255; ++k) position_[order_[k]] = k;
    bool good = true;
    for (int k = 8; k < 255 && good; ++k) {
      const int u = order_[k];
      bool valid = true;
      for (int j = 0; j < node_[u].num; ++j) valid = valid && position_[node_[u].column[j]] < k;
      if (!valid) good = random_targets(u, k, 2, node_[u]);
    }
    if (!good || !accept(temperature)) {
      order_ = old_order;
      position_ = old_position;
      node_ = old_node;
    }
  }
  void remember() {
    best_node_ = node_;
    best_input_ = input_;
    best_order_ = order_;
  }

  int arity_;
  Random& random_;
  std::array<int, 128> column_;
  std::array<int, 255> order_{}, best_order_{};
  std::array<int, 256> position_{};
  std::array<bool, 256> active_{};
  std::array<Targets, 256> node_{}, best_node_{};
  std::array<Targets, 128> input_{}, best_input_{};
  int cost_ = 0, best_cost_ = 0;
};

}  // namespace

std::vector<std::vector<int>> lfsr_rows() {
  const auto column = input_columns();
  std::vector<std::vector<int>> rows(8);
  for (int i = 0; i < 128; ++i) {
    for (int k = 0; k < 8; ++k) {
      if ((column[i] >> k & 1) != 0) rows[k].push_back(i);
    }
  }
  return rows;
}

Network lfsr_network(int arity, long steps, Random& random) {
  Annealing annealing(arity, random);
  annealing.run(steps);
  return annealing.network();
}

bool computes_lfsr(const Network& network) {
  std::vector<std::set<int>> sets;
  for (int i = 0; i < network.num_inputs; ++i) sets.push_back({i});
  const auto toggle = [](std::set<int>& into, const std::set<int>& from) {
    for (const int i : from) {
      if (!into.insert(i).second) into.erase(i);
    }
  };
  for (const Gate& g : network.gates) {
    std::set<int> s = sets[g.in[0]];
    toggle(s, sets[g.in[1]]);
    if (g.lut == 0x96) toggle(s, sets[g.in[2]]);
    else if (g.lut != 0x3c || g.in[1] != g.in[2]) return false;
    sets.push_back(s);
  }
  const auto rows = lfsr_rows();
  for (int k = 0; k < 8; ++k) {
    if (sets[network.outputs[k].signal] != std::set<int>(rows[k].begin(), rows[k].end())) return false;
  }
  return network.outputs.size() == 8;
}

}  // namespace vsh::search
