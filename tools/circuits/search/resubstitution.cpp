
#include "resubstitution.hpp"

#include <algorithm>

namespace vsh::search {
namespace {

struct Candidate {
  int gain;
  Gate gate;
  int extra;  // index of the new gate that `gate` also needs, or -1
};

class Walk {
 public:
  Walk(const Network& network, const ShrinkOptions& options, Random& random)
      : options_(options), random_(random), net_(cleaned(network)), best_(net_) {}

  Network run() {
    long since_progress = 0;
    for (long move = 0; move < options_.moves; ++move) {
      if (net_.gates.empty()) break;
      step();
      if (net_.size() < best_.size()) {
        best_ = net_;
        since_progress = 0;
      } else if (net_.size() == best_.size()) {
        best_ = net_;  // a newer network of the same size: keep drifting from there
      }
      if (options_.restart_moves > 0 && ++since_progress >= options_.restart_moves) {
        net_ = best_;
        since_progress = 0;
      }
    }
    return best_;
  }

 private:
  // Returns the inputs for which an output depends on signal v.
  TruthTable care_set(Signal v) {
    const int n = net_.num_inputs;
    in_cone_.assign(n + net_.gates.size(), 0);
    in_cone_[v] = 1;
    flipped_ = tables_;
    flipped_[v] = ~tables_[v];
    for (int g = v - n + 1; g < net_.size(); ++g) {
      const Gate& gate = net_.gates[g];
      if (in_cone_[gate.in[0]] == 0 && in_cone_[gate.in[1]] == 0 && in_cone_[gate.in[2]] == 0) continue;
      in_cone_[n + g] = 1;
      flipped_[n + g] = apply_lut(gate.lut, flipped_[gate.in[0]], flipped_[gate.in[1]], flipped_[gate.in[2]]);
    }
    TruthTable care;
    for (const Output& o : net_.outputs) care = care | (tables_[o.signal] ^ flipped_[o.signal]);
    return care;
  }

  // Gates that only v needs (v included): they disappear if v is computed from other signals.
  void mark_private_cone(Signal v) {
    const int n = net_.num_inputs;
    readers_.assign(n + net_.gates.size(), 0);
    for (const Gate& g : net_.gates) {
      ++readers_[g.in[0]];
      if (g.in[1] != g.in[0]) ++readers_[g.in[1]];
      if (g.in[2] != g.in[1]) ++readers_[g.in[2]];
    }
    for (const Output& o : net_.outputs) ++readers_[o.signal];
    private_.assign(n + net_.gates.size(), 0);
    private_[v] = 1;
    private_size_ = 1;
    for (Signal s = v; s >= n; --s) {
      if (private_[s] == 0) continue;
      const Gate& g = net_.gates[s - n];
      release(g.in[0]);
      if (g.in[1] != g.in[0]) release(g.in[1]);
      if (g.in[2] != g.in[1]) release(g.in[2]);
    }
  }
  void release(Signal s) {
    if (--readers_[s] == 0 && s >= net_.num_inputs) {
      private_[s] = 1;
      ++private_size_;
    }
  }

  // Returns the number of gates of the private cone that stay live if the given signals are used.
  int kept(std::initializer_list<Signal> used) {
    stack_.clear();
    seen_.clear();
    for (const Signal s : used) stack_.push_back(s);
    int count = 0;
    while (!stack_.empty()) {
      const Signal s = stack_.back();
      stack_.pop_back();
      if (s >= static_cast<int>(private_.size()) || private_[s] == 0) continue;
      if (std::find(seen_.begin(), seen_.end(), s) != seen_.end()) continue;
      seen_.push_back(s);
      ++count;
      const Gate& g = net_.gates[s - net_.num_inputs];
      for (const Signal i : g.in) stack_.push_back(i);
    }
    return count;
  }

  void collect_divisors(Signal v) {
    divisors_.clear();
    const int n = net_.num_inputs;
    const int total = n + net_.size();
    for (Signal s = 0; s < total; ++s) {
      if (in_cone_[s] == 0) divisors_.push_back(s);
    }
    const int limit = net_.arity == 2 ? static_cast<int>(divisors_.size()) : options_.max_divisors;
    // The gate's own inputs stay; of the others a random choice, in three-input networks.
    const Gate& gate = net_.gates[v - n];
    for (int k = 0; k < static_cast<int>(divisors_.size()) && k < limit; ++k) {
      const int rest = static_cast<int>(divisors_.size()) - k;
      int pick = k + random_.below(rest);
      if (k < 3 && net_.arity == 3) {
        const auto own = std::find(divisors_.begin() + k, divisors_.end(), gate.in[k]);
        if (own != divisors_.end()) pick = static_cast<int>(own - divisors_.begin());
      }
      std::swap(divisors_[k], divisors_[pick]);
    }
    if (static_cast<int>(divisors_.size()) > limit) divisors_.resize(limit);
  }

