
#include "nibble_walk.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace vsh::search {
namespace {

class NibbleWalk {
 public:
  NibbleWalk(const Network& start, const NibbleWalkOptions& options, Random& random)
      : options_(options), random_(random) {
    for (int i = 0; i < 4; ++i) table_[i] = static_cast<std::uint16_t>(TruthTable::variable(i).word[0]);
    const Network net = cleaned(start);
    size_ = 4 + net.size();
    for (int g = 0; g < net.size(); ++g) {
      const Gate& gate = net.gates[g];
      std::uint8_t lut = 0;
      for (int x = 0; x < 4; ++x) lut |= static_cast<std::uint8_t>((gate.lut >> (x < 2 ? 3 * x : 3 * x - 2) & 1) << x);
      gate_[4 + g] = {static_cast<std::int8_t>(gate.in[0]), static_cast<std::int8_t>(gate.in[1]), lut};
    }
    for (int k = 0; k < 4; ++k) output_[k] = net.outputs[k];
    simulate();
  }

  int num_gates() const { return size_ - 4; }

  void step(int best) {
    const int v = 4 + random_.below(size_ - 4);
    const std::uint64_t cone = care_set(v);
    const std::uint16_t on = table_[v] & care_;
    const std::uint16_t off = static_cast<std::uint16_t>(~table_[v]) & care_;
    mark_private(v);

    int divisor[kMost];
    int num = 0;
    for (int s = 0; s < size_; ++s) {
      if ((cone >> s & 1) == 0) divisor[num++] = s;
    }
    const bool uphill = num_gates() < best + options_.slack && random_.below(options_.uphill_one_in) == 0;
    int wanted = uphill ? -1 : 0;
    int seen = 0;
    Choice choice;
    const auto offer = [&](int gain, const Choice& c) {
      if (gain < wanted) return;
      if (gain > 0 && gain > wanted) wanted = gain, seen = 0;  // a real gain beats all else
      if (random_.below(++seen) == 0) choice = c;
    };

    const auto split = [&](std::uint16_t a) -> Split {
      const std::uint16_t not_a = static_cast<std::uint16_t>(~a);
      return {static_cast<std::uint16_t>(on & a), static_cast<std::uint16_t>(on & not_a),
              static_cast<std::uint16_t>(off & a), static_cast<std::uint16_t>(off & not_a)};
    };
    for (int i = 0; i < num; ++i) {
      const std::uint16_t a = table_[divisor[i]];
      const Split by_a = split(a);
      const bool is_copy = by_a.off1 == 0 && by_a.on0 == 0;
      const bool is_complement = by_a.on1 == 0 && by_a.off0 == 0;
      if (is_copy || is_complement) {
        const int gain = private_size_ - kept(1ull << divisor[i]);
        offer(gain, {divisor[i], divisor[i], static_cast<std::uint8_t>(is_copy ? 0xc : 0x3), {}, false});
      }
      for (int j = i + 1; j < num; ++j) {
        const std::uint16_t b = table_[divisor[j]];
        if (!by_a.separated_by(b)) continue;
        const SmallGate& old = gate_[v];
        if (old.a == divisor[i] && old.b == divisor[j]) continue;
        const int gain = private_size_ - 1 - kept(1ull << divisor[i] | 1ull << divisor[j]);
        if (gain < wanted) continue;
        offer(gain, {divisor[i], divisor[j], fit(on, off, a, b), {}, false});
      }
    }
    if (private_size_ >= 2 || uphill) {
      for (int k = 0; k < options_.extra_gates; ++k) {
        const int p = divisor[random_.below(num)], q = divisor[random_.below(num)];
        if (p == q) continue;
        static constexpr std::uint8_t functions[7] = {0x8, 0xe, 0x2, 0x4, 0x6, 0x6, 0x6};
        const std::uint8_t f = functions[random_.below(7)];
        const std::uint16_t b = apply(f, table_[p], table_[q]);
        const Split by_b = split(b);
        for (int i = 0; i < num; ++i) {
          const std::uint16_t a = table_[divisor[i]];
          if (!by_b.separated_by(a)) continue;
          const int gain = private_size_ - 2 - kept(1ull << divisor[i] | 1ull << p | 1ull << q);
          if (gain < wanted) continue;
          offer(gain, {divisor[i],
                       -1,
                       fit(on, off, a, b),
                       {static_cast<std::int8_t>(p), static_cast<std::int8_t>(q), f},
                       true});
        }
      }
    }
    if (seen != 0) substitute(v, choice);
  }

