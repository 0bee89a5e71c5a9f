
#include "seeds.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "../../../src/circuits/sbox_tables.hpp"

namespace vsh::search {
namespace {

using NibbleTable = std::vector<std::uint8_t>;

Network algebraic_normal_form(const NibbleTable& table, int num_outputs) {
  Network net;
  net.num_inputs = 4;
  // monomial[m]: product of the inputs in the set m
  std::array<Signal, 16> monomial{};
  for (int m = 1; m < 16; ++m) {
    const int low = __builtin_ctz(m);
    const int rest = m & (m - 1);
    monomial[m] = rest == 0 ? low : net.add_and(monomial[rest], low);
  }
  for (int bit = 0; bit < num_outputs; ++bit) {
    std::array<int, 16> coefficient{};
    for (int x = 0; x < 16; ++x) coefficient[x] = (table[x] >> bit) & 1;
    for (int i = 0; i < 4; ++i) {
      for (int x = 0; x < 16; ++x) {
        if ((x >> i & 1) != 0) coefficient[x] ^= coefficient[x ^ (1 << i)];
      }
    }
    Signal sum = -1;
    for (int m = 1; m < 16; ++m) {
      if (coefficient[m] != 0) sum = sum < 0 ? monomial[m] : net.add_xor(sum, monomial[m]);
    }
    net.outputs.push_back({sum, coefficient[0] != 0});
  }
  return net;
}

// f = x3 ? f1(x0, x1, x2) : f0(x0, x1, x2), with a random variable in the place of x3.
Network shannon_expansion(const NibbleTable& table, int num_outputs, Random& random) {
  Network net;
  net.arity = 3;
  net.num_inputs = 4;
  for (int bit = 0; bit < num_outputs; ++bit) {
    const int split = random.below(4);
    std::array<int, 3> rest{};
    for (int i = 0, k = 0; i < 4; ++i) {
      if (i != split) rest[k++] = i;
    }
    Signal half[2];
    for (int side = 0; side < 2; ++side) {
      std::uint8_t lut = 0;
      for (int y = 0; y < 8; ++y) {
        const int x =
            (side << split) | (((y >> 2) & 1) << rest[0]) | (((y >> 1) & 1) << rest[1]) | ((y & 1) << rest[2]);
        lut |= static_cast<std::uint8_t>(((table[x] >> bit) & 1) << y);
      }
      half[side] = net.add(lut, rest[0], rest[1], rest[2]);
    }
    net.outputs.push_back({net.add(0xca, split, half[1], half[0]), false});
  }
  return net;
}

// GF(2^4) with x^4 + x^3 + 1, as in the decomposition.
int field_multiply(int a, int b) {
  int r = 0;
  for (int i = 0; i < 4; ++i) {
    if ((b >> i & 1) != 0) r ^= a << i;
  }
  for (int i = 6; i >= 4; --i) {
    if ((r >> i & 1) != 0) r ^= 0x19 << (i - 4);
  }
  return r;
}

constexpr int kInverse[16] = {0, 1, 0xc, 8, 6, 0xf, 4, 0xe, 3, 0xd, 0xb, 0xa, 2, 9, 7, 5};
constexpr int kNu0[16] = {2, 5, 3, 0xb, 6, 9, 0xe, 0xa, 0, 4, 0xf, 1, 8, 0xd, 0xc, 7};
constexpr int kNu1[16] = {7, 6, 0xc, 9, 0, 0xf, 8, 1, 4, 5, 0xb, 0xe, 0xd, 2, 3, 0xa};
constexpr int kSigma[16] = {0xc, 0xd, 0, 4, 8, 0xb, 0xa, 0xe, 3, 9, 5, 2, 0xf, 1, 6, 7};
constexpr int kPhi[16] = {0xb, 2, 0xb, 8, 0xc, 4, 1, 0xc, 6, 3, 5, 8, 0xe, 3, 6, 0xb};
// Row k gives output bit 7 - k; bit i of a row takes input bit i.
constexpr int kAlpha[8] = {0x08, 0x41, 0x43, 0xef, 0x8a, 0x44, 0x1a, 0x20};
constexpr int kOmega[8] = {0x0a, 0x04, 0x20, 0x9a, 0x08, 0x44, 0x82, 0x01};

int apply_rows(const int (&rows)[8], int x) {
  int y = 0;
  for (int k = 0; k < 8; ++k) y |= (__builtin_popcount(rows[k] & x) & 1) << (7 - k);
  return y;
}

// A basis of GF(16): coordinates <-> element.
struct Basis {
  std::array<int, 4> element{};
  std::array<int, 16> value{};        // coordinates -> element
  std::array<int, 16> coordinates{};  // element -> coordinates
};

Basis make_basis(const std::array<int, 4>& element) {
  Basis b;
  b.element = element;
  for (int c = 0; c < 16; ++c) {
    int v = 0;
    for (int i = 0; i < 4; ++i) {
      if ((c >> i & 1) != 0) v ^= element[i];
    }
    b.value[c] = v;
    b.coordinates[v] = c;
  }
  return b;
}

// {1, w} x {1, z} over GF(4) = {0, 1, w, w^2}: products by Karatsuba's method at both levels.
Basis random_tower_basis(Random& random) {
  int w = 0;
  for (int v = 2; v < 16; ++v) {
    if (field_multiply(field_multiply(v, v), v) == 1) w = v;
  }
  if (random.below(2) != 0) w = field_multiply(w, w);
  for (;;) {
    const int z = 2 + random.below(14);
    const int subfield[4] = {0, 1, w, field_multiply(w, w)};
    if (std::find(subfield, subfield + 4, z) == subfield + 4) {
      return make_basis({1, w, z, field_multiply(w, z)});
    }
  }
}

// The product of two elements in coordinates of `basis`. Three-input gates: sums of products, each
// step one gate. Two-input gates: Karatsuba over the tower {1, w} x {1, z}.
Network multiplier(const Basis& basis, int arity) {
  Network net;
  net.arity = arity;
  net.num_inputs = 8;
  if (arity == 3) {
    for (int k = 0; k < 4; ++k) {
      Signal sum = -1;
      for (int i = 0; i < 4; ++i) {
        Signal factor = -1;  // the b_j that meet a_i in output k
        for (int j = 0; j < 4; ++j) {
          const int product = basis.coordinates[field_multiply(basis.element[i], basis.element[j])];
          if ((product >> k & 1) == 0) continue;
          factor = factor < 0 ? 4 + j : net.add_xor(factor, 4 + j);
        }
        if (factor < 0) continue;
        sum = sum < 0 ? net.add_and(i, factor) : net.add(0x78, sum, i, factor);
      }
      net.outputs.push_back({sum, false});
    }
    return net;
  }
  // Coordinates: bit 0: 1, bit 1: w, bit 2: z, bit 3: wz. Sum the partial products of Karatsuba
  // as a list of (element, signal) terms and then add up each coordinate.
  struct Term {
    int element;
    Signal signal;
  };
  std::vector<Term> terms;
  const auto quarter = [&](Signal a0, Signal a1, Signal b0, Signal b1, const std::vector<int>& scale) {
    const int w = basis.element[1];
    const Signal m0 = net.add_and(a0, b0), m1 = net.add_and(a1, b1);
    const Signal m2 = net.add_and(net.add_xor(a0, a1), net.add_xor(b0, b1));
    // (a0 + a1 w)(b0 + b1 w) = m0 + (m2 + m0 + m1) w + m1 w^2
    const Signal middle = net.add_xor(m2, m0);  // coefficient of w where w^2 = w + 1
    const Signal low = net.add_xor(m0, m1);
    for (const int s : scale) {
      terms.push_back({s, low});
      terms.push_back({field_multiply(s, w), middle});
    }
  };
  const int z = basis.element[2], z2 = field_multiply(z, z);
  const Signal sa0 = net.add_xor(0, 2), sa1 = net.add_xor(1, 3);
  const Signal sb0 = net.add_xor(4, 6), sb1 = net.add_xor(5, 7);
  quarter(0, 1, 4, 5, {1 ^ z});
  quarter(2, 3, 6, 7, {z ^ z2});
  quarter(sa0, sa1, sb0, sb1, {z});
  for (int k = 0; k < 4; ++k) {
    Signal sum = -1;
    for (const Term& t : terms) {
      if ((basis.coordinates[t.element] >> k & 1) == 0) continue;
      sum = sum < 0 ? t.signal : net.add_xor(sum, t.signal);
    }
    net.outputs.push_back({sum, false});
  }
  return net;
}

// y = M x, each output summed separately; the search finds common terms.
Network linear_map(const std::vector<int>& rows, int num_inputs, int arity) {
  Network net;
  net.arity = arity;
  net.num_inputs = num_inputs;
  // Greedy sharing (Paar): give the commonest pair of terms a gate until every row is a single
  // term.
  std::vector<std::vector<Signal>> sums;
  for (const int row : rows) {
    sums.emplace_back();
    for (int i = 0; i < num_inputs; ++i) {
      if ((row >> i & 1) != 0) sums.back().push_back(i);
    }
  }
  for (;;) {
    int best = 0;
    Signal pa = 0, pb = 0;
    const Signal total = num_inputs + net.size();
    for (Signal a = 0; a < total; ++a) {
      for (Signal b = a + 1; b < total; ++b) {
        int count = 0;
        for (const auto& s : sums) {
          count += std::count(s.begin(), s.end(), a) != 0 && std::count(s.begin(), s.end(), b) != 0;
        }
        if (count > best) best = count, pa = a, pb = b;
      }
    }
    if (best == 0) break;
    const Signal t = net.add_xor(pa, pb);
    for (auto& s : sums) {
      const auto a = std::find(s.begin(), s.end(), pa);
      if (a == s.end() || std::find(s.begin(), s.end(), pb) == s.end()) continue;
      s.erase(a);
      *std::find(s.begin(), s.end(), pb) = t;
    }
  }
  for (const auto& s : sums) net.outputs.push_back({s.at(0), false});
  return net;
}

std::vector<Output> part(const std::vector<Output>& signals, int from, int count) {
  return {signals.begin() + from, signals.begin() + from + count};
}

std::vector<Output> joined(std::vector<Output> a, const std::vector<Output>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

template <class Function>
NibbleTable tabulated(Function f) {
  NibbleTable t(16);
  for (int x = 0; x < 16; ++x) t[x] = static_cast<std::uint8_t>(f(x));
  return t;
}

// Rows (as input masks) of the linear map f on bytes.
template <class Function>
std::vector<int> rows_of(Function f) {
  std::vector<int> rows(8, 0);
  for (int i = 0; i < 8; ++i) {
    const int column = f(1 << i);
    for (int k = 0; k < 8; ++k) rows[k] |= (column >> k & 1) << i;
  }
  return rows;
}

template <class Function>
int inverse_of(Function f, int y) {
  for (int x = 0; x < 256; ++x) {
    if (f(x) == y) return x;
  }
  throw std::logic_error("not a permutation");
}

}  // namespace

std::vector<TruthTable> byte_tables(const std::uint8_t (&table)[256]) {
  std::vector<TruthTable> t(8);
  for (int x = 0; x < 256; ++x) {
    for (int k = 0; k < 8; ++k) {
      if ((table[x] >> k & 1) != 0) t[k].set(x);
    }
  }
  return t;
}

std::vector<TruthTable> nibble_tables(const std::uint8_t (&table)[16]) {
  std::vector<TruthTable> t(4);
  for (int x = 0; x < 256; ++x) {
    for (int k = 0; k < 4; ++k) {
      if ((table[x & 15] >> k & 1) != 0) t[k].set(x);
    }
  }
  return t;
}

Network nibble_function(const std::vector<std::uint8_t>& table, int num_outputs, int arity, long moves,
                        Random& random) {
  Network net = arity == 2 ? algebraic_normal_form(table, num_outputs) : shannon_expansion(table, num_outputs, random);
  ShrinkOptions options;
  options.moves = moves;
  options.slack = 2;
  options.uphill_one_in = 100;
  return shrunk(net, options, random);
}

Network kuznyechik_seed(bool inverse, int arity, long moves, Random& random) {
  // Coordinates: the halves l and r after alpha become p*l and q*r, written in a tower basis.
  // Then (l / r) scales by p / q, compensated by nu1, and r * phi(l) by q, compensated by sigma.
  const Basis basis = random_tower_basis(random);
  const int p = 1 + random.below(15), q = 1 + random.below(15);
  const int p_inv = kInverse[p], q_inv = kInverse[q];
  const auto& v = basis.value;
  const auto& c = basis.coordinates;

  Network net;
  net.arity = arity;
  net.num_inputs = 8;
  std::vector<Output> x;
  for (int i = 0; i < 8; ++i) x.push_back({i, false});
  const auto nibble = [&](auto f, const std::vector<Output>& in) {
    return net.append(nibble_function(tabulated(f), 4, arity, moves, random), in);
  };
  // z = (nibble == 0); mux: z ? a : b
  const auto is_zero = [&](const std::vector<Output>& n) -> Output {
    if (arity == 3) {
      Network t;
      t.arity = 3;
      t.num_inputs = 4;
      t.outputs.push_back({t.add(0x03, t.add(0xfe, 0, 1, 2), 3, 3), false});
      return net.append(t, n)[0];
    }
    Network t;
    t.num_inputs = 4;
    t.outputs.push_back({t.add_or(t.add_or(0, 1), t.add_or(2, 3)), true});
    return net.append(t, n)[0];
  };
  const auto select = [&](const Output& z, const std::vector<Output>& a, const std::vector<Output>& b) {
    Network t;
    t.arity = arity;
    t.num_inputs = 3;
    if (arity == 3) {
      t.outputs.push_back({t.add(0xca, 0, 1, 2), false});
    } else {
      t.outputs.push_back({t.add_xor(2, t.add_and(0, t.add_xor(1, 2))), false});
    }
    std::vector<Output> result;
    for (std::size_t i = 0; i < a.size(); ++i) result.push_back(net.append(t, {z, a[i], b[i]})[0]);
    return result;
  };
  const auto linear = [&](auto f, const std::vector<Output>& in) {
    return net.append(linear_map(rows_of(f), 8, arity), in);
  };
  ShrinkOptions options;
  options.moves = moves;
  options.slack = 2;
  const Network product = shrunk(multiplier(basis, arity), options, random);

  const auto alpha = [&](int y) {
    const int t = apply_rows(kAlpha, y);
    return c[field_multiply(p, t >> 4)] << 4 | c[field_multiply(q, t & 15)];
  };
  const auto omega = [](int y) { return apply_rows(kOmega, y); };

  if (!inverse) {
    const std::vector<Output> lr = linear(alpha, x);
    const std::vector<Output> r = part(lr, 0, 4), l = part(lr, 4, 4);
    const auto r_inv = nibble([&](int t) { return c[kInverse[v[t]]]; }, r);
    const auto ratio = net.append(product, joined(l, r_inv));
    const auto label1 = nibble([&](int t) { return kNu1[field_multiply(v[t], field_multiply(q, p_inv))]; }, ratio);
    const auto label0 = nibble([&](int t) { return kNu0[field_multiply(v[t], p_inv)]; }, l);
    const auto label = select(is_zero(r), label0, label1);
    const auto phi = nibble([&](int t) { return c[kPhi[t]]; }, label);
    const auto power = net.append(product, joined(r, phi));
    const auto low = nibble([&](int t) { return kSigma[field_multiply(v[t], q_inv)]; }, power);
    net.outputs = linear(omega, joined(low, label));
  } else {
    const auto from_omega = [&](int y) { return inverse_of(omega, y); };
    const std::vector<Output> lr = linear(from_omega, x);
    const std::vector<Output> low = part(lr, 0, 4), label = part(lr, 4, 4);
    const auto power = nibble(
        [&](int t) {
          int s = 0;
          while (kSigma[s] != t) ++s;
          return c[field_multiply(s, q)];
        },
        low);
    const auto phi_inv = nibble([&](int t) { return c[kInverse[kPhi[t]]]; }, label);
    const auto r = net.append(product, joined(power, phi_inv));
    const auto ratio = nibble(
        [&](int t) {
          int s = 0;
          while (kNu1[s] != t) ++s;
          return c[field_multiply(s, field_multiply(p, q_inv))];
        },
        label);
    const auto l0 = nibble(
        [&](int t) {
          int s = 0;
          while (kNu0[s] != t) ++s;
          return c[field_multiply(s, p)];
        },
        label);
    const auto l1 = net.append(product, joined(r, ratio));
    const auto l = select(is_zero(r), l0, l1);
    const auto from_alpha = [&](int y) { return inverse_of(alpha, y); };
    net.outputs = linear(from_alpha, joined(r, l));
  }
  Network result = cleaned(net);
  const std::vector<TruthTable> wanted =
      inverse ? byte_tables(tables::kKuznyechikPiInverse) : byte_tables(tables::kKuznyechikPi);
  if (result.output_tables() != wanted) throw std::logic_error("the decomposition of pi is wrong");
  return result;
}

}  // namespace vsh::search