  // Gates that do not exist yet but might: f(b, c) for random b, c. With one of them, v = g(a, f(b, c)) is reachable
  // in one move; it costs an extra gate, so it pays if v has a private cone to drop.
  void invent_gates(Signal v) {
    extra_.clear();
    extra_tables_.clear();
    const int wanted = private_size_ >= 2 ? options_.extra_gates : options_.extra_gates / 8;
    const int num = static_cast<int>(divisors_.size());
    static constexpr std::uint8_t functions[5] = {0xc0, 0xfc, 0x0c, 0x30, 0x3c};  // and or andn xor
    // Most inputs are close, where sums and products can be re-bracketed.
    near_.assign(1, v);
    for (std::size_t k = 0; k < near_.size() && near_.size() < 24; ++k) {
      if (near_[k] < net_.num_inputs) continue;
      for (const Signal s : net_.gates[near_[k] - net_.num_inputs].in) near_.push_back(s);
    }
    const auto draw = [&](int near_in_8) {
      if (random_.below(8) < near_in_8) {
        const Signal s = near_[random_.below(static_cast<int>(near_.size()))];
        if (s != v) return s;
      }
      return divisors_[random_.below(num)];
    };
    for (int k = 0; k < wanted; ++k) {
      const Signal b = draw(6), c = draw(4);
      if (b == c) continue;
      const int f = random_.below(7);
      const std::uint8_t lut = functions[std::min(f, 4)];
      extra_.push_back({{b, c, c}, lut});
      extra_tables_.push_back(apply_lut(lut, tables_[b], tables_[c], tables_[c]));
    }
  }

  // Signatures: bit k is set if the divisor separates the k-th sampled pair (one input where v must be 1, one where
  // it must be 0). Signals that define v must together separate all pairs:
  // a quick test that nearly all wrong candidates fail.
  void sign(const TruthTable& on, const TruthTable& off) {
    int ones[256], zeros[256];
    int num_ones = 0, num_zeros = 0;
    for (int k = 0; k < 4; ++k) {
      for (std::uint64_t w = on.word[k]; w != 0; w &= w - 1) ones[num_ones++] = 64 * k + __builtin_ctzll(w);
      for (std::uint64_t w = off.word[k]; w != 0; w &= w - 1) zeros[num_zeros++] = 64 * k + __builtin_ctzll(w);
    }
    signature_.assign(divisors_.size() + extra_.size(), 0);
    if (num_ones == 0 || num_zeros == 0) return;
    for (int k = 0; k < 64; ++k) {
      const int p = ones[random_.below(num_ones)], q = zeros[random_.below(num_zeros)];
      for (std::size_t d = 0; d < signature_.size(); ++d) {
        const TruthTable& t = table_of(static_cast<int>(d));
        const std::uint64_t differs = (t.word[p >> 6] >> (p & 63)) ^ (t.word[q >> 6] >> (q & 63));
        signature_[d] |= (differs & 1) << k;
      }
    }
  }

  // A divisor's index is below divisors_.size() for a signal that exists, at or above it for a
  // new gate.
  const TruthTable& table_of(int divisor) const {
    const int num = static_cast<int>(divisors_.size());
    return divisor < num ? tables_[divisors_[divisor]] : extra_tables_[divisor - num];
  }
  Signal signal_of(int divisor) const {
    const int num = static_cast<int>(divisors_.size());
    return divisor < num ? divisors_[divisor] : net_.num_inputs + net_.size() + (divisor - num);
  }

  // Tries v = f(a, b, c) for some f, by the divisors' indices; c == b for two inputs. Only c may
  // be new (with two inputs: b and c).
  void consider(Signal v, const TruthTable& on, const TruthTable& off, int a, int b, int c) {
    std::uint8_t lut = 0;
    const TruthTable &ta = table_of(a), &tb = table_of(b), &tc = table_of(c);
    for (int x = 0; x < 8; ++x) {
      if (b == c && ((x >> 1) & 1) != (x & 1)) continue;
      if (a == b && ((x >> 2) & 1) != ((x >> 1) & 1)) continue;
      TruthTable cell = (x & 4) != 0 ? ta : ~ta;
      cell = cell & ((x & 2) != 0 ? tb : ~tb);
      cell = cell & ((x & 1) != 0 ? tc : ~tc);
      const bool has_on = (cell & on).any();
      const bool has_off = (cell & off).any();
      if (has_on && has_off) return;
      if (has_on || (!has_off && (random_() & 1) != 0)) lut |= static_cast<std::uint8_t>(1u << x);
    }
    if (b == c) {  // make the table ignore in[2]
      lut = static_cast<std::uint8_t>((lut & 0x81) | ((lut & 0x01) << 1) | ((lut & 0x80) >> 1) | (lut & 0x18) |
                                      ((lut & 0x08) >> 1) | ((lut & 0x10) << 1));
    }
    const Gate gate{{signal_of(a), signal_of(b), signal_of(c)}, lut};
    if (gate.in == net_.gates[v - net_.num_inputs].in) return;  // no change
    const int extra = c - static_cast<int>(divisors_.size());
    if (extra >= 0) {
      const Gate& e = extra_[extra];
      const int stay = kept({gate.in[0], gate.in[1], e.in[0], e.in[1]});
      candidates_.push_back({private_size_ - 2 - stay, gate, extra});
    } else {
      const int cost = (a == b && b == c) ? 0 : 1;
      candidates_.push_back({private_size_ - cost - kept({gate.in[0], gate.in[1], gate.in[2]}), gate, -1});
    }
  }