  Network network() const {
    Network net;
    net.num_inputs = 4;
    for (int s = 4; s < size_; ++s) {
      const SmallGate& g = gate_[s];
      std::uint8_t lut = 0;
      for (int x = 0; x < 8; ++x) lut |= static_cast<std::uint8_t>((g.lut >> (x >> 1) & 1) << x);
      net.add(lut, g.a, g.b, g.b);
    }
    net.outputs.assign(output_.begin(), output_.end());
    return net;
  }

 private:
  static constexpr int kMost = 56;  // signals, inputs included

  struct SmallGate {
    std::int8_t a = 0, b = 0;
    std::uint8_t lut = 0;  // value for (a, b): bit a * 2 + b
  };
  // The inputs where gate v must be 1 (on) or 0 (off), split by the value of a signal.
  struct Split {
    std::uint16_t on1, on0, off1, off0;
    // Does v become a function of that signal and b?
    bool separated_by(std::uint16_t b) const {
      const std::uint16_t c = static_cast<std::uint16_t>(~b);
      return ((on1 & b) == 0 || (off1 & b) == 0) && ((on1 & c) == 0 || (off1 & c) == 0) &&
             ((on0 & b) == 0 || (off0 & b) == 0) && ((on0 & c) == 0 || (off0 & c) == 0);
    }
  };
  struct Choice {
    int a = 0, b = 0;  // b == -1: the extra gate; a == b: a copy or complement of a
    std::uint8_t lut = 0;
    SmallGate extra;
    bool has_extra = false;
  };

  static std::uint16_t apply(std::uint8_t lut, std::uint16_t a, std::uint16_t b) {
    const auto on = [&](int x) { return static_cast<std::uint16_t>((lut >> x & 1) != 0 ? 0xffff : 0); };
    return static_cast<std::uint16_t>((~a & ((~b & on(0)) | (b & on(1)))) | (a & ((~b & on(2)) | (b & on(3)))));
  }
  std::uint8_t fit(std::uint16_t on, std::uint16_t off, std::uint16_t a, std::uint16_t b) {
    std::uint8_t lut = 0;
    for (int x = 0; x < 4; ++x) {
      const std::uint16_t cell = static_cast<std::uint16_t>(((x & 2) != 0 ? a : ~a) & ((x & 1) != 0 ? b : ~b));
      if ((cell & on) != 0 || ((cell & off) == 0 && (random_() & 1) != 0)) lut |= static_cast<std::uint8_t>(1 << x);
    }
    return lut;
  }
  void simulate() {
    for (int s = 4; s < size_; ++s) table_[s] = apply(gate_[s].lut, table_[gate_[s].a], table_[gate_[s].b]);
  }
  std::uint64_t care_set(int v) {
    std::uint64_t cone = 1ull << v;
    std::array<std::uint16_t, kMost> flipped = table_;
    flipped[v] = static_cast<std::uint16_t>(~table_[v]);
    for (int s = v + 1; s < size_; ++s) {
      const SmallGate& g = gate_[s];
      if (((cone >> g.a | cone >> g.b) & 1) == 0) continue;
      cone |= 1ull << s;
      flipped[s] = apply(g.lut, flipped[g.a], flipped[g.b]);
    }
    care_ = 0;
    for (const Output& o : output_) care_ |= table_[o.signal] ^ flipped[o.signal];
    return cone;
  }
  void mark_private(int v) {
    std::array<std::int8_t, kMost> readers{};
    for (int s = 4; s < size_; ++s) ++readers[gate_[s].a], ++readers[gate_[s].b];
    for (const Output& o : output_) ++readers[o.signal];
    private_ = 1ull << v;
    private_size_ = 1;
    for (int s = v; s >= 4; --s) {
      if ((private_ >> s & 1) == 0) continue;
      for (const int i : {gate_[s].a, gate_[s].b}) {
        if (--readers[i] == 0 && i >= 4) private_ |= 1ull << i, ++private_size_;
      }
    }
  }
  int kept(std::uint64_t used) const {
    std::uint64_t stay = used & private_;
    if (stay == 0) return 0;
    for (int s = size_ - 1; s >= 4; --s) {
      if ((stay >> s & 1) != 0) stay |= (1ull << gate_[s].a | 1ull << gate_[s].b) & private_;
    }
    return __builtin_popcountll(stay);
  }

