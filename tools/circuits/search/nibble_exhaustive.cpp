// Outputs that are one gate away from the current signals are built at once: they must be built eventually, and having
// them earlier never hurts. So a circuit of 4 + k gates is a choice of k further signals, and the search goes over sets
// of k functions, each one gate away from the signals before it. A function and its complement are the same signal,
// since tables absorb inversion: 2^15 functions in all.
//
// The last of the k signals is not tried blindly: some output must become one gate away because of
// it.

#include "nibble_exhaustive.hpp"

#include <algorithm>
#include <array>
#include <bitset>

namespace vsh::search {
namespace {

using Table = std::uint16_t;

Table normal(Table t) { return (t & 1) != 0 ? static_cast<Table>(~t) : t; }

struct State {
  std::array<Table, 16> signal{};
  int num = 0;
  std::array<Table, 4> missing{};
  int num_missing = 0;
};

// Is t a function of a, b and c?
bool is_function_of(Table t, Table a, Table b, Table c) {
  for (int x = 0; x < 8; ++x) {
    const Table cell = static_cast<Table>(((x & 4) != 0 ? a : ~a) & ((x & 2) != 0 ? b : ~b) & ((x & 1) != 0 ? c : ~c));
    if ((cell & t) != 0 && (cell & t) != cell) return false;
  }
  return true;
}

class Exhaustive {
 public:
  explicit Exhaustive(const std::vector<std::uint8_t>& table) {
    static constexpr Table inputs[4] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};
    for (const Table t : inputs) start_.signal[start_.num++] = t;
    for (int bit = 0; bit < 4; ++bit) {
      Table t = 0;
      for (int x = 0; x < 16; ++x) t = static_cast<Table>(t | ((table[x] >> bit) & 1) << x);
      output_[bit] = t;
      start_.missing[start_.num_missing++] = normal(t);
    }
  }

  bool find(int gates, Network& result) {
    for (int extra = 0; extra <= gates - 4; ++extra) {
      State s = start_;
      close(s, 0);
      std::vector<Table> candidates;
      std::bitset<65536> known;
      for (int i = 0; i < s.num; ++i) known.set(normal(s.signal[i]));
      known.set(0);
      for (int last = 2; last < s.num; ++last) extend_candidates(s, last, known, candidates);
      if (descend(s, extra, candidates, known)) {
        result = network();
        return true;
      }
    }
    return false;
  }

 private:
  // Adds every missing output that is one gate away; signals from `fresh` on are new.
  void close(State& s, int fresh) {
    for (bool again = true; again;) {
      again = false;
      for (int m = 0; m < s.num_missing; ++m) {
        const Table t = s.missing[m];
        bool reached = false;
        for (int k = std::max(fresh, 2); k < s.num && !reached; ++k) {
          for (int j = 1; j < k && !reached; ++j) {
            for (int i = 0; i < j && !reached; ++i) {
              reached = is_function_of(t, s.signal[i], s.signal[j], s.signal[k]);
            }
          }
        }
        if (!reached) continue;
        s.signal[s.num++] = t;
        s.missing[m] = s.missing[--s.num_missing];
        --m;
        again = true;
      }
    }
  }

  // All functions of signal `last` and two earlier ones that are not known yet.
  static void extend_candidates(const State& s, int last, std::bitset<65536>& known, std::vector<Table>& out) {
    const Table c = s.signal[last];
    for (int j = 1; j < last; ++j) {
      for (int i = 0; i < j; ++i) {
        Table cell[8];
        for (int x = 0; x < 8; ++x) {
          cell[x] = static_cast<Table>(((x & 4) != 0 ? s.signal[i] : ~s.signal[i]) &
                                       ((x & 2) != 0 ? s.signal[j] : ~s.signal[j]) & ((x & 1) != 0 ? c : ~c));
        }
        Table t = 0;
        for (unsigned gray = 1; gray < 256; ++gray) {  // Gray code: one cell changes at a time
          t ^= cell[__builtin_ctz(gray)];
          const Table n = normal(t);
          if (known[n]) continue;
          known.set(n);
          out.push_back(n);
        }
      }
    }
  }