  void step() {
    const int n = net_.num_inputs;
    tables_ = net_.simulate();
    const Signal v = n + random_.below(net_.size());
    const TruthTable care = care_set(v);
    const TruthTable on = tables_[v] & care;
    const TruthTable off = ~tables_[v] & care;
    mark_private_cone(v);
    collect_divisors(v);
    invent_gates(v);
    sign(on, off);

    candidates_.clear();
    const std::uint64_t all = ~0ull;
    const int num = static_cast<int>(divisors_.size());
    const int num_all = num + static_cast<int>(extra_.size());
    const std::size_t enough = 64;
    for (int i = 0; i < num && candidates_.size() < enough; ++i) {
      if (signature_[i] == all) consider(v, on, off, i, i, i);
      for (int j = i + 1; j < num_all; ++j) {
        const std::uint64_t pair = signature_[i] | signature_[j];
        if (pair == all) consider(v, on, off, i, j, j);
        if (net_.arity == 2 || j >= num) continue;
        const std::uint64_t missing = ~pair;
        for (int k = j + 1; k < num_all; ++k) {
          if ((missing & ~signature_[k]) == 0) consider(v, on, off, i, j, k);
        }
      }
    }
    if (candidates_.empty()) return;
    int best_gain = candidates_[0].gain;
    for (const Candidate& c : candidates_) best_gain = std::max(best_gain, c.gain);
    int lowest = best_gain;
    if (best_gain <= 0) {
      const bool uphill = random_.below(options_.uphill_one_in) == 0;
      lowest = uphill ? -1 : 0;
      if (net_.size() - lowest > best_.size() + options_.slack) lowest = 0;
      if (best_gain < lowest) return;
    }
    int chosen = -1, seen = 0;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      const int gain = candidates_[k].gain;
      if (best_gain > 0 ? gain == best_gain : (gain >= lowest)) {
        if (random_.below(++seen) == 0) chosen = static_cast<int>(k);
      }
    }
    if (chosen < 0) return;
    substitute(v, candidates_[chosen]);
  }

  // The new gate may read signals that stand after v: put gates into topological order again.
  void substitute(Signal v, const Candidate& candidate) {
    const int n = net_.num_inputs;
    net_.gates[v - n] = candidate.gate;
    if (candidate.extra >= 0) {
      const Signal fresh = n + net_.size();
      for (Signal& s : net_.gates[v - n].in) {
        if (s >= fresh) s = fresh;
      }
      net_.gates.push_back(extra_[candidate.extra]);
    }
    Network sorted;
    sorted.arity = net_.arity;
    sorted.num_inputs = n;
    std::vector<Signal> map(n + net_.gates.size(), -1);
    for (int i = 0; i < n; ++i) map[i] = i;
    const auto visit = [&](const auto& self, Signal s) -> Signal {
      if (map[s] >= 0) return map[s];
      const Gate g = net_.gates[s - n];
      const Signal a = self(self, g.in[0]), b = self(self, g.in[1]), c = self(self, g.in[2]);
      return map[s] = sorted.add(g.lut, a, b, c);
    };
    for (const Output& o : net_.outputs) sorted.outputs.push_back({visit(visit, o.signal), o.inverted});
    net_ = cleaned(sorted);
  }

  const ShrinkOptions& options_;
  Random& random_;
  Network net_, best_;
  std::vector<TruthTable> tables_, flipped_;
  std::vector<char> in_cone_, private_;
  std::vector<int> readers_;
  int private_size_ = 0;
  std::vector<Signal> divisors_, near_, stack_, seen_;
  std::vector<std::uint64_t> signature_;
  std::vector<Gate> extra_;
  std::vector<TruthTable> extra_tables_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Network shrunk(const Network& network, const ShrinkOptions& options, Random& random) {
  return Walk(network, options, random).run();
}

}  // namespace vsh::search
