#include "gost94/step.hpp"

#include "core/bytes.hpp"

namespace vsh::gost94 {
namespace {

// ---- Keys (section 5.1) --------------------------------------------------------------------------------------------

// P(X): word j of a key is byte j of x_1, x_2, x_3, x_4.
struct KeyWords {
  uint32_t w[8];
};

KeyWords permuted(const uint8_t* x) noexcept {
  KeyWords p;
  for (int j = 0; j < 8; ++j)
    p.w[j] = uint32_t{x[j]} | uint32_t{x[8 + j]} << 8 | uint32_t{x[16 + j]} << 16 | uint32_t{x[24 + j]} << 24;
  return p;
}

// P(A(X)) from P(X). A(X) = (x_1 ^ x_2) || x_4 || x_3 || x_2 moves bytes within each word, so it commutes with P.
void a(KeyWords& p) noexcept {
  for (uint32_t& w : p.w) w = w >> 8 | (w ^ w >> 8) << 24;
}

// P(C_3); C_2 = C_4 = 0.
constexpr uint32_t kC3[8] = {0xff00ff00, 0x00ff00ff, 0x00ffff00, 0x000000ff,
                             0xffffff00, 0xff0000ff, 0x0000ff00, 0xffff00ff};

// words[j][i]: word j of K_(i+1).
void make_keys(uint32_t (*words)[4], const uint8_t* h, const uint8_t* m) noexcept {
  KeyWords u = permuted(h), v = permuted(m);
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      a(u);
      a(v);
      a(v);
    }
    if (i == 2)
      for (int j = 0; j < 8; ++j) u.w[j] ^= kC3[j];
    for (int j = 0; j < 8; ++j) words[j][i] = u.w[j] ^ v.w[j];
  }
}

// ---- Mixing (section 5.3) ------------------------------------------------------------------------------------------

// eta_1 .. eta_16, four 16-bit words in each, the first of them lowest.
struct Register {
  uint64_t w[4];

  static Register load(const uint8_t* x) noexcept {
    return {{load_le64(x), load_le64(x + 8), load_le64(x + 16), load_le64(x + 24)}};
  }
  void store(uint8_t* x) const noexcept {
    for (int i = 0; i < 4; ++i) store_le64(x + 8 * i, w[i]);
  }
  void add(const uint8_t* x) noexcept {
    for (int i = 0; i < 4; ++i) w[i] ^= load_le64(x + 8 * i);
  }

  // psi: drops eta_1 and appends eta_1 ^ eta_2 ^ eta_3 ^ eta_4 ^ eta_13 ^ eta_16.
  void psi() noexcept {
    const uint64_t last = (w[0] ^ w[0] >> 16 ^ w[0] >> 32 ^ w[0] >> 48 ^ w[3] ^ w[3] >> 48) << 48;
    for (int i = 0; i < 3; ++i) w[i] = w[i] >> 16 | w[i + 1] << 48;
    w[3] = w[3] >> 16 | last;
  }

  // psi^4. Computes the four new words without the term eta_16, which is the previous new word: a running sum adds it.
  void psi4() noexcept {
    uint64_t sum =
        w[0] ^ (w[0] >> 16 | w[1] << 48) ^ (w[0] >> 32 | w[1] << 32) ^ (w[0] >> 48 | w[1] << 16) ^ w[3] ^ w[3] >> 48;
    sum ^= sum << 16;
    sum ^= sum << 32;
    for (int i = 0; i < 3; ++i) w[i] = w[i + 1];
    w[3] = sum;
  }
};

}  // namespace

Step::KernelChoice Step::choose_kernel(std::string_view variant) noexcept {
  KernelChoice best = {Choice::unknown, nullptr};
  for (const BlockKernel* row : block_kernels(Algorithm::gost28147)) {
    if (!row->encrypt_four || row->schedule_size > kMaxSchedule) continue;
    if (!variant.empty() && variant != row->info.variant) continue;
    const Choice status = permission(row->info, false);
    if (status == Choice::ok && (!best.row || row->info.pass_cost < best.row->info.pass_cost)) best = {status, row};
    if (!best.row) best.status = status;
  }
  return best;
}

Step::Step(const BlockKernel& kernel, tables::MagmaSbox set) noexcept : kernel_(&kernel) {
  const magma::RoundKeys round_keys{magma::gost28147_parameters(set), {}};  // encrypt_four has the keys
  kernel.prepare(schedule_, &round_keys);
}

// chi(M, H) = psi^61(H ^ psi(M ^ psi^12(S))), S being H encrypted, each 64-bit word under its own key.
void Step::operator()(uint8_t* h, const uint8_t* m) const noexcept {
  uint32_t words[8][4];
  make_keys(words, h, m);
  uint8_t s[kBlockSize];
  kernel_->encrypt_four(schedule_, s, h, words);
  Register x = Register::load(s);
  for (int i = 0; i < 12; i += 4) x.psi4();
  x.add(m);
  x.psi();
  x.add(h);
  for (int i = 0; i < 60; i += 4) x.psi4();
  x.psi();
  x.store(h);
}

}  // namespace vsh::gost94