  bool descend(const State& s, int extra, const std::vector<Table>& candidates, const std::bitset<65536>& known) {
    if (s.num_missing == 0) {
      done_ = s;
      return true;
    }
    if (extra == 0) return false;
    if (extra == 1) return last_signal(s, candidates);
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      State next = s;
      next.signal[next.num++] = candidates[k];
      close(next, s.num);
      // A set of signals is visited once: candidates before this one are left to earlier
      // branches.
      std::vector<Table> rest(candidates.begin() + static_cast<std::ptrdiff_t>(k) + 1, candidates.end());
      std::bitset<65536> seen = known;
      for (int i = s.num; i < next.num; ++i) {
        seen.set(normal(next.signal[i]));
        extend_candidates(next, i, seen, rest);
      }
      if (descend(next, extra - 1, rest, seen)) return true;
    }
    return false;
  }

  bool last_signal(const State& s, const std::vector<Table>& candidates) {
    // For f to bring output t within one gate, with signals a and b: in each of the four cells
    // of (a, b) where t is not constant, f must equal t or its complement.
    struct Test {
      Table cell[4];
      Table value[4];
      int num;
    };
    std::vector<Test> tests;
    for (int m = 0; m < s.num_missing; ++m) {
      const Table t = s.missing[m];
      for (int j = 1; j < s.num; ++j) {
        for (int i = 0; i < j; ++i) {
          Test test{};
          for (int x = 0; x < 4; ++x) {
            const Table cell = static_cast<Table>(((x & 2) != 0 ? s.signal[i] : ~s.signal[i]) &
                                                  ((x & 1) != 0 ? s.signal[j] : ~s.signal[j]));
            if ((cell & t) == 0 || (cell & t) == cell) continue;
            test.cell[test.num] = cell;
            test.value[test.num++] = static_cast<Table>(t & cell);
          }
          tests.push_back(test);
        }
      }
    }
    for (const Table f : candidates) {
      for (const Test& test : tests) {
        bool fits = true;
        for (int k = 0; k < test.num && fits; ++k) {
          const Table difference = static_cast<Table>((f & test.cell[k]) ^ test.value[k]);
          fits = difference == 0 || difference == test.cell[k];
        }
        if (!fits) continue;
        State next = s;
        next.signal[next.num++] = f;
        close(next, s.num);
        if (next.num_missing == 0) {
          done_ = next;
          return true;
        }
        break;
      }
    }
    return false;
  }

  Network network() const {
    Network net;
    net.arity = 3;
    net.num_inputs = 4;
    for (int g = 4; g < done_.num; ++g) {
      const Table t = done_.signal[g];
      bool found = false;
      for (int k = 2; k < g && !found; ++k) {
        for (int j = 1; j < k && !found; ++j) {
          for (int i = 0; i < j && !found; ++i) {
            const Table a = done_.signal[i], b = done_.signal[j], c = done_.signal[k];
            if (!is_function_of(t, a, b, c)) continue;
            std::uint8_t lut = 0;
            for (int x = 0; x < 8; ++x) {
              const Table cell =
                  static_cast<Table>(((x & 4) != 0 ? a : ~a) & ((x & 2) != 0 ? b : ~b) & ((x & 1) != 0 ? c : ~c));
              if ((cell & t) != 0) lut |= static_cast<std::uint8_t>(1u << x);
            }
            net.add(lut, i, j, k);
            found = true;
          }
        }
      }
    }
    for (const Table t : output_) {
      for (int g = 0; g < done_.num; ++g) {
        if (normal(done_.signal[g]) != normal(t)) continue;
        net.outputs.push_back({g, done_.signal[g] != t});
        break;
      }
    }
    return net;
  }

  State start_, done_;
  std::array<Table, 4> output_{};
};

}  // namespace

bool nibble_exhaustive(const std::vector<std::uint8_t>& table, int gates, Network& result) {
  if (gates < 4 || gates > 7) return false;
  return Exhaustive(table).find(gates, result);
}

}  // namespace vsh::search