  void substitute(int v, const Choice& c) {
    std::array<SmallGate, kMost + 1> gate{};
    std::copy(gate_.begin(), gate_.end(), gate.begin());
    int total = size_;
    int b = c.b;
    if (c.has_extra) {
      gate[total] = c.extra;
      b = total++;
    }
    gate[v] = {static_cast<std::int8_t>(c.a), static_cast<std::int8_t>(b), c.lut};
    // Rebuild from the outputs: topological order, no dead gates, no copies, no equal tables.
    std::array<std::int8_t, kMost + 1> map;
    std::array<bool, kMost + 1> inverted{};
    map.fill(-1);
    for (int i = 0; i < 4; ++i) map[i] = static_cast<std::int8_t>(i);
    int count = 4;
    const auto visit = [&](const auto& self, int s) -> void {
      if (map[s] >= 0) return;
      self(self, gate[s].a);
      self(self, gate[s].b);
      int p = map[gate[s].a], q = map[gate[s].b];
      std::uint8_t lut = 0;
      for (int x = 0; x < 4; ++x) {
        const int y = x ^ (inverted[gate[s].a] ? 2 : 0) ^ (inverted[gate[s].b] ? 1 : 0);
        lut |= static_cast<std::uint8_t>((gate[s].lut >> y & 1) << x);
      }
      if (p > q) {
        std::swap(p, q);
        lut = static_cast<std::uint8_t>((lut & 9) | (lut & 2) << 1 | (lut & 4) >> 1);
      }
      const std::uint16_t t = apply(lut, table_[p], table_[q]);
      for (int k = 0; k < count; ++k) {
        if (table_[k] == t || table_[k] == static_cast<std::uint16_t>(~t)) {
          map[s] = static_cast<std::int8_t>(k);
          inverted[s] = table_[k] != t;
          return;
        }
      }
      gate_[count] = {static_cast<std::int8_t>(p), static_cast<std::int8_t>(q), lut};
      table_[count] = t;
      map[s] = static_cast<std::int8_t>(count++);
    };
    for (Output& o : output_) {
      visit(visit, o.signal);
      o = {map[o.signal], o.inverted != inverted[o.signal]};
    }
    size_ = count;
    // Merging can leave gates without readers.
    std::uint64_t live = 0;
    for (const Output& o : output_) live |= 1ull << o.signal;
    for (int s = size_ - 1; s >= 4; --s) {
      if ((live >> s & 1) != 0) live |= 1ull << gate_[s].a | 1ull << gate_[s].b;
    }
    if (__builtin_popcountll(live >> 4) != size_ - 4) {
      std::array<std::int8_t, kMost> move{};
      int next = 4;
      for (int i = 0; i < 4; ++i) move[i] = static_cast<std::int8_t>(i);
      for (int s = 4; s < size_; ++s) {
        if ((live >> s & 1) == 0) continue;
        gate_[next] = {move[gate_[s].a], move[gate_[s].b], gate_[s].lut};
        table_[next] = table_[s];
        move[s] = static_cast<std::int8_t>(next++);
      }
      for (Output& o : output_) o.signal = move[o.signal];
      size_ = next;
    }
  }

  const NibbleWalkOptions& options_;
  Random& random_;
  int size_ = 4;
  std::array<SmallGate, kMost> gate_{};
  std::array<std::uint16_t, kMost> table_{};
  std::array<Output, 4> output_{};
  std::uint16_t care_ = 0;
  std::uint64_t private_ = 0;
  int private_size_ = 0;
};

}  // namespace

void nibble_walk(const Network& start, const NibbleWalkOptions& options, Random& random,
                 const std::function<void(const Network&)>& visit) {
  NibbleWalk walk(start, options, random);
  int best = walk.num_gates();
  for (long m = 0; m < options.moves; ++m) {
    const int before = walk.num_gates();
    walk.step(best);
    if (walk.num_gates() < best || (walk.num_gates() == best && before > best)) {
      best = walk.num_gates();
      visit(walk.network());
    }
  }
}

}  // namespace vsh::search
